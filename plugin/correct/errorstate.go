package correct

import "github.com/dolthub/vitess/go/mysql"

// stateOf is the SQLSTATE of a MySQL number, from the server error reference of
// MySQL 8.0 (https://dev.mysql.com/doc/mysql-errors/8.0/en/server-error-reference.html).
// All numbers that are not here have HY000.
func stateOf(number int) string {
	switch number {
	case 1022, 1048, 1052, 1062, 1169, 1216, 1217, 1451, 1452, 1557, 1586, 1761, 1762, 1859:
		return "23000"
	case 1037, 1038:
		return "HY001"
	case 1040, 1041, 1053:
		return "08S01"
	case 1045:
		return "28000"
	case 1046:
		return "3D000"
	case 1047:
		return "08S01"
	case 1050:
		return "42S01"
	case 1051, 1109, 1146:
		return "42S02"
	case 1054, 1247:
		return "42S22"
	case 1058, 1136:
		return "21S01"
	case 1060:
		return "42S21"
	case 1138:
		return "22004"
	case 1172, 1044, 1049, 1055, 1056, 1059, 1061, 1063, 1064, 1065, 1066, 1067, 1068, 1069, 1070, 1071,
		1072, 1073, 1074, 1075, 1090, 1091, 1101, 1102, 1103, 1104, 1106, 1107, 1110, 1112, 1113, 1115,
		1118, 1120, 1121, 1131, 1132, 1133, 1139, 1140, 1141, 1142, 1143, 1144, 1145, 1147, 1148, 1149,
		1162, 1163, 1164, 1166, 1167, 1170, 1171, 1173, 1176, 1177, 1178, 1203, 1207, 1211, 1221, 1226,
		1227, 1228, 1229, 1230, 1231, 1232, 1234, 1235, 1239, 1248, 1250, 1252, 1253, 1280, 1281, 1286,
		1304, 1305, 1308, 1309, 1310, 1318, 1319, 1320, 1322, 1323, 1324, 1327, 1330, 1331, 1332, 1333,
		1337, 1338, 1370, 1403, 1407, 1410, 1413, 1425, 1426, 1427, 1439, 1453, 1458, 1461, 1463, 1582,
		1583, 1584, 1630, 1641, 1687, 1701, 3152:
		return "42000"
	case 1179:
		return "25000"
	case 1568:
		return "25001"
	case 1792:
		return "25006"
	case 1213, 1614:
		return "40001"
	case 1222, 1241, 1242:
		return "21000"
	case 1264, 1416, 1690:
		return "22003"
	case 1265:
		return "01000"
	case 1292, 1367:
		return "22007"
	case 1303:
		return "2F003"
	case 1312, 1313, 1314, 1335, 1336, 1415:
		return "0A000"
	case 1317:
		return "70100"
	case 1321:
		return "2F005"
	case 1325, 1326:
		return "24000"
	case 1329:
		return "02000"
	case 1339:
		return "20000"
	case 1365:
		return "22012"
	case 1406:
		return "22001"
	case 1441:
		return "22008"
	case 3140, 3141, 3144, 3146, 3147, 3150, 3158:
		return "22032"
	case 3143, 3149, 3153, 3154:
		return "42000"
	}
	return mysql.SSUnknownSQLState
}
