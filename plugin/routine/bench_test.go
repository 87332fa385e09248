package routine_test

import "testing"

// The cost of a call in a statement that makes many, and of a statement with one.
func BenchmarkCall(b *testing.B) {
	s := newShell(b)
	s.exec("create table t (id int primary key, v int)", "insert into t with recursive r (n) as (select 1 union all select n + 1 from r where n < 1000) select n, n from r",
		"create function inc(x int) returns int deterministic return x + 1",
		"create function look(x int) returns int reads sql data begin declare y int; select v into y from t where id = x; return y; end")
	for _, c := range []struct{ name, statement string }{
		{"expression/1000rows", "select sum(inc(id)) from t"}, {"expression/once", "select inc(1)"},
		{"query/1000rows", "select sum(look(id)) from t"}, {"query/once", "select look(1)"},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				s.text(c.statement)
			}
		})
	}
}
