package vtab

import (
	"context"
	"sync"
	"time"
)

// commitGate is what FLUSH TABLES WITH READ LOCK closes: while it is closed nothing
// is committed. Commits pass through it; statements that write wait in front of it.
// It is safe for concurrent use.
type commitGate struct {
	mu      sync.Mutex
	inside  int           // commits under way
	closed  int           // sessions that keep it closed
	changed chan struct{} // closed at the next change of the two; nil if nobody waits
}

// enter waits until the gate is open, at most wait, and has the caller inside until
// leave. It fails with errLockTimeout or the error of ctx.
func (g *commitGate) enter(ctx context.Context, wait time.Duration) error {
	return g.until(ctx, wait, func() bool {
		if g.closed > 0 {
			return false
		}
		g.inside++
		return true
	})
}

func (g *commitGate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	g.signal()
}

// pass waits until the gate is open.
func (g *commitGate) pass(ctx context.Context, wait time.Duration) error {
	return g.until(ctx, wait, func() bool { return g.closed == 0 })
}

// close keeps commits from entering and waits until those inside have left. After
// an error the gate is as it was.
func (g *commitGate) close(ctx context.Context, wait time.Duration) error {
	g.mu.Lock()
	g.closed++
	g.mu.Unlock()
	err := g.until(ctx, wait, func() bool { return g.inside == 0 })
	if err != nil {
		g.open()
	}
	return err
}

// open takes one close back.
func (g *commitGate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed--
	g.signal()
}

func (g *commitGate) signal() {
	if g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
}

// until waits for ready, which is called under the mutex.
func (g *commitGate) until(ctx context.Context, wait time.Duration, ready func() bool) error {
	var late <-chan time.Time
	for {
		g.mu.Lock()
		if ready() {
			g.mu.Unlock()
			return nil
		}
		if g.changed == nil {
			g.changed = make(chan struct{})
		}
		changed := g.changed
		g.mu.Unlock()
		if late == nil {
			timer := time.NewTimer(wait)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-changed:
		case <-late:
			return errLockTimeout()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
