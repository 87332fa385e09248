package plugin

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// ST-143: ANALYZE TABLE takes tables without rows and keys of every type, and tables
// whose names begin alike do not share what it finds.
func TestAnalyzeTable(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, b VARBINARY(10), f BINARY(4), d DECIMAL(10,2), g POINT NOT NULL SRID 0, s VARCHAR(20), ts TIMESTAMP NULL, e ENUM('x','y'), bt BIT(5), KEY (b), KEY (f, d), SPATIAL KEY (g), KEY (s), KEY (ts), KEY (e), KEY (bt))",
		"CREATE TABLE t2 (id INT PRIMARY KEY, v INT, KEY (v))")
	histograms := "SELECT DISTINCT table_name FROM information_schema.column_statistics ORDER BY 1"
	s.is("t | analyze | status | OK\nt2 | analyze | status | OK", "ANALYZE TABLE t, t2")
	s.is("", histograms)
	s.exec("INSERT INTO t VALUES (1,'a','ab',1.5,POINT(1,1),'x','2024-01-01','x',1),(2,'b','cd',2.5,POINT(2,2),'y','2024-01-02','y',2),(3,NULL,NULL,NULL,POINT(3,3),NULL,NULL,NULL,NULL)",
		"INSERT INTO t2 VALUES (1,1),(2,2)")
	s.is("t2 | analyze | status | OK", "ANALYZE TABLE t2")
	s.is("t2", histograms)
	s.is("t | analyze | status | OK", "ANALYZE TABLE t")
	s.is("t\nt2", histograms)
	s.is("2", "SELECT id FROM t WHERE b = 'b' AND f = 0x63640000 AND d = 2.5 AND s = 'y' AND e = 'y'")
	s.exec("DROP TABLE t2", "CREATE TABLE t2 (id INT PRIMARY KEY, v INT, KEY (v))")
	s.is("t", histograms)
}

// Sessions plan by the statistics while others analyze.
func TestAnalyzeBesidePlanning(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY (v))", "INSERT INTO t VALUES (1,1),(2,2),(3,3)")
	var wg sync.WaitGroup
	for i := range 4 {
		o := s.other()
		wg.Go(func() {
			for n := range 60 {
				query := "ANALYZE TABLE t"
				if i > 1 {
					query = fmt.Sprintf("SELECT a.id FROM t a JOIN t b ON a.v = b.v WHERE a.v = %d", 1+n%3)
				}
				if _, _, err := o.query(query); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.False(t, t.Failed())
}
