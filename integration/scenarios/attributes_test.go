package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a column's declaration says of its values holds when they are stored and shown,
// and survives: UNSIGNED of decimals and floats, FLOAT(M,D), TIME(n), ZEROFILL.
func TestColumnAttributes(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "rounded and refused", script: `
CREATE TABLE t (id INT PRIMARY KEY, a DECIMAL(6,2) UNSIGNED, b FLOAT(7,2), c DOUBLE(8,3) UNSIGNED, d TIME(3), e TIME, f INT(5) ZEROFILL DEFAULT 7, i FLOAT UNSIGNED, k TIME(6), l DATETIME(2))
INSERT INTO t VALUES (1, 1.5, 1.236, 2.0006, '10:00:00.1235', '10:00:00.5', 12, 1.5, '-01:02:03.0000015', '2020-01-01 00:00:00.995')
SELECT id, a, b, c, d, e = '10:00:01', f, i, k, l FROM t  --= 1,1.50,1.24,2.001,10:00:00.124,1,00012,1.5,-01:02:03.000002,2020-01-01 00:00:01.00
INSERT INTO t (id, a) VALUES (2, -1)  --! 1264
INSERT INTO t (id, c) VALUES (2, -1)  --! 1264
INSERT INTO t (id, i) VALUES (2, -1)  --! 1264
INSERT INTO t (id, b) VALUES (2, 100000)  --! 1264
INSERT INTO t (id, b) SELECT 2, 100000  --! 1264
INSERT INTO t (id, f) VALUES (2, -1)  --! 1264
UPDATE t SET a = -a  --! 1264
UPDATE t x JOIN t y USING (id) SET x.b = -100000  --! 1264
INSERT INTO t (id) VALUES (1) ON DUPLICATE KEY UPDATE c = -1  --! 1264
REPLACE INTO t (id, a) VALUES (1, -0.01)  --! 1264
UPDATE t SET e = '00:00:59.5', d = '00:00:59.9995', b = b + 0.004
SELECT e = '00:01:00', d, b FROM t  --= 1,00:01:00.000,1.24
INSERT IGNORE INTO t (id, a, b) VALUES (3, -1, -100000)
SELECT id, a, b, f FROM t WHERE id = 3  --= 3,0.00,-99999.99,00007
SET sql_mode = ''
INSERT INTO t (id, a, b, c) VALUES (4, -1, 1e9, -1)
SELECT id, a, b, c FROM t WHERE id = 4  --= 4,0.00,99999.99,0.000
SET sql_mode = DEFAULT
.reopen
INSERT INTO t (id, a) VALUES (2, -1)  --! 1264
SELECT f, f + 1, x.d FROM t x WHERE id = 1  --= 00012,13,00:01:00.000
SELECT q.z FROM (SELECT f AS z, id FROM t) q WHERE id = 1  --= 00012
CREATE TABLE copied SELECT f, b, d FROM t WHERE id = 1
SELECT f + 1, b FROM copied  --= 13,1.24
SELECT COUNT(*) FROM t WHERE f IN (SELECT f FROM copied)  --= 1
SELECT f FROM t WHERE id = 1 UNION ALL SELECT 1  --= 12; 1
CREATE VIEW v AS SELECT id, f, b FROM t
SELECT f, b FROM v WHERE id = 1  --= 00012,1.24
`},
		{name: "altered", script: `
CREATE TABLE t (id INT PRIMARY KEY, a DECIMAL(6,2) UNSIGNED, b FLOAT(7,2), d TIME(3))
INSERT INTO t VALUES (1, 1, 1.24, '10:00:00.126')
ALTER TABLE t RENAME COLUMN a TO aa
ALTER TABLE t ALTER COLUMN aa SET DEFAULT 3
INSERT INTO t (id, aa) VALUES (2, -1)  --! 1264
ALTER TABLE t MODIFY d TIME(1)
SELECT d FROM t  --= 10:00:00.1
ALTER TABLE t ADD COLUMN z INT(3) ZEROFILL DEFAULT 5, ADD COLUMN e TIME DEFAULT '00:00:01.5'
SELECT z, e = '00:00:02' FROM t  --= 005,1
ALTER TABLE t MODIFY aa DECIMAL(6,2)
INSERT INTO t (id, aa) VALUES (2, -1)
ALTER TABLE t MODIFY aa DECIMAL(6,2) UNSIGNED  --! 1264
CREATE TABLE u LIKE t
INSERT INTO u (id, d, z) VALUES (1, '00:00:00.26', 9)
SELECT d, z FROM u  --= 00:00:00.3,009
CREATE TABLE x (a FLOAT(3,5))  --! 1427
CREATE TABLE x (a TIME(7))  --! 1426
CREATE TABLE x (a FLOAT(300,2))  --! 1439
CREATE TABLE x (a DOUBLE(40,31))  --! 1425
`},
	})
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT(6) ZEROFILL NOT NULL, a DECIMAL(6,2) UNSIGNED COMMENT 'of a', b FLOAT(7,2), c DOUBLE UNSIGNED, d TIME(3), e TIME, f TINYINT ZEROFILL, g DECIMAL(5,2) ZEROFILL, k TIME(6), PRIMARY KEY (id))")
	want := []string{
		"`id` int(6) unsigned zerofill NOT NULL,", "`a` decimal(6,2) unsigned COMMENT 'of a',", "`b` float(7,2),", "`c` double unsigned,", "`d` time(3),", "`e` time,",
		"`f` tinyint(3) unsigned zerofill,", "`g` decimal(5,2) unsigned zerofill,", "`k` time(6),",
	}
	shown := w.shown("t")
	for _, line := range want {
		require.Contains(t, shown, line)
	}
	text := w.rows("SHOW CREATE TABLE t")[0]
	w.exec("DROP TABLE t")
	w.exec("%s", text[len("t,"):])
	require.Equal(t, shown, w.shown("t"))
	require.Equal(t, "a,decimal(6,2) unsigned,YES,,NULL,", w.rows("SHOW COLUMNS FROM t LIKE 'a'")[0])
	w.reopen()
	w.exec("USE d")
	require.Equal(t, shown, w.shown("t"))
	w.finish()
}
