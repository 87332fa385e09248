package enginesuite

import (
	"bufio"
	"io"
	"regexp"
	"sort"
	"strings"
)

// outcome is how a test ended.
type outcome string

const (
	passed  outcome = "PASS"
	failed  outcome = "FAIL"
	skipped outcome = "SKIP"
)

// results are the outcomes of tests by their full names without "TestChild/".
type results map[string]outcome

const childPrefix = "TestChild/"

var (
	outcomeLine = regexp.MustCompile(`^\x16?\s*--- (PASS|FAIL|SKIP): (\S+) \(`)
	startLine   = regexp.MustCompile(`^\x16?=== RUN   (\S+)`)
)

// parseOutput reads what a child printed. Tests that started and did not end are
// returned as unfinished, the last one started first: it took the process down.
func parseOutput(r io.Reader) (results, []string, error) {
	done, started := results{}, []string{}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if m := outcomeLine.FindStringSubmatch(line); m != nil {
			if name, ok := strings.CutPrefix(m[2], childPrefix); ok {
				done[name] = outcome(m[1])
			}
		} else if m := startLine.FindStringSubmatch(line); m != nil {
			if name, ok := strings.CutPrefix(m[1], childPrefix); ok {
				started = append(started, name)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
	}
	var unfinished []string
	for i := len(started) - 1; i >= 0; i-- {
		if _, ok := done[started[i]]; !ok {
			unfinished = append(unfinished, started[i])
		}
	}
	return done, unfinished, nil
}

// leaves returns the tests that have no subtests, and the failing tests none of
// whose subtests fail: what failed in them is their own.
func (r results) leaves() (leaves results, ownFailures []string) {
	parents, failing := map[string]bool{}, map[string]bool{}
	for name, o := range r {
		for parent := parentOf(name); parent != ""; parent = parentOf(parent) {
			parents[parent] = true
			if o == failed {
				failing[parent] = true
			}
		}
	}
	leaves = results{}
	for name, o := range r {
		if !parents[name] {
			leaves[name] = o
		}
		if o == failed && !failing[name] {
			ownFailures = append(ownFailures, name)
		}
	}
	sort.Strings(ownFailures)
	return leaves, ownFailures
}

func parentOf(name string) string {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return ""
	}
	return name[:i]
}

func (r results) count(o outcome) int {
	n := 0
	for _, each := range r {
		if each == o {
			n++
		}
	}
	return n
}
