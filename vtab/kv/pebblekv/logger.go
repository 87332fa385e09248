package pebblekv

import (
	"fmt"
	"log/slog"
)

// engineLogger passes Pebble's log on. Fatalf is how Pebble says that it cannot
// continue; its own logger ends the process there, ours trips the latch and
// keeps the goroutine, which may hold Pebble's locks, for ever.
type engineLogger struct {
	log   *slog.Logger
	latch *latch
}

func (l engineLogger) Infof(format string, args ...any) {
	l.log.Debug("engine: " + fmt.Sprintf(format, args...))
}

func (l engineLogger) Errorf(format string, args ...any) {
	l.log.Error("engine: " + fmt.Sprintf(format, args...))
}

func (l engineLogger) Fatalf(format string, args ...any) {
	fatal := &fatalError{message: fmt.Sprintf(format, args...)}
	for _, arg := range args {
		if cause, ok := arg.(error); ok {
			fatal.causes = append(fatal.causes, cause)
		}
	}
	l.latch.trip(fatal)
	select {} // see the type's comment
}
