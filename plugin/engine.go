package plugin

import (
	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql/analyzer"

	"github.com/freshetdb/freshet/plugin/correct"
)

// versionPostfix follows the MySQL version that VERSION() and the handshake show.
const versionPostfix = "freshet"

// newEngine builds the engine over a backend.
func newEngine(b backend) (*sqle.Engine, error) {
	correct.Install()
	installViewRights()
	builder := analyzer.NewBuilder(b.provider()).AddOverrides(b.overrides())
	b.configure(builder)
	a := builder.Build()
	if err := b.finish(a); err != nil {
		return nil, err
	}
	return sqle.New(a, &sqle.Config{VersionPostfix: versionPostfix}), nil
}
