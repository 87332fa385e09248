package scenarios

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// buildWriter changes rows of its own and knows what was acknowledged.
type buildWriter struct {
	c      *client
	random *rand.Rand
	first  int
	// rows are v by id; those of the transaction under way are a copy.
	rows map[int]int
	done int
}

// buildWriterIDs is how many ids each writer has.
const buildWriterIDs = 1000

// run writes until stop is set. A statement may be told to try again (waited too long,
// deadlock, definition changed), and then has done nothing.
func (b *buildWriter) run(stop *atomic.Bool) error {
	for !stop.Load() {
		after := map[int]int{}
		for id, v := range b.rows {
			after[id] = v
		}
		end := []string{"COMMIT", "COMMIT", "ROLLBACK"}[b.random.IntN(3)]
		ok, err := b.transaction(after, end)
		if err != nil {
			return err
		}
		if ok && end == "COMMIT" {
			b.rows = after
			b.done++
		}
	}
	return nil
}

func (b *buildWriter) transaction(after map[int]int, end string) (ok bool, err error) {
	statements := []string{"BEGIN"}
	for range 1 + b.random.IntN(4) {
		id, v := b.first+b.random.IntN(buildWriterIDs), b.random.IntN(1000)
		_, exists := after[id]
		switch {
		case !exists:
			statements = append(statements, fmt.Sprintf("INSERT INTO t VALUES (%d, %d, %d, 'row')", id, v, id))
			after[id] = v
		case b.random.IntN(2) == 0:
			statements = append(statements, fmt.Sprintf("UPDATE t SET v = %d WHERE id = %d", v, id))
			after[id] = v
		default:
			statements = append(statements, fmt.Sprintf("DELETE FROM t WHERE id = %d", id))
			delete(after, id)
		}
	}
	for _, s := range append(statements, end) {
		_, err := b.c.try(s)
		switch errorNumber(err) {
		case 0:
			if err != nil {
				return false, fmt.Errorf("%s: %w", s, err)
			}
		case 1205, 1213, 1412:
			_, err := b.c.try("ROLLBACK")
			return false, err
		default:
			return false, fmt.Errorf("%s: %w", s, err)
		}
	}
	return true, nil
}

// ST-075: writers insert, update, delete and roll back throughout builds of indexes.
// None of what they were told is lost, and index and table agree.
func TestWritersBesideBuilds(t *testing.T) {
	const writers, base = 4, 4000
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, u INT, s VARCHAR(20))")
	for from := 0; from < base; from += 1000 {
		w.exec("INSERT INTO t WITH RECURSIVE n (i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i, i, i, 'base' FROM n", -from-1000, -from-1)
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	all := make([]*buildWriter, writers)
	errs := make([]error, writers)
	for i := range all {
		all[i] = &buildWriter{c: w.session(fmt.Sprint("w", i)), random: rand.New(rand.NewPCG(75, uint64(i))), first: i * buildWriterIDs, rows: map[int]int{}}
		wg.Go(func() { errs[i] = all[i].run(&stop) })
	}
	builder := w.session("builder")
	for _, ddl := range buildRounds {
		_, err := builder.try(ddl)
		require.NoError(t, err, ddl)
	}
	stop.Store(true)
	wg.Wait()
	want, acknowledged := map[int]int{}, 0
	for i, b := range all {
		require.NoError(t, errs[i])
		acknowledged += b.done
		for id, v := range b.rows {
			want[id] = v
		}
	}
	require.Positive(t, acknowledged)
	for _, hint := range []string{"IGNORE INDEX (a, b)", "FORCE INDEX (a)", "FORCE INDEX (b)"} {
		got := map[int]int{}
		for _, row := range w.rows("SELECT id, v FROM t %s WHERE v >= 0 AND u >= 0", hint) {
			var id, v int
			_, err := fmt.Sscanf(row, "%d,%d", &id, &v)
			require.NoError(t, err)
			got[id] = v
		}
		require.Equal(t, want, got, hint)
	}
	require.Equal(t, []string{fmt.Sprint(base + len(want))}, w.rows("SELECT COUNT(*) FROM t"))
	w.finish()
}

// buildRounds are the definitions that change under the writers.
var buildRounds = []string{
	"CREATE INDEX a ON t (v)", "CREATE UNIQUE INDEX b ON t (u)", "DROP INDEX a ON t", "CREATE INDEX a ON t (v, s)",
	"ALTER TABLE t DROP INDEX b, ADD UNIQUE INDEX b (u, v)", "ALTER TABLE t MODIFY s VARCHAR(30)", "DROP INDEX b ON t", "CREATE UNIQUE INDEX b ON t (u)",
}

// ST-075: a duplicate that is written while a unique index is built fails the writer
// or the build, and never both or neither.
func TestDuplicateBesideBuild(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	w.fill("t", 1000)
	builder, writer := w.session("builder"), w.session("writer")
	buildFailed, writeFailed := 0, 0
	for round := range 30 {
		var wg sync.WaitGroup
		var buildErr, writeErr error
		begin := make(chan struct{})
		wg.Go(func() {
			<-begin
			_, buildErr = builder.try("CREATE UNIQUE INDEX u ON t (v)")
		})
		wg.Go(func() {
			<-begin
			for range round % 6 {
				if _, err := writer.try("SELECT COUNT(*) FROM t"); err != nil {
					writeErr = err
					return
				}
			}
			for {
				// A table that was redefined since the statement was bound is tried again.
				if _, writeErr = writer.try("INSERT INTO t VALUES (5000, 500)"); errorNumber(writeErr) != 1412 {
					return
				}
			}
		})
		close(begin)
		wg.Wait()
		duplicates := w.rows("SELECT v FROM t GROUP BY v HAVING COUNT(*) > 1")
		switch {
		case buildErr == nil:
			writeFailed++
			require.Equal(t, 1062, errorNumber(writeErr), "%v", writeErr)
			require.Empty(t, duplicates)
			w.exec("DROP INDEX u ON t")
		default:
			buildFailed++
			require.Equal(t, 1062, errorNumber(buildErr), "%v", buildErr)
			require.NoError(t, writeErr)
			require.Equal(t, []string{"500"}, duplicates)
			w.exec("DELETE FROM t WHERE id = 5000")
		}
		w.check()
	}
	t.Logf("the build failed %d times, the writer %d times", buildFailed, writeFailed)
	w.finish()
}
