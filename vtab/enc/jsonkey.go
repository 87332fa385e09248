package enc

import (
	"context"
	"maps"
	"slices"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Tags of JSON values in keys, in the engine's order of precedence. The engine
// orders a JSON null below everything, numbers by their value as DOUBLE, strings
// by bytes, objects by their sorted keys and values (a smaller key makes the
// larger object), arrays element by element.
const (
	jsonKeyNull   = 0x03
	jsonKeyNumber = 0x04
	jsonKeyString = 0x05
	jsonKeyObject = 0x06
	jsonKeyArray  = 0x07
	jsonKeyFalse  = 0x08
	jsonKeyTrue   = 0x09
)

// Inside arrays and objects: the end sorts below a further element.
const (
	jsonKeyEnd  = 0x01
	jsonKeyMore = 0x02
)

// jsonDepthMax is MySQL's limit on the nesting of a document.
const jsonDepthMax = 100

func appendKeyJSON(ctx context.Context, dst []byte, v any) ([]byte, bool, error) {
	doc, ok := v.(sql.JSONWrapper)
	if !ok {
		return dst, false, nil
	}
	val, err := doc.ToInterface(ctx)
	if err != nil {
		return dst, false, &ValueError{Type: types.JSON, Value: v, Cause: err}
	}
	if val, err = plainJSON(ctx, val, 0); err != nil {
		return dst, false, err
	}
	out, err := appendKeyJSONValue(dst, val)
	return out, err == nil, err
}

// appendKeyJSONValue appends a value made by plainJSON.
func appendKeyJSONValue(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, jsonKeyNull), nil
	case bool:
		if v {
			return append(dst, jsonKeyTrue), nil
		}
		return append(dst, jsonKeyFalse), nil
	case int64:
		return appendKeyJSONNumber(dst, float64(v)), nil
	case uint64:
		return appendKeyJSONNumber(dst, float64(v)), nil
	case float64:
		return appendKeyJSONNumber(dst, v), nil
	case float32:
		return appendKeyJSONNumber(dst, float64(v)), nil
	case *apd.Decimal:
		f, _ := v.Float64()
		return appendKeyJSONNumber(dst, f), nil
	case string:
		return appendKeyBytes(append(dst, jsonKeyString), v), nil
	case []any:
		return appendKeyJSONArray(dst, v)
	case map[string]any:
		return appendKeyJSONObject(dst, v)
	}
	return dst, &ValueError{Type: types.JSON, Value: v, Cause: errJSONOrder}
}

func appendKeyJSONNumber(dst []byte, f float64) []byte {
	dst = append(dst, jsonKeyNumber)
	return appendLow(dst, orderedBits(f), 8)
}

func appendKeyJSONArray(dst []byte, a []any) ([]byte, error) {
	dst = append(dst, jsonKeyArray)
	for _, elem := range a {
		var err error
		if dst, err = appendKeyJSONValue(append(dst, jsonKeyMore), elem); err != nil {
			return dst, err
		}
	}
	return append(dst, jsonKeyEnd), nil
}

func appendKeyJSONObject(dst []byte, m map[string]any) ([]byte, error) {
	dst = append(dst, jsonKeyObject)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		dst = append(dst, jsonKeyMore)
		from := len(dst)
		dst = appendKeyBytes(dst, key)
		flip(dst[from:])
		var err error
		if dst, err = appendKeyJSONValue(dst, m[key]); err != nil {
			return dst, err
		}
	}
	return append(dst, jsonKeyEnd), nil
}

func skipKeyJSON(src []byte, mask byte) ([]byte, error) {
	return skipKeyJSONValue(src, mask, 0)
}

func skipKeyJSONValue(src []byte, mask byte, depth int) ([]byte, error) {
	if len(src) == 0 {
		return nil, corrupt("JSON key is cut off")
	}
	if depth > jsonDepthMax {
		return nil, corrupt("JSON key is nested too deep")
	}
	tag := src[0] ^ mask
	src = src[1:]
	switch tag {
	case jsonKeyNull, jsonKeyFalse, jsonKeyTrue:
		return src, nil
	case jsonKeyNumber:
		if len(src) < 8 {
			return nil, corrupt("JSON number key is cut off")
		}
		return src[8:], nil
	case jsonKeyString:
		return skipKeyBytes(src, mask)
	case jsonKeyArray, jsonKeyObject:
		return skipKeyJSONElements(src, mask, depth, tag == jsonKeyObject)
	}
	return nil, corrupt("JSON key has an unknown tag")
}

func skipKeyJSONElements(src []byte, mask byte, depth int, named bool) (rest []byte, err error) {
	for {
		if len(src) == 0 {
			return nil, corrupt("JSON key has no end")
		}
		marker := src[0] ^ mask
		src = src[1:]
		if marker == jsonKeyEnd {
			return src, nil
		}
		if marker != jsonKeyMore {
			return nil, corrupt("JSON key has an unknown marker")
		}
		if named {
			if src, err = skipKeyBytes(src, ^mask); err != nil {
				return nil, err
			}
		}
		if src, err = skipKeyJSONValue(src, mask, depth+1); err != nil {
			return nil, err
		}
	}
}
