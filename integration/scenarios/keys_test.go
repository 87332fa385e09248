package scenarios

import "testing"

// Keys and indexes in use: ST-061 to ST-072.
func TestKeys(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "ST-061 no primary key", script: `
CREATE TABLE t (a INT, b VARCHAR(10))
INSERT INTO t VALUES (1,'x'),(1,'x'),(1,'x'),(2,'y')
DELETE FROM t WHERE a=1 LIMIT 1  --# 1
SELECT * FROM t ORDER BY a  --= 1,x; 1,x; 2,y
UPDATE t SET b='z' WHERE a=1 LIMIT 1  --# 1
SELECT * FROM t ORDER BY a, b  --= 1,x; 1,z; 2,y
.reopen
INSERT INTO t VALUES (1,'x')
.kill
INSERT INTO t VALUES (1,'x'),(NULL,NULL)
SELECT COUNT(*) FROM t  --= 6
DELETE FROM t WHERE b='x'  --# 3
SELECT * FROM t ORDER BY a  --= NULL,NULL; 1,z; 2,y
`},
		{name: "ST-062 NULLs in unique keys", script: `
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, UNIQUE (a,b))
INSERT INTO t VALUES (1,1,NULL),(2,1,NULL),(3,NULL,1),(4,NULL,1),(5,1,2)
INSERT INTO t VALUES (6,1,2)  --! 1062
UPDATE t SET b=2 WHERE id=1  --! 1062
UPDATE t SET b=NULL WHERE id=5
UPDATE t SET b=2 WHERE id=1
INSERT INTO t VALUES (NULL,5,5)  --! 1048
SELECT id FROM t WHERE a=1 AND b IS NULL ORDER BY id  --= 2; 5
CREATE TABLE u (a INT NULL, PRIMARY KEY (a))  --! 1171
`},
		{name: "ST-063 unique sees the transaction", script: `
CREATE TABLE t (id INT PRIMARY KEY, u VARCHAR(10) UNIQUE)
INSERT INTO t VALUES (1,'x'),(2,'y')
BEGIN
DELETE FROM t WHERE u='x'
INSERT INTO t VALUES (3,'x')
INSERT INTO t VALUES (4,'x')  --! 1062
INSERT INTO t VALUES (4,'w'),(5,'w')  --! 1062
COMMIT
SELECT * FROM t ORDER BY id  --= 2,y; 3,x
UPDATE t SET u=IF(u='x','y','x')  --! 1062
UPDATE t SET id=IF(id=2,3,2)  --! 1062
SELECT * FROM t ORDER BY id  --= 2,y; 3,x
`},
		{name: "ST-064 no ghost entries", script: `
CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY (a,b), KEY ib (b))
INSERT INTO t VALUES (1,10,0),(2,20,0),(3,30,0)
UPDATE t SET a=a+100 WHERE b=10
UPDATE t SET b=b+1 WHERE b=20
UPDATE t SET a=a+100, b=b+1 WHERE b=30
SELECT a FROM t FORCE INDEX (ib) WHERE b >= 0 ORDER BY b  --= 101; 2; 103
SELECT a FROM t WHERE b IN (20,30)  --=
BEGIN
UPDATE t SET b=50 WHERE b=10
SAVEPOINT s
UPDATE t SET b=60 WHERE b=50
UPDATE t SET a=7 WHERE b=60
DELETE FROM t WHERE b=21
SELECT a, b FROM t FORCE INDEX (ib) WHERE b > 0 ORDER BY b  --= 103,31; 7,60
ROLLBACK TO s
SELECT a, b FROM t FORCE INDEX (ib) WHERE b > 0 ORDER BY b  --= 2,21; 103,31; 101,50
SELECT a FROM t WHERE b = 60  --=
UPDATE t SET b=70 WHERE b=50
COMMIT
SELECT a, b FROM t FORCE INDEX (ib) WHERE b > 0 ORDER BY b  --= 2,21; 103,31; 101,70
SELECT a FROM t WHERE b IN (10,50,60)  --=
.kill
SELECT a, b FROM t FORCE INDEX (ib) WHERE b > 0 ORDER BY b  --= 2,21; 103,31; 101,70
`},
		{name: "ST-066 range on the first part, point on the second", script: `
CREATE TABLE t (id INT PRIMARY KEY, b INT, c VARCHAR(5), KEY i (b,c))
INSERT INTO t VALUES (1,9,'x'),(2,10,'x'),(3,10,'y'),(4,11,'x'),(5,12,NULL),(6,12,'x'),(7,NULL,'x'),(8,11,'w')
SELECT id FROM t FORCE INDEX (i) WHERE b >= 10 AND c = 'x'  --= 2; 4; 6
SELECT id FROM t IGNORE INDEX (i) WHERE b >= 10 AND c = 'x' ORDER BY b, c  --= 2; 4; 6
SELECT id FROM t FORCE INDEX (i) WHERE b >= 10 AND c = 'x' ORDER BY b DESC  --= 6; 4; 2
SELECT id FROM t FORCE INDEX (i) WHERE b BETWEEN 10 AND 12 AND c IN ('x','w') ORDER BY b, c  --= 2; 8; 4; 6
SELECT id FROM t FORCE INDEX (i) WHERE b > 9 AND c IS NULL  --= 5
SELECT id FROM t FORCE INDEX (i) WHERE b < 11 AND c >= 'x' ORDER BY b, c  --= 1; 2; 3
`},
		{name: "ST-067 LIKE prefix", script: `
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10) COLLATE utf8mb4_0900_ai_ci, b VARCHAR(10) COLLATE utf8mb4_bin, KEY (a), KEY (b))
INSERT INTO t VALUES (1,'ab','ab'),(2,'abz','abz'),(3,'AB1','AB1'),(4,'ab中','ab中'),(5,'ab𝒳','ab𝒳'),(6,'ac','ac'),(7,'b','b'),(8,'a','a'),(9,'áb','áb'),(10,NULL,NULL),(11,'ab%','ab%')
SELECT id FROM t FORCE INDEX (a) WHERE a LIKE 'ab%' ORDER BY id  --= 1; 2; 3; 4; 5; 9; 11
SELECT id FROM t IGNORE INDEX (a) WHERE a LIKE 'ab%' ORDER BY id  --= 1; 2; 3; 4; 5; 9; 11
SELECT id FROM t FORCE INDEX (b) WHERE b LIKE 'ab%' ORDER BY id  --= 1; 2; 4; 5; 11
SELECT id FROM t IGNORE INDEX (b) WHERE b LIKE 'ab%' ORDER BY id  --= 1; 2; 4; 5; 11
SELECT id FROM t WHERE b LIKE 'ab_' ORDER BY id  --= 2; 4; 5; 11
`},
		{name: "ST-068 mixed-type comparison", script: `
CREATE TABLE t (id INT PRIMARY KEY, n INT, m INT, KEY (n))
INSERT INTO t VALUES (1,200,200),(2,0,0),(3,1,1),(4,2,2),(5,NULL,NULL),(6,20240310,20240310)
SELECT id FROM t WHERE n = '200'  --= 1
SELECT id FROM t WHERE m = '200'  --= 1
SELECT id FROM t WHERE n = 'x'  --= 2
SELECT id FROM t WHERE m = 'x'  --= 2
SELECT id FROM t WHERE n = 1.5  --=
SELECT id FROM t WHERE m = 1.5  --=
SELECT id FROM t WHERE n > 1.5 AND n < 3 ORDER BY id  --= 4
SELECT id FROM t WHERE m > 1.5 AND m < 3 ORDER BY id  --= 4
SELECT id FROM t WHERE n < 1.5 ORDER BY id  --= 2; 3
SELECT id FROM t WHERE n = NULL  --=
SELECT id FROM t WHERE n <=> NULL  --= 5
SELECT id FROM t WHERE n = 2.00  --= 4
SELECT id FROM t WHERE n >= '1' AND n <= '2' ORDER BY id  --= 3; 4
SELECT id FROM t WHERE n IN ('1', 2.0, 'x') ORDER BY id  --= 2; 3; 4
SELECT id FROM t WHERE m IN ('1', 2.0, 'x') ORDER BY id  --= 2; 3; 4
SELECT id FROM t WHERE n = 99999999999  --=
SELECT id FROM t WHERE n < 99999999999 AND n > 200  --= 6
SELECT id FROM t WHERE n > -99999999999 AND n < 2 ORDER BY id  --= 2; 3
`},
		{name: "ST-070 functional index", script: `
CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10) COLLATE utf8mb4_bin, KEY f ((LOWER(a))))
INSERT INTO t VALUES (1,'X'),(2,'x'),(3,'Y'),(4,NULL)
SELECT id FROM t WHERE LOWER(a)='x' ORDER BY id  --= 1; 2
UPDATE t SET a='Z' WHERE id=1
SELECT id FROM t WHERE LOWER(a)='x'  --= 2
SELECT id FROM t WHERE LOWER(a)='z'  --= 1
SELECT * FROM t ORDER BY id  --= 1,Z; 2,x; 3,Y; 4,NULL
ALTER TABLE t DROP COLUMN a  --! 3837
CREATE TABLE u (id INT PRIMARY KEY, a VARCHAR(10) COLLATE utf8mb4_bin, UNIQUE KEY f ((LOWER(a))))
INSERT INTO u VALUES (1,'X')
INSERT INTO u VALUES (2,'x')  --! 1062
INSERT INTO u VALUES (2,'y')
UPDATE u SET a='x' WHERE id=2  --! 1062
.reopen
SELECT id FROM t WHERE LOWER(a)='z'  --= 1
INSERT INTO u VALUES (3,'Y')  --! 1062
`},
		{name: "ST-071 create unique over duplicates", script: `
CREATE TABLE t (id INT PRIMARY KEY, u INT)
INSERT INTO t VALUES (1,1),(2,1),(3,NULL),(4,NULL)
CREATE UNIQUE INDEX x ON t (u)  --! 1062
.check
SELECT index_name FROM information_schema.statistics WHERE table_name='t'  --= PRIMARY
DELETE FROM t WHERE id=2
CREATE UNIQUE INDEX x ON t (u)
INSERT INTO t VALUES (5,1)  --! 1062
INSERT INTO t VALUES (6,NULL)
`},
		{name: "ST-072 index name reuse", script: `
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY i (a))
INSERT INTO t VALUES (1,10,100),(2,20,200)
DROP INDEX i ON t
CREATE INDEX i ON t (b)
SELECT id FROM t FORCE INDEX (i) WHERE b > 150  --= 2
SELECT id FROM t WHERE a = 10  --= 1
SELECT id FROM t WHERE b = 10  --=
ALTER TABLE t DROP COLUMN b
ALTER TABLE t ADD COLUMN b INT
CREATE INDEX i ON t (b)
SELECT id FROM t WHERE b = 100  --=
SELECT id FROM t WHERE b IS NULL ORDER BY id  --= 1; 2
UPDATE t SET b = 7 WHERE id=1
SELECT id FROM t WHERE b >= 0  --= 1
`},
	})
}
