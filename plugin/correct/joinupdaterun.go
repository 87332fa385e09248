package correct

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// joinUpdateRun is one execution of a joinUpdate.
type joinUpdateRun struct {
	rows      sql.RowIter
	width     int // of a joined row
	targets   []*updateTarget
	explicit  []assignment // of the statement
	derived   []assignment // columns that follow others: generated, ON UPDATE
	ignore    bool
	lenient   bool
	foundRows bool
	judge     func(ctx *sql.Context, table sql.Table, row sql.Row) error
	keepID    bool // LAST_INSERT_ID() is what it was
	matched   int
	changed   int
}

type updateTarget struct {
	*joinTarget
	name    string
	table   sql.Table
	updater sql.RowUpdater
	checks  sql.CheckConstraints
	// always: the rows of the statement are the table's, none twice.
	always bool
}

// assignment sets a column of a joined row.
type assignment struct {
	table, column string // in lower case
	set           sql.Expression
	// at is where the column is in a joined row if set is only its value, else -1:
	// set gives the row then.
	at int
}

// assign takes the assignments of the statement apart.
func (r *joinUpdateRun) assign(ctx *sql.Context, source *plan.UpdateSource) error {
	exprs, _ := fixAssignments(ctx, source.UpdateExprs.AllExpressions(), source.Ignore, limitsOf(source.Child))
	updates, err := source.UpdateExprs.WithExpressions(exprs)
	if err != nil {
		return err
	}
	r.explicit = assignments(updates.ExplicitUpdateExprs())
	r.derived = assignments(updates.DerivedUpdateExprs())
	return nil
}

func assignments(exprs []sql.Expression) []assignment {
	all := make([]assignment, len(exprs))
	for i, e := range exprs {
		all[i] = assignment{set: e, at: -1}
		if set, ok := e.(*expression.SetField); ok {
			if column, ok := set.LeftChild.(*expression.GetField); ok {
				all[i].table, all[i].column = strings.ToLower(column.Table()), strings.ToLower(column.Name())
			}
		}
	}
	return all
}

// follow adds the ON UPDATE columns of the targets that the binder has left out: it
// takes columns of one name in two tables for one.
func (r *joinUpdateRun) follow(ctx *sql.Context) error {
	for _, t := range r.targets {
		for i, column := range t.schema {
			name := strings.ToLower(column.Name)
			same := func(a assignment) bool { return a.table == t.name && a.column == name }
			if column.OnUpdate == nil || slices.ContainsFunc(r.explicit, same) || slices.ContainsFunc(r.derived, same) {
				continue
			}
			now, err := nowOf(ctx, column)
			if err != nil {
				return err
			}
			r.derived = append(r.derived, assignment{table: t.name, column: name, set: now, at: t.start + i})
		}
	}
	return nil
}

// nowOf is CURRENT_TIMESTAMP with the precision of a column, the only thing that ON
// UPDATE can set.
func nowOf(ctx *sql.Context, column *sql.Column) (sql.Expression, error) {
	precision := 0
	if typ, ok := column.Type.(sql.DatetimeType); ok {
		precision = typ.Precision()
	}
	now, err := function.NewNow(ctx, expression.NewLiteral(int8(precision), types.Int8))
	if err != nil {
		return nil, err
	}
	return &storedValue{child: now, conversion: conversion{column: column.Name, typ: column.Type}, nullable: true, rows: new(int64)}, nil
}

// apply is the joined row with the column set; width is that of the row without
// values of an outer scope.
func (a assignment) apply(ctx *sql.Context, row sql.Row, width int) (sql.Row, error) {
	value, err := a.set.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if a.at >= 0 {
		changed := row.Copy()
		changed[len(row)-width+a.at] = value
		return changed, nil
	}
	changed, ok := value.(sql.Row)
	if !ok {
		return nil, plan.ErrUpdateUnexpectedSetResult.New(value)
	}
	return changed, nil
}

func (r *joinUpdateRun) run(ctx *sql.Context) ([]sql.Row, error) {
	info := ctx.GetLastQueryInfo()
	before := info.LastInsertId.Load()
	var all editors
	for _, t := range r.targets {
		all = append(all, t.updater)
	}
	all.begin(ctx)
	err := eachRow(ctx, r.rows, func(row sql.Row) error { return r.row(ctx, row) })
	err = closed(ctx, r.rows, all.end(ctx, err))
	for _, t := range r.targets {
		err = AlsoFailed(err, t.updater.Close(ctx), t.triggers.close(ctx))
	}
	if err != nil {
		return nil, err
	}
	if r.keepID {
		info.LastInsertId.Store(before)
	}
	affected := r.changed
	if r.foundRows {
		affected = r.matched
	}
	info.FoundRows.Store(int64(r.matched))
	info.RowCount.Store(int64(affected))
	return []sql.Row{sql.NewRow(types.OkResult{
		RowsAffected: uint64(affected),
		Info:         plan.UpdateInfo{Matched: r.matched, Updated: r.changed},
	})}, nil
}

// row changes the targets' rows in a joined row, each the first time that it is
// met.
func (r *joinUpdateRun) row(ctx *sql.Context, old sql.Row) error {
	var met []*updateTarget
	for _, t := range r.targets {
		own := t.of(old, r.width)
		if t.always || !t.absent(own) && t.first(own) {
			met = append(met, t)
		}
	}
	if len(met) == 0 {
		return nil
	}
	row := old
	var err error
	for _, a := range r.explicit {
		if row, err = a.apply(ctx, row, r.width); err != nil {
			return err
		}
	}
	for _, t := range met {
		r.matched++
		if err := r.judge(ctx, t.table, t.of(old, r.width)); err != nil {
			return err
		}
		if row, err = r.derive(ctx, t, old, row); err != nil {
			return err
		}
		if err := r.change(ctx, t, t.of(old, r.width), t.of(row, r.width)); err != nil {
			return err
		}
	}
	return nil
}

// derive sets the columns of a target that follow others, if the statement changes
// its row.
func (r *joinUpdateRun) derive(ctx *sql.Context, t *updateTarget, old, row sql.Row) (sql.Row, error) {
	same, err := t.of(old, r.width).Equals(ctx, t.of(row, r.width), t.schema)
	if err != nil || same {
		return row, err
	}
	for _, a := range r.derived {
		if a.table != t.name {
			continue
		}
		if row, err = a.apply(ctx, row, r.width); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// change changes one row. With IGNORE one that cannot be changed is left alone,
// with a warning.
func (r *joinUpdateRun) change(ctx *sql.Context, t *updateTarget, old, row sql.Row) error {
	if !r.ignore {
		return r.changeRow(ctx, t, old, row)
	}
	one := editors{t.updater}
	one.begin(ctx)
	if err := one.end(ctx, r.changeRow(ctx, t, old, row)); err != nil {
		return ignore(ctx, err)
	}
	return nil
}

func (r *joinUpdateRun) changeRow(ctx *sql.Context, t *updateTarget, old, row sql.Row) error {
	both, err := t.triggers.before.fire(ctx, joined(old, row))
	if err != nil {
		return err
	}
	row = both[len(both)-len(row):]
	same, err := old.Equals(ctx, row, t.schema)
	if err != nil {
		return err
	}
	if !same {
		if err := fillNulls(ctx, t.schema, row, r.lenient); err != nil {
			return err
		}
		if err := evaluateChecks(ctx, t.checks, row); err != nil {
			return err
		}
		if err := t.updater.Update(ctx, old, row); err != nil {
			return err
		}
	}
	if _, err = t.triggers.after.fire(ctx, joined(old, row)); err != nil {
		return err
	}
	if !same {
		r.changed++
	}
	return nil
}
