package tidy

import (
	"go/ast"
	"go/token"
	"testing"
)

// Exported names are documented. Methods that make a type fit an interface
// (the package asserts it with `var _ I = T{}`) are described there.
func TestExportsDocumented(t *testing.T) {
	r := repository(t)
	fits := map[string]bool{} // "dir.Type" that is asserted to fit an interface
	for _, s := range r.sources {
		for _, name := range assertedTypes(s.file) {
			fits[s.dir()+"."+name] = true
		}
	}
	for _, s := range r.sources {
		if s.isTest() || ast.IsGenerated(s.file) || s.file.Name.Name == "main" {
			continue
		}
		for _, d := range s.file.Decls {
			for _, missing := range undocumented(d, func(receiver string) bool { return fits[s.dir()+"."+receiver] }) {
				t.Errorf("%s:%d: %s is exported and not documented", s.path, r.line(missing.Pos()), missing.Name)
			}
		}
	}
}

// assertedTypes returns the types named in declarations `var _ I = <T>`.
func assertedTypes(file *ast.File) []string {
	var names []string
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			if v.Names[0].Name != "_" {
				continue
			}
			for _, value := range v.Values {
				if name := typeName(value); name != "" {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// typeName finds T in T{}, &T{}, (*T)(nil), T(x), *T, T[P].
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.CompositeLit:
		return typeName(e.Type)
	case *ast.UnaryExpr:
		return typeName(e.X)
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.ParenExpr:
		return typeName(e.X)
	case *ast.CallExpr:
		return typeName(e.Fun)
	case *ast.IndexExpr:
		return typeName(e.X)
	default:
		return ""
	}
}

func undocumented(d ast.Decl, fitsInterface func(receiver string) bool) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() || d.Doc != nil {
			return nil
		}
		if d.Recv != nil {
			receiver := typeName(d.Recv.List[0].Type)
			if !ast.IsExported(receiver) || fitsInterface(receiver) || wellKnownMethods[d.Name.Name] {
				return nil
			}
		}
		return []*ast.Ident{d.Name}
	case *ast.GenDecl:
		return undocumentedSpecs(d)
	default:
		return nil
	}
}

// wellKnownMethods are described by the standard library.
var wellKnownMethods = map[string]bool{"Error": true, "Unwrap": true, "String": true, "Is": true, "As": true}

// A comment on a group of constants or variables covers all of them.
func undocumentedSpecs(d *ast.GenDecl) []*ast.Ident {
	var missing []*ast.Ident
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
				missing = append(missing, spec.Name)
			}
		case *ast.ValueSpec:
			if d.Doc != nil || spec.Doc != nil || spec.Comment != nil || d.Lparen.IsValid() {
				continue
			}
			for _, name := range spec.Names {
				if name.IsExported() {
					missing = append(missing, name)
				}
			}
		}
	}
	return missing
}
