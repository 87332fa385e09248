package correct

import (
	"bytes"
	"context"
	"fmt"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// The engine asks the types of a schema whether an UPDATE changes a row, so 'Abc'
// to 'ABC' is no change under a case-insensitive collation. An exact type compares
// as its type does, but never takes two values for equal that are stored
// differently. Only schemas that the engine compares rows by hold exact types;
// expressions keep theirs.

// exactFunc is Options.ExactEqual.
type exactFunc func(ctx context.Context, typ sql.Type, a, b any) (bool, error)

type exactString struct {
	sql.StringType
	equal exactFunc
}

type exactJSON struct {
	types.JsonType
	equal exactFunc
}

type exactFloat struct {
	sql.RoundingNumberType
	equal exactFunc
}

// Compare implements sql.Type.
func (t exactString) Compare(ctx context.Context, a, b any) (int, error) {
	return compareExactly(ctx, t.StringType, t.equal, a, b)
}

// Compare implements sql.Type.
func (t exactJSON) Compare(ctx context.Context, a, b any) (int, error) {
	return compareExactly(ctx, t.JsonType, t.equal, a, b)
}

// Compare implements sql.Type.
func (t exactFloat) Compare(ctx context.Context, a, b any) (int, error) {
	return compareExactly(ctx, t.RoundingNumberType, t.equal, a, b)
}

func compareExactly(ctx context.Context, typ sql.Type, equal exactFunc, a, b any) (int, error) {
	if a == nil || b == nil {
		return typ.Compare(ctx, a, b)
	}
	same, err := equal(ctx, typ, a, b)
	if err != nil || same {
		return 0, err
	}
	order, err := typ.Compare(ctx, a, b)
	if err == nil && order == 0 {
		order = 1
	}
	return order, err
}

// exactType is the exact form of a type; false if its comparison is exact already.
func exactType(typ sql.Type, equal exactFunc) (sql.Type, bool) {
	switch t := typ.(type) {
	case exactString, exactJSON, exactFloat:
		return typ, false
	case types.JsonType:
		return exactJSON{t, equal}, true
	case sql.StringType:
		if t.IsStringType() && t.Collation() != sql.Collation_binary {
			return exactString{t, equal}, true
		}
	case sql.RoundingNumberType:
		if t.Type() == sqltypes.Float32 || t.Type() == sqltypes.Float64 {
			return exactFloat{t, equal}, true
		}
	}
	return typ, false
}

// exactSchema is the schema with exact types; false if it has nothing to change.
func exactSchema(schema sql.Schema, equal exactFunc) (sql.Schema, bool) {
	var changed sql.Schema
	for i, column := range schema {
		typ, ok := exactType(column.Type, equal)
		if !ok {
			continue
		}
		if changed == nil {
			changed = append(sql.Schema(nil), schema...)
		}
		replaced := *column
		replaced.Type = typ
		changed[i] = &replaced
	}
	return changed, changed != nil
}

// exactEqual is the default of Options.ExactEqual.
func exactEqual(ctx context.Context, _ sql.Type, a, b any) (bool, error) {
	a, err := sql.UnwrapAny(ctx, a)
	if err != nil {
		return false, err
	}
	b, err = sql.UnwrapAny(ctx, b)
	if err != nil {
		return false, err
	}
	switch a := a.(type) {
	case string:
		if b, ok := b.(string); ok {
			return a == b, nil
		}
	case []byte:
		if b, ok := b.([]byte); ok {
			return bytes.Equal(a, b), nil
		}
	case float64:
		if b, ok := b.(float64); ok {
			return floatKey(a) == floatKey(b), nil
		}
	case float32:
		if b, ok := b.(float32); ok {
			return floatKey(float64(a)) == floatKey(float64(b)), nil
		}
	case sql.JSONWrapper:
		if b, ok := b.(sql.JSONWrapper); ok {
			return exactJSONEqual(ctx, a, b)
		}
	}
	// Values of one column have one Go type; anything else is a change.
	return false, nil
}

func exactJSONEqual(ctx context.Context, a, b sql.JSONWrapper) (bool, error) {
	left, err := a.ToInterface(ctx)
	if err != nil {
		return false, err
	}
	right, err := b.ToInterface(ctx)
	if err != nil {
		return false, err
	}
	return sameJSON(left, right), nil
}

// sameJSON says whether two JSON values are of the same kinds and contents all the
// way down: 1 and 1.0 differ.
func sameJSON(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, value := range a {
			other, ok := b[key]
			if !ok || !sameJSON(value, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameJSON(a[i], b[i]) {
				return false
			}
		}
		return true
	case *apd.Decimal:
		b, ok := b.(*apd.Decimal)
		return ok && a.Exponent == b.Exponent && a.Cmp(b) == 0
	case nil:
		return b == nil
	}
	// The rest are Go scalars and times, which print distinctly within a type.
	return fmt.Sprintf("%T %v", a, a) == fmt.Sprintf("%T %v", b, b)
}
