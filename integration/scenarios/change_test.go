package scenarios

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// ST-050: what a unique key refuses is what the collation calls equal, trailing
// blanks included.
func TestEqualityByCollation(t *testing.T) {
	w := newWorld(t)
	values := []string{"a", "A", "á", "a ", "ä", "ss", "ß", "SS ", "", " "}
	for _, collation := range []string{"utf8mb4_0900_ai_ci", "utf8mb4_0900_as_cs", "utf8mb4_general_ci", "utf8mb4_bin", "utf8mb4_0900_bin", "utf8mb4_unicode_ci"} {
		w.exec("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10) COLLATE %s, UNIQUE (v))", collation)
		c := w.session("")
		for i, a := range values {
			c.exec("DELETE FROM t")
			c.exec("INSERT INTO t VALUES (%d, '%s')", i, a)
			for j, b := range values {
				equal := w.rows("SELECT '%s' COLLATE %s = '%s' COLLATE %s", a, collation, b, collation)[0] == "1"
				_, err := c.try(fmt.Sprintf("INSERT INTO t VALUES (%d, '%s')", 100+j, b))
				if equal {
					require.Equal(t, 1062, errorNumber(err), "%s: %q and %q", collation, a, b)
				} else {
					require.NoError(t, err, "%s: %q and %q", collation, a, b)
				}
				c.exec("DELETE FROM t WHERE id >= 100")
			}
			require.Equal(t, []string{a}, w.rows("SELECT v FROM t WHERE v = '%s'", a), "%s", collation)
		}
		w.exec("DROP TABLE t")
	}
	w.finish()
}

// ST-057: large rows come back, keys and rows over the limit are refused, and the
// store is unharmed.
func TestLargeRowsAndKeys(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, l LONGTEXT)")
	w.exec("INSERT INTO t VALUES (1, REPEAT('0123456789abcdef', 1048576))")
	require.Equal(t, []string{"16777216,0123456789abcdef"}, w.rows("SELECT LENGTH(l), RIGHT(l, 16) FROM t"))
	c := w.session("")
	c.fails(1071, "CREATE TABLE u (a VARCHAR(800), b VARCHAR(800), KEY (a))")
	c.fails(1071, "CREATE TABLE u (a VARBINARY(3073) PRIMARY KEY)")
	c.fails(1071, "CREATE TABLE u (a VARCHAR(700), b VARCHAR(700), KEY (a, b))")
	c.exec("CREATE TABLE u (a VARCHAR(700), b VARCHAR(700), KEY (a, b(60)))")
	c.fails(1071, "ALTER TABLE u MODIFY a VARCHAR(750)")
	c.exec("DROP TABLE u")
	c.exec("CREATE TABLE u (a VARCHAR(768), b BLOB, KEY (a), KEY (b(3072)))")
	c.exec("INSERT INTO u VALUES (REPEAT('𝒳', 768), REPEAT('x', 5000))")
	require.Equal(t, []string{"3072"}, w.rows("SELECT LENGTH(a) FROM u WHERE a = REPEAT('𝒳', 768)"))
	w.reopen()
	require.Equal(t, []string{"16777216,0123456789abcdef"}, w.rows("SELECT LENGTH(l), RIGHT(l, 16) FROM t"))
	w.finish()
}

// ST-082: UPDATE and DELETE of several tables honour foreign keys and fire triggers
// like the single-table forms; a row matched several times is changed once.
func TestSeveralTables(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "ST-082 multi-table UPDATE and DELETE", script: `
CREATE TABLE a (id INT PRIMARY KEY, v INT)
CREATE TABLE b (id INT PRIMARY KEY, a INT, v INT, KEY (a))
CREATE TABLE log (n INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(10), id INT)
CREATE TRIGGER ua AFTER UPDATE ON a FOR EACH ROW INSERT INTO log (what,id) VALUES ('a',NEW.id)
INSERT INTO a VALUES (1,0),(2,0),(3,0)
INSERT INTO b VALUES (1,1,0),(2,1,0),(3,2,0),(4,9,0)
UPDATE a JOIN b ON b.a = a.id SET a.v = a.v + 1, b.v = b.v + 10
SELECT * FROM a ORDER BY id  --= 1,1; 2,1; 3,0
SELECT id, v FROM b ORDER BY id  --= 1,10; 2,10; 3,10; 4,0
SELECT DISTINCT what, id FROM log ORDER BY id  --= a,1; a,2
DELETE b FROM b JOIN a ON b.a = a.id WHERE a.id = 1
SELECT id FROM b ORDER BY id  --= 3; 4
DELETE a, b FROM a JOIN b ON b.a = a.id
SELECT id FROM a ORDER BY id  --= 1; 3
SELECT id FROM b ORDER BY id  --= 4
CREATE TABLE p (id INT PRIMARY KEY)
CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))
INSERT INTO p VALUES (1),(2)
INSERT INTO c VALUES (1,1)
DELETE p FROM p JOIN a ON a.id = p.id  --! 1451
UPDATE c JOIN p ON c.p = p.id SET c.p = 7  --! 1452
UPDATE c JOIN p ON c.p = p.id SET c.p = 2
DELETE p FROM p LEFT JOIN c ON c.p = p.id WHERE c.id IS NULL
SELECT id FROM p  --= 2
`},
	})
}

// ST-083: a thousand rows inserted from the table into itself are a thousand.
func TestInsertFromItself(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v INT, k INT, KEY (k))")
	w.fill("t", 1000)
	require.EqualValues(t, 1000, w.exec("INSERT INTO t (v) SELECT v FROM t").affected)
	require.Equal(t, []string{"2000"}, w.rows("SELECT COUNT(*) FROM t"))
	w.exec("UPDATE t SET k = id")
	require.EqualValues(t, 2000, w.exec("UPDATE t SET k = k + 100 WHERE k > 0").affected)
	require.Equal(t, []string{"101,2000"}, w.rows("SELECT MIN(k), COUNT(DISTINCT k) FROM t WHERE k > 100"))
	w.finish()
}

// ST-084: sixteen sessions never share a value.
func TestAutoIncrementIsShared(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, s INT)")
	clients := make([]*client, 16)
	for i := range clients {
		clients[i] = w.session(fmt.Sprint("s", i))
	}
	seen := make([][]uint64, len(clients))
	var wg sync.WaitGroup
	for i, c := range clients {
		wg.Go(func() {
			for range 25 {
				r, err := c.try(fmt.Sprintf("INSERT INTO t (s) VALUES (%d),(%d)", i, i))
				if err != nil {
					t.Error(err)
					return
				}
				seen[i] = append(seen[i], r.insertID)
			}
		})
	}
	wg.Wait()
	all := map[uint64]bool{}
	for i := range seen {
		for _, id := range seen[i] {
			require.False(t, all[id] || all[id+1], "value %d was given twice", id)
			all[id], all[id+1] = true, true
		}
	}
	require.Equal(t, []string{fmt.Sprint(len(all))}, w.rows("SELECT COUNT(*) FROM t"))
	w.finish()
}

// ST-088: LOAD DATA reads escapes and NULLs, names the line of an error and leaves
// nothing then; IGNORE and REPLACE keep what they say. CHECK holds here too.
func TestLoadData(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	load := func(how, path string) (result, error) {
		return w.session("").try(fmt.Sprintf("LOAD DATA INFILE '%s' %s INTO TABLE t FIELDS TERMINATED BY ',' ENCLOSED BY '\"' ESCAPED BY '\\\\'", path, how))
	}
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(20), v INT, KEY (v), CHECK (v < 1000000))")
	r, err := load("", file("good", "1,\"a,b\",10\n2,\\N,20\n3,\"x\\\"y\",\\N\n"))
	require.NoError(t, err)
	require.EqualValues(t, 3, r.affected)
	require.Equal(t, []string{"1,a,b,10", "2,NULL,20", `3,x"y,NULL`}, w.rows("SELECT * FROM t ORDER BY id"))
	_, err = load("", file("bad", "4,q,1\n5,q,2\n1,q,3\n"))
	require.Equal(t, 1062, errorNumber(err), "%v", err)
	_, err = load("", file("check", "4,q,1\n5,q,2000000\n"))
	require.Equal(t, 3819, errorNumber(err), "%v", err)
	require.Equal(t, []string{"3"}, w.rows("SELECT COUNT(*) FROM t"))
	_, err = load("IGNORE", file("bad", "4,q,1\n1,q,3\n5,q,2\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"1", "2", "3", "4", "5"}, w.rows("SELECT id FROM t ORDER BY id"))
	_, err = load("REPLACE", file("bad", "1,new,77\n6,q,3\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"1,new"}, w.rows("SELECT id, s FROM t WHERE v = 77"))
	require.Empty(t, w.rows("SELECT id FROM t WHERE v = 10"))
	var b strings.Builder
	for i := 100; i < 20100; i++ {
		b.WriteString(strconv.Itoa(i) + ",row," + strconv.Itoa(i) + "\n")
	}
	r, err = load("", file("many", b.String()))
	require.NoError(t, err)
	require.EqualValues(t, 20000, r.affected)
	require.Equal(t, []string{"10000"}, w.rows("SELECT COUNT(*) FROM t WHERE v >= 10100"))
	w.finish()
}

// ST-121 (INSERT … SELECT): a statement that is cancelled leaves nothing, the
// transaction goes on.
func TestCancelledStatementLeavesNothing(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY (v))")
	w.exec("CREATE TABLE u (id INT PRIMARY KEY, v INT, KEY (v))")
	w.fill("t", 3000)
	for _, query := range []string{"INSERT INTO u SELECT id, v FROM t", "UPDATE t SET v = v + 1", "DELETE FROM t WHERE v > 0", "CREATE INDEX late ON t (v, id)", "ALTER TABLE t MODIFY v BIGINT"} {
		w.exec("BEGIN")
		w.exec("INSERT INTO u VALUES (-1,-1)")
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := w.session("").tryContext(ctx, query)
		require.Error(t, err, query)
		w.exec("COMMIT")
		require.Equal(t, []string{"3000,4501500"}, w.rows("SELECT COUNT(*), SUM(v) FROM t"), query)
		require.Equal(t, []string{"-1"}, w.rows("SELECT id FROM u"), query)
		w.check()
		w.exec("DELETE FROM u")
	}
	w.finish()
}
