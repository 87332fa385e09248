package scenarios

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// SHOW [FULL] COLUMNS says what MySQL says: types without collations, the column's own
// collation, plain defaults, and what is generated or updated.
func TestShowColumns(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT UNSIGNED PRIMARY KEY AUTO_INCREMENT, a VARCHAR(20) DEFAULT 'x' COLLATE utf8mb4_bin COMMENT 'of a', b TEXT CHARACTER SET latin1, c INT DEFAULT 5, " +
		"g INT AS (c + 1) VIRTUAL, s INT AS (c + 1) STORED, ts TIMESTAMP DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, e ENUM('a','b') NOT NULL DEFAULT 'b', " +
		"x INT DEFAULT (1 + 2), bin VARBINARY(4), d DECIMAL(5,2) DEFAULT 1.5, UNIQUE (c))")
	rights := ",select,insert,update,references,"
	require.Equal(t, []string{
		"id,int unsigned,NULL,NO,PRI,NULL,auto_increment" + rights,
		"a,varchar(20),utf8mb4_bin,YES,,x," + rights + "of a",
		"b,text,latin1_swedish_ci,YES,,NULL," + rights,
		"c,int,NULL,YES,UNI,5," + rights,
		"g,int,NULL,YES,,NULL,VIRTUAL GENERATED" + rights,
		"s,int,NULL,YES,,NULL,STORED GENERATED" + rights,
		"ts,timestamp,NULL,YES,,CURRENT_TIMESTAMP,DEFAULT_GENERATED on update CURRENT_TIMESTAMP" + rights,
		"e,enum('a','b'),utf8mb4_0900_bin,NO,,b," + rights,
		"x,int,NULL,YES,,(1 + 2),DEFAULT_GENERATED" + rights,
		"bin,varbinary(4),NULL,YES,,NULL," + rights,
		"d,decimal(5,2),NULL,YES,,1.50," + rights,
	}, w.rows("SHOW FULL COLUMNS FROM t"))
	require.Equal(t, []string{"a,varchar(20),YES,,x,"}, w.rows("SHOW COLUMNS FROM t LIKE 'a'"))
	require.Equal(t, []string{"g,VIRTUAL GENERATED", "s,STORED GENERATED"}, w.rows("SELECT column_name, extra FROM information_schema.columns WHERE table_name = 't' AND extra LIKE '%%STORED%%' OR extra LIKE 'VIRTUAL%%'"))
	w.finish()
}

// SHOW TRIGGERS and SHOW EVENTS show those of the database that FROM names.
func TestShowFrom(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE DATABASE e")
	for _, database := range []string{"d", "e"} {
		w.exec("CREATE TABLE %s.t (id INT PRIMARY KEY)", database)
		w.exec("USE %s", database)
		w.exec("CREATE TRIGGER tr_%s BEFORE INSERT ON t FOR EACH ROW SET NEW.id = 1", database)
		w.exec("CREATE EVENT ev_%s ON SCHEDULE EVERY 1 DAY DO DELETE FROM t", database)
		w.exec("CREATE EVENT other ON SCHEDULE EVERY 1 DAY DO DELETE FROM t")
	}
	w.exec("USE d")
	names := func(query string) (names []string) {
		for _, row := range w.rows("%s", query) {
			names = append(names, strings.Join(strings.Split(row, ",")[:2], "."))
		}
		return names
	}
	require.Equal(t, []string{"tr_d.INSERT"}, names("SHOW TRIGGERS"))
	require.Equal(t, []string{"tr_e.INSERT"}, names("SHOW TRIGGERS FROM e"))
	require.Equal(t, []string{"tr_e.INSERT"}, names("SHOW TRIGGERS IN `e` LIKE 't'"))
	require.Empty(t, names("SHOW TRIGGERS FROM e WHERE `Trigger` = 'tr_d'"))
	require.Equal(t, []string{"d.ev_d", "d.other"}, names("SHOW EVENTS"))
	require.Equal(t, []string{"e.ev_e", "e.other"}, names("SHOW EVENTS FROM e"))
	require.Equal(t, []string{"e.ev_e"}, names("SHOW EVENTS IN e LIKE 'ev%'"))
	require.Equal(t, []string{"e.other"}, names("SHOW EVENTS FROM e WHERE Name = 'other' AND `Interval value` = 1"))
	w.finish()
}
