package process

import (
	"bytes"
	"errors"
	"io"
	"log"
	"os"
	"os/exec"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/sirupsen/logrus"

	"github.com/freshetdb/freshet/cmd/freshet/command"
)

// asCommand is the name under which a binary that calls BeCommand is the freshet
// command.
const asCommand = "freshet"

// BeCommand makes the process the freshet command if Command has started it, and
// does not return then. Call it first in main. Packages that start servers need
// no build of the command this way: their own binary contains it.
func BeCommand() {
	if os.Args[0] == asCommand {
		os.Exit(command.Run(os.Args[1:]))
	}
}

// Main runs the tests of a package. Call it from TestMain. The logs of the driver
// and of the engine, which tell of every connection, are silenced.
func Main(m *testing.M) {
	BeCommand()
	logrus.SetOutput(io.Discard)
	log.SetOutput(io.Discard)
	if err := mysql.SetLogger(log.New(io.Discard, "", 0)); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// Command returns the freshet command with arguments as a process to be started.
func Command(t T, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(binary, args...)
	c.Args[0] = asCommand
	return c
}

// Check runs `freshet check` on a folder that no server has open and fails the
// test if it finds anything.
func Check(t T, data string) {
	t.Helper()
	var output bytes.Buffer
	check := Command(t, "check", "--data", data)
	check.Stdout, check.Stderr = &output, &output
	if err := check.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Fatal(err)
		}
		t.Fatalf("freshet check: %v\n%s", err, output.Bytes())
	}
}
