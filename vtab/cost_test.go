package vtab

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// decoded is the number of row values decoded so far under the present definition
// of a table.
func (d *database) decoded(table string) uint64 {
	db, _ := d.cat.Current().DB("d")
	t, ok, err := db.Table(table)
	require.NoError(d.t, err)
	require.True(d.t, ok)
	c := d.session()
	defer c.end()
	bound, err := newTable(c.ctx, newDatabase(d.engine, db), t, scanMode{})
	require.NoError(d.t, err)
	return bound.shape.layout.codec.Decoded()
}

// ST-059: a query of one column of sixty decodes one value a row; a covering index
// touches no row.
func TestNarrowReadOfWideRows(t *testing.T) {
	const rows = 50
	d := newDatabaseForTest(t)
	s := d.session()
	defer s.end()
	columns := make([]string, 60)
	values := make([]string, 60)
	for i := range columns {
		columns[i] = fmt.Sprintf("c%d VARCHAR(20)", i)
		values[i] = fmt.Sprintf("'v%d'", i)
	}
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, %s, KEY k (c9, c8))", strings.Join(columns, ","))
	for id := range rows {
		s.exec("INSERT INTO t VALUES (%d, %s)", id, strings.Join(values, ","))
	}
	for _, c := range []struct {
		query   string
		decoded uint64
	}{
		{"SELECT c7 FROM t", rows},
		{"SELECT c7, c59 FROM t", 2 * rows},
		{"SELECT id FROM t", 0},
		{"SELECT c7 FROM t WHERE c30 = 'v30'", 2 * rows},
		{"SELECT COUNT(*) FROM t WHERE id >= 0", 0},
		{"SELECT c8, c9, id FROM t WHERE c9 = 'v9'", 0},
		{"SELECT c7 FROM t WHERE c9 = 'v9'", 2 * rows}, // GMS wants the column of its filter too
	} {
		before := d.decoded("t")
		gets := d.store.Metrics().Gets
		s.exec("%s", c.query)
		require.LessOrEqual(t, d.decoded("t")-before, c.decoded, c.query)
		if c.decoded == 0 {
			// Catalog version and row counts are read by key, rows are not.
			require.LessOrEqual(t, d.store.Metrics().Gets-gets, uint64(rows/3), c.query)
		}
	}
}
