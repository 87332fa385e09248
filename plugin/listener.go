package plugin

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/vitess/go/netutil"
)

// connListener accepts on TCP and a Unix socket alike, bounds the number of
// connections, and knows the open ones so that a shutdown can end them.
type connListener struct {
	listeners []net.Listener
	max       int

	accepted chan net.Conn
	done     chan struct{} // closed by Close
	accepts  sync.WaitGroup

	closing sync.Once

	mu   sync.Mutex
	open map[*trackedConn]struct{}
}

var _ net.Listener = (*connListener)(nil)

// listen opens the sockets. It leaves a live socket of another process alone and
// removes one that a dead process left behind.
func listen(address, socket string, max int) (*connListener, error) {
	tcp, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", address, err)
	}
	l := &connListener{
		listeners: []net.Listener{tcp}, max: max,
		accepted: make(chan net.Conn), done: make(chan struct{}),
		open: map[*trackedConn]struct{}{},
	}
	if socket != "" {
		unix, err := listenUnix(socket)
		if err != nil {
			return nil, errors.Join(err, tcp.Close())
		}
		l.listeners = append(l.listeners, unix)
	}
	for _, listener := range l.listeners {
		l.accepts.Add(1)
		go l.acceptFrom(listener)
	}
	return l, nil
}

func listenUnix(path string) (net.Listener, error) {
	if conn, err := net.Dial("unix", path); err == nil {
		return nil, errors.Join(fmt.Errorf("%w: %s", ErrSocketInUse, path), conn.Close())
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("removing the socket a dead process left: %w", err)
		}
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", path, err)
	}
	return listener, nil
}

// acceptPause is how long accepting rests after an error that passes, such as
// having no file descriptor left.
const acceptPause = 50 * time.Millisecond

func (l *connListener) acceptFrom(listener net.Listener) {
	defer l.accepts.Done()
	for {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			select {
			case <-l.done:
				return
			case <-time.After(acceptPause):
				continue
			}
		}
		tracked, ok := l.admit(conn)
		if !ok {
			refuse(conn)
			continue
		}
		select {
		case l.accepted <- tracked:
		case <-l.done:
			tracked.Close()
			return
		}
	}
}

// admit counts a connection, unless the limit is reached.
func (l *connListener) admit(conn net.Conn) (*trackedConn, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= l.max {
		return nil, false
	}
	t := &trackedConn{Conn: conn, listener: l}
	t.handshake = time.AfterFunc(handshakeTimeout, func() { t.Close() })
	l.open[t] = struct{}{}
	return t, true
}

// Accept returns the next connection, net.ErrClosed after Close.
func (l *connListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.accepted:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Addr is the TCP address.
func (l *connListener) Addr() net.Addr { return l.listeners[0].Addr() }

// Close stops accepting. Open connections stay open.
func (l *connListener) Close() error {
	var err error
	l.closing.Do(func() {
		close(l.done)
		for _, listener := range l.listeners {
			err = errors.Join(err, listener.Close())
		}
		l.accepts.Wait()
	})
	return err
}

// closeOpen closes every open connection.
func (l *connListener) closeOpen() {
	l.mu.Lock()
	open := make([]*trackedConn, 0, len(l.open))
	for t := range l.open {
		open = append(open, t)
	}
	l.mu.Unlock()
	for _, t := range open {
		t.Close()
	}
}

// trackedConn is a connection that its listener counts.
type trackedConn struct {
	net.Conn
	listener *connListener
	// handshake closes the connection if nobody logs in. A deadline would not do:
	// the protocol's own time-outs set it anew with every read.
	handshake *time.Timer
	once      sync.Once
	// ended: no more commands are read.
	ended atomic.Bool
}

// endAfterAnswer makes the connection end once what is being answered is sent.
func (t *trackedConn) endAfterAnswer() { t.ended.Store(true) }

// Read implements net.Conn.
func (t *trackedConn) Read(p []byte) (int, error) {
	if t.ended.Load() {
		return 0, io.EOF
	}
	return t.Conn.Read(p)
}

// handshakeDone lifts the limit once the client has logged in.
func (t *trackedConn) handshakeDone() { t.handshake.Stop() }

// trackedOf finds the tracked connection beneath TLS and time-outs.
func trackedOf(conn net.Conn) (*trackedConn, bool) {
	for {
		switch c := conn.(type) {
		case *trackedConn:
			return c, true
		case *tls.Conn:
			conn = c.NetConn()
		case *netutil.ConnWithTimeouts:
			conn = c.Conn
		case *answerConn:
			conn = c.Conn
		default:
			return nil, false
		}
	}
}

// Close closes the connection and gives its place free.
func (t *trackedConn) Close() error {
	err := t.Conn.Close()
	t.once.Do(func() {
		t.handshake.Stop()
		t.listener.mu.Lock()
		defer t.listener.mu.Unlock()
		delete(t.listener.open, t)
	})
	return err
}

// refuse tells a client, in place of the handshake, that there are too many
// connections: an error packet as of protocol 4.1 before capabilities are known,
// which has no SQLSTATE.
func refuse(conn net.Conn) {
	const message = "Too many connections"
	const code = 1040
	packet := []byte{0, 0, 0, 0, 0xff, code & 0xff, code >> 8}
	packet = append(packet, message...)
	packet[0] = byte(len(packet) - 4)
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	_, _ = conn.Write(packet)
	_ = conn.Close()
}
