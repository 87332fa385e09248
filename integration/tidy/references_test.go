package tidy

import (
	"go/ast"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// acceptanceLast is the number of the last scenario of each family.
var acceptanceLast = map[string]int{"ST": 154, "MV": 164, "DX": 124}

// Acceptance scenarios are named as in "ST-048": three digits, in range. A name
// that is spelled wrong hides that its scenario has no test.
func TestAcceptanceIDs(t *testing.T) {
	like := regexp.MustCompile(`\b(ST|MV|DX)[-_]?(\d+)\b`)
	exact := regexp.MustCompile(`^(ST|MV|DX)-(\d{3})$`)
	r := repository(t)
	check := func(path, text string) {
		for _, m := range like.FindAllString(text, -1) {
			parts := exact.FindStringSubmatch(m)
			if parts == nil {
				t.Errorf("%s: %q is not the name of an acceptance scenario", path, m)
				continue
			}
			if n, _ := strconv.Atoi(parts[2]); n < 1 || n > acceptanceLast[parts[1]] {
				t.Errorf("%s: there is no acceptance scenario %s", path, m)
			}
		}
	}
	for _, s := range r.sources {
		for _, group := range s.file.Comments {
			check(s.path, group.Text())
		}
	}
	for path, text := range r.texts {
		check(path, string(text))
	}
}

// Every invariant named in the documents is guarded: by a test named beside it
// that exists, or by a test file that names the invariant. Every test that the
// documents name exists.
func TestInvariantsGuarded(t *testing.T) {
	r := repository(t)
	tests, namedInTests := testFunctions(r), invariantsInTests(r)
	invariant := regexp.MustCompile(`\bINV-[A-Z]+(?:-[A-Z]+)*-\d+\b`)
	testName := regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w*`)
	for path, text := range r.texts {
		if !strings.HasPrefix(path, "docs/invariants") {
			continue
		}
		guarded := map[string]bool{}
		for _, paragraph := range paragraphs(string(text)) {
			names := testName.FindAllString(paragraph, -1)
			for _, name := range names {
				if !tests[name] {
					t.Errorf("%s names the test %s, which does not exist", path, name)
				}
			}
			for _, id := range invariant.FindAllString(paragraph, -1) {
				guarded[id] = guarded[id] || len(names) > 0 || namedInTests[id]
			}
		}
		for id, ok := range guarded {
			if !ok {
				t.Errorf("%s: no test guards %s", path, id)
			}
		}
	}
}

// paragraphs splits a document at blank lines and headings; rows of a table
// and items of a list are paragraphs of their own. A heading stays with the
// text below it.
func paragraphs(text string) []string {
	var out []string
	var current []string
	flush := func() {
		if len(current) > 0 {
			out = append(out, strings.Join(current, "\n"))
		}
		current = nil
	}
	for _, line := range strings.Split(text, "\n") {
		starts := strings.HasPrefix(line, "#") || strings.HasPrefix(line, "|") ||
			strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "**INV-")
		if starts {
			flush()
		}
		heading := len(current) == 1 && strings.HasPrefix(current[0], "#")
		if strings.TrimSpace(line) == "" {
			if !heading {
				flush()
			}
			continue
		}
		current = append(current, line)
	}
	flush()
	return out
}

func testFunctions(r *tree) map[string]bool {
	names := map[string]bool{}
	for _, s := range r.sources {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.isTest() {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}

func invariantsInTests(r *tree) map[string]bool {
	invariant := regexp.MustCompile(`\bINV-[A-Z]+(?:-[A-Z]+)*-\d+\b`)
	names := map[string]bool{}
	for _, s := range r.sources {
		if !s.isTest() {
			continue
		}
		for _, id := range invariant.FindAllString(string(s.text), -1) {
			names[id] = true
		}
	}
	return names
}
