package vtab

import (
	"bytes"
	"context"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/vtab/enc"
	"github.com/freshetdb/freshet/vtab/kv"
)

// lookup is an index lookup turned into byte ranges.
type lookup struct {
	index *indexShape
	spans []span // disjoint, in the order in which they are to be read
	// reverse: each span is read from its end.
	reverse bool
	// box restricts a spatial lookup; nil for all others.
	box *boundingBox
}

// points reports whether every span can hold one key at most.
func (l *lookup) points() bool {
	if !l.index.unique || l.box != nil {
		return false
	}
	for i := range l.spans {
		if !l.spans[i].point {
			return false
		}
	}
	return true
}

// span is one range of the index.
type span struct {
	kv.Range
	// any lists conditions of which an entry in the range must meet one; empty
	// where the range says it all.
	any []condition
	// point: every part is one non-NULL value.
	point bool
}

// condition is what a range of the engine says of an entry: a byte range, and
// bounds for the key parts behind the first one that is not a single value, which
// do not narrow the byte range.
type condition struct {
	kv.Range
	parts []partRange // empty, or one per key part
	// tail bounds the parts of the primary key that follow the index's own (a
	// foreign key may refer to them), in the order of indexShape.tail.
	tail []partRange
	// whole bounds the whole columns of an index with prefixes; the row tells.
	whole []partRange
	point bool
}

// filters reports whether the byte range alone does not decide.
func (c *condition) filters() bool { return len(c.parts) > 0 || len(c.tail) > 0 || len(c.whole) > 0 }

// filters reports whether entries of the span have to be looked at.
func (s *span) filters() bool { return len(s.any) > 0 }

// admits reports whether an entry of x in the span, whose key is taken apart in
// parts, meets one of the conditions.
func (s *span) admits(x *indexShape, key []byte, parts [][]byte, suffix []byte) (bool, error) {
	if len(s.any) == 0 {
		return true, nil
	}
	for i := range s.any {
		c := &s.any[i]
		if len(s.any) > 1 && !c.Contains(key) || !matches(parts, c.parts) {
			continue
		}
		if len(c.tail) == 0 {
			return true, nil
		}
		if ok, err := matchTail(x, suffix, c.tail); err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}

// newSpans makes spans of conditions. Ranges that are disjoint for the engine need
// not be so here: under a prefix they are wider, and those that differ in a later
// key part only are the same bytes. Each entry must be read once, in index order,
// so what overlaps becomes one span.
func newSpans(all []condition, reverse bool) []span {
	slices.SortStableFunc(all, func(a, b condition) int { return bytes.Compare(a.Start, b.Start) })
	var spans []span
	for _, c := range all {
		if n := len(spans); n > 0 && (spans[n-1].End == nil || bytes.Compare(c.Start, spans[n-1].End) < 0) {
			spans[n-1].add(c)
			continue
		}
		spans = append(spans, span{Range: c.Range, any: []condition{c}, point: c.point})
	}
	for i := range spans {
		if s := &spans[i]; len(s.any) == 1 && !s.any[0].filters() {
			s.any = nil
		}
	}
	if reverse {
		slices.Reverse(spans)
	}
	return spans
}

// add makes a condition that overlaps the span part of it.
func (s *span) add(c condition) {
	last := &s.any[len(s.any)-1]
	if bytes.Equal(c.Start, last.Start) && bytes.Equal(c.End, last.End) && !c.filters() && !last.filters() {
		return // the same keys
	}
	s.any = append(s.any, c)
	s.point = false
	if c.End == nil || s.End != nil && bytes.Compare(c.End, s.End) > 0 {
		s.End = c.End
	}
}

// partRange bounds the encoding of one key part: low <= bytes < high; nil is open.
type partRange struct {
	low, high []byte
}

func (r partRange) contains(b []byte) bool {
	return (r.low == nil || bytes.Compare(b, r.low) >= 0) && (r.high == nil || bytes.Compare(b, r.high) < 0)
}

// newLookup encodes the ranges of a lookup.
func newLookup(ctx context.Context, x *indexShape, l sql.IndexLookup) (*lookup, error) {
	p := &lookup{index: x, reverse: l.IsReverse != x.backward}
	// IsEmptyRange is not asked: the engine sets it for every lookup of a join with
	// a NULL in its key, also where <=> finds the NULLs. The ranges tell.
	ranges, ok := l.Ranges.(sql.MySQLRangeCollection)
	if l.IsEmptyRange && l.Ranges == nil {
		return p, nil
	}
	if !ok {
		return nil, errInternal("lookup with ranges of type %T", l.Ranges)
	}
	if l.Index.IsSpatial() {
		box, err := newBoundingBox(ranges)
		if err != nil {
			return nil, err
		}
		p.box = box
		p.spans = []span{{Range: x.span}}
		return p, nil
	}
	var all []condition
	for _, r := range ranges {
		c, ok, err := newCondition(ctx, x, r)
		if err != nil {
			return nil, err
		}
		if ok {
			all = append(all, c)
		}
	}
	p.spans = newSpans(all, p.reverse)
	return p, nil
}

// newCondition encodes one range; ok is false if it is empty.
func newCondition(ctx context.Context, x *indexShape, r sql.MySQLRange) (s condition, ok bool, err error) {
	start := append([]byte(nil), x.prefix...)
	parts := make([]partRange, 0, len(x.cols))
	narrowing := true
	s.point = len(r) >= len(x.cols) && len(x.cols) > 0 && !x.prefixed()
	var end []byte
	for i := range r {
		if isEmptyRange(r[i]) {
			return s, false, nil
		}
		if i >= len(x.cols) {
			if s.tail, err = boundTail(ctx, x, r[i:]); err != nil {
				return s, false, err
			}
			break
		}
		b, err := boundPart(ctx, x, i, r[i])
		if err != nil {
			return s, false, err
		}
		if b.empty {
			return s, false, nil
		}
		parts = append(parts, b.partRange)
		if x.whole != nil {
			w, err := boundPart(ctx, x.whole, i, r[i])
			if err != nil {
				return s, false, err
			}
			s.whole = append(s.whole, w.partRange)
		}
		s.point = s.point && b.point && !b.null
		if !narrowing {
			continue
		}
		if b.point {
			start = append(start, b.low...)
			continue
		}
		narrowing = false
		prefix := start
		if b.high != nil {
			end = append(append([]byte(nil), prefix...), b.high...)
		} else {
			end = enc.Successor(nil, prefix)
		}
		if b.low != nil {
			start = append(append([]byte(nil), prefix...), b.low...)
		}
	}
	if narrowing {
		end = enc.Successor(nil, start)
	}
	s.Range = kv.Range{Start: start, End: end}
	if needsFilter(parts) {
		s.parts = parts
	}
	return s, bytes.Compare(s.Start, s.End) < 0 || s.End == nil, nil
}

// isEmptyRange reports whether the cuts of a column exclude every value: above
// everything, below NULL, or at a NULL that is compared with = (those that IS NULL
// and <=> make have no key).
func isEmptyRange(r sql.MySQLRangeColumnExpr) bool {
	_, above := r.LowerBound.(sql.AboveAll)
	_, below := r.UpperBound.(sql.BelowNull)
	return above || below || nullKey(r.LowerBound) || nullKey(r.UpperBound)
}

func nullKey(c sql.MySQLRangeCut) bool {
	switch c := c.(type) {
	case sql.Below:
		return c.Key == nil
	case sql.Above:
		return c.Key == nil
	}
	return false
}

// boundTail encodes the ranges of the primary key's columns behind the index's own.
func boundTail(ctx context.Context, x *indexShape, r sql.MySQLRange) ([]partRange, error) {
	var tail []partRange
	for i := range r {
		if i >= len(x.tail) {
			return nil, errInternal("range over more columns than index %s has", x.name)
		}
		b, err := boundPart(ctx, x.primary, x.tail[i], r[i])
		if err != nil {
			return nil, err
		}
		tail = append(tail, b.partRange)
	}
	return tail, nil
}

// needsFilter reports whether some part behind the first open one is bounded.
func needsFilter(parts []partRange) bool {
	open := false
	for _, p := range parts {
		if open && (p.low != nil || p.high != nil) {
			return true
		}
		single := p.low != nil && p.high != nil && bytes.Equal(p.high, enc.Successor(nil, p.low))
		open = open || !single
	}
	return false
}

// partBound is the range of one part in encoded order.
type partBound struct {
	partRange
	point, null, empty bool
}

// boundPart encodes the range of one column. For a descending part the cuts swap
// sides.
func boundPart(ctx context.Context, x *indexShape, i int, r sql.MySQLRangeColumnExpr) (partBound, error) {
	low, err := encodeCut(ctx, x, i, r.LowerBound, false)
	if err != nil {
		return partBound{}, err
	}
	high, err := encodeCut(ctx, x, i, r.UpperBound, true)
	if err != nil {
		return partBound{}, err
	}
	if x.parts[i].Desc {
		low, high = flip(high), flip(low)
	}
	b := partBound{partRange: partRange{low: low.from(), high: high.upTo()}}
	if b.low != nil && b.high != nil {
		if bytes.Compare(b.low, b.high) >= 0 {
			b.empty = true
		}
		b.point = bytes.Equal(b.high, enc.Successor(nil, b.low))
		null, err := x.codec.Append(ctx, nil, i, nil)
		if err != nil {
			return b, err
		}
		b.null = b.point && bytes.Equal(b.low, null)
	}
	if _, all := r.LowerBound.(sql.BelowNull); all && !b.point && !b.empty {
		// NULL and above is no bound at all.
		if x.parts[i].Desc {
			b.high = nil
		} else {
			b.low = nil
		}
	}
	return b, nil
}

// cut is a position in the order of one part's encodings: just before or just
// behind all encodings that start with at; at nil is the far end of its side.
type cut struct {
	at     []byte
	behind bool
}

// flip turns a cut in value order of a descending part into byte order.
func flip(c cut) cut { return cut{at: c.at, behind: !c.behind} }

// from is the first byte string at or behind the cut, nil for no bound.
func (c cut) from() []byte {
	if c.at == nil {
		return nil
	}
	if c.behind {
		return enc.Successor(nil, c.at)
	}
	return c.at
}

// upTo is the first byte string that is not before the cut, nil for no bound.
func (c cut) upTo() []byte { return c.from() }

// encodeCut encodes a cut of a range in value order. A bound on a prefix part is
// widened so that every row that shares the prefix is in; the engine keeps its
// filter there.
func encodeCut(ctx context.Context, x *indexShape, i int, c sql.MySQLRangeCut, upper bool) (cut, error) {
	switch c := c.(type) {
	case nil, sql.AboveAll:
		return cut{}, nil
	case sql.BelowNull:
		null, err := x.codec.Append(ctx, nil, i, nil)
		return cut{at: null}, err
	case sql.AboveNull:
		null, err := x.codec.Append(ctx, nil, i, nil)
		return cut{at: null, behind: true}, err
	case sql.Below:
		key, err := encodeBound(ctx, x, i, c.Key, c.Typ)
		return cut{at: key, behind: upper && x.parts[i].Prefix > 0}, err
	case sql.Above:
		key, err := encodeBound(ctx, x, i, c.Key, c.Typ)
		return cut{at: key, behind: upper || x.parts[i].Prefix == 0}, err
	}
	return cut{}, errInternal("range cut of type %T", c)
}

func encodeBound(ctx context.Context, x *indexShape, i int, key any, typ sql.Type) ([]byte, error) {
	v, err := sql.UnwrapAny(ctx, key)
	if err != nil {
		return nil, err
	}
	return x.codec.AppendBound(ctx, nil, i, v)
}

// boundingBox is the rectangle of a spatial lookup.
type boundingBox struct {
	minX, minY, maxX, maxY float64
}

func newBoundingBox(ranges sql.MySQLRangeCollection) (*boundingBox, error) {
	if len(ranges) != 1 || len(ranges[0]) != 1 {
		return nil, sql.ErrInvalidGISData.New()
	}
	low, ok := sql.GetMySQLRangeCutKey(ranges[0][0].LowerBound).(types.Point)
	if !ok {
		return nil, sql.ErrInvalidGISData.New()
	}
	high, ok := sql.GetMySQLRangeCutKey(ranges[0][0].UpperBound).(types.Point)
	if !ok {
		return nil, sql.ErrInvalidGISData.New()
	}
	return &boundingBox{low.X, low.Y, high.X, high.Y}, nil
}

// overlaps reports whether a geometry's bounding box meets b.
func (b *boundingBox) overlaps(v any) bool {
	g, ok := v.(types.GeometryValue)
	if !ok {
		return false
	}
	minX, minY, maxX, maxY := g.BBox()
	return minX <= b.maxX && maxX >= b.minX && minY <= b.maxY && maxY >= b.minY
}
