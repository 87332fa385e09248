package scenarios

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tables of triggers that write down what fires.
const firing = `
CREATE TABLE log (n INT AUTO_INCREMENT PRIMARY KEY, w VARCHAR(20), o INT, nw INT)
CREATE TRIGGER bi BEFORE INSERT ON t FOR EACH ROW INSERT INTO log (w,nw) VALUES ('bi',NEW.id)
CREATE TRIGGER ai AFTER INSERT ON t FOR EACH ROW INSERT INTO log (w,nw) VALUES ('ai',NEW.id)
CREATE TRIGGER bd BEFORE DELETE ON t FOR EACH ROW INSERT INTO log (w,o) VALUES ('bd',OLD.id)
CREATE TRIGGER ad AFTER DELETE ON t FOR EACH ROW INSERT INTO log (w,o) VALUES ('ad',OLD.id)
CREATE TRIGGER bu BEFORE UPDATE ON t FOR EACH ROW INSERT INTO log (w,o,nw) VALUES ('bu',OLD.v,NEW.v)
CREATE TRIGGER au AFTER UPDATE ON t FOR EACH ROW INSERT INTO log (w,o,nw) VALUES ('au',OLD.v,NEW.v)
`

// ST-076: REPLACE counts, fires and cascades for each row that it evicts.
func TestReplace(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "ST-076 three evicted", script: `
CREATE TABLE t (id INT PRIMARY KEY, a INT UNIQUE, b INT UNIQUE, v INT)` + firing + `
INSERT INTO t VALUES (1,1,1,0),(2,2,2,0),(3,3,3,0),(4,4,4,0)
DELETE FROM log
REPLACE INTO t VALUES (1,2,3,9)  --# 4
SELECT w, IFNULL(o,nw) FROM log ORDER BY n  --= bi,1; bd,1; ad,1; bd,2; ad,2; bd,3; ad,3; ai,1
SELECT * FROM t ORDER BY id  --= 1,2,3,9; 4,4,4,0
SELECT id FROM t WHERE a=1  --=
SELECT id FROM t WHERE a=2  --= 1
SELECT id FROM t WHERE b IN (1,2)  --=
DELETE FROM log
REPLACE INTO t SELECT id+1, a, b, v FROM t  --# 4
SELECT w, IFNULL(o,nw) FROM log ORDER BY n  --= bi,2; bd,1; ad,1; ai,2; bi,5; bd,4; ad,4; ai,5
DELETE FROM log
REPLACE INTO t (id,a,b) VALUES (7,7,7),(2,4,3),(9,9,9)  --# 5
SELECT w, IFNULL(o,nw) FROM log ORDER BY n  --= bi,7; ai,7; bi,2; bd,2; ad,2; bd,5; ad,5; ai,2; bi,9; ai,9
SELECT * FROM t ORDER BY id  --= 2,4,3,NULL; 7,7,7,NULL; 9,9,9,NULL
`},
		{name: "ST-076 counts without triggers", script: `
CREATE TABLE t (id INT PRIMARY KEY, a INT UNIQUE, b INT UNIQUE, v INT)
INSERT INTO t VALUES (1,1,1,0),(2,2,2,0),(3,3,3,0),(4,4,4,0)
REPLACE INTO t VALUES (1,2,3,9)  --# 4
REPLACE INTO t VALUES (1,2,3,9)  --# 2
SELECT ROW_COUNT()  --= 2
REPLACE INTO t VALUES (8,NULL,NULL,9),(9,NULL,NULL,9)  --# 2
CREATE TABLE u (id INT PRIMARY KEY, s VARCHAR(5) COLLATE utf8mb4_0900_ai_ci)
REPLACE INTO u VALUES (1,'a')  --# 1
REPLACE INTO u VALUES (1,'a')  --# 1
REPLACE INTO u VALUES (1,'A')  --# 2
SELECT s FROM u  --= A
CREATE TABLE k (a INT)
REPLACE INTO k VALUES (1),(1)  --# 2
`},
		{name: "ST-076 cascades of each evicted row", script: `
CREATE TABLE p (id INT PRIMARY KEY, a INT UNIQUE, b INT UNIQUE)
CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE)
CREATE TABLE s (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (a) ON DELETE SET NULL)
CREATE TABLE g (id INT PRIMARY KEY, c INT, FOREIGN KEY (c) REFERENCES c (id) ON DELETE CASCADE)
INSERT INTO p VALUES (1,1,1),(2,2,2),(3,3,3),(4,4,4)
INSERT INTO c VALUES (1,1),(2,2),(3,3),(4,4)
INSERT INTO g VALUES (1,1),(2,2),(3,3),(4,4)
INSERT INTO s VALUES (1,1),(2,2),(3,3),(4,4)
REPLACE INTO p VALUES (1,2,3)  --# 4
SELECT id FROM c  --= 4
SELECT id FROM g  --= 4
SELECT id, a FROM s ORDER BY id  --= 1,NULL; 2,NULL; 3,NULL; 4,4
SELECT id FROM s WHERE a = 2  --=
CREATE TABLE r (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))
INSERT INTO r VALUES (1,4)
REPLACE INTO p VALUES (9,2,4)  --! 1451
SELECT * FROM p ORDER BY id  --= 1,2,3; 4,4,4
REPLACE INTO c VALUES (4,77)  --! 1452
SELECT * FROM c  --= 4,4
SELECT id FROM g  --= 4
`},
		{name: "ST-076 a trigger that fails undoes the statement", script: `
CREATE TABLE t (id INT PRIMARY KEY, v INT)
CREATE TABLE seen (id INT PRIMARY KEY)
CREATE TRIGGER ad AFTER DELETE ON t FOR EACH ROW INSERT INTO seen VALUES (OLD.id)
INSERT INTO t VALUES (1,0),(2,0),(3,0)
INSERT INTO seen VALUES (3)
REPLACE INTO t VALUES (1,5),(2,5),(3,5)  --! 1062
SELECT * FROM t ORDER BY id  --= 1,0; 2,0; 3,0
SELECT id FROM seen  --= 3
CREATE TRIGGER own BEFORE DELETE ON t FOR EACH ROW UPDATE t SET v=1
REPLACE INTO t VALUES (1,5)  --! 1442
`},
		{name: "ST-076 triggers belong to the table's database", script: `
CREATE DATABASE e
CREATE TABLE e.t (id INT PRIMARY KEY)
CREATE TABLE e.log (w VARCHAR(5))
USE e
CREATE TRIGGER bi BEFORE INSERT ON t FOR EACH ROW INSERT INTO log VALUES ('in')
CREATE TRIGGER bd BEFORE DELETE ON t FOR EACH ROW INSERT INTO log VALUES ('out')
USE d
CREATE TABLE t (id INT PRIMARY KEY)
CREATE TABLE log (w VARCHAR(5))
REPLACE INTO e.t VALUES (1)
REPLACE INTO e.t VALUES (1)
DELETE FROM e.t
REPLACE INTO t VALUES (1)
SELECT w FROM e.log  --~ in; in; out; out
SELECT w FROM log  --=
`},
	})
}

// ST-077: ON DUPLICATE KEY UPDATE fires the triggers of what it does, and counts 1,
// 2 or 0.
func TestOnDuplicateKeyUpdate(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "ST-077 triggers", script: `
CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, v INT NOT NULL, CHECK (v < 100))` + firing + `
INSERT INTO t VALUES (1,1,5) ON DUPLICATE KEY UPDATE v=v+1  --# 1
SELECT w, o, nw FROM log ORDER BY n  --= bi,NULL,1; ai,NULL,1
DELETE FROM log
INSERT INTO t VALUES (1,1,5) ON DUPLICATE KEY UPDATE v=v+1  --# 2
SELECT w, o, nw FROM log ORDER BY n  --= bi,NULL,1; bu,5,6; au,5,6
DELETE FROM log
INSERT INTO t VALUES (1,1,5) ON DUPLICATE KEY UPDATE v=v  --# 0
SELECT w, o, nw FROM log ORDER BY n  --= bi,NULL,1; bu,6,6; au,6,6
DELETE FROM log
INSERT INTO t VALUES (2,2,1),(3,1,7),(4,4,1) ON DUPLICATE KEY UPDATE v=VALUES(v)  --# 4
SELECT w, o, nw FROM log ORDER BY n  --= bi,NULL,2; ai,NULL,2; bi,NULL,3; bu,6,7; au,6,7; bi,NULL,4; ai,NULL,4
SELECT * FROM t ORDER BY id  --= 1,1,7; 2,2,1; 4,4,1
INSERT INTO t VALUES (1,1,5) ON DUPLICATE KEY UPDATE v=NULL  --! 1048
INSERT INTO t VALUES (1,1,5) ON DUPLICATE KEY UPDATE v=100  --! 3819
SELECT v FROM t WHERE id=1  --= 7
`},
		{name: "ST-077 a BEFORE UPDATE trigger has the last word", script: `
CREATE TABLE t (id INT PRIMARY KEY, v INT, CHECK (v < 100))
CREATE TRIGGER bu BEFORE UPDATE ON t FOR EACH ROW SET NEW.v = LEAST(NEW.v, 50)
INSERT INTO t VALUES (1,1)
INSERT INTO t VALUES (1,1) ON DUPLICATE KEY UPDATE v=500  --# 2
SELECT v FROM t  --= 50
INSERT INTO t VALUES (1,1) ON DUPLICATE KEY UPDATE v=600  --# 0
CREATE TRIGGER bi BEFORE INSERT ON t FOR EACH ROW SET NEW.v = NEW.v * 2
INSERT INTO t VALUES (1,20) ON DUPLICATE KEY UPDATE v=VALUES(v)  --# 2
SELECT v FROM t  --= 40
`},
		{name: "ST-077 LAST_INSERT_ID", script: `
CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, u INT UNIQUE, n INT DEFAULT 0)
CREATE TABLE log (n INT AUTO_INCREMENT PRIMARY KEY, id INT)
INSERT INTO log (n) VALUES (1000)
INSERT INTO t (u) VALUES (1),(2)
SELECT LAST_INSERT_ID()  --= 1
INSERT INTO t (u) VALUES (2) ON DUPLICATE KEY UPDATE n=n+1  --# 2
SELECT LAST_INSERT_ID()  --= 1
INSERT INTO t (u) VALUES (2) ON DUPLICATE KEY UPDATE n=n+1, id=LAST_INSERT_ID(id)  --# 2
SELECT LAST_INSERT_ID()  --= 2
INSERT INTO t (u) VALUES (2),(50),(51) ON DUPLICATE KEY UPDATE n=n+1  --# 4
SELECT LAST_INSERT_ID() = (SELECT id FROM t WHERE u=50)  --= 1
CREATE TRIGGER ai AFTER INSERT ON t FOR EACH ROW INSERT INTO log (id) VALUES (NEW.id)
CREATE TRIGGER bu BEFORE UPDATE ON t FOR EACH ROW INSERT INTO log (id) VALUES (LAST_INSERT_ID())
CREATE TRIGGER bd BEFORE DELETE ON t FOR EACH ROW INSERT INTO log (id) VALUES (OLD.id)
INSERT INTO t (u) VALUES (60),(61)
SELECT LAST_INSERT_ID() = (SELECT id FROM t WHERE u=60)  --= 1
UPDATE t SET n=9 WHERE u=61
DELETE FROM t WHERE u=61
DELETE t FROM t JOIN (SELECT 50 AS u) x ON x.u = t.u
SELECT LAST_INSERT_ID() = (SELECT id FROM t WHERE u=60)  --= 1
INSERT INTO t (u) VALUES (60) ON DUPLICATE KEY UPDATE n=LAST_INSERT_ID(77)
SELECT LAST_INSERT_ID()  --= 77
`},
		{name: "ST-077 a parent is asked for only if the row is inserted", script: `
CREATE TABLE p (id INT PRIMARY KEY)
CREATE TABLE c (id INT PRIMARY KEY, p INT, n INT DEFAULT 0, FOREIGN KEY (p) REFERENCES p (id))
INSERT INTO p VALUES (1)
INSERT INTO c VALUES (1,1,0)
INSERT INTO c (id,p) VALUES (1,99) ON DUPLICATE KEY UPDATE n=n+1  --# 2
INSERT INTO c (id,p) VALUES (2,99) ON DUPLICATE KEY UPDATE n=n+1  --! 1452
INSERT INTO c (id,p) VALUES (1,1) ON DUPLICATE KEY UPDATE p=99  --! 1452
INSERT IGNORE INTO c (id,p) VALUES (3,99),(4,1) ON DUPLICATE KEY UPDATE n=n+1  --# 1
SELECT * FROM c ORDER BY id  --= 1,1,1; 4,1,0
`},
		{name: "ST-077 RETURNING and IGNORE", script: `
CREATE TABLE t (id INT PRIMARY KEY, v INT)
CREATE TABLE log (id INT)
CREATE TRIGGER ai AFTER INSERT ON t FOR EACH ROW INSERT INTO log VALUES (NEW.id)
INSERT INTO t VALUES (1,1),(2,2) RETURNING id, v+1  --= 1,2; 2,3
INSERT INTO t VALUES (1,1),(3,3) ON DUPLICATE KEY UPDATE v=v+10 RETURNING id, v  --= 1,11; 3,3
REPLACE INTO t VALUES (1,5) RETURNING id, v  --= 1,5
INSERT IGNORE INTO t VALUES (1,1),(9,9)  --# 1
SELECT id FROM log  --= 1; 2; 3; 1; 9
`},
	})
}

// ST-082: statements of several tables fire, check and count like those of one.
func TestJoinedChanges(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "ST-082 triggers of multi-table UPDATE", script: `
CREATE TABLE a (id INT PRIMARY KEY, v INT)
CREATE TABLE b (id INT PRIMARY KEY, a INT, v INT)
CREATE TABLE log (n INT AUTO_INCREMENT PRIMARY KEY, w VARCHAR(20), o INT, nw INT)
CREATE TRIGGER ba BEFORE UPDATE ON a FOR EACH ROW INSERT INTO log (w,o,nw) VALUES ('ba',OLD.v,NEW.v)
CREATE TRIGGER aa AFTER UPDATE ON a FOR EACH ROW INSERT INTO log (w,o,nw) VALUES ('aa',OLD.v,NEW.v)
CREATE TRIGGER bb BEFORE UPDATE ON b FOR EACH ROW SET NEW.v = NEW.v * 2
CREATE TRIGGER ab AFTER UPDATE ON b FOR EACH ROW INSERT INTO log (w,o,nw) VALUES ('ab',OLD.v,NEW.v)
INSERT INTO a VALUES (1,0),(2,0),(3,0)
INSERT INTO b VALUES (1,1,0),(2,1,0),(3,2,0),(4,9,0)
UPDATE a JOIN b ON b.a = a.id SET a.v = a.v + 1, b.v = b.v + 2  --# 5
SELECT w, o, nw FROM log WHERE w <> 'ab' ORDER BY n  --= ba,0,1; aa,0,1; ba,0,1; aa,0,1
SELECT w, o, nw FROM log WHERE w = 'ab'  --= ab,0,4; ab,0,4; ab,0,4
DELETE FROM log
UPDATE b JOIN a ON b.a = a.id SET a.v = a.v  --# 0
SELECT w, o, nw FROM log ORDER BY n  --= ba,1,1; aa,1,1; ba,1,1; aa,1,1
UPDATE a LEFT JOIN b ON b.a = a.id SET a.v = 7, b.v = 8  --# 6
SELECT * FROM a ORDER BY id  --= 1,7; 2,7; 3,7
SELECT * FROM b ORDER BY id  --= 1,1,16; 2,1,16; 3,2,16; 4,9,0
CREATE TRIGGER own AFTER UPDATE ON a FOR EACH ROW UPDATE b SET v = 0
UPDATE a JOIN b ON b.a = a.id SET a.v = 3  --! 1442
DROP TRIGGER own
CREATE TABLE once (id INT PRIMARY KEY)
INSERT INTO once VALUES (2)
CREATE TRIGGER fails AFTER UPDATE ON a FOR EACH ROW INSERT INTO once VALUES (NEW.id)
DELETE FROM log
UPDATE a JOIN b ON b.a = a.id SET a.v = 3, b.v = 3  --! 1062
SELECT * FROM a ORDER BY id  --= 1,7; 2,7; 3,7
SELECT DISTINCT v FROM b WHERE a < 9  --= 16
SELECT id FROM once  --= 2
SELECT COUNT(*) FROM log  --= 0
`},
		{name: "ST-082 triggers of multi-table DELETE", script: `
CREATE TABLE a (id INT PRIMARY KEY, v INT)
CREATE TABLE b (id INT PRIMARY KEY, a INT)
CREATE TABLE log (n INT AUTO_INCREMENT PRIMARY KEY, w VARCHAR(20), o INT)
CREATE TRIGGER ba BEFORE DELETE ON a FOR EACH ROW INSERT INTO log (w,o) VALUES ('ba',OLD.id)
CREATE TRIGGER aa AFTER DELETE ON a FOR EACH ROW INSERT INTO log (w,o) VALUES ('aa',OLD.id)
CREATE TRIGGER ab AFTER DELETE ON b FOR EACH ROW INSERT INTO log (w,o) VALUES ('ab',OLD.id)
INSERT INTO a VALUES (1,0),(2,0),(3,0),(4,0)
INSERT INTO b VALUES (1,1),(2,1),(3,2),(4,9)
DELETE a, b FROM a JOIN b ON b.a = a.id WHERE a.id = 1  --# 3
SELECT w, o FROM log WHERE w <> 'ab' ORDER BY n  --= ba,1; aa,1
SELECT w, o FROM log WHERE w = 'ab' ORDER BY o  --= ab,1; ab,2
DELETE FROM x, y USING a AS x LEFT JOIN b AS y ON y.a = x.id WHERE x.id < 4  --# 3
SELECT id FROM a  --= 4
SELECT id FROM b  --= 4
DELETE a FROM a WHERE id = 4  --# 1
SELECT w, o FROM log ORDER BY n DESC LIMIT 2  --= aa,4; ba,4
SELECT ROW_COUNT()  --= -1
`},
		{name: "ST-082 CHECK on the right columns", script: `
CREATE TABLE a (id INT PRIMARY KEY, v INT, x INT, CONSTRAINT small CHECK (v < 10 AND x IS NULL))
CREATE TABLE b (x INT, v INT, id INT PRIMARY KEY, a INT, CONSTRAINT big CHECK (v >= -5))
INSERT INTO a VALUES (1,0,NULL),(2,0,NULL)
INSERT INTO b VALUES (5,100,1,1),(6,100,2,2)
UPDATE b JOIN a ON b.a = a.id SET a.v = 10  --! 3819
UPDATE a JOIN b ON b.a = a.id SET a.v = 10  --! 3819
UPDATE a p JOIN b q ON q.a = p.id SET p.v = 11  --! 3819
UPDATE a p JOIN b q ON q.a = p.id SET q.v = -6  --! 3819
UPDATE b q JOIN a p ON q.a = p.id SET q.v = -5, p.v = 9  --# 4
UPDATE a p JOIN a q ON q.id = p.id SET p.v = 1, q.v = 20  --! 3819
UPDATE a SET v = 12 WHERE id IN (SELECT a FROM b WHERE v = -5)  --! 3819
UPDATE a SET v = 2 WHERE id IN (SELECT a FROM b WHERE v = -5)  --# 2
SELECT * FROM a ORDER BY id  --= 1,2,NULL; 2,2,NULL
UPDATE IGNORE a JOIN b ON b.a = a.id SET a.v = a.id * 8  --# 1
SELECT id, v FROM a ORDER BY id  --= 1,8; 2,2
SELECT v FROM b  --= -5; -5
`},
		{name: "ST-082 columns that follow others", script: `
CREATE TABLE a (id INT PRIMARY KEY, v INT, s INT GENERATED ALWAYS AS (v + 1) STORED, w INT GENERATED ALWAYS AS (v + 2) VIRTUAL, at DATETIME DEFAULT '2000-01-01' ON UPDATE CURRENT_TIMESTAMP, KEY (w))
CREATE TABLE b (id INT PRIMARY KEY, v INT, s INT GENERATED ALWAYS AS (v + 10) STORED, at DATETIME DEFAULT '2000-01-01' ON UPDATE CURRENT_TIMESTAMP)
INSERT INTO a (id,v) VALUES (1,1),(2,2)
INSERT INTO b (id,v) VALUES (1,100),(2,200)
UPDATE b JOIN a ON a.id = b.id SET a.v = 5 WHERE a.id = 1  --# 1
SELECT id, v, s, w, at > '2001-01-01' FROM a ORDER BY id  --= 1,5,6,7,1; 2,2,3,4,0
SELECT id, v, s, at > '2001-01-01' FROM b ORDER BY id  --= 1,100,110,0; 2,200,210,0
UPDATE a JOIN b ON a.id = b.id SET b.v = a.v, a.v = a.v WHERE a.id = 2  --# 1
SELECT id, v, s, w, at > '2001-01-01' FROM a ORDER BY id  --= 1,5,6,7,1; 2,2,3,4,0
SELECT id, v, s, at > '2001-01-01' FROM b ORDER BY id  --= 1,100,110,0; 2,2,12,1
SELECT id FROM a WHERE w = 7  --= 1
`},
		{name: "ST-082 foreign keys and cascades", script: `
CREATE TABLE p (id INT PRIMARY KEY, v INT)
CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE)
CREATE TABLE r (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))
CREATE TABLE w (p INT PRIMARY KEY)
INSERT INTO p VALUES (1,0),(2,0),(3,0)
INSERT INTO c VALUES (1,1),(2,1),(3,2)
INSERT INTO r VALUES (1,3)
INSERT INTO w VALUES (1),(2),(3)
DELETE p FROM p JOIN w ON w.p = p.id  --! 1451
SELECT COUNT(*) FROM c  --= 3
DELETE p FROM p JOIN c ON c.p = p.id WHERE p.id = 1  --# 1
SELECT id FROM c  --= 3
UPDATE p JOIN w ON w.p = p.id SET p.id = p.id + 10 WHERE p.id = 2  --# 1
SELECT * FROM c  --= 3,12
UPDATE p JOIN w ON w.p = p.id SET p.id = p.id + 10  --! 1451
UPDATE c JOIN p ON c.p = p.id SET c.p = 99  --! 1452
UPDATE r JOIN p ON p.id = r.p SET r.p = NULL, p.v = 5  --# 2
DELETE p FROM p LEFT JOIN r ON r.p = p.id WHERE r.id IS NULL  --# 2
SELECT COUNT(*) FROM c  --= 0
`},
	})
}

// ST-081: composite keys, three levels, self-references, NULLs, and what
// foreign_key_checks = 0 skips.
func TestForeignKeyActions(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "ST-081 foreign_key_checks=0", script: `
CREATE TABLE p (id INT PRIMARY KEY, v INT)
CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE)
INSERT INTO p VALUES (1,0),(2,0)
INSERT INTO c VALUES (1,1),(2,2)
SET foreign_key_checks=0
INSERT INTO c VALUES (3,99)
UPDATE c SET p=98 WHERE id=2
DELETE FROM p WHERE id=1
UPDATE p SET id=5 WHERE id=2
SELECT * FROM c ORDER BY id  --= 1,1; 2,98; 3,99
SELECT id FROM p  --= 5
TRUNCATE p
DROP TABLE p
CREATE TABLE late (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))
INSERT INTO late VALUES (1,1)
CREATE TABLE p (id INT PRIMARY KEY, v INT)
SET foreign_key_checks=1
SELECT * FROM c ORDER BY id  --= 1,1; 2,98; 3,99
INSERT INTO c VALUES (4,99)  --! 1452
INSERT INTO late VALUES (2,2)  --! 1452
UPDATE c SET p=97 WHERE id=3  --! 1452
UPDATE c SET id=33 WHERE id=3
INSERT INTO p VALUES (99,0)
INSERT INTO c VALUES (4,99)
DELETE FROM p WHERE id=99
SELECT id FROM c ORDER BY id  --= 1; 2
SELECT id FROM c WHERE p=99  --=
@B INSERT INTO c VALUES (5,50)  --! 1452
REPLACE INTO c VALUES (1,1)  --! 1452
SET foreign_key_checks=0
REPLACE INTO c VALUES (1,1)
INSERT INTO c VALUES (2,7) ON DUPLICATE KEY UPDATE p=6
UPDATE c JOIN late ON c.id = late.id SET c.p = 44
DELETE c, late FROM c JOIN late ON c.id = late.id  --# 2
SELECT * FROM c  --= 2,6
DELETE FROM c
`},
		{name: "ST-081 composite, three levels, NULLs", script: `
CREATE TABLE a (x INT, y INT, v INT, PRIMARY KEY (x,y))
CREATE TABLE b (id INT PRIMARY KEY, x INT, y INT, FOREIGN KEY (x,y) REFERENCES a (x,y) ON DELETE SET NULL ON UPDATE CASCADE, UNIQUE KEY (y,x))
CREATE TABLE c (id INT PRIMARY KEY, y INT, x INT, FOREIGN KEY (y,x) REFERENCES b (y,x) ON DELETE CASCADE ON UPDATE CASCADE)
CREATE TABLE e (id INT PRIMARY KEY, c INT, FOREIGN KEY (c) REFERENCES c (id) ON DELETE CASCADE)
INSERT INTO a VALUES (1,1,0),(1,2,0),(2,1,0)
INSERT INTO b VALUES (1,1,1),(2,1,2),(3,NULL,9),(4,9,NULL),(5,NULL,NULL)
INSERT INTO b VALUES (6,2,2)  --! 1452
INSERT INTO c VALUES (1,1,1),(2,2,1),(3,NULL,5),(4,7,NULL)
INSERT INTO c VALUES (5,1,2)  --! 1452
INSERT INTO e VALUES (1,1),(2,2),(3,NULL)
UPDATE a SET y=5 WHERE x=1 AND y=1  --# 1
SELECT * FROM b ORDER BY id  --= 1,1,5; 2,1,2; 3,NULL,9; 4,9,NULL; 5,NULL,NULL
SELECT * FROM c ORDER BY id  --= 1,5,1; 2,2,1; 3,NULL,5; 4,7,NULL
SELECT id FROM c WHERE y=5 AND x=1  --= 1
UPDATE a SET v=1
DELETE FROM c WHERE id=1
SELECT id FROM e ORDER BY id  --= 2; 3
DELETE FROM a WHERE y=5
SELECT * FROM b ORDER BY id  --= 1,NULL,NULL; 2,1,2; 3,NULL,9; 4,9,NULL; 5,NULL,NULL
DELETE FROM b WHERE id=2
SELECT id FROM c ORDER BY id  --= 3; 4
SELECT id FROM e  --= 3
SELECT id FROM b WHERE x=1  --=
`},
		{name: "ST-081 self-reference", script: `
CREATE TABLE t (id INT PRIMARY KEY, up INT, v INT, FOREIGN KEY (up) REFERENCES t (id) ON DELETE SET NULL ON UPDATE RESTRICT)
INSERT INTO t VALUES (1,NULL,0),(2,1,0),(3,2,0),(4,4,0)
INSERT INTO t VALUES (5,6,0),(6,NULL,0)  --! 1452
INSERT INTO t VALUES (6,NULL,0),(5,6,0)
UPDATE t SET id=9 WHERE id=2  --! 1451
UPDATE t SET id=9 WHERE id=3
DELETE FROM t WHERE id=1
SELECT id, up FROM t ORDER BY id  --= 2,NULL; 4,4; 5,6; 6,NULL; 9,2
DELETE FROM t WHERE id=4
DELETE FROM t WHERE up IS NULL
SELECT id, up FROM t ORDER BY id  --= 5,NULL; 9,NULL
CREATE TABLE r (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES r (id))
INSERT INTO r VALUES (1,1),(2,1)
DELETE FROM r WHERE id=1  --! 1451
DELETE FROM r WHERE id=2
DELETE FROM r WHERE id=1  --! 1451
UPDATE r SET up=NULL
DELETE FROM r
`},
	})
}

// ST-085: statements in triggers fire the triggers of their own tables, and see
// what the statement has done so far.
func TestTriggersInTriggers(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "ST-085 statements in IF and CASE", script: `
CREATE TABLE t (id INT PRIMARY KEY)
CREATE TABLE x (id INT)
CREATE TABLE y (id INT PRIMARY KEY, n INT DEFAULT 0)
CREATE TABLE log (w VARCHAR(10), id INT)
CREATE TRIGGER xi AFTER INSERT ON x FOR EACH ROW INSERT INTO log VALUES ('x', NEW.id)
CREATE TRIGGER yu AFTER UPDATE ON y FOR EACH ROW INSERT INTO log VALUES ('y', NEW.n)
CREATE TRIGGER yd AFTER DELETE ON y FOR EACH ROW INSERT INTO log VALUES ('yd', OLD.id)
CREATE TRIGGER ti AFTER INSERT ON t FOR EACH ROW BEGIN
  IF NEW.id > 10 THEN INSERT INTO x VALUES (NEW.id); INSERT INTO y (id) VALUES (1) ON DUPLICATE KEY UPDATE n = n + 1;
  ELSE REPLACE INTO y (id) VALUES (NEW.id); DELETE a FROM y a JOIN y b ON a.id = b.id WHERE a.id = 5; END IF; END
INSERT INTO t VALUES (11),(12),(1),(5)
SELECT * FROM log  --~ x,11; x,12; y,1; yd,1; yd,5
SELECT * FROM y  --= 1,0
`},
		{name: "ST-085 a trigger reads its own table", script: `
CREATE TABLE t (id INT PRIMARY KEY, c INT)
CREATE TABLE log (id INT, c INT)
CREATE TRIGGER bi BEFORE INSERT ON t FOR EACH ROW SET NEW.c = (SELECT COUNT(*) FROM t)
CREATE TRIGGER au AFTER UPDATE ON t FOR EACH ROW BEGIN DECLARE s INT; SELECT SUM(c) INTO s FROM t; INSERT INTO log VALUES (NEW.id, s); END
CREATE TRIGGER ad AFTER DELETE ON t FOR EACH ROW BEGIN DECLARE s INT; SELECT COUNT(*) INTO s FROM t WHERE id > 0; INSERT INTO log VALUES (OLD.id, s); END
INSERT INTO t (id) VALUES (1),(2),(3)
SELECT * FROM t ORDER BY id  --= 1,0; 2,1; 3,2
UPDATE t SET c = c + 10 ORDER BY id
SELECT * FROM log ORDER BY id  --= 1,13; 2,23; 3,33
DELETE FROM log
REPLACE INTO t (id) VALUES (1),(4)
SELECT c FROM t ORDER BY id  --= 3; 11; 12; 3
SELECT * FROM log  --= 1,2
DELETE FROM log
DELETE t FROM t JOIN (SELECT 1 AS x) j ON t.id > x
SELECT * FROM log ORDER BY c DESC  --= 2,3; 3,2; 4,1
`},
	})
}

// ST-079: generated columns follow what is stored, whatever a statement said and
// BEFORE triggers made of it; so do their index entries.
func TestGeneratedFollowStored(t *testing.T) {
	const table = `
CREATE TABLE t (id INT PRIMARY KEY, a INT, c VARCHAR(3), s INT GENERATED ALWAYS AS (a+1) STORED, v INT GENERATED ALWAYS AS (a*2) VIRTUAL, d VARCHAR(10) GENERATED ALWAYS AS (CONCAT(c,'x')) STORED, KEY (v), KEY (s))`
	runScenarios(t, []scenario{
		{name: "ST-079 triggers", script: table + `
CREATE TRIGGER bi BEFORE INSERT ON t FOR EACH ROW SET NEW.a = NEW.a + 100
CREATE TRIGGER bu BEFORE UPDATE ON t FOR EACH ROW SET NEW.a = NEW.a + 1000
CREATE TABLE log (s INT, v INT)
CREATE TRIGGER ai AFTER INSERT ON t FOR EACH ROW INSERT INTO log VALUES (NEW.s, NEW.v)
INSERT INTO t (id,a) VALUES (1,1),(2,2)
SELECT id, a, s, v FROM t ORDER BY id  --= 1,101,102,202; 2,102,103,204
SELECT * FROM log  --~ 102,202; 103,204
SELECT id FROM t WHERE v = 202  --= 1
SELECT id FROM t WHERE s = 103  --= 2
UPDATE t SET a = 5 WHERE id = 1
SELECT id FROM t WHERE v = 2010 AND s = 1006  --= 1
UPDATE t x JOIN t y ON x.id = y.id SET x.a = 6 WHERE x.id = 2
SELECT id FROM t WHERE v = 2012 AND s = 1007  --= 2
INSERT INTO t (id,a) VALUES (2,3) ON DUPLICATE KEY UPDATE a = 9
SELECT id FROM t WHERE v = 2018 AND s = 1010  --= 2
REPLACE INTO t (id,a) VALUES (2,3)
SELECT id FROM t WHERE v = 206 AND s = 104  --= 2
SELECT id FROM t WHERE v IN (202,204,2012,2018)  --=
`},
		{name: "ST-079 conversions", script: table + `
INSERT INTO t (id,a) VALUES (1,0.5),(2,'7')
INSERT INTO t (id,a) SELECT 3, 2.5
SELECT id, a, s, v FROM t ORDER BY id  --= 1,1,2,2; 2,7,8,14; 3,3,4,6
SELECT id FROM t WHERE v = 2  --= 1
INSERT IGNORE INTO t (id,c) VALUES (4,'abcdef')
SET sql_mode=''
INSERT INTO t (id,c) VALUES (5,'abcdef')
REPLACE INTO t (id,a,c) VALUES (3,4.5,'bcdefg')
SELECT id, v, d FROM t ORDER BY id  --= 1,2,NULL; 2,14,NULL; 3,10,bcdx; 4,NULL,abcx; 5,NULL,abcx
SELECT id FROM t WHERE v = 10  --= 3
`},
	})
}

// ST-139: CREATE TABLE … SELECT leaves a table with its rows, or nothing.
func TestCreateSelect(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "ST-139 all or nothing", script: `
CREATE TABLE s (id INT PRIMARY KEY, v INT, w VARCHAR(5) NOT NULL DEFAULT 'q')
INSERT INTO s VALUES (1,1,'a'),(2,0,'b'),(3,1,'c')
CREATE TABLE t (PRIMARY KEY (v)) AS SELECT * FROM s  --! 1062
CREATE TABLE t SELECT id, (SELECT v FROM s) FROM s  --! 1242
CREATE TABLE t (v TINYINT, CHECK (v < 1)) SELECT v FROM s  --! 3819
CREATE TABLE t (k INT NOT NULL) SELECT v FROM s  --! 1364
CREATE TEMPORARY TABLE t (v INT PRIMARY KEY) SELECT v FROM s  --! 1062
SELECT * FROM t  --! 1146
SHOW TABLES  --= s
.reopen
USE d
SHOW TABLES  --= s
CREATE TABLE s SELECT 1 AS x  --! 1050
CREATE TABLE IF NOT EXISTS s SELECT 1 AS x  --# 0
SHOW WARNINGS  --= Note,1050,Table 's' already exists
SELECT COUNT(*) FROM s  --= 3
BEGIN
INSERT INTO s VALUES (9,9,'z')
CREATE TABLE t SELECT v FROM s WHERE id > 2  --# 2
ROLLBACK
SELECT v FROM t ORDER BY v  --= 1; 9
.kill
USE d
SELECT COUNT(*) FROM s  --= 4
`},
		{name: "ST-139 columns, keys and defaults", script: `
CREATE TABLE s (id INT PRIMARY KEY, v INT, w VARCHAR(5) NOT NULL DEFAULT 'q')
INSERT INTO s VALUES (1,10,'a'),(2,20,'b')
CREATE TABLE a (z INT DEFAULT 5, v BIGINT, g INT GENERATED ALWAYS AS (z + v) STORED) SELECT id, v FROM s  --# 2
SELECT z, g, v, id FROM a ORDER BY id  --= 5,15,10,1; 5,25,20,2
CREATE TABLE b (n INT AUTO_INCREMENT PRIMARY KEY, KEY (v)) SELECT v FROM s ORDER BY id
SELECT * FROM b ORDER BY n  --= 1,10; 2,20
SELECT n FROM b WHERE v = 20  --= 2
CREATE TABLE c (PRIMARY KEY (id), UNIQUE KEY (w)) SELECT * FROM s
INSERT INTO c (id) VALUES (3)
SELECT w FROM c WHERE id = 3  --= q
INSERT INTO c (id) VALUES (3)  --! 1062
INSERT INTO c (id, w) VALUES (4, 'a')  --! 1062
CREATE TEMPORARY TABLE e SELECT v FROM s
SELECT * FROM e  --~ 10; 20
SET sql_mode = ''
CREATE TABLE f (w VARCHAR(1), v TINYINT) SELECT v * 50 AS v, CONCAT(w, 'xx') AS w FROM s
SELECT * FROM f  --~ a,127; b,127
`},
	})
}

// ST-070: functional indexes beside each other, with names and without.
func TestSeveralFunctionalIndexes(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "ST-070 several functional indexes", script: `
CREATE TABLE t (id INT PRIMARY KEY, v INT)
INSERT INTO t VALUES (1,1),(2,0),(3,1)
ALTER TABLE t ADD INDEX ((v+1))
ALTER TABLE t ADD INDEX ((v+2))
CREATE INDEX j ON t ((v+3))
CREATE UNIQUE INDEX k ON t ((v+4))  --! 1062
CREATE UNIQUE INDEX k ON t ((id+4))
CREATE INDEX K ON t ((id+5))  --! 1061
ALTER TABLE t ADD INDEX m ((id+6)), ADD UNIQUE INDEX n ((id*2), v)
SELECT id FROM t WHERE v+2=2  --= 2
SELECT id FROM t WHERE id+4=6  --= 2
SELECT id FROM t WHERE id*2=6 AND v=1  --= 3
INSERT INTO t VALUES (4,7)
SELECT id FROM t WHERE v+3=10  --= 4
UPDATE t SET v = 8 WHERE id = 4
SELECT id FROM t WHERE v+3=10  --=
SELECT id FROM t WHERE v+1=9  --= 4
DROP INDEX functional_index ON t
ALTER TABLE t ADD INDEX ((v+9))
SELECT DISTINCT index_name FROM information_schema.statistics WHERE table_schema='d' AND table_name='t' ORDER BY index_name  --= functional_index; functional_index_2; j; k; m; n; PRIMARY
SELECT id FROM t WHERE v+9=17  --= 4
CREATE TABLE u (id INT PRIMARY KEY, a INT, KEY ((a+1)), KEY ((a+2)))
`},
	})
}

// ST-139: a CREATE TABLE … SELECT that is killed leaves no table.
func TestCancelledCreateSelect(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v INT, k INT)")
	w.fill("t", 3000)
	for _, create := range []string{"CREATE TABLE c", "CREATE TEMPORARY TABLE c"} {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := w.session("").tryContext(ctx, create+" (KEY (v)) SELECT * FROM t")
		require.Error(t, err, create)
		w.session("").fails(1146, "SELECT * FROM c")
		w.check()
	}
	require.Equal(t, []string{"t"}, w.rows("SHOW TABLES"))
	w.finish()
}

// ST-085: NEW and OLD in the updates of a trigger's INSERT … ON DUPLICATE KEY UPDATE.
func TestTriggerRowsInUpdates(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "ST-085 NEW and OLD in ON DUPLICATE KEY UPDATE", script: `
CREATE TABLE t (id INT PRIMARY KEY, c INT)
CREATE TABLE s (x INT PRIMARY KEY, c BIGINT)
CREATE TRIGGER ai AFTER INSERT ON t FOR EACH ROW INSERT INTO s VALUES (NEW.id % 2, 1) ON DUPLICATE KEY UPDATE c = s.c * 1000 + NEW.c + VALUES(c)
CREATE TRIGGER au AFTER UPDATE ON t FOR EACH ROW BEGIN INSERT INTO s SELECT NEW.id % 2, 5 ON DUPLICATE KEY UPDATE c = s.c + (NEW.c - OLD.c) * 1000000; END
CREATE TRIGGER ad AFTER DELETE ON t FOR EACH ROW BEGIN IF OLD.id > 0 THEN INSERT INTO s VALUES (0,0) ON DUPLICATE KEY UPDATE c = s.c - OLD.c; END IF; END
INSERT INTO t VALUES (1,10),(2,20),(3,30)
SELECT * FROM s ORDER BY x  --= 0,1; 1,1031
UPDATE t SET c = c + 7 WHERE id = 3
SELECT * FROM s ORDER BY x  --= 0,1; 1,7001031
DELETE FROM t WHERE id = 2
REPLACE INTO t VALUES (1,4)
SELECT * FROM s ORDER BY x  --= 0,-29; 1,7001031005
INSERT INTO s VALUES (1,1) AS new ON DUPLICATE KEY UPDATE c = new.c
SELECT c FROM s WHERE x = 1  --= 1
CREATE TRIGGER bi BEFORE INSERT ON t FOR EACH ROW INSERT INTO s VALUES (7,NEW.c) AS new ON DUPLICATE KEY UPDATE c = s.c + new.c
INSERT INTO t VALUES (50,1),(52,2)
SELECT c FROM s WHERE x = 7  --= 3
CREATE TABLE z (id INT)
CREATE TRIGGER wrong AFTER INSERT ON z FOR EACH ROW INSERT INTO s VALUES (1,1) ON DUPLICATE KEY UPDATE c = NEW.nothing
INSERT INTO z VALUES (9)  --! 1054
`},
	})
}
