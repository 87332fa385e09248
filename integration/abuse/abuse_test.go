package abuse

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/integration/process"
)

func TestMain(m *testing.M) { process.Main(m) }

// slowest is how long the well-behaved client may wait for one answer while
// others misbehave.
const slowest = 5 * time.Second

// behaved is a client that works on while a test misbehaves. stop ends it; it
// must not have seen a fault.
type behaved struct {
	t    *testing.T
	db   *sql.DB
	stop context.CancelFunc
	done chan struct{}
	runs atomic.Int64
}

func startServer(t *testing.T, flags ...string) (*process.Server, *behaved, string) {
	t.Helper()
	data := t.TempDir()
	s := process.Start(t, data, flags...)
	db := s.Open("", "")
	for _, statement := range []string{"CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)", "INSERT INTO d.t VALUES (1, 0)"} {
		_, err := db.Exec(statement)
		require.NoError(t, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	b := &behaved{t: t, db: db, stop: stop, done: make(chan struct{})}
	conn, err := db.Conn(ctx)
	require.NoError(t, err)
	go b.work(ctx, conn)
	return s, b, data
}

func (b *behaved) work(ctx context.Context, conn *sql.Conn) {
	defer close(b.done)
	defer conn.Close()
	for ctx.Err() == nil {
		began := time.Now()
		n := b.runs.Load()
		if _, err := conn.ExecContext(context.Background(), "UPDATE d.t SET v = v + 1 WHERE id = 1"); err != nil {
			b.t.Errorf("a client that behaves was disturbed: %v", err)
			return
		}
		var v int64
		if err := conn.QueryRowContext(context.Background(), "SELECT v FROM d.t WHERE id = 1").Scan(&v); err != nil || v != n+1 {
			b.t.Errorf("a client that behaves read %d, not %d: %v", v, n+1, err)
			return
		}
		if took := time.Since(began); took > slowest {
			b.t.Errorf("a client that behaves waited %v", took)
		}
		b.runs.Add(1)
	}
}

// finish ends the well-behaved client and the server, and checks the data.
func (b *behaved) finish(s *process.Server, data string) {
	b.t.Helper()
	b.stop()
	<-b.done
	require.Positive(b.t, b.runs.Load())
	var v int64
	require.NoError(b.t, s.Open("", "").QueryRow("SELECT v FROM d.t").Scan(&v), "a new connection")
	require.Equal(b.t, b.runs.Load(), v)
	s.Stop()
	process.Check(b.t, data)
}

func newRandom(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// many runs f on so many connections, a few at a time.
func many(t *testing.T, n int, random *rand.Rand, f func(*rand.Rand)) {
	const together = 20
	places := make(chan struct{}, together)
	var running sync.WaitGroup
	for range n {
		own := rand.New(rand.NewPCG(random.Uint64(), 0))
		places <- struct{}{}
		running.Add(1)
		go func() {
			defer running.Done()
			defer func() { <-places }()
			f(own)
		}()
	}
	running.Wait()
}

func connections() int {
	if testing.Short() {
		return 50
	}
	return 400
}

// Bytes that are no protocol, in place of a login.
func TestRandomBytes(t *testing.T) {
	s, client, data := startServer(t)
	many(t, connections(), newRandom(t), func(r *rand.Rand) {
		c := dial(t, s)
		defer c.Close()
		_, _ = c.Write(randomBytes(r, 1+r.IntN(2000)))
		c.drain(50 * time.Millisecond)
	})
	client.finish(s, data)
}

// Packets whose header lies about their length, before and after the login.
func TestTruncatedPackets(t *testing.T) {
	s, client, data := startServer(t)
	many(t, connections(), newRandom(t), func(r *rand.Rand) {
		c := dial(t, s)
		defer c.Close()
		if r.IntN(2) == 0 {
			c.login()
		} else {
			c.readPacket()
		}
		framed := packet(byte(r.Uint32()), append([]byte{3}, "INSERT INTO d.t VALUES (99, 99)"...))
		switch r.IntN(4) {
		case 0: // cut off
			framed = framed[:1+r.IntN(len(framed)-1)]
		case 1: // longer than what follows
			framed[0] = byte(len(framed) + r.IntN(100))
		case 2: // the largest length there is
			framed[0], framed[1], framed[2] = 0xff, 0xff, 0xff
		case 3: // nothing at all
			framed = []byte{0, 0, 0, 0}
		}
		_, _ = c.Write(framed)
		if r.IntN(2) == 0 {
			c.drain(50 * time.Millisecond)
		}
	})
	client.finish(s, data)
}

// Every command byte with random bytes behind it, after a login, and prepared
// statements that are executed with garbage.
func TestRandomCommands(t *testing.T) {
	s, client, data := startServer(t)
	many(t, connections(), newRandom(t), func(r *rand.Rand) {
		c := dial(t, s)
		defer c.Close()
		c.login()
		if r.IntN(3) == 0 {
			_, _ = c.Write(packet(0, append([]byte{0x16}, "SELECT ? + ?, v FROM d.t WHERE id = ?"...)))
		}
		for range 1 + r.IntN(10) {
			command := byte(r.IntN(0x21))
			payload := append([]byte{command}, randomBytes(r, r.IntN(60))...)
			if r.IntN(3) == 0 { // COM_STMT_EXECUTE of the first statement
				payload = append([]byte{0x17, 1, 0, 0, 0, byte(r.IntN(6)), 1, 0, 0, 0}, randomBytes(r, r.IntN(40))...)
			}
			if _, err := c.Write(packet(0, payload)); err != nil {
				break
			}
		}
		c.drain(50 * time.Millisecond)
	})
	client.finish(s, data)
}

// Statements of random bytes and of damaged SQL get an error and leave the
// session usable.
func TestRandomStatements(t *testing.T) {
	s, client, data := startServer(t)
	random := newRandom(t)
	db := s.Open("d", "")
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	statements := []string{
		"SELECT t.id, u.v FROM t JOIN t AS u ON t.id = u.id WHERE t.v > 1 GROUP BY t.id HAVING COUNT(*) > 0 ORDER BY 2 LIMIT 3",
		"INSERT INTO t (id, v) VALUES (NULL, 'x'), (1, 2) ON DUPLICATE KEY UPDATE v = VALUES(v) + nosuch(1)",
		"CREATE TABLE u (id INT PRIMARY KEY, CHECK (id > 'a'), FOREIGN KEY (id) REFERENCES nosuch(id))",
		"CALL p(1, @x); SELECT @x",
	}
	for range connections() {
		text := []byte(statements[random.IntN(len(statements))])
		for range 1 + random.IntN(4) {
			switch at := random.IntN(len(text)); random.IntN(3) {
			case 0:
				text[at] = byte(random.Uint32())
			case 1:
				text = append(text[:at:at], text[at+random.IntN(len(text)-at):]...)
			default:
				text = append(text[:at:at], append(randomBytes(random, 3), text[at:]...)...)
			}
			if len(text) == 0 {
				text = []byte{';'}
			}
		}
		_, _ = conn.ExecContext(t.Context(), string(text))
		var one int
		require.NoError(t, conn.QueryRowContext(t.Context(), "SELECT 1").Scan(&one), "after %q", text)
	}
	require.NoError(t, conn.Close())
	client.finish(s, data)
}

// Connections that never log in use up no place for long.
func TestHalfOpenConnections(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the handshake's time limit")
	}
	const places = 30
	s, client, data := startServer(t, "--max-connections", fmt.Sprint(places))
	var idle []*raw
	for range places - 1 {
		idle = append(idle, dial(t, s))
	}
	require.Eventually(t, func() bool { return s.Open("", "").Ping() != nil }, 5*time.Second, 10*time.Millisecond, "all places are taken")
	require.Eventually(t, func() bool {
		db := s.Open("", "")
		defer db.Close()
		return db.Ping() == nil
	}, 20*time.Second, 200*time.Millisecond, "places must become free")
	for _, c := range idle {
		_ = c.Close()
	}
	client.finish(s, data)
}

// Connections that are dropped in the middle of a transaction leave nothing
// behind (ST-122).
func TestDroppedConnections(t *testing.T) {
	s, client, data := startServer(t)
	many(t, connections(), newRandom(t), func(r *rand.Rand) {
		c := dial(t, s)
		c.login()
		for _, statement := range []string{"BEGIN", fmt.Sprintf("INSERT INTO d.t VALUES (%d, 1)", 1000+r.IntN(50))} {
			_, _ = c.Write(packet(0, append([]byte{3}, statement...)))
			if r.IntN(2) == 0 {
				c.readPacket()
			}
		}
		_ = c.Close()
	})
	db := s.Open("", "")
	require.Eventually(t, func() bool {
		var n int
		require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM information_schema.PROCESSLIST").Scan(&n))
		return n <= 2
	}, 5*time.Second, 20*time.Millisecond, "sessions of dropped connections must end")
	var rows int
	require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM d.t WHERE id > 1").Scan(&rows))
	require.Zero(t, rows)
	_, err := db.Exec("INSERT INTO d.t SELECT 1000 + id, 0 FROM d.t")
	require.NoError(t, err, "no lock may be left")
	_, err = db.Exec("DELETE FROM d.t WHERE id > 1")
	require.NoError(t, err)
	client.finish(s, data)
}
