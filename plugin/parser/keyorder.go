package parser

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/freshetdb/freshet/vtab"
)

// MarkKeys returns a parser that puts a vtab.KeyMark into the comments of keys with descending parts.
func (p *Parser) MarkKeys() *Parser {
	marking := *p
	marking.marks = true
	return &marking
}

// markKeys puts what KeyOrders finds in the comments of the keys, by which alone it
// gets to the table (vtab.KeyMark). Primary keys stay ascending. stmt is changed.
func (p *Parser) markKeys(stmt ast.Statement) {
	p.walker.walk(stmt, func(n any) (any, bool) {
		switch n := n.(type) {
		case *ast.IndexDefinition:
			if i := n.Info; !i.Primary && !i.Fulltext && !i.Spatial && !i.Vector {
				n.Options = markKey(n.Fields, n.Options)
			}
		case *ast.IndexSpec:
			if n.Action == ast.CreateStr && (n.Type == "" || n.Type == ast.UniqueStr) {
				n.Options = markKey(n.Fields, n.Options)
			}
		}
		return n, true
	})
}

func markKey(fields []*ast.IndexField, options []*ast.IndexOption) []*ast.IndexOption {
	descending := make([]bool, len(fields))
	for i, f := range fields {
		descending[i] = strings.EqualFold(f.Order, ast.DescScr)
	}
	for i, o := range options {
		if strings.EqualFold(o.Name, "comment") && o.Value != nil {
			marked := *o
			marked.Value = ast.NewStrVal([]byte(vtab.MarkKey(string(o.Value.Val), descending)))
			options[i] = &marked
			return options
		}
	}
	if mark := vtab.MarkKey("", descending); mark != "" {
		return append(options, &ast.IndexOption{Name: "COMMENT", Value: ast.NewStrVal([]byte(mark))})
	}
	return options
}
