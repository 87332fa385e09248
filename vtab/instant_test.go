package vtab

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// rowBytes reads all stored rows of a table as they are.
func (d *database) rowBytes(table string) map[string]string {
	d.t.Helper()
	ctx := context.Background()
	desc := d.descriptor(table)
	tx, err := d.store.Begin(ctx)
	require.NoError(d.t, err)
	defer tx.Rollback()
	all := map[string]string{}
	it := tx.Latest(kv.Now).Scan(ctx, kv.PrefixRange(kv.SpaceRow, uint32(desc.Physical)), kv.ScanOptions{})
	for it.Next() {
		value, err := it.Value()
		require.NoError(d.t, err)
		all[string(it.Key())] = string(value)
	}
	require.NoError(d.t, it.Err())
	require.NoError(d.t, it.Close())
	return all
}

func (d *database) descriptor(table string) *catalog.Table {
	d.t.Helper()
	db, ok := d.cat.Current().DB("d")
	require.True(d.t, ok)
	t, ok, err := db.Table(table)
	require.NoError(d.t, err)
	require.True(d.t, ok)
	return t
}

// ST-058: a column with one value for all rows is added, and a column
// outside every key dropped, without a change of a stored byte; what old rows show
// is the default of the ALTER.
func TestInstantColumns(t *testing.T) {
	d := newDatabaseForTest(t)
	s := d.session()
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10), KEY (a))")
	s.exec("INSERT INTO t VALUES (1,10,'x'),(2,20,'y')")
	physical := d.descriptor("t").Physical
	steps := []struct{ alter, want string }{
		{"ADD COLUMN c INT", "[1,10,x,<nil>]\n[2,20,y,<nil>]\n"},
		{"ADD COLUMN e INT DEFAULT 5", "[1,10,x,<nil>,5]\n[2,20,y,<nil>,5]\n"},
		{"ALTER COLUMN e SET DEFAULT 9", "[1,10,x,<nil>,5]\n[2,20,y,<nil>,5]\n"},
		{"ADD COLUMN f VARCHAR(5) NOT NULL FIRST", "[,1,10,x,<nil>,5]\n[,2,20,y,<nil>,5]\n"},
		{"ADD COLUMN g DECIMAL(5,2) NOT NULL DEFAULT -1.5 AFTER a", "[,1,10,-1.50,x,<nil>,5]\n[,2,20,-1.50,y,<nil>,5]\n"},
		{"DROP COLUMN c", "[,1,10,-1.50,x,5]\n[,2,20,-1.50,y,5]\n"},
		{"ADD COLUMN c INT DEFAULT 7, DROP COLUMN b, ADD COLUMN v INT AS (a+1) VIRTUAL", "[,1,10,-1.50,5,7,11]\n[,2,20,-1.50,5,7,21]\n"},
		{"RENAME COLUMN e TO ee", "[,1,10,-1.50,5,7,11]\n[,2,20,-1.50,5,7,21]\n"},
		{"DROP COLUMN v", "[,1,10,-1.50,5,7]\n[,2,20,-1.50,5,7]\n"},
		{"DROP COLUMN f", "[1,10,-1.50,5,7]\n[2,20,-1.50,5,7]\n"},
	}
	before := d.rowBytes("t")
	require.Len(t, before, 2)
	for _, step := range steps {
		s.exec("ALTER TABLE t %s", step.alter)
		s.check("SELECT * FROM t", step.want)
		require.Equal(t, before, d.rowBytes("t"), step.alter)
		require.Equal(t, physical, d.descriptor("t").Physical, step.alter)
		d.requireSound()
	}
	s.exec("INSERT INTO t (id,a) VALUES (3,30)")
	s.exec("UPDATE t SET a = 21 WHERE id = 2")
	const now = "[1,10,-1.50,5,7]\n[2,21,-1.50,5,7]\n[3,30,-1.50,9,7]\n"
	s.check("SELECT * FROM t", now)
	s.exec("ALTER TABLE t ADD UNIQUE KEY (a, ee), ADD KEY (ee)")
	s.check("SELECT id FROM t WHERE ee = 5", "[1]\n[2]\n")
	s.end()
	d = d.reopen()
	s = d.session()
	defer s.end()
	s.check("SELECT * FROM t", now)
	s.exec("DELETE FROM t WHERE ee = 5 AND a = 10")
	d.requireSound()
	s.exec("ALTER TABLE t MODIFY a BIGINT")
	s.check("SELECT * FROM t", "[2,21,-1.50,5,7]\n[3,30,-1.50,9,7]\n")
	require.Empty(t, d.descriptor("t").Layouts)
	d.requireSound()
}

// ST-058: values that differ from row to row, and columns of keys, are no instant
// change; a failing clause leaves the layouts as they were.
func TestColumnsThatRewrite(t *testing.T) {
	d := newDatabaseForTest(t)
	s := d.session()
	defer s.end()
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY (a, b))")
	s.exec("INSERT INTO t VALUES (1,1,1),(2,2,2)")
	for _, alter := range []string{
		"ADD COLUMN u VARCHAR(36) DEFAULT (UUID())",
		"ADD COLUMN w INT DEFAULT (a + 1)",
		"ADD COLUMN x INT AS (a + 1) STORED",
		"ADD COLUMN r DOUBLE DEFAULT (RAND())",
		"DROP COLUMN b",
	} {
		was := d.descriptor("t").Physical
		s.exec("ALTER TABLE t %s", alter)
		require.NotEqual(t, was, d.descriptor("t").Physical, alter)
		require.Empty(t, d.descriptor("t").Layouts, alter)
	}
	s.check("SELECT COUNT(DISTINCT u), COUNT(DISTINCT r), SUM(w), SUM(x) FROM t", "[2,2,5,5]\n")
	before := d.descriptor("t")
	_, err := s.try("ALTER TABLE t ADD COLUMN n INT DEFAULT 1, ADD UNIQUE KEY (n)")
	require.Error(t, err)
	require.Equal(t, before, d.descriptor("t"))
	d.requireSound()
}

// ST-058: a moment is taken once, and a table that was changed in place so often that
// its layouts are many is rewritten.
func TestInstantColumnsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, above all under the race detector, and runs on one goroutine")
	}
	d := newDatabaseForTest(t)
	s := d.session()
	defer s.end()
	s.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	s.exec("INSERT INTO t VALUES (1),(2)")
	s.exec("ALTER TABLE t ADD COLUMN at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6)")
	s.check("SELECT COUNT(DISTINCT at), MIN(at) > '2020-01-01' FROM t", "[1,true]\n")
	was := d.descriptor("t").Physical
	for n := range maxOldLayouts - 1 {
		s.exec("ALTER TABLE t ADD COLUMN c%d INT DEFAULT %d", n, n)
		s.exec("INSERT INTO t (id) VALUES (%d)", n+3)
	}
	require.Equal(t, was, d.descriptor("t").Physical)
	require.Len(t, d.descriptor("t").Layouts, maxOldLayouts)
	s.exec("ALTER TABLE t ADD COLUMN last INT DEFAULT 1")
	require.NotEqual(t, was, d.descriptor("t").Physical)
	require.Empty(t, d.descriptor("t").Layouts)
	var sums []string
	for n := range maxOldLayouts - 1 {
		sums = append(sums, fmt.Sprintf("SUM(c%d = %d)", n, n))
	}
	want := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%d,", maxOldLayouts+1), maxOldLayouts-1), ",")
	s.check("SELECT "+strings.Join(sums, ",")+" FROM t", "["+want+"]\n")
	d.requireSound()
}

// ST-131: what the rows have in a column without a default is MySQL's implicit one.
func TestImplicitDefaultOfNewColumn(t *testing.T) {
	d := newDatabaseForTest(t)
	s := d.session()
	defer s.end()
	s.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	s.exec("ALTER TABLE t ADD COLUMN g POINT NOT NULL")
	s.exec("ALTER TABLE t DROP COLUMN g")
	s.exec("INSERT INTO t VALUES (1)")
	s.exec("ALTER TABLE t ADD COLUMN i INT NOT NULL, ADD COLUMN c VARCHAR(5) NOT NULL, ADD COLUMN d DECIMAL(5,2) NOT NULL, ADD COLUMN b BLOB NOT NULL, ADD COLUMN e ENUM('x','y') NOT NULL, ADD COLUMN s SET('x','y') NOT NULL, ADD COLUMN j JSON NOT NULL, ADD COLUMN n BINARY(2) NOT NULL")
	s.check("SELECT i, c, d, LENGTH(b), CAST(e AS CHAR), CAST(s AS CHAR), j, HEX(n) FROM t", "[0,,0.00,0,x,,null,0000]\n")
	for _, typ := range []string{"POINT", "GEOMETRY"} {
		before := d.descriptor("t")
		_, err := s.try("ALTER TABLE t ADD COLUMN g %s NOT NULL", typ)
		require.ErrorContains(t, err, "1416")
		require.Equal(t, before, d.descriptor("t"))
		s.exec("ALTER TABLE t ADD COLUMN g %s", typ)
		s.exec("ALTER TABLE t DROP COLUMN g")
	}
	d.requireSound()
}
