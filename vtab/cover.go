package vtab

import (
	"context"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/vtab/enc"
)

// coverPlan says how to decode rows from an index alone.
type coverPlan struct {
	x *indexShape
	// part, exact and primary give the place in the output of each key part,
	// exact value and part of the primary key, -1 if not wanted.
	part, exact, primary []int
	lastPrimary          int
	lastExact            int
}

// newCoverPlan returns nil if the index does not cover the columns.
func newCoverPlan(s *shape, x *indexShape, want []int) *coverPlan {
	p := &coverPlan{x: x, part: absent(len(x.cols)), exact: absent(len(x.exact)), primary: absent(len(s.primary.cols)), lastPrimary: -1, lastExact: -1}
	for to, ord := range want {
		src, ok := x.covers[ord]
		if !ok {
			return nil
		}
		switch src.kind {
		case fromKey:
			p.part[src.part] = to
		case fromExact:
			p.exact[src.part] = to
			p.lastExact = max(p.lastExact, src.part)
		case fromPrimary:
			p.primary[src.part] = to
			p.lastPrimary = max(p.lastPrimary, src.part)
		}
	}
	return p
}

func absent(n int) []int { return slices.Repeat([]int{-1}, n) }

func (p *coverPlan) decode(ctx context.Context, parts [][]byte, suffix, exact []byte, dst sql.Row) error {
	for i, to := range p.part {
		if to < 0 {
			continue
		}
		v, _, err := p.x.codec.Decode(i, parts[i])
		if err != nil {
			return err
		}
		dst[to] = v
	}
	for i := 0; i <= p.lastExact; i++ {
		v, rest, err := enc.DecodeValue(ctx, p.x.parts[p.x.exact[i]].Type, exact)
		if err != nil {
			return err
		}
		if p.exact[i] >= 0 {
			dst[p.exact[i]] = v
		}
		exact = rest
	}
	if p.lastPrimary < 0 {
		return nil
	}
	return decodeParts(p.x.primary, suffix, p.primary, p.lastPrimary, dst)
}
