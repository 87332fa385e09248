package plugin

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/freshetdb/freshet/plugin/parser"
	"github.com/freshetdb/freshet/vtab"
)

// viewRights is the engine's authorization but for the tables of views: whoever
// may read a view need not be allowed to read what it reads. That was checked for
// its definer when it was made.
type viewRights struct {
	engine sql.AuthorizationHandlerFactory
}

// installViewRights makes it that of the catalogs made from now on.
func installViewRights() {
	factory := sql.GetAuthorizationHandlerFactory()
	if _, installed := factory.(viewRights); !installed {
		sql.SetAuthorizationHandlerFactory(viewRights{factory})
	}
}

// CreateHandler implements sql.AuthorizationHandlerFactory.
func (f viewRights) CreateHandler(catalog sql.Catalog) sql.AuthorizationHandler {
	return viewHandler{AuthorizationHandler: f.engine.CreateHandler(catalog), catalog: catalog}
}

type viewHandler struct {
	sql.AuthorizationHandler // the engine's
	catalog                  sql.Catalog
}

// queryState is the engine's state with the privileges at the statement's start.
type queryState struct {
	sql.AuthorizationQueryState
	privileges mysql_db.PrivilegeSet
	known      bool
}

// NewQueryState implements sql.AuthorizationHandler.
func (h viewHandler) NewQueryState(ctx *sql.Context) sql.AuthorizationQueryState {
	state := queryState{AuthorizationQueryState: h.AuthorizationHandler.NewQueryState(ctx)}
	catalog, ok := h.catalog.(*analyzer.Catalog)
	if ok && catalog.MySQLDb != nil && catalog.MySQLDb.Enabled() && state.Error() == nil {
		state.privileges, state.known = catalog.MySQLDb.UserActivePrivilegeSet(ctx), true
	}
	return state
}

// HandleAuth implements sql.AuthorizationHandler.
func (h viewHandler) HandleAuth(ctx *sql.Context, s sql.AuthorizationQueryState, auth sqlparser.AuthInformation) error {
	state, ok := s.(queryState)
	if !ok {
		return h.AuthorizationHandler.HandleAuth(ctx, s, auth)
	}
	if state.known {
		privileges, counter := ctx.Session.GetPrivilegeSet()
		if current, ok := privileges.(mysql_db.PrivilegeSet); ok && ofViewOnly(current) && !ofViewOnly(state.privileges) {
			if parser.OfDefinerView(auth) || auth.AuthType == sqlparser.AuthType_CREATE_VIEW {
				return nil
			}
			ctx.Session.SetPrivilegeSet(state.privileges, counter)
			defer ctx.Session.SetPrivilegeSet(privileges, counter)
		}
	}
	return h.AuthorizationHandler.HandleAuth(ctx, state.AuthorizationQueryState, auth)
}

// ofViewOnly recognizes the privileges that the engine gives the session while it
// binds the text of a stored view: CREATE VIEW and nothing else, as it does not
// know our state. An account with these alone is taken for itself.
func ofViewOnly(privileges mysql_db.PrivilegeSet) bool {
	if privileges.Count() != 1 || !privileges.Has(sql.PrivilegeType_CreateView) {
		return false
	}
	for _, database := range privileges.GetDatabases() {
		if database.Name() != vtab.PublicDatabase { // everyone's
			return false
		}
	}
	return true
}

func engineState(s sql.AuthorizationQueryState) sql.AuthorizationQueryState {
	if state, ok := s.(queryState); ok {
		return state.AuthorizationQueryState
	}
	return s
}

// HandleAuthNode implements sql.AuthorizationHandler.
func (h viewHandler) HandleAuthNode(ctx *sql.Context, s sql.AuthorizationQueryState, n sql.AuthorizationCheckerNode) error {
	return h.AuthorizationHandler.HandleAuthNode(ctx, engineState(s), n)
}

// CheckDatabase implements sql.AuthorizationHandler.
func (h viewHandler) CheckDatabase(ctx *sql.Context, s sql.AuthorizationQueryState, database string) error {
	return h.AuthorizationHandler.CheckDatabase(ctx, engineState(s), database)
}

// CheckSchema implements sql.AuthorizationHandler.
func (h viewHandler) CheckSchema(ctx *sql.Context, s sql.AuthorizationQueryState, database, schema string) error {
	return h.AuthorizationHandler.CheckSchema(ctx, engineState(s), database, schema)
}

// CheckTable implements sql.AuthorizationHandler.
func (h viewHandler) CheckTable(ctx *sql.Context, s sql.AuthorizationQueryState, database, schema, table string) error {
	return h.AuthorizationHandler.CheckTable(ctx, engineState(s), database, schema, table)
}
