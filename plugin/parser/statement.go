package parser

import (
	"context"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Resolver supplies the nodes that run the statements the engine's grammar doesn't know. The statement is one of the
// exported types of this package that implement Statement; exprs are the bound query of a Do, and empty else.
// Resolve is called at bind time, ctx being the session's *sql.Context, possibly many times for one parsed statement
// (prepared statements, bodies of routines) and from many goroutines: it must not change the statement.
type Resolver interface {
	Resolve(ctx *sql.Context, statement Statement, exprs []sql.Expression) (sql.ExecSourceRel, error)
}

// Statement is a statement of our own. Its String is MySQL text for it.
type Statement interface {
	fmt.Stringer
	isStatement()
}

// Name is an object's name as written: Database is empty where the text has none, letter case is kept.
type Name struct{ Database, Name string }

func (n Name) String() string {
	if n.Database == "" {
		return quoteName(n.Name)
	}
	return quoteName(n.Database) + "." + quoteName(n.Name)
}

// TableOperation is what a TableMaintenance does.
type TableOperation string

const (
	CheckTable    TableOperation = "CHECK"
	RepairTable   TableOperation = "REPAIR"
	ChecksumTable TableOperation = "CHECKSUM"
	OptimizeTable TableOperation = "OPTIMIZE"
)

// TableMaintenance is CHECK, REPAIR, CHECKSUM or OPTIMIZE TABLE.
type TableMaintenance struct {
	Operation TableOperation
	Tables    []Name
	// Options are in upper case, in the order written: QUICK, EXTENDED, FOR UPGRADE, LOCAL, …
	Options []string
}

// ShowEngineStatus is SHOW ENGINE e STATUS, MUTEX or LOGS.
type ShowEngineStatus struct {
	Engine string // as written; ALL is a name too
	What   string // STATUS, MUTEX or LOGS
}

// AlterView is ALTER VIEW: it replaces a view that must exist.
type AlterView struct {
	View Name
	// CreateText is the statement with CREATE OR REPLACE for ALTER; Create is its tree, whose positions refer to it.
	CreateText string
	Create     ast.Statement
}

// Do is DO expr, …: the expressions are evaluated, nothing is returned. Its one expression is bound as a
// *plan.Subquery: a SELECT of the expressions, whose Query the node takes as its child and drains.
type Do struct {
	Text   string
	Select *ast.Select
}

func (*TableMaintenance) isStatement() {}
func (*ShowEngineStatus) isStatement() {}
func (*AlterView) isStatement()        {}
func (*Do) isStatement()               {}

func (s *TableMaintenance) String() string {
	front, back := "", ""
	for _, o := range s.Options {
		if o == "LOCAL" || o == "NO_WRITE_TO_BINLOG" {
			front += " " + o
		} else {
			back += " " + o
		}
	}
	names := make([]string, len(s.Tables))
	for i, t := range s.Tables {
		names[i] = t.String()
	}
	return string(s.Operation) + front + " TABLE " + strings.Join(names, ", ") + back
}

func (s *ShowEngineStatus) String() string {
	return "SHOW ENGINE " + quoteName(s.Engine) + " " + s.What
}
func (s *AlterView) String() string { return s.CreateText }
func (s *Do) String() string        { return s.Text }

// injected carries a Statement through the engine's binder to the Resolver.
type injected struct {
	statement Statement
	resolver  Resolver
}

var _ ast.Injectable = injected{}

// WithResolvedChildren implements ast.Injectable.
func (i injected) WithResolvedChildren(ctx context.Context, children []any) (any, error) {
	if i.resolver == nil {
		return nil, errUnsupported(i.statement.String())
	}
	exprs := make([]sql.Expression, len(children))
	for n, c := range children {
		e, ok := c.(sql.Expression)
		if !ok {
			return nil, fmt.Errorf("parser: child %d of %s is a %T, not an expression", n, i.statement, c)
		}
		exprs[n] = e
	}
	sqlCtx, ok := ctx.(*sql.Context)
	if !ok {
		return nil, fmt.Errorf("parser: %s bound outside of a session", i.statement)
	}
	return i.resolver.Resolve(sqlCtx, i.statement, exprs)
}

func (i injected) String() string { return i.statement.String() }

// StatementOf returns the statement of ours that stmt carries, or nil.
func StatementOf(stmt ast.Statement) Statement {
	if s, ok := stmt.(ast.InjectedStatement); ok {
		if i, ok := s.Statement.(injected); ok {
			return i.statement
		}
	}
	return nil
}

// inject wraps s for the binder.
func (p *Parser) inject(s Statement, auth ast.AuthInformation, exprs ...ast.Expr) ast.Statement {
	return ast.InjectedStatement{Statement: injected{s, p.resolver}, Auth: auth, Children: exprs}
}

var authNone = ast.AuthInformation{AuthType: ast.AuthType_IGNORE}

// authOnTables asks for a privilege on each of the tables.
func authOnTables(privilege string, names []Name) ast.AuthInformation {
	targets := make([]string, 0, 2*len(names))
	for _, n := range names {
		targets = append(targets, n.Database, n.Name)
	}
	kind := ast.AuthTargetType_MultipleTableIdentifiers
	if len(names) == 1 {
		kind = ast.AuthTargetType_SingleTableIdentifier
	}
	return ast.AuthInformation{AuthType: privilege, TargetType: kind, TargetNames: targets}
}

// authInDatabase asks for a privilege on a database.
func authInDatabase(privilege, database string) ast.AuthInformation {
	return ast.AuthInformation{AuthType: privilege, TargetType: ast.AuthTargetType_DatabaseIdentifiers, TargetNames: []string{database}}
}
