package vtab

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// Table is a store table made for one use in one statement. Copies that GMS
// makes of it (projections, index access) share its stmtState.
type Table struct {
	db    *Database
	shape *shape
	use   *stmtState
	// temporary is the session's own table; it is in no catalog.
	temporary bool

	// columns are the ordinals that a scan returns, nil for all.
	columns    []int
	names      []string
	projection sql.Schema
	lookup     *sql.IndexLookup
}

// stmtState ties the scans of one use of a table to its editors.
type stmtState struct {
	mode scanMode
	// filter is the filter above the scan that is about to be made.
	filter *lockingFilter
	// test is the same where no row is locked.
	test *scanFilter
	// at is the moment whose own writes the scans of this use see: the first
	// open. A statement must not see its own writes through a scan that is
	// opened again (the inner side of a join).
	at    kv.Mark
	atSet bool
	// seen holds the hidden row ids of a keyless table by row content, so that an
	// editor finds the row that the scan returned.
	seen map[uint64][]uint64
	// ids up to idsEnd are AUTO_INCREMENT values taken for this statement, which
	// expects to insert so many rows (0: unknown).
	ids, idsEnd, expected uint64
	sequence              sequenceUse
	// drained: a change has been made without the engine; the scan that GMS makes
	// for it is to find no row.
	drained bool
	// stored: the rows that this use returns are wanted as they are stored, in no
	// session's time zone; asIs says it of single columns.
	stored bool
	asIs   map[catalog.ID]bool
}

const exclusive = kv.LockX

var (
	_ sql.Table                 = (*Table)(nil)
	_ sql.Databaseable          = (*Table)(nil)
	_ sql.TemporaryTable        = (*Table)(nil)
	_ sql.CommentedTable        = (*Table)(nil)
	_ sql.ProjectedTable        = (*Table)(nil)
	_ sql.IndexAddressableTable = (*Table)(nil)
	_ sql.PrimaryKeyTable       = (*Table)(nil)
	_ sql.StatisticsTable       = (*Table)(nil)
	_ sql.CheckTable            = (*Table)(nil)
)

func newTable(ctx *sql.Context, d *Database, t *catalog.Table, mode scanMode) (*Table, error) {
	v, err := t.Derive(func(t *catalog.Table) (any, error) { return newShape(ctx, d.name, t) })
	if err != nil {
		return nil, err
	}
	table := &Table{db: d, shape: v.(*shape), use: &stmtState{mode: mode}, temporary: t.Role == roleTemporary}
	if s, ok := ctx.Session.(*Session); ok && (s.defining || table.temporary) {
		table.projection = copySchema(table.shape.schema)
	}
	return table, nil
}

// copySchema copies columns with their expressions. ALTER TABLE changes the
// columns that a table gives it in place; those of a shape belong to everybody.
func copySchema(schema sql.Schema) sql.Schema {
	own := schema.Copy()
	for _, col := range own {
		for _, v := range []**sql.ColumnDefaultValue{&col.Default, &col.Generated, &col.OnUpdate} {
			if *v != nil {
				c := **v
				*v = &c
			}
		}
	}
	return own
}

// roleTemporary marks the descriptor of a temporary table.
const roleTemporary = "temporary"

// Name implements sql.Table.
func (t *Table) Name() string { return t.shape.desc.Name }

// ID identifies the table: one of the same name that is made later has another.
func (t *Table) ID() catalog.ID { return t.shape.desc.ID }

// String implements sql.Table.
func (t *Table) String() string { return t.shape.desc.Name }

// Database implements sql.Databaseable.
func (t *Table) Database() string { return t.db.name }

// IsTemporary implements sql.TemporaryTable.
func (t *Table) IsTemporary() bool { return t.temporary }

// Comment implements sql.CommentedTable.
func (t *Table) Comment() string { return t.shape.desc.Comment }

// Collation implements sql.Table.
func (t *Table) Collation() sql.CollationID { return t.shape.collation }

// Schema implements sql.Table.
func (t *Table) Schema(*sql.Context) sql.Schema {
	if t.projection != nil {
		return t.projection
	}
	return t.shape.schema
}

// PrimaryKeySchema implements sql.PrimaryKeyTable.
func (t *Table) PrimaryKeySchema(*sql.Context) sql.PrimaryKeySchema { return t.shape.pkSchema }

// WithProjections implements sql.ProjectedTable.
func (t *Table) WithProjections(_ *sql.Context, names []string) (sql.Table, error) {
	c := *t
	if names == nil {
		c.columns, c.names, c.projection = nil, nil, nil
		return &c, nil
	}
	c.columns = make([]int, len(names))
	c.projection = make(sql.Schema, len(names))
	for i, name := range names {
		ord, ok := t.shape.column(name)
		if !ok {
			return nil, sql.ErrColumnNotFound.New(name)
		}
		c.columns[i] = ord
		c.projection[i] = t.shape.schema[ord]
	}
	c.names = names
	return &c, nil
}

// Projections implements sql.ProjectedTable.
func (t *Table) Projections() []string { return t.names }

// IndexedAccess implements sql.IndexAddressable.
func (t *Table) IndexedAccess(_ *sql.Context, lookup sql.IndexLookup) sql.IndexedTable {
	c := *t
	c.lookup = &lookup
	return &IndexedTable{Table: &c}
}

// PreciseMatch implements sql.IndexAddressable: a lookup returns the rows of its
// ranges and no others.
func (t *Table) PreciseMatch() bool { return true }

// Partitions implements sql.Table. There is one.
func (t *Table) Partitions(*sql.Context) (sql.PartitionIter, error) {
	if t.use.drained {
		return &partitions{}, nil
	}
	return &partitions{next: &partition{}}, nil
}

// PartitionRows implements sql.Table. Nothing is opened before the first Next:
// GMS asks for iterators that it never reads.
func (t *Table) PartitionRows(_ *sql.Context, p sql.Partition) (sql.RowIter, error) {
	part, ok := p.(*partition)
	if !ok {
		return nil, errInternal("partition of type %T", p)
	}
	if part.distance != nil {
		return newDistanceIter(t, part.distance), nil
	}
	it := newRowIter(t, part)
	if t.use.filter != nil {
		it.current.filtered = true
		t.use.filter.scan = it
	}
	if t.use.test != nil {
		it.test = &testedScan{rowTest: &t.use.test.test}
		t.use.test.scan = it
	}
	return it, nil
}

// IndexedTable is a Table read through an index.
type IndexedTable struct {
	*Table
}

var _ sql.IndexedTable = (*IndexedTable)(nil)

// LookupPartitions implements sql.IndexedTable.
func (t *IndexedTable) LookupPartitions(ctx *sql.Context, lookup sql.IndexLookup) (sql.PartitionIter, error) {
	x, ok := lookup.Index.(*Index)
	if !ok {
		return nil, errInternal("lookup in an index of type %T", lookup.Index)
	}
	if lookup.VectorOrderAndLimit.OrderBy != nil {
		return &partitions{next: &partition{distance: lookup.VectorOrderAndLimit.OrderBy}}, nil
	}
	p, err := t.newLookup(ctx, x.shape, lookup)
	if err != nil {
		return nil, err
	}
	return &partitions{next: &partition{lookup: p}}, nil
}

// newLookup encodes the ranges of a lookup as the session means them.
func (t *IndexedTable) newLookup(ctx *sql.Context, x *indexShape, l sql.IndexLookup) (*lookup, error) {
	sess, err := SessionOf(ctx)
	if err != nil {
		return nil, err
	}
	z, err := t.shape.zoneOf(ctx, sess)
	if err != nil {
		return nil, err
	}
	if l, err = x.keepRanges(ctx, z, l); err != nil {
		return nil, err
	}
	return newLookup(ctx, x, l)
}

// partition is what one row iterator reads: the whole table, or a lookup.
type partition struct {
	lookup   *lookup
	distance sql.Expression // rows are wanted in its order; nil for none
}

// Key implements sql.Partition.
func (p *partition) Key() []byte { return []byte{0} }

// partitions yields one partition.
type partitions struct {
	next *partition
}

// Next implements sql.PartitionIter.
func (p *partitions) Next(*sql.Context) (sql.Partition, error) {
	if p.next == nil {
		return nil, errEOF
	}
	n := p.next
	p.next = nil
	return n, nil
}

// Close implements sql.PartitionIter.
func (p *partitions) Close(*sql.Context) error { return nil }

// RowCount implements sql.StatisticsTable. The number is that of the last commit
// with what the transaction that asks has changed. It is not called exact: GMS would bake it into
// plans, also into those of trigger bodies, which run again after it has changed.
func (t *Table) RowCount(ctx *sql.Context) (uint64, bool, error) {
	tx, err := transactionOf(ctx)
	if err != nil {
		return 0, false, err
	}
	n, err := tx.rowCount(ctx, t.shape.desc.Physical)
	return n, false, err
}

// DataLength implements sql.StatisticsTable: the rows at their largest. The planner
// asks several times for each statement, so it must not cost a read of the store.
func (t *Table) DataLength(ctx *sql.Context) (uint64, error) {
	n, _, err := t.RowCount(ctx)
	if err != nil {
		return 0, err
	}
	width := int64(0)
	for _, col := range t.shape.schema {
		width += rowBytes(col.Type)
	}
	return n * uint64(width), nil
}

// GetChecks implements sql.CheckTable.
func (t *Table) GetChecks(*sql.Context) ([]sql.CheckDefinition, error) {
	var checks []sql.CheckDefinition
	for _, c := range t.shape.desc.Checks {
		checks = append(checks, sql.CheckDefinition{Name: c.Name, CheckExpression: c.Expr, Enforced: c.Enforced})
	}
	return checks, nil
}

// GetIndexes implements sql.IndexAddressable. Like GMS's own tables they come in
// the order of their names.
func (t *Table) GetIndexes(*sql.Context) ([]sql.Index, error) {
	var all []sql.Index
	if !t.shape.keyless() {
		all = append(all, newIndex(t, t.shape.primary))
	}
	for _, x := range t.shape.indexes {
		all = append(all, newIndex(t, x))
	}
	secondary := all[len(all)-len(t.shape.indexes):]
	slices.SortFunc(secondary, func(a, b sql.Index) int { return strings.Compare(a.ID(), b.ID()) })
	return all, nil
}

// wanted lists the ordinals that a scan of t returns.
func (t *Table) wanted() []int {
	if t.columns != nil {
		return t.columns
	}
	return t.shape.allColumns()
}
