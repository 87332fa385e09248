package correct

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// simplifyName is the engine's rule that makes ranges of a LIKE with a prefix.
const simplifyName = "simplifyFilters"

const defaultEscape = '\\'

// keepEscapes puts escapedLike in front of the engine's rule.
func keepEscapes(simplify analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if !n.Resolved() {
			return n, transform.SameTree, nil
		}
		n, escapesSame, err := transform.NodeWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
			switch n.(type) {
			case *plan.Filter, *plan.JoinNode:
				return transform.OneNodeExpressions(ctx, n, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
					if like, ok := e.(*expression.Like); ok {
						return escapedLike(ctx, like)
					}
					return e, transform.SameTree, nil
				})
			}
			return n, transform.SameTree, nil
		})
		if err != nil {
			return nil, transform.SameTree, err
		}
		n, same, err := simplify(ctx, a, n, scope, sel, flags)
		return n, same && escapesSame, err
	}
}

// escapedLike keeps a LIKE whose pattern has escapes from being simplified: the
// engine takes the escapes for part of the text it looks for. It leaves a LIKE with
// an ESCAPE clause alone, so the pattern gets one that says what holds anyway. What stands before the first wildcard bounds the values from below,
// under every collation: texts are compared character by character.
func escapedLike(ctx *sql.Context, like *expression.Like) (sql.Expression, transform.TreeIdentity, error) {
	pattern, ok := like.RightChild.(*expression.Literal)
	if !ok || like.Escape != nil {
		return like, transform.SameTree, nil
	}
	text, ok := pattern.Value().(string)
	if !ok || strings.IndexByte(text, defaultEscape) < 0 {
		if ok && padded(like.LeftChild.Type(ctx)) {
			return unpaddedLike(ctx, like, pattern, text)
		}
		return like, transform.SameTree, nil
	}
	explicit := expression.NewLike(like.LeftChild, pattern, expression.NewLiteral(string(defaultEscape), types.LongText))
	prefix := literalPrefix(text)
	collation, _ := sql.GetCoercibility(ctx, like.LeftChild)
	if prefix == "" || collation.CharacterSet() != sql.CharacterSet_utf8mb4 {
		return explicit, transform.NewTree, nil
	}
	bound := expression.NewGreaterThanOrEqual(like.LeftChild, expression.NewLiteral(prefix, pattern.Type(ctx)))
	return expression.NewAnd(bound, explicit), transform.NewTree, nil
}

// unpaddedLike keeps a LIKE over text whose blanks at the end do not count elsewhere: the
// engine makes = of a pattern without wildcards, and ranges of a prefix.
func unpaddedLike(ctx *sql.Context, like *expression.Like, pattern *expression.Literal, text string) (sql.Expression, transform.TreeIdentity, error) {
	prefix := literalPrefix(text)
	whole := prefix == text
	if !whole && !strings.HasSuffix(prefix, " ") {
		return like, transform.SameTree, nil
	}
	explicit := expression.NewLike(like.LeftChild, pattern, expression.NewLiteral(string(defaultEscape), types.LongText))
	literal := expression.NewLiteral(strings.TrimRight(prefix, " "), pattern.Type(ctx))
	if whole {
		return expression.NewAnd(expression.NewEquals(like.LeftChild, literal), explicit), transform.NewTree, nil
	}
	return expression.NewAnd(expression.NewGreaterThanOrEqual(like.LeftChild, literal), explicit), transform.NewTree, nil
}

// literalPrefix is the text that everything a pattern matches begins with, as far
// as the pattern says.
func literalPrefix(pattern string) string {
	var out strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '%', '_':
			return out.String()
		case defaultEscape:
			if i++; i == len(pattern) {
				return out.String()
			}
		}
		out.WriteByte(pattern[i])
	}
	return out.String()
}
