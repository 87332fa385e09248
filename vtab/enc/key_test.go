package enc

import (
	"bytes"
	"context"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func codec(t require.TestingT, parts ...KeyPart) *KeyCodec {
	c, err := NewKeyCodec(parts)
	require.NoError(t, err)
	return c
}

func appendKey(t require.TestingT, c *KeyCodec, vals ...any) []byte {
	var key []byte
	for i, v := range vals {
		var err error
		key, err = c.Append(context.Background(), key, i, v)
		require.NoError(t, err, "%T %v", v, v)
	}
	return key
}

// The byte order of keys is the SQL order of values, for every type, in both
// directions, with NULL (ST-048, ST-049, ST-053, ST-054; INV-ENC-1).
func TestKeyOrderEqualsSQLOrder(t *testing.T) {
	ctx := context.Background()
	for _, s := range samples() {
		t.Run(s.String(), func(t *testing.T) {
			asc := codec(t, KeyPart{Type: s.typ})
			desc := codec(t, KeyPart{Type: s.typ, Desc: true})
			rapid.Check(t, func(t *rapid.T) {
				vals := rapid.SliceOfN(orNull(s.gen), 2, 12).Draw(t, "vals")
				for i, a := range vals {
					for _, b := range vals[i:] {
						want, err := compare(ctx, s.typ, a, b)
						require.NoError(t, err)
						require.Equal(t, want, bytes.Compare(appendKey(t, asc, a), appendKey(t, asc, b)), "%v %v", a, b)
						require.Equal(t, -want, bytes.Compare(appendKey(t, desc, a), appendKey(t, desc, b)), "%v %v", a, b)
					}
				}
			})
		})
	}
}

// Keys of several parts compare as tuples, whatever their types and directions
// (INV-ENC-2).
func TestKeysCompareAsTuples(t *testing.T) {
	ctx := context.Background()
	all := samples()
	rapid.Check(t, func(t *rapid.T) {
		parts := make([]KeyPart, rapid.IntRange(2, 4).Draw(t, "parts"))
		gens := make([]*rapid.Generator[any], len(parts))
		for i := range parts {
			s := all[rapid.IntRange(0, len(all)-1).Draw(t, "type")]
			parts[i] = KeyPart{Type: s.typ, Desc: rapid.Bool().Draw(t, "desc")}
			// Few values, so that tuples often share their first parts.
			gens[i] = rapid.SampledFrom(rapid.SliceOfN(orNull(s.gen), 1, 4).Draw(t, "values"))
		}
		c := codec(t, parts...)
		tuples := make([][]any, 10)
		for k := range tuples {
			for _, gen := range gens {
				tuples[k] = append(tuples[k], gen.Draw(t, "v"))
			}
			for _, other := range tuples[:k] {
				want := compareTuples(t, ctx, parts, tuples[k], other)
				require.Equal(t, want, bytes.Compare(appendKey(t, c, tuples[k]...), appendKey(t, c, other...)))
			}
		}
	})
}

func compareTuples(t require.TestingT, ctx context.Context, parts []KeyPart, a, b []any) int {
	for i, part := range parts {
		cmp, err := compare(ctx, part.Type, a[i], b[i])
		require.NoError(t, err)
		if cmp != 0 && part.Desc {
			return -cmp
		}
		if cmp != 0 {
			return cmp
		}
	}
	return 0
}

// Every part ends where Skip says, whatever follows, and a reversible part gives
// its exact value back (INV-ENC-2, INV-ENC-3).
func TestKeyPartsAreDelimitedAndReversible(t *testing.T) {
	ctx := context.Background()
	for _, s := range samples() {
		t.Run(s.String(), func(t *testing.T) {
			for _, desc := range []bool{false, true} {
				c := codec(t, KeyPart{Type: s.typ, Desc: desc})
				rapid.Check(t, func(t *rapid.T) {
					v := orNull(s.gen).Draw(t, "v")
					key := appendKey(t, c, v)
					require.NotContains(t, []byte{0x00, 0xff}, key[0])
					tail := rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "tail")
					src := append(bytes.Clone(key), tail...)
					rest, err := c.Skip(0, src)
					require.NoError(t, err)
					require.Equal(t, len(tail), len(rest))
					got, rest, err := c.Decode(0, src)
					if !c.Reversible(0) {
						require.ErrorIs(t, err, ErrNotReversible)
						return
					}
					require.NoError(t, err)
					require.Equal(t, len(tail), len(rest))
					requireSame(t, ctx, s.typ, v, got)
				})
			}
		})
	}
}

// Which parts can be read back is part of the format.
func TestReversibleKinds(t *testing.T) {
	char := func(id sql.CollationID) sql.Type { return types.MustCreateString(sqltypes.VarChar, 10, id) }
	for _, test := range []struct {
		part KeyPart
		want bool
	}{
		{KeyPart{Type: types.Int64}, true},
		{KeyPart{Type: types.MustCreateColumnDecimalType(65, 30)}, true},
		{KeyPart{Type: types.InternalDecimalType}, false},
		{KeyPart{Type: types.Float64}, false},
		{KeyPart{Type: types.Float32}, false},
		{KeyPart{Type: types.Datetime}, true},
		{KeyPart{Type: char(sql.Collation_utf8mb4_0900_bin)}, true},
		{KeyPart{Type: char(sql.Collation_utf8mb4_bin)}, false},
		{KeyPart{Type: char(sql.Collation_utf8mb4_bin), Prefix: 3}, false},
		{KeyPart{Type: char(sql.Collation_utf8mb4_0900_ai_ci)}, false},
		{KeyPart{Type: char(sql.Collation_latin1_bin)}, false},
		{KeyPart{Type: types.MustCreateBinary(sqltypes.VarBinary, 10)}, true},
		{KeyPart{Type: types.Blob, Prefix: 10}, false},
		{KeyPart{Type: types.JSON}, false},
		{KeyPart{Type: types.GeometryType{}}, false},
	} {
		require.Equal(t, test.want, codec(t, test.part).Reversible(0), "%v", test.part)
	}
}

// ST-049: both zeros and all scales are one key.
func TestZeroHasOneKey(t *testing.T) {
	double := codec(t, KeyPart{Type: types.Float64})
	negative := -1.0
	negative *= 0
	require.Equal(t, appendKey(t, double, 0.0), appendKey(t, double, negative))
	dec := types.MustCreateColumnDecimalType(10, 3)
	c := codec(t, KeyPart{Type: dec})
	require.Equal(t, appendKey(t, c, "1.0"), appendKey(t, c, "1.000"))
	require.Equal(t, appendKey(t, c, "0"), appendKey(t, c, "-0.000"))
}

// ST-050: keys are equal exactly where the collation calls the texts equal,
// trailing blanks included.
func TestKeyEqualityByCollation(t *testing.T) {
	ctx := context.Background()
	words := []string{"a", "A", "á", "a ", "a\t", "", " ", "ab", "a\x00", "ß", "ss", "s"}
	for _, id := range textCollations {
		typ := types.MustCreateString(sqltypes.VarChar, 10, id)
		c := codec(t, KeyPart{Type: typ})
		for _, a := range words {
			for _, b := range words {
				cmp, err := comparePadded(ctx, typ, a, b)
				require.NoError(t, err)
				require.Equal(t, cmp == 0, bytes.Equal(appendKey(t, c, a), appendKey(t, c, b)), "%s %q %q", id, a, b)
			}
		}
	}
	ai := codec(t, KeyPart{Type: types.MustCreateString(sqltypes.VarChar, 10, sql.Collation_utf8mb4_0900_ai_ci)})
	require.Equal(t, appendKey(t, ai, "a"), appendKey(t, ai, "Á"))
	require.NotEqual(t, appendKey(t, ai, "a"), appendKey(t, ai, "a "))
	general := codec(t, KeyPart{Type: types.MustCreateString(sqltypes.VarChar, 10, sql.Collation_utf8mb4_general_ci)})
	require.Equal(t, appendKey(t, general, "a"), appendKey(t, general, "A  "))
}

// ST-052: a prefix counts characters, of bytes for binary types; values that
// share it share the key, and order is that of the prefixes.
func TestPrefixCountsCharacters(t *testing.T) {
	ctx := context.Background()
	for _, id := range []sql.CollationID{sql.Collation_utf8mb4_0900_ai_ci, sql.Collation_utf8mb4_bin, sql.Collation_latin1_swedish_ci} {
		typ := types.MustCreateString(sqltypes.VarChar, 100, id)
		c := codec(t, KeyPart{Type: typ, Prefix: 3}, KeyPart{Type: types.Int32})
		rapid.Check(t, func(t *rapid.T) {
			a, b := textGen().Draw(t, "a"), textGen().Draw(t, "b")
			ra, rb := []rune(a), []rune(b)
			want, err := comparePadded(ctx, typ, string(ra[:min(3, len(ra))]), string(rb[:min(3, len(rb))]))
			require.NoError(t, err)
			require.Equal(t, want, bytes.Compare(appendKey(t, c, a, int32(1)), appendKey(t, c, b, int32(1))))
		})
	}
	c := codec(t, KeyPart{Type: types.Blob, Prefix: 3})
	require.Equal(t, appendKey(t, c, []byte("日本")), appendKey(t, c, []byte("日")))
	text := codec(t, KeyPart{Type: types.Text, Prefix: 3})
	require.Equal(t, appendKey(t, text, "日本語x"), appendKey(t, text, "日本語y"))
	require.NotEqual(t, appendKey(t, text, "日本x"), appendKey(t, text, "日本y"))
}

// Weights of the collations whose keys are the text itself ascend strictly with
// the code point, as the format assumes; the others listed as such would not.
func TestCodePointCollations(t *testing.T) {
	ids := []sql.CollationID{sql.Collation_utf8mb4_bin, sql.Collation_utf8mb4_0900_bin, sql.Collation_utf16_bin, sql.Collation_utf32_bin}
	for _, id := range ids {
		require.True(t, inCodePointOrder(id))
		weight := id.Sorter()
		last := int32(-1)
		for r := rune(0); r <= 0x10ffff; r++ {
			if r > 0x600 && r < 0x10fff0 && r%runeStride != 0 {
				continue
			}
			if r >= 0xd800 && r < 0xe000 {
				continue
			}
			w := weight(r)
			require.Greater(t, w, last, "%s U+%04X", id, r)
			last = w
		}
	}
}

// Text that is not well-formed UTF-8 is placed where the engine's comparison
// places it.
func TestIllFormedText(t *testing.T) {
	ctx := context.Background()
	gen := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "\xff", "\xc3", "\xa9", "é", "\xed\xa0\x80", "\ufffd", "z", ""}), 0, 5),
		func(parts []string) string {
			out := ""
			for _, p := range parts {
				out += p
			}
			return out
		})
	for _, id := range []sql.CollationID{sql.Collation_utf8mb4_bin, sql.Collation_utf8mb4_0900_ai_ci, sql.Collation_latin1_bin} {
		typ := types.MustCreateString(sqltypes.VarChar, 100, id)
		c := codec(t, KeyPart{Type: typ})
		rapid.Check(t, func(t *rapid.T) {
			a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
			want, err := comparePadded(ctx, typ, a, b)
			require.NoError(t, err)
			ka, err := c.AppendBound(ctx, nil, 0, a)
			require.NoError(t, err)
			kb, err := c.AppendBound(ctx, nil, 0, b)
			require.NoError(t, err)
			require.Equal(t, want, bytes.Compare(ka, kb), "%q %q", a, b)
		})
	}
}

// A codec may be used from many goroutines (meant for the race detector).
func TestCodecIsConcurrent(t *testing.T) {
	part := KeyPart{Type: types.MustCreateString(sqltypes.VarChar, 100, sql.Collation_utf8mb4_0900_ai_ci)}
	c := codec(t, part)
	text := string(textRunes)
	want := appendKey(t, codec(t, part), text)
	done := make(chan []byte)
	const workers = 4
	for range workers {
		go func() {
			key, err := c.Append(context.Background(), nil, 0, text)
			if err != nil {
				key = nil
			}
			done <- key
		}()
	}
	for range workers {
		require.Equal(t, want, <-done)
	}
}
