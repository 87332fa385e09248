package vtab

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
	"github.com/freshetdb/freshet/vtab/kv/pebblekv"
)

var errPlanted = errors.New("planted fault")

// faultStore fails reads of data, or commits, when a test says so. It stands
// between the table layer and the store.
type faultStore struct {
	kv.Store
	// reads counts down with each key read from the row and index spaces; the one
	// that meets 0 fails, and so do all after it. Below 0 nothing fails.
	reads atomic.Int64
	armed atomic.Bool
	// lost are the ids whose rows and entries cannot be read.
	lost atomic.Pointer[[]catalog.ID]
	// commits makes commits fail before anything is applied.
	commits atomic.Bool
}

func (s *faultStore) read(key []byte) error {
	if lost := s.lost.Load(); lost != nil {
		for _, id := range *lost {
			for _, space := range []kv.Space{kv.SpaceRow, kv.SpaceIndex} {
				if bytes.HasPrefix(key, kv.AppendPrefix(nil, space, uint32(id))) {
					return errPlanted
				}
			}
		}
	}
	if s.armed.Load() && (key[0] == byte(kv.SpaceRow) || key[0] == byte(kv.SpaceIndex)) && s.reads.Add(-1) < 0 {
		return errPlanted
	}
	return nil
}

// failRead arms the fault for the n-th key from now on.
func (s *faultStore) failRead(n int) {
	s.reads.Store(int64(n))
	s.armed.Store(true)
}

func (s *faultStore) disarm() { s.armed.Store(false); s.commits.Store(false) }

func (s *faultStore) Begin(ctx context.Context) (kv.Txn, error) {
	t, err := s.Store.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &faultTxn{t, s}, nil
}

type faultTxn struct {
	kv.Txn
	s *faultStore
}

func (t *faultTxn) Snapshot(at kv.Mark) (kv.Reader, error) {
	r, err := t.Txn.Snapshot(at)
	if err != nil {
		return nil, err
	}
	return &faultReader{r, t.s}, nil
}

func (t *faultTxn) Latest(at kv.Mark) kv.Reader { return &faultReader{t.Txn.Latest(at), t.s} }

func (t *faultTxn) Commit(ctx context.Context, o kv.CommitOptions) (kv.Position, error) {
	if t.s.commits.Load() && t.Dirty() {
		t.Rollback()
		return 0, errPlanted
	}
	return t.Txn.Commit(ctx, o)
}

type faultReader struct {
	kv.Reader
	s *faultStore
}

func (r *faultReader) Get(ctx context.Context, key []byte) ([]byte, error) {
	if err := r.s.read(key); err != nil {
		return nil, err
	}
	return r.Reader.Get(ctx, key)
}

func (r *faultReader) Scan(ctx context.Context, k kv.Range, o kv.ScanOptions) kv.Iterator {
	return &faultIter{Iterator: r.Reader.Scan(ctx, k, o), s: r.s}
}

type faultIter struct {
	kv.Iterator
	s   *faultStore
	err error
}

func (i *faultIter) Next() bool {
	if i.err != nil || !i.Iterator.Next() {
		return false
	}
	i.err = i.s.read(i.Key())
	return i.err == nil
}

func (i *faultIter) Err() error { return errors.Join(i.err, i.Iterator.Err()) }

// newFaultyDatabase is a database over a store that can be made to fail.
func newFaultyDatabase(t testing.TB) (*database, *faultStore) {
	ctx := context.Background()
	store, err := pebblekv.Open(ctx, "data", pebblekv.Options{FS: vfs.NewMem()})
	require.NoError(t, err)
	f := &faultStore{Store: store}
	cat, _, err := catalog.Open(ctx, f, catalog.Options{})
	require.NoError(t, err)
	d := newEngineOver(t, f, cat)
	t.Cleanup(func() { d.close() })
	s := d.session()
	s.exec("CREATE DATABASE d")
	s.exec("USE d")
	s.end()
	return d, f
}

// image is all that is stored under tables and in the catalog.
func (d *database) image() map[string]string {
	d.t.Helper()
	tx, err := d.store.Begin(context.Background())
	require.NoError(d.t, err)
	defer tx.Rollback()
	image := map[string]string{}
	for _, space := range []kv.Space{kv.SpaceCatalog, kv.SpaceRow, kv.SpaceIndex, kv.SpaceCount} {
		it := tx.Latest(kv.Now).Scan(context.Background(), kv.SpaceRange(space), kv.ScanOptions{})
		for it.Next() {
			v, err := it.Value()
			require.NoError(d.t, err)
			image[string(it.Key())] = string(v)
		}
		require.NoError(d.t, it.Err())
		require.NoError(d.t, it.Close())
	}
	return image
}

const faultSchema = `
CREATE TABLE p (id INT PRIMARY KEY, v INT, KEY (v))
CREATE TABLE t (id INT PRIMARY KEY, v INT, u INT, p INT, KEY iv (v), UNIQUE KEY iu (u), FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE)
CREATE TABLE k (a INT, b INT)
INSERT INTO p VALUES (1,1),(2,2),(3,3)
INSERT INTO t VALUES (1,1,1,1),(2,2,2,2),(3,3,NULL,3),(4,4,4,NULL),(5,5,5,1)
INSERT INTO k VALUES (1,1),(1,1),(2,2)`

func (d *database) setFaultSchema() {
	s := d.session()
	defer s.end()
	for _, q := range strings.Split(strings.TrimSpace(faultSchema), "\n") {
		s.exec("%s", q)
	}
}

// ST-045, INV-TAB-4: a read that fails at the k-th key fails the statement,
// whichever key it is; nothing is changed, and a cut result is never served as whole.
func TestReadFaultAtEveryKey(t *testing.T) {
	for _, query := range []string{
		"SELECT * FROM t",
		"SELECT id FROM t ORDER BY id DESC",
		"SELECT * FROM t WHERE v > 1",
		"SELECT v FROM t WHERE v > 1",
		"SELECT COUNT(*) FROM k",
		"SELECT * FROM t WHERE u IN (1,2,5)",
		"SELECT t.id FROM t JOIN p ON t.p = p.id",
		"SELECT MAX(v) FROM t",
		"INSERT INTO t VALUES (0,9,0,3)",
		"INSERT INTO t SELECT id + 10, v, u + 10, p FROM t",
		"INSERT INTO t VALUES (9,9,1,3) ON DUPLICATE KEY UPDATE v = v + 1",
		"REPLACE INTO t VALUES (1,9,2,3)",
		"UPDATE t SET v = v + 1",
		"UPDATE t SET u = u + 100 WHERE v > 2",
		"UPDATE t SET p = 2 WHERE id = 1",
		"DELETE FROM t WHERE v >= 2",
		"DELETE FROM p WHERE id = 1",
		"DELETE FROM k WHERE a = 1 LIMIT 1",
		"CREATE INDEX n ON t (v, u)",
		"CREATE UNIQUE INDEX n ON t (v)",
		"ALTER TABLE t MODIFY v BIGINT",
		"ALTER TABLE k ADD COLUMN id INT AUTO_INCREMENT PRIMARY KEY",
		"ALTER TABLE k ADD FOREIGN KEY (a) REFERENCES p (id)",
		"ALTER TABLE t ADD CHECK (v < 100)",
		"ALTER TABLE t DROP PRIMARY KEY",
	} {
		t.Run(query, func(t *testing.T) {
			d, f := newFaultyDatabase(t)
			d.setFaultSchema()
			before := d.image()
			for k := 0; ; k++ {
				s := d.session()
				f.failRead(k)
				_, err := s.try("%s", query)
				fired := f.reads.Load() < 0
				f.disarm()
				if err != nil {
					s.sess.Abandon()
				}
				s.end()
				if !fired {
					require.NoError(t, err)
					require.Greater(t, k, 1, "the statement reads")
					break
				}
				require.ErrorContains(t, err, errPlanted.Error(), "key %d", k) // GMS wraps it without Unwrap
				require.Equal(t, before, d.image(), "key %d", k)
				d.requireSoundTables()
				require.Less(t, k, 1000)
			}
			d.requireSoundTables()
		})
	}
}

// requireSoundTables is requireSound without the querier that CHECKs need.
func (d *database) requireSoundTables() {
	d.t.Helper()
	r := d.report()
	require.False(d.t, r.Damaged(), "%v", r.Problems)
}

// ST-019, ST-041, INV-TAB-4: a commit that fails is the statement's error; no
// session sees anything of it, locks are free, and the retry succeeds.
func TestFailedCommit(t *testing.T) {
	for _, query := range []string{
		"INSERT INTO t VALUES (9,9,9,3)",
		"UPDATE t SET v = v + 1",
		"DELETE FROM p WHERE id = 1",
		"CREATE TABLE n (id INT PRIMARY KEY)",
		"CREATE TABLE n LIKE t",
		"ALTER TABLE t ADD COLUMN n INT DEFAULT 3",
		"ALTER TABLE t MODIFY v BIGINT",
		"ALTER TABLE t RENAME COLUMN v TO vv",
		"CREATE INDEX n ON t (v, u)",
		"DROP INDEX iv ON t",
		"TRUNCATE k",
		"DROP TABLE t",
		"RENAME TABLE t TO tt",
		"CREATE VIEW n AS SELECT 1 AS x",
		"CREATE TRIGGER n BEFORE INSERT ON k FOR EACH ROW SET NEW.a = 1",
		"CREATE PROCEDURE n() SELECT 1",
		"CREATE DATABASE n",
		"DROP DATABASE d",
		"ALTER DATABASE d COLLATE utf8mb4_bin",
		"CREATE EVENT n ON SCHEDULE EVERY 1 DAY DO SELECT 1",
	} {
		t.Run(query, func(t *testing.T) {
			d, f := newFaultyDatabase(t)
			d.setFaultSchema()
			before := d.image()
			version := d.cat.Current().Version()
			s, other := d.session(), d.session()
			defer s.end()
			defer other.end()
			f.commits.Store(true)
			_, err := s.try("%s", query)
			f.disarm()
			require.ErrorIs(t, err, errPlanted)
			s.sess.Abandon()
			require.Equal(t, before, d.image())
			require.Equal(t, version, d.cat.Current().Version())
			require.Empty(t, d.store.Locks())
			d.requireSoundTables()
			_, err = other.try("%s", query)
			require.NoError(t, err, "the retry")
			require.NotEqual(t, before, d.image())
			d.requireSoundTables()
		})
	}
}
