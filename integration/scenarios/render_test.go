package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/stretchr/testify/require"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/kv"
)

// definer makes random definitions.
type definer struct{ *rand.Rand }

func pick[T any](d definer, from []T) T { return from[d.IntN(len(from))] }

func (d definer) often(percent int) bool { return d.IntN(100) < percent }

var hostileTexts = []string{"", "plain", "it''s", `back\\slash`, `double \" quote`, "semi ; colon", "*/ end -- of /* comment", "line\\nbreak", "\U0001F41F\U0001D4B3", "`tick`", "%d %s", "a,b", "NULL", "\\0zero", "tab\\t"}

func (d definer) text() string { return pick(d, hostileTexts) }

// definedColumns are types with defaults for them.
var definedColumns = []struct {
	types    []string
	defaults []string
}{
	{[]string{"tinyint", "smallint", "mediumint", "int", "bigint", "int unsigned", "bigint unsigned"}, []string{"0", "7", "(1 + 2)", "NULL"}},
	{[]string{"decimal(10,2)", "decimal(30,10)", "decimal(5)"}, []string{"1.5", "0", "(1.0 / 3)"}},
	{[]string{"float", "double"}, []string{"1.25", "(2 * 3)", "-1e10"}},
	{[]string{"char(10)", "varchar(100)", "varchar(50) COLLATE utf8mb4_bin", "varchar(20) COLLATE utf8mb4_0900_ai_ci", "varchar(30) CHARACTER SET latin1"}, nil},
	{[]string{"date"}, []string{"'2024-02-29'", "'1000-01-01'"}},
	{[]string{"datetime", "datetime(3)", "datetime(6)"}, []string{"'2024-02-29 12:34:56'"}},
	{[]string{"timestamp"}, []string{"CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP"}},
	{[]string{"time", "year"}, nil},
	{[]string{"enum('a','it''s','c,d')", "set('x','y','z')"}, nil},
	{[]string{"binary(4)", "varbinary(20)", "blob", "text", "longtext", "json", "bit(5)", "point"}, nil},
}

// table makes a CREATE TABLE.
func (d definer) table(name string) string {
	lines := []string{"`id` int NOT NULL" + map[bool]string{true: " AUTO_INCREMENT"}[d.often(30)]}
	var numbers, texts []string
	for i := range 1 + d.IntN(7) {
		column := fmt.Sprintf(pick(d, []string{"c%d", "Größe %d", "select%d", "a`%d", "x.y%d"}), i)
		quoted := "`" + strings.ReplaceAll(column, "`", "``") + "`"
		kind := pick(d, definedColumns)
		typ := pick(d, kind.types)
		line := quoted + " " + typ
		isText := strings.HasPrefix(typ, "varchar")
		switch {
		case isText && d.often(50):
			line += " DEFAULT '" + d.text() + "'"
		case kind.defaults != nil && d.often(60):
			line += " DEFAULT " + pick(d, kind.defaults)
		case typ != "timestamp" && d.often(30):
			line += " NOT NULL"
		}
		if d.often(30) {
			line += " COMMENT '" + d.text() + "'"
		}
		lines = append(lines, line)
		switch typ {
		case "int", "bigint", "smallint":
			numbers = append(numbers, quoted)
		}
		if isText {
			texts = append(texts, quoted)
		}
	}
	if len(numbers) > 0 && d.often(50) {
		lines = append(lines, fmt.Sprintf("`gen` bigint GENERATED ALWAYS AS ((%s + 1)) %s", pick(d, numbers), pick(d, []string{"VIRTUAL", "STORED"})))
	}
	lines = append(lines, "`ref` int")
	if d.often(90) {
		lines = append(lines, "PRIMARY KEY (`id`)")
	} else {
		lines = append(lines, "UNIQUE KEY `id` (`id`)")
	}
	for i, n := range numbers {
		if d.often(50) {
			lines = append(lines, fmt.Sprintf("%sKEY `k%d` (%s%s)%s", pick(d, []string{"", "UNIQUE "}), i, n, pick(d, []string{"", " DESC", ",`id`"}), d.keyComment()))
		}
		if d.often(40) {
			lines = append(lines, fmt.Sprintf("CONSTRAINT `%s_ck%d` CHECK ((%s > %d))%s", name, i, n, -d.IntN(100), pick(d, []string{"", " /*!80016 NOT ENFORCED */"})))
		}
	}
	for i, s := range texts {
		if d.often(50) {
			lines = append(lines, fmt.Sprintf("KEY `s%d` (%s%s)%s", i, s, pick(d, []string{"", "(5)"}), d.keyComment()))
		}
	}
	if d.often(30) {
		lines = append(lines, fmt.Sprintf("KEY `ref` (`ref`), CONSTRAINT `%s_fk` FOREIGN KEY (`ref`) REFERENCES `p` (`id`)%s%s", name,
			pick(d, []string{"", " ON DELETE CASCADE", " ON DELETE SET NULL"}), pick(d, []string{"", " ON UPDATE CASCADE", " ON UPDATE SET NULL"})))
	}
	out := "CREATE TABLE `" + name + "` (" + strings.Join(lines, ", ") + ")"
	if d.often(30) {
		out += " COLLATE=" + pick(d, []string{"utf8mb4_bin", "utf8mb4_0900_ai_ci", "utf8mb4_general_ci"})
	}
	if d.often(30) {
		out += " COMMENT='" + d.text() + "'"
	}
	return out
}

func (d definer) keyComment() string {
	if d.often(20) {
		return " COMMENT '" + d.text() + "'"
	}
	return ""
}

// object makes a definition and says how it is shown: the statement and the column of
// the answer that holds the text.
func (d definer) object(n int) (create, show string, column int) {
	name := fmt.Sprintf("o%d", n)
	switch d.IntN(10) {
	case 0:
		return fmt.Sprintf("CREATE VIEW `%s` AS SELECT `id` AS `i d`, '%s' AS t FROM `p` WHERE `v` <> '%s' ORDER BY 1 LIMIT %d", name, d.text(), d.text(), 1+d.IntN(9)), "SHOW CREATE VIEW `" + name + "`", 1
	case 1:
		body := pick(d, []string{"SET NEW.v = '%s'", "BEGIN IF NEW.v = '%s' THEN SET NEW.v = 'x'; END IF; END", "INSERT INTO log VALUES (NEW.id, '%s')"})
		return fmt.Sprintf("CREATE TRIGGER `%s` BEFORE %s ON `p` FOR EACH ROW ", name, pick(d, []string{"INSERT", "UPDATE"})) + fmt.Sprintf(body, d.text()), "SHOW CREATE TRIGGER `" + name + "`", 2
	case 2:
		return fmt.Sprintf("CREATE PROCEDURE `%s`(IN a INT, OUT b VARCHAR(20)) COMMENT '%s' BEGIN DECLARE x INT DEFAULT %d; SET b = '%s'; SELECT x, '%s'; END", name, d.text(), d.IntN(9), d.text(), d.text()), "SHOW CREATE PROCEDURE `" + name + "`", 2
	case 3:
		return fmt.Sprintf("CREATE EVENT `%s` ON SCHEDULE EVERY %d HOUR STARTS '2030-01-01 00:00:00' %sCOMMENT '%s' DO INSERT INTO log VALUES (1, '%s')", name, 1+d.IntN(20), pick(d, []string{"", "DISABLE "}), d.text(), d.text()), "SHOW CREATE EVENT `" + name + "`", 3
	}
	return d.table(name), "SHOW CREATE TABLE `" + name + "`", 1
}

// cell is one value of the first row that a query answers.
func (c *client) cell(query string, column int) (text string, err error) {
	ctx := c.w.db.NewContext(context.Background(), c.sess).WithQuery(query)
	if err := sql.SessionCommandBegin(c.sess); err != nil {
		return "", err
	}
	defer sql.SessionCommandEnd(c.sess)
	_, rows, _, err := c.w.db.Engine().Query(ctx, query)
	if err != nil {
		return "", err
	}
	row, err := rows.Next(ctx)
	if err == nil {
		text = fmt.Sprint(row[column])
		for err == nil {
			_, err = rows.Next(ctx)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return text, errors.Join(err, rows.Close(ctx))
}

// ST-013: what is shown of an object makes the same object: shown again it is the same
// text, and what is stored is the same but for ids and times.
func TestShownDefinitionsAreFixedPoints(t *testing.T) {
	w := newWorld(t)
	d := definer{rand.New(rand.NewPCG(13, 1))}
	w.exec("CREATE DATABASE e")
	origin, copied := w.session("origin"), w.session("copied")
	origin.exec("USE d")
	copied.exec("USE e")
	for _, c := range []*client{origin, copied} {
		c.exec("CREATE TABLE p (id INT PRIMARY KEY, v VARCHAR(100))")
		c.exec("CREATE TABLE log (id INT, v VARCHAR(100))")
	}
	made := 0
	for n := range definitions {
		create, show, column := d.object(n)
		if _, err := origin.try(create); err != nil {
			require.Contains(t, []int{1063, 1067, 1101, 1294}, errorNumber(err), "%v\n%s", err, create) // no such default for the type
			continue
		}
		made++
		first, err := origin.cell(show, column)
		require.NoError(t, err, create)
		_, err = copied.try(first)
		require.NoError(t, err, "%s\nfrom %s", first, create)
		second, err := copied.cell(show, column)
		require.NoError(t, err)
		require.Equal(t, first, second, create)
	}
	require.Greater(t, made, definitions*9/10)
	stored := map[string][]string{}
	w.raw(func(store kv.Store) {
		ctx := context.Background()
		cat, _, err := catalog.Open(ctx, store, catalog.Options{})
		require.NoError(t, err)
		for _, name := range []string{"d", "e"} {
			db, ok := cat.Current().DB(name)
			require.True(t, ok)
			stored[name] = bare(t, db, name)
		}
		require.NoError(t, cat.Close(ctx))
	})
	require.Equal(t, len(stored["d"]), len(stored["e"]))
	for i, text := range stored["d"] {
		require.Equal(t, text, stored["e"][i])
	}
	w.finish()
}

// bare lists the objects of a database as they are stored, without what two of the
// same definition may differ in.
func bare(t *testing.T, db *catalog.DB, name string) (all []string) {
	add := func(object catalog.Object, err error) {
		require.NoError(t, err)
		text, err := json.Marshal(object)
		require.NoError(t, err)
		all = append(all, object.Head().Name+" "+strings.ReplaceAll(string(text), "`"+name+"`.", ""))
	}
	for _, table := range db.TableNames() {
		o, ok, err := db.Table(table)
		require.NoError(t, err)
		require.True(t, ok)
		add(bareTable(catalog.Clone(o)))
	}
	views, err := db.Views()
	require.NoError(t, err)
	for _, v := range views {
		add(v, nil)
	}
	triggers, err := db.Triggers()
	require.NoError(t, err)
	for _, o := range triggers {
		c, err := catalog.Clone(o)
		require.NoError(t, err)
		c.Created, c.Table.Database = time.Time{}, ""
		add(c, nil)
	}
	procedures, err := db.Routines(catalog.KindProcedure)
	require.NoError(t, err)
	for _, o := range procedures {
		c, err := catalog.Clone(o)
		require.NoError(t, err)
		c.Created, c.Modified = time.Time{}, time.Time{}
		add(c, nil)
	}
	events, err := db.Events()
	require.NoError(t, err)
	for _, o := range events {
		body := map[string]any{}
		require.NoError(t, json.Unmarshal(o.Body, &body))
		delete(body, "CreatedAt")
		delete(body, "LastAltered")
		text, err := json.Marshal(body)
		require.NoError(t, err)
		all = append(all, o.Name+" "+string(text))
	}
	return all
}

// bareTable numbers the ids of columns anew. Indexes are shown in the order of names.
func bareTable(c *catalog.Table, err error) (catalog.Object, error) {
	if err != nil {
		return nil, err
	}
	number := map[catalog.ID]catalog.ID{}
	for i := range c.Columns {
		number[c.Columns[i].ID] = catalog.ID(i + 1)
		c.Columns[i].ID = catalog.ID(i + 1)
	}
	parts := func(all []catalog.Part) {
		for i := range all {
			all[i].Column = number[all[i].Column]
		}
	}
	parts(c.PK)
	for i := range c.Indexes {
		c.Indexes[i].Physical = 0
		parts(c.Indexes[i].Parts)
	}
	slices.SortFunc(c.Indexes, func(a, b catalog.Index) int { return strings.Compare(a.Name, b.Name) })
	for i := range c.Foreign {
		c.Foreign[i].ParentDatabase = ""
	}
	c.Physical, c.Created = 0, time.Time{}
	return c, nil
}
