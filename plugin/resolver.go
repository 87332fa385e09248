package plugin

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/plugin/parser"
	"github.com/freshetdb/freshet/vtab"
)

// resolver supplies the nodes that run our own statements.
type resolver struct {
	tables *vtab.Engine
}

var _ parser.Resolver = (*resolver)(nil)

// Resolve implements parser.Resolver.
func (r *resolver) Resolve(_ *sql.Context, s parser.Statement, _ []sql.Expression) (sql.ExecSourceRel, error) {
	return nil, sql.ErrUnsupportedFeature.New(s.String())
}
