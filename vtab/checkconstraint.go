package vtab

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
)

// errEnough ends a query of the check that has found enough.
var errEnough = errors.New("enough was found")

// checkConstraints evaluates the enforced CHECK constraints of a table in the SQL
// engine.
func (e *Engine) checkConstraints(ctx context.Context, db string, t *catalog.Table, f *findings) error {
	for i := range t.Checks {
		check := &t.Checks[i]
		if !check.Enforced {
			continue
		}
		part := "check " + quoteName(check.Name)
		if e.querier == nil {
			f.add(NoteUnchecked, part, nil, "there is no SQL engine to evaluate it")
			continue
		}
		rows, err := e.violations(ctx, db, t, check)
		if e.redefined(t) {
			f.add(NoteUnchecked, part, nil, "the table was redefined during the check; run it again")
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			f.add(NoteUnchecked, part, nil, "it cannot be evaluated: %v", err)
			continue
		}
		for _, row := range rows {
			f.add(ProblemCheck, part, nil, "the row %s violates %s", sql.FormatRow(row), check.Expr)
		}
	}
	return nil
}

// violations are the rows for which a check is false, by their primary keys where
// the table has one.
func (e *Engine) violations(ctx context.Context, db string, t *catalog.Table, check *catalog.Check) ([]sql.Row, error) {
	var rows []sql.Row
	// IS FALSE lets NULL pass, and keeps the planner from answering out of an
	// index that may be damaged.
	query := fmt.Sprintf("SELECT %s FROM %s WHERE (%s) IS FALSE", identity(t), tableText(db, t), check.Expr)
	err := e.querier(ctx, query, func(row sql.Row) error {
		rows = append(rows, row.Copy())
		if len(rows) > maxProblems {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return rows, err
}

// identity lists the columns that name a row: the primary key, or all.
func identity(t *catalog.Table) string {
	var names []string
	for _, p := range t.PK {
		for i := range t.Columns {
			if t.Columns[i].ID == p.Column {
				names = append(names, quoteName(t.Columns[i].Name))
			}
		}
	}
	if len(names) == 0 {
		return "*"
	}
	return strings.Join(names, ", ")
}

// redefined reports whether the table is no longer what t says.
func (e *Engine) redefined(t *catalog.Table) bool {
	o, ok, err := e.catalog.Current().ByID(catalog.KindTable, t.ID)
	return err != nil || !ok || o.Head().Version != t.Version
}
