package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// ST-058: the ALTER reads and writes no row, whatever their number; old rows keep the
// default of the ALTER, also after a kill.
func TestInstantAddCostsNothing(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY (v))")
	w.fill("t", instantRows)
	for _, alter := range []string{
		"ADD COLUMN c INT DEFAULT 5",
		"ADD COLUMN n INT NOT NULL DEFAULT 6 FIRST",
		"ADD COLUMN z VARCHAR(10) AFTER id, ADD COLUMN y BIGINT NOT NULL",
		"ALTER COLUMN c SET DEFAULT 9",
		"DROP COLUMN y",
	} {
		before := w.db.Metrics()
		w.exec("ALTER TABLE t %s", alter)
		after := w.db.Metrics()
		require.Less(t, after.KeysScanned-before.KeysScanned+after.Gets-before.Gets, uint64(100), alter)
		require.Less(t, after.BytesWritten-before.BytesWritten, uint64(10_000), alter)
	}
	w.exec("INSERT INTO t (id, v) VALUES (-1, -1)")
	w.kill()
	require.Equal(t, []string{"6,-1,NULL,-1,9", "6,1,NULL,1,5", "6,2,NULL,2,5"}, w.rows("SELECT * FROM t ORDER BY id LIMIT 3"))
	require.Equal(t, []string{"1"}, w.rows("SELECT COUNT(*) FROM t WHERE c = 9"))
	w.exec("UPDATE t SET c = 1 WHERE id <= 2")
	w.exec("ALTER TABLE t ADD KEY (c)")
	require.Equal(t, []string{"-1", "1", "2"}, w.rows("SELECT id FROM t FORCE INDEX (c) WHERE c <> 5 ORDER BY id"))
	w.finish()
}
