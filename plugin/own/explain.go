package own

import (
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// Explained is the result of EXPLAIN without a format, from the engine's plan, in the
// columns of MySQL: id, select_type, table, partitions, type, possible_keys, key,
// key_len, ref, rows, filtered, Extra. What the plan does not say is NULL: key_len, and
// the number of rows where only the store knows it.
func Explained(ctx *sql.Context, child sql.Node) []sql.Row {
	e := &explainer{ctx: ctx, next: 1}
	e.query(child, "SIMPLE")
	if len(e.lines) > 1 {
		for i := range e.lines {
			if e.lines[i].id != 1 && e.lines[0].kind == "SIMPLE" {
				for j := range e.lines {
					if e.lines[j].kind == "SIMPLE" && e.lines[j].id == 1 {
						e.lines[j].kind = "PRIMARY"
					}
				}
				break
			}
		}
	}
	rows := make([]sql.Row, len(e.lines))
	for i, l := range e.lines {
		rows[i] = l.row()
	}
	return rows
}

// explainLine is one row of the result; an empty text is NULL.
type explainLine struct {
	id               int // 0 for NULL
	kind             string
	table            string
	access, key, ref string
	rows             *uint64
	filters          bool
	extra            []string
}

func (l *explainLine) row() sql.Row {
	text := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	row := sql.Row{nil, l.kind, text(l.table), nil, text(l.access), text(l.key), text(l.key), nil, text(l.ref), nil, nil, text(strings.Join(l.extra, "; "))}
	if l.access == "index" {
		row[5] = nil // no condition asked for the key
	}
	if l.id > 0 {
		row[0] = uint64(l.id)
	}
	if l.rows != nil {
		row[9] = *l.rows
	}
	if l.access != "" && !l.filters {
		row[10] = float64(100)
	}
	return row
}

type explainer struct {
	ctx   *sql.Context
	lines []explainLine
	next  int // the next id
}

// query explains a SELECT, or a statement with one, under an id of its own.
func (e *explainer) query(n sql.Node, kind string) int {
	id := e.next
	e.next++
	first := len(e.lines)
	e.node(n, id, kind, false)
	if len(e.lines) == first {
		e.lines = append(e.lines, explainLine{id: id, kind: kind, extra: []string{"No tables used"}})
	}
	return id
}

// node explains what lies below n. filtered says that a condition is applied above.
func (e *explainer) node(n sql.Node, id int, kind string, filtered bool) {
	first := len(e.lines)
	switch n := n.(type) {
	case *plan.SetOp:
		e.union(n, id, kind)
		return
	case *plan.SubqueryAlias:
		at := len(e.lines)
		e.lines = append(e.lines, explainLine{})
		derived := e.query(n.Child, "DERIVED")
		line := explainLine{id: id, kind: kind, table: "<derived" + strconv.Itoa(derived) + ">", access: "ALL", filters: filtered}
		if filtered {
			line.extra = []string{"Using where"}
		}
		e.lines[at] = line
		return
	case *plan.TableAlias:
		e.node(n.Child, id, kind, filtered)
		for i := first; i < len(e.lines); i++ {
			if e.lines[i].id == id {
				e.lines[i].table = n.Name()
			}
		}
		return
	case *plan.IndexedTableAccess:
		e.lines = append(e.lines, e.indexed(n, id, kind, filtered))
		return
	case *plan.ResolvedTable:
		if n.Name() != "" && n.Name() != "dual" {
			e.lines = append(e.lines, e.scanned(n, id, kind, filtered))
		}
		return
	case *plan.InsertInto:
		e.modified(n.Destination, id, changeKind(n))
		if _, values := n.Source.(*plan.Values); !values {
			e.node(n.Source, id, "SIMPLE", false)
		}
		return
	case *plan.Update:
		e.node(n.Child, id, "UPDATE", filtered)
		return
	case *plan.DeleteFrom:
		e.node(n.Child, id, "DELETE", filtered)
		return
	case *plan.JoinNode:
		e.join(n, id, kind, filtered)
	default:
		for _, child := range n.Children() {
			_, filters := n.(*plan.Filter)
			e.node(child, id, kind, filtered || filters)
		}
	}
	if note := extraOf(n); note != "" && first < len(e.lines) {
		e.lines[first].extra = append(e.lines[first].extra, note)
	}
	e.subqueries(n)
}

// extraOf is what MySQL says of an operation on the first table below it.
func extraOf(n sql.Node) string {
	switch n.(type) {
	case *plan.Sort, *plan.TopN:
		return "Using filesort"
	case *plan.GroupBy, *plan.Distinct, *plan.Window:
		return "Using temporary"
	}
	return ""
}

func changeKind(n *plan.InsertInto) string {
	if n.IsReplace {
		return "REPLACE"
	}
	return "INSERT"
}

// modified is the table that an INSERT writes.
func (e *explainer) modified(destination sql.Node, id int, kind string) {
	transform.Inspect(destination, func(n sql.Node) bool {
		if table, ok := n.(*plan.ResolvedTable); ok {
			e.lines = append(e.lines, explainLine{id: id, kind: kind, table: table.Name(), access: "ALL"})
			return false
		}
		return true
	})
}

func (e *explainer) join(n *plan.JoinNode, id int, kind string, filtered bool) {
	e.node(n.Left(), id, kind, filtered)
	first := len(e.lines)
	e.node(n.Right(), id, kind, filtered)
	if first < len(e.lines) && n.Op.IsHash() {
		e.lines[first].extra = append(e.lines[first].extra, "Using join buffer (hash join)")
	}
}

func (e *explainer) union(n *plan.SetOp, id int, kind string) {
	if kind == "SIMPLE" {
		kind = "PRIMARY"
	}
	e.node(n.Left(), id, kind, false)
	operation := "UNION"
	switch n.SetOpType {
	case plan.IntersectType:
		operation = "INTERSECT"
	case plan.ExceptType:
		operation = "EXCEPT"
	}
	right := e.query(n.Right(), operation)
	if n.Distinct {
		e.lines = append(e.lines, explainLine{kind: operation + " RESULT", table: "<" + strings.ToLower(operation) + strconv.Itoa(id) + "," + strconv.Itoa(right) + ">", access: "ALL", filters: true, extra: []string{"Using temporary"}})
	}
}

// subqueries explains those in the expressions of a node.
func (e *explainer) subqueries(n sql.Node) {
	with, ok := n.(sql.Expressioner)
	if !ok {
		return
	}
	for _, expr := range with.Expressions() {
		transform.InspectExpr(e.ctx, expr, func(_ *sql.Context, expr sql.Expression) bool {
			if subquery, ok := expr.(*plan.Subquery); ok {
				kind := "SUBQUERY"
				if !subquery.Correlated().Empty() {
					kind = "DEPENDENT SUBQUERY"
				}
				e.query(subquery.Query, kind)
			}
			return false
		})
	}
}

// scanned is a table that is read as a whole.
func (e *explainer) scanned(n *plan.ResolvedTable, id int, kind string, filtered bool) explainLine {
	line := explainLine{id: id, kind: kind, table: n.Name(), access: "ALL", filters: filtered, rows: e.rowCount(n.Table)}
	if filtered {
		line.extra = []string{"Using where"}
	}
	return line
}

func (e *explainer) rowCount(table sql.Table) *uint64 {
	counted, ok := sql.GetUnderlyingTable(table).(sql.StatisticsTable)
	if !ok {
		return nil
	}
	n, _, err := counted.RowCount(e.ctx)
	if err != nil {
		return nil // an estimate that cannot be had
	}
	return &n
}

// indexed is a table that is read by a key.
func (e *explainer) indexed(n *plan.IndexedTableAccess, id int, kind string, filtered bool) explainLine {
	index := n.Index()
	line := explainLine{id: id, kind: kind, table: n.Name(), key: index.ID(), filters: filtered}
	if filtered {
		line.extra = []string{"Using where"}
	}
	columns := len(index.Expressions())
	one := uint64(1)
	if !n.IsStatic() {
		line.access = "ref"
		keys := n.Expressions()
		if index.IsUnique() && len(keys) >= columns {
			line.access, line.rows = "eq_ref", &one
		}
		var refs []string
		for _, key := range keys {
			refs = append(refs, refText(key))
		}
		line.ref = strings.Join(refs, ",")
		return line
	}
	lookup, ok, err := n.GetLookup(e.ctx, nil)
	if err != nil || !ok {
		line.access = "range"
		return line
	}
	ranges, _ := lookup.Ranges.(sql.MySQLRangeCollection)
	points, open := pointsOf(e.ctx, ranges)
	switch {
	case lookup.IsEmptyRange:
		line.access, line.key, line.extra = "", "", []string{"Impossible WHERE"}
	case open:
		line.access = "index"
		line.rows = e.rowCount(n.UnderlyingTable())
	case points == 0 || len(ranges) > 1:
		line.access = "range"
	case index.IsUnique() && points >= columns:
		line.access, line.rows = "const", &one
		line.ref = strings.TrimSuffix(strings.Repeat("const,", points), ",")
	case points == constrained(ranges[0]):
		line.access = "ref"
		line.ref = strings.TrimSuffix(strings.Repeat("const,", points), ",")
	default:
		line.access = "range"
	}
	return line
}

// pointsOf counts the leading columns that all ranges hold to one value; open says that
// the ranges leave every column free.
func pointsOf(ctx *sql.Context, ranges sql.MySQLRangeCollection) (points int, open bool) {
	open = len(ranges) > 0
	for i, r := range ranges {
		n := 0
		for n < len(r) && isPoint(ctx, r[n]) {
			n++
		}
		if i == 0 || n < points {
			points = n
		}
		open = open && constrained(r) == 0
	}
	return points, open
}

func isPoint(ctx *sql.Context, r sql.MySQLRangeColumnExpr) bool {
	switch r.Type() {
	case sql.RangeType_EqualNull:
		return true
	case sql.RangeType_ClosedClosed:
		order, err := r.Typ.Compare(ctx, sql.GetMySQLRangeCutKey(r.LowerBound), sql.GetMySQLRangeCutKey(r.UpperBound))
		return err == nil && order == 0
	}
	return false
}

// constrained counts the columns that a range does not leave free.
func constrained(r sql.MySQLRange) int {
	n := 0
	for _, column := range r {
		if column.Type() != sql.RangeType_All {
			n++
		}
	}
	return n
}

func refText(e sql.Expression) string {
	switch e := e.(type) {
	case *expression.GetField:
		return e.String()
	case *expression.Literal:
		return "const"
	}
	return "func"
}
