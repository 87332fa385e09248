package correct_test

import (
	"context"
	"errors"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/plugin/correct"
)

func updateShell(t *testing.T) *shell {
	s := newShell(t)
	s.exec(`create table t (id int primary key, n varchar(20) collate utf8mb4_0900_ai_ci, j json, f double,
			changed int default 0, at datetime default '2000-01-01' on update current_timestamp, key(n))`,
		`insert into t (id, n, j, f) values (1, 'Abc', '{"a": 1}', 0), (2, 'x', '[1]', 1)`)
	return s
}

// affected runs an UPDATE and gives its matched and changed rows and those affected.
func (s *shell) affected(statement string) (matched, changed, affected int) {
	s.t.Helper()
	rows := s.exec(statement)
	ok := rows[0][0].(types.OkResult)
	info := ok.Info.(plan.UpdateInfo)
	return info.Matched, info.Updated, int(ok.RowsAffected)
}

// An UPDATE changes a row if the stored bytes differ, whatever the collation says,
// and ON UPDATE CURRENT_TIMESTAMP goes with it.
func TestUpdateChangesStoredBytes(t *testing.T) {
	for _, c := range []struct {
		name, statement string
		changed         int
		column, after   string
	}{
		{"case", "update t set n = 'ABC' where id = 1", 1, "n", "ABC"},
		{"accent", "update t set n = 'ábc' where id = 1", 1, "n", "ábc"},
		{"same", "update t set n = 'Abc' where id = 1", 0, "n", "Abc"},
		{"found by index", "update t set n = 'ABC' where n = 'abc'", 1, "n", "ABC"},
		{"ordered", "update t set n = upper(n) where n like 'a%' order by id limit 1", 1, "n", "ABC"},
		{"ignore", "update ignore t set n = 'ABC' where id = 1", 1, "n", "ABC"},
		{"join", "update t join (select 1 as k) x on t.id = x.k set t.n = 'ABC'", 1, "n", "ABC"},
		{"left join", "update t left join t u on u.id = t.id + 100 set t.n = 'ABC' where t.id = 1", 1, "n", "ABC"},
		{"join, same", "update t join (select 1 as k) x on t.id = x.k set t.n = 'Abc'", 0, "n", "Abc"},
		{"json form", "update t set j = '{\"a\": \"1\"}' where id = 1", 1, "j", `{"a": "1"}`},
		{"json same", "update t set j = '{\"a\":1}' where id = 1", 0, "j", `{"a": 1}`},
		{"negative zero", "update t set f = -f where id = 1", 1, "f", "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := updateShell(t)
			matched, changed, affected := s.affected(c.statement)
			require.Equal(t, []int{1, c.changed, c.changed}, []int{matched, changed, affected})
			require.Equal(t, c.after, s.text("select "+c.column+" from t where id = 1"))
			require.Equal(t, map[int]string{0: "1", 1: "0"}[c.changed], s.text("select at = '2000-01-01' from t where id = 1"))
			require.Equal(t, "1", s.text("select at = '2000-01-01' from t where id = 2"))
		})
	}
}

func TestOnDuplicateKeyUpdateCountsStoredBytes(t *testing.T) {
	for _, c := range []struct {
		value    string
		affected uint64
		at       string
	}{{"ABC", 2, "0"}, {"Abc", 0, "1"}} {
		s := updateShell(t)
		rows := s.exec("insert into t (id) values (1) on duplicate key update n = '" + c.value + "'")
		require.Equal(t, c.affected, rows[0][0].(types.OkResult).RowsAffected)
		require.Equal(t, c.value+" | "+c.at, s.text("select n, at = '2000-01-01' from t where id = 1"))
	}
}

// Triggers, foreign keys and views on the way change nothing about it.
func TestUpdateChangesStoredBytesThroughOthers(t *testing.T) {
	s := updateShell(t)
	s.exec("create trigger b before update on t for each row set new.changed = old.changed + 1",
		"create table log (n varchar(20))",
		"create trigger a after update on t for each row insert into log values (new.n)")
	_, changed, _ := s.affected("update t set n = 'ABC' where id = 1")
	require.Equal(t, 1, changed)
	require.Equal(t, "ABC | 1", s.text("select n, changed from t where id = 1"))
	require.Equal(t, "ABC", s.text("select n from log"))

	s = newShell(t)
	s.exec("create table p (n varchar(20) collate utf8mb4_0900_ai_ci primary key, m varchar(20))",
		"create table c (id int primary key, n varchar(20) collate utf8mb4_0900_ai_ci, v varchar(5), foreign key (n) references p(n) on update cascade)",
		"insert into p values ('Abc', 'q')", "insert into c values (1, 'abc', 'v')")
	matched, changed, affected := s.affected("update c set v = 'V' where id = 1")
	require.Equal(t, []int{1, 1, 1}, []int{matched, changed, affected})
	matched, changed, affected = s.affected("update c set v = 'V' where id = 1")
	require.Equal(t, []int{1, 0, 0}, []int{matched, changed, affected})
	_, changed, _ = s.affected("update p set m = 'Q'")
	require.Equal(t, 1, changed)
	require.Equal(t, "V", s.text("select v from c"))
}

// The table layer's own test decides when it supplies one; it is asked only about
// types that compare coarsely, and never about NULL.
func TestUpdateWithExactEqual(t *testing.T) {
	var asked []string
	s := newShellWith(t, correct.Options{ExactEqual: func(_ context.Context, typ sql.Type, a, b any) (bool, error) {
		asked = append(asked, typ.String())
		require.NotNil(t, a)
		require.NotNil(t, b)
		return true, nil
	}})
	s.exec("create table t (id int primary key, n varchar(9) collate utf8mb4_0900_ai_ci, m varchar(9))", "insert into t values (1, 'a', null)")
	_, changed, _ := s.affected("update t set n = 'other'")
	require.Zero(t, changed)
	require.NotEmpty(t, asked)
	require.Contains(t, asked[0], "varchar(9)")

	failure := errors.New("cannot compare")
	s = newShellWith(t, correct.Options{ExactEqual: func(context.Context, sql.Type, any, any) (bool, error) { return false, failure }})
	s.exec("create table t (id int primary key, n varchar(9))", "insert into t values (1, 'a')")
	require.ErrorIs(t, s.fails("update t set n = 'b'"), failure)
	require.Equal(t, "a", s.text("select n from t"))
}

// An UPDATE refuses values out of range as INSERT does, and does not clip them.
func TestUpdateChecksRange(t *testing.T) {
	s := newShell(t)
	s.exec("create table r (id int primary key, i tinyint, u tinyint unsigned, d decimal(5,2), s varchar(3))",
		"insert into r values (1, 1, 1, 1, 'a')")
	for _, set := range []string{"i = 300", "i = -300", "u = -1", "u = 256", "d = 1000", "d = -1000", "s = 'abcd'", "i = 'x'", "i = '3x'"} {
		s.fails("update r set " + set)
		s.fails("insert into r (id) values (1) on duplicate key update " + set)
		require.Equal(t, "1 | 1 | 1 | 1.00 | a", s.text("select * from r"), set)
	}
	s.exec("create trigger tr before insert on r for each row set new.i = new.i * 10")
	s.fails("insert into r (id, i) values (2, 100)")
	s.exec("insert into r (id, i) values (2, 10)")
	require.Equal(t, "100", s.text("select i from r where id = 2"))
	s.exec("update r set i = 2.5, u = '7', d = 1.005, s = 12 where id = 1")
	require.Equal(t, "3 | 7 | 1.01 | 12", s.text("select i, u, d, s from r where id = 1"))
}

// Without strict mode, and with IGNORE, values become the closest that fit, with
// warnings.
func TestLenientConversions(t *testing.T) {
	cases := []struct{ column, value, stored, warning string }{
		{"i", "300", "127", "1264 Out of range value for column 'i' at row 1"},
		{"i", "-300", "-128", "1264 Out of range value for column 'i' at row 1"},
		{"u", "-5", "0", "1264 Out of range value for column 'u' at row 1"},
		{"u", "300", "255", "1264 Out of range value for column 'u' at row 1"},
		{"i", "'12abc'", "12", "1265 Data truncated for column 'i' at row 1"},
		{"i", "'abc'", "0", "1366 Incorrect integer value: 'abc' for column 'i' at row 1"},
		{"f", "'1.5x'", "1.5", "1265 Data truncated for column 'f' at row 1"},
		{"d", "99999", "999.99", "1264 Out of range value for column 'd' at row 1"},
		{"d", "-99999", "-999.99", "1264 Out of range value for column 'd' at row 1"},
		{"s", "'abcdé'", "abc", "1265 Data truncated for column 's' at row 1"},
		{"s", "'éèàù'", "éèà", "1265 Data truncated for column 's' at row 1"},
		{"b", "'abcd'", "abc", "1265 Data truncated for column 'b' at row 1"},
		{"e", "'z'", "", "1265 Data truncated for column 'e' at row 1"},
		{"st", "'a,q,b'", "a,b", "1265 Data truncated for column 'st' at row 1"},
		{"dt", "'garbage'", "0000-00-00", "1265 Data truncated for column 'dt' at row 1"},
	}
	definition := `create table l (id int primary key, i tinyint, u tinyint unsigned, f double, d decimal(5,2), s varchar(3),
		b varbinary(3), e enum('x','y'), st set('a','b'), dt date, n int not null default 4)`
	for _, mode := range []struct{ name, mode, ignore string }{{"no strict mode", "", ""}, {"ignore", "STRICT_TRANS_TABLES", " ignore"}} {
		for _, c := range cases {
			t.Run(mode.name+" "+c.column+c.value, func(t *testing.T) {
				s := newShell(t)
				s.exec(definition, "set sql_mode = '"+mode.mode+"'")
				s.exec("insert" + mode.ignore + " into l (id, " + c.column + ") values (1, " + c.value + ")")
				require.Equal(t, []string{c.warning}, s.warnings())
				require.Equal(t, c.stored, s.text("select "+c.column+" from l"))
				s.exec("insert into l (id) values (2)")
				s.exec("update" + mode.ignore + " l set " + c.column + " = " + c.value + " where id = 2")
				require.Equal(t, []string{c.warning}, s.warnings())
				require.Equal(t, c.stored, s.text("select "+c.column+" from l where id = 2"))
			})
		}
	}
}

func TestLenientNulls(t *testing.T) {
	s := newShell(t)
	s.exec("create table l (id int primary key, n int not null, s varchar(3) not null)", "set sql_mode = ''")
	s.exec("insert into l values (1, null, 'a'), (2, 5, null)")
	require.ElementsMatch(t, []string{"1048 Column 's' cannot be null", "1048 Column 'n' cannot be null"}, s.warnings())
	require.Equal(t, "1 | 0 | a\n2 | 5 | ", s.text("select * from l order by id"))
	s.fails("insert into l values (3, null, 'a')")
	s.exec("insert into l (id) values (4)")
	require.ElementsMatch(t, []string{"1364 Field 's' doesn't have a default value", "1364 Field 'n' doesn't have a default value"}, s.warnings())
	s.exec("update l set n = null where id = 2")
	require.Equal(t, []string{"1048 Column 'n' cannot be null"}, s.warnings())
	require.Equal(t, "0", s.text("select n from l where id = 2"))
	s.exec("insert into l select id + 10, 1, 'abcd' from l where id = 1")
	require.Equal(t, "abc", s.text("select s from l where id = 11"))
	s.fails("insert into l values (1, 1, 'a')")
}
