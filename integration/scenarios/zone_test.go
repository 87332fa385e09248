package scenarios

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// ST-055: what one session writes under its time zone is the same instant for every
// other, by scan and by index; DATETIME does not move.
func TestTimeZones(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "ST-055 TIMESTAMP and time zones", script: `
CREATE TABLE t (id INT PRIMARY KEY, ts TIMESTAMP NULL, dt DATETIME, KEY (ts), KEY (dt))
@a SET time_zone = '+05:00'
@b SET time_zone = '-03:00'
@a INSERT INTO t VALUES (1,'2024-01-01 00:00:00','2024-01-01 00:00:00'),(2,'2024-01-01 12:30:00','2024-01-01 12:30:00'),(3,NULL,NULL)
@a SELECT * FROM t ORDER BY id  --= 1,2024-01-01 00:00:00,2024-01-01 00:00:00; 2,2024-01-01 12:30:00,2024-01-01 12:30:00; 3,NULL,NULL
@b SELECT * FROM t ORDER BY id  --= 1,2023-12-31 16:00:00,2024-01-01 00:00:00; 2,2024-01-01 04:30:00,2024-01-01 12:30:00; 3,NULL,NULL
@c SET time_zone = '+00:00'
@c SELECT id, ts FROM t WHERE ts >= '2023-12-31 19:00:00' ORDER BY ts  --= 1,2023-12-31 19:00:00; 2,2024-01-01 07:30:00
@c SELECT id FROM t WHERE ts > '2023-12-31 19:00:00' ORDER BY ts  --= 2
@a SELECT id FROM t FORCE INDEX (ts) WHERE ts = '2024-01-01 00:00:00'  --= 1
@a SELECT id FROM t IGNORE INDEX (ts) WHERE ts = '2024-01-01 00:00:00'  --= 1
@b SELECT id FROM t FORCE INDEX (ts) WHERE ts BETWEEN '2023-12-31 15:59:59' AND '2023-12-31 16:00:00'  --= 1
@b SELECT id FROM t IGNORE INDEX (ts) WHERE ts BETWEEN '2023-12-31 15:59:59' AND '2023-12-31 16:00:00'  --= 1
@b SELECT id FROM t WHERE ts IN ('2023-12-31 16:00:00','2024-01-01 00:00:00') OR ts IS NULL ORDER BY id  --= 1; 3
@b SELECT id FROM t WHERE ts = dt  --= 
@a SELECT id FROM t WHERE ts = dt ORDER BY id  --= 1; 2
@b SELECT MIN(ts), MAX(ts), MAX(dt) FROM t  --= 2023-12-31 16:00:00,2024-01-01 04:30:00,2024-01-01 12:30:00
@a SELECT UNIX_TIMESTAMP(ts), UNIX_TIMESTAMP(dt) FROM t WHERE id = 1  --= 1704049200,1704049200
@b SELECT UNIX_TIMESTAMP(ts), UNIX_TIMESTAMP(dt) FROM t WHERE id = 1  --= 1704049200,1704078000
@b UPDATE t SET ts = FROM_UNIXTIME(1704049201), dt = '2024-02-02 02:02:02' WHERE ts = '2023-12-31 16:00:00'  --# 1
@a SELECT ts, dt FROM t WHERE id = 1  --= 2024-01-01 00:00:01,2024-02-02 02:02:02
@a DELETE FROM t WHERE ts = '2024-01-01 12:30:00'  --# 1
@a INSERT INTO t SELECT 4, ts, ts FROM t WHERE id = 1
@b SELECT ts, dt FROM t WHERE id = 4  --= 2023-12-31 16:00:01,2024-01-01 00:00:01
.kill
@b SET time_zone = '-03:00'
@b SELECT ts, dt FROM t WHERE id = 4  --= 2023-12-31 16:00:01,2024-01-01 00:00:01
`},
		{name: "ST-055 in keys", script: `
CREATE TABLE p (ts TIMESTAMP(3) PRIMARY KEY, v INT)
CREATE TABLE c (id INT PRIMARY KEY, ts TIMESTAMP(3) NULL, UNIQUE (ts), FOREIGN KEY (ts) REFERENCES p (ts) ON UPDATE CASCADE ON DELETE CASCADE)
@a SET time_zone = '+05:00'
@b SET time_zone = '-03:00'
@a INSERT INTO p VALUES ('2024-01-01 00:00:00.125',1)
@b INSERT INTO p VALUES ('2023-12-31 16:00:00.125',1)  --! 1062
@b INSERT INTO p VALUES ('2023-12-31 16:00:00.125',2) ON DUPLICATE KEY UPDATE v = v + 10
@b REPLACE INTO p VALUES ('2024-01-01 00:00:00',5)
@a SELECT * FROM p ORDER BY ts  --= 2024-01-01 00:00:00.125,11; 2024-01-01 08:00:00.000,5
@b INSERT INTO c VALUES (1,'2023-12-31 16:00:00.125')
@b INSERT INTO c VALUES (2,'2024-01-01 00:00:00.125')  --! 1452
@b UPDATE p SET ts = '2023-12-31 17:00:00' WHERE v = 11
@a SELECT * FROM c  --= 1,2024-01-01 01:00:00.000
@a DELETE FROM p WHERE ts = '2024-01-01 01:00:00'
@a SELECT * FROM c  --= 
@a SELECT v FROM p WHERE ts = '2024-01-01 08:00:00'  --= 5
`},
		{name: "ST-055 defaults and ALTER", script: `
@a SET time_zone = '+05:00'
@b SET time_zone = '-03:00'
@a CREATE TABLE t (id INT PRIMARY KEY, v INT, ts TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), dt DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6))
@a INSERT INTO t (id) VALUES (1)
@b INSERT INTO t (id) VALUES (2)
@b SELECT id, TIMESTAMPDIFF(HOUR, ts, dt) FROM t ORDER BY id  --= 1,8; 2,0
@a SELECT COUNT(*) FROM t WHERE TIMESTAMPDIFF(SECOND, ts, NOW()) BETWEEN 0 AND 60  --= 2
@b SELECT COUNT(*) FROM t WHERE TIMESTAMPDIFF(SECOND, ts, NOW()) BETWEEN 0 AND 60  --= 2
@a UPDATE t SET v = 1, dt = ts
@a SELECT COUNT(*) FROM t WHERE TIMESTAMPDIFF(SECOND, ts, NOW()) BETWEEN 0 AND 60  --= 2
@a ALTER TABLE t ADD COLUMN l TIMESTAMP DEFAULT '2024-01-01 00:00:00'
@b SELECT DISTINCT l FROM t  --= 2023-12-31 16:00:00
@b ALTER TABLE t MODIFY l DATETIME
@a SELECT DISTINCT l FROM t  --= 2023-12-31 16:00:00
@b ALTER TABLE t MODIFY l TIMESTAMP, ADD COLUMN d DATE AS (DATE(l)) STORED
@a SELECT DISTINCT l, d FROM t  --= 2024-01-01 00:00:00,2023-12-31
@a ALTER TABLE t ADD COLUMN z INT DEFAULT (HOUR(l))
@a SELECT DISTINCT z FROM t  --= 0
@a ALTER TABLE t ADD KEY (l), ADD KEY (ts)
@b SELECT COUNT(*) FROM t FORCE INDEX (l) WHERE l = '2023-12-31 16:00:00'  --= 2
@b CREATE VIEW w AS SELECT l FROM t WHERE l < '2024-01-01 00:00:00'
@b SELECT COUNT(*) FROM w  --= 2
@a SELECT COUNT(*) FROM w  --= 0
`},
		{name: "ST-055 named zones and limits", script: `
CREATE TABLE t (id INT PRIMARY KEY, ts TIMESTAMP NULL)
SET time_zone = 'Europe/Berlin'
INSERT INTO t VALUES (1,'2024-01-15 12:00:00'),(2,'2024-07-15 12:00:00')
INSERT INTO t VALUES (3,'2024-03-31 02:30:00')  --! 1292
SET time_zone = 'UTC'
SELECT ts FROM t ORDER BY id  --= 2024-01-15 11:00:00; 2024-07-15 10:00:00
SET time_zone = 'America/New_York'
SELECT ts FROM t ORDER BY id  --= 2024-01-15 06:00:00; 2024-07-15 06:00:00
SET time_zone = '+05:00'
INSERT INTO t VALUES (4,'1970-01-01 05:00:00')  --! 1292
INSERT INTO t VALUES (4,'1970-01-01 05:00:01')
SELECT UNIX_TIMESTAMP(ts) FROM t WHERE id = 4  --= 1
SET sql_mode = ''
SET time_zone = 'Europe/Berlin'
INSERT INTO t VALUES (5,'2024-03-31 02:30:00')
SELECT ts FROM t WHERE id = 5  --= 2024-03-31 03:00:00
SET time_zone = 'Mars/Olympus'  --! 1298
`},
	})
}

// ST-055: triggers and procedures see the times of day of the session that fires them,
// and temporary tables follow the session as others do.
func TestTimeZonesInside(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, ts TIMESTAMP)")
	w.exec("CREATE TABLE log (id INT PRIMARY KEY, shown VARCHAR(30), ts TIMESTAMP)")
	w.exec("CREATE TRIGGER tr AFTER INSERT ON t FOR EACH ROW INSERT INTO log VALUES (NEW.id, CAST(NEW.ts AS CHAR), NEW.ts)")
	for i, offset := range []string{"+05:00", "-03:00", "+00:00"} {
		c := w.session(offset)
		c.exec("SET time_zone = '%s'", offset)
		c.exec("CREATE TEMPORARY TABLE tmp (ts TIMESTAMP, KEY (ts))")
		c.exec("INSERT INTO tmp VALUES ('2024-05-05 05:05:05')")
		c.exec("INSERT INTO t SELECT %d, ts FROM tmp WHERE ts = '2024-05-05 05:05:05'", i)
	}
	require.Equal(t, []string{
		"0,2024-05-05 05:05:05,2024-05-05 00:05:05", "1,2024-05-05 05:05:05,2024-05-05 08:05:05", "2,2024-05-05 05:05:05,2024-05-05 05:05:05",
	}, w.session("+00:00").exec("SELECT * FROM log ORDER BY id").rows)
	require.Equal(t, w.session("-03:00").exec("SELECT id, ts FROM t ORDER BY id").rows, w.session("-03:00").exec("SELECT id, ts FROM log ORDER BY id").rows)
	c := w.session("+05:00")
	c.exec("SET time_zone = '-03:00'")
	require.Equal(t, []string{"2024-05-04 21:05:05"}, c.exec("SELECT ts FROM tmp").rows, "a temporary table holds instants too")
	_, err := c.try(fmt.Sprintf("INSERT INTO t VALUES (%d, '2024-05-05 05:05:05')", 0))
	require.Equal(t, 1062, errorNumber(err))
	w.finish()
}
