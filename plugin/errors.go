package plugin

import "errors"

// Opening and closing.
var (
	// ErrClosed: the DB was closed.
	ErrClosed = errors.New("the database is closed")
	// ErrNoStore: there is no store in the folder.
	ErrNoStore = errors.New("there is no store")
	// ErrSocketInUse: another process listens on the Unix socket.
	ErrSocketInUse = errors.New("the socket is in use by another process")
)

// Serving.
var (
	errShutdown     = errors.New("the server is shutting down")
	errQueryTimeout = errors.New("max_execution_time exceeded")
	errClientGone   = errors.New("the client has gone away")
	// errSend: the client could not be sent its result.
	errSend = errors.New("sending the result")
)
