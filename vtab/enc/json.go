package enc

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

var (
	errJSONOrder = errors.New("the engine defines no order for this kind of JSON value")
	errJSONDepth = errors.New("the JSON document exceeds the maximum depth of 100")
)

// Tags of JSON values in rows. They are stored.
const (
	jsonNull     = 0
	jsonFalse    = 1
	jsonTrue     = 2
	jsonInt64    = 3 // varint, zigzag
	jsonUint64   = 4 // varint
	jsonFloat64  = 5 // 8 bytes, little endian
	jsonFloat32  = 6 // 4 bytes, little endian
	jsonDecimal  = 7 // length, decimal
	jsonString   = 8 // length, bytes
	jsonArray    = 9 // count, values
	jsonObject   = 10
	jsonTime     = 11 // varint seconds since 1970, varint nanoseconds
	jsonTimespan = 12 // varint microseconds
)

// jsonCountTrusted is how many elements are allocated for on the word of a count;
// nested counts from damaged bytes would otherwise multiply.
const jsonCountTrusted = 256

// plainJSON reduces a value of a JSON document to the types that are stored:
// nil, bool, int64, uint64, float64, float32, *apd.Decimal, string, time.Time,
// types.Timespan, []any and map[string]any. Narrow integers widen, which no SQL
// function can tell; nothing else changes. The input is not modified.
func plainJSON(ctx context.Context, v any, depth int) (any, error) {
	if depth > jsonDepthMax {
		return nil, &ValueError{Type: types.JSON, Value: v, Cause: errJSONDepth}
	}
	switch v := v.(type) {
	case nil, bool, int64, uint64, float64, float32, string, time.Time, types.Timespan:
		return v, nil
	case *apd.Decimal:
		if !storable(v) {
			return nil, &ValueError{Type: types.JSON, Value: v, Cause: ErrOutOfRange}
		}
		return v, nil
	case int, int8, int16, int32:
		n, _ := integerOf(v)
		return int64(n.bits), nil
	case uint, uint8, uint16, uint32:
		n, _ := integerOf(v)
		return n.bits, nil
	case []any:
		return plainJSONArray(ctx, v, depth)
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, elem := range v {
			plain, err := plainJSON(ctx, elem, depth+1)
			if err != nil {
				return nil, err
			}
			out[key] = plain
		}
		return out, nil
	case sql.JSONWrapper:
		inner, err := v.ToInterface(ctx)
		if err != nil {
			return nil, &ValueError{Type: types.JSON, Value: v, Cause: err}
		}
		return plainJSON(ctx, inner, depth)
	case sql.AnyWrapper:
		inner, err := v.UnwrapAny(ctx)
		if err != nil {
			return nil, &ValueError{Type: types.JSON, Value: v, Cause: err}
		}
		return plainJSON(ctx, inner, depth)
	}
	return reflectJSON(ctx, v, depth)
}

func plainJSONArray(ctx context.Context, a []any, depth int) (any, error) {
	out := make([]any, len(a))
	for i, elem := range a {
		plain, err := plainJSON(ctx, elem, depth+1)
		if err != nil {
			return nil, err
		}
		out[i] = plain
	}
	return out, nil
}

// reflectJSON handles the slices, arrays and maps of other types that some
// functions build documents from, and what only knows how to print itself.
func reflectJSON(ctx context.Context, v any, depth int) (any, error) {
	if m, ok := v.(json.Marshaler); ok {
		text, err := m.MarshalJSON()
		if err != nil {
			return nil, &ValueError{Type: types.JSON, Value: v, Cause: err}
		}
		var out any
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&out); err != nil {
			return nil, &ValueError{Type: types.JSON, Value: v, Cause: err}
		}
		return plainJSON(ctx, out, depth)
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Slice, reflect.Array:
		out := make([]any, r.Len())
		for i := range out {
			out[i] = r.Index(i).Interface()
		}
		return plainJSONArray(ctx, out, depth)
	case reflect.Map:
		if r.Type().Key().Kind() != reflect.String {
			break
		}
		out := make(map[string]any, r.Len())
		for _, key := range r.MapKeys() {
			out[key.String()] = r.MapIndex(key).Interface()
		}
		return plainJSON(ctx, out, depth)
	}
	return nil, &ValueError{Type: types.JSON, Value: v}
}

func appendJSON(ctx context.Context, dst []byte, v any) ([]byte, bool, error) {
	doc, ok := v.(sql.JSONWrapper)
	if !ok {
		return dst, false, nil
	}
	val, err := plainJSON(ctx, doc, 0)
	if err != nil {
		return dst, false, err
	}
	return appendJSONValue(dst, val), true, nil
}

// appendJSONValue appends a value made by plainJSON.
func appendJSONValue(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, jsonNull)
	case bool:
		if v {
			return append(dst, jsonTrue)
		}
		return append(dst, jsonFalse)
	case int64:
		return binary.AppendVarint(append(dst, jsonInt64), v)
	case uint64:
		return binary.AppendUvarint(append(dst, jsonUint64), v)
	case float64:
		return binary.LittleEndian.AppendUint64(append(dst, jsonFloat64), math.Float64bits(v))
	case float32:
		return binary.LittleEndian.AppendUint32(append(dst, jsonFloat32), math.Float32bits(v))
	case *apd.Decimal:
		body := appendDecimal(nil, v)
		dst = binary.AppendUvarint(append(dst, jsonDecimal), uint64(len(body)))
		return append(dst, body...)
	case string:
		dst = binary.AppendUvarint(append(dst, jsonString), uint64(len(v)))
		return append(dst, v...)
	case time.Time:
		dst = binary.AppendVarint(append(dst, jsonTime), v.Unix())
		return binary.AppendUvarint(dst, uint64(v.Nanosecond()))
	case types.Timespan:
		return binary.AppendVarint(append(dst, jsonTimespan), v.AsMicroseconds())
	case []any:
		dst = binary.AppendUvarint(append(dst, jsonArray), uint64(len(v)))
		for _, elem := range v {
			dst = appendJSONValue(dst, elem)
		}
		return dst
	case map[string]any:
		dst = binary.AppendUvarint(append(dst, jsonObject), uint64(len(v)))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			dst = binary.AppendUvarint(dst, uint64(len(key)))
			dst = append(dst, key...)
			dst = appendJSONValue(dst, v[key])
		}
	}
	return dst
}

// readJSON reads a document; all of src belongs to it. The document shares
// nothing with src.
func readJSON(src []byte) (types.JSONDocument, error) {
	v, rest, err := readJSONValue(src, 0)
	if err != nil {
		return types.JSONDocument{}, err
	}
	if len(rest) != 0 {
		return types.JSONDocument{}, corrupt("JSON document has bytes left over")
	}
	return types.JSONDocument{Val: v}, nil
}

func readJSONValue(src []byte, depth int) (v any, rest []byte, err error) {
	if len(src) == 0 {
		return nil, nil, corrupt("JSON document is cut off")
	}
	if depth > jsonDepthMax {
		return nil, nil, corrupt("JSON document is nested too deep")
	}
	tag := src[0]
	src = src[1:]
	switch tag {
	case jsonNull:
		return nil, src, nil
	case jsonFalse, jsonTrue:
		return tag == jsonTrue, src, nil
	case jsonInt64, jsonTimespan:
		n, rest, err := readVarint(src)
		if tag == jsonTimespan {
			return types.Timespan(n), rest, err
		}
		return n, rest, err
	case jsonUint64:
		n, rest, err := readUvarint(src)
		return n, rest, err
	case jsonFloat64:
		if len(src) < 8 {
			return nil, nil, corrupt("JSON number is cut off")
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(src)), src[8:], nil
	case jsonFloat32:
		if len(src) < 4 {
			return nil, nil, corrupt("JSON number is cut off")
		}
		return math.Float32frombits(binary.LittleEndian.Uint32(src)), src[4:], nil
	case jsonDecimal:
		body, rest, err := readSized(src)
		if err != nil {
			return nil, nil, err
		}
		d, err := readDecimal(body)
		return d, rest, err
	case jsonString:
		body, rest, err := readSized(src)
		return string(body), rest, err
	case jsonTime:
		return readJSONTime(src)
	case jsonArray:
		return readJSONArray(src, depth)
	case jsonObject:
		return readJSONObject(src, depth)
	}
	return nil, nil, corrupt("JSON document has an unknown tag")
}

func readJSONTime(src []byte) (any, []byte, error) {
	sec, src, err := readVarint(src)
	if err != nil {
		return nil, nil, err
	}
	nanos, src, err := readUvarint(src)
	if err != nil {
		return nil, nil, err
	}
	if nanos >= 1e9 {
		return nil, nil, corrupt("JSON time has too many nanoseconds")
	}
	return time.Unix(sec, int64(nanos)).UTC(), src, nil
}

func readJSONArray(src []byte, depth int) (any, []byte, error) {
	count, src, err := readCount(src)
	if err != nil {
		return nil, nil, err
	}
	out := make([]any, 0, min(count, jsonCountTrusted))
	for range count {
		var elem any
		if elem, src, err = readJSONValue(src, depth+1); err != nil {
			return nil, nil, err
		}
		out = append(out, elem)
	}
	return out, src, nil
}

func readJSONObject(src []byte, depth int) (any, []byte, error) {
	count, src, err := readCount(src)
	if err != nil {
		return nil, nil, err
	}
	out := make(map[string]any, min(count, jsonCountTrusted))
	last := ""
	for i := range count {
		var key []byte
		if key, src, err = readSized(src); err != nil {
			return nil, nil, err
		}
		if i > 0 && string(key) <= last {
			return nil, nil, corrupt("JSON object has its keys out of order")
		}
		last = string(key)
		if out[last], src, err = readJSONValue(src, depth+1); err != nil {
			return nil, nil, err
		}
	}
	return out, src, nil
}
