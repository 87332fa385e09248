package wire

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/integration/process"
)

func exec1(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		_, err := db.Exec(statement)
		require.NoError(t, err, statement)
	}
}

// client runs the stock client and returns what it prints.
func client(t *testing.T, s *process.Server, stdin string, args ...string) (string, error) {
	t.Helper()
	var output bytes.Buffer
	command := exec.Command(process.Client(t), append([]string{"--no-defaults", "--host", "127.0.0.1", "--port", s.Port()}, args...)...)
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &output, &output
	err := command.Run()
	return output.String(), err
}

// ST-152: the Go driver's pool over TLS with a password: migrations, text and
// prepared statements, transactions, a big result, types, warnings, insert ids.
func TestGoDriver(t *testing.T) {
	cert, key := certificate(t)
	data := t.TempDir()
	s := process.Start(t, data, "--tls-cert", cert, "--tls-key", key)
	exec1(t, s.Open("", ""), "CREATE DATABASE app", "CREATE USER app@localhost IDENTIFIED BY 'let me in'", "GRANT ALL ON app.* TO app@localhost")
	pem, err := os.ReadFile(cert)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(pem))
	require.NoError(t, mysql.RegisterTLSConfig("own", &tls.Config{RootCAs: roots, ServerName: "localhost"}))
	db := s.OpenAs("app:let me in", "app", "tls=own&parseTime=true")
	db.SetMaxOpenConns(8)
	exec1(t, db,
		"CREATE TABLE versions (n INT PRIMARY KEY)",
		"CREATE TABLE item (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, name VARCHAR(50) NOT NULL, price DECIMAL(10,2), at DATETIME(6), data BLOB, KEY (name))",
		"ALTER TABLE item ADD COLUMN stock INT NOT NULL DEFAULT 0",
		"INSERT INTO versions VALUES (1)")
	at := time.Date(2024, 2, 29, 12, 30, 15, 123456000, time.UTC)
	result, err := db.Exec("INSERT INTO item (name, price, at, data) VALUES (?, ?, ?, ?)", "größe ✓", "12.30", at, []byte{0, 1, 0xff})
	require.NoError(t, err)
	id, err := result.LastInsertId()
	require.NoError(t, err)
	require.EqualValues(t, 1, id)
	for _, query := range []string{"SELECT name, price, at, data, stock FROM item WHERE id = ?", "SELECT name, price, at, data, stock FROM item WHERE id = 1"} {
		var args []any
		if strings.Contains(query, "?") {
			args = []any{id}
		}
		var name, price string
		var when time.Time
		var blob []byte
		var stock int
		require.NoError(t, db.QueryRow(query, args...).Scan(&name, &price, &when, &blob, &stock))
		require.Equal(t, []any{"größe ✓", "12.30", at, []byte{0, 1, 0xff}, 0}, []any{name, price, when, blob, stock})
	}
	// A prepared statement without parameters.
	prepared, err := db.Prepare("INSERT INTO versions VALUES (2)")
	require.NoError(t, err)
	_, err = prepared.Exec()
	require.NoError(t, err)
	_, err = prepared.Exec()
	var refused *mysql.MySQLError
	require.ErrorAs(t, err, &refused)
	require.EqualValues(t, 1062, refused.Number)
	require.NoError(t, prepared.Close())
	tx, err := db.Begin()
	require.NoError(t, err)
	_, err = tx.Exec("UPDATE item SET stock = 5")
	require.NoError(t, err)
	require.NoError(t, tx.Rollback())
	bigResult(t, db)
	manyUsers(t, db)
	_, err = db.Exec("CREATE DATABASE other")
	require.Error(t, err, "the grant covers one database")
	s.Stop()
	process.Check(t, data)
}

// bigResult reads 50,000 rows, by text and prepared.
func bigResult(t *testing.T, db *sql.DB) {
	const rows = 50_000
	exec1(t, db, "CREATE TABLE big (id INT PRIMARY KEY, v VARCHAR(100))")
	for at := 0; at < rows; at += 1000 {
		var text strings.Builder
		text.WriteString("INSERT INTO big VALUES ")
		for i := at; i < at+1000; i++ {
			if i > at {
				text.WriteByte(',')
			}
			fmt.Fprintf(&text, "(%d,'%s')", i, strings.Repeat("x", i%100))
		}
		exec1(t, db, text.String())
	}
	for _, args := range [][]any{nil, {-1}} {
		query := "SELECT id, v FROM big"
		if args != nil {
			query += " WHERE id > ?"
		}
		result, err := db.Query(query+" ORDER BY id", args...)
		require.NoError(t, err)
		next := 0
		for result.Next() {
			var id int
			var v string
			require.NoError(t, result.Scan(&id, &v))
			if id != next || len(v) != id%100 {
				t.Fatalf("row %d is (%d, %d x)", next, id, len(v))
			}
			next++
		}
		require.NoError(t, result.Err())
		require.Equal(t, rows, next)
	}
}

// manyUsers work through the pool at the same time.
func manyUsers(t *testing.T, db *sql.DB) {
	const users, each = 16, 20
	exec1(t, db, "CREATE TABLE counter (id INT PRIMARY KEY, n INT)", "INSERT INTO counter VALUES (1, 0)")
	var running sync.WaitGroup
	for range users {
		running.Add(1)
		go func() {
			defer running.Done()
			for range each {
				if _, err := db.Exec("UPDATE counter SET n = n + 1 WHERE id = 1"); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	running.Wait()
	var n int
	require.NoError(t, db.QueryRow("SELECT n FROM counter").Scan(&n))
	require.Equal(t, users*each, n)
}

// ST-152: the command line client over TLS with a password, and without either
// where they are asked for.
func TestCommandLineClient(t *testing.T) {
	cert, key := certificate(t)
	s := process.Start(t, t.TempDir(), "--tls-cert", cert, "--tls-key", key)
	exec1(t, s.Open("", ""), "CREATE DATABASE app", "CREATE USER app@localhost IDENTIFIED BY 'let me in'", "GRANT ALL ON app.* TO app@localhost",
		"CREATE USER secure@localhost IDENTIFIED BY 'pw' REQUIRE SSL")
	login := []string{"--user", "app", "--password=let me in", "--batch", "app"}
	output, err := client(t, s, "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20));\nINSERT INTO t VALUES (1,'a'),(2,NULL);\nSELECT * FROM t ORDER BY id;\n", append([]string{"--ssl", "--ssl-ca", cert}, login...)...)
	require.NoError(t, err, output)
	require.Equal(t, "id\tv\n1\ta\n2\tNULL\n", output)
	output, err = client(t, s, "INSERT INTO t VALUES (3,'c');\nINSERT INTO t VALUES (1,'again');\nINSERT INTO t VALUES (4,'d');\n", login...)
	require.Error(t, err)
	require.Contains(t, output, "ERROR 1062 (23000) at line 2")
	output, err = client(t, s, "SELECT COUNT(*), MAX(id) FROM t", append(login, "--skip-column-names")...)
	require.NoError(t, err, output)
	require.Equal(t, "3\t3\n", output)
	output, err = client(t, s, "SELECT 1", "--user", "app", "--password=wrong")
	require.Error(t, err)
	require.Contains(t, output, "ERROR 1045 (28000)")
	output, err = client(t, s, "SELECT 1", "--user", "secure", "--password=pw", "--skip-ssl")
	require.Error(t, err, "an account that requires TLS")
	require.Contains(t, output, "ERROR 1045 (28000)")
	output, err = client(t, s, "SELECT 1", "--user", "secure", "--password=pw", "--ssl", "--batch", "--skip-column-names")
	require.NoError(t, err, output)
	require.Equal(t, "1\n", output)
}

// Text PREPARE and the line a client prints after a statement are packets that the
// stock client can read.
func TestStatementInfo(t *testing.T) {
	s := process.Start(t, t.TempDir())
	out, err := client(t, s, `
CREATE DATABASE d; USE d;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10));
PREPARE p FROM 'INSERT INTO t VALUES (?, ?)';
SET @id = 1, @v = 'one';
EXECUTE p USING @id, @v;
UPDATE t SET v = 'two';
PREPARE q FROM 'SELECT v FROM t WHERE id = ?';
EXECUTE q USING @id;
DEALLOCATE PREPARE p;
`, "--user", "root", "-vvv")
	require.NoError(t, err, out)
	require.Contains(t, out, "Statement prepared")
	require.Contains(t, out, "Rows matched: 1  Changed: 1")
	require.Contains(t, out, "two")
	out, err = client(t, s, "CREATE TABLE d.h (t TIME, u TIME(6)); INSERT INTO d.h VALUES ('10:00:00', NULL), ('-01:02:03.5', '-01:02:03.5'); SELECT * FROM d.h", "--user", "root", "--batch")
	require.NoError(t, err, out)
	require.Equal(t, "t\tu\n10:00:00\tNULL\n-01:02:04\t-01:02:03.500000\n", out)
}

// LOAD DATA LOCAL through both clients: the file is the client's.
func TestLoadDataLocal(t *testing.T) {
	data := t.TempDir()
	s := process.Start(t, data)
	exec1(t, s.Open("", ""), "CREATE DATABASE d", "SET GLOBAL local_infile = 1",
		"CREATE TABLE d.t (id INT PRIMARY KEY, name VARCHAR(30), v DECIMAL(8,2))")
	file := filepath.Join(t.TempDir(), "rows.csv")
	require.NoError(t, os.WriteFile(file, []byte("id,name,v\n1,\"one, quoted\",1.50\n2,\\N,2.25\n3,\"\",-3\n"), 0o600))
	statement := fmt.Sprintf("LOAD DATA LOCAL INFILE '%s' INTO TABLE t FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' IGNORE 1 LINES", file)
	output, err := client(t, s, statement, "--local-infile=1", "--user", "root", "d")
	require.NoError(t, err, output)
	db := s.Open("d", "")
	want := "1 | one, quoted | 1.50\n2 | NULL | 2.25\n3 |  | -3.00\n"
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, queryText(t, conn, "SELECT * FROM t ORDER BY id", 0, false))
	mysql.RegisterReaderHandler("own rows", func() io.Reader { return strings.NewReader("4\tfour\t4\n5\tfive\t5\n") })
	result, err := db.Exec("LOAD DATA LOCAL INFILE 'Reader::own rows' INTO TABLE t")
	require.NoError(t, err)
	affected, err := result.RowsAffected()
	require.NoError(t, err)
	require.EqualValues(t, 2, affected)
	require.Equal(t, want+"4 | four | 4.00\n5 | five | 5.00\n", queryText(t, conn, "SELECT * FROM t ORDER BY id", 0, false))
	require.NoError(t, conn.Close())
	s.Stop()
	process.Check(t, data)
}

// ST-141: accounts, grants and passwords are there after a kill, and rights that
// were taken away are not.
func TestAccountsSurvive(t *testing.T) {
	data := t.TempDir()
	s := process.Start(t, data)
	exec1(t, s.Open("", ""), "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)", "CREATE TABLE d.u (id INT PRIMARY KEY)",
		"CREATE USER reader@localhost IDENTIFIED BY 'one'", "GRANT SELECT ON d.t TO reader@localhost",
		"CREATE USER gone@localhost IDENTIFIED BY 'x'", "DROP USER gone@localhost",
		"CREATE ROLE writers", "GRANT INSERT ON d.* TO writers", "CREATE USER writer@localhost IDENTIFIED BY 'w'", "GRANT writers TO writer@localhost",
		"GRANT SELECT ON d.u TO reader@localhost", "REVOKE SELECT ON d.u FROM reader@localhost",
		"ALTER USER reader@localhost IDENTIFIED BY 'two'")
	for round := range 2 {
		s.Kill()
		s = process.Start(t, data)
		require.Error(t, s.OpenAs("reader:one", "", "").Ping(), "round %d: the old password", round)
		require.Error(t, s.OpenAs("gone:x", "", "").Ping())
		reader := s.OpenAs("reader:two", "d", "")
		exec1(t, reader, "SELECT * FROM t")
		for _, statement := range []string{"SELECT * FROM u", "INSERT INTO t VALUES (1)", "CREATE TABLE x (id INT)"} {
			_, err := reader.Exec(statement)
			require.Error(t, err, statement)
		}
		exec1(t, s.OpenAs("writer:w", "d", ""), fmt.Sprintf("INSERT INTO u VALUES (%d)", round))
		exec1(t, s.Open("d", ""), "SELECT * FROM u")
	}
}
