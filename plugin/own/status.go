package own

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/freshetdb/freshet/plugin/parser"
	"github.com/freshetdb/freshet/vtab"
	"github.com/freshetdb/freshet/vtab/kv"
)

// maxLocksShown bounds the locks that the status lists: a transaction may hold
// millions, and those that somebody waits for come first.
const maxLocksShown = 200

// engineName is the name that clients ask for the store by.
const engineName = "InnoDB"

var statusSchema = sql.Schema{
	{Name: "Type", Type: types.MustCreateString(sqltypes.VarChar, 10, sql.Collation_Default)},
	{Name: "Name", Type: types.MustCreateString(sqltypes.VarChar, 512, sql.Collation_Default)},
	{Name: "Status", Type: types.LongText},
}

// otherEngines are those that SHOW ENGINES lists in MySQL and that have nothing to
// tell.
var otherEngines = map[string]bool{
	"all": true, "memory": true, "myisam": true, "csv": true, "archive": true, "blackhole": true,
	"mrg_myisam": true, "federated": true, "performance_schema": true, "ndb": true, "ndbcluster": true,
}

// engineStatus is the node of SHOW ENGINE.
func (s *Statements) engineStatus(statement *parser.ShowEngineStatus) *node {
	return &node{statement: statement, schema: statusSchema, readOnly: true, run: func(ctx *sql.Context) ([]sql.Row, error) {
		name := strings.ToLower(statement.Engine)
		switch {
		case name == strings.ToLower(engineName) || name == "freshet", name == "all":
			if statement.What == "STATUS" {
				return []sql.Row{{engineName, "", s.statusText(ctx)}}, nil
			}
			return nil, nil
		case otherEngines[name]:
			return nil, nil
		}
		return nil, errUnknownEngine(statement.Engine)
	}}
}

// statusText describes the store: what it counts, who waits for whom, and the last
// deadlock.
func (s *Statements) statusText(ctx *sql.Context) string {
	store := s.tables.Store()
	m := store.Metrics()
	var b strings.Builder
	now := time.Now()
	fmt.Fprintf(&b, "\n=====================================\n%s FRESHET STATUS OUTPUT\n=====================================\n",
		now.UTC().Format("2006-01-02 15:04:05"))
	section := func(title string) {
		line := strings.Repeat("-", len(title))
		fmt.Fprintf(&b, "%s\n%s\n%s\n", line, title, line)
	}
	names := s.tables.LockNames()
	if report := s.tables.LastDeadlock(); report != nil {
		section("LATEST DETECTED DEADLOCK")
		b.WriteString(deadlockText(report))
	}
	section("TRANSACTIONS")
	s.lockText(ctx, &b, names, store.Locks(), now)
	section("LOG")
	fmt.Fprintf(&b, "Applied up to %d\nDurable up to %d\n%d commits, %d syncs, %d bytes written\n",
		store.Applied(), store.Durable(), m.Commits, m.Syncs, m.BytesWritten)
	section("ROW OPERATIONS")
	fmt.Fprintf(&b, "%d point reads, %d seeks, %d keys scanned\n%d snapshots open, the oldest for %d s\n",
		m.Gets, m.Seeks, m.KeysScanned, m.OpenSnapshots, int(m.OldestSnapshot.Seconds()))
	fmt.Fprintf(&b, "%d lock waits, %d deadlocks\n", m.LockWaits, m.Deadlocks)
	if err := store.Err(); err != nil {
		fmt.Fprintf(&b, "The store has failed: %v\n", err)
	}
	if m.DiskFull {
		b.WriteString("Writes are refused: the disk is full\n")
	}
	b.WriteString("----------------------------\nEND OF FRESHET STATUS OUTPUT\n============================\n")
	return b.String()
}

// deadlockText is a report with the names and statements of the time.
func deadlockText(r *vtab.DeadlockReport) string {
	names := map[string]string{}
	for i, w := range r.Waits {
		names[string(w.Key)] = r.Members[i].WaitsFor.String()
	}
	var b strings.Builder
	b.WriteString(r.Render(func(key []byte) string { return names[string(key)] }))
	for i, w := range r.Waits {
		if m := r.Members[i]; m.Statement != "" {
			fmt.Fprintf(&b, "transaction %d, connection %d: %s\n", w.Owner, m.Connection, m.Statement)
		}
	}
	return b.String()
}

// lockText lists the locks by the transaction that holds or wants them.
func (s *Statements) lockText(ctx *sql.Context, b *strings.Builder, names *vtab.LockNames, locks []kv.LockInfo, now time.Time) {
	owners := map[uint64][]kv.LockInfo{}
	for _, l := range locks {
		owners[l.Owner] = append(owners[l.Owner], l)
	}
	ids := make([]uint64, 0, len(owners))
	for id := range owners {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	fmt.Fprintf(b, "%d transactions hold or want %d locks\n", len(ids), len(locks))
	shown := 0
	for _, id := range ids {
		held := owners[id]
		sort.SliceStable(held, func(i, j int) bool { return held[i].Waiting && !held[j].Waiting })
		fmt.Fprintf(b, "---TRANSACTION %d, %d locks\n", id, len(held))
		for _, l := range held {
			if shown++; shown > maxLocksShown {
				fmt.Fprintf(b, "... the rest is not shown\n")
				return
			}
			if l.Waiting {
				fmt.Fprintf(b, "waits for %s of %s for %d s, held by %v\n", l.Mode, names.Describe(ctx, l.Key), int(now.Sub(l.Since).Seconds()), l.BlockedBy)
				continue
			}
			fmt.Fprintf(b, "holds %s of %s\n", l.Mode, names.Describe(ctx, l.Key))
		}
	}
}
