package vtab

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQualifyView(t *testing.T) {
	for in, want := range map[string]string{
		"CREATE VIEW v AS SELECT 1":                                 "CREATE VIEW `d`.v AS SELECT 1",
		"create or replace /* view x */ view `a.b` (c) as select 1": "create or replace /* view x */ view `d`.`a.b` (c) as select 1",
		"CREATE DEFINER='view'@`view` VIEW v AS SELECT 1":           "CREATE DEFINER='view'@`view` VIEW `d`.v AS SELECT 1",
		"CREATE VIEW e.v AS SELECT 1":                               "CREATE VIEW e.v AS SELECT 1",
		"CREATE VIEW `e` . `v` AS SELECT 1":                         "CREATE VIEW `e` . `v` AS SELECT 1",
		"CREATE VIEW IF NOT EXISTS -- c\n v AS SELECT 1":            "CREATE VIEW IF NOT EXISTS -- c\n `d`.v AS SELECT 1",
		"CREATE VIEW":   "CREATE VIEW",
		"CREATE VIEW `": "CREATE VIEW `d`.`",
	} {
		require.Equal(t, want, qualifyView(in, "d"))
	}
}

// A view is read in its own database, whatever the session's current one is.
func TestViewFromAnotherDatabase(t *testing.T) {
	d := newDatabaseForTest(t)
	s := d.session()
	s.exec("CREATE TABLE t (i INT PRIMARY KEY)")
	s.exec("INSERT INTO t VALUES (1)")
	s.exec("CREATE VIEW v AS SELECT i FROM t")
	s.exec("CREATE VIEW w AS SELECT i FROM v")
	for _, current := range []string{"", "d", "information_schema"} {
		s.ctx.SetCurrentDatabase(current)
		s.check("SELECT * FROM d.v", "[1]\n")
		s.check("SELECT * FROM d.w", "[1]\n")
		want := "[" + current + "]\n"
		if current == "" {
			want = "[<nil>]\n"
		}
		s.check("SELECT database() FROM d.v", want)
	}
}
