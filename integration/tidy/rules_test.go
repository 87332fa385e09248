package tidy

import (
	"bytes"
	"go/ast"
	"go/format"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// lineLimit is the longest a file may be. Files are best under 500 lines; past
// 700 they hold more than one noun.
const lineLimit = 700

func TestFormatted(t *testing.T) {
	for _, s := range repository(t).sources {
		want, err := format.Source(s.text)
		if err != nil {
			t.Errorf("%s: %v", s.path, err)
		} else if !bytes.Equal(want, s.text) {
			t.Errorf("%s: not formatted with gofmt", s.path)
		}
	}
}

func TestFileLength(t *testing.T) {
	for _, s := range repository(t).sources {
		if _, ok := longFiles[s.path]; ok || ast.IsGenerated(s.file) {
			continue
		}
		if n := bytes.Count(s.text, []byte("\n")); n > lineLimit {
			t.Errorf("%s: %d lines, the limit is %d", s.path, n, lineLimit)
		}
	}
}

func TestPackageComment(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range repository(t).sources {
		dir := s.dir()
		documented[dir] = documented[dir] || (strings.HasSuffix(s.path, "/doc.go") && s.file.Doc != nil)
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s: no doc.go with a package comment", dir)
		}
	}
}

func TestPackageNames(t *testing.T) {
	vague := []string{"util", "utils", "common", "helper", "helpers", "misc", "shared", "base", "types"}
	for _, s := range repository(t).sources {
		name := strings.TrimSuffix(s.file.Name.Name, "_test")
		if slices.Contains(vague, name) {
			t.Errorf("%s: package name %q says nothing", s.path, name)
		}
	}
}

// Only comments count: the words may occur in SQL and in messages.
func TestNoOpenEnds(t *testing.T) {
	open := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`)
	r := repository(t)
	for _, s := range r.sources {
		for _, group := range s.file.Comments {
			for _, c := range group.List {
				if word := open.FindString(c.Text); word != "" {
					t.Errorf("%s:%d: %s", s.path, r.line(c.Pos()), word)
				}
			}
		}
	}
	for path, text := range r.texts {
		if word := open.Find(text); word != nil {
			t.Errorf("%s: %s", path, word)
		}
	}
}

func TestNoInit(t *testing.T) {
	r := repository(t)
	for _, s := range r.sources {
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || f.Name.Name != "init" || initAllowed[s.path] != "" {
				continue
			}
			t.Errorf("%s:%d: init does work before main; do it where it is needed", s.path, r.line(f.Pos()))
		}
	}
}

func TestGoroutinesHaveOwners(t *testing.T) {
	r := repository(t)
	seen := map[string]bool{}
	for _, s := range r.sources {
		if s.isTest() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			g, ok := n.(*ast.GoStmt)
			if !ok {
				return true
			}
			seen[s.path] = true
			if goroutineOwners[s.path] == "" {
				t.Errorf("%s:%d: goroutine without an owner; name who waits for it in goroutineOwners", s.path, r.line(g.Pos()))
			}
			return true
		})
	}
	for path := range goroutineOwners {
		if !seen[path] {
			t.Errorf("goroutineOwners names %s, which starts none", path)
		}
	}
}

// Nothing that is kept may speak of one machine's folders.
func TestNoMachinePaths(t *testing.T) {
	local := []byte("/" + "work" + "/")
	r := repository(t)
	for _, s := range r.sources {
		if bytes.Contains(s.text, local) {
			t.Errorf("%s: a path of one machine", s.path)
		}
	}
	for path, text := range r.texts {
		if bytes.Contains(text, local) {
			t.Errorf("%s: a path of one machine", path)
		}
	}
}
