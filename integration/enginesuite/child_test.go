package enginesuite

import (
	"io"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
)

// The environment of a child process.
const (
	childFunctions = "FRESHET_SUITE_CHILD"        // functions to run, separated by commas
	childServer    = "FRESHET_SUITE_CHILD_SERVER" // set: through the server
)

// TestChild runs functions of the suite in a child process; alone it does
// nothing.
func TestChild(t *testing.T) {
	names := os.Getenv(childFunctions)
	if names == "" {
		t.Skip("run by TestEngineSuite in a process of its own")
	}
	logrus.SetOutput(io.Discard)
	log.SetOutput(io.Discard)
	redirects.install()
	for _, name := range strings.Split(names, ",") {
		t.Run(name, func(t *testing.T) { runFunction(t, name, os.Getenv(childServer) != "") })
	}
}
