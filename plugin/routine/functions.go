package routine

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression/function"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/plugin/parser"
)

// Functions supplies stored functions to the engine and runs the statements that
// define them. It may be used by any number of goroutines.
type Functions struct {
	definitions Definitions
	parser      *parser.Parser
	natives     map[string]bool
	analyzer    atomic.Pointer[analyzer.Analyzer]
}

var _ sql.FunctionProvider = (*Functions)(nil)

// NewFunctions makes a provider over definitions. It answers nothing before
// Attach.
func NewFunctions(definitions Definitions) *Functions {
	f := &Functions{definitions: definitions, parser: parser.New(nil), natives: map[string]bool{}}
	for _, builtin := range function.BuiltIns {
		f.natives[strings.ToLower(builtin.FunctionName())] = true
	}
	return f
}

// Attach gives the analyzer that binds and runs the bodies: the engine's own. Call
// it once, when the engine is built.
func (f *Functions) Attach(a *analyzer.Analyzer) { f.analyzer.Store(a) }

// native says whether a name is a function of the engine. Such a name without a
// database never means a stored function.
func (f *Functions) native(name string) bool { return f.natives[name] }

// Function implements sql.FunctionProvider: the stored function of a database, of
// the current one if schema is empty.
func (f *Functions) Function(ctx *sql.Context, schema, name string) (sql.Function, bool) {
	a := f.analyzer.Load()
	if a == nil || (schema == "" && f.native(strings.ToLower(name))) {
		return nil, false
	}
	database := schema
	if database == "" {
		database = ctx.GetCurrentDatabase()
	}
	if database == "" {
		return nil, false
	}
	found, err := f.definitions.Lookup(ctx, database, name)
	if err == nil && found == nil {
		return nil, false
	}
	return sql.FunctionN{Name: name, Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if err != nil {
			return nil, err
		}
		return f.newCall(ctx, a, database, found, args)
	}}, true
}

func (f *Functions) newCall(ctx context.Context, a *analyzer.Analyzer, database string, r *catalog.Routine, args []sql.Expression) (sql.Expression, error) {
	parsed, err := f.parse(ctx, r)
	if err != nil {
		return nil, err
	}
	if len(args) != len(parsed.Params) {
		return nil, errArguments(database, r.Name, len(parsed.Params), len(args))
	}
	typ, err := resultType(parsed)
	if err != nil {
		return nil, err
	}
	deterministic := parsed.Characteristics.Deterministic
	b := binding{analyzer: a, authorize: true, database: database}
	if parsed.Characteristics.Security != "INVOKER" {
		b.definer = parsed.Definer
	}
	return &call{
		database: database, name: r.Name, sqlMode: r.SQLMode, typ: typ, args: args,
		deterministic: deterministic != nil && *deterministic,
		programs: &programs{compile: func() (*program, error) {
			// Compiling takes the tree apart, so each program needs its own.
			own, err := f.parse(context.Background(), r)
			if err != nil {
				return nil, err
			}
			return compile(own, database, b, f.native)
		}},
	}, nil
}

// parse reads a stored definition.
func (f *Functions) parse(ctx context.Context, r *catalog.Routine) (*parser.CreateFunction, error) {
	options := sql.NewSqlModeFromString(r.SQLMode).ParserOptions()
	statement, _, _, err := f.parser.ParseWithOptions(ctx, parser.PinMode(r.Statement, r.SQLMode), ';', false, options)
	if err != nil {
		return nil, fmt.Errorf("function %s: %w", r.Name, err)
	}
	parsed, ok := parser.StatementOf(statement).(*parser.CreateFunction)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrDefinition, r.Name)
	}
	return parsed, nil
}
