package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	goerrors "gopkg.in/src-d/go-errors.v1"

	"github.com/freshetdb/freshet/vtab/kv"
)

// toSQLError gives an error the number and SQLSTATE that MySQL would. Errors
// that carry them keep them; those of the engine are looked up by kind; what is
// left gets 1105.
func toSQLError(err error) *mysql.SQLError {
	var known *mysql.SQLError
	if errors.As(err, &known) {
		return withState(known)
	}
	var panicked *panicError
	if errors.As(err, &panicked) {
		return errInternal()
	}
	if mapped := storeError(err); mapped != nil {
		return mapped
	}
	for _, cause := range chain(err) {
		for kind, number := range numbers {
			if kind.Is(cause) {
				return withState(mysql.NewSQLError(number, "", "%s", err.Error()))
			}
		}
	}
	for _, cause := range chain(err) {
		if mapped := sql.CastSQLError(cause); mapped.Num != mysql.ERUnknownError {
			return withState(mapped)
		}
	}
	return mysql.NewSQLError(mysql.ERUnknownError, mysql.SSUnknownSQLState, "%s", err.Error())
}

// storeError maps errors of the store, of contexts and of the server itself.
func storeError(err error) *mysql.SQLError {
	var failed *kv.FailedError
	switch {
	case errors.Is(err, errShutdown), errors.Is(err, ErrClosed), errors.Is(err, kv.ErrClosed):
		return withState(mysql.NewSQLError(1053, "", "Server shutdown in progress"))
	case errors.Is(err, errQueryTimeout):
		return withState(mysql.NewSQLError(3024, "", "Query execution was interrupted, maximum statement execution time exceeded"))
	case errors.Is(err, errClientGone), errors.Is(err, context.Canceled):
		return withState(mysql.NewSQLError(1317, "", "Query execution was interrupted"))
	case errors.Is(err, kv.ErrOutcomeUnknown):
		return mysql.NewSQLError(1180, mysql.SSUnknownSQLState, "Got error during COMMIT: %v; the transaction is whole or absent after the server was started again", err)
	case errors.Is(err, kv.ErrDiskFull):
		return mysql.NewSQLError(1021, mysql.SSUnknownSQLState, "Disk full; the transaction was rolled back, reads go on, and writes are accepted again when there is space")
	case errors.As(err, &failed):
		return mysql.NewSQLError(1030, mysql.SSUnknownSQLState, "%v", failed)
	case errors.Is(err, kv.ErrCorrupt):
		return mysql.NewSQLError(1034, mysql.SSUnknownSQLState, "%v; run CHECK TABLE", err)
	default:
		return nil
	}
}

// chain lists err and what it wraps, outermost first.
func chain(err error) []error {
	var all []error
	for err != nil {
		all = append(all, err)
		switch wrapped := err.(type) {
		case sql.WrappedInsertError:
			err = wrapped.Cause
		case sql.WrappedTypeConversionError:
			err = wrapped.Err
		default:
			err = errors.Unwrap(err)
		}
	}
	return all
}

// withState fills in the SQLSTATE where only the number is known.
func withState(e *mysql.SQLError) *mysql.SQLError {
	if e.State != "" && e.State != mysql.SSUnknownSQLState {
		return e
	}
	state, ok := states[e.Num]
	if !ok {
		state = mysql.SSUnknownSQLState
	}
	copied := *e
	copied.State = state
	return &copied
}

// panicError is a panic that a goroutine of a statement has contained.
type panicError struct {
	value any
	stack string
}

// Error implements error.
func (e *panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.value, e.stack) }

// errInternal is what a client sees of a panic.
func errInternal() *mysql.SQLError {
	return mysql.NewSQLError(mysql.ERUnknownError, mysql.SSUnknownSQLState,
		"Internal error; the transaction was rolled back. The server's log has the details")
}

// errMixedResult: a statement returned rows and a count.
var errMixedResult = errors.New("a result mixed rows with a count of rows")

// numbers gives the engine's errors MySQL's numbers where the engine itself has
// none (https://dev.mysql.com/doc/mysql-errors/8.0/en/server-error-reference.html).
var numbers = map[*goerrors.Kind]int{
	sql.ErrSyntaxError:        1064,
	sql.ErrInvalidSyntax:      1064,
	sql.ErrUnsupportedSyntax:  1235,
	sql.ErrUnsupportedFeature: 1235,
	sql.ErrReadOnly:           1290,

	// Names.
	sql.ErrTableAlreadyExists:         1050,
	sql.ErrUnknownTable:               1051,
	sql.ErrTableColumnNotFound:        1054,
	sql.ErrColumnNotFound:             1054,
	sql.ErrMisusedAlias:               1054,
	sql.ErrAmbiguousColumnName:        1052,
	sql.ErrAmbiguousColumnOrAliasName: 1052,
	sql.ErrAmbiguousColumnInOrderBy:   1052,
	sql.ErrColumnExists:               1060,
	sql.ErrDuplicateColumn:            1060,
	sql.ErrDuplicateKey:               1061,
	sql.ErrDuplicateAliasOrTable:      1066,
	sql.ErrNoDatabaseSelected:         1046,
	sql.ErrIdentifierIsTooLong:        1059,
	sql.ErrInvalidIdentifier:          1103,
	sql.ErrFunctionNotFound:           1305,
	sql.ErrInvalidArgumentNumber:      1582,
	sql.ErrInvalidArgument:            1210,
	sql.ErrInvalidArgumentDetails:     1210,
	sql.ErrInvalidArgumentType:        1210,
	sql.ErrExistingView:               1050,
	sql.ErrViewDoesNotExist:           1146,
	sql.ErrInvalidRefInView:           1356,
	sql.ErrExpectedTableFoundView:     1347,
	sql.ErrUnknownIndexColumn:         1072,
	sql.ErrInvalidIndexName:           1280,
	sql.ErrUnknownConstraint:          3940,

	// Values.
	sql.ErrValueOutOfRange:                        1264,
	sql.ErrInsertIntoNonNullableDefaultNullColumn: 1364,
	sql.ErrInsertIntoMismatchValueCount:           1136,
	sql.ErrColValCountMismatch:                    1136,
	sql.ErrColumnCountMismatch:                    1353,
	sql.ErrColumnNumberDoesNotMatch:               1222,
	sql.ErrMoreThanOneRow:                         1172,
	sql.ErrTruncatedIncorrect:                     1292,
	sql.ErrInvalidJson:                            3140,
	sql.ErrJSONObjectAggNullKey:                   3158,
	sql.ErrInvalidSetValue:                        1265,
	sql.ErrConvertingToSet:                        1265,
	sql.ErrTooLargeForSet:                         1265,
	sql.ErrGeneratedColumnValue:                   3105,
	sql.ErrInvalidTimeZone:                        1298,
	sql.ErrCollationIllegalMix:                    1267,
	sql.ErrCollationUnknown:                       1273,
	sql.ErrCollationInvalidForCharSet:             1253,
	sql.ErrCharSetUnknown:                         1115,
	sql.ErrCharSetInvalidString:                   1300,
	sql.ErrNoTablesUsed:                           1096,
	sql.ErrCteRecursionLimitExceeded:              3636,

	// Constraints.
	sql.ErrCheckConstraintViolated:                 3819,
	sql.ErrCheckConstraintInvalidatedByColumnAlter: 3959,
	sql.ErrDuplicateCheckName:                      3822,
	sql.ErrForeignKeyNotResolved:                   1452,
	sql.ErrForeignKeyDuplicateName:                 1826,
	sql.ErrForeignKeyDropColumn:                    1828,
	sql.ErrForeignKeyDropTable:                     3730,
	sql.ErrForeignKeyDropIndex:                     1553,
	sql.ErrForeignKeyMissingReferenceIndex:         1822,
	sql.ErrForeignKeyColumnTypeMismatch:            3780,
	sql.ErrForeignKeyColumnCountMismatch:           1239,
	sql.ErrForeignKeySetNullNonNullable:            1830,
	sql.ErrForeignKeyTypeChangeSetNull:             1830,
	sql.ErrForeignKeyTypeChange:                    1832,
	sql.ErrForeignKeyNotFound:                      1091,
	sql.ErrForeignKeyDepthLimit:                    3008,
	sql.ErrTruncateReferencedFromForeignKey:        1701,
	sql.ErrPrimaryKeyViolation:                     1062,

	// Definitions.
	sql.ErrInvalidColumnDefaultValue:     1067,
	sql.ErrIncompatibleDefaultType:       1067,
	sql.ErrColumnDefaultDatetimeOnlyFunc: 1067,
	sql.ErrColumnDefaultReturnedNull:     1048,
	sql.ErrInvalidDefaultValueOrder:      3770,
	sql.ErrDropColumnReferencedInDefault: 3837,
	sql.ErrColumnDefaultUserVariable:     3772,
	sql.ErrColumnDefaultSubquery:         3770,
	sql.ErrInvalidOnUpdate:               1294,
	sql.ErrInvalidAutoIncCols:            1075,
	sql.ErrInvalidColumnSpecifier:        1063,
	sql.ErrVirtualColumnPrimaryKey:       3106,
	sql.ErrGeneratedColumnWithDefault:    1221,
	sql.ErrTooManyKeyParts:               1070,
	sql.ErrNullableSpatialIdx:            1252,
	sql.ErrBadSpatialIdxCol:              1687,
	sql.ErrJSONIndex:                     3152,
	sql.ErrNoFullTextIndexFound:          1191,
	sql.ErrFullTextMissingColumn:         1072,
	sql.ErrFullTextInvalidColumnType:     1283,

	// Routines, triggers, events.
	sql.ErrTriggerDoesNotExist:          1360,
	sql.ErrTriggerTableInUse:            1442,
	sql.ErrInvalidUseOfOldNew:           1363,
	sql.ErrInvalidUpdateOfOldRow:        1362,
	sql.ErrInvalidUpdateInAfterTrigger:  1362,
	sql.ErrStoredProcedureAlreadyExists: 1304,
	sql.ErrStoredProcedureDoesNotExist:  1305,
	sql.ErrProcedureRecursiveCall:       1456,
	sql.ErrCallIncorrectParameterCount:  1318,
	sql.ErrEventAlreadyExists:           1537,
	sql.ErrEventDoesNotExist:            1539,
	sql.ErrUnknownEvent:                 1539,
	sql.ErrUndeclaredVariable:           1327,
	sql.ErrDeclareConditionNotFound:     1319,
	sql.ErrDeclareConditionDuplicate:    1332,
	sql.ErrDeclareVariableDuplicate:     1331,
	sql.ErrDeclareCursorDuplicate:       1333,
	sql.ErrDeclareHandlerDuplicate:      1413,
	sql.ErrDeclareConditionOrderInvalid: 1337,
	sql.ErrDeclareVariableOrderInvalid:  1337,
	sql.ErrDeclareCursorOrderInvalid:    1338,
	sql.ErrLoopRedefinition:             1309,
	sql.ErrLoopLabelNotFound:            1308,
	sql.ErrCursorNotFound:               1324,
	sql.ErrCursorAlreadyOpen:            1325,
	sql.ErrCursorNotOpen:                1326,
	sql.ErrFetchIncorrectCount:          1328,

	// Sessions, variables, transactions.
	sql.ErrUnknownSystemVariable:            1193,
	sql.ErrSystemVariableReadOnly:           1238,
	sql.ErrSystemVariableSessionOnly:        1228,
	sql.ErrSystemVariableGlobalOnly:         1229,
	sql.ErrInvalidSystemVariableValue:       1231,
	sql.ErrUnknownPreparedStatement:         1243,
	sql.ErrUnboundPreparedStatementVariable: 1210,
	sql.ErrUnsupportedPreparedStatement:     1295,
	sql.ErrSavepointDoesNotExist:            1305,

	// Accounts and grants.
	sql.ErrDatabaseAccessDeniedForUser:            1044,
	sql.ErrTableAccessDeniedForUser:               1142,
	sql.ErrPrivilegeCheckFailed:                   1142,
	sql.ErrUserCreationFailure:                    1396,
	sql.ErrUserAlterFailure:                       1396,
	sql.ErrUserDeletionFailure:                    1396,
	sql.ErrRoleCreationFailure:                    1396,
	sql.ErrRoleDeletionFailure:                    1396,
	sql.ErrGrantUserDoesNotExist:                  1410,
	sql.ErrRevokeUserDoesNotExist:                 1141,
	sql.ErrShowGrantsUserDoesNotExist:             1141,
	sql.ErrGrantRevokeRoleDoesNotExist:            3523,
	sql.ErrGrantRevokeIllegalPrivilege:            1144,
	sql.ErrGrantRevokeIllegalPrivilegeWithMessage: 1144,
	sql.ErrUserNameTooLong:                        1470,
	sql.ErrUserHostTooLong:                        1470,

	// Files and queries.
	sql.ErrLoadDataCannotOpen:       13,
	sql.ErrSecureFilePriv:           1290,
	sql.ErrFileExists:               1086,
	sql.ErrUnknownWindowName:        3579,
	sql.ErrRecursiveCTEMissingUnion: 3573,
}

// states are the SQLSTATEs of MySQL's numbers that are not HY000.
var states = map[int]string{
	1022: "23000", 1044: "42000", 1045: "28000", 1046: "3D000", 1048: "23000", 1049: "42000",
	1050: "42S01", 1051: "42S02", 1052: "23000", 1053: "08S01", 1054: "42S22", 1055: "42000",
	1056: "42000", 1058: "21S01", 1059: "42000", 1060: "42S21", 1061: "42000", 1062: "23000",
	1063: "42000", 1064: "42000", 1065: "42000", 1066: "42000", 1067: "42000", 1068: "42000",
	1070: "42000", 1071: "42000", 1072: "42000", 1074: "42000", 1075: "42000", 1091: "42000",
	1101: "42000", 1102: "42000", 1103: "42000", 1109: "42S02", 1110: "42000", 1115: "42000",
	1118: "42000", 1120: "42000", 1136: "21S01", 1138: "22004", 1140: "42000", 1141: "42000",
	1142: "42000", 1143: "42000", 1144: "42000", 1146: "42S02", 1147: "42000", 1166: "42000",
	1169: "23000", 1170: "42000", 1171: "42000", 1172: "42000", 1179: "25000", 1203: "42000",
	1205: "HY000", 1213: "40001", 1222: "21000", 1226: "42000", 1230: "42000", 1231: "42000",
	1232: "42000", 1234: "42000", 1235: "42000", 1239: "42000", 1241: "21000", 1242: "21000",
	1247: "42S22", 1248: "42000", 1250: "42000", 1252: "42000", 1253: "42000", 1264: "22003",
	1265: "01000", 1280: "42000", 1281: "42000", 1286: "42000", 1292: "22007", 1304: "42000",
	1305: "42000", 1308: "42000", 1309: "42000", 1312: "0A000", 1317: "70100", 1318: "42000",
	1319: "42000", 1322: "42000", 1323: "42000", 1324: "42000", 1325: "24000", 1326: "24000",
	1327: "42000", 1328: "HY000", 1329: "02000", 1330: "42000", 1331: "42000", 1332: "42000",
	1333: "42000", 1337: "42000", 1338: "42000", 1339: "20000", 1365: "22012", 1367: "22007",
	1370: "42000", 1396: "HY000", 1406: "22001", 1407: "42000", 1410: "42000", 1413: "42000",
	1415: "0A000", 1416: "22003", 1425: "42000", 1426: "42000", 1427: "42000", 1439: "42000",
	1451: "23000", 1452: "23000", 1458: "42000", 1461: "42000", 1463: "42000", 1557: "23000",
	1568: "25001", 1582: "42000", 1583: "42000", 1584: "42000", 1586: "23000", 1687: "42000",
	1690: "22003", 1701: "42000", 1761: "23000", 1762: "23000", 1792: "25006", 1859: "23000",
	3024: "HY000", 3140: "22032", 3141: "22032", 3143: "42000", 3144: "22032", 3152: "42000",
	3158: "22032", 3572: "HY000", 4025: "23000",
}
