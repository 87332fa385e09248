package plugin

import (
	"fmt"
	"math/rand"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Rows that = calls equal are one row, one group, one value and partners in a join,
// under every collation (ST-050).
func TestEqualTextIsOneKey(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewSource(seed))
	s := newShell(t)
	s.exec("CREATE DATABASE k COLLATE utf8mb4_0900_ai_ci", "USE k")
	letters := []string{"a", "A", "á", "b", "B", "ß", "s", " ", "\t", "-", "中", "𝒳", "é", "E"}
	for i, collation := range []string{"utf8mb4_0900_ai_ci", "utf8mb4_0900_as_cs", "utf8mb4_0900_bin", "utf8mb4_general_ci", "utf8mb4_bin", "utf8mb4_unicode_ci", "latin1_swedish_ci"} {
		texts := []string{"a", "A", "á", "a ", "a  ", "a\t", "", " ", "<nil>", "ab", "AB ", "b"}
		for len(texts) < 30 {
			text := ""
			for n := r.Intn(3); n >= 0; n-- {
				text += letters[r.Intn(len(letters))]
			}
			texts = append(texts, text)
		}
		charset, _, _ := strings.Cut(collation, "_")
		var values []string
		for id, text := range texts {
			if charset == "latin1" && strings.ContainsAny(text, "中𝒳") {
				text = "x"
			}
			values = append(values, fmt.Sprintf("(%d, '%s')", id, text))
		}
		values = append(values, fmt.Sprintf("(%d, NULL), (%d, NULL)", len(texts), len(texts)+1))
		plain, keyed := fmt.Sprintf("plain%d", i), fmt.Sprintf("keyed%d", i)
		column := "c VARCHAR(20) CHARACTER SET " + charset + " COLLATE " + collation
		s.exec("CREATE TABLE "+plain+"(id INT PRIMARY KEY, "+column+")", "CREATE TABLE "+keyed+"(id INT PRIMARY KEY, "+column+", KEY(c))",
			"INSERT INTO "+plain+" VALUES "+strings.Join(values, ", "), "INSERT INTO "+keyed+" SELECT * FROM "+plain)
		// The pairs that are equal, by a comparison that no index and no hash can serve.
		pairs := s.text("SELECT a.id, b.id FROM " + plain + " a CROSS JOIN " + plain + " b WHERE CASE WHEN a.c = b.c THEN TRUE END ORDER BY 1, 2")
		class := map[string]string{}
		for _, line := range strings.Split(pairs, "\n") {
			one, two, _ := strings.Cut(line, " | ")
			if _, known := class[two]; !known {
				class[two] = one
			}
		}
		sizes := map[string]int{}
		for _, first := range class {
			sizes[first]++
		}
		var counts []string
		for _, size := range sizes {
			counts = append(counts, fmt.Sprint(size))
		}
		sort.Strings(counts)
		classes := fmt.Sprint(len(sizes))
		for _, table := range []string{plain, keyed} {
			about := collation + " " + table
			s.is(classes, "SELECT COUNT(DISTINCT c) FROM "+table)
			s.is(classes, "SELECT COUNT(*) FROM (SELECT DISTINCT c FROM "+table+") d WHERE c IS NOT NULL")
			s.is(classes, "SELECT COUNT(*) FROM (SELECT c FROM "+table+" UNION SELECT c FROM "+plain+") d WHERE c IS NOT NULL")
			s.is(classes, "SELECT COUNT(*) FROM (SELECT c FROM "+table+" INTERSECT SELECT c FROM "+plain+") d WHERE c IS NOT NULL")
			s.is("", "SELECT c FROM "+table+" EXCEPT SELECT c FROM "+plain)
			groups := strings.Split(s.text("SELECT COUNT(*) FROM "+table+" WHERE c IS NOT NULL GROUP BY c"), "\n")
			sort.Strings(groups)
			require.Equal(t, counts, groups, "%s GROUP BY", about)
			partitions := strings.Split(s.text("SELECT n FROM (SELECT COUNT(*) OVER (PARTITION BY c) n, ROW_NUMBER() OVER (PARTITION BY c) r FROM "+table+" WHERE c IS NOT NULL) d WHERE r = 1"), "\n")
			sort.Strings(partitions)
			require.Equal(t, counts, partitions, "%s PARTITION BY", about)
			for _, hint := range []string{"LOOKUP_JOIN(a,b)", "HASH_JOIN(a,b)", "MERGE_JOIN(a,b)", "INNER_JOIN(a,b)"} {
				s.is(pairs, "SELECT /*+ "+hint+" */ a.id, b.id FROM "+table+" a JOIN "+keyed+" b ON a.c = b.c ORDER BY 1, 2")
			}
			s.is(fmt.Sprint(len(texts)), "SELECT COUNT(*) FROM "+table+" WHERE c IN (SELECT c FROM "+keyed+")")
		}
		// What equals a text, by its literal: by an index, without, and in a list.
		for _, text := range texts[:12] {
			literal := "'" + text + "' COLLATE " + collation
			if charset == "latin1" {
				literal = "'" + text + "'"
			}
			want := s.text("SELECT id FROM " + plain + " WHERE CASE WHEN c = " + literal + " THEN TRUE END ORDER BY id")
			s.is(want, "SELECT id FROM "+plain+" WHERE c = "+literal+" ORDER BY id")
			s.is(want, "SELECT id FROM "+keyed+" WHERE c = "+literal+" ORDER BY id")
			s.is(want, "SELECT id FROM "+keyed+" WHERE c IN ("+literal+", 'zzz') ORDER BY id")
			s.is(want, "SELECT id FROM "+keyed+" WHERE c <=> "+literal+" ORDER BY id")
		}
	}
}

// Blanks at the end count as the collation's pad attribute says (ST-050): in comparisons,
// orders, keys, and in what a key finds; never for LIKE.
func TestPadSpace(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE DATABASE p", "USE p")
	for i, c := range []struct {
		collation string
		pads      bool
	}{
		{"utf8mb4_general_ci", true}, {"utf8mb4_unicode_ci", true}, {"utf8mb4_bin", true}, {"latin1_swedish_ci", true}, {"latin1_bin", true}, {"utf8mb3_general_ci", true}, {"ascii_general_ci", true},
		{"utf8mb4_0900_ai_ci", false}, {"utf8mb4_0900_as_cs", false}, {"utf8mb4_0900_bin", false}, {"binary", false},
	} {
		charset, _, _ := strings.Cut(c.collation, "_")
		name := fmt.Sprintf("t%d", i)
		column := "VARCHAR(20) CHARACTER SET " + charset + " COLLATE " + c.collation
		s.exec("CREATE TABLE "+name+"(id INT PRIMARY KEY, c "+column+", UNIQUE KEY (c))", "CREATE TABLE prefix"+name+"(id INT PRIMARY KEY, c "+column+", UNIQUE KEY (c(3)))",
			"CREATE TABLE key"+name+"(c "+column+" PRIMARY KEY, n INT)", "CREATE TABLE child"+name+"(c "+column+", FOREIGN KEY (c) REFERENCES key"+name+"(c))",
			"INSERT INTO "+name+" VALUES (1, 'a'), (2, 'b '), (3, 'a b'), (4, 'ab')", "INSERT INTO key"+name+" VALUES ('k', 1)", "INSERT INTO prefix"+name+" VALUES (1, 'ab x')")
		same, found := "0", ""
		if c.pads {
			same, found = "1", "1"
		}
		s.is(same, "SELECT c = 'a  ' FROM "+name+" WHERE id = 1")
		s.is(found, "SELECT id FROM "+name+" WHERE c = 'a  '")
		s.is(found, "SELECT id FROM "+name+" WHERE c IN ('a ', 'a  ')")
		s.is(found, "SELECT id FROM "+name+" WHERE c BETWEEN 'a  ' AND 'a '")
		s.is("1", "SELECT id FROM "+name+" WHERE c LIKE 'a'")
		s.is("", "SELECT id FROM "+name+" WHERE c LIKE 'a '")
		s.is("3", "SELECT id FROM "+name+" WHERE c LIKE 'a %'")
		s.is("b ", "SELECT c FROM "+name+" WHERE id = 2")
		s.is("a,a b,ab,b ", "SELECT GROUP_CONCAT(c ORDER BY c) FROM "+name)
		for _, query := range []string{"INSERT INTO " + name + " VALUES (9, 'a ')", "INSERT INTO prefix" + name + " VALUES (9, 'ab')", "INSERT INTO key" + name + " VALUES ('k ', 2)"} {
			if c.pads {
				s.fails(1062, query)
			} else {
				s.exec(query)
			}
		}
		orphan := "INSERT INTO child" + name + " VALUES ('k  ')"
		if c.pads {
			s.exec(orphan)
			s.fails(1451, "DELETE FROM key"+name)
			s.exec("DROP TABLE child" + name)
			s.exec("UPDATE key" + name + " SET c = 'k  '") // the same key, and so the same row
			s.is("k  ", "SELECT c FROM key"+name)
			s.is("1", "SELECT id FROM prefix"+name+" WHERE c > 'ab'")
		} else {
			s.fails(1452, orphan)
		}
		if charset == "utf8mb4" {
			s.is(same, "SELECT COUNT(*) FROM "+name+" x JOIN (SELECT 'a   ' AS c) y ON x.c = y.c COLLATE "+c.collation+" WHERE x.id = 1")
		}
	}
}

// Keys of several columns say where each ends, and NULL is no text.
func TestKeysOfRows(t *testing.T) {
	s := newShell(t)
	s.exec("CREATE TABLE n(a VARCHAR(9), b VARCHAR(9))", "INSERT INTO n VALUES (NULL,'x'),('<nil>','x'),('a,','b'),('a',',b'),('a\\0','b'),('a','\\0b'),(NULL,'x')")
	s.is("6", "SELECT COUNT(*) FROM (SELECT DISTINCT a, b FROM n) d")
	s.is("5", "SELECT COUNT(DISTINCT a, b) FROM n")
	s.is("6", "SELECT COUNT(*) FROM (SELECT a, b FROM n GROUP BY a, b) d")
	s.is("2\n2\n1\n1\n1", "SELECT COUNT(*) n FROM n GROUP BY a ORDER BY n DESC")
	s.is("6", "SELECT COUNT(*) FROM (SELECT * FROM n UNION SELECT * FROM n) d")
	s.is("a", "SELECT a FROM n WHERE b = ',b' INTERSECT ALL SELECT a FROM n")
	s.is("NULL", "SELECT a FROM n EXCEPT ALL SELECT a FROM n WHERE a IS NOT NULL UNION SELECT NULL")
	s.is("3\n4", "SELECT 1 AS x UNION SELECT 4 UNION SELECT 3 UNION SELECT 2 ORDER BY x LIMIT 2 OFFSET 2")
	s.exec("CREATE TABLE g(x VARCHAR(9) COLLATE utf8mb4_general_ci)", "INSERT INTO g VALUES ('a'),('A'),('b')")
	s.is("a,b", "SELECT GROUP_CONCAT(DISTINCT x ORDER BY x) FROM g")
	s.is("a,b", "SELECT GROUP_CONCAT(a, b ORDER BY a) FROM n WHERE a = 'a,'")
	s.is("1x|2x", "SELECT GROUP_CONCAT(i, c ORDER BY i SEPARATOR '|') FROM (SELECT 1 i, 'x' c UNION SELECT 2, 'x' UNION SELECT 3, NULL) d")
}
