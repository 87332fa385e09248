// Package plugin is the face of Freshet: it opens a data folder, builds the SQL
// engine over it, and serves it.
//
//	db, err := plugin.Open(ctx, plugin.Options{Dir: "data"})
//	defer db.Close()
//
//	session, err := db.NewSession(sql.Client{User: "root", Address: "localhost"})
//	schema, rows, _, err := db.Engine().Query(db.NewContext(ctx, session), "SELECT 1")
//
//	server, err := db.NewServer(plugin.ServerOptions{Address: "127.0.0.1:3306"})
//	server.Serve()       // until another goroutine calls
//	server.Shutdown(ctx)
//
// The package holds no SQL and no storage of its own. It wires what the others
// provide: the parser in front of the engine's grammar (plugin/parser), the
// corrected rules and operators (plugin/correct), stored functions
// (plugin/routine), and the store's databases, tables and sessions. Its own part
// is the server: the statement loop, the mapping of errors to MySQL's numbers,
// connection limits, and what happens when a client or a statement dies.
package plugin
