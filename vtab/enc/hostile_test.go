package enc

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// decoders of one type, for feeding bytes to.
type decoders struct {
	sample
	col   column
	keys  []*KeyCodec
	row   *Layout
	slots []int
}

func allDecoders(t require.TestingT) []decoders {
	var out []decoders
	for _, s := range samples() {
		col, err := columnOf(s.typ)
		require.NoError(t, err)
		d := decoders{sample: s, col: col, slots: []int{0}}
		d.keys = []*KeyCodec{codec(t, KeyPart{Type: s.typ}), codec(t, KeyPart{Type: s.typ, Desc: true})}
		d.row, err = NewLayout(1, []sql.Type{s.typ})
		require.NoError(t, err)
		out = append(out, d)
	}
	return out
}

// canonical: the decoders of these kinds accept values that an encoder would
// first round or refuse, so their bytes need not come back.
func (d *decoders) canonical() bool { return d.col.kind != kindDatetime }

// feed gives src to every decoder of the type (INV-ENC-9). What they accept must
// be inside src, and be what an encoder writes.
func (d *decoders) feed(t require.TestingT, src []byte) {
	ctx := context.Background()
	for _, c := range d.keys {
		rest, err := c.Skip(0, src)
		if err != nil {
			require.ErrorIs(t, err, ErrCorrupt)
		} else {
			require.True(t, bytes.HasSuffix(src, rest))
		}
		v, rest, err := c.Decode(0, src)
		if err != nil {
			require.True(t, errors.Is(err, ErrCorrupt) || errors.Is(err, ErrNotReversible), "%v", err)
		} else if d.canonical() {
			require.Equal(t, src[:len(src)-len(rest)], appendKey(t, c, v), "%s", d)
		}
	}
	v, rest, err := DecodeValue(ctx, d.typ, src)
	if err != nil {
		require.ErrorIs(t, err, ErrCorrupt)
	} else if d.canonical() {
		again, err := AppendValue(ctx, nil, d.typ, v)
		require.NoError(t, err)
		require.Equal(t, src[:len(src)-len(rest)], again, "%s", d)
	}
	dst := make([]any, 1)
	if err := d.row.Decode(ctx, src, d.slots, dst, d.slots); err != nil {
		require.True(t, errors.Is(err, ErrCorrupt) || errors.Is(err, ErrVersion), "%v", err)
	}
	if _, err := RowVersion(src); err != nil {
		require.ErrorIs(t, err, ErrCorrupt)
	}
}

// ST-060: random bytes, and encodings that are cut off or altered, give typed
// errors.
func TestHostileBytes(t *testing.T) {
	ctx := context.Background()
	for _, d := range allDecoders(t) {
		t.Run(d.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				d.feed(t, rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "random"))
				v := orNull(d.gen).Draw(t, "v")
				row, err := d.row.Append(ctx, nil, []any{v})
				require.NoError(t, err)
				value, err := AppendValue(ctx, nil, d.typ, v)
				require.NoError(t, err)
				for _, src := range [][]byte{row, value, appendKey(t, d.keys[0], v), appendKey(t, d.keys[1], v)} {
					cut := rapid.IntRange(0, len(src)-1).Draw(t, "cut")
					d.feed(t, src[:cut:cut])
					altered := bytes.Clone(src)
					altered[rapid.IntRange(0, len(src)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
					d.feed(t, altered)
				}
				cut := rapid.IntRange(0, len(row)-1).Draw(t, "cut")
				require.ErrorIs(t, d.row.Decode(ctx, row[:cut], d.slots, make([]any, 1), d.slots), ErrCorrupt)
				require.ErrorIs(t, d.row.Decode(ctx, append(row, 0), d.slots, make([]any, 1), d.slots), ErrCorrupt)
			})
		})
	}
}

// addSeeds adds one valid encoding of each type and each form.
func addSeeds(f *testing.F, all []decoders) {
	ctx := context.Background()
	for i, d := range all {
		for seed := range 1 {
			v := d.gen.Example(seed)
			row, err := d.row.Append(ctx, nil, []any{v})
			require.NoError(f, err)
			value, err := AppendValue(ctx, nil, d.typ, v)
			require.NoError(f, err)
			for _, src := range [][]byte{row, value, appendKey(f, d.keys[0], v), appendKey(f, d.keys[1], v)} {
				f.Add(uint16(i), src)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	all := allDecoders(f)
	addSeeds(f, all)
	f.Fuzz(func(t *testing.T, which uint16, src []byte) {
		all[int(which)%len(all)].feed(t, src)
	})
}

// FuzzRow decodes rows of many columns.
func FuzzRow(f *testing.F) {
	ctx := context.Background()
	var ts []sql.Type
	vals := [2][]any{}
	for _, s := range samples() {
		ts = append(ts, s.typ)
		vals[0] = append(vals[0], s.gen.Example(1))
		vals[1] = append(vals[1], orNull(s.gen).Example(2))
	}
	l, err := NewLayout(1, ts)
	require.NoError(f, err)
	slots := make([]int, len(ts))
	for i := range slots {
		slots[i] = i
	}
	for _, v := range vals {
		row, err := l.Append(ctx, nil, v)
		require.NoError(f, err)
		f.Add(row)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		err := l.Decode(ctx, src, slots, make([]any, len(ts)), slots)
		if err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) {
			t.Fatal(err)
		}
	})
}
