package enginesuite

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// knownFile lists failures that are expected. A line is: where it fails
// ("process", "server" or "both"), the test's name or a prefix of it that ends
// in "*", and the reason, separated by tabs. Lines that start with # and empty
// lines are comments.
const knownFile = "testdata/known.txt"

// known is one expected failure.
type known struct {
	where, name, reason string
	used                bool
}

func (k *known) matches(name string) bool {
	if prefix, ok := strings.CutSuffix(k.name, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return k.name == name
}

// readKnown reads the expected failures of one way of running.
func readKnown(path string, overServer bool) ([]*known, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	where := "process"
	if overServer {
		where = "server"
	}
	var all []*known
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "\t")
		if len(parts) != 3 || parts[2] == "" || (parts[0] != "process" && parts[0] != "server" && parts[0] != "both") {
			return nil, fmt.Errorf("%s:%d: want where, name and reason separated by tabs", path, n)
		}
		if parts[0] == where || parts[0] == "both" {
			all = append(all, &known{where: parts[0], name: parts[1], reason: parts[2]})
		}
	}
	return all, lines.Err()
}

// compare sorts failures into unexpected ones and returns the expected ones that
// did not fail although their function ran.
func compare(failures []string, ran map[string]bool, expected []*known) (unexpected, healed []string) {
	for _, name := range failures {
		found := false
		for _, k := range expected {
			if k.matches(name) {
				k.used, found = true, true
				break
			}
		}
		if !found {
			unexpected = append(unexpected, name)
		}
	}
	for _, k := range expected {
		function, _, _ := strings.Cut(strings.TrimSuffix(k.name, "*"), "/")
		if !k.used && ran[function] {
			healed = append(healed, k.name)
		}
	}
	return unexpected, healed
}
