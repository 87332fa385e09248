package slt

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	// shownFailures is how many failures are printed for one folder.
	shownFailures = 40
	defaultFloor  = 99.0
)

// Our own scripts pass whole.
func TestOwnScripts(t *testing.T) {
	for _, path := range scripts(t, "testdata") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			result, err := runFile(t.Context(), path)
			require.NoError(t, err)
			for _, f := range result.failures {
				t.Error(f)
			}
			require.Positive(t, result.passed)
		})
	}
}

// The public sets, where a path to them is given.
func TestPublicScripts(t *testing.T) {
	root := os.Getenv("FRESHET_SLT")
	if root == "" {
		t.Skip("FRESHET_SLT names no folder of scripts")
	}
	folders := map[string]*tally{}
	total := tally{}
	for _, path := range scripts(t, root) {
		result, err := runFile(t.Context(), path)
		require.NoError(t, err, path)
		folder := folderOf(root, path)
		if folders[folder] == nil {
			folders[folder] = &tally{}
		}
		for _, sum := range []*tally{folders[folder], &total} {
			sum.passed += result.passed
			sum.skipped += result.skipped
			sum.failures = append(sum.failures, result.failures...)
		}
	}
	names := make([]string, 0, len(folders))
	for name := range folders {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		sum := folders[name]
		t.Logf("%-24s %s", name, sum.summary())
		for i, f := range sum.failures {
			if i == shownFailures {
				t.Logf("  ... %d more", len(sum.failures)-shownFailures)
				break
			}
			t.Logf("  %s", f)
		}
	}
	t.Logf("%-24s %s", "all", total.summary())
	require.GreaterOrEqual(t, total.percent(), floor(t))
}

func (s *tally) percent() float64 {
	run := s.passed + len(s.failures)
	if run == 0 {
		return 0
	}
	return 100 * float64(s.passed) / float64(run)
}

func (s *tally) summary() string {
	return fmt.Sprintf("%d of %d pass (%.3f %%), %d for other databases", s.passed, s.passed+len(s.failures), s.percent(), s.skipped)
}

func floor(t *testing.T) float64 {
	text := os.Getenv("FRESHET_SLT_FLOOR")
	if text == "" {
		return defaultFloor
	}
	f, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return f
}

// folderOf is the folder of a script below the root, at most two deep.
func folderOf(root, path string) string {
	relative, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil {
		return path
	}
	parts := strings.Split(filepath.ToSlash(relative), "/")
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// scripts lists the .test files below a folder, or the file itself.
func scripts(t *testing.T, root string) []string {
	var paths []string
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".test") {
			paths = append(paths, path)
		}
		return err
	}))
	require.NotEmpty(t, paths, "no scripts under %s", root)
	slices.Sort(paths)
	return paths
}
