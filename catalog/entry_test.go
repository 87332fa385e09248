package catalog

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/freshetdb/freshet/vtab/kv"
)

// fullTable uses every field of a table, with text that hurts.
func fullTable() *Table {
	nasty := "new\nline 'q' \"qq\" `b` \\ ; */ -- \x00 \u2028 <&> 𝄞"
	return &Table{
		Header:   Header{ID: 10, Kind: KindTable, Parent: 1, Name: "t.`x y"},
		Physical: 11, Layout: 3, Collation: "utf8mb4_0900_ai_ci", Comment: nasty,
		Columns: []Column{
			{ID: 12, Name: "a", Type: "bigint unsigned", AutoIncrement: true},
			{ID: 13, Name: nasty[:20], Type: "varchar(20) COLLATE utf8mb4_bin", Nullable: true, Default: nasty, Comment: nasty},
			{ID: 14, Name: "g", Type: "int", Generated: "`a` + 1", Virtual: true, Missing: []byte{0, 0xff, 1}},
			{ID: 15, Name: "h", Type: "datetime(6)", OnUpdate: "CURRENT_TIMESTAMP(6)", Hidden: true, Missing: []byte{}},
		},
		PK: []Part{{Column: 12}, {Column: 13, Prefix: 3, Desc: true}},
		Indexes: []Index{
			{Physical: 16, Name: "i", Type: IndexUnique, Parts: []Part{{Column: 13}}, Comment: nasty, Using: "btree"},
			{Physical: 17, Name: "f", Type: IndexFullText, Parts: []Part{{Column: 13}},
				FullText: &FullText{Config: "c", KeyType: 2, KeyColumns: []int{0, 1}}},
		},
		Checks: []Check{{Name: "c", Expr: nasty, Enforced: true}},
		Foreign: []FK{{Name: "fk", Columns: []string{"a"}, ParentDatabase: "d", ParentTable: "p",
			ParentColumns: []string{"id"}, OnUpdate: "CASCADE", OnDelete: "SET NULL", Resolved: true, NotValid: true, Match: 1}},
		AutoIncrement: 1<<64 - 1, Created: time.Date(2024, 2, 29, 12, 0, 0, 123456789, time.UTC), Role: "fulltext",
		Layouts: []RowLayout{{Version: 1, Columns: []LayoutColumn{{ID: 18, Type: "int"}}}},
	}
}

func objects() []Object {
	return []Object{
		&Database{Header: Header{ID: 1, Kind: KindDatabase, Name: "d"}, Collation: "c"},
		fullTable(),
		&View{Header: Header{ID: 20, Kind: KindView, Parent: 1, Name: "v"}, Select: "SELECT '<&>'", Statement: "CREATE", SQLMode: "ANSI_QUOTES"},
		&Trigger{Header: Header{ID: 21, Kind: KindTrigger, Parent: 1, Name: "tr"}, Table: TableRef{Database: "d", Table: "t"}, Ordinal: 7},
		&Routine{Header: Header{ID: 22, Kind: KindProcedure, Parent: 1, Name: "p"}, Statement: "BEGIN END"},
		&Routine{Header: Header{ID: 23, Kind: KindFunction, Parent: 1, Name: "f"}, Created: time.Unix(1, 0).UTC()},
		&Event{Header: Header{ID: 24, Kind: KindEvent, Parent: 1, Name: "e"}, Body: []byte("{\xff}")},
		&Blob{Header: Header{ID: 25, Kind: KindPrivileges}, Body: bytes.Repeat([]byte{0}, 1000)},
		&Blob{Header: Header{ID: 26, Kind: KindVariable, Name: "max_connections"}, Body: []byte("1")},
		&Blob{Header: Header{ID: 27, Kind: KindStatistics, Parent: 10, Name: "a,b"}},
		&Blob{Header: Header{ID: 28, Kind: KindMaterializedView, Parent: 1, Name: "mv"}, Physical: []ID{29, 30},
			References: []TableRef{{"d", "t"}, {"d", "u"}}},
		&Blob{Header: Header{ID: 31, Kind: KindDerivedIndex, Parent: 28, Name: "ft"}, Physical: []ID{32}},
	}
}

func testWork() *work { return &work{log: discardLog} }

func TestEveryKindRoundTrips(t *testing.T) {
	covered := map[Kind]bool{}
	for _, o := range objects() {
		it, err := newItem(o, 42, testWork())
		require.NoError(t, err)
		covered[it.Kind] = true
		back, err := readItem(entryKey(it.Kind, it.ID), it.value, testWork())
		require.NoError(t, err)
		require.Equal(t, it.head, back.head)
		require.True(t, back.ownsKnown())
		got, err := back.get()
		require.NoError(t, err)
		again, err := newItem(got, 42, testWork())
		require.NoError(t, err)
		require.Equal(t, it.value, again.value, "decode and encode is a fixed point")

		want, err := Clone(o)
		require.NoError(t, err)
		want.Head().Version = 42
		if table, ok := got.(*Table); ok {
			table.derived, want.(*Table).derived = nil, nil
		}
		require.Equal(t, want, got)
	}
	require.Len(t, covered, len(kindTable)-1, "a kind is missing here")
}

// What Clone and JSON make of the full table is the table itself.
func TestCloneIsDeep(t *testing.T) {
	original := fullTable()
	clone, err := Clone(original)
	require.NoError(t, err)
	clone.derived = nil
	require.Equal(t, fullTable(), clone)
	clone.Columns[0].Name, clone.Indexes[1].FullText.Config, clone.Layouts[0].Columns[0].ID = "x", "x", 0
	require.Equal(t, fullTable(), original)
}

// ST-023: whatever single byte is changed, cut off or added, the entry is found
// to be damaged, and its identity and ranges are still known.
func TestST023EveryByteIsCovered(t *testing.T) {
	for _, o := range objects() {
		it, err := newItem(o, 42, testWork())
		require.NoError(t, err)
		key := entryKey(it.Kind, it.ID)
		for i := range it.value {
			for _, mask := range []byte{0x01, 0x80, 0xff} {
				value := bytes.Clone(it.value)
				value[i] ^= mask
				h, body, err := decodeEntry(key, value)
				require.Error(t, err, "%v byte %d", it.Kind, i)
				require.Nil(t, body)
				require.NotNil(t, h, "%v byte %d: both copies of the head lost", it.Kind, i)
				require.Equal(t, it.head, *h)
				if i > 0 {
					require.ErrorIs(t, err, kv.ErrCorrupt)
				} else {
					require.ErrorIs(t, err, ErrUnknownRecord)
				}
			}
		}
		for n := range it.value {
			_, _, err := decodeEntry(key, it.value[:n])
			require.Error(t, err, "cut to %d bytes", n)
		}
		_, _, err = decodeEntry(key, append(bytes.Clone(it.value), 0))
		require.Error(t, err)
		_, _, err = decodeEntry(entryKey(it.Kind, it.ID+1), it.value)
		require.Error(t, err, "another entry's value")
	}
}

func TestUnknownFieldIsAnError(t *testing.T) {
	h := head{Header: Header{ID: 5, Kind: KindDatabase, Name: "d"}, maxID: 5}
	for _, body := range []string{`{"collation":"c","new":1}`, `{"collation":"c"} 1`, `{`, `[]`, ``} {
		it, err := readItem(entryKey(h.Kind, h.ID), encodeEntry(&h, []byte(body)), testWork())
		require.NoError(t, err)
		require.NoError(t, it.broken(), "the bytes are sound")
		_, err = it.get()
		require.Error(t, err, body)
		require.Equal(t, err, it.broken(), "known from then on")
	}
}

func TestInvalidTextIsRefusedEverywhere(t *testing.T) {
	for _, spoil := range []func(*Table){
		func(t *Table) { t.Comment = "\xff" },
		func(t *Table) { t.Columns[1].Default = "a\xc3" },
		func(t *Table) { t.Indexes[1].FullText.Config = "\xed\xa0\x80" },
		func(t *Table) { t.Foreign[0].Columns[0] = "\x80" },
		func(t *Table) { t.Layouts[0].Columns[0].Type = "\xff" },
	} {
		table := fullTable()
		spoil(table)
		_, err := newItem(table, 1, testWork())
		require.ErrorIs(t, err, ErrInvalid)
	}
	table := fullTable()
	table.Comment = "\ufffd is a character like any other"
	_, err := newItem(table, 1, testWork())
	require.NoError(t, err)
}

// ST-060: no bytes make the decoder panic or read out of bounds, and only what
// encodeEntry makes is accepted.
func FuzzDecodeEntry(f *testing.F) {
	for _, o := range objects() {
		it, err := newItem(o, 42, testWork())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(entryKey(it.Kind, it.ID), it.value)
	}
	f.Add([]byte{2}, []byte{})
	f.Add(entryKey(KindTable, 1), []byte{1, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, key, value []byte) {
		h, body, err := decodeEntry(key, value)
		if err == nil && !bytes.Equal(encodeEntry(h, body), value) {
			t.Fatalf("accepted %x, which encodes as %x", value, encodeEntry(h, body))
		}
		it, err := readItem(key, value, testWork())
		if err != nil {
			return
		}
		if _, err := it.get(); err == nil && it.cause != nil {
			t.Fatal("a broken entry was decoded")
		}
	})
}

// ST-060 again, as mutations of real entries: cuts, splices, flips, repeats.
func TestST060MutatedEntries(t *testing.T) {
	var seeds [][]byte
	var keys [][]byte
	for _, o := range objects() {
		it, err := newItem(o, 42, testWork())
		require.NoError(t, err)
		seeds, keys = append(seeds, it.value), append(keys, entryKey(it.Kind, it.ID))
	}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 30_000 {
		i, j := rng.IntN(len(seeds)), rng.IntN(len(seeds))
		value := bytes.Clone(seeds[i])
		for range 1 + rng.IntN(4) {
			at := rng.IntN(len(value) + 1)
			switch rng.IntN(4) {
			case 0:
				value = value[:at]
			case 1:
				value = append(value[:at:at], seeds[j][rng.IntN(len(seeds[j])):]...)
			case 2:
				value = append(value[:at:at], value[rng.IntN(len(value)+1):]...)
			case 3:
				if at < len(value) {
					value[at] = byte(rng.Uint32())
				}
			}
		}
		h, body, err := decodeEntry(keys[i], value)
		if err == nil && !bytes.Equal(encodeEntry(h, body), value) {
			t.Fatalf("seed %d: accepted %x", seed, value)
		}
		if h != nil && !bytes.Contains(value, appendHead(nil, h)) {
			t.Fatalf("seed %d: a head that is not in the value: %v", seed, h)
		}
		it, err := readItem(keys[i], value, testWork())
		require.NoError(t, err)
		if _, err := it.get(); err == nil && !bytes.Equal(value, seeds[i]) {
			t.Fatalf("seed %d: a changed entry was decoded: %x", seed, value)
		}
	}
}

func TestST060HostileHeads(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 0, 64).Draw(rt, "head")
		if h := parseHead(b); h != nil {
			again := parseHead(appendHead(nil, h))
			if fmt.Sprint(h) != fmt.Sprint(again) {
				rt.Fatalf("%v is read back as %v", h, again)
			}
		}
	})
	// Counts that promise more than there is allocate nothing.
	huge := binary.AppendUvarint(append(make([]byte, 16), 0), 1<<60)
	require.Nil(t, parseHead(huge))
}

// INV-CAT-15: the example in the documentation is what is written.
func TestFormatExample(t *testing.T) {
	doc, err := os.ReadFile("../docs/formats/catalog.md")
	require.NoError(t, err)
	it, err := newItem(&Database{Header: Header{ID: 1, Name: "shop"}, Collation: "utf8mb4_0900_bin"}, 7, testWork())
	require.NoError(t, err)
	text := fmt.Sprintf("key   %x\nvalue ", entryKey(it.Kind, it.ID))
	for i := 0; i < len(it.value); i += 32 {
		if i > 0 {
			text += "      "
		}
		text += fmt.Sprintf("%x\n", it.value[i:min(i+32, len(it.value))])
	}
	require.Contains(t, string(doc), "```\n"+text+"```\n")
}
