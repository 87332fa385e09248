package routine

import "github.com/dolthub/go-mysql-server/sql"

// cursor holds the rows of its query from OPEN on, so what the function does
// meanwhile does not show in it.
type cursor struct {
	query  *query
	opened bool
	schema sql.Schema
	rows   []sql.Row
	next   int
}

func (c *cursor) close() { *c = cursor{query: c.query} }

type opening struct{ cursor *cursor }

func (o opening) run(m *machine) (flow, error) {
	return m.guard(func() error {
		if o.cursor.opened {
			return errCursorOpen()
		}
		schema, rows, err := o.cursor.query.rows(m, -1)
		if err != nil {
			return err
		}
		o.cursor.opened, o.cursor.schema, o.cursor.rows = true, schema, rows
		return nil
	})
}

type fetching struct {
	cursor  *cursor
	targets []assignment
}

func (f fetching) run(m *machine) (flow, error) {
	return m.guard(func() error {
		c := f.cursor
		switch {
		case !c.opened:
			return errCursorNotOpen()
		case len(c.schema) != len(f.targets):
			return errFetchCount()
		case c.next == len(c.rows):
			return errNoData
		}
		row := c.rows[c.next]
		c.next++
		for i, target := range f.targets {
			if err := target.set(m, row[i], c.schema[i].Type); err != nil {
				return err
			}
		}
		return nil
	})
}

type closing struct{ cursor *cursor }

func (c closing) run(m *machine) (flow, error) {
	return m.guard(func() error {
		if !c.cursor.opened {
			return errCursorNotOpen()
		}
		c.cursor.close()
		return nil
	})
}
