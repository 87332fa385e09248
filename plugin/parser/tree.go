package parser

import (
	"strconv"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// tree runs the passes over the syntax tree that the hints ask for. s is nil if the text needed no help.
func (p *Parser) tree(stmt ast.Statement, hints hint, s *source) (ast.Statement, error) {
	if s != nil && len(s.own) > 0 {
		stmt = p.restoreOwn(stmt, s)
	}
	if hints&hintPartition != 0 {
		if err := p.refusePartitions(stmt); err != nil {
			return nil, err
		}
	}
	if hints&hintWindow != 0 {
		if err := p.refuseDistinctWindows(stmt); err != nil {
			return nil, err
		}
	}
	if hints&hintAggregate != 0 {
		if err := p.refuseAggregates(stmt); err != nil {
			return nil, err
		}
	}
	if ddl, ok := stmt.(*ast.DDL); ok && hints&hintCreate != 0 {
		if err := p.checkDefinition(ddl); err != nil {
			return nil, err
		}
	}
	if hints&hintConcat != 0 {
		stmt = p.joinConcats(stmt)
	}
	if hints&hintSets != 0 {
		var err error
		if stmt, err = p.compareSets(stmt); err != nil {
			return nil, err
		}
	}
	if hints&hintLock != 0 {
		stmt = p.markLocks(stmt, s)
	}
	if hints&hintRollup != 0 {
		var err error
		if stmt, err = p.expandRollups(stmt); err != nil {
			return nil, err
		}
	}
	if hints&hintHaving != 0 {
		stmt = p.orderByAliases(stmt)
	}
	if hints&hintVector != 0 {
		stmt = p.foldVectors(stmt)
	}
	if hints&hintConstant != 0 {
		stmt = p.keepConstants(stmt)
	}
	if hints&hintOperator != 0 {
		stmt = p.operators(stmt, s != nil && s.compound)
	}
	if ddl, ok := stmt.(*ast.DDL); ok && ddl.TriggerSpec != nil {
		ddl.TriggerSpec.Body = p.keepTriggerRows(ddl.TriggerSpec.Body)
	}
	if hints&hintTableless != 0 {
		// Last, so that nothing takes the table for one of the user's.
		if sel, ok := stmt.(*ast.Select); ok && len(sel.From) == 0 && sel.With == nil && simpleExprs(sel) {
			giveFrom(sel)
		} else {
			stmt = p.GiveFrom(stmt)
		}
	}
	if hints&hintCreate != 0 {
		dropNoColumn(stmt)
		if err := p.markColumns(stmt); err != nil {
			return nil, err
		}
		checksOfNewColumns(stmt)
		p.qualifyParents(stmt)
	}
	if p.marks && hints&hintCreate != 0 {
		p.markKeys(stmt)
	}
	if ddl, ok := stmt.(*ast.DDL); hints&hintCreate != 0 && (ok && (ddl.TableSpec != nil || ddl.OptLike != nil) || s.compound) {
		stmt = p.functionalKeys(stmt)
		if p.resolver != nil {
			stmt = p.createsLike(stmt)
		}
	}
	if hints&hintCreate != 0 {
		stmt = p.alterConversions(stmt)
	}
	return stmt, nil
}

// simpleExprs tells whether a SELECT can't hold another one: it selects nothing but variables, literals and calls of
// those. That is what connection pools send all day.
func simpleExprs(sel *ast.Select) bool {
	if sel.Where != nil || sel.Having != nil || len(sel.GroupBy) > 0 || len(sel.OrderBy) > 0 || sel.Limit != nil {
		return false
	}
	for _, e := range sel.SelectExprs {
		a, ok := e.(*ast.AliasedExpr)
		if !ok {
			return false
		}
		switch e := a.Expr.(type) {
		case *ast.SQLVal, *ast.ColName:
		case *ast.FuncExpr:
			if len(e.Exprs) > 0 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// atoi is for numbers this package wrote itself.
func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// refusePartitions answers a query of named partitions as MySQL does for a table without any: the engine would read
// the whole table.
func (p *Parser) refusePartitions(stmt ast.Statement) error {
	var err error
	p.walker.walk(stmt, func(n any) (any, bool) {
		switch n := n.(type) {
		case *ast.AliasedTableExpr:
			if len(n.Partitions) > 0 {
				err = errNotPartitioned()
			}
		case *ast.Insert:
			if len(n.Partitions) > 0 {
				err = errNotPartitioned()
			}
		case *ast.Delete:
			if len(n.Partitions) > 0 {
				err = errNotPartitioned()
			}
		}
		return n, err == nil
	})
	return err
}

// refuseDistinctWindows answers as MySQL does for COUNT(DISTINCT x) OVER (…): the engine would drop the DISTINCT.
func (p *Parser) refuseDistinctWindows(stmt ast.Statement) error {
	var err error
	p.walker.walk(stmt, func(n any) (any, bool) {
		if f, ok := n.(*ast.FuncExpr); ok && f.Distinct && f.Over != nil {
			err = errUnsupported("<window function>(DISTINCT ..)")
		}
		return n, err == nil
	})
	return err
}

// joinConcats gives GROUP_CONCAT(a, b) the one argument CONCAT(a, b): the engine would leave out all but the first.
func (p *Parser) joinConcats(stmt ast.Statement) ast.Statement {
	return p.walker.walk(stmt, func(n any) (any, bool) {
		if g, ok := n.(*ast.GroupConcatExpr); ok && len(g.Exprs) > 1 {
			g.Exprs = ast.SelectExprs{&ast.AliasedExpr{Expr: &ast.FuncExpr{Name: ast.NewColIdent("concat"), Exprs: g.Exprs}}}
		}
		return n, true
	})
}
