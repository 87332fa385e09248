package wire

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/integration/process"
)

func TestMain(m *testing.M) { process.Main(m) }

// load feeds a dump to the stock client as a user would, without --force.
func load(t *testing.T, s *process.Server, path string) {
	t.Helper()
	dump, err := os.Open(path)
	require.NoError(t, err)
	defer dump.Close()
	var output bytes.Buffer
	client := exec.Command(process.Client(t), "--no-defaults", "--host", "127.0.0.1", "--port", s.Port(), "--user", "root")
	client.Stdin, client.Stdout, client.Stderr = dump, &output, &output
	require.NoError(t, client.Run(), "%s: %s", path, &output)
	require.Empty(t, output.String(), path)
}

// Real dumps load through the stock client, unmodified; what they define answers
// as MariaDB does, also after the process was killed.
func TestDumps(t *testing.T) {
	if testing.Short() {
		t.Skip("loads whole sample databases")
	}
	files := []string{
		process.SharedFile(t, "sakila-schema.sql"),
		process.SharedFile(t, "sakila-data.sql"),
		process.SharedFile(t, "chinook.sql"),
	}
	data := t.TempDir()
	s := process.Start(t, data)
	for _, file := range files {
		load(t, s, file)
	}
	transcripts := func(name string, files map[string]string) {
		t.Run(name, func(t *testing.T) {
			for path, database := range files {
				t.Run(path, func(t *testing.T) { runTranscript(t, s.Open(database, ""), "testdata/"+path) })
			}
		})
	}
	transcripts("loaded", map[string]string{"sakila_read.txt": "sakila", "chinook.txt": "Chinook"})
	s.Kill()
	s = process.Start(t, data)
	transcripts("killed", map[string]string{"sakila_read.txt": "sakila", "chinook.txt": "Chinook"})
	transcripts("changed", map[string]string{"sakila_write.txt": "sakila"})
	s.Kill()
	s = process.Start(t, data)
	transcripts("killed again", map[string]string{"sakila_after.txt": "sakila"})
	s.Stop()
	process.Check(t, data)
}

// TestTranscripts makes the transcripts from a reference server.
func TestTranscripts(t *testing.T) {
	if reference(t, "") == nil || flag.Lookup("rewrite").Value.String() != "true" {
		t.Skip("run with FRESHET_REFERENCE and -rewrite to make the transcripts")
	}
	runTranscript(t, reference(t, "Chinook"), "testdata/chinook.txt")
	for _, path := range []string{"sakila_read.txt", "sakila_write.txt", "sakila_after.txt"} {
		runTranscript(t, reference(t, "sakila"), "testdata/"+path)
	}
}
