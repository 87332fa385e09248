package vtab

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/vector"
	"github.com/dolthub/go-mysql-server/sql/fulltext"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/freshetdb/freshet/catalog"
)

// Index is a key of a Table as the planner sees it.
type Index struct {
	table *Table
	shape *indexShape
	exprs []string
}

var (
	_ sql.OrderedIndex  = (*Index)(nil)
	_ sql.ExtendedIndex = (*Index)(nil)
	_ sql.FilteredIndex = (*Index)(nil)
	_ fulltext.Index    = (*Index)(nil)
)

func newIndex(t *Table, x *indexShape) *Index {
	i := &Index{table: t, shape: x, exprs: make([]string, len(x.cols))}
	for k, ord := range x.cols {
		i.exprs[k] = t.shape.desc.Name + "." + t.shape.schema[ord].Name
	}
	return i
}

// ID implements sql.Index.
func (x *Index) ID() string { return x.shape.name }

// Database implements sql.Index.
func (x *Index) Database() string { return x.table.db.name }

// Table implements sql.Index.
func (x *Index) Table() string { return x.table.Name() }

// Expressions implements sql.Index.
func (x *Index) Expressions() []string { return x.exprs }

// ExtendedExpressions implements sql.ExtendedIndex: the parts of the primary key
// follow those of a secondary index.
func (x *Index) ExtendedExpressions(*sql.Context) []string {
	all := append([]string(nil), x.exprs...)
	for _, ord := range x.tail() {
		all = append(all, x.table.shape.desc.Name+"."+x.table.shape.schema[ord].Name)
	}
	return all
}

// tail lists the columns of the primary key that are not parts of the index.
func (x *Index) tail() []int {
	var tail []int
	for _, part := range x.shape.tail {
		tail = append(tail, x.shape.primary.cols[part])
	}
	return tail
}

// ColumnExpressionTypes implements sql.Index.
func (x *Index) ColumnExpressionTypes(*sql.Context) []sql.ColumnExpressionType {
	var all []sql.ColumnExpressionType
	for i, ord := range x.shape.cols {
		all = append(all, sql.ColumnExpressionType{Expression: x.exprs[i], Type: x.table.shape.schema[ord].Type})
	}
	return all
}

// ExtendedColumnExpressionTypes implements sql.ExtendedIndex.
func (x *Index) ExtendedColumnExpressionTypes(ctx *sql.Context) []sql.ColumnExpressionType {
	all := x.ColumnExpressionTypes(ctx)
	for _, ord := range x.tail() {
		col := x.table.shape.schema[ord]
		all = append(all, sql.ColumnExpressionType{Expression: x.table.shape.desc.Name + "." + col.Name, Type: col.Type})
	}
	return all
}

// IsUnique implements sql.Index.
func (x *Index) IsUnique() bool { return x.shape.unique }

// IsSpatial implements sql.Index.
func (x *Index) IsSpatial() bool { return x.is(catalog.IndexSpatial) }

// IsFullText implements sql.Index.
func (x *Index) IsFullText() bool { return x.is(catalog.IndexFullText) }

// IsVector implements sql.Index.
func (x *Index) IsVector() bool { return x.is(catalog.IndexVector) }

func (x *Index) is(t catalog.IndexType) bool { return x.shape.desc != nil && x.shape.desc.Type == t }

// IsGenerated implements sql.Index.
func (x *Index) IsGenerated() bool { return false }

// Comment implements sql.Index.
func (x *Index) Comment() string {
	if x.shape.desc == nil {
		return ""
	}
	return x.shape.desc.Comment
}

// IndexType implements sql.Index.
func (x *Index) IndexType() string {
	switch {
	case x.IsFullText():
		return "FULLTEXT"
	case x.IsSpatial():
		return "SPATIAL"
	}
	return "BTREE"
}

// PrefixLengths implements sql.Index. It is nil where no part is a prefix: GMS
// keeps every filter above an index that has the list.
func (x *Index) PrefixLengths() []uint16 {
	var lengths []uint16
	for i, p := range x.shape.parts {
		if p.Prefix == 0 {
			continue
		}
		if lengths == nil {
			lengths = make([]uint16, len(x.shape.parts))
		}
		lengths[i] = uint16(p.Prefix)
	}
	return lengths
}

// CanSupport implements sql.Index.
func (x *Index) CanSupport(*sql.Context, ...sql.Range) bool { return true }

// CanSupportOrderBy implements sql.Index: whether a vector index answers ORDER BY
// a distance.
func (x *Index) CanSupportOrderBy(e sql.Expression) bool {
	if !x.IsVector() {
		return false
	}
	d, ok := e.(*vector.Distance)
	if !ok {
		return false
	}
	_, ok = d.DistanceType.(vector.DistanceL2Squared)
	return ok
}

// CoversColumns implements sql.Index: whether the index alone answers a query of
// these columns.
func (x *Index) CoversColumns(cols []string) bool {
	if !x.shape.stores {
		return false
	}
	for _, name := range cols {
		ord, ok := x.table.shape.column(name)
		if !ok {
			return false
		}
		if _, ok := x.shape.covers[ord]; !ok && x.shape.desc != nil {
			return false
		}
	}
	return true
}

// HandledFilters implements sql.FilteredIndex. Ranges are exact for every type
// that has a key, but not under a prefix, and a spatial range is a bounding box.
func (x *Index) HandledFilters(ctx *sql.Context, filters []sql.Expression) []sql.Expression {
	if x.IsSpatial() {
		return nil
	}
	return preciseFilters(ctx, filters)
}

// Order implements sql.OrderedIndex.
func (x *Index) Order(*sql.Context) sql.IndexOrder {
	if x.ordered() {
		return sql.IndexOrderAsc
	}
	return sql.IndexOrderNone
}

// Reversible implements sql.OrderedIndex.
func (x *Index) Reversible(*sql.Context) bool { return x.ordered() }

// ordered reports whether entries come in the order of the columns' values.
func (x *Index) ordered() bool {
	if !x.shape.stores || x.shape.desc1 && !x.shape.backward || x.IsSpatial() || x.IsVector() {
		return false
	}
	return !x.shape.prefixed()
}

// FullTextTableNames implements fulltext.Index.
func (x *Index) FullTextTableNames(*sql.Context) (fulltext.IndexTableNames, error) {
	if x.shape.desc == nil || x.shape.desc.FullText == nil {
		return fulltext.IndexTableNames{}, errInternal("index %s has no full-text tables", x.shape.name)
	}
	f := x.shape.desc.FullText
	return fulltext.IndexTableNames{Config: f.Config, Position: f.Position, DocCount: f.DocCount,
		GlobalCount: f.GlobalCount, RowCount: f.RowCount}, nil
}

// FullTextKeyColumns implements fulltext.Index.
func (x *Index) FullTextKeyColumns(*sql.Context) (fulltext.KeyColumns, error) {
	if x.shape.desc == nil || x.shape.desc.FullText == nil {
		return fulltext.KeyColumns{}, errInternal("index %s has no full-text tables", x.shape.name)
	}
	f := x.shape.desc.FullText
	return fulltext.KeyColumns{Type: fulltext.KeyType(f.KeyType), Name: f.KeyName, Positions: f.KeyColumns}, nil
}

// preciseFilters keeps the comparisons that a range states exactly. GMS makes the
// range of everything but NULL of `d <> 1.5`, whatever the type of d, so negated
// ones stay filters.
func preciseFilters(ctx *sql.Context, filters []sql.Expression) []sql.Expression {
	var precise []sql.Expression
	for _, e := range filters {
		negated := transform.InspectExpr(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
			not, ok := e.(*expression.Not)
			if !ok {
				return false
			}
			_, null := not.Child.(*expression.IsNull)
			return !null
		})
		if !negated && expression.PreciseComparison(ctx, e) {
			precise = append(precise, e)
		}
	}
	return precise
}
