package plugin

import (
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/freshetdb/freshet/vtab/kv"
)

// InMemory as Options.Dir keeps everything in memory: the store is gone when it
// is closed.
const InMemory = ":memory:"

// Options say how to open a store. The zero value is a store in memory.
type Options struct {
	// Dir is the data folder; it is created if absent. Empty or InMemory keeps
	// everything in memory.
	Dir string
	// Durability is what a commit waits for. The default is kv.DurabilityCommit.
	Durability kv.Durability
	// CacheBytes is the size of the block cache. 0 sizes it from the machine.
	CacheBytes int64
	// Logger receives what an operator should know. Nil discards it.
	Logger *slog.Logger
	// FS is the file system of the data folder; nil for the machine's. Tests give
	// one in memory.
	FS vfs.FS
	// Events runs the event scheduler.
	Events bool
	// Collation is that of new databases and of connections that name none:
	// MySQL's collation_server. It is set for the whole process. Empty leaves the
	// engine's, which compares bytes (utf8mb4_0900_bin).
	Collation string
}

func (o Options) inMemory() bool { return o.Dir == "" || o.Dir == InMemory }

func (o Options) logger() *slog.Logger {
	if o.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Logger
}

// ServerOptions say how to serve an open store.
type ServerOptions struct {
	// Address is the TCP address, host:port. Port 0 takes a free one.
	Address string
	// Socket is the path of a Unix socket to listen on as well. Empty is none.
	Socket string
	// MaxConnections bounds the connections served at one time; one more is
	// refused with error 1040. 0 means DefaultMaxConnections.
	MaxConnections int
	// TLS is offered to clients when not nil.
	TLS *tls.Config
	// ReadTimeout ends a connection that sends nothing for so long. 0 means
	// DefaultReadTimeout, as MySQL's wait_timeout.
	ReadTimeout time.Duration
}

const (
	// DefaultMaxConnections is MySQL's default.
	DefaultMaxConnections = 151
	// DefaultReadTimeout is MySQL's default of wait_timeout.
	DefaultReadTimeout = 8 * time.Hour
	// writeTimeout ends a connection whose client does not take its result, so
	// that it cannot hold a snapshot for ever. MySQL's net_write_timeout is one
	// minute.
	writeTimeout = time.Minute
	// handshakeTimeout ends a connection that has not logged in, as MySQL's
	// connect_timeout. Half-open connections would use up the limit otherwise.
	handshakeTimeout = 10 * time.Second
	// shutdownPoll is how often a shutdown looks for connections whose statement
	// has ended, to close them.
	shutdownPoll = 10 * time.Millisecond
	// watchPeriod is how long a statement runs before its client is watched, and
	// so the delay with which a client that went away is noticed.
	watchPeriod = 100 * time.Millisecond
	// rowsBatch is how many rows go to the protocol at a time.
	rowsBatch = 128
	// batchesAhead is how many batches the reader of a large result may be ahead
	// of the client.
	batchesAhead = 4
	// preparedMax bounds the statement texts that one connection keeps prepared
	// in its session. The protocol's own handles stay valid: a text that was
	// dropped is prepared again when it is next executed.
	preparedMax = 512
)
