package catalog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/vtab/kv"
)

// TestTranscripts shows what each step of a history writes to the store.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata/transcripts", func(t *testing.T, path string) {
		s := &session{t: t, store: newProbe(t)}
		s.c, _, _ = open(t, s.store)
		datadriven.RunTest(t, path, s.run)
	})
}

// session is the state of one transcript.
type session struct {
	t     *testing.T
	store *probe
	c     *Catalog
	txn   *Txn
	marks map[string]Savepoint
}

func (s *session) run(t *testing.T, d *datadriven.TestData) string {
	s.t = t
	switch d.Cmd {
	case "begin":
		s.txn, s.marks = s.c.Begin(), map[string]Savepoint{}
		return fmt.Sprintf("version %d\n", s.txn.Snapshot().Version())
	case "change":
		return s.change(d)
	case "commit":
		return s.commit()
	case "abort":
		s.txn.End()
		return ""
	case "close":
		before := len(s.store.batches)
		if err := s.c.Close(t.Context()); err != nil {
			return s.fail(err)
		}
		return s.written(before)
	case "open":
		return s.reopen()
	case "corrupt":
		var kind, id, at int
		d.ScanArgs(t, "kind", &kind)
		d.ScanArgs(t, "id", &id)
		d.ScanArgs(t, "byte", &at)
		flip(t, s.store, entryKey(Kind(kind), ID(id)), at)
		return ""
	case "show":
		return show(s.c.Current())
	case "verify":
		problems, err := s.c.Verify(t.Context())
		require.NoError(t, err)
		var out strings.Builder
		for _, p := range problems {
			fmt.Fprintln(&out, p)
		}
		return out.String()
	}
	t.Fatalf("unknown command %s", d.Cmd)
	return ""
}

func (s *session) fail(err error) string { return fmt.Sprintf("error: %v\n", err) }

// change runs one line of input after the other in the open transaction.
func (s *session) change(d *datadriven.TestData) string {
	require.NoError(s.t, s.txn.Lock(s.t.Context()))
	var out strings.Builder
	for line := range strings.SplitSeq(strings.TrimSpace(d.Input), "\n") {
		if err := s.step(strings.Fields(line)); err != nil {
			fmt.Fprintf(&out, "%s: error: %v\n", line, err)
		}
	}
	for _, c := range s.txn.Changes() {
		op := map[ChangeOp]string{Created: "created", Altered: "altered", Dropped: "dropped"}[c.Op]
		fmt.Fprintf(&out, "%s %v %d %s.%s", op, c.Kind, c.ID, c.Database, c.Name)
		if c.Op == Altered && (c.OldName != c.Name || c.OldDatabase != c.Database) {
			fmt.Fprintf(&out, " was %s.%s", c.OldDatabase, c.OldName)
		}
		fmt.Fprintln(&out)
	}
	return out.String()
}

func (s *session) step(f []string) error {
	switch f[0] {
	case "database":
		return s.txn.Put(&Database{Header: Header{ID: s.txn.NewID(), Name: f[1]}, Collation: "utf8mb4_0900_bin"})
	case "table":
		db, _ := s.txn.Snapshot().DB(f[1])
		table := newTable(s.txn, db.ID(), f[2], 2)
		for _, parent := range f[3:] {
			table.Foreign = append(table.Foreign, FK{Name: "fk", Columns: []string{"c1"}, ParentDatabase: f[1],
				ParentTable: parent, ParentColumns: []string{"c0"}, OnUpdate: "NO ACTION", OnDelete: "CASCADE", Resolved: true})
		}
		return s.txn.Put(table)
	case "view":
		db, _ := s.txn.Snapshot().DB(f[1])
		return s.txn.Put(&View{Header: Header{ID: s.txn.NewID(), Parent: db.ID(), Name: f[2]}, Select: strings.Join(f[3:], " ")})
	case "savepoint":
		s.marks[f[1]] = s.txn.Savepoint()
		return nil
	case "rollback":
		s.txn.RollbackTo(s.marks[f[1]])
		return nil
	}
	db, ok := s.txn.Snapshot().DB(f[1])
	if !ok {
		return fmt.Errorf("no database %s", f[1])
	}
	if f[0] == "drop-database" {
		return s.txn.Drop(KindDatabase, db.ID())
	}
	h, ok := db.Lookup(KindTable, f[2])
	if !ok {
		return fmt.Errorf("no table %s", f[2])
	}
	if f[0] == "drop" {
		return s.txn.Drop(h.Kind, h.ID)
	}
	table, _, err := db.Table(f[2])
	if err != nil {
		return err
	}
	if table, err = Clone(table); err != nil {
		return err
	}
	switch f[0] {
	case "rename":
		to, _ := s.txn.Snapshot().DB(f[3])
		table.Parent, table.Name = to.ID(), f[4]
	case "comment":
		table.Comment = strings.Join(f[3:], " ")
	case "truncate":
		table.Physical, table.Indexes[0].Physical = s.txn.NewID(), s.txn.NewID()
	default:
		return fmt.Errorf("unknown step %s", f[0])
	}
	return s.txn.Put(table)
}

func (s *session) commit() string {
	defer s.txn.End()
	before := len(s.store.batches)
	if err := commit(s.t.Context(), s.c, s.txn); err != nil {
		return s.fail(err)
	}
	return s.written(before)
}

// written shows the batches since the given one.
func (s *session) written(from int) string {
	var out strings.Builder
	if from == len(s.store.batches) {
		return "nothing written\n"
	}
	for i, b := range s.store.batches[from:] {
		if i > 0 {
			fmt.Fprintln(&out, "next batch")
		}
		if b.synced {
			fmt.Fprintln(&out, "synced")
		}
		for _, key := range b.deletes {
			fmt.Fprintf(&out, "delete %s\n", keyText(key))
		}
		for _, key := range b.puts {
			value, _ := get(s.t, s.store, key)
			fmt.Fprintf(&out, "put    %s %s\n", keyText(key), valueText(key, value))
		}
	}
	return out.String()
}

func (s *session) reopen() string {
	before := len(s.store.batches)
	var result *RehydrationResult
	s.c, result, _ = open(s.t, s.store)
	out := s.written(before)
	out += fmt.Sprintf("unclean=%v entries=%v swept=%d kept=%d\n", result.Unclean, result.Counts, len(result.Swept), result.Kept)
	for _, e := range result.Errors {
		out += fmt.Sprintf("%v %d %s.%s: %s\n", e.Kind, e.ID, e.Database, e.Name, e.Reason)
	}
	return out
}

func keyText(key []byte) string {
	if kind, id, ok := parseEntryKey(key); ok {
		return fmt.Sprintf("%v/%d", kind, id)
	}
	for name, meta := range map[string][]byte{"catalog version": kv.MetaCatalogVersion, "next id": kv.MetaNextID,
		"clean-shutdown marker": kv.MetaCleanShutdown} {
		if slices.Equal(meta, key) {
			return name
		}
	}
	return fmt.Sprintf("%x", key)
}

func valueText(key, value []byte) string {
	if _, _, ok := parseEntryKey(key); !ok {
		if len(value) == 8 {
			return fmt.Sprint(binary.BigEndian.Uint64(value))
		}
		return string(value)
	}
	h, body, err := decodeEntry(key, value)
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("version=%d parent=%d name=%s max=%d", h.Version, h.Parent, h.Name, h.maxID)
	if len(h.physical) > 0 {
		text += fmt.Sprintf(" ranges=%v", h.physical)
	}
	if len(h.references) > 0 {
		text += fmt.Sprintf(" references=%v", h.references)
	}
	return fmt.Sprintf("%s (%d bytes)\n         %s", text, len(value), body)
}

// show lists a snapshot.
func show(s *Snapshot) string {
	var out strings.Builder
	fmt.Fprintf(&out, "version %d\n", s.Version())
	for _, db := range s.Databases() {
		fmt.Fprintf(&out, "database %d %s\n", db.ID(), db.Name())
		for _, h := range db.Children() {
			_, _, err := s.ByID(h.Kind, h.ID)
			state := ""
			if broken := (*BrokenEntryError)(nil); errors.As(err, &broken) {
				state = " broken"
			}
			fmt.Fprintf(&out, "  %v %d %s%s\n", h.Kind, h.ID, h.Name, state)
		}
	}
	return out.String()
}
