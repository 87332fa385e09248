package load

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Rows reads the input of n as rows for the engine's INSERT: the columns that the
// statement lists, in its order, padded with NULLs to the number of the table's.
func Rows(ctx *sql.Context, n *plan.LoadData) (sql.RowIter, error) {
	s, err := open(ctx, n)
	if err != nil {
		return nil, err
	}
	r := &rows{source: s, n: n, lenient: n.IsIgnore || !sql.LoadSqlMode(ctx).Strict()}
	names, listed := n.ColNames, listedColumns(n)
	if len(names) == 0 { // all columns, or variables only
		for _, c := range n.DestSch {
			names = append(names, c.Name)
		}
		if !hasVariables(n) {
			listed = len(names)
		}
	}
	for _, name := range names {
		ordinal := n.DestSch.IndexOfColName(name)
		if ordinal < 0 {
			return nil, closed(sql.ErrUnknownColumn.New(name, n.DestSch[0].Source), s.file)
		}
		r.columns = append(r.columns, ordinal)
	}
	for columns := 0; columns < listed || len(r.inputs) < len(n.UserVars) && n.UserVars[len(r.inputs)] != nil; {
		v := n.UserVars[len(r.inputs)]
		if v == nil {
			columns++
		}
		r.inputs = append(r.inputs, v)
	}
	return r, nil
}

func hasVariables(n *plan.LoadData) bool {
	return slices.ContainsFunc(n.UserVars, func(v sql.Expression) bool { return v != nil })
}

// listedColumns is how many of n.ColNames get a field. The binder appends to them
// the columns of SET clauses that are not listed, and a variable of none for each;
// it starts with as many variables as the longer of the table and the list has
// entries.
func listedColumns(n *plan.LoadData) int {
	variables := 0
	for _, v := range n.UserVars {
		if v != nil {
			variables++
		}
	}
	appended := 0
	for a := 1; a <= len(n.ColNames); a++ {
		ordinal := n.DestSch.IndexOfColName(n.ColNames[len(n.ColNames)-a])
		if ordinal < 0 || len(n.SetExprs) <= ordinal || n.SetExprs[ordinal] == nil {
			break
		}
		if len(n.UserVars) == max(len(n.DestSch), variables+len(n.ColNames)-a)+a {
			appended = a
		}
	}
	return len(n.ColNames) - appended
}

// rows is the iterator.
type rows struct {
	*source
	n       *plan.LoadData
	lenient bool
	columns []int            // ordinals of the columns listed
	inputs  []sql.Expression // for each field the variable it goes to, nil for the next column
}

// Next implements sql.RowIter.
func (r *rows) Next(ctx *sql.Context) (sql.Row, error) {
	fields, surplus, err := r.next(len(r.inputs))
	if err != nil {
		return nil, err
	}
	if err := r.checkCount(ctx, len(fields) < len(r.inputs), surplus, r.lenient); err != nil {
		return nil, err
	}
	given := make(sql.Row, len(r.n.DestSch)) // in the order of the table
	missing := make([]bool, len(r.columns))
	for i := range missing {
		missing[i] = true
	}
	column := 0
	for i, variable := range r.inputs {
		var value any
		if i < len(fields) && !fields[i].Null {
			value = string(fields[i].Text)
		}
		if variable != nil {
			if err := setVariable(ctx, variable, value); err != nil {
				return nil, err
			}
			continue
		}
		given[r.columns[column]], missing[column] = value, i >= len(fields)
		column++
	}
	return r.row(ctx, given, missing)
}

func setVariable(ctx *sql.Context, e sql.Expression, value any) error {
	name := e.(*expression.SetField).LeftChild.(*expression.UserVar).Name
	if value == nil {
		return ctx.SetUserVariable(ctx, name, nil, types.Null)
	}
	return ctx.SetUserVariable(ctx, name, value, types.LongText)
}

// row puts the columns into the order of the list. The SET clauses and the defaults
// of what is missing see the fields.
func (r *rows) row(ctx *sql.Context, given sql.Row, missing []bool) (sql.Row, error) {
	row := make(sql.Row, len(given))
	for i, ordinal := range r.columns {
		column := r.n.DestSch[ordinal]
		var err error
		switch {
		case len(r.n.SetExprs) > ordinal && r.n.SetExprs[ordinal] != nil:
			row[i], err = r.n.SetExprs[ordinal].Eval(ctx, given)
		case !missing[i]:
			row[i] = given[ordinal]
		case !column.Nullable && !column.AutoIncrement:
			row[i] = column.Type.Zero()
		case column.Default != nil:
			row[i], err = column.Default.Eval(ctx, given)
		}
		if err != nil {
			return nil, err
		}
	}
	return row, nil
}

// Close implements sql.RowIter.
func (r *rows) Close(*sql.Context) error { return r.file.Close() }
