package main

import (
	"context"
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
	r = runBinary(t, nil, "check", "--data", data)
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
