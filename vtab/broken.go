package vtab

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/freshetdb/freshet/catalog"
)

// Objects whose catalog entries cannot be read. Each stands alone: what does not
// need it goes on, what does fails with the reason, and DROP is the way out.

// onlyBroken reports whether err says no more than that some entries cannot be
// read. Lists leave those out; the catalog has reported them when it was opened.
func onlyBroken(err error) bool {
	var broken *catalog.BrokenEntryError
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			if !onlyBroken(e) {
				return false
			}
		}
		return true
	}
	return errors.As(err, &broken)
}

// readable is a list without the entries that cannot be read.
func readable[O any](list []O, err error) ([]O, error) {
	if err != nil && onlyBroken(err) {
		err = nil
	}
	return list, err
}

// brokenOf returns the *catalog.BrokenEntryError in err, nil if there is none.
func brokenOf(err error) *catalog.BrokenEntryError {
	var broken *catalog.BrokenEntryError
	errors.As(err, &broken)
	return broken
}

// brokenTable stands for a table whose entry cannot be read in the one statement
// that can do without it: DROP. GMS binds the table before it drops it.
type brokenTable struct {
	name string
	err  error
}

var _ sql.Table = (*brokenTable)(nil)

// Name implements sql.Table.
func (t *brokenTable) Name() string { return t.name }

// String implements sql.Table.
func (t *brokenTable) String() string { return t.name }

// Schema implements sql.Table.
func (t *brokenTable) Schema(*sql.Context) sql.Schema { return nil }

// Collation implements sql.Table.
func (t *brokenTable) Collation() sql.CollationID { return sql.Collation_Default }

// Partitions implements sql.Table.
func (t *brokenTable) Partitions(*sql.Context) (sql.PartitionIter, error) { return nil, t.err }

// PartitionRows implements sql.Table.
func (t *brokenTable) PartitionRows(*sql.Context, sql.Partition) (sql.RowIter, error) {
	return nil, t.err
}

// bindBroken returns what a statement gets for a table whose entry cannot be read.
func bindBroken(ctx *sql.Context, b *catalog.BrokenEntryError) (sql.Table, bool, error) {
	if isDrop(ctx.Query()) {
		return &brokenTable{name: b.Name, err: b}, true, nil
	}
	return nil, false, b
}

// isDrop reports whether a statement begins with DROP.
func isDrop(query string) bool {
	fields := strings.Fields(ast.StripLeadingComments(query))
	return len(fields) > 0 && strings.EqualFold(fields[0], "drop")
}

// dropBroken removes an entry that cannot be read, with the ranges that it is
// known to own. Where even those are lost, the next open sweeps them.
func (tx *Transaction) dropBroken(ctx *sql.Context, c *catalog.Txn, b *catalog.BrokenEntryError) error {
	if b.Kind == catalog.KindTable {
		if err := tx.lock(ctx, tableLockKey(b.ID), exclusive, tx.sess.lockWait(ctx)); err != nil {
			return err
		}
	}
	if err := c.Drop(b.Kind, b.ID); err != nil {
		return err
	}
	if err := tx.dropRanges(ctx, b.Physical...); err != nil {
		return err
	}
	if b.Kind != catalog.KindTable {
		return nil
	}
	return tx.dropSequence(ctx, b.ID)
}

// dropBrokenTable is DROP TABLE of a table whose entry cannot be read.
func (d *Database) dropBrokenTable(ctx *sql.Context, c *catalog.Txn, tx *Transaction, b *catalog.BrokenEntryError) error {
	if tx.sess.foreignKeyChecks() {
		children, err := c.Snapshot().References(d.name, b.Name)
		if err != nil && !onlyBroken(err) {
			return err
		}
		for _, child := range children {
			for _, fk := range child.Foreign {
				if sameName(fk.ParentTable, b.Name) && sameName(fk.ParentDatabase, d.name) {
					return sql.ErrForeignKeyDropTable.New(b.Name, fk.Name)
				}
			}
		}
	}
	return tx.dropBroken(ctx, c, b)
}

// brokenTriggers stand for the triggers that cannot be read: statements on their
// tables fail and say why, instead of running without them. Which event a trigger
// waits for is not known, so there is one for each.
func brokenTriggers(db *catalog.DB, err error) []sql.TriggerDefinition {
	var all []sql.TriggerDefinition
	for _, b := range brokenIn(err) {
		for _, ref := range b.References {
			if !sameName(ref.Database, db.Name()) {
				continue
			}
			for _, event := range []string{"INSERT", "UPDATE", "DELETE"} {
				// MySQL bounds the text of a signal.
				text := []rune(fmt.Sprintf("trigger %s cannot be read; DROP TRIGGER it", quoteName(b.Name)))
				text = text[:min(len(text), maxSignalChars)]
				all = append(all, sql.TriggerDefinition{Name: b.Name, CreateStatement: fmt.Sprintf(
					"CREATE TRIGGER %s BEFORE %s ON %s FOR EACH ROW BEGIN SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1030, MESSAGE_TEXT = '%s'; END",
					quoteName(b.Name), event, quoteName(ref.Table), strings.ReplaceAll(string(text), "'", "''"))})
			}
		}
	}
	return all
}

// brokenIn lists the entries that a joined error is about.
func brokenIn(err error) []*catalog.BrokenEntryError {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*catalog.BrokenEntryError
		for _, e := range joined.Unwrap() {
			all = append(all, brokenIn(e)...)
		}
		return all
	}
	if b := brokenOf(err); b != nil {
		return []*catalog.BrokenEntryError{b}
	}
	return nil
}

// triggerTable reads the table out of a CREATE TRIGGER statement. It is zero
// where the grammar at hand does not read the statement.
func triggerTable(ctx *sql.Context, db, statement string) catalog.TableRef {
	parsed, err := ast.ParseWithOptions(ctx, statement, sql.LoadSqlMode(ctx).ParserOptions())
	if err != nil {
		return catalog.TableRef{}
	}
	ddl, ok := parsed.(*ast.DDL)
	if !ok || ddl.TriggerSpec == nil {
		return catalog.TableRef{}
	}
	if q := ddl.Table.DbQualifier.String(); q != "" {
		db = q
	}
	return catalog.TableRef{Database: db, Table: ddl.Table.Name.String()}
}
