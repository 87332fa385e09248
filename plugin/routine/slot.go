package routine

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/plugin/correct"
)

// slot is a variable or parameter of a running function. A program's slots are
// used by the one call that runs it.
type slot struct {
	name  string
	typ   sql.Type
	value any // of the type, or nil
}

// set stores a value as its type, as an assignment to a column would.
func (s *slot) set(ctx *sql.Context, value any) error {
	stored, err := correct.Store(ctx, s.name, s.typ, value, !sql.LoadSqlMode(ctx).Strict(), 1)
	if err != nil {
		return err
	}
	s.value = stored
	return nil
}

// variable is a slot as an expression of a statement. Its value is the slot's at
// the time of evaluation, and does not change while a statement runs.
type variable struct{ slot *slot }

var (
	_ sql.Expression         = variable{}
	_ sql.CollationCoercible = variable{}
)

// Eval implements sql.Expression.
func (v variable) Eval(*sql.Context, sql.Row) (any, error) { return v.slot.value, nil }

// Type implements sql.Expression.
func (v variable) Type(*sql.Context) sql.Type { return v.slot.typ }

// IsNullable implements sql.Expression.
func (v variable) IsNullable(*sql.Context) bool { return true }

// Resolved implements sql.Expression.
func (v variable) Resolved() bool { return true }

// String implements sql.Expression.
func (v variable) String() string { return v.slot.name }

// Children implements sql.Expression.
func (v variable) Children() []sql.Expression { return nil }

// WithChildren implements sql.Expression.
func (v variable) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(v, len(children), 0)
	}
	return v, nil
}

// CollationCoercibility implements sql.CollationCoercible: implicit, as a column.
func (v variable) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if text, ok := v.slot.typ.(sql.StringType); ok {
		return text.Collation(), 2
	}
	return sql.Collation_binary, 5
}

// bindingName is the name under which a statement refers to the i-th slot.
func bindingName(i int) string { return fmt.Sprintf("freshet_%d", i) }
