package plugin

import (
	"slices"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab"
)

// statistics keeps what ANALYZE TABLE finds, in memory. The engine's own provider
// computes it, but cannot keep it: its map has no lock although every session plans
// by it, takes the statistics of table t2 for those of t as well, fails on tables
// without rows and on keys of byte strings, and knows row counts that are out of date.
//
// It is safe for concurrent use.
type statistics struct {
	mu     sync.RWMutex
	tables map[statisticsKey]tableStatistics
}

// statisticsKey is a database and a table in lower case.
type statisticsKey struct{ database, table string }

type tableStatistics struct {
	// of is the table that was analyzed; 0: any of that name.
	of catalog.ID
	// all is never changed in place.
	all []sql.Statistic
	// given is the number of rows by a statistic that somebody has set; 0: none has.
	given uint64
}

var _ sql.StatsProvider = (*statistics)(nil)

func newStatistics() *statistics {
	return &statistics{tables: map[statisticsKey]tableStatistics{}}
}

func keyOfTable(database, table string) statisticsKey {
	return statisticsKey{strings.ToLower(database), strings.ToLower(table)}
}

// AnalyzeTable implements sql.StatsProvider.
func (s *statistics) AnalyzeTable(ctx *sql.Context, table sql.Table, database string) error {
	store, ok := sql.GetUnderlyingTable(table).(*vtab.Table)
	if !ok {
		return nil
	}
	found := tableStatistics{of: store.ID()}
	rows, _, err := store.RowCount(ctx)
	if err != nil {
		return err
	}
	if rows > 0 {
		sampler := memory.NewStatsProv()
		sample := sampledTable{store}
		if err := sampler.AnalyzeTable(ctx, sample, database); err != nil {
			return err
		}
		if found.all, err = sampler.GetTableStats(ctx, "", database, sample); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tables[keyOfTable(database, table.Name())] = found
	return nil
}

// GetTableStats implements sql.StatsProvider. Those of a table of the same name that
// was dropped are none.
func (s *statistics) GetTableStats(_ *sql.Context, _, database string, table sql.Table) ([]sql.Statistic, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := s.tables[keyOfTable(database, table.Name())]
	if store, ok := sql.GetUnderlyingTable(table).(*vtab.Table); ok && found.of != 0 && found.of != store.ID() {
		return nil, nil
	}
	return found.all, nil
}

// SetStats implements sql.StatsProvider: a histogram that was given.
func (s *statistics) SetStats(_ *sql.Context, stat sql.Statistic) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := keyOfTable(stat.Qualifier().Db(), stat.Qualifier().Table())
	found := s.tables[key]
	found.all = append(without(found.all, stat.Qualifier(), stat.Columns()), stat)
	found.given = max(found.given, stat.RowCount())
	s.tables[key] = found
	return nil
}

// without copies statistics but those of some columns of an index.
func without(all []sql.Statistic, of sql.StatQualifier, columns []string) []sql.Statistic {
	return slices.DeleteFunc(slices.Clone(all), func(stat sql.Statistic) bool { return isOf(stat, of, columns) })
}

// isOf reports whether a statistic is of some columns of an index, or of any index of
// the table where none is named.
func isOf(stat sql.Statistic, of sql.StatQualifier, columns []string) bool {
	return (of.Index() == "" || strings.EqualFold(stat.Qualifier().Index(), of.Index())) && slices.EqualFunc(stat.Columns(), columns, strings.EqualFold)
}

// GetStats implements sql.StatsProvider.
func (s *statistics) GetStats(_ *sql.Context, of sql.StatQualifier, columns []string) (sql.Statistic, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, stat := range s.tables[keyOfTable(of.Db(), of.Table())].all {
		if isOf(stat, of, columns) {
			return stat, true
		}
	}
	return nil, false
}

// DropStats implements sql.StatsProvider.
func (s *statistics) DropStats(_ *sql.Context, of sql.StatQualifier, columns []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := keyOfTable(of.Db(), of.Table())
	if found, ok := s.tables[key]; ok {
		found.all = without(found.all, of, columns)
		s.tables[key] = found
	}
	return nil
}

// DropDbStats implements sql.StatsProvider.
func (s *statistics) DropDbStats(_ *sql.Context, _, database string, _ bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.tables {
		if key.database == strings.ToLower(database) {
			delete(s.tables, key)
		}
	}
	return nil
}

// RowCount implements sql.StatsProvider: that of a statistic that was set by hand,
// which is there to plan by. Otherwise none, so that the table is asked, which knows
// it exactly.
func (s *statistics) RowCount(_ *sql.Context, _, database string, table sql.Table) (uint64, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tables[keyOfTable(database, table.Name())].given, nil
}

// DataLength implements sql.StatsProvider, as RowCount.
func (s *statistics) DataLength(*sql.Context, string, string, sql.Table) (uint64, error) {
	return 0, nil
}

// sampledTable is a table as the engine's sampler can take it: it compares values of
// keys with ==, which byte strings and geometries do not have.
type sampledTable struct{ *vtab.Table }

// GetIndexes implements sql.IndexAddressable: only those that have an order.
func (t sampledTable) GetIndexes(ctx *sql.Context) ([]sql.Index, error) {
	all, err := t.Table.GetIndexes(ctx)
	return slices.DeleteFunc(all, func(x sql.Index) bool { return x.IsSpatial() || x.IsFullText() || x.IsVector() }), err
}

// PartitionRows implements sql.Table.
func (t sampledTable) PartitionRows(ctx *sql.Context, p sql.Partition) (sql.RowIter, error) {
	rows, err := t.Table.PartitionRows(ctx, p)
	return textRows{rows}, err
}

// textRows gives byte strings as texts.
type textRows struct{ sql.RowIter }

// Next implements sql.RowIter.
func (r textRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := r.RowIter.Next(ctx)
	for i := range row {
		if b, ok := row[i].([]byte); ok {
			row[i] = string(b)
		}
	}
	return row, err
}
