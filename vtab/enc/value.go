package enc

import (
	"context"
	"encoding/binary"

	"github.com/dolthub/go-mysql-server/sql"
)

// First byte of a single value.
const (
	valueNull    = 0
	valuePresent = 1
)

// AppendValue appends v exactly, self-delimiting: NULL is one byte; any other
// value is one byte, its length unless the type fixes it, and the bytes that a
// row would hold. Equal bytes are the same value. It fails with *TypeError or
// *ValueError.
func AppendValue(ctx context.Context, dst []byte, t sql.Type, v any) ([]byte, error) {
	c, err := columnOf(t)
	if err != nil {
		return dst, err
	}
	if v == nil {
		return append(dst, valueNull), nil
	}
	out := append(dst, valuePresent)
	if c.fixed() {
		if out, err = c.appendBody(ctx, out, v); err != nil {
			return dst, err
		}
		return out, nil
	}
	// Leave room for a length of one byte; longer ones move the body.
	at := len(out)
	if out, err = c.appendBody(ctx, append(out, 0), v); err != nil {
		return dst, err
	}
	size := uint64(len(out) - at - 1)
	if size < 0x80 {
		out[at] = byte(size)
		return out, nil
	}
	var length [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(length[:], size)
	out = moveData(out, at+1, at+n)
	copy(out[at:], length[:n])
	return out, nil
}

// DecodeValue reads what AppendValue wrote for the type, nil for NULL, and
// returns what follows. The value shares nothing with src. It fails with
// *TypeError or ErrCorrupt.
func DecodeValue(ctx context.Context, t sql.Type, src []byte) (v any, rest []byte, err error) {
	c, err := columnOf(t)
	if err != nil {
		return nil, nil, err
	}
	if len(src) == 0 {
		return nil, nil, corrupt("value is missing")
	}
	tag := src[0]
	src = src[1:]
	if tag == valueNull {
		return nil, src, nil
	}
	if tag != valuePresent || c.kind == kindNull {
		return nil, nil, corrupt("value has an unknown tag")
	}
	body := src
	if c.width > 0 {
		if len(src) < c.width {
			return nil, nil, corrupt("value is cut off")
		}
		body, rest = src[:c.width], src[c.width:]
	} else if body, rest, err = readSized(src); err != nil {
		return nil, nil, err
	}
	if v, err = c.value(body, false); err != nil {
		return nil, nil, err
	}
	return v, rest, nil
}
