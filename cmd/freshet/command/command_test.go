package command

import (
	"bufio"
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/plugin"
)

// asCommand is the name under which the test binary is the command.
const asCommand = "freshet"

func TestMain(m *testing.M) {
	if os.Args[0] == asCommand {
		os.Exit(Run(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// newProcess makes a process of the command that is not started.
func newProcess(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(binary, args...)
	c.Args[0] = asCommand
	return c
}

// result is how a process ended.
type result struct {
	code           int
	stdout, stderr string
}

// run runs a command line to its end.
func runBinary(t *testing.T, env []string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command := newProcess(t, args...)
	command.Env = append(os.Environ(), env...)
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if err != nil {
		require.ErrorAs(t, err, &exit)
	}
	return result{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// process is a running server.
type process struct {
	t       *testing.T
	command *exec.Cmd
	address string
	ready   string // the line it printed
	stderr  bytes.Buffer
	rest    chan string // what it printed after that line
}

var readyLine = regexp.MustCompile(`^freshet is ready on (\S+), data in (.*)$`)

// start starts serve with --addr on a free port and waits until it is ready.
func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	p := &process{t: t, command: newProcess(t, append([]string{"serve"}, args...)...), rest: make(chan string, 1)}
	p.command.Env = append(os.Environ(), env...)
	p.command.Stderr = &p.stderr
	stdout, err := p.command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.command.Start())
	t.Cleanup(func() { _ = p.command.Process.Kill() })
	lines := bufio.NewReader(stdout)
	line, err := lines.ReadString('\n')
	require.NoError(t, err, "the server ended before it was ready")
	p.ready = strings.TrimSuffix(line, "\n")
	match := readyLine.FindStringSubmatch(p.ready)
	require.NotNil(t, match, "unexpected: %q", p.ready)
	p.address = match[1]
	go func() {
		var rest strings.Builder
		_, _ = lines.WriteTo(&rest)
		p.rest <- rest.String()
	}()
	return p
}

// stop sends a signal and returns the exit code.
func (p *process) stop(signal os.Signal) int {
	p.t.Helper()
	require.NoError(p.t, p.command.Process.Signal(signal))
	done := make(chan struct{})
	time.AfterFunc(15*time.Second, func() {
		select {
		case <-done:
		default:
			_ = p.command.Process.Kill()
		}
	})
	require.Empty(p.t, <-p.rest, "standard output has one line")
	err := p.command.Wait()
	close(done)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(p.t, err)
	}
	return p.command.ProcessState.ExitCode()
}

func (p *process) open(login string) *sql.DB {
	p.t.Helper()
	db, err := sql.Open("mysql", fmt.Sprintf("%s@tcp(%s)/", login, p.address))
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestServeAndStop(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		p := start(t, nil, "--data", t.TempDir(), "--addr", "127.0.0.1:0")
		db := p.open("root")
		_, err := db.Exec("CREATE DATABASE d")
		require.NoError(t, err)
		tx, err := db.Begin()
		require.NoError(t, err)
		_, err = tx.Exec("CREATE TABLE d.t(id INT PRIMARY KEY)")
		require.NoError(t, err)
		began := time.Now()
		require.Equal(t, exitOK, p.stop(signal), p.stderr.String())
		require.Less(t, time.Since(began), 5*time.Second, "an open connection must not hold up the end")
	}
}

func TestSettingsOrder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "freshet.toml")
	data := filepath.Join(dir, "from file")
	require.NoError(t, os.WriteFile(file, []byte(fmt.Sprintf(
		"data = %q\nmax-connections = 1\naddr = \"127.0.0.1:1\"\ndurability = \"interval\"\n", data)), 0o600))
	maxOf := func(env []string, args ...string) (n int) {
		p := start(t, env, append(args, "--addr", "127.0.0.1:0")...)
		require.True(t, strings.HasSuffix(p.ready, "data in "+data), p.ready)
		db := p.open("root")
		for n < 10 {
			conn, err := db.Conn(t.Context())
			if err != nil {
				require.Contains(t, err.Error(), "1040")
				break
			}
			defer conn.Close()
			n++
		}
		require.Equal(t, exitOK, p.stop(syscall.SIGTERM))
		return n
	}
	require.Equal(t, 1, maxOf(nil, "--config", file), "file over default")
	require.Equal(t, 1, maxOf([]string{"FRESHET_CONFIG=" + file}), "the file itself from the environment")
	require.Equal(t, 2, maxOf([]string{"FRESHET_MAX_CONNECTIONS=2"}, "--config", file), "environment over file")
	require.Equal(t, 3, maxOf([]string{"FRESHET_MAX_CONNECTIONS=2"}, "--config", file, "--max-connections", "3"), "flag over environment")
}

func TestSettingsRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		path := filepath.Join(dir, "bad.toml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	certificate, data := filepath.Join(dir, "none.pem"), filepath.Join(dir, "data")
	for _, c := range []struct {
		env  []string
		args []string
		code int
		says string
	}{
		{nil, []string{"serve"}, exitUsage, "--data"},
		{nil, []string{"serve", "--data", data, "extra"}, exitUsage, "extra"},
		{nil, []string{"serve", "--nosuch"}, exitUsage, "nosuch"},
		{nil, []string{"nosuch"}, exitUsage, "nosuch"},
		{nil, []string{"serve", "--data", data, "--durability", "maybe"}, exitUsage, "commit, interval, none"},
		{nil, []string{"serve", "--data", data, "--log-level", "loud"}, exitUsage, "debug, info, warn, error"},
		{nil, []string{"serve", "--data", data, "--max-connections", "0"}, exitUsage, "max-connections"},
		{nil, []string{"serve", "--data", data, "--tls-cert", certificate}, exitUsage, "--tls-key"},
		{nil, []string{"serve", "--data", data, "--tls-cert", certificate, "--tls-key", certificate}, exitUsage, "none.pem"},
		{nil, []string{"serve", "--data", data, "--collation-server", "latin9_foo"}, exitUsage, "latin9_foo"},
		{nil, []string{"serve", "--data", data, "--addr", "nonsense"}, exitUsage, "nonsense"},
		{nil, []string{"serve", "--data", data, "--addr", "nowhere.invalid:1"}, exitFailed, "nowhere.invalid"},
		{nil, []string{"serve", "--data", data, "--config", filepath.Join(dir, "none.toml")}, exitUsage, "none.toml"},
		{nil, []string{"serve", "--data", data, "--config", write("max_connections = 3\n")}, exitUsage, "max_connections"},
		{[]string{"FRESHET_DURABILITY=maybe"}, []string{"serve", "--data", data}, exitUsage, "FRESHET_DURABILITY"},
		{[]string{"FRESHET_DURABILTY=none"}, []string{"serve", "--data", data}, exitUsage, "FRESHET_DURABILTY"},
		{nil, []string{"check"}, exitUsage, "--data"},
	} {
		got := runBinary(t, c.env, c.args...)
		require.Equal(t, c.code, got.code, "%v %v: %s", c.env, c.args, got.stderr)
		require.Contains(t, got.stderr, c.says, "%v %v", c.env, c.args)
		require.Empty(t, got.stdout, "%v %v", c.env, c.args)
	}
}

// A wrong value in the file names the key and the file.
func TestSettingsOfWrongType(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.toml")
	for text, says := range map[string]string{
		"max-connections = \"many\"\n": "max-connections in " + path,
		"addr = [\"a\", \"b\"]\n":      "single value",
		"addr = \n":                    path,
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		got := runBinary(t, nil, "serve", "--data", "x", "--config", path)
		require.Equal(t, exitUsage, got.code)
		require.Contains(t, got.stderr, says, text)
	}
}

func TestPortInUse(t *testing.T) {
	p := start(t, nil, "--data", t.TempDir(), "--addr", "127.0.0.1:0")
	got := runBinary(t, nil, "serve", "--data", t.TempDir(), "--addr", p.address)
	require.Equal(t, exitFailed, got.code)
	require.Contains(t, got.stderr, p.address)
	require.Contains(t, got.stderr, "address already in use")
}

func TestSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	p := start(t, nil, "--data", t.TempDir(), "--addr", "127.0.0.1:0", "--socket", path)
	db, err := sql.Open("mysql", "root@unix("+path+")/")
	require.NoError(t, err)
	require.NoError(t, db.Ping())
	got := runBinary(t, nil, "serve", "--data", t.TempDir(), "--addr", "127.0.0.1:0", "--socket", path)
	require.Equal(t, exitFailed, got.code)
	require.Contains(t, got.stderr, "socket is in use")
	require.NoError(t, db.Ping(), "the first must not notice")
	require.NoError(t, db.Close())
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
	again := start(t, nil, "--data", t.TempDir(), "--addr", "127.0.0.1:0", "--socket", path)
	require.Equal(t, exitOK, again.stop(syscall.SIGTERM), "a socket left by a killed process is taken over")
	require.NoFileExists(t, path)
}

// ST-153: statement text and passwords stay out of the log, also at its most
// talkative.
func TestNoSecretInLog(t *testing.T) {
	p := start(t, nil, "--data", t.TempDir(), "--addr", "127.0.0.1:0", "--log-level", "debug")
	require.True(t, strings.HasPrefix(p.address, "127.0.0.1:"))
	db := p.open("root")
	for _, statement := range []string{
		"CREATE USER u@localhost IDENTIFIED BY 'sesame1'",
		"ALTER USER u@localhost IDENTIFIED BY 'sesame2'",
		"SET PASSWORD FOR u@localhost = 'sesame3'",
		"CREATE USER u@localhost IDENTIFIED BY 'sesame4'",
		"CREATE USER IDENTIFIED BY 'sesame5' nonsense",
	} {
		_, _ = db.Exec(statement)
		_, _ = db.Prepare(statement)
	}
	require.Error(t, p.open("u:sesame6").Ping())
	require.Equal(t, exitOK, p.stop(syscall.SIGTERM))
	require.NotContains(t, p.stderr.String(), "sesame")
	require.NotEmpty(t, p.stderr.String())
}

func TestVersion(t *testing.T) {
	got := runBinary(t, nil, "version")
	require.Equal(t, exitOK, got.code)
	require.Contains(t, got.stdout, "8.0.31-freshet")
	// A test binary does not know its modules.
	said := describe(&debug.BuildInfo{
		Deps:     []*debug.Module{{Path: parts[0], Version: "v0.20.1"}, {Path: "example.com/other", Version: "v9"}},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123abc"}},
	})
	require.Equal(t, "freshet 0123abc, as MySQL "+plugin.ServerVersion+"\n"+parts[0]+" v0.20.1\n", said)
}

// ST-032: a second process on the same folder is refused, and the folder is free
// once the first is dead, however it died.
func TestSecondOpener(t *testing.T) {
	data := t.TempDir()
	p := start(t, nil, "--data", data, "--addr", "127.0.0.1:0")
	db := p.open("root")
	_, err := db.Exec("CREATE DATABASE d")
	require.NoError(t, err)
	for _, args := range [][]string{{"serve", "--data", data, "--addr", "127.0.0.1:0"}, {"check", "--data", data}} {
		got := runBinary(t, nil, args...)
		require.Equal(t, exitFailed, got.code)
		require.Contains(t, got.stderr, "in use by another process")
		require.Contains(t, got.stderr, data)
		require.Empty(t, got.stdout)
	}
	_, err = db.Exec("CREATE TABLE d.t(id INT PRIMARY KEY)")
	require.NoError(t, err, "the first works on")
	require.NoError(t, p.command.Process.Kill())
	_ = p.command.Wait()
	again := start(t, nil, "--data", data, "--addr", "127.0.0.1:0")
	var n int
	require.NoError(t, again.open("root").QueryRow("SELECT COUNT(*) FROM d.t").Scan(&n))
	require.Equal(t, exitOK, again.stop(syscall.SIGTERM))
}

// What was committed is there after a clean end and after a kill.
func TestDataSurvives(t *testing.T) {
	data := t.TempDir()
	for i, end := range []os.Signal{syscall.SIGTERM, syscall.SIGKILL, syscall.SIGKILL, syscall.SIGINT} {
		p := start(t, nil, "--data", data, "--addr", "127.0.0.1:0")
		db := p.open("root")
		if i == 0 {
			for _, statement := range []string{"CREATE DATABASE d", "CREATE TABLE d.t(id INT PRIMARY KEY, v VARCHAR(20))"} {
				_, err := db.Exec(statement)
				require.NoError(t, err)
			}
		}
		var n int
		require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM d.t").Scan(&n))
		require.Equal(t, i, n, "round %d", i)
		_, err := db.Exec("INSERT INTO d.t VALUES (?, ?)", i, fmt.Sprint("row ", i))
		require.NoError(t, err)
		require.NoError(t, p.command.Process.Signal(end))
		_ = p.command.Wait()
	}
}
