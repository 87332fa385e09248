package plugin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTableMaintenance(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(id INT PRIMARY KEY, v VARCHAR(20), KEY(v))", "INSERT INTO t VALUES (1,'a'),(2,NULL),(3,'c')",
		"CREATE VIEW good AS SELECT id FROM t", "CREATE TABLE gone(x INT)", "CREATE VIEW bad AS SELECT x FROM gone", "DROP TABLE gone")
	s.is("d.t | check | status | OK\nd.good | check | status | OK", "CHECK TABLE t, good EXTENDED")
	s.is("d.missing | check | Error | Table 'd.missing' doesn't exist\nd.missing | check | status | Operation failed", "CHECK TABLE missing")
	require.Contains(t, s.text("CHECK TABLE bad"), "d.bad | check | error | Corrupt")
	s.is("d.t | repair | status | OK\nd.good | repair | Error | 'd.good' is not BASE TABLE\nd.good | repair | status | Operation failed", "REPAIR TABLE t, good")
	require.Contains(t, s.text("OPTIMIZE TABLE t"), "d.t | optimize | status | OK")
	s.is("1", "SELECT id FROM t WHERE v = 'a'")
}

// The checksum depends on the rows and on nothing else.
func TestChecksumTable(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(id INT PRIMARY KEY, v VARCHAR(20), at TIMESTAMP)",
		"INSERT INTO t VALUES (1,'a','2024-01-01 00:00:00'),(2,NULL,NULL),(3,'c','2024-06-01 12:00:00')",
		"CREATE TABLE u LIKE t", "INSERT INTO u SELECT * FROM t ORDER BY id DESC", "CREATE INDEX i ON u(v)")
	sum := s.text("CHECKSUM TABLE t")
	require.Regexp(t, `^d\.t \| [0-9]+$`, sum)
	require.Equal(t, sum[len("d.t"):], s.text("CHECKSUM TABLE u")[len("d.u"):])
	s.exec("SET time_zone = '+05:00'")
	s.is(sum, "CHECKSUM TABLE t")
	s.exec("UPDATE t SET v = '' WHERE id = 2")
	require.NotEqual(t, sum, s.text("CHECKSUM TABLE t"))
	s.exec("UPDATE t SET v = NULL WHERE id = 2")
	s.is(sum, "CHECKSUM TABLE t")
	s.reopen()
	s.is(sum, "CHECKSUM TABLE t")
	s.is("d.missing | NULL", "CHECKSUM TABLE missing")
	require.Contains(t, s.warnings(), "1146")
}

func TestShowEngineStatus(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t(id INT PRIMARY KEY, v INT, KEY iv(v))", "INSERT INTO t VALUES (1,1),(2,2)", "BEGIN", "UPDATE t SET v = 9 WHERE id = 1")
	o := s.other()
	text := o.text("SHOW ENGINE INNODB STATUS")
	require.Contains(t, text, "InnoDB |  | ")
	require.Contains(t, text, "holds IX of table `d`.`t`")
	require.Contains(t, text, "holds X of row (1) of `d`.`t`")
	require.NotContains(t, text, "LATEST DETECTED DEADLOCK")
	o.is("", "SHOW ENGINE memory STATUS")
	o.is("", "SHOW ENGINE INNODB MUTEX")
	o.fails(1286, "SHOW ENGINE nonsense STATUS")
	s.exec("ROLLBACK")
}
