package vtab

import (
	"errors"
	"hash/crc32"
	"io"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/vtab/enc"
)

// Checksum adds up checksums of the rows that the transaction sees. It depends on
// the values of the columns in declaration order and on nothing else: not on the
// order of rows, not on indexes, not on how rows are stored, and not on the time zone. Columns that are
// computed when they are read are left out, their sources are in.
func (t *Table) Checksum(ctx *sql.Context) (sum uint32, err error) {
	var columns []string
	for i, col := range t.shape.schema {
		if !col.HiddenSystem && !t.shape.desc.Columns[i].Virtual {
			columns = append(columns, col.Name)
		}
	}
	projected, err := t.WithProjections(ctx, columns)
	if err != nil {
		return 0, err
	}
	table := *projected.(*Table)
	table.use = &stmtState{stored: true}
	rows := newRowIter(&table, &partition{})
	defer closing(&err, func() error { return rows.Close(ctx) })
	schema := table.projection
	var buf []byte
	for {
		row, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return sum, nil
		}
		if err != nil {
			return 0, err
		}
		buf = buf[:0]
		for i, value := range row {
			if buf, err = enc.AppendValue(ctx, buf, schema[i].Type, value); err != nil {
				return 0, err
			}
		}
		sum += crc32.ChecksumIEEE(buf)
	}
}
