package isolation

import "testing"

// ST-097: rows that a transaction writes in a version newer than its snapshot are
// seen as it writes them, by every way of reading, and nothing else of the others'
// changes is.
func TestST097OwnWritesOfNewerRows(t *testing.T) {
	w := newWorld(t)
	b := w.client("b", repeatableRead)
	b.exec("CREATE TABLE t (id INT PRIMARY KEY, k INT, u INT, v INT, KEY (k), UNIQUE KEY (u))")
	b.exec("CREATE TABLE o (id INT PRIMARY KEY)")
	b.exec("INSERT INTO o VALUES (1)")
	// Each reads all rows as "id,k,u,v", or looks for one value of each key.
	ways := map[string]string{
		"table":  "SELECT id, k, u, v FROM t ORDER BY id",
		"k":      "SELECT id, k, u, v FROM t WHERE k >= 0 ORDER BY id",
		"u":      "SELECT id, k, u, v FROM t WHERE u >= 0 ORDER BY id",
		"k back": "SELECT id, k, u, v FROM (SELECT * FROM t WHERE k < 1000 ORDER BY k DESC) s ORDER BY id",
		"u back": "SELECT id, k, u, v FROM (SELECT * FROM t WHERE u < 1000 ORDER BY u DESC) s ORDER BY id",
	}
	for _, c := range []struct {
		name, others, own, rows string
		lookups                 map[string]string
	}{
		{
			name: "inserted meanwhile, updated", others: "INSERT INTO t VALUES (5,50,500,1)", own: "UPDATE t SET v = 9 WHERE id = 5",
			rows:    "1,10,100,1; 2,20,200,2; 3,30,300,3; 5,50,500,9",
			lookups: map[string]string{"k = 50": "5", "u = 500": "5", "id = 5": "5"},
		},
		{
			name: "inserted meanwhile, deleted", others: "INSERT INTO t VALUES (5,50,500,1)", own: "DELETE FROM t WHERE id = 5",
			rows:    "1,10,100,1; 2,20,200,2; 3,30,300,3",
			lookups: map[string]string{"k = 50": "", "u = 500": "", "id = 5": ""},
		},
		{
			name: "moved in its indexes meanwhile, updated", others: "UPDATE t SET k = 11, u = 111 WHERE id = 1", own: "UPDATE t SET v = 9 WHERE id = 1",
			rows:    "1,11,111,9; 2,20,200,2; 3,30,300,3",
			lookups: map[string]string{"k = 10": "", "u = 100": "", "k = 11": "1", "u = 111": "1"},
		},
		{
			name: "moved in its indexes meanwhile, deleted", others: "UPDATE t SET k = 11, u = 111 WHERE id = 1", own: "DELETE FROM t WHERE id = 1",
			rows:    "2,20,200,2; 3,30,300,3",
			lookups: map[string]string{"k = 10": "", "u = 100": "", "k = 11": "", "u = 111": ""},
		},
		{
			name: "moved meanwhile, moved again", others: "UPDATE t SET k = 11, u = 111 WHERE id = 1", own: "UPDATE t SET k = 12, u = 112 WHERE id = 1",
			rows:    "1,12,112,1; 2,20,200,2; 3,30,300,3",
			lookups: map[string]string{"k = 10": "", "u = 100": "", "k = 11": "", "u = 111": "", "k = 12": "1", "u = 112": "1"},
		},
		{
			name: "moved meanwhile, moved back", others: "UPDATE t SET k = 11, u = 111 WHERE id = 1", own: "UPDATE t SET k = 10, u = 100 WHERE id = 1",
			rows:    "1,10,100,1; 2,20,200,2; 3,30,300,3",
			lookups: map[string]string{"k = 10": "1", "u = 100": "1", "k = 11": "", "u = 111": ""},
		},
		{
			name: "moved meanwhile, to another primary key", others: "UPDATE t SET k = 11, u = 111 WHERE id = 1", own: "UPDATE t SET id = 7 WHERE id = 1",
			rows:    "2,20,200,2; 3,30,300,3; 7,11,111,1",
			lookups: map[string]string{"k = 10": "", "u = 100": "", "k = 11": "7", "u = 111": "7", "id = 1": ""},
		},
		{
			name: "deleted meanwhile, inserted", others: "DELETE FROM t WHERE id = 1", own: "INSERT INTO t VALUES (1,12,112,9)",
			rows:    "1,12,112,9; 2,20,200,2; 3,30,300,3",
			lookups: map[string]string{"k = 10": "", "u = 100": "", "k = 12": "1", "u = 112": "1"},
		},
		{
			name: "replaced", others: "UPDATE t SET k = 11, u = 111 WHERE id = 1", own: "REPLACE INTO t VALUES (1,13,113,9)",
			rows:    "1,13,113,9; 2,20,200,2; 3,30,300,3",
			lookups: map[string]string{"k = 10": "", "u = 100": "", "k = 11": "", "u = 111": "", "k = 13": "1"},
		},
		{
			name: "undone", others: "UPDATE t SET k = 11, u = 111 WHERE id = 1", own: "SAVEPOINT s; UPDATE t SET v = 9 WHERE id = 1; ROLLBACK TO s",
			rows:    "1,10,100,1; 2,20,200,2; 3,30,300,3",
			lookups: map[string]string{"k = 10": "1", "u = 100": "1", "k = 11": "", "u = 111": ""},
		},
	} {
		for _, mode := range []string{"error", "innodb"} {
			t.Run(c.name+" "+mode, func(t *testing.T) {
				a, b := w.client("a", repeatableRead).of(t), b.of(t)
				b.all("DELETE FROM t; INSERT INTO t VALUES (1,10,100,1),(2,20,200,2),(3,30,300,3)")
				a.exec("SET freshet_rr_lost_updates = '%s'", mode)
				a.exec("BEGIN")
				a.exec("SELECT * FROM o") // the snapshot
				b.exec(c.others)
				a.all(c.own)
				for _, way := range ways {
					a.sees(c.rows, way)
				}
				for where, id := range c.lookups {
					a.sees(id, "SELECT id FROM t WHERE "+where)
					a.sees(id, "SELECT id FROM t WHERE "+where+" AND v >= 0")
				}
				a.exec("ROLLBACK")
				w.check()
				// And committed.
				b.all("DELETE FROM t; INSERT INTO t VALUES (1,10,100,1),(2,20,200,2),(3,30,300,3)")
				a.exec("BEGIN")
				a.exec("SELECT * FROM o")
				b.exec(c.others)
				a.all(c.own)
				a.exec("COMMIT")
				w.check()
			})
		}
	}
	// The unique value that a row has left is another row's by now.
	a := w.client("a", repeatableRead)
	b.all("DELETE FROM t; INSERT INTO t VALUES (1,10,100,1),(2,20,200,2)")
	a.exec("BEGIN")
	a.exec("SELECT * FROM o")
	b.all("UPDATE t SET u = 111 WHERE id = 1; UPDATE t SET u = 100 WHERE id = 2")
	a.exec("DELETE FROM t WHERE id = 1")
	a.sees("", "SELECT id FROM t WHERE u = 100")
	a.sees("2", "SELECT id FROM t WHERE u = 200") // as the snapshot has it
	a.exec("COMMIT")
	a.sees("2", "SELECT id FROM t WHERE u = 100")
	w.check()
}
