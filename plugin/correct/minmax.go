package correct

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// minMaxByIndex makes a lone MIN or MAX over the first column of an index read one
// row: the aggregate stays, and below it the rows are ordered by the key
// and cut to one, which a later rule answers from the index. The engine's own
// rule drops the aggregate, so over no rows there is no row instead of NULL.
func minMaxByIndex(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if flags != nil && !flags.IsSet(sql.QFlagAggregation) {
		return n, transform.SameTree, nil
	}
	return transform.Node(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		group, ok := n.(*plan.GroupBy)
		if !ok || len(group.GroupByExprs) != 0 || len(group.SelectDeps) != 1 {
			return n, transform.SameTree, nil
		}
		column, order, ok := minMaxColumn(group.SelectDeps[0])
		if !ok {
			return n, transform.SameTree, nil
		}
		ordered, err := orderedByKey(ctx, group.Child, column.String(), order)
		if err != nil || ordered == nil {
			return n, transform.SameTree, err
		}
		first := plan.NewLimit(expression.NewLiteral(int64(1), types.Int64), ordered)
		return plan.NewGroupBy(group.SelectDeps, group.GroupByExprs, first), transform.NewTree, nil
	})
}

// minMaxColumn is the column of a MIN or MAX and the order in which its answer
// comes first.
func minMaxColumn(e sql.Expression) (*expression.GetField, sql.SortOrder, bool) {
	var child sql.Expression
	order := sql.Ascending
	switch aggregate := e.(type) {
	case *aggregation.Max:
		child, order = aggregate.Child, sql.Descending
	case *aggregation.Min:
		child = aggregate.Child
	default:
		return nil, order, false
	}
	column, ok := child.(*expression.GetField)
	return column, order, ok
}

// orderedByKey is the node reading the rows that have a value in the column, in
// its order, through an index that begins with it; nil if there is none.
func orderedByKey(ctx *sql.Context, n sql.Node, column string, order sql.SortOrder) (sql.Node, error) {
	var table sql.TableNode
	var lookup sql.IndexLookup
	switch n := n.(type) {
	case *plan.IndexedTableAccess:
		if !n.IsStatic() {
			return nil, nil
		}
		found, inRange, err := n.GetLookup(ctx, nil)
		if err != nil || !inRange {
			return nil, err
		}
		table, lookup = n.TableNode, found
	case *plan.ResolvedTable:
		index, err := indexOn(ctx, n, column)
		if err != nil || index == nil {
			return nil, err
		}
		whole, err := sql.NewMySQLIndexBuilder(ctx, index).IsNotNull(ctx, index.Expressions()[0]).Build(ctx)
		if err != nil {
			return nil, err
		}
		table, lookup = n, whole
	default:
		return nil, nil
	}
	reverse := order == sql.Descending
	ranges, ok := lookup.Ranges.(sql.MySQLRangeCollection)
	// Several ranges may overlap in the first column, and then come in blocks.
	if !ok || len(ranges) > 1 || !readsInOrder(ctx, lookup, ranges, column, reverse) {
		return nil, nil
	}
	lookup = sql.NewIndexLookup(lookup.Index, ranges, lookup.IsPointLookup, lookup.IsEmptyRange, lookup.IsSpatialLookup, reverse)
	return plan.NewStaticIndexedAccessForTableNode(ctx, table, lookup)
}

func readsInOrder(ctx *sql.Context, lookup sql.IndexLookup, ranges sql.MySQLRangeCollection, column string, reverse bool) bool {
	index := lookup.Index
	if !beginsWith(ctx, index, column) || (reverse && !index.(sql.OrderedIndex).Reversible(ctx)) {
		return false
	}
	for _, r := range ranges {
		// NULL comes first and is no value.
		if _, null := r[0].LowerBound.(sql.BelowNull); null && !reverse {
			return false
		}
	}
	return index.CanSupport(ctx, ranges.ToRanges()...)
}

// beginsWith reports whether the entries of the index come in the order of the
// column.
func beginsWith(ctx *sql.Context, index sql.Index, column string) bool {
	if len(index.Expressions()) == 0 || !strings.EqualFold(index.Expressions()[0], column) || index.PrefixLengths() != nil {
		return false
	}
	ordered, ok := index.(sql.OrderedIndex)
	return ok && ordered.Order(ctx) == sql.IndexOrderAsc
}

// indexOn is an index of the table that begins with the column, nil if it has none
// that can be read.
func indexOn(ctx *sql.Context, n *plan.ResolvedTable, column string) (sql.Index, error) {
	table, ok := n.UnderlyingTable().(sql.IndexAddressableTable)
	if !ok {
		return nil, nil
	}
	if searchable, ok := table.(sql.IndexSearchableTable); ok && searchable.SkipIndexCosting() {
		return nil, nil
	}
	indexes, err := table.GetIndexes(ctx)
	if err != nil {
		return nil, err
	}
	for _, index := range indexes {
		if beginsWith(ctx, index, column) {
			return index, nil
		}
	}
	return nil, nil
}
