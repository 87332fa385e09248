package enginesuite

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	engineModule = "github.com/dolthub/go-mysql-server"
	// childTimeout bounds one child; the whole suite takes about a minute.
	childTimeout = 8 * time.Minute
	// outputKept is how much of a child's output is shown when it died.
	outputKept = 8 << 10
)

// briefFunctions are run without the tag long.
var briefFunctions = []string{
	"TestAlterTable", "TestDelete", "TestForeignKeys", "TestIndexes", "TestReplaceInto", "TestTransactionScripts", "TestTriggers", "TestUpdate",
}

// ST-154: the engine suite runs against store tables, in process and over the
// wire.
func TestEngineSuite(t *testing.T) {
	for _, way := range []struct {
		name       string
		overServer bool
	}{{"in process", false}, {"over the server", true}} {
		t.Run(way.name, func(t *testing.T) { runSuite(t, way.overServer) })
	}
}

func runSuite(t *testing.T, overServer bool) {
	names := selected(t, functions(overServer))
	dir := workFolder(t)
	all, dead := runAll(t, dir, names, overServer)
	leaves, failures := all.leaves()
	for name, output := range dead {
		failures = append(failures, name)
		t.Logf("%s took its process down:\n%s", name, output)
	}
	ran := map[string]bool{}
	for _, name := range names {
		ran[name] = true
	}
	expected, err := readKnown(knownFile, overServer)
	require.NoError(t, err)
	unexpected, healed := compare(failures, ran, expected)
	for _, name := range unexpected {
		t.Errorf("fails: %s", name)
	}
	for _, name := range healed {
		t.Errorf("listed in %s and does not fail: %s", knownFile, name)
	}
	t.Logf("%d functions, %d cases: %d pass, %d fail as listed, %d fail otherwise, %d skipped by the suite itself",
		len(names), len(leaves), leaves.count(passed), len(failures)-len(unexpected), len(unexpected), leaves.count(skipped))
}

// selected narrows the functions to those asked for.
func selected(t *testing.T, names []string) []string {
	sort.Strings(names)
	only := os.Getenv("FRESHET_SUITE")
	var wanted []string
	switch {
	case only != "":
		wanted = strings.Split(only, ",")
	case !wholeSuite:
		wanted = briefFunctions
	default:
		return names
	}
	var chosen []string
	for _, name := range wanted {
		i := sort.SearchStrings(names, name)
		if i < len(names) && names[i] == name {
			chosen = append(chosen, name)
		}
	}
	if len(chosen) == 0 {
		t.Skipf("none of %v runs this way", wanted)
	}
	return chosen
}

// workFolder returns a folder that holds the files that the suite's statements
// load, as the suite expects them beside it.
func workFolder(t *testing.T) string {
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", engineModule)
	list.Stderr = os.Stderr
	module, err := list.Output()
	require.NoError(t, err)
	dir := t.TempDir()
	files := filepath.Join(strings.TrimSpace(string(module)), "enginetest", "testdata")
	require.NoError(t, os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS(files)))
	return dir
}

// runAll deals the functions out to one child per processor. A function that
// takes its process down is reported with the end of its output, and the rest of
// its share goes on in another child.
func runAll(t *testing.T, dir string, names []string, overServer bool) (results, map[string]string) {
	work := make(chan []string, len(names))
	for _, share := range shares(names) {
		work <- share
	}
	close(work)
	var mu sync.Mutex
	all, dead := results{}, map[string]string{}
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for share := range work {
				for len(share) > 0 {
					done, culprit, output := runChild(dir, share, overServer)
					mu.Lock()
					for name, o := range done {
						all[name] = o
					}
					if culprit != "" {
						dead[culprit] = output
					}
					mu.Unlock()
					share = remaining(share, culprit)
				}
			}
		}()
	}
	workers.Wait()
	return all, dead
}

// shares groups the functions: small groups, so that the children end at about
// the same time, and so few that starting them does not count.
func shares(names []string) [][]string {
	const size = 12
	var out [][]string
	for start := 0; start < len(names); start += size {
		out = append(out, names[start:min(start+size, len(names))])
	}
	return out
}

// remaining returns what is left of a share after the culprit; nothing if there
// was none.
func remaining(share []string, culprit string) []string {
	function, _, _ := strings.Cut(culprit, "/")
	for i, name := range share {
		if name == function {
			return share[i+1:]
		}
	}
	return nil
}

// runChild runs functions in a child. The culprit is the test during which the
// child died, empty if it ended by itself.
func runChild(dir string, names []string, overServer bool) (done results, culprit, output string) {
	ctx, cancel := context.WithTimeout(context.Background(), childTimeout)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestChild$", "-test.v", "-test.timeout", "0")
	child.Dir = dir
	child.Env = append(os.Environ(), childFunctions+"="+strings.Join(names, ","), "CI_TEST=true")
	if overServer {
		child.Env = append(child.Env, childServer+"=1")
	}
	var out bytes.Buffer
	child.Stdout, child.Stderr = &out, &out
	runErr := child.Run()
	if debug := os.Getenv("FRESHET_SUITE_OUTPUT"); debug != "" {
		path := filepath.Join(debug, fmt.Sprintf("%s-%v.txt", names[0], overServer))
		_ = os.WriteFile(path, out.Bytes(), 0o600)
	}
	done, unfinished, err := parseOutput(bytes.NewReader(out.Bytes()))
	if err != nil || (runErr != nil && len(done) == 0 && len(unfinished) == 0) {
		return nil, names[0], fmt.Sprintf("%v\n%s", runErr, tail(out.Bytes()))
	}
	if len(unfinished) == 0 {
		return done, "", ""
	}
	return done, unfinished[0], fmt.Sprintf("%v\n%s", runErr, tail(out.Bytes()))
}

func tail(output []byte) []byte {
	return output[max(0, len(output)-outputKept):]
}
