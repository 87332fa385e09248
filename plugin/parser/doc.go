// Package parser is the sql.Parser of Freshet: the MySQL parser of go-mysql-server, the base grammar, plus what that
// lacks and what the engine behind it gets wrong.
//
// # How a statement goes through
//
// scan walks over the tokens once, without allocating, and answers with hints. A statement without hints goes to the
// base grammar as it is. Hints about the syntax tree only (a SELECT without FROM, say) cost one pass over the tree.
// For all others the text is looked at closely:
//
//  1. Executable comments (/*!50003 … */) are opened. The result is the text that the parser returns as parsed: what is
//     stored for views, triggers and routines, and what positions in the syntax tree refer to. MySQL stores the same.
//  2. Statements the base grammar lacks are read by hand (own.go) and become an ast.InjectedStatement, whose node a
//     Resolver supplies at bind time. Inside bodies they are replaced by a call, and put back into the tree.
//  3. Edits that only the base grammar gets to see (text.go, lock.go): N'…', DEFINER = CURRENT_USER, FOR SHARE, WITH
//     ROLLUP, 5--3, … Positions in the tree are moved back to the text before the edits.
//  4. Passes over the tree: lock marks, ROLLUP, ORDER BY aliases, vector literals, functional keys, FROM for SELECTs
//     without one.
//
// Stored text is what the user wrote, so it goes the same way whenever it is used.
//
// # Stored functions
//
// CREATE FUNCTION is read as CREATE PROCEDURE with one more parameter for the result, so the base grammar checks the
// types and the body; RETURN is an *ast.Return in the tree. Package routine runs the tree.
package parser
