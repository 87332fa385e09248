package vtab

import (
	"errors"
	"io"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// distanceIter returns all rows in the order of a distance: what a vector index
// is asked for. It reads and sorts the whole table, which is exact and costs the
// table; a filter above it therefore finds as many rows as there are.
type distanceIter struct {
	t        *Table
	distance sql.Expression
	rows     []distantRow
	read     bool
	at       int
}

type distantRow struct {
	row      sql.Row
	distance float64
}

func newDistanceIter(t *Table, distance sql.Expression) *distanceIter {
	return &distanceIter{t: t, distance: distance}
}

// Next implements sql.RowIter.
func (i *distanceIter) Next(ctx *sql.Context) (sql.Row, error) {
	if !i.read {
		if err := i.readAll(ctx); err != nil {
			return nil, err
		}
		i.read = true
	}
	if i.at == len(i.rows) {
		return nil, io.EOF
	}
	row := i.rows[i.at].row
	i.rows[i.at].row = nil
	i.at++
	return row, nil
}

func (i *distanceIter) readAll(ctx *sql.Context) (err error) {
	full := *i.t
	full.columns, full.names, full.projection = nil, nil, nil
	distance, err := i.bind(ctx)
	if err != nil {
		return err
	}
	want := i.t.wanted()
	it := newRowIter(&full, &partition{})
	defer closing(&err, func() error { return it.Close(ctx) })
	for {
		row, err := it.Next(ctx)
		if errors.Is(err, errEOF) {
			break
		}
		if err != nil {
			return err
		}
		d, err := evaluate(ctx, distance, row)
		if err != nil {
			return err
		}
		out := make(sql.Row, len(want))
		for k, ord := range want {
			out[k] = row[ord]
		}
		i.rows = append(i.rows, distantRow{out, d})
	}
	slices.SortStableFunc(i.rows, func(a, b distantRow) int {
		switch {
		case a.distance < b.distance:
			return -1
		case a.distance > b.distance:
			return 1
		}
		return 0
	})
	return nil
}

// bind points the columns of the expression at the rows of the table.
func (i *distanceIter) bind(ctx *sql.Context) (sql.Expression, error) {
	e, _, err := transform.Expr(ctx, i.distance, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		f, ok := e.(*expression.GetField)
		if !ok {
			return e, transform.SameTree, nil
		}
		ord, ok := i.t.shape.column(f.Name())
		if !ok {
			return nil, transform.SameTree, sql.ErrColumnNotFound.New(f.Name())
		}
		return f.WithIndex(ord), transform.NewTree, nil
	})
	return e, err
}

// evaluate returns a distance; NULL is nearer than anything, as ORDER BY has it.
func evaluate(ctx *sql.Context, e sql.Expression, row sql.Row) (float64, error) {
	v, err := e.Eval(ctx, row)
	if err != nil || v == nil {
		return -1, err
	}
	f, _, err := types.Float64.Convert(ctx, v)
	if err != nil {
		return 0, err
	}
	return f.(float64), nil
}

// Close implements sql.RowIter.
func (i *distanceIter) Close(*sql.Context) error {
	i.rows = nil
	return nil
}
