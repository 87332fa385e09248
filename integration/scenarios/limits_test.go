package scenarios

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// limitsScenario: what a statement keeps, and what a transaction writes, is bounded.
// ST-117
const limitsScenario = `
CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v INT, s VARCHAR(200), KEY v (v))
CREATE TABLE u (id INT PRIMARY KEY, v INT)
INSERT INTO t (v, s) VALUES (1, REPEAT('x', 200)), (2, REPEAT('y', 200)), (3, REPEAT('z', 200)), (4, REPEAT('a', 200))
INSERT INTO t (v, s) SELECT t.id + 10 * a.id + 100 * b.id + 1000 * c.id, t.s FROM t, t a, t b, t c
INSERT INTO t (v, s) SELECT id + 5000, s FROM t
INSERT INTO u SELECT id, v FROM t
SELECT COUNT(*) FROM t --= 520
SET freshet_query_memory_limit = 65536
SELECT s FROM t ORDER BY s, id --! 1037
SELECT v, COUNT(*) FROM t GROUP BY v --! 1037
SELECT DISTINCT a.id, b.v FROM t a, t b WHERE b.id < 9 --! 1037
SELECT s, id FROM t UNION SELECT s, id + 1000 FROM t --! 1037
SELECT s, ROW_NUMBER() OVER (ORDER BY v) FROM t --! 1037
SELECT /*+ HASH_JOIN(a, b) */ COUNT(*) FROM t a JOIN t b ON a.s = b.s AND a.v + 0 = b.v + 0 --! 1037
SELECT COUNT(*) FROM (SELECT s FROM t ORDER BY s, id LIMIT 500) x --! 1037
SELECT COUNT(*) FROM t --= 520
SELECT id FROM t ORDER BY s, id LIMIT 1 --= 4
SELECT COUNT(*), SUM(v) > 0 FROM t --= 520,1
SELECT COUNT(*) FROM (SELECT DISTINCT s FROM t) x --= 4
SELECT s = 'q', COUNT(*) FROM t GROUP BY s = 'q' --= 0,520
SELECT COUNT(*) FROM u WHERE v > (SELECT COUNT(*) FROM (SELECT v FROM t WHERE t.id < u.id AND t.id < 9 GROUP BY v ORDER BY v) x) --= 520
BEGIN
INSERT INTO u VALUES (9000, 1)
SELECT s FROM t ORDER BY s, id --! 1037
COMMIT
SELECT v FROM u WHERE id = 9000 --= 1
SET freshet_query_memory_limit = DEFAULT
SELECT COUNT(*) FROM (SELECT s FROM t ORDER BY s, id) x --= 520
SET freshet_transaction_memory_limit = 65536
BEGIN
INSERT INTO u VALUES (9001, 1)
UPDATE t SET s = REPEAT('b', 200) --! 1197
INSERT INTO t (v, s) SELECT v, s FROM t --! 1197
UPDATE t SET s = REPEAT('b', 200) WHERE id = 1
COMMIT
SELECT COUNT(*) FROM t WHERE s LIKE 'b%' --= 1
SELECT v FROM u WHERE id = 9001 --= 1
SET freshet_transaction_memory_limit = DEFAULT
UPDATE t SET s = REPEAT('b', 200)
`

func TestMemoryIsBounded(t *testing.T) {
	runBothWays(t, []scenario{{name: "ST-117 limits", script: limitsScenario}})
}

// The errors say which limit was met and what bounds it.
func TestLimitsNameTheirVariables(t *testing.T) {
	w := newWorld(t)
	w.exec("CREATE TABLE t (id INT PRIMARY KEY, s TEXT)")
	for i := range 20 {
		w.exec(fmt.Sprintf("INSERT INTO t VALUES (%d, REPEAT('x', 9000))", i))
	}
	w.exec("SET freshet_query_memory_limit = 100000, freshet_transaction_memory_limit = 70000")
	_, err := w.session("").try("SELECT id FROM t ORDER BY s")
	require.ErrorContains(t, err, "limit of 100000 bytes (freshet_query_memory_limit)")
	_, err = w.session("").try("UPDATE t SET s = CONCAT(s, 'y')")
	require.ErrorContains(t, err, "limit of 70000 bytes for pending writes (freshet_transaction_memory_limit)")
	w.finish()
}
