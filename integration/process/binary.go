package process

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/sirupsen/logrus"
)

// command is the package that is built.
const command = "github.com/freshetdb/freshet/cmd/freshet"

var folder struct {
	once sync.Once
	dir  string
	err  error
}

// Main runs the tests of a package and removes the binary that they built. Call
// it from TestMain. The logs of the driver and of the engine, which tell of every
// connection, are silenced.
func Main(m *testing.M) {
	logrus.SetOutput(io.Discard)
	log.SetOutput(io.Discard)
	if err := mysql.SetLogger(log.New(io.Discard, "", 0)); err != nil {
		panic(err)
	}
	code := m.Run()
	if folder.dir != "" {
		_ = os.RemoveAll(folder.dir)
	}
	os.Exit(code)
}

// Binary returns the path of the freshet binary, building it at the first call.
func Binary() (string, error) {
	folder.once.Do(func() {
		folder.dir, folder.err = os.MkdirTemp("", "freshet-binary")
		if folder.err != nil {
			return
		}
		build := exec.Command("go", "build", "-tags", "gms_pure_go", "-o", filepath.Join(folder.dir, "freshet"), command)
		if output, err := build.CombinedOutput(); err != nil {
			folder.err = fmt.Errorf("building %s: %w\n%s", command, err, output)
		}
	})
	return filepath.Join(folder.dir, "freshet"), folder.err
}

// Check runs `freshet check` on a folder that no server has open and fails the
// test if it finds anything.
func Check(t T, data string) {
	t.Helper()
	binary, err := Binary()
	if err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	check := exec.Command(binary, "check", "--data", data)
	check.Stdout, check.Stderr = &output, &output
	if err := check.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Fatal(err)
		}
		t.Fatalf("freshet check: %v\n%s", err, output.Bytes())
	}
}
