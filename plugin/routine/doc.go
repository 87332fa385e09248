// Package routine runs stored functions and stored procedures.
//
// Functions is asked by the database provider for functions the engine does not
// have itself; it finds the definition through Definitions, parses it once, and
// answers with an expression. The expression runs the body of the function with an
// interpreter of its own, inside the caller's transaction and session: statements
// of the body are bound, analyzed and executed by the engine, but never commit.
//
// The engine's interpreter for procedures is not used. It gives variables the
// zero value of their type instead of NULL, stores values without converting them,
// writes decimals and times into statements as text, loses the INTO of a SELECT
// the second time a loop comes to it, looks for variables in few kinds of
// expressions, and of handlers knows two conditions and one statement. Here
// variables are typed values that statements refer to as parameters; scopes,
// handlers (by error number, SQLSTATE, condition name and class; CONTINUE and
// EXIT), cursors, loops and labels, SIGNAL and RESIGNAL are those of SQL.
//
// A body runs under the sql_mode its function was created with. Names without a
// database belong to the function's database. SQL SECURITY DEFINER, the default,
// runs the body with the privileges that its definer has then, whoever calls;
// SQL SECURITY INVOKER with the caller's. To name another account as the definer
// takes SUPER. The EXECUTE privilege on functions is not checked.
//
// Procedures runs procedures on the same interpreter, in the place of the engine's:
// their statements are statements of the session, as if its client had sent them,
// with the procedure's database as the current one. Under autocommit each commits
// by itself, and one that fails leaves nothing behind although a handler goes on.
// Of several result sets the client gets the last. A statement is bound with the
// privileges of the caller for SQL SECURITY INVOKER only.
//
// What a body of a function may not do gets MySQL's error when the function is created: return a
// result set (1415), commit or define objects (1422), lock tables (1314), use
// prepared statements (1336). CALL, GET DIAGNOSTICS and reading a sequence of
// warnings are refused with 1235. A function that is running already gets 1424.
package routine
