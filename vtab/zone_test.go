package vtab

import (
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/stretchr/testify/require"
)

func zoneForTest(t *testing.T, name string) *zone {
	t.Helper()
	z, err := newZone(name)
	require.NoError(t, err)
	return z
}

// ST-055: the time of day of an instant leads back to it, but for the second of two
// instants of one name; a time of day that does not exist is the moment of the change.
func TestZones(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, above all under the race detector, and runs on one goroutine")
	}
	for _, name := range []string{"UTC", "+00:00", "-00:00", "Etc/UTC"} {
		require.Nil(t, zoneForTest(t, name), name)
	}
	_, err := newZone("Nowhere/None")
	require.Error(t, err)
	for _, name := range []string{"+05:00", "-03:30", "+14:00", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"} {
		z := zoneForTest(t, name)
		seen := map[time.Time]time.Time{}
		for at := time.Date(2023, 1, 1, 0, 0, 0, 1000, time.UTC); at.Year() < 2025; at = at.Add(15 * time.Minute) {
			wall := z.wall(at)
			require.Equal(t, at.In(z.loc).Format(time.DateTime), wall.Format(time.DateTime))
			back, gap := z.instant(wall)
			require.False(t, gap)
			if first, twice := seen[wall]; twice {
				require.Equal(t, first, back, "%s: %s has two instants", name, wall)
				continue
			}
			seen[wall] = at
			require.Equal(t, at, back, "%s: %s", name, wall)
		}
	}
	for _, c := range []struct{ zone, wall, want string }{
		{"Europe/Berlin", "2024-03-31 02:30:00", "2024-03-31 01:00:00"},
		{"America/New_York", "2024-03-10 02:00:01", "2024-03-10 07:00:00"},
		{"Australia/Lord_Howe", "2024-10-06 02:29:59", "2024-10-05 15:30:00"},
	} {
		wall, err := time.Parse(time.DateTime, c.wall)
		require.NoError(t, err)
		at, gap := zoneForTest(t, c.zone).instant(wall)
		require.True(t, gap, c.wall)
		require.Equal(t, c.want, at.Format(time.DateTime))
	}
	zero, gap := zoneForTest(t, "+05:00").instant(types.ZeroTime)
	require.False(t, gap)
	require.Equal(t, types.ZeroTime, zero)
}

// ST-055: statements that do not name a TIMESTAMP leave its instant alone, also in the
// hour that a zone has twice, with and without a primary key.
func TestInstantsOfOneName(t *testing.T) {
	for _, key := range []string{"PRIMARY KEY", "NOT NULL"} {
		d := newDatabaseForTest(t)
		s := d.session()
		s.exec("CREATE TABLE t (id INT %s, ts TIMESTAMP, v INT, KEY (ts))", key)
		s.exec("SET time_zone = '+00:00'")
		const first, second = "2024-10-27 00:30:00", "2024-10-27 01:30:00" // 02:30 in Berlin, both
		s.exec("INSERT INTO t VALUES (1,'%s',0),(2,'%s',0),(3,'%s',0),(4,'%s',0)", first, second, first, second)
		s.exec("SET time_zone = 'Europe/Berlin'")
		s.check("SELECT COUNT(DISTINCT ts), CAST(MIN(ts) AS CHAR) FROM t", "[1,2024-10-27 02:30:00]\n")
		s.exec("UPDATE t SET v = id + 10")
		s.exec("DELETE FROM t WHERE id > 2")
		s.exec("ALTER TABLE t ADD COLUMN w INT DEFAULT 1, MODIFY v BIGINT")
		s.exec("ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4")
		s.exec("ALTER TABLE t ADD COLUMN a INT AUTO_INCREMENT, ADD KEY (a)")
		s.exec("SET time_zone = 'UTC'")
		s.check("SELECT id, CAST(ts AS CHAR), v FROM t ORDER BY id", "[1,2024-10-27 00:30:00,11]\n[2,2024-10-27 01:30:00,12]\n")
		d.requireSound()
		s.end()
	}
}

// ST-058, ST-061: rows without a primary key are found by their content also where
// they are older than a column.
func TestKeylessRowsOlderThanAColumn(t *testing.T) {
	d := newDatabaseForTest(t)
	s := d.session()
	defer s.end()
	s.exec("CREATE TABLE t (a INT, b INT)")
	s.exec("INSERT INTO t VALUES (1,1),(1,1),(2,2)")
	s.exec("ALTER TABLE t ADD COLUMN c INT DEFAULT 5 FIRST, DROP COLUMN b")
	s.exec("INSERT INTO t VALUES (5,1)")
	s.exec("DELETE FROM t WHERE a = 1 LIMIT 1")
	s.exec("UPDATE t SET a = 3 WHERE a = 1 LIMIT 1")
	s.exec("UPDATE t SET c = 6 WHERE a = 2")
	s.check("SELECT * FROM t ORDER BY a, c", "[5,1]\n[6,2]\n[5,3]\n")
	s.exec("DELETE FROM t")
	s.check("SELECT COUNT(*) FROM t", "[0]\n")
	d.requireSound()
}
