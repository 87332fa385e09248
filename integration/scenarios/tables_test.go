package scenarios

import "testing"

// Tables, names and the catalog: ST-001 to ST-021.
func TestTables(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "ST-001 untouched table", script: `
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20))
.reopen
SHOW TABLES  --= t
SELECT * FROM t  --=
INSERT INTO t VALUES (1,'a')
SELECT * FROM t  --= 1,a
`},
		{name: "ST-002 first statement is a view", script: `
CREATE VIEW v AS SELECT 1 AS x
.reopen
SELECT x FROM v  --= 1
`},
		{name: "ST-005 cyclic foreign keys", script: `
CREATE TABLE a (id INT PRIMARY KEY, b INT)
CREATE TABLE b (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES a (id))
ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES b (id)
INSERT INTO a VALUES (1,NULL)
INSERT INTO b VALUES (1,1)
UPDATE a SET b=1
.reopen
INSERT INTO a VALUES (2,9)  --! 1452
INSERT INTO b VALUES (2,9)  --! 1452
DELETE FROM a WHERE id=1  --! 1451
DELETE FROM b WHERE id=1  --! 1451
UPDATE a SET b=NULL
DELETE FROM b WHERE id=1
DELETE FROM a
`},
		{name: "ST-007 table comment", script: `
CREATE TABLE t (id INT COMMENT 'i', PRIMARY KEY (id)) COMMENT='c'
SELECT table_comment FROM information_schema.tables WHERE table_name='t'  --= c
ALTER TABLE t COMMENT='d'
SELECT table_comment FROM information_schema.tables WHERE table_name='t'  --= d
.reopen
SELECT table_comment FROM information_schema.tables WHERE table_name='t'  --= d
SELECT column_comment FROM information_schema.columns WHERE table_name='t'  --= i
ALTER TABLE t MODIFY id INT COMMENT 'j'
CREATE INDEX x ON t (id) COMMENT 'k'
ALTER TABLE t COMMENT=''
.kill
SELECT table_comment FROM information_schema.tables WHERE table_name='t'  --=
SELECT column_comment FROM information_schema.columns WHERE table_name='t'  --= j
SELECT index_comment FROM information_schema.statistics WHERE table_name='t' AND index_name='x'  --= k
`},
		{name: "ST-009 dotted and quoted names", script: "\n" +
			"CREATE DATABASE `a`\n" +
			"CREATE DATABASE `a.b`\n" +
			"CREATE TABLE `a`.`b.c` (`x.y` INT PRIMARY KEY, `q``q` INT, `a b` INT, KEY `i.j` (`q``q`), KEY `k l` (`a b`))\n" +
			"CREATE TABLE `a.b`.`c` (`x.y` INT PRIMARY KEY, `q``q` INT, KEY `i.j` (`q``q`))\n" +
			"INSERT INTO `a`.`b.c` VALUES (1,10,100)\n" +
			"INSERT INTO `a.b`.`c` VALUES (2,20)\n" +
			"SELECT `x.y`, `q``q`, `a b` FROM `a`.`b.c` WHERE `q``q` = 10  --= 1,10,100\n" +
			"SELECT `x.y` FROM `a.b`.`c` WHERE `q``q` = 20  --= 2\n" +
			"UPDATE `a`.`b.c` SET `a b` = 101 WHERE `a b` = 100\n" +
			".reopen\n" +
			"SELECT `a b` FROM `a`.`b.c` FORCE INDEX (`k l`) WHERE `a b` > 1  --= 101\n" +
			"DROP TABLE `a`.`b.c`\n" +
			"SELECT * FROM `a.b`.`c`  --= 2,20\n" +
			"DROP DATABASE `a`\n" +
			"SELECT * FROM `a.b`.`c`  --= 2,20\n"},
		{name: "ST-010 look-alike names", script: `
CREATE TABLE t (x INT, y INT, KEY x (x), KEY x_y (x,y), KEY y (y))
CREATE TABLE t_x (x INT, y INT, KEY x (x), KEY x_y (x,y), KEY y (y))
CREATE TABLE t_x_y (x INT, y INT, KEY x (x), KEY x_y (x,y), KEY y (y))
INSERT INTO t VALUES (1,1)
INSERT INTO t_x VALUES (2,2)
INSERT INTO t_x_y VALUES (3,3)
RENAME TABLE t TO t_y
DROP TABLE t_x
ALTER TABLE t_x_y DROP INDEX x_y
SELECT x FROM t_y FORCE INDEX (x_y) WHERE x=1 AND y=1  --= 1
SELECT x FROM t_x_y FORCE INDEX (x) WHERE x=3  --= 3
RENAME TABLE t_x_y TO t_x
CREATE TABLE t_x_y (x INT, y INT, KEY x (x))
SELECT COUNT(*) FROM t_x_y WHERE x>0  --= 0
ALTER TABLE t_x RENAME INDEX x TO x_y
SELECT x FROM t_x FORCE INDEX (x_y) WHERE x>0  --= 3
.reopen
SELECT x FROM t_x FORCE INDEX (x_y) WHERE x>0  --= 3
SELECT x FROM t_y FORCE INDEX (y) WHERE y=1  --= 1
`},
		{name: "ST-011 letter case of names", script: `
CREATE TABLE Foo (id INT PRIMARY KEY)
INSERT INTO fOO VALUES (1)
SHOW TABLES  --= Foo
CREATE TABLE FOO (id INT)  --! 1050
CREATE VIEW foo AS SELECT 1  --! 1050
SELECT COUNT(*) FROM foo  --= 1
DROP TABLE FOO
SHOW TABLES  --=
`},
		{name: "ST-015 declared default collation is recorded", script: `
CREATE DATABASE e COLLATE utf8mb4_0900_bin
CREATE TABLE e.t (a VARCHAR(5) COLLATE utf8mb4_0900_bin, b VARCHAR(5))
ALTER TABLE e.t COLLATE utf8mb4_0900_ai_ci
ALTER DATABASE e COLLATE utf8mb4_0900_ai_ci
.reopen
ALTER TABLE e.t ADD COLUMN c VARCHAR(5)
SELECT column_name, collation_name FROM information_schema.columns WHERE table_schema='e' ORDER BY column_name  --= a,utf8mb4_0900_bin; b,utf8mb4_0900_bin; c,utf8mb4_0900_ai_ci
`},
		{name: "ST-016 database attributes", script: `
CREATE DATABASE e COLLATE utf8mb4_bin
CREATE TABLE e.t (a VARCHAR(5))
ALTER DATABASE e COLLATE utf8mb4_0900_ai_ci
.reopen
SELECT default_collation_name FROM information_schema.schemata WHERE schema_name='e'  --= utf8mb4_0900_ai_ci
CREATE TABLE e.u (a VARCHAR(5))
SELECT table_name, collation_name FROM information_schema.columns WHERE table_schema='e' ORDER BY 1  --= t,utf8mb4_bin; u,utf8mb4_0900_ai_ci
INSERT INTO e.u VALUES ('a')
SELECT COUNT(*) FROM e.u WHERE a='A'  --= 1
INSERT INTO e.t VALUES ('a')
SELECT COUNT(*) FROM e.t WHERE a='A'  --= 0
`},
		{name: "ST-020 view bodies bind at use", script: `
CREATE TABLE t (id INT PRIMARY KEY)
CREATE VIEW z AS SELECT id FROM t
CREATE VIEW a AS SELECT id FROM z
DROP TABLE t
.reopen
SELECT * FROM a  --! 1356
SELECT * FROM z  --! 1356
CREATE TABLE t (id INT PRIMARY KEY)
INSERT INTO t VALUES (7)
SELECT * FROM a  --= 7
`},
		{name: "ST-021 bad identifiers", script: `
CREATE TABLE t (id INT PRIMARY KEY)
CREATE TABLE aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggg (id INT)  --! 1059
CREATE TABLE u (aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggg INT)  --! 1059
CREATE DATABASE aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggg  --! 1059
RENAME TABLE t TO aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggg  --! 1059
ALTER TABLE t ADD COLUMN aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggg INT  --! 1059
CREATE INDEX aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggg ON t (id)  --! 1059
SHOW TABLES  --= t
SHOW DATABASES LIKE 'aaa%'  --=
`},
	})
}
