package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/vtab/enc"
)

// unpadded is a text without the blanks at its end, for an order under a collation
// that takes no account of them. The engine's own comparison counts them.
type unpadded struct{ sql.Expression }

// unpaddedOrder wraps what is sorted by; false if there is nothing to wrap.
func unpaddedOrder(ctx *sql.Context, conditions sql.SortConditions) (sql.SortConditions, bool) {
	var changed sql.SortConditions
	for i, c := range conditions {
		if _, done := c.Expr.(*unpadded); done || !padded(c.Expr.Type(ctx)) {
			continue
		}
		if changed == nil {
			changed = append(changed, conditions...)
		}
		changed[i].Expr = &unpadded{c.Expr}
	}
	return changed, changed != nil
}

// unpaddedWindow does the same for what a window is divided and ordered by.
func unpaddedWindow(ctx *sql.Context, definition *sql.WindowDefinition) (*sql.WindowDefinition, bool) {
	if definition == nil {
		return nil, false
	}
	order, changed := unpaddedOrder(ctx, definition.OrderBy)
	if !changed {
		order = definition.OrderBy
	}
	parts := append([]sql.Expression(nil), definition.PartitionBy...)
	for i, part := range parts {
		if _, done := part.(*unpadded); !done && padded(part.Type(ctx)) {
			parts[i], changed = &unpadded{part}, true
		}
	}
	if !changed {
		return definition, false
	}
	return sql.NewWindowDefinition(parts, order, definition.Frame, definition.Ref, definition.Name), true
}

// Eval implements sql.Expression.
func (u *unpadded) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := u.Expression.Eval(ctx, row)
	if err != nil || value == nil {
		return nil, err
	}
	if value, err = sql.UnwrapAny(ctx, value); err != nil {
		return nil, err
	}
	text, ok := u.Type(ctx).(sql.StringType)
	if !ok || !types.IsTextOnly(text) || !enc.Pads(text.Collation()) {
		return value, nil
	}
	return withoutPad(text.Collation(), value), nil
}

// WithChildren implements sql.Expression.
func (u *unpadded) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	inner, err := u.Expression.WithChildren(ctx, children...)
	return &unpadded{inner}, err
}
