package plugin

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/stretchr/testify/require"
)

// query runs a statement to its end.
func query(t *testing.T, db *DB, s sql.Session, text string) []sql.Row {
	t.Helper()
	ctx := db.NewContext(context.Background(), s)
	_, it, _, err := db.Engine().Query(ctx, text)
	require.NoError(t, err, text)
	var rows []sql.Row
	for {
		row, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err, text)
		rows = append(rows, row)
	}
	require.NoError(t, it.Close(ctx))
	return rows
}

// ST-084: the values of one INSERT are consecutive, whatever others insert.
func TestIdsOfOneInsertAreConsecutive(t *testing.T) {
	db, err := Open(context.Background(), Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	root := sql.Client{User: "root", Address: "localhost"}
	s, err := db.NewSession(root)
	require.NoError(t, err)
	query(t, db, s, "CREATE DATABASE d")
	query(t, db, s, "CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, g INT)")
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s, err := db.NewSession(root)
			if err != nil {
				t.Error(err)
				return
			}
			defer db.EndSession(s)
			for range 20 {
				query(t, db, s, "INSERT INTO d.t (g) VALUES ("+string(rune('0'+g))+"),("+string(rune('0'+g))+"),("+string(rune('0'+g))+")")
				last := query(t, db, s, "SELECT last_insert_id()")[0][0]
				n := query(t, db, s, "SELECT count(*) FROM d.t WHERE g = "+string(rune('0'+g))+" AND id >= last_insert_id() AND id < last_insert_id() + 3")[0][0]
				if n != int64(3) {
					t.Errorf("first id %v: %v of 3 rows follow", last, n)
				}
			}
		}()
	}
	wg.Wait()
	query(t, db, s, "CREATE TABLE d.u (id INT PRIMARY KEY AUTO_INCREMENT, g INT)")
	query(t, db, s, "INSERT INTO d.u VALUES (NULL,1),(100,2),(NULL,3),(NULL,4)")
	require.Equal(t, []sql.Row{{int32(1)}, {int32(100)}, {int32(101)}, {int32(102)}}, query(t, db, s, "SELECT id FROM d.u ORDER BY id"))
}
