package scenarios

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/pebblekv"
)

// raw closes the database, gives the store beneath it to change, and opens the
// database again.
func (w *world) raw(change func(store kv.Store)) {
	w.t.Helper()
	require.NoError(w.t, w.close())
	store, err := pebblekv.Open(context.Background(), folder, pebblekv.Options{FS: w.fs})
	require.NoError(w.t, err)
	change(store)
	require.NoError(w.t, store.Close())
	w.open()
}

// entries visits all keys of a range.
func eachKey(t testing.TB, store kv.Store, r kv.Range, visit func(key, value []byte)) {
	t.Helper()
	ctx := context.Background()
	tx, err := store.Begin(ctx)
	require.NoError(t, err)
	defer tx.Rollback()
	it := tx.Latest(kv.Now).Scan(ctx, r, kv.ScanOptions{})
	for it.Next() {
		v, err := it.Value()
		require.NoError(t, err)
		visit(bytes.Clone(it.Key()), bytes.Clone(v))
	}
	require.NoError(t, it.Err())
	require.NoError(t, it.Close())
}

func putRaw(t testing.TB, store kv.Store, key, value []byte) {
	t.Helper()
	tx, err := store.Begin(context.Background())
	require.NoError(t, err)
	require.NoError(t, tx.Put(key, value))
	_, err = tx.Commit(context.Background(), kv.CommitOptions{Durability: kv.DurabilityCommit})
	require.NoError(t, err)
}

// damageEntry changes the stored entry of the object of that kind and name.
func (w *world) damageEntry(kind catalog.Kind, name string, damage func(entry []byte)) {
	w.t.Helper()
	w.raw(func(store kv.Store) {
		done := false
		eachKey(w.t, store, kv.SpaceRange(kv.SpaceCatalog), func(key, value []byte) {
			head := headOf(value)
			if key[1] != byte(kind) || !bytes.Contains(value[:head], append([]byte{byte(len(name))}, name...)) {
				return
			}
			damage(value)
			putRaw(w.t, store, key, value)
			done = true
		})
		require.True(w.t, done, "no entry of %s", name)
	})
}

// headOf is where the first copy of an entry's head ends: version, length,
// checksum, head (docs/formats/catalog.md).
func headOf(entry []byte) int { return 9 + int(binary.BigEndian.Uint32(entry[1:5])) }

// inBody flips a bit in the entry's body.
func inBody(entry []byte) { entry[headOf(entry)+8+5] ^= 4 }

// inHead flips a bit in both copies of the head.
func inHead(entry []byte) {
	entry[10] ^= 4
	entry[len(entry)-12] ^= 4
}

// keysOf counts the keys in the row, index, count and sequence spaces.
func (w *world) keysOf() (n int) {
	w.t.Helper()
	w.raw(func(store kv.Store) {
		for _, space := range []kv.Space{kv.SpaceRow, kv.SpaceIndex, kv.SpaceCount, kv.SpaceSequence} {
			eachKey(w.t, store, kv.SpaceRange(space), func(_, _ []byte) { n++ })
		}
	})
	return n
}

// ST-023, ST-024: one corrupt table stands alone, and can be dropped; with the
// head of its entry gone too.
func TestCorruptTableStandsAlone(t *testing.T) {
	for name, damage := range map[string]func([]byte){"body": inBody, "head": inHead} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for i := range 10 {
				w.exec("CREATE TABLE t%d (id INT AUTO_INCREMENT PRIMARY KEY, v INT, KEY (v))", i)
				w.exec("INSERT INTO t%d (v) VALUES (1),(2)", i)
			}
			w.exec("CREATE TABLE other (v INT)")
			w.exec("INSERT INTO other VALUES (1)")
			before := w.keysOf()
			w.damageEntry(catalog.KindTable, "t7", damage)
			c := w.session("")
			for i := range 10 {
				if i == 7 {
					continue
				}
				c.exec("INSERT INTO t%d (v) VALUES (3)", i)
				require.Equal(t, []string{"3"}, c.exec("SELECT COUNT(*) FROM t%d WHERE v > 0", i).rows)
				c.exec("DELETE FROM t%d WHERE v = 3", i)
				c.exec("ALTER TABLE t%d ADD CONSTRAINT c%d CHECK (v < 9)", i, i)
			}
			report, err := w.db.Check(context.Background())
			require.NoError(t, err)
			require.NotEmpty(t, report.Problems)
			require.Contains(t, report.Problems[0], "catalog")
			if name == "head" {
				// Nothing is left of the name; what its ranges hold waits for the
				// sweep of an open that knows all owners.
				c.exec("CREATE TABLE t7 (id INT PRIMARY KEY)")
				c.exec("INSERT INTO t7 VALUES (1)")
				require.GreaterOrEqual(t, w.keysOf(), before)
				return
			}
			_, err = c.try("SELECT * FROM t7")
			require.ErrorContains(t, err, "cannot be read")
			require.ErrorContains(t, err, "DROP TABLE")
			_, err = c.try("INSERT INTO t7 (v) VALUES (1)")
			require.ErrorContains(t, err, "cannot be read")
			_, err = c.try("CREATE TABLE t7 (id INT)")
			require.Error(t, err)
			c.exec("DROP TABLE t7")
			require.Empty(t, w.rows("SHOW TABLES LIKE 't7'"))
			// two rows, two entries, a count and a counter
			require.Equal(t, before-6, w.keysOf())
			c = w.session("")
			c.exec("CREATE TABLE t7 (id INT PRIMARY KEY)")
			require.Empty(t, w.rows("SELECT * FROM t7"))
			w.finish()
		})
	}
}

// ST-025: every kind of object that SQL makes, damaged: what does not need it goes
// on, and it can be dropped.
func TestEveryKindOfBadEntry(t *testing.T) {
	cases := []struct {
		kind   catalog.Kind
		create string
		use    string // fails
		drop   string
	}{
		{catalog.KindView, "CREATE VIEW bad AS SELECT id FROM t", "SELECT * FROM bad", "DROP VIEW bad"},
		{catalog.KindTrigger, "CREATE TRIGGER bad BEFORE INSERT ON u FOR EACH ROW SET NEW.id = NEW.id + 1", "INSERT INTO u VALUES (5)", "DROP TRIGGER bad"},
		{catalog.KindProcedure, "CREATE PROCEDURE bad() SELECT 1", "CALL bad()", "DROP PROCEDURE bad"},
		{catalog.KindEvent, "CREATE EVENT bad ON SCHEDULE EVERY 1 DAY DO DELETE FROM u", "SHOW CREATE EVENT bad", "DROP EVENT bad"},
	}
	for _, c := range cases {
		t.Run(c.kind.String(), func(t *testing.T) {
			w := newWorld(t)
			w.exec("CREATE TABLE t (id INT PRIMARY KEY)")
			w.exec("CREATE TABLE u (id INT PRIMARY KEY)")
			w.exec("CREATE VIEW good AS SELECT id FROM t")
			w.exec("CREATE PROCEDURE goodp() SELECT COUNT(*) FROM t")
			w.exec("CREATE TRIGGER goodt BEFORE INSERT ON t FOR EACH ROW SET NEW.id = NEW.id * 10")
			w.exec("%s", c.create)
			w.damageEntry(c.kind, "bad", inBody)

			w.exec("INSERT INTO t VALUES (1)")
			require.Equal(t, []string{"10"}, w.rows("SELECT * FROM good"))
			require.Equal(t, []string{"1"}, w.rows("CALL goodp()"))
			w.exec("SHOW TABLES")
			w.exec("SHOW TRIGGERS")
			w.exec("SHOW PROCEDURE STATUS")
			w.exec("SELECT * FROM information_schema.views")
			w.exec("CREATE VIEW later AS SELECT 1 AS x")
			_, err := w.session("").try(c.use)
			require.ErrorContains(t, err, "cannot be read")
			if c.kind == catalog.KindTrigger {
				_, err := w.session("").try("DELETE FROM u")
				require.NoError(t, err, "no row, no trigger")
			}
			w.exec("%s", c.drop)
			w.exec("%s", c.create)
			w.finish()
		})
	}
	t.Run("database", func(t *testing.T) {
		w := newWorld(t)
		w.exec("CREATE DATABASE bad")
		w.exec("CREATE TABLE bad.t (id INT PRIMARY KEY)")
		w.exec("INSERT INTO bad.t VALUES (1)")
		w.exec("CREATE TABLE t (id INT PRIMARY KEY)")
		before := w.keysOf()
		w.damageEntry(catalog.KindDatabase, "bad", inBody)
		require.Equal(t, []string{"1"}, w.rows("SELECT id FROM bad.t"), "what is in it can be read")
		w.exec("DROP DATABASE bad")
		require.Equal(t, before-2, w.keysOf())
		w.finish()
	})
	t.Run("everything in a database", func(t *testing.T) {
		w := newWorld(t)
		w.exec("CREATE DATABASE e")
		w.exec("CREATE TABLE e.bad (id INT PRIMARY KEY)")
		w.exec("INSERT INTO e.bad VALUES (1)")
		w.exec("CREATE VIEW e.badv AS SELECT 1 AS x")
		w.damageEntry(catalog.KindTable, "bad", inBody)
		w.damageEntry(catalog.KindView, "badv", inBody)
		w.exec("DROP DATABASE e")
		require.NotContains(t, strings.Join(w.rows("SHOW DATABASES"), " "), "e ")
		require.Zero(t, w.keysOf(), fmt.Sprint(w.rows("SHOW DATABASES")))
		w.finish()
	})
}

// ST-147: CHECK TABLE names planted damage and REPAIR TABLE heals that of indexes,
// under the same sessions.
func TestRepairTable(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v INT, u VARCHAR(10), KEY iv (v), UNIQUE KEY iu (u))")
	w.exec("INSERT INTO t (v,u) VALUES (1,'a'),(2,'b'),(3,NULL)")
	w.raw(func(store kv.Store) {
		eachKey(t, store, kv.SpaceRange(kv.SpaceIndex), func(key, _ []byte) {
			tx, err := store.Begin(context.Background())
			require.NoError(t, err)
			require.NoError(t, tx.Delete(key))
			_, err = tx.Commit(context.Background(), kv.CommitOptions{})
			require.NoError(t, err)
		})
	})
	require.Empty(t, w.rows("SELECT id FROM t WHERE v = 2"))
	rows := w.rows("CHECK TABLE t")
	require.Len(t, rows, 7)
	require.Contains(t, rows[0], "missing-entry")
	require.Equal(t, "d.t,check,error,Corrupt", rows[6])
	require.Equal(t, []string{"d.t,repair,status,OK"}, w.rows("REPAIR TABLE t"))
	require.Equal(t, []string{"d.t,check,status,OK"}, w.rows("CHECK TABLE t"))
	require.Equal(t, []string{"2"}, w.rows("SELECT id FROM t WHERE v = 2"))
	w.session("").fails(1062, "INSERT INTO t (u) VALUES ('a')")
	w.finish()
}
