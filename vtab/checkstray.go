package vtab

import (
	"context"
	"fmt"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// checkStrays finds key ranges that hold keys and have no owner. A range of a
// statement under way or of a temporary table is claimed by its session; one whose
// claim ended since the first look is looked at again.
func (e *Engine) checkStrays(ctx context.Context, r *Report) error {
	strays, held, err := e.strays(ctx)
	if err != nil {
		return err
	}
	if held != "" {
		r.Problems = append(r.Problems, Problem{Kind: NoteUnchecked, Object: "key ranges",
			Detail: fmt.Sprintf("%s cannot be read and may own any of them", held)})
		return nil
	}
	suspects := map[catalog.SweptRange]bool{}
	for _, s := range strays {
		if !e.claims.has(s.ID) {
			suspects[s] = true
		}
	}
	if len(suspects) == 0 {
		return nil
	}
	if strays, _, err = e.strays(ctx); err != nil {
		return err
	}
	for _, s := range strays {
		if suspects[s] {
			r.Problems = append(r.Problems, Problem{Kind: ProblemStray, Object: "key ranges",
				Key: kv.AppendPrefix(nil, s.Space, uint32(s.ID)), Detail: "there are keys in the range, and nothing owns it; the next start removes them"})
		}
	}
	return nil
}

func (e *Engine) strays(ctx context.Context) ([]catalog.SweptRange, string, error) {
	v, err := e.view(ctx)
	if err != nil {
		return nil, "", err
	}
	defer v.close()
	return v.defs.Orphans(ctx, v.reader)
}
