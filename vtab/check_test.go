package vtab

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// query lets checks evaluate conditions in the database's own engine.
func (d *database) query(ctx context.Context, query string, visit func(sql.Row) error) error {
	c := d.session()
	defer c.end()
	rows, err := c.try("%s", query)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}

func (d *database) report() Report {
	d.t.Helper()
	r, err := d.engine.CheckAll(context.Background())
	require.NoError(d.t, err)
	return r
}

func (d *database) requireSound() {
	d.t.Helper()
	require.Empty(d.t, d.report().Problems)
}

// plant changes stored keys behind the engine's back.
func (d *database) plant(change func(p *planter)) {
	d.t.Helper()
	ctx := context.Background()
	tx, err := d.store.Begin(ctx)
	require.NoError(d.t, err)
	defer tx.Rollback()
	change(&planter{d: d, tx: tx})
	_, err = tx.Commit(ctx, kv.CommitOptions{})
	require.NoError(d.t, err)
}

type planter struct {
	d  *database
	tx kv.Txn
}

func (p *planter) table(name string) *shape {
	db, ok := p.d.cat.Current().DB("d")
	require.True(p.d.t, ok)
	t, ok, err := db.Table(name)
	require.NoError(p.d.t, err)
	require.True(p.d.t, ok)
	s, err := newShape(context.Background(), "d", t)
	require.NoError(p.d.t, err)
	return s
}

// row is the key of the row with the integer primary key id.
func (p *planter) row(s *shape, id int32) []byte {
	key, err := s.appendRowKey(context.Background(), nil, sql.Row{id})
	require.NoError(p.d.t, err)
	return key
}

func (p *planter) get(key []byte) []byte {
	v, err := p.tx.Latest(kv.Now).Get(context.Background(), key)
	require.NoError(p.d.t, err)
	return v
}

func (p *planter) put(key, value []byte) { require.NoError(p.d.t, p.tx.Put(key, value)) }

func (p *planter) delete(key []byte) { require.NoError(p.d.t, p.tx.Delete(key)) }

// entry is the key and the value of the n-th entry of an index.
func (p *planter) entry(s *shape, index string, n int) (key, value []byte) {
	it := p.tx.Latest(kv.Now).Scan(context.Background(), s.index(index).span, kv.ScanOptions{})
	defer it.Close()
	for range n + 1 {
		require.True(p.d.t, it.Next())
	}
	v, err := it.Value()
	require.NoError(p.d.t, err)
	return cloneKey(it.Key()), cloneKey(v)
}

func counterBytes(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// damage is one kind of planted damage and what the check must say about it.
type damage struct {
	name   string
	plant  func(p *planter)
	kinds  []ProblemKind // exactly these, in any order, each at least once
	object string        // of the first problem
	// repairable: REPAIR TABLE heals it.
	repairable bool
}

const damageSchema = `
CREATE TABLE p (id INT PRIMARY KEY, v INT)
CREATE TABLE t (id INT PRIMARY KEY, v INT, u INT, w VARCHAR(10) NOT NULL, KEY iv (v), UNIQUE KEY iu (u), CONSTRAINT c CHECK (v < 100))
CREATE TABLE twin (id INT PRIMARY KEY, v INT, u INT, w VARCHAR(10))
CREATE TABLE c (id INT PRIMARY KEY, p INT, CONSTRAINT fk FOREIGN KEY (p) REFERENCES p (id))
CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, v INT)
CREATE TABLE k (v INT, w VARCHAR(10), KEY iw (w))
INSERT INTO p VALUES (1,1),(2,2)
INSERT INTO t VALUES (1,10,1,'a'),(2,20,2,'b'),(3,30,NULL,'c')
INSERT INTO twin VALUES (1,1000,1,'a'),(2,20,2,NULL),(4,20,2,'d')
INSERT INTO c VALUES (1,1),(2,NULL)
INSERT INTO a (v) VALUES (1),(2),(3)
INSERT INTO k VALUES (1,'x'),(1,'x'),(2,'y')`

func damages() []damage {
	return []damage{
		{name: "index entry removed", kinds: []ProblemKind{ProblemMissingEntry}, object: "`d`.`t` index `iv`", repairable: true, plant: func(p *planter) {
			key, _ := p.entry(p.table("t"), "iv", 1)
			p.delete(key)
		}},
		{name: "entry of a table without a primary key removed", kinds: []ProblemKind{ProblemMissingEntry}, object: "`d`.`k` index `iw`", repairable: true, plant: func(p *planter) {
			key, _ := p.entry(p.table("k"), "iw", 1)
			p.delete(key)
		}},
		{name: "stray entry of no row", kinds: []ProblemKind{ProblemStrayEntry}, object: "`d`.`t` index `iv`", repairable: true, plant: func(p *planter) {
			key, value := p.entry(p.table("t"), "iv", 1)
			key[len(key)-1] ^= 0x40
			p.put(key, value)
		}},
		{name: "stray entry of a row with another value", kinds: []ProblemKind{ProblemStrayEntry}, object: "`d`.`t` index `iv`", repairable: true, plant: func(p *planter) {
			s := p.table("t")
			e, err := s.index("iv").encodeEntry(context.Background(), sql.Row{int32(1), int32(77), nil, ""}, s.suffix(p.row(s, 1)))
			require.NoError(p.d.t, err)
			p.put(e.key, e.value)
		}},
		{name: "stray entry that is no entry", kinds: []ProblemKind{ProblemStrayEntry}, object: "`d`.`t` index `iu`", repairable: true, plant: func(p *planter) {
			p.put(append(p.table("t").index("iu").span.Start, 0x55), nil)
		}},
		{name: "unique entry points elsewhere", kinds: []ProblemKind{ProblemWrongEntry, ProblemStrayEntry}, object: "`d`.`t` index `iu`", repairable: true, plant: func(p *planter) {
			s := p.table("t")
			key, _ := p.entry(s, "iu", 1)
			p.put(key, binary.AppendUvarint(nil, 1))
		}},
		{name: "two rows with one unique value", kinds: []ProblemKind{ProblemDuplicate, ProblemMissingEntry, ProblemCount}, object: "`d`.`t` index `iv`", plant: func(p *planter) {
			p.put(p.row(p.table("t"), 4), p.get(p.row(p.table("twin"), 4)))
		}},
		{name: "row changed under a CHECK", kinds: []ProblemKind{ProblemCheck, ProblemMissingEntry, ProblemStrayEntry}, object: "`d`.`t` index `iv`", plant: func(p *planter) {
			p.put(p.row(p.table("t"), 1), p.get(p.row(p.table("twin"), 1)))
		}},
		{name: "NULL in a NOT NULL column", kinds: []ProblemKind{ProblemRow}, object: "`d`.`t` column `w`", plant: func(p *planter) {
			p.put(p.row(p.table("t"), 2), p.get(p.row(p.table("twin"), 2)))
		}},
		{name: "flipped byte in a row", kinds: []ProblemKind{ProblemRow}, object: "`d`.`p`", plant: func(p *planter) {
			key := p.row(p.table("p"), 2)
			v := p.get(key)
			v[0] ^= 0x80
			p.put(key, v)
		}},
		{name: "row of an unknown layout", kinds: []ProblemKind{ProblemRow}, object: "`d`.`p`", plant: func(p *planter) {
			key := p.row(p.table("p"), 2)
			v := p.get(key)
			v[1] = 9
			p.put(key, v)
		}},
		{name: "row cut off", kinds: []ProblemKind{ProblemRow}, object: "`d`.`p`", plant: func(p *planter) {
			key := p.row(p.table("p"), 2)
			v := p.get(key)
			p.put(key, v[:len(v)-1])
		}},
		{name: "key that is none", kinds: []ProblemKind{ProblemRow, ProblemCount}, object: "`d`.`p`", plant: func(p *planter) {
			s := p.table("p")
			p.put(append(p.row(s, 2), 0x99)[:len(p.row(s, 2))-1], p.get(p.row(s, 2)))
		}},
		{name: "key with something behind it", kinds: []ProblemKind{ProblemRowKey, ProblemCount}, object: "`d`.`p`", plant: func(p *planter) {
			s := p.table("p")
			p.put(append(p.row(s, 2), 0x99), p.get(p.row(s, 2)))
		}},
		{name: "wrong counter", kinds: []ProblemKind{ProblemSequence}, object: "`d`.`a` AUTO_INCREMENT", repairable: true, plant: func(p *planter) {
			p.put(sequenceKey(p.table("a").desc.ID), counterBytes(2))
		}},
		{name: "wrong counter of row ids", kinds: []ProblemKind{ProblemSequence}, object: "`d`.`k` hidden row id", repairable: true, plant: func(p *planter) {
			p.put(sequenceKey(p.table("k").desc.Physical), counterBytes(1))
		}},
		{name: "counter that is none", kinds: []ProblemKind{ProblemSequence}, object: "`d`.`a` AUTO_INCREMENT", repairable: true, plant: func(p *planter) {
			p.put(sequenceKey(p.table("a").desc.ID), []byte("x"))
		}},
		{name: "wrong row count", kinds: []ProblemKind{ProblemCount}, object: "`d`.`t`", repairable: true, plant: func(p *planter) {
			p.put(countKey(p.table("t").desc.Physical), counterBytes(99))
		}},
		{name: "row count that is none", kinds: []ProblemKind{ProblemCount}, object: "`d`.`p`", repairable: true, plant: func(p *planter) {
			p.put(countKey(p.table("p").desc.Physical), []byte{1})
		}},
		{name: "row removed", kinds: []ProblemKind{ProblemCount, ProblemStrayEntry}, object: "`d`.`t` index `iv`", repairable: true, plant: func(p *planter) {
			p.delete(p.row(p.table("t"), 2))
		}},
		{name: "orphan child", kinds: []ProblemKind{ProblemOrphan}, object: "`d`.`c` foreign key `fk`", plant: func(p *planter) {
			s := p.table("p")
			p.delete(p.row(s, 1))
			p.put(countKey(s.desc.Physical), counterBytes(1))
		}},
		{name: "stray range", kinds: []ProblemKind{ProblemStray}, object: "key ranges", plant: func(p *planter) {
			p.put(append(kv.AppendPrefix(nil, kv.SpaceRow, 99999), 1), []byte("x"))
		}},
		{name: "flipped byte in a catalog entry", kinds: []ProblemKind{ProblemCatalog}, object: "table `p`", plant: func(p *planter) {
			it := p.tx.Latest(kv.Now).Scan(context.Background(), kv.SpaceRange(kv.SpaceCatalog), kv.ScanOptions{})
			defer it.Close()
			for it.Next() {
				v, err := it.Value()
				require.NoError(p.d.t, err)
				if strings.Contains(string(v), `"name":"v"`) && it.Key()[1] == byte(catalog.KindTable) {
					changed := cloneKey(v)
					changed[len(changed)/2] ^= 1
					p.put(cloneKey(it.Key()), changed)
					return
				}
			}
			p.d.t.Error("no entry found")
		}},
	}
}

// ST-147, INV-TAB-1: planted damage of each kind is found, named, and found by
// nothing else; what REPAIR TABLE promises to heal it heals.
func TestCheckFindsPlantedDamage(t *testing.T) {
	for _, c := range damages() {
		t.Run(c.name, func(t *testing.T) {
			d := newDatabaseForTest(t)
			d.engine.SetQuerier(d.query)
			s := d.session()
			defer s.end()
			for _, q := range strings.Split(strings.TrimSpace(damageSchema), "\n") {
				s.exec("%s", q)
			}
			d.requireSound()
			d.plant(c.plant)

			problems := d.report().Problems
			require.NotEmpty(t, problems)
			found := map[ProblemKind]bool{}
			for _, p := range problems {
				found[p.Kind] = true
				require.True(t, p.Damage())
				require.NotEmpty(t, p.Detail)
			}
			wanted := map[ProblemKind]bool{}
			for _, k := range c.kinds {
				wanted[k] = true
			}
			require.Equal(t, wanted, found, "%v", problems)
			require.Contains(t, problems[0].Object, c.object)
			if !c.repairable {
				return
			}
			for _, name := range []string{"t", "k", "a", "p"} {
				require.NoError(t, d.engine.RepairTable(s.ctx, "d", name))
				require.NoError(t, s.sess.CommitOpen(s.ctx))
			}
			d.requireSound()
			s.exec("INSERT INTO a (v) VALUES (9)")
			s.exec("INSERT INTO k VALUES (9,'z')")
			d.requireSound()
		})
	}
}

// ST-147: rows that nobody promised to have parents are notes.
func TestCheckNotesUnvalidatedOrphans(t *testing.T) {
	d := newDatabaseForTest(t)
	s := d.session()
	defer s.end()
	s.exec("CREATE TABLE p (id INT PRIMARY KEY)")
	s.exec("CREATE TABLE c (id INT PRIMARY KEY, p INT)")
	s.exec("INSERT INTO c VALUES (1,7)")
	s.exec("SET foreign_key_checks=0")
	s.exec("ALTER TABLE c ADD CONSTRAINT fk FOREIGN KEY (p) REFERENCES p (id)")
	s.exec("CREATE TABLE e (id INT PRIMARY KEY, p INT, CONSTRAINT fe FOREIGN KEY (p) REFERENCES nowhere (id))")
	s.exec("INSERT INTO e VALUES (1,1)")
	r := d.report()
	require.False(t, r.Damaged())
	require.Len(t, r.Problems, 2)
	for _, p := range r.Problems {
		require.Equal(t, NoteOrphan, p.Kind)
	}
}

// INV-TAB-2: a repair that cannot be done changes nothing.
func TestRepairRefuses(t *testing.T) {
	d := newDatabaseForTest(t)
	s := d.session()
	defer s.end()
	for _, q := range strings.Split(strings.TrimSpace(damageSchema), "\n") {
		s.exec("%s", q)
	}
	d.plant(func(p *planter) { p.put(p.row(p.table("t"), 4), p.get(p.row(p.table("twin"), 4))) })
	before := d.report().Problems
	err := d.engine.RepairTable(s.ctx, "d", "t")
	require.True(t, sql.ErrUniqueKeyViolation.Is(err), "%v", err)
	s.sess.Abandon()
	require.Equal(t, before, d.report().Problems)
	require.ErrorContains(t, d.engine.RepairTable(s.ctx, "d", "none"), "none")
	require.ErrorContains(t, d.engine.RepairTable(s.ctx, "nodb", "t"), "nodb")
	_, err = d.engine.CheckTable(context.Background(), "d", "none")
	require.True(t, sql.ErrTableNotFound.Is(err))
	_, err = d.engine.CheckTable(context.Background(), "nodb", "t")
	require.True(t, sql.ErrDatabaseNotFound.Is(err))
}

// Ranges of temporary tables, builds under way, and objects that never came to
// be are nobody's damage, and nothing of them stays.
func TestCheckKnowsWhatIsUnderWay(t *testing.T) {
	d := newDatabaseForTest(t)
	s := d.session()
	s.exec("CREATE TEMPORARY TABLE x (a INT, b INT, KEY (b))")
	s.exec("INSERT INTO x VALUES (1,1),(2,2)")
	d.requireSound()
	s.exec("ALTER TABLE x ADD COLUMN c INT NOT NULL DEFAULT 1 FIRST")
	s.exec("TRUNCATE x")
	s.exec("INSERT INTO x VALUES (1,1,1)")
	d.requireSound()
	s.end()
	d.requireSound()

	s = d.session()
	defer s.end()
	s.exec("CREATE TABLE t (a INT, b INT)") // hidden row ids
	s.exec("INSERT INTO t VALUES (1,1),(2,1)")
	_, err := s.try("CREATE UNIQUE INDEX u ON t (b)")
	require.Error(t, err)
	s.sess.Abandon()
	d.requireSound()
	s.exec("TRUNCATE t")
	s.exec("DROP TABLE t")
	d.requireSound()
	n := d.reopen()
	n.requireSound()
}

// ST-147: what cannot be read is listed, part by part, and the rest is checked.
func TestCheckListsAllThatIsUnreadable(t *testing.T) {
	d, store := newFaultyDatabase(t)
	c := d.session()
	for _, table := range []string{"a", "b", "c", "e"} {
		c.exec("CREATE TABLE " + table + " (id INT PRIMARY KEY, v INT, w INT, KEY iv (v), KEY iw (w))")
		c.exec("INSERT INTO " + table + " VALUES (1, 1, 1), (2, 2, 2)")
	}
	d.plant(func(p *planter) {
		e := p.table("e")
		p.delete(p.row(e, 2))
	})
	physical := func(table string) *catalog.Table {
		db, ok := d.engine.catalog.Current().DB("d")
		require.True(t, ok)
		found, ok, err := db.Table(table)
		require.NoError(t, err)
		require.True(t, ok)
		return found
	}
	lost := []catalog.ID{physical("a").Physical, physical("a").Indexes[1].Physical, physical("c").Indexes[0].Physical}
	store.lost.Store(&lost)
	defer store.lost.Store(nil)
	report := d.report()
	require.True(t, report.Damaged())
	var found []string
	for _, p := range report.Problems {
		if p.Kind == ProblemUnreadable {
			require.Contains(t, p.Detail, errPlanted.Error())
		}
		found = append(found, string(p.Kind)+" "+p.Object)
	}
	require.Contains(t, found, "unreadable `d`.`a`")
	require.Contains(t, found, "unreadable `d`.`a` index `iw`")
	require.NotContains(t, found, "unreadable `d`.`a` index `iv`")
	require.Contains(t, found, "unreadable `d`.`c` index `iv`")
	require.Contains(t, found, "stray-entry `d`.`e` index `iv`")
	for _, f := range found {
		require.NotContains(t, f, "`b`")
		require.False(t, strings.HasPrefix(f, "stray-entry `d`.`a`"), f)
	}
}
