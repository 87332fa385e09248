package command

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/plugin"
	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/pebblekv"
)

// ST-147: check ends with 0 on a sound store and with 1 and a list on one where an
// index entry is missing and a row violates a CHECK; CHECK TABLE says the same.
func TestCheckFindsDamage(t *testing.T) {
	data := t.TempDir()
	statements(t, data,
		"CREATE DATABASE d", "USE d",
		"CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY iv (v), CONSTRAINT small CHECK (v < 100))",
		"CREATE TABLE twin (id INT PRIMARY KEY, v INT)",
		"INSERT INTO t VALUES (1,1),(2,2)", "INSERT INTO twin VALUES (1,1000)")
	r := runBinary(t, nil, "check", "--data", data)
	require.Equal(t, 0, r.code, r.stderr)
	require.Contains(t, r.stdout, "no difference found")

	overwrite(t, data)
	r = runBinary(t, []string{"FRESHET_DATA=" + data}, "check")
	require.Equal(t, 1, r.code)
	require.Regexp(t, "missing-entry: `d`.`t` index `iv`: key 04[0-9a-f]+: ", r.stdout)
	require.Regexp(t, "stray-entry: `d`.`t` index `iv`: key 04[0-9a-f]+: ", r.stdout)
	require.Regexp(t, "check-violation: `d`.`t` check `small`: ", r.stdout)
	require.Contains(t, r.stderr, "damaged")

	rows := statements(t, data, "USE d", "CHECK TABLE t")
	require.Equal(t, "Corrupt", rows[len(rows)-1][3])
}

// statements opens the store, runs statements and returns the rows of the last.
func statements(t *testing.T, data string, all ...string) (rows []sql.Row) {
	t.Helper()
	db, err := plugin.Open(context.Background(), plugin.Options{Dir: data})
	require.NoError(t, err)
	session, err := db.NewSession(sql.Client{User: "root", Address: "localhost"})
	require.NoError(t, err)
	for _, query := range all {
		ctx := db.NewContext(context.Background(), session)
		_, it, _, err := db.Engine().Query(ctx, query)
		require.NoError(t, err, query)
		rows, err = sql.RowIterToRows(ctx, it)
		require.NoError(t, err, query)
	}
	require.NoError(t, db.Close())
	return rows
}

// overwrite gives the first row of the table t the value of the one row of twin.
func overwrite(t *testing.T, data string) {
	t.Helper()
	ctx := context.Background()
	store, err := pebblekv.Open(ctx, data, pebblekv.Options{})
	require.NoError(t, err)
	tx, err := store.Begin(ctx)
	require.NoError(t, err)
	it := tx.Latest(kv.Now).Scan(ctx, kv.SpaceRange(kv.SpaceRow), kv.ScanOptions{})
	var first, last []byte
	for it.Next() {
		value, err := it.Value()
		require.NoError(t, err)
		if first == nil {
			first = append([]byte{}, it.Key()...)
		}
		last = append([]byte{}, value...)
	}
	require.NoError(t, it.Close())
	require.NoError(t, tx.Put(first, last))
	_, err = tx.Commit(ctx, kv.CommitOptions{Durability: kv.DurabilityCommit})
	require.NoError(t, err)
	require.NoError(t, store.Close())
}

// check makes nothing: a folder that is absent or empty is a wrong argument.
func TestCheckWithoutStore(t *testing.T) {
	empty := t.TempDir()
	for _, data := range []string{filepath.Join(empty, "none"), empty} {
		r := runBinary(t, nil, "check", "--data", data)
		require.Equal(t, exitUsage, r.code, r.stderr)
		require.Contains(t, r.stderr, data)
		require.Contains(t, r.stderr, "there is no store")
		require.Empty(t, r.stdout)
		names, err := os.ReadDir(empty)
		require.NoError(t, err)
		require.Empty(t, names)
	}
}

// ST-044: 200 acknowledged rows, a kill, one flipped bit in the log or no log at
// all: the server and check refuse, with the file, and leave every file as it was.
func TestDamageIsRefused(t *testing.T) {
	data := t.TempDir()
	p := start(t, nil, "--data", data, "--addr", "127.0.0.1:0")
	db := p.open("root")
	for _, statement := range []string{"CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, v VARCHAR(50))"} {
		_, err := db.Exec(statement)
		require.NoError(t, err)
	}
	for i := range 200 {
		_, err := db.Exec("INSERT INTO d.t VALUES (?, 'value')", i)
		require.NoError(t, err)
	}
	require.NoError(t, p.command.Process.Kill())
	_ = p.command.Wait()
	logs, err := filepath.Glob(filepath.Join(data, "store", "*.log"))
	require.NoError(t, err)
	require.Len(t, logs, 1)
	content, err := os.ReadFile(logs[0])
	require.NoError(t, err)

	refused := func(words ...string) {
		t.Helper()
		before := snapshot(t, data)
		for _, args := range [][]string{{"serve", "--addr", "127.0.0.1:0"}, {"check"}} {
			r := runBinary(t, nil, append(args, "--data", data)...)
			require.Equal(t, exitFailed, r.code, r.stderr)
			for _, w := range append(words, logs[0], "restore the folder from a copy") {
				require.Contains(t, r.stderr, w)
			}
			require.Empty(t, r.stdout)
		}
		require.Equal(t, before, snapshot(t, data))
	}
	for third := 1; third < 3; third++ {
		bad := bytes.Clone(content)
		bad[len(bad)*third/3] ^= 1
		require.NoError(t, os.WriteFile(logs[0], bad, 0o600))
		refused("damaged at byte")
	}
	require.NoError(t, os.Remove(logs[0]))
	refused("is missing")

	// As it was, all rows are there; without the end of the last record, all but one.
	for rows, size := range map[string]int{"200": len(content), "199": len(content) - 3} {
		require.NoError(t, os.WriteFile(logs[0], content[:size], 0o600))
		copied := filepath.Join(t.TempDir(), "copy")
		require.NoError(t, os.CopyFS(copied, os.DirFS(data)))
		got := statements(t, copied, "SELECT COUNT(*) FROM d.t")
		require.Equal(t, rows, fmt.Sprint(got[0][0]))
	}
}

// snapshot is the content of every file below dir.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		got[path] = string(content)
		return err
	}))
	return got
}
