package literal

import "github.com/dolthub/go-mysql-server/sql"

// AutoIncrement gives the AUTO_INCREMENT column its values in the rows of one
// statement.
type AutoIncrement struct {
	// Table hands out values, and takes note of a given one.
	Table interface {
		GetNextAutoIncrementValue(ctx *sql.Context, given any) (uint64, error)
	}
	Type sql.Type // of the column

	first     uint64
	generated bool
}

// Value is the column's value in the next row: NULL, and 0 unless sql_mode says
// otherwise, ask for a new one. Errors: ErrValueOutOfRange, those of the table.
func (a *AutoIncrement) Value(ctx *sql.Context, given any) (any, error) {
	if given != nil {
		sign, err := a.Type.Compare(ctx, given, a.Type.Zero())
		switch {
		case err != nil:
			return nil, err
		case sign == 0 && !sql.LoadSqlMode(ctx).ModeEnabled(sql.NoAutoValueOnZero):
			given = nil
		case sign <= 0:
			return given, nil
		}
	}
	id, err := a.Table.GetNextAutoIncrementValue(ctx, given)
	if err != nil || given != nil {
		return given, err
	}
	if !a.generated {
		a.generated, a.first = true, id
	}
	value, inRange, err := a.Type.Convert(ctx, id)
	if err == nil && inRange != sql.InRange {
		err = sql.ErrValueOutOfRange.New(id, a.Type)
	}
	return value, err
}

// First is the first value that was handed out; ok is false if none was.
func (a *AutoIncrement) First() (id uint64, ok bool) { return a.first, a.generated }
