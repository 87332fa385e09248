package process

import (
	"bufio"
	"bytes"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver of Open
)

const (
	// readyTimeout bounds the start of a server, recovery of a large store included.
	readyTimeout = 2 * time.Minute
	// stopTimeout bounds its gentle end.
	stopTimeout = 20 * time.Second
)

// Server is a running freshet process.
type Server struct {
	// Address is host:port.
	Address string
	// Ready is how long the process took until it accepted connections.
	Ready time.Duration

	t       T
	process *exec.Cmd
	ended   chan struct{} // closed when the process has ended
	mu      sync.Mutex
	log     bytes.Buffer
}

var readyLine = regexp.MustCompile(`^freshet is ready on (\S+), data in .*\n$`)

// Start serves the folder data and waits until connections are accepted. The
// process is killed at the end of the test if it still runs then.
func Start(t T, data string, flags ...string) *Server {
	t.Helper()
	began := time.Now()
	args := append([]string{"serve", "--data", data, "--addr", "127.0.0.1:0", "--log-level", "warn"}, flags...)
	s := &Server{t: t, process: Command(t, args...), ended: make(chan struct{})}
	s.process.Stderr = (*logWriter)(s)
	stdout, err := s.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	overdue := time.AfterFunc(readyTimeout, func() { _ = s.process.Process.Kill() })
	line, readErr := bufio.NewReader(stdout).ReadString('\n')
	overdue.Stop()
	go func() {
		_ = s.process.Wait()
		close(s.ended)
	}()
	t.Cleanup(s.Kill)
	match := readyLine.FindStringSubmatch(line)
	if readErr != nil || match == nil {
		s.Kill()
		t.Fatalf("the server did not become ready: %q, %v\n%s", line, readErr, s.Log())
	}
	s.Address, s.Ready = match[1], time.Since(began)
	return s
}

// Kill ends the process as a power cut would, as far as a process can tell.
func (s *Server) Kill() {
	_ = s.process.Process.Kill()
	<-s.ended
}

// Stop asks the process to end and fails the test unless it does so cleanly.
func (s *Server) Stop() {
	s.t.Helper()
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatalf("the server had ended: %v\n%s", err, s.Log())
	}
	select {
	case <-s.ended:
	case <-time.After(stopTimeout):
		s.Kill()
		s.t.Fatalf("the server did not end within %v\n%s", stopTimeout, s.Log())
	}
	if code := s.process.ProcessState.ExitCode(); code != 0 {
		s.t.Fatalf("the server ended with %d\n%s", code, s.Log())
	}
}

// Ended reports whether the process has ended.
func (s *Server) Ended() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// PID is the process's id.
func (s *Server) PID() int { return s.process.Process.Pid }

// Port is the TCP port.
func (s *Server) Port() string {
	_, port, err := net.SplitHostPort(s.Address)
	if err != nil {
		s.t.Fatal(err)
	}
	return port
}

// Open returns a pool of connections as root. parameters are the driver's, as
// in "multiStatements=true&parseTime=true".
func (s *Server) Open(database, parameters string) *sql.DB {
	s.t.Helper()
	return s.OpenAs("root", database, parameters)
}

// OpenAs is Open for a login, "user" or "user:password".
func (s *Server) OpenAs(login, database, parameters string) *sql.DB {
	s.t.Helper()
	db, err := sql.Open("mysql", fmt.Sprintf("%s@tcp(%s)/%s?%s", login, s.Address, database, parameters))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = db.Close() })
	return db
}

// Log is what the process has logged.
func (s *Server) Log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// PeakRSS is the largest resident size that the process had, in bytes.
func (s *Server) PeakRSS() int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, line := range strings.Split(string(status), "\n") {
		var kib int64
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kib); err == nil {
			return kib << 10
		}
	}
	s.t.Fatal("no VmHWM in /proc/pid/status")
	return 0
}

type logWriter Server

// Write implements io.Writer.
func (w *logWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(p)
}
