package command

import (
	"io"
	"log"
	"log/slog"

	"github.com/sirupsen/logrus"
)

// newLogger makes the process's log and sends what the SQL engine and the
// protocol write to it as well: they log through packages of their own, whose
// output is set once per process.
func newLogger(out io.Writer, level slog.Level) *slog.Logger {
	logger := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level}))
	logrus.SetOutput(io.Discard)
	logrus.SetLevel(logrusLevel(level))
	logrus.AddHook(engineLog{logger})
	log.SetFlags(0)
	log.SetOutput(protocolLog{logger})
	return logger
}

// engineLog passes the engine's log lines on. Statement text stays out of the
// log: it may hold passwords and data. What a failing statement says goes to its
// client; here it is of use for debugging only.
type engineLog struct{ logger *slog.Logger }

// Levels implements logrus.Hook.
func (engineLog) Levels() []logrus.Level { return logrus.AllLevels }

// Fire implements logrus.Hook.
func (l engineLog) Fire(entry *logrus.Entry) error {
	args := make([]any, 0, 2*len(entry.Data)+2)
	args = append(args, "from", "engine")
	for key, value := range entry.Data {
		if key != "query" {
			args = append(args, key, value)
		}
	}
	l.logger.Log(entry.Context, slogLevel(entry.Level), entry.Message, args...)
	return nil
}

// protocolLog passes the protocol's log lines on. They report what single
// clients did, such as breaking a connection, and matter to who looks for it.
type protocolLog struct{ logger *slog.Logger }

// Write implements io.Writer.
func (l protocolLog) Write(line []byte) (int, error) {
	l.logger.Debug(string(line), "from", "protocol")
	return len(line), nil
}

func logrusLevel(level slog.Level) logrus.Level {
	switch {
	case level <= slog.LevelDebug:
		return logrus.DebugLevel
	case level <= slog.LevelInfo:
		return logrus.InfoLevel
	case level <= slog.LevelWarn:
		return logrus.WarnLevel
	default:
		return logrus.ErrorLevel
	}
}

// slogLevel lowers the engine's informational lines, one per connection, to
// debug.
func slogLevel(level logrus.Level) slog.Level {
	switch level {
	case logrus.PanicLevel, logrus.FatalLevel, logrus.ErrorLevel:
		return slog.LevelError
	case logrus.WarnLevel:
		return slog.LevelWarn
	default:
		return slog.LevelDebug
	}
}
