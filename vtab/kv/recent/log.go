package recent

import (
	"sync"
	"sync/atomic"

	"github.com/freshetdb/freshet/vtab/kv"
)

// MaxBytes is how much a Log keeps: the keys of about a million changed rows, which
// is more than a serializable transaction of reasonable length sees pass.
const MaxBytes = 64 << 20

// Log is what the commits since the oldest watcher have changed. It is safe for
// concurrent use; Watch and Append are called inside the commit section, so that
// no commit falls between.
type Log struct {
	// watchers is how many there are: a commit asks before it does anything.
	watchers atomic.Int64

	mu sync.Mutex
	// watching are the watchers in the order in which they came, which is that of
	// their positions; those that have ended leave when they are the first.
	watching []*Watcher
	commits  []*Changes
	// from: all commits after this position are in the log.
	from  kv.Position
	bytes int
	// maxBytes is MaxBytes; tests lower it.
	maxBytes int
}

// Watcher keeps what is committed after its position in the log.
type Watcher struct {
	log   *Log
	since kv.Position
	ended bool // guarded by log.mu
}

// Watch makes the log keep what is committed after last, the position of the last
// commit. The commit section is held.
func (l *Log) Watch(last kv.Position) *Watcher {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := &Watcher{log: l, since: last}
	if l.watchers.Add(1) == 1 {
		l.from = last
	}
	l.watching = append(l.watching, w)
	return w
}

// End lets go of what only this watcher needs. A second End does nothing.
func (w *Watcher) End() {
	l := w.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.ended {
		return
	}
	w.ended = true
	l.watchers.Add(-1)
	n := 0
	for n < len(l.watching) && l.watching[n].ended {
		n++
	}
	l.watching = l.watching[n:]
	if len(l.watching) == 0 {
		l.watching, l.commits, l.bytes = nil, nil, 0
		return
	}
	l.forget(func(c *Changes) bool { return c.position <= l.watching[0].since })
}

// Watched reports whether there is a watcher. Inside the section it stays true
// until the watcher ends.
func (l *Log) Watched() bool { return l.watchers.Load() > 0 }

// Append adds what the commit at pos changes. The commit section is held; c is the
// log's now.
func (l *Log) Append(c *Changes, pos kv.Position) {
	c.seal(pos)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.watching) == 0 {
		return
	}
	l.commits = append(l.commits, c)
	l.bytes += c.size()
	limit := l.maxBytes
	if limit == 0 {
		limit = MaxBytes
	}
	l.forget(func(*Changes) bool { return l.bytes > limit })
}

// forget drops commits from the oldest on while drop says so. mu is held.
func (l *Log) forget(drop func(*Changes) bool) {
	n := 0
	for n < len(l.commits) && drop(l.commits[n]) {
		l.bytes -= l.commits[n].size()
		l.from = l.commits[n].position
		l.commits[n] = nil
		n++
	}
	l.commits = l.commits[n:]
}

// Validate looks whether a commit has changed what was read, after it was read and
// after the position after: 0, or what an earlier call returned. It returns the position through which nothing has; a
// *kv.ConflictError if something has, or if that is not known any more.
func (l *Log) Validate(reads *kv.ReadSet, after kv.Position) (through kv.Position, err error) {
	if after == 0 {
		since, ok := reads.Since()
		if !ok {
			return 0, nil
		}
		after = since
	}
	commits, err := l.since(after)
	if err != nil {
		return 0, err
	}
	for _, c := range commits {
		if key, found := c.conflict(reads); found {
			return 0, &kv.ConflictError{Key: key}
		}
		after = c.position
	}
	return after, nil
}

// since returns the commits after a position.
func (l *Log) since(after kv.Position) ([]*Changes, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if after < l.from {
		return nil, &kv.ConflictError{TooOld: true}
	}
	n := len(l.commits)
	for n > 0 && l.commits[n-1].position > after {
		n--
	}
	return append([]*Changes(nil), l.commits[n:]...), nil
}

// Bytes is about how much the log holds.
func (l *Log) Bytes() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes
}
