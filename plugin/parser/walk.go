package parser

import (
	"reflect"
	"sync"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// walker visits every node of a syntax tree, also those that the tree's own Walk leaves out (bodies of routines,
// conditions, set operations' clauses), and can replace nodes. Safe for concurrent use.
type walker struct {
	holds sync.Map // reflect.Type → bool: can a value of the type hold nodes
}

// visit is called for every pointer or interface value that may be a node, before what it holds. It returns the node
// to put in its place (the same one to leave it) and whether to go on below that one.
type visit func(n any) (any, bool)

// walk goes through root, a statement, which may be replaced itself.
func (w *walker) walk(root ast.Statement, f visit) ast.Statement {
	if root == nil {
		return nil
	}
	n, down := f(root)
	s, ok := n.(ast.Statement)
	if !ok {
		return root
	}
	if down {
		w.below(reflect.ValueOf(s), f)
	}
	return s
}

// walkIn goes through what lies below n, a pointer to a node or a slice of nodes.
func (w *walker) walkIn(n any, f visit) { w.below(reflect.ValueOf(n), f) }

// below visits what v holds; v itself has been visited.
func (w *walker) below(v reflect.Value, f visit) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Elem().Kind() == reflect.Struct {
			w.fields(v.Elem(), f)
		}
	case reflect.Interface:
		if !v.IsNil() {
			w.below(v.Elem(), f)
		}
	case reflect.Struct:
		w.fields(v, f)
	case reflect.Slice:
		for i := 0; i < v.Len(); i++ {
			w.value(v.Index(i), f)
		}
	}
}

func (w *walker) fields(v reflect.Value, f visit) {
	t := v.Type()
	for i := 0; i < v.NumField(); i++ {
		if field := t.Field(i); field.IsExported() && w.mayHold(field.Type) {
			w.value(v.Field(i), f)
		}
	}
}

func (w *walker) value(v reflect.Value, f visit) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return
		}
		was := v.Interface()
		n, down := f(was)
		if n != nil && v.CanSet() && reflect.TypeOf(n).AssignableTo(v.Type()) {
			if reflect.TypeOf(n).Comparable() && reflect.TypeOf(was).Comparable() && n != was || reflect.TypeOf(n) != reflect.TypeOf(was) {
				v.Set(reflect.ValueOf(n))
			}
		}
		if down {
			w.below(v, f)
		}
	case reflect.Struct, reflect.Slice:
		if w.mayHold(v.Type()) {
			w.below(v, f)
		}
	}
}

// mayHold tells whether values of type t can hold nodes.
func (w *walker) mayHold(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer:
		return t.Elem().Kind() == reflect.Struct
	case reflect.Slice:
		return w.mayHold(t.Elem())
	case reflect.Struct:
		if known, ok := w.holds.Load(t); ok {
			return known.(bool)
		}
		holds := false
		for i := 0; i < t.NumField() && !holds; i++ {
			holds = t.Field(i).IsExported() && w.mayHold(t.Field(i).Type)
		}
		w.holds.Store(t, holds)
		return holds
	}
	return false
}
