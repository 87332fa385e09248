package main

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/freshetdb/freshet/integration/process"
)

const (
	// readWriteRows is the size of the table.
	readWriteRows = 20_000
	// readWriteRange is how many rows a range has.
	readWriteRange = 100
	// deadlock is what a transaction is tried again for.
	deadlock = 1213
)

// readWriteCallers are the numbers of concurrent clients.
var readWriteCallers = []int{1, 8}

// benchReadWrite measures transactions of the mix that sysbench calls oltp_read_write:
// ten point reads, four ranges of a hundred rows, two updates, a delete and an insert.
// The floor is another server, if there is one to compare with.
func benchReadWrite(ctx context.Context, s settings, r *report) error {
	for _, n := range readWriteCallers {
		var times latencies
		own, err := median(s.rounds, func() (float64, error) { return readWriteHere(ctx, s, n, &times) })
		if err != nil {
			return err
		}
		other := 0.0
		if s.against != "" {
			if other, err = median(s.rounds, func() (float64, error) { return readWriteThere(ctx, s, n) }); err != nil {
				return fmt.Errorf("the server to compare with: %w", err)
			}
		}
		r.rate(fmt.Sprintf("read-write transactions, %d on the wire", n), own, other)
		r.figure(fmt.Sprintf("the same, 99 of 100 take less than, %d on the wire", n), times.quantile(0.99).String(), "", "")
	}
	return nil
}

func readWriteHere(ctx context.Context, s settings, n int, times *latencies) (rate float64, err error) {
	t := newStage()
	defer t.end(&err)
	dir, err := os.MkdirTemp(s.dir, "readwrite")
	if err != nil {
		return 0, err
	}
	return readWrite(ctx, s, process.Start(t, dir).Open("", ""), n, times)
}

func readWriteThere(ctx context.Context, s settings, n int) (rate float64, err error) {
	db, err := gosql.Open("mysql", s.against)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return readWrite(ctx, s, db, n, &latencies{})
}

// readWrite fills the table and runs n clients for a while.
func readWrite(ctx context.Context, s settings, db *gosql.DB, n int, times *latencies) (rate float64, err error) {
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	const database = "freshet_bench_readwrite"
	statements := []string{
		"DROP DATABASE IF EXISTS " + database, "CREATE DATABASE " + database,
		"CREATE TABLE " + database + ".sbtest (id INT NOT NULL AUTO_INCREMENT, k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', PRIMARY KEY (id), KEY k_1 (k))",
	}
	random := rand.New(rand.NewPCG(1, 1))
	const batch = 1000
	for from := 1; from <= readWriteRows; from += batch {
		rows := make([]string, batch)
		for i := range rows {
			rows[i] = fmt.Sprintf("(%d,%d,'%s','%s')", from+i, 1+random.IntN(readWriteRows), digits(random, 11), digits(random, 5))
		}
		statements = append(statements, "INSERT INTO "+database+".sbtest VALUES "+strings.Join(rows, ","))
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return 0, err
		}
	}
	workers := make([]*readWriter, n)
	for i := range workers {
		conn, err := db.Conn(ctx)
		if err != nil {
			return 0, err
		}
		defer conn.Close()
		if _, err := conn.ExecContext(ctx, "USE "+database); err != nil {
			return 0, err
		}
		workers[i] = &readWriter{conn: conn, random: rand.New(rand.NewPCG(2, uint64(i)))}
	}
	return together(n, s.each, func(w int) error {
		began := time.Now()
		err := workers[w].transaction(ctx)
		times.add(time.Since(began))
		return err
	})
}

// digits makes groups of eleven digits, as sysbench does.
func digits(random *rand.Rand, groups int) string {
	parts := make([]string, groups)
	for i := range parts {
		parts[i] = fmt.Sprintf("%010d", random.Int64N(1e10))
	}
	return strings.Join(parts, "-")
}

// readWriter is one client.
type readWriter struct {
	conn   *gosql.Conn
	random *rand.Rand
}

func (c *readWriter) id() int { return 1 + c.random.IntN(readWriteRows) }

// transaction runs one transaction, again for as long as it is the victim of a
// deadlock.
func (c *readWriter) transaction(ctx context.Context) error {
	for {
		err := c.once(ctx)
		var refused *mysql.MySQLError
		if err == nil || !errors.As(err, &refused) || refused.Number != deadlock {
			return err
		}
	}
}

func (c *readWriter) once(ctx context.Context) error {
	statements := []string{"BEGIN"}
	for range 10 {
		statements = append(statements, fmt.Sprintf("SELECT c FROM sbtest WHERE id=%d", c.id()))
	}
	for _, query := range []string{
		"SELECT c FROM sbtest WHERE id BETWEEN %d AND %d", "SELECT SUM(k) FROM sbtest WHERE id BETWEEN %d AND %d",
		"SELECT c FROM sbtest WHERE id BETWEEN %d AND %d ORDER BY c", "SELECT DISTINCT c FROM sbtest WHERE id BETWEEN %d AND %d ORDER BY c",
	} {
		from := c.id()
		statements = append(statements, fmt.Sprintf(query, from, from+readWriteRange-1))
	}
	gone := c.id()
	statements = append(statements,
		fmt.Sprintf("UPDATE sbtest SET k=k+1 WHERE id=%d", c.id()),
		fmt.Sprintf("UPDATE sbtest SET c='%s' WHERE id=%d", digits(c.random, 11), c.id()),
		fmt.Sprintf("DELETE FROM sbtest WHERE id=%d", gone),
		fmt.Sprintf("INSERT INTO sbtest (id, k, c, pad) VALUES (%d,%d,'%s','%s')", gone, c.id(), digits(c.random, 11), digits(c.random, 5)),
		"COMMIT")
	for _, statement := range statements {
		if err := c.run(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// run runs a statement and reads its rows.
func (c *readWriter) run(ctx context.Context, statement string) error {
	if !strings.HasPrefix(statement, "SELECT") {
		_, err := c.conn.ExecContext(ctx, statement)
		return err
	}
	rows, err := c.conn.QueryContext(ctx, statement)
	if err != nil {
		return err
	}
	var value gosql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&value); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// latencies are how long operations took. Safe for concurrent use.
type latencies struct {
	mu  sync.Mutex
	all []time.Duration
}

func (l *latencies) add(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, d)
}

func (l *latencies) quantile(q float64) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) == 0 {
		return 0
	}
	slices.Sort(l.all)
	return l.all[min(len(l.all)-1, int(q*float64(len(l.all))))]
}
