package scenarios

import "testing"

// Keys, encoding and types: ST-049 to ST-058.
func TestTypes(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "ST-049 zero has one key", script: `
CREATE TABLE t (x DOUBLE UNIQUE, y DECIMAL(10,3) UNIQUE)
INSERT INTO t (x) VALUES (0.0)
INSERT INTO t (x) VALUES (-0.0)  --! 1062
INSERT INTO t (x) VALUES (-0e0)  --! 1062
INSERT INTO t (y) VALUES (1.0)
INSERT INTO t (y) VALUES (1.000)  --! 1062
SELECT COUNT(*) FROM t  --= 2
SELECT x FROM t WHERE x = -0e0  --= 0
.reopen
INSERT INTO t (x) VALUES (-0e0)  --! 1062
`},
		{name: "ST-051 stored spelling comes back", script: `
CREATE TABLE t (k VARCHAR(20) COLLATE utf8mb4_0900_ai_ci PRIMARY KEY, v INT, s VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, KEY (s))
INSERT INTO t VALUES ('Abc',1,'Xyz'),('def',2,'uvw')
SELECT k FROM t WHERE k='aBC'  --= Abc
SELECT k FROM t WHERE k >= 'ABB' AND k < 'd'  --= Abc
SELECT k FROM t ORDER BY k  --= Abc; def
SELECT s FROM t WHERE s = 'xyz'  --= Xyz
SELECT s, k FROM t WHERE s > 'x'  --= Xyz,Abc
UPDATE t SET k='ABC' WHERE k='abc'  --# 1
SELECT k FROM t WHERE k='aBC'  --= ABC
SELECT k FROM t WHERE k >= 'ABB' AND k < 'd'  --= ABC
SELECT s, k FROM t WHERE s > 'x'  --= Xyz,ABC
UPDATE t SET s='XYZ' WHERE k='abc'
SELECT s FROM t WHERE s = 'xyz'  --= XYZ
SELECT s, k FROM t ORDER BY s  --= uvw,def; XYZ,ABC
SELECT COUNT(*) FROM t  --= 2
.kill
SELECT k, s FROM t ORDER BY k  --= ABC,XYZ; def,uvw
`},
		{name: "ST-052 prefix index counts characters", script: `
CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(20), KEY (c(3)))
INSERT INTO t VALUES (1,'日本語版'),(2,'日本語'),(3,'日本'),(4,'日本国'),(5,'𝒳𝒴𝒵a'),(6,'𝒳𝒴𝒵b')
SELECT id FROM t WHERE c='日本語版'  --= 1
SELECT id FROM t WHERE c='日本語'  --= 2
SELECT id FROM t WHERE c='日本'  --= 3
SELECT id FROM t WHERE c='𝒳𝒴𝒵b'  --= 6
SELECT id FROM t WHERE c='日本語x'  --=
SELECT id FROM t WHERE c > '日本語' ORDER BY id  --= 1; 5; 6
SELECT id FROM t WHERE c LIKE '日本語%' ORDER BY id  --= 1; 2
SELECT id FROM t WHERE c < '日本語' ORDER BY id  --= 3; 4
CREATE TABLE u (id INT PRIMARY KEY, c VARCHAR(20), UNIQUE (c(3)))
INSERT INTO u VALUES (1,'日本語版')
INSERT INTO u VALUES (2,'日本語')  --! 1062
INSERT INTO u VALUES (3,'日本国')
UPDATE u SET c='日本語z' WHERE id=3  --! 1062
`},
		{name: "ST-053 bytes at the top end", script: `
CREATE TABLE t (id INT PRIMARY KEY, b VARBINARY(10), KEY (b))
INSERT INTO t VALUES (1,x''),(2,x'00'),(3,x'0000'),(4,x'00FF'),(5,x'FF'),(6,x'FFFF'),(7,x'FFFFFF'),(8,x'FF00'),(9,NULL),(10,x'FFFE')
SELECT id FROM t FORCE INDEX (b) WHERE b > x'FF' ORDER BY b  --= 8; 10; 6; 7
SELECT id FROM t IGNORE INDEX (b) WHERE b > x'FF' ORDER BY b  --= 8; 10; 6; 7
SELECT id FROM t WHERE b >= x'FFFF' ORDER BY b  --= 6; 7
SELECT id FROM t WHERE b BETWEEN x'00' AND x'00FF' ORDER BY b  --= 2; 3; 4
SELECT id FROM t WHERE b >= x'' ORDER BY b DESC  --= 7; 6; 10; 8; 5; 4; 3; 2; 1
SELECT id FROM t WHERE b < x'00'  --= 1
SELECT id FROM t WHERE b IS NULL  --= 9
SELECT id FROM t ORDER BY b LIMIT 2  --= 9; 1
CREATE TABLE u (b VARBINARY(10) PRIMARY KEY)
INSERT INTO u SELECT b FROM t WHERE b IS NOT NULL
SELECT HEX(b) FROM u WHERE b > x'FF' ORDER BY b DESC  --= FFFFFF; FFFF; FFFE; FF00
SELECT HEX(b) FROM u ORDER BY b  --= ; 00; 0000; 00FF; FF; FF00; FFFE; FFFF; FFFFFF
`},
		{name: "ST-054 DESC with NULL", script: `
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY i (a DESC, b))
INSERT INTO t VALUES (1,NULL,NULL),(2,NULL,1),(3,1,NULL),(4,1,1),(5,2,NULL),(6,2,5),(7,3,3)
SELECT id FROM t FORCE INDEX (i) WHERE a >= 2 ORDER BY a DESC, b  --= 7; 5; 6
SELECT id FROM t IGNORE INDEX (i) WHERE a >= 2 ORDER BY a DESC, b  --= 7; 5; 6
SELECT id FROM t FORCE INDEX (i) WHERE a < 3 ORDER BY a, b  --= 3; 4; 5; 6
SELECT id FROM t ORDER BY a DESC, b  --= 7; 5; 6; 3; 4; 1; 2
SELECT id FROM t ORDER BY a, b DESC  --= 2; 1; 4; 3; 6; 5; 7
SELECT id FROM t ORDER BY a DESC, b LIMIT 2  --= 7; 5
SELECT id FROM t ORDER BY a, b LIMIT 3  --= 1; 2; 3
SELECT id FROM t WHERE a IS NULL ORDER BY b DESC  --= 2; 1
SELECT id FROM t WHERE a = 1 AND b IS NULL  --= 3
SELECT id FROM t WHERE a <=> NULL AND b = 1  --= 2
SELECT id FROM t WHERE a IN (1,3) AND b > 0 ORDER BY id  --= 4; 7
`},
		{name: "ST-056 JSON values", script: `
CREATE TABLE t (id INT PRIMARY KEY, j JSON)
INSERT INTO t VALUES (1,'{"b":[1,{"x":null}],"a":"é𝒳"}'),(2,'12345678901234567890'),(3,'{"k":1,"k":2}'),(4,'[]'),(5,'1.5'),(6,'"q\\"uote"')
SELECT j FROM t WHERE id <> 2 ORDER BY id  --= {"a": "é𝒳", "b": [1, {"x": null}]}; {"k": 2}; []; 1.5; "q\"uote"
SELECT id FROM t WHERE j = CAST('12345678901234567890' AS JSON)  --= 2
SELECT id FROM t WHERE j->'$.b[0]' = 1  --= 1
SELECT id FROM t WHERE JSON_EXTRACT(j,'$.k') = 2  --= 3
CREATE TABLE u (id INT PRIMARY KEY, j JSON, UNIQUE KEY x ((CAST(j->'$.n' AS SIGNED))))
INSERT INTO u VALUES (1,'{"n":1}'),(2,'{"n":2}'),(3,'{}'),(4,'{}')
INSERT INTO u VALUES (5,'{"n":1,"m":3}')  --! 1062
UPDATE u SET j='{"n":2}' WHERE id=1  --! 1062
SELECT COUNT(*) FROM u  --= 4
`},
		{name: "ST-058 instant ADD keeps its default", script: `
CREATE TABLE t (id INT PRIMARY KEY, a INT)
INSERT INTO t VALUES (1,1),(2,2)
ALTER TABLE t ADD COLUMN c INT DEFAULT 5
ALTER TABLE t ALTER COLUMN c SET DEFAULT 9
INSERT INTO t (id,a) VALUES (3,3)
SELECT * FROM t ORDER BY id  --= 1,1,5; 2,2,5; 3,3,9
.kill
SELECT * FROM t ORDER BY id  --= 1,1,5; 2,2,5; 3,3,9
ALTER TABLE t ADD KEY (c)
SELECT id FROM t WHERE c=5 ORDER BY id  --= 1; 2
`},
	})
}
