package tidy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// source is one Go file of the repository.
type source struct {
	path string // slash-separated, relative to the root
	text []byte
	file *ast.File
}

// isTest reports whether the file is test code: also that of packages of tests,
// such as kvtest.
func (s source) isTest() bool {
	return strings.HasSuffix(s.path, "_test.go") || strings.HasSuffix(s.file.Name.Name, "test")
}

func (s source) dir() string { return filepath.ToSlash(filepath.Dir(s.path)) }

// tree is everything the rules look at.
type tree struct {
	root    string
	fset    *token.FileSet
	sources []source
	texts   map[string][]byte // Markdown and scripts by path
}

var loadTree = sync.OnceValues(func() (*tree, error) {
	root, err := findRoot()
	if err != nil {
		return nil, err
	}
	t := &tree{root: root, fset: token.NewFileSet(), texts: map[string][]byte{}}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skipDir(root, path, entry)
		}
		return t.add(path)
	})
	return t, err
})

// repository returns the parsed tree.
func repository(t *testing.T) *tree {
	t.Helper()
	r, err := loadTree()
	require.NoError(t, err)
	require.NotEmpty(t, r.sources, "no sources under %s", r.root)
	return r
}

// findRoot walks up to the folder that holds go.mod.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fs.ErrNotExist
		}
		dir = parent
	}
}

func skipDir(root, path string, entry fs.DirEntry) error {
	name := entry.Name()
	hidden := strings.HasPrefix(name, ".") && name != ".ci"
	if path != root && (hidden || name == "testdata") {
		return filepath.SkipDir
	}
	return nil
}

func (t *tree) add(path string) error {
	relative, err := filepath.Rel(t.root, path)
	if err != nil {
		return err
	}
	relative = filepath.ToSlash(relative)
	switch {
	case strings.HasSuffix(path, ".go"):
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(t.fset, relative, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		t.sources = append(t.sources, source{path: relative, text: text, file: file})
	case strings.HasSuffix(path, ".md"), strings.HasPrefix(relative, ".ci/"):
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		t.texts[relative] = text
	}
	return nil
}

// line returns the line number of a position.
func (t *tree) line(p token.Pos) int { return t.fset.Position(p).Line }
