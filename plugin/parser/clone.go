package parser

import (
	"reflect"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// clone returns a copy of n that shares nothing that a pass, or the engine's procedure interpreter, changes.
func clone[T any](n T) T {
	v := reflect.ValueOf(&n).Elem()
	return copyOf(v).Interface().(T)
}

func copyOf(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v) // unexported fields hold no nodes
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(copyOf(v.Elem()))
		}
	case reflect.Pointer:
		if !v.IsNil() && v.Elem().Kind() == reflect.Struct {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(copyOf(v.Elem()))
		}
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(copyOf(v.Field(i)))
			}
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := 0; i < v.Len(); i++ {
				out.Index(i).Set(copyOf(v.Index(i)))
			}
		}
	}
	return out
}

func column(table, name string) *ast.ColName {
	return &ast.ColName{Qualifier: ast.TableName{Name: ast.NewTableIdent(table)}, Name: ast.NewColIdent(name)}
}

func integer(n int) *ast.SQLVal { return ast.NewIntVal([]byte(itoa(n))) }
