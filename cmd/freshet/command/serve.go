package command

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/spf13/cobra"

	"github.com/freshetdb/freshet/plugin"
	"github.com/freshetdb/freshet/vtab/kv"
)

const (
	// defaultAddress is the loopback: who wants to be reached from elsewhere says so.
	defaultAddress = "127.0.0.1:3306"
	// defaultCollation is MySQL 8's.
	defaultCollation = "utf8mb4_0900_ai_ci"
	// shutdownTimeout bounds the wait for connections to roll back. Container
	// runtimes kill ten seconds after they ask.
	shutdownTimeout = 8 * time.Second
	// gcPercent lets the heap grow to three times what lives before it is
	// collected: statements allocate much and keep little.
	gcPercent = 200
)

// serveSettings are the flags of serve.
type serveSettings struct {
	data, address, socket string
	durability            durabilityValue
	level                 levelValue
	maxConnections        int
	cacheBytes            int64
	tlsCert, tlsKey       string
	config                string
	collation             string
}

func newServe() *cobra.Command {
	s := serveSettings{durability: durabilityValue(kv.DurabilityCommit), level: levelValue{slog.LevelInfo}}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve a data folder over the MySQL protocol",
		Args:  usageArgs(cobra.NoArgs),
	}
	f := c.Flags()
	f.StringVar(&s.data, "data", "", "data folder, created if absent; \":memory:\" keeps nothing")
	f.StringVar(&s.address, "addr", defaultAddress, "TCP address to listen on")
	f.StringVar(&s.socket, "socket", "", "Unix socket to listen on as well")
	f.Var(&s.durability, "durability", "what a commit waits for")
	f.Var(&s.level, "log-level", "least severity that is logged to standard error")
	f.IntVar(&s.maxConnections, "max-connections", plugin.DefaultMaxConnections, "connections served at one time")
	f.StringVar(&s.collation, "collation-server", defaultCollation, "collation of new databases and of connections that name none")
	f.Int64Var(&s.cacheBytes, "cache-bytes", 0, "size of the block cache in bytes; 0 sizes it from the machine")
	f.StringVar(&s.tlsCert, "tls-cert", "", "certificate file (PEM); offers TLS together with --tls-key")
	f.StringVar(&s.tlsKey, "tls-key", "", "private key file (PEM)")
	f.StringVar(&s.config, configFlag, "", "TOML file with settings named as these flags")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := applySettings(f, environ()); err != nil {
			return err
		}
		return s.serve(c.Context(), c.OutOrStdout())
	}
	return c
}

// validate finds settings that cannot work before anything is opened.
func (s *serveSettings) validate() error {
	switch {
	case s.data == "":
		return &usageError{errors.New("--data is required: the folder to keep data in")}
	case s.maxConnections < 1:
		return &usageError{fmt.Errorf("--max-connections must be at least 1, not %d", s.maxConnections)}
	case s.cacheBytes < 0:
		return &usageError{fmt.Errorf("--cache-bytes must not be negative: %d", s.cacheBytes)}
	case (s.tlsCert == "") != (s.tlsKey == ""):
		return &usageError{errors.New("--tls-cert and --tls-key go together")}
	}
	if _, err := sql.ParseCollation("", s.collation, false); err != nil {
		return &usageError{fmt.Errorf("--collation-server: %w", err)}
	}
	if _, _, err := net.SplitHostPort(s.address); err != nil {
		return &usageError{fmt.Errorf("--addr: %w", err)}
	}
	return nil
}

func (s *serveSettings) tlsConfig() (*tls.Config, error) {
	if s.tlsCert == "" {
		return nil, nil
	}
	certificate, err := tls.LoadX509KeyPair(s.tlsCert, s.tlsKey)
	if err != nil {
		return nil, &usageError{fmt.Errorf("loading the TLS certificate: %w", err)}
	}
	return &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}, nil
}

// serve runs until a signal asks it to end.
func (s *serveSettings) serve(ctx context.Context, stdout io.Writer) error {
	if err := s.validate(); err != nil {
		return err
	}
	tlsConfig, err := s.tlsConfig()
	if err != nil {
		return err
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	log := newLogger(os.Stderr, s.level.Level)
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	db, err := plugin.Open(ctx, plugin.Options{
		Dir: s.data, Durability: kv.Durability(s.durability), CacheBytes: s.cacheBytes, Logger: log, Events: true,
		Collation: s.collation,
	})
	if err != nil {
		return fmt.Errorf("opening %s: %w", s.data, err)
	}
	err = s.serveDB(ctx, db, tlsConfig, log, stdout)
	return errors.Join(err, closing(db.Close()))
}

func (s *serveSettings) serveDB(ctx context.Context, db *plugin.DB, tlsConfig *tls.Config, log *slog.Logger, stdout io.Writer) error {
	server, err := db.NewServer(plugin.ServerOptions{
		Address: s.address, Socket: s.socket, MaxConnections: s.maxConnections, TLS: tlsConfig,
	})
	if err != nil {
		return err
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		server.Serve()
	}()
	fmt.Fprintf(stdout, "freshet is ready on %s, data in %s\n", server.Addr(), s.data)
	<-ctx.Done()
	log.Info("shutting down")
	bounded, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	err = server.Shutdown(bounded)
	<-served
	return err
}

func closing(err error) error {
	if err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}
