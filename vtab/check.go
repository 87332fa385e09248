package vtab

import (
	"context"
	"errors"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// Querier runs a query of the check in a session of its own, without looking at
// anybody's rights, and calls visit for each row until that fails.
type Querier func(ctx context.Context, query string, visit func(sql.Row) error) error

// SetQuerier gives the checks a way to evaluate CHECK constraints, which need the
// SQL engine. Without one they are noted as unchecked. Call it before use.
func (e *Engine) SetQuerier(q Querier) { e.querier = q }

// CheckTable compares a table with itself at one snapshot of the store:
//
//   - every row decodes under a layout that the definition knows, lies under the
//     key that its values make, and has no NULL in a NOT NULL column;
//   - each index has exactly the entries that the rows make, keys and values,
//     and no two rows share a value of a unique key;
//   - each row with a non-NULL foreign key has its parent. Keys declared NOT
//     VALID, or under foreign_key_checks = 0, were never validated: their orphans
//     are notes, those of all other keys are damage, also if the rows were written
//     under foreign_key_checks = 0;
//   - no row violates an enforced CHECK constraint (needs SetQuerier; judged at a
//     snapshot a little later);
//   - the AUTO_INCREMENT counter, or that of the hidden row ids, is beyond every
//     value in the table, and the stored row count is the number of rows.
//
// The rows behind GMS's full-text indexes are tables of their own; that they fit
// their parent is not checked.
//
// One pass over the rows and one over each index, whose sets of entries are
// compared by 128-bit fingerprints that do not depend on order; only where they
// differ a second pass looks up each entry and each row to name the culprits.
// Foreign keys cost one look-up per row and key, remembered for recent parents. Memory is
// constant but for the list of problems, which is bounded. Nothing is locked.
//
// A part that cannot be read is a finding too (ProblemUnreadable), and the others are
// checked all the same. The error is that of ctx, sql.ErrDatabaseNotFound,
// sql.ErrTableNotFound or a *catalog.BrokenEntryError; what the check found is in the
// list, empty if all is sound.
func (e *Engine) CheckTable(ctx context.Context, db, table string) ([]Problem, error) {
	v, err := e.view(ctx)
	if err != nil {
		return nil, err
	}
	defer v.close()
	d, ok := v.defs.DB(db)
	if !ok {
		return nil, sql.ErrDatabaseNotFound.New(db)
	}
	t, ok, err := d.Table(table)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, sql.ErrTableNotFound.New(table)
	}
	var r Report
	err = e.checkTable(ctx, v, d.Name(), t, &r)
	return r.Problems, err
}

// CheckAll compares the whole store with itself: the catalog (catalog.Verify), each
// table (CheckTable, each at a snapshot of its own), and that no keys lie in
// ranges that nothing owns. It may run beside other sessions; the ranges of their
// temporary tables and of builds under way are theirs. The cost is that of reading
// everything once.
func (e *Engine) CheckAll(ctx context.Context) (Report, error) {
	var r Report
	problems, err := e.catalog.Verify(ctx)
	if err := r.unreadable(ctx, "catalog", err); err != nil {
		return r, err
	}
	for _, p := range problems {
		r.Problems = append(r.Problems, Problem{Kind: ProblemCatalog, Object: catalogObject(p), Key: p.Key, Detail: p.Reason})
	}
	defs := e.catalog.Current()
	r.Objects = defs.Len()
	for _, db := range defs.Databases() {
		for _, h := range db.Children() {
			if h.Kind != catalog.KindTable {
				continue
			}
			name := quoteName(db.Name()) + "." + quoteName(h.Name)
			if err := r.unreadable(ctx, name, e.checkByID(ctx, h.ID, &r)); err != nil {
				return r, fmt.Errorf("check %s: %w", name, err)
			}
		}
	}
	return r, r.unreadable(ctx, "key ranges", e.checkStrays(ctx, &r))
}

// unreadable makes a failure to read a finding. What it returns ends the check.
func (r *Report) unreadable(ctx context.Context, object string, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	r.Problems = append(r.Problems, Problem{Kind: ProblemUnreadable, Object: object, Detail: err.Error()})
	return nil
}

func catalogObject(p catalog.Problem) string {
	if p.Kind == 0 {
		return "catalog"
	}
	return fmt.Sprintf("%v %s (id %d)", p.Kind, quoteName(p.Name), p.ID)
}

// checkByID checks a table that CheckAll has listed. One that was dropped since
// is no problem; one whose entry is broken has been reported by Verify.
func (e *Engine) checkByID(ctx context.Context, id catalog.ID, r *Report) error {
	v, err := e.view(ctx)
	if err != nil {
		return err
	}
	defer v.close()
	o, ok, err := v.defs.ByID(catalog.KindTable, id)
	var broken *catalog.BrokenEntryError
	if !ok || errors.As(err, &broken) {
		return nil
	}
	if err != nil {
		return err
	}
	t := o.(*catalog.Table)
	db, ok := v.defs.DBByID(t.Parent)
	if !ok {
		return nil
	}
	r.Tables++
	return e.checkTable(ctx, v, db.Name(), t, r)
}

// view is the store and the catalog at one commit.
type view struct {
	txn    kv.Txn
	reader kv.Reader
	defs   *catalog.Snapshot
}

func (v *view) close() { v.txn.Rollback() }

// view takes a snapshot of the store and the catalog of the same commit.
func (e *Engine) view(ctx context.Context) (*view, error) {
	txn, err := e.store.Begin(ctx)
	if err != nil {
		return nil, err
	}
	var waiting patience
	for {
		defs := e.catalog.Current()
		r, err := txn.Snapshot(kv.Now)
		if err != nil {
			txn.Rollback()
			return nil, err
		}
		stored, err := readUint64(ctx, r, kv.MetaCatalogVersion)
		if err != nil {
			txn.Rollback()
			return nil, fmt.Errorf("catalog version: %w", err)
		}
		if stored == defs.Version() {
			return &view{txn: txn, reader: r, defs: defs}, nil
		}
		txn.ResetSnapshot()
		if err := waiting.wait(ctx, e.store); err != nil {
			txn.Rollback()
			return nil, err
		}
	}
}

// checkTable checks one table at v and adds to r.
func (e *Engine) checkTable(ctx context.Context, v *view, db string, t *catalog.Table, r *Report) error {
	f := &findings{table: tableText(db, t)}
	defer func() { r.Problems = append(r.Problems, f.list()...) }()
	s, err := newShape(ctx, db, t)
	if err != nil {
		f.add(ProblemDefinition, "", nil, "%v", err)
		return nil
	}
	c := &tableCheck{engine: e, view: v, shape: s, db: db, found: f}
	if err := c.run(ctx); err != nil {
		return err
	}
	r.Rows += c.rows
	r.IndexEntries += c.entries
	return e.checkConstraints(ctx, db, t, f)
}
