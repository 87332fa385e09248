package plugin

import (
	"context"
	"sync"
	"time"

	"github.com/dolthub/vitess/go/mysql"
)

// watcher notices that a client has gone away while its statement runs, and
// cancels the statement: its locks and snapshot are free at once rather than
// when the statement would have ended. One goroutine looks at all connections
// every watchPeriod; only statements that run longer cost more than two mutex
// operations.
type watcher struct {
	connections *connections
	stop        chan struct{}
	stopped     chan struct{}
}

func newWatcher(c *connections) *watcher {
	w := &watcher{connections: c, stop: make(chan struct{}), stopped: make(chan struct{})}
	go w.run()
	return w
}

// close stops watching. Statements that are being watched stay so.
func (w *watcher) close() {
	close(w.stop)
	<-w.stopped
}

func (w *watcher) run() {
	defer close(w.stopped)
	tick := time.NewTicker(watchPeriod)
	defer tick.Stop()
	for {
		select {
		case <-w.stop:
			return
		case now := <-tick.C:
			for _, c := range w.connections.all() {
				c.watch.sweep(c.mysql, now)
			}
		}
	}
}

// clientWatch is the watch on one connection. The protocol is half duplex: while
// a statement runs the client sends nothing, so a readable connection means that
// it is gone or gave up.
type clientWatch struct {
	mu     sync.Mutex
	since  time.Time // when the running statement began; zero when none runs
	cancel context.CancelCauseFunc
	// stop and done belong to the goroutine that watches; nil when none does.
	stop context.CancelFunc
	done chan struct{}
}

// begin says that a statement runs and how to cancel it.
func (w *clientWatch) begin(cancel context.CancelCauseFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since, w.cancel = time.Now(), cancel
}

// end says that the statement has ended. When it returns nobody reads from the
// connection.
func (w *clientWatch) end() {
	w.mu.Lock()
	stop, done := w.stop, w.done
	w.since, w.cancel, w.stop, w.done = time.Time{}, nil, nil, nil
	w.mu.Unlock()
	if stop != nil {
		stop()
		<-done
	}
}

// busy reports whether a statement runs.
func (w *clientWatch) busy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.since.IsZero()
}

// sweep starts to watch if a statement has run for long enough.
func (w *clientWatch) sweep(c *mysql.Conn, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.since.IsZero() || w.stop != nil || now.Sub(w.since) < watchPeriod {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	w.stop, w.done = stop, done
	cancel := w.cancel
	go func() {
		defer close(done)
		if err := c.WaitForClientActivity(ctx); err != nil {
			cancel(errClientGone)
		}
	}()
}
