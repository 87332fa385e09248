package process

import (
	"os"
	"os/exec"
	"path/filepath"
)

// SharedFile returns the path of a sample data file. They are not part of the
// repository: the folder comes from FRESHET_SHARED or is ../shared beside it.
// Where the file is absent the test is skipped, in CI it fails.
func SharedFile(t T, name string) string {
	t.Helper()
	folder := os.Getenv("FRESHET_SHARED")
	if folder == "" {
		root, err := repository()
		if err != nil {
			t.Fatal(err)
		}
		folder = filepath.Join(root, "..", "shared")
	}
	path := filepath.Join(folder, "data", name)
	if _, err := os.Stat(path); err != nil {
		Missing(t, "sample data: "+path)
	}
	return path
}

// Client returns the path of the stock command-line client. Where it is not
// installed the test is skipped, in CI it fails.
func Client(t T) string {
	t.Helper()
	path, err := exec.LookPath("mariadb")
	if err != nil {
		Missing(t, "the mariadb client (Debian: mariadb-client)")
	}
	return path
}

// Missing skips a test for want of something that CI has.
func Missing(t T, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("missing: %s", what)
	}
	t.Skipf("missing: %s", what)
}

// repository returns the folder that holds go.mod.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", os.ErrNotExist
		}
		dir = filepath.Dir(dir)
	}
}
