// Package own runs the statements that the engine's grammar lacks: those that
// plugin/parser reads by hand.
//
//	statements := own.New(databases, tables, functions)
//	statements.Attach(analyzer) // when the engine is built
//
// Statements is the parser's Resolver. Each statement becomes a node of the
// engine's plan; a node whose IsDDL is true is run by the executor as a statement
// that changes definitions: what is open is committed first, and the statement is
// one transaction of its own.
//
// Some statements stand for one or several of the engine's (CREATE TABLE with
// functional keys is a CREATE TABLE and one ALTER TABLE for each key). Those are
// bound, analyzed and executed within the statement, in its transaction, and
// never commit; Inside tells the executor about them.
//
// The package also keeps stored functions in the catalog (Definitions), for
// plugin/routine.
package own
