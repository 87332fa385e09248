package crash

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/integration/process"
	"github.com/freshetdb/freshet/plugin"
)

// Families are parents with children. A transaction inserts, changes and deletes
// parents, children follow by cascades, triggers keep the totals of all parents in
// one row, and savepoints are rolled back to on the way. What one writer's parents
// are is known from what it was told.

const (
	families    = 4 // writers
	idsOfWriter = 1000
	kidsMax     = 4
	// powerUptimeMax is the longest time until the power goes.
	powerUptimeMax = 60 * time.Millisecond
)

// household is a writer's parents: the number of children by id.
type household map[int]int

// family is one writer. States are kept from the last verified one on.
type family struct {
	id     int
	random *rand.Rand
	mu     sync.Mutex
	// states are what the writer's parents were after each commit, the last one
	// maybe not yet, if pending.
	states  []household
	pending bool
}

func newFamily(id int, random *rand.Rand) *family {
	return &family{id: id, random: rand.New(rand.NewPCG(random.Uint64(), 0)), states: []household{{}}}
}

var familySchema = []string{
	"CREATE DATABASE f",
	"CREATE TABLE f.totals (id INT PRIMARY KEY, parents INT NOT NULL, kids INT NOT NULL)",
	"INSERT INTO f.totals VALUES (1,0,0)",
	"CREATE TABLE f.parents (id INT PRIMARY KEY, kids INT NOT NULL, KEY (kids))",
	"CREATE TABLE f.children (id BIGINT AUTO_INCREMENT PRIMARY KEY, parent INT NOT NULL, name VARCHAR(20) NOT NULL, UNIQUE KEY (parent, name), FOREIGN KEY (parent) REFERENCES parents (id) ON DELETE CASCADE ON UPDATE CASCADE)",
	"CREATE TRIGGER f.came AFTER INSERT ON f.parents FOR EACH ROW UPDATE f.totals SET parents = parents + 1, kids = kids + NEW.kids",
	"CREATE TRIGGER f.changed AFTER UPDATE ON f.parents FOR EACH ROW UPDATE f.totals SET kids = kids + NEW.kids - OLD.kids",
	"CREATE TRIGGER f.went AFTER DELETE ON f.parents FOR EACH ROW UPDATE f.totals SET parents = parents - 1, kids = kids - OLD.kids",
}

func setupFamilies(t *testing.T, db *sql.DB) {
	for _, statement := range familySchema {
		_, err := db.Exec(statement)
		require.NoError(t, err, statement)
	}
}

// run runs transactions until the server is gone.
func (f *family) run(db *sql.DB) error {
	conn, err := db.Conn(context.Background())
	if err != nil {
		return nil // not started yet, or gone
	}
	defer conn.Close() // the server is gone, or goes
	for {
		err := f.transaction(conn)
		var answered *mysql.MySQLError
		switch {
		case err == nil:
		case errors.As(err, &answered) && answered.Number == 1213:
		case errors.As(err, &answered) && (answered.Number == 1053 || answered.Number == 1317):
			return nil // shutting down
		case errors.As(err, &answered):
			return fmt.Errorf("writer %d: %w", f.id, err)
		default:
			return nil
		}
	}
}

// last is what the writer's parents are.
func (f *family) last() household {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.states[len(f.states)-1]
}

func (f *family) transaction(conn *sql.Conn) error {
	exec := func(query string, args ...any) error {
		_, err := conn.ExecContext(context.Background(), fmt.Sprintf(query, args...))
		return err
	}
	if err := exec("BEGIN"); err != nil {
		return err
	}
	next := maps.Clone(f.last())
	for range 1 + f.random.IntN(3) {
		if f.random.IntN(4) == 0 { // what is done from here on is undone
			if err := exec("SAVEPOINT s"); err != nil {
				return err
			}
			if err := f.change(exec, maps.Clone(next)); err != nil {
				return err
			}
			if err := exec("ROLLBACK TO s"); err != nil {
				return err
			}
		}
		if err := f.change(exec, next); err != nil {
			return err
		}
	}
	if f.random.IntN(8) == 0 {
		return exec("ROLLBACK")
	}
	f.mu.Lock()
	f.states, f.pending = append(f.states, next), true
	f.mu.Unlock()
	err := exec("COMMIT")
	f.mu.Lock()
	defer f.mu.Unlock()
	var answered *mysql.MySQLError
	switch {
	case err == nil:
		f.pending = false
	case errors.As(err, &answered) && answered.Number == 1213:
		f.states, f.pending = f.states[:len(f.states)-1], false
	}
	return err
}

// change changes some parents, in the database and in the model.
func (f *family) change(exec func(string, ...any) error, h household) error {
	free := f.id * idsOfWriter
	for h[free] != 0 {
		free++
	}
	kids := 1 + f.random.IntN(kidsMax)
	known := slices.Sorted(maps.Keys(h))
	kind := f.random.IntN(4)
	if len(known) == 0 {
		kind = 0
	}
	switch kind {
	case 0:
		h[free] = kids
		if err := exec("INSERT INTO f.parents VALUES (%d,%d)", free, kids); err != nil {
			return err
		}
		for i := range kids {
			if err := exec("INSERT INTO f.children (parent, name) VALUES (%d,'kid %d')", free, i); err != nil {
				return err
			}
		}
		return nil
	case 1: // another id: the children follow
		id := known[f.random.IntN(len(known))]
		h[free] = h[id]
		delete(h, id)
		return exec("UPDATE f.parents SET id = %d WHERE id = %d", free, id)
	case 2: // one child more
		id := known[f.random.IntN(len(known))]
		h[id]++
		if err := exec("UPDATE f.parents SET kids = kids + 1 WHERE id = %d", id); err != nil {
			return err
		}
		return exec("INSERT INTO f.children (parent, name) VALUES (%d,'kid %d')", id, h[id]-1)
	default: // the children go, too
		id := known[f.random.IntN(len(known))]
		delete(h, id)
		return exec("DELETE FROM f.parents WHERE id = %d", id)
	}
}

// acknowledged is the place of the last state that the writer was told of.
func (f *family) acknowledged() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pending {
		return len(f.states) - 2
	}
	return len(f.states) - 1
}

// verify requires that the store holds one of the writer's states from place first
// on, and goes on from it.
func (f *family) verify(t *testing.T, db *sql.DB, first, round int) {
	found := household{}
	for id, kids := range pairs(t, db, fmt.Sprintf("SELECT id, kids FROM f.parents WHERE id >= %d AND id < %d", f.id*idsOfWriter, (f.id+1)*idsOfWriter)) {
		found[id] = kids
	}
	for _, state := range f.states[first:] {
		if maps.Equal(state, found) {
			f.states, f.pending = []household{state}, false
			return
		}
	}
	t.Fatalf("round %d: writer %d has %v, and may have %v", round, f.id, found, f.states[first:])
}

// verifyFamilies requires that what follows by cascades and triggers does follow.
func verifyFamilies(t *testing.T, db *sql.DB) {
	parents := pairs(t, db, "SELECT id, kids FROM f.parents")
	require.Equal(t, parents, pairs(t, db, "SELECT parent, COUNT(*) FROM f.children GROUP BY parent"))
	sum := 0
	for _, kids := range parents {
		sum += kids
	}
	require.Equal(t, map[int]int{len(parents): sum}, pairs(t, db, "SELECT parents, kids FROM f.totals"))
}

func pairs(t *testing.T, db *sql.DB, query string) map[int]int {
	t.Helper()
	rows, err := db.Query(query)
	require.NoError(t, err)
	defer rows.Close()
	all := map[int]int{}
	for rows.Next() {
		var key, value int
		require.NoError(t, rows.Scan(&key, &value))
		all[key] = value
	}
	require.NoError(t, rows.Err())
	return all
}

// Transactions of several statements with savepoints, cascades and triggers, and
// kill -9 at random moments.
func TestKilledUnderFamilies(t *testing.T) {
	random := newRandom(t)
	data := t.TempDir()
	all := make([]*family, families)
	for i := range all {
		all[i] = newFamily(i, random)
	}
	s := process.Start(t, data)
	setupFamilies(t, s.Open("", ""))
	commits := 0
	for round := range rounds(familyRounds) {
		var running sync.WaitGroup
		for _, f := range all {
			db := s.Open("", "")
			running.Add(1)
			go func() {
				defer running.Done()
				if err := f.run(db); err != nil {
					t.Error(err)
				}
			}()
		}
		time.Sleep(time.Duration(random.Int64N(int64(uptimeMax))))
		s.Kill()
		running.Wait()
		if t.Failed() {
			t.FailNow()
		}
		if round%checkEvery == checkEvery-1 {
			process.Check(t, data)
		}
		s = process.Start(t, data)
		db := s.Open("", "")
		for _, f := range all {
			commits += len(f.states) - 1
			f.verify(t, db, f.acknowledged(), round)
		}
		verifyFamilies(t, db)
	}
	s.Stop()
	process.Check(t, data)
	t.Logf("%d commits", commits)
	require.Positive(t, commits)
}

// The same on a file system that forgets what is not synced, or part of it.
func TestPowerLossUnderFamilies(t *testing.T) {
	random := newRandom(t)
	all := make([]*family, families)
	for i := range all {
		all[i] = newFamily(i, random)
	}
	fs := vfs.NewCrashableMem()
	open := func() (*plugin.DB, *process.Inside) {
		db, err := plugin.Open(t.Context(), plugin.Options{Dir: "data", FS: fs})
		require.NoError(t, err)
		return db, process.ServeDB(t, db)
	}
	db, server := open()
	setupFamilies(t, server.Open("", ""))
	commits := 0
	for round := range rounds(powerRounds) {
		var running sync.WaitGroup
		for _, f := range all {
			pool := server.Open("", "")
			running.Add(1)
			go func() {
				defer running.Done()
				if err := f.run(pool); err != nil {
					t.Error(err)
				}
			}()
		}
		time.Sleep(time.Duration(random.Int64N(int64(powerUptimeMax))))
		// What was acknowledged before the power goes must be there after it.
		first := make([]int, len(all))
		for i, f := range all {
			first[i] = f.acknowledged()
		}
		after := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: random.IntN(101), RNG: rand.New(rand.NewPCG(random.Uint64(), 1))})
		server.End()
		running.Wait()
		require.NoError(t, db.Close())
		if t.Failed() {
			t.FailNow()
		}
		fs = after
		db, server = open()
		pool := server.Open("", "")
		for i, f := range all {
			commits += len(f.states) - 1
			f.verify(t, pool, first[i], round)
		}
		verifyFamilies(t, pool)
		if round%checkEvery == checkEvery-1 {
			report, err := db.Check(t.Context())
			require.NoError(t, err)
			require.Empty(t, report.Problems)
		}
	}
	server.End()
	report, err := db.Check(t.Context())
	require.NoError(t, err)
	require.Empty(t, report.Problems)
	require.NoError(t, db.Close())
	t.Logf("%d commits", commits)
	require.Positive(t, commits)
}
