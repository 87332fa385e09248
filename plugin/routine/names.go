package routine

import (
	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/freshetdb/freshet/plugin/parser"
)

// query prepares a statement of the body: variables become parameters, and names
// without a database get the function's.
func (c *compiler) query(s ast.Statement) *query {
	s = parser.ReplaceNames(s, func(name string) ast.Expr {
		if i, ok := c.variable(name); ok {
			return ast.NewValArg([]byte(":" + bindingName(i)))
		}
		return nil
	})
	s = c.parser.Operators(c.parser.GiveFrom(s))
	if !c.procedure {
		c.qualify(s)
	}
	return &query{binding: &c.program.binding, statement: s}
}

// expression prepares an expression of the body.
func (c *compiler) expression(e ast.Expr) *expression {
	prepared := c.query(&ast.Select{SelectExprs: ast.SelectExprs{&ast.AliasedExpr{Expr: e}}})
	compiled := &expression{query: *prepared}
	walk(prepared.statement, func(n ast.SQLNode) {
		if _, ok := n.(*ast.Subquery); ok {
			compiled.subqueries = true
		}
	})
	return compiled
}

// qualify gives tables and stored functions without a database the function's.
func (c *compiler) qualify(s ast.Statement) {
	common := map[string]bool{}
	walk(s, func(n ast.SQLNode) {
		if with, ok := n.(*ast.With); ok && with != nil {
			for _, cte := range with.Ctes {
				common[lower(cte.As.String())] = true
			}
		}
	})
	walk(s, func(n ast.SQLNode) {
		switch n := n.(type) {
		case *ast.AliasedTableExpr:
			if table, ok := n.Expr.(ast.TableName); ok && !common[lower(table.Name.String())] {
				n.Expr = c.qualifyTable(table)
				c.qualifyAuth(&n.Auth)
			}
		case *ast.Insert:
			n.Table = c.qualifyTable(n.Table)
			c.qualifyAuth(&n.Auth)
		case *ast.FuncExpr:
			if n.Qualifier.IsEmpty() && !c.native(n.Name.Lowered()) {
				n.Qualifier = ast.NewTableIdent(c.database)
			}
		}
	})
}

func (c *compiler) qualifyTable(table ast.TableName) ast.TableName {
	if table.DbQualifier.IsEmpty() && lower(table.Name.String()) != "dual" {
		table.DbQualifier = ast.NewTableIdent(c.database)
	}
	return table
}

// qualifyAuth does the same for the table whose privileges are checked.
func (c *compiler) qualifyAuth(auth *ast.AuthInformation) {
	if len(auth.TargetNames) > 1 && auth.TargetNames[0] == "" {
		names := append([]string(nil), auth.TargetNames...)
		names[0] = c.database
		auth.TargetNames = names
	}
}

// walk visits all nodes of a statement. Visiting cannot fail.
func walk(s ast.SQLNode, visit func(ast.SQLNode)) {
	if err := ast.Walk(func(n ast.SQLNode) (bool, error) {
		visit(n)
		return true, nil
	}, s); err != nil {
		panic(err)
	}
}

// set compiles SET of local, user and system variables, in the order written.
func (c *compiler) set(s *ast.Set) (node, error) {
	b := &block{}
	for _, e := range s.Exprs {
		name := e.Name.Name.String()
		if e.Scope == ast.SetScope_User {
			b.statements = append(b.statements, setting{assignment{user: trimAt(name)}, c.expression(e.Expr)})
			continue
		}
		if i, ok := c.variable(name); ok && e.Scope == ast.SetScope_None && e.Name.Qualifier.IsEmpty() {
			b.statements = append(b.statements, setting{assignment{slot: c.program.slots[i]}, c.expression(e.Expr)})
			continue
		}
		if _, _, ok := sql.SystemVariables.GetGlobal(lower(name)); !ok && e.Scope == ast.SetScope_None {
			return nil, errSystemVariable(name)
		}
		single := &ast.Set{Exprs: ast.SetVarExprs{e}}
		b.statements = append(b.statements, execution{c.query(single)})
	}
	if len(b.statements) == 1 {
		return b.statements[0], nil
	}
	return b, nil
}

func trimAt(name string) string {
	if len(name) > 0 && name[0] == '@' {
		return name[1:]
	}
	return name
}

// sqlStatement compiles what is not control flow, or says why it can't be there.
func (c *compiler) sqlStatement(s ast.Statement) (node, error) {
	if c.procedure {
		return c.procedureStatement(s)
	}
	switch s := s.(type) {
	case *ast.Select:
		into := s.Into
		s.Into = nil
		return c.selectInto(s, into)
	case *ast.SetOp:
		into := s.Into
		s.Into = nil
		return c.selectInto(s, into)
	case *ast.ParenSelect:
		return nil, errResultSet()
	case *ast.Insert, *ast.Update, *ast.Delete:
		return execution{c.query(s)}, nil
	case *ast.Begin, *ast.Commit, *ast.Rollback, *ast.Savepoint, *ast.RollbackSavepoint, *ast.ReleaseSavepoint,
		*ast.DDL, *ast.AlterTable, *ast.DBDDL, *ast.Analyze, *ast.Load, *ast.CreateUser, *ast.DropUser, *ast.GrantPrivilege, *ast.RevokePrivilege:
		return nil, errCommit()
	case *ast.LockTables, *ast.UnlockTables:
		return nil, errNotInRoutine("LOCK")
	case *ast.Use:
		return nil, errNotInRoutine("USE")
	case *ast.Prepare, *ast.Execute, *ast.Deallocate:
		return nil, errDynamic()
	case *ast.Show, *ast.Explain, *ast.OtherRead:
		return nil, errResultSet()
	case *ast.Call:
		return nil, errUnsupported("CALL")
	}
	switch parser.StatementOf(s).(type) {
	case *parser.Do:
		return execution{c.query(s)}, nil
	case *parser.Begin, *parser.EndTransaction, *parser.SetTransaction:
		return nil, errCommit()
	}
	return nil, errUnsupported(ast.String(s))
}

func (c *compiler) selectInto(s ast.Statement, into *ast.Into) (node, error) {
	if into == nil {
		return nil, errResultSet()
	}
	if into.Outfile != "" || into.Dumpfile != "" {
		return nil, errUnsupported("SELECT … INTO file")
	}
	names := make([]string, 0, len(into.Variables))
	for _, name := range into.Variables {
		names = append(names, name.String())
	}
	targets, err := c.targets(names)
	if err != nil {
		return nil, err
	}
	return selection{c.query(s), targets}, nil
}
