package plugin

import (
	"context"
	"sync"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
)

// memoryBackend keeps tables in the engine's own in-memory tables.
type memoryBackend struct {
	databases *memory.DbProvider

	mu    sync.Mutex
	saved []byte
}

func newMemoryBackend() *memoryBackend {
	return &memoryBackend{databases: memory.NewDBProvider()}
}

func (m *memoryBackend) provider() sql.DatabaseProvider { return m.databases }

func (m *memoryBackend) newSession(base *sql.BaseSession) (sql.Session, error) {
	return memory.NewSession(base, m.databases).SetGlobals(memory.GlobalsMap{}), nil
}

func (m *memoryBackend) overrides() sql.EngineOverrides  { return sql.EngineOverrides{} }
func (m *memoryBackend) configure(*analyzer.Builder)     {}
func (m *memoryBackend) finish(*analyzer.Analyzer) error { return nil }
func (m *memoryBackend) start(*sqle.Engine)              {}
func (m *memoryBackend) close() error                    { return nil }

func (m *memoryBackend) privileges(context.Context) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.saved, nil
}

func (m *memoryBackend) savePrivileges(_ *sql.Context, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saved = append([]byte(nil), data...)
	return nil
}
