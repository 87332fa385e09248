package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// image is all that is stored but the counters of ids and positions.
func (w *world) image() map[string]string {
	w.t.Helper()
	image := map[string]string{}
	w.raw(func(store kv.Store) {
		for space := kv.SpaceCatalog; space <= kv.SpaceSequence; space++ {
			eachKey(w.t, store, kv.SpaceRange(space), func(key, value []byte) { image[string(key)] = string(value) })
		}
	})
	return image
}

// difference lists the keys in which two images differ.
func difference(a, b map[string]string) (keys []string) {
	for k, v := range a {
		if got, ok := b[k]; !ok || got != v {
			keys = append(keys, fmt.Sprintf("-%x", k))
		}
	}
	for k, v := range b {
		if was, ok := a[k]; !ok || was != v {
			keys = append(keys, fmt.Sprintf("+%x", k))
		}
	}
	return keys
}

// ST-004, ST-021, ST-071: refused DDL leaves catalog bytes and keys as they were,
// and the name free.
func TestRefusedDDLLeavesNothing(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE p (id INT PRIMARY KEY, n INT, s VARCHAR(10))")
	w.exec("INSERT INTO p VALUES (1,1,'abc'),(2,1,'9')")
	before := w.image()
	for _, c := range []struct {
		number int // 0: any
		query  string
	}{
		{1822, "CREATE TABLE t (id INT PRIMARY KEY, n INT, FOREIGN KEY (n) REFERENCES p (n))"},
		{0, "CREATE TABLE t (id INT PRIMARY KEY, n INT, KEY x (n), KEY x (id))"},
		{0, "CREATE TABLE t (id INT PRIMARY KEY, CHECK (nope > 0))"},
		{1060, "CREATE TABLE t (id INT, id INT)"},
		{1072, "CREATE TABLE t (id INT, KEY (nope))"},
		{1050, "CREATE TABLE p (id INT)"},
		{0, "CREATE TABLE t (id INT PRIMARY KEY, n INT, FOREIGN KEY (n) REFERENCES nowhere (n))"},
		{1071, "CREATE TABLE t (a VARCHAR(1000), KEY (a))"},
		{1062, "CREATE UNIQUE INDEX u ON p (n)"},
		{1062, "ALTER TABLE p ADD UNIQUE (n)"},
		{1062, "ALTER TABLE p ADD COLUMN z INT, ADD UNIQUE (n)"},
		{1366, "ALTER TABLE p MODIFY s INT"},
		{1406, "ALTER TABLE p MODIFY s VARCHAR(2)"},
		{3819, "ALTER TABLE p ADD CHECK (id > 1)"},
		{1062, "ALTER TABLE p DROP PRIMARY KEY, ADD PRIMARY KEY (n)"},
	} {
		t.Run(c.query, func(t *testing.T) {
			w.t = t
			if _, err := w.session("").try(c.query); c.number == 0 {
				require.Error(t, err)
			} else {
				require.Equal(t, c.number, errorNumber(err), "%v", err)
			}
			require.Empty(t, difference(before, w.image()))
		})
	}
	w.t = t
	w.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	w.finish()
}

// ST-003, ST-012: ids are never used again and no old row is ever seen, over
// rounds of CREATE, INSERT, DROP with restarts and crashes between.
func TestIDsAreNeverReused(t *testing.T) {
	w := newWorld(t)
	empty := w.image()
	var largest uint32
	for round := range idRounds {
		w.exec("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v INT, KEY (v))")
		require.Empty(t, w.rows("SELECT * FROM t"))
		w.exec("INSERT INTO t (v) VALUES (%d),(%d)", round, round)
		require.Equal(t, []string{fmt.Sprintf("1,%d", round), fmt.Sprintf("2,%d", round)}, w.rows("SELECT * FROM t ORDER BY id"))
		require.Len(t, w.rows("SELECT id FROM t WHERE v >= 0"), 2)
		if round%4 == 1 {
			w.reopen()
		}
		if round%4 == 3 {
			w.kill()
		}
		lowest := ^uint32(0)
		w.check()
		if round%20 == 0 {
			for key := range w.image() {
				if key[0] == byte(kv.SpaceRow) || key[0] == byte(kv.SpaceIndex) {
					id := uint32(key[1])<<24 | uint32(key[2])<<16 | uint32(key[3])<<8 | uint32(key[4])
					require.Greater(t, id, largest)
					lowest = min(lowest, id)
				}
			}
			largest = lowest + 1
		}
		w.exec("DROP TABLE t")
	}
	require.Empty(t, difference(empty, w.image()), "no entry and no key is left")
	w.finish()
}

// ST-006, ST-008, ST-013: a table with everything in its definition, hostile
// literals included, reads the same after a restart and a crash, and again from
// its own text; its constraints still refuse.
func TestDefinitionsSurvive(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE p (id INT PRIMARY KEY, a INT, KEY (a))")
	w.exec("INSERT INTO p VALUES (1,1)")
	w.exec("%s", "CREATE TABLE t ("+strings.Join([]string{
		"id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT",
		"i8 TINYINT DEFAULT -1", "u8 TINYINT UNSIGNED", "i16 SMALLINT", "i24 MEDIUMINT", "u32 INT UNSIGNED DEFAULT 7", "i64 BIGINT",
		"dc DECIMAL(20,5) DEFAULT 1.5", "f FLOAT", "d DOUBLE DEFAULT (1.0 + 2)", "bt BIT(7)", "y YEAR", "da DATE DEFAULT '2020-02-29'",
		"dt DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6)", "ts TIMESTAMP NULL", "ti TIME",
		"c CHAR(5) COLLATE utf8mb4_0900_ai_ci DEFAULT 'x''y'", "vc VARCHAR(60) DEFAULT 'a\"b\\\\c;d*/e--f\n🐟'", "tx TEXT", "lt LONGTEXT",
		"bi BINARY(3)", "vb VARBINARY(10)", "bl BLOB", "en ENUM('a','b''c','d,e')", "st SET('x','y')", "js JSON", "ge POINT",
		"g1 INT GENERATED ALWAYS AS (i16 + 1) STORED", "cm INT COMMENT 'quote '' back \\\\ semi ; star */ dash -- 🐟'", "fk INT", "fk2 INT",
		"PRIMARY KEY (id)", "UNIQUE KEY u (vc)", "KEY pre (tx(10))", "KEY two (i16, i24) COMMENT 'key'",
		"CONSTRAINT ck CHECK (i8 < 100)", "CONSTRAINT ckn CHECK (u8 > 5) NOT ENFORCED",
		"CONSTRAINT f1 FOREIGN KEY (fk) REFERENCES p (id) ON DELETE CASCADE ON UPDATE SET NULL",
		"CONSTRAINT f2 FOREIGN KEY (fk2) REFERENCES p (id) ON DELETE SET NULL ON UPDATE CASCADE",
	}, ", ")+") AUTO_INCREMENT=1000 COMMENT='table '' comment \\\\ 🐟'")
	w.exec("CREATE TABLE g (id INT PRIMARY KEY, i INT, s VARCHAR(10), v INT GENERATED ALWAYS AS (i * 2) VIRTUAL, KEY g (v), KEY fn ((LOWER(s))))")
	shown := append(w.rows("SHOW CREATE TABLE t"), w.rows("SHOW CREATE TABLE g")...)
	show := func() []string { return append(w.rows("SHOW CREATE TABLE t"), w.rows("SHOW CREATE TABLE g")...) }
	for _, again := range []func(){w.reopen, w.kill, w.reopen} {
		again()
		require.Equal(t, shown, show())
	}
	c := w.session("")
	c.exec("INSERT INTO t (i16, vc, en) VALUES (5, 'One', 'b''c')")
	require.Equal(t, []string{"1000,-1,7,1.50000,3,2020-02-29,x'y,b'c,6"}, w.rows("SELECT id, i8, u32, dc, d, da, c, en, g1 FROM t"))
	c.fails(1062, "INSERT INTO t (vc) VALUES ('One')")
	c.fails(3819, "INSERT INTO t (vc, i8) VALUES ('two', 100)")
	c.exec("INSERT INTO t (u8) VALUES (1)")
	require.Equal(t, []string{"a\"b\\c;d*/e--f\n🐟"}, w.rows("SELECT vc FROM t WHERE u8 = 1"))
	c.fails(1452, "INSERT INTO t (vc, fk) VALUES ('four', 9)")
	c.exec("INSERT INTO g (id, i, s) VALUES (1, 5, 'ONE')")
	require.Equal(t, []string{"1"}, w.rows("SELECT id FROM g WHERE LOWER(s) = 'one'"))
	require.Equal(t, []string{"1"}, w.rows("SELECT id FROM g WHERE v = 10"))

	shown = show() // the counter has moved
	w.exec("CREATE DATABASE dupe")
	w.exec("USE dupe")
	w.exec("CREATE TABLE p (id INT PRIMARY KEY)")
	for i, name := range []string{"t,", "g,"} {
		w.exec("%s", strings.TrimPrefix(shown[i], name))
	}
	require.Equal(t, shown, show(), "from its own text")
	w.finish()
}
