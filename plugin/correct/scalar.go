package correct

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/spatial"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// scalarFunction is the corrected function of one row of that name, in lower case.
func scalarFunction(name string) (sql.Function, bool) {
	if build, ok := fromWKB[name]; ok {
		return sql.FunctionN{Name: name, Fn: takesBytes(build)}, true
	}
	if name == "abs" {
		return sql.Function1{Name: name, Fn: newAbs}, true
	}
	return nil, false
}

// fromWKB are the functions that read a geometry's bytes.
var fromWKB = map[string]sql.CreateFuncNArgs{
	"st_geomcollfromwkb": spatial.NewGeomCollFromWKB, "st_geometrycollectionfromwkb": spatial.NewGeomCollFromWKB,
	"st_geomfromwkb": anyGeometry(spatial.NewGeomFromWKB), "st_geometryfromwkb": anyGeometry(spatial.NewGeomFromWKB),
	"st_linefromwkb": spatial.NewLineFromWKB, "st_linestringfromwkb": spatial.NewLineFromWKB,
	"st_mlinefromwkb": anyGeometry(spatial.NewMLineFromWKB), "st_multilinestringfromwkb": anyGeometry(spatial.NewMLineFromWKB),
	"st_mpointfromwkb": spatial.NewMPointFromWKB, "st_multipointfromwkb": spatial.NewMPointFromWKB,
	"st_mpolyfromwkb": spatial.NewMPolyFromWKB, "st_multipolygonfromwkb": spatial.NewMPolyFromWKB,
	"st_pointfromwkb": spatial.NewPointFromWKB,
	"st_polyfromwkb":  spatial.NewPolyFromWKB, "st_polygonfromwkb": spatial.NewPolyFromWKB,
}

// takesBytes gives a function its first argument as bytes. The engine answers NULL
// for text, which is how a parameter of a prepared statement arrives.
func takesBytes(build sql.CreateFuncNArgs) sql.CreateFuncNArgs {
	return func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) > 0 && args[0].Resolved() && types.IsTextOnly(args[0].Type(ctx)) {
			args = append([]sql.Expression{expression.NewBinary(args[0])}, args[1:]...)
		}
		return build(ctx, args...)
	}
}

// anyGeometry is a function whose results the engine declares as points or
// polygons, also those that are none: a client would get NULL for them.
func anyGeometry(build sql.CreateFuncNArgs) sql.CreateFuncNArgs {
	return func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		e, err := build(ctx, args...)
		if err != nil {
			return nil, err
		}
		return &geometry{e}, nil
	}
}

// geometry is an expression of type GEOMETRY.
type geometry struct{ sql.Expression }

// Type implements sql.Expression.
func (g *geometry) Type(*sql.Context) sql.Type { return types.GeometryType{} }

// WithChildren implements sql.Expression.
func (g *geometry) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	changed, err := g.Expression.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &geometry{changed}, nil
}
