package correct

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/vtab/enc"
)

// rowKeys makes keys of rows: two rows have one key if and only if their values are
// equal by the types of their columns, NULL being equal to NULL. The engine's hash
// of rows knows no collation, takes NULL for '<nil>', and loses where one value
// ends. A rowKeys is used by one goroutine.
type rowKeys struct {
	types  []sql.Type
	buffer []byte
}

// keyBytesMax is from where a key is replaced by its SHA-256, which bounds the
// memory of a set of keys. No two keys with one hash are known for any input.
const keyBytesMax = 64

func keysOf(schema sql.Schema) *rowKeys {
	k := &rowKeys{types: make([]sql.Type, len(schema))}
	for i, column := range schema {
		k.types[i] = column.Type
	}
	return k
}

func keysOfExpressions(ctx *sql.Context, expressions []sql.Expression) *rowKeys {
	k := &rowKeys{types: make([]sql.Type, len(expressions))}
	for i, e := range expressions {
		k.types[i] = e.Type(ctx)
	}
	return k
}

// of is the key of a row.
func (k *rowKeys) of(ctx *sql.Context, row sql.Row) (string, error) {
	k.buffer = k.buffer[:0]
	for i, value := range row {
		var typ sql.Type
		if i < len(k.types) {
			typ = k.types[i]
		}
		var err error
		if k.buffer, err = appendKey(ctx, k.buffer, typ, value); err != nil {
			return "", err
		}
	}
	if len(k.buffer) > keyBytesMax {
		sum := sha256.Sum256(k.buffer)
		return string(sum[:]), nil
	}
	return string(k.buffer), nil
}

// Tags of the values in a key. A key of a value says where it ends, so keys of rows
// need nothing between them.
const (
	keyNull byte = iota
	keyInteger
	keyFloat
	keyDecimal
	keyText
	keyTime
	keyOther
)

func appendKey(ctx *sql.Context, dst []byte, typ sql.Type, value any) ([]byte, error) {
	value, err := sql.UnwrapAny(ctx, value)
	if err != nil {
		return nil, err
	}
	switch v := value.(type) {
	case nil:
		return append(dst, keyNull), nil
	case string:
		return appendTextKey(dst, typ, v)
	case []byte:
		return appendTextKey(dst, typ, string(v))
	case float64:
		return appendFloatKey(dst, v), nil
	case float32:
		return appendFloatKey(dst, float64(v)), nil
	case *apd.Decimal:
		reduced, _ := new(apd.Decimal).Reduce(v)
		return appendBytes(append(dst, keyDecimal), reduced.Text('e')), nil
	case time.Time:
		dst = binary.BigEndian.AppendUint64(append(dst, keyTime), uint64(v.Unix()))
		return binary.BigEndian.AppendUint32(dst, uint32(v.Nanosecond())), nil
	case types.Timespan:
		return binary.BigEndian.AppendUint64(append(dst, keyTime), uint64(v)), nil
	case sql.JSONWrapper:
		return appendJSONKey(ctx, dst, v)
	}
	if n, ok := integerOf(value); ok {
		sign := byte(0)
		if n.negative {
			sign = 1
		}
		return binary.BigEndian.AppendUint64(append(dst, keyInteger, sign), n.magnitude), nil
	}
	return appendBytes(append(dst, keyOther), fmt.Sprintf("%T %v", value, value)), nil
}

func appendFloatKey(dst []byte, f float64) []byte {
	if f == 0 {
		f = 0 // of either sign
	}
	return binary.BigEndian.AppendUint64(append(dst, keyFloat), math.Float64bits(f))
}

func appendBytes(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// appendTextKey appends the weights of a text under its collation, each above zero,
// or the bytes of other text.
func appendTextKey(dst []byte, typ sql.Type, text string) ([]byte, error) {
	collation := sql.Collation_binary
	if of, ok := typ.(sql.TypeWithCollation); ok {
		collation = of.Collation()
	}
	weigh := collation.Sorter()
	if collation == sql.Collation_binary || weigh == nil || !utf8.ValidString(text) {
		return appendBytes(append(dst, keyOther), text), nil
	}
	dst = append(dst, keyText)
	for _, r := range enc.WithoutPad(collation, text) {
		// The engine's weights are of 32 bits and may be below zero.
		dst = binary.AppendUvarint(dst, uint64(int64(weigh(r))-math.MinInt32+1))
	}
	return append(dst, 0), nil
}

// appendJSONKey makes one key of documents that are equal.
func appendJSONKey(ctx *sql.Context, dst []byte, document sql.JSONWrapper) ([]byte, error) {
	text, err := types.JsonToMySqlString(ctx, document)
	if err != nil {
		return nil, err
	}
	return appendBytes(append(dst, keyOther), text), nil
}
