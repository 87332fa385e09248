package main

import (
	"context"
	gosql "database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/freshetdb/freshet/integration/process"
)

// The large table: five columns and one secondary index.
const loadTable = "CREATE TABLE t (id BIGINT PRIMARY KEY, a INT, b DOUBLE, c VARCHAR(40), d DATETIME, KEY k (a))"

// loadTuple is row i as SQL values, loadLine as a line of LOAD DATA.
func loadTuple(i int) string {
	return fmt.Sprintf("(%d,%d,%d.5,'customer number %d','2024-01-%02d 10:00:00')", i, i%50_000, i, i, i%28+1)
}

func loadLine(i int) string {
	return fmt.Sprintf("%d\t%d\t%d.5\tcustomer number %d\t2024-01-%02d 10:00:00\n", i, i%50_000, i, i, i%28+1)
}

// benchLoad measures bulk loads through a server of its own, whose memory is
// looked at, then what the loaded store costs: an index build, a reopen, bytes.
func benchLoad(ctx context.Context, s settings, r *report) error {
	if err := bulkInside(ctx, s, r); err != nil {
		return err
	}
	if err := bulkLoad(ctx, s, r, "INSERT of 1,000 rows a statement", bulkInsert); err != nil {
		return err
	}
	return bulkLoad(ctx, s, r, "LOAD DATA LOCAL INFILE", loadData)
}

func bulkLoad(ctx context.Context, s settings, r *report, how string, load func(context.Context, *gosql.DB, int) error) (err error) {
	t := newStage()
	defer t.end(&err)
	dir, err := os.MkdirTemp(s.dir, "load")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	server := process.Start(t, dir)
	for _, statement := range []string{"CREATE DATABASE b", "SET GLOBAL local_infile = 1"} {
		if _, err := server.Open("", "").ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	db := server.Open("b", "allowAllFiles=true&maxAllowedPacket=0")
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, loadTable); err != nil {
		return err
	}
	empty := server.PeakRSS()
	took, err := timed(func() error { return load(ctx, db, s.rows) })
	if err != nil {
		return err
	}
	r.rate(fmt.Sprintf("%s, %d rows, one index", how, s.rows), float64(s.rows)/took.Seconds(), 0)
	r.figure("  peak memory of the server", mebibytes(server.PeakRSS()), "", "")
	r.figure("  of which before the load", mebibytes(empty), "", "")
	took, err = timed(func() error {
		_, err := db.ExecContext(ctx, "CREATE INDEX by_time ON t (d, a)")
		return err
	})
	if err != nil {
		return err
	}
	r.duration(fmt.Sprintf("CREATE INDEX on %d rows", s.rows), took.Round(time.Millisecond), 0)
	server.Stop()
	size, err := folderBytes(dir)
	if err != nil {
		return err
	}
	r.figure("bytes on disk per row, two indexes", fmt.Sprintf("%.1f", float64(size)/float64(s.rows)), "", "")
	again := process.Start(t, dir)
	r.duration("reopen after a clean end, until connections are accepted", again.Ready.Round(time.Millisecond), 0)
	again.Kill()
	again = process.Start(t, dir)
	r.duration("reopen after a kill", again.Ready.Round(time.Millisecond), 0)
	var n int
	if err := again.Open("b", "").QueryRowContext(ctx, "SELECT COUNT(*) FROM t").Scan(&n); err != nil {
		return err
	}
	if n != s.rows {
		return fmt.Errorf("%d rows of %d after the reopen", n, s.rows)
	}
	return nil
}

// bulkInside measures the same multi-row inserts without the wire.
func bulkInside(ctx context.Context, s settings, r *report) (err error) {
	db, err := openStore(ctx, filepath.Join(s.dir, "bulk"))
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, db) }()
	c, err := newClient(ctx, db, "")
	if err != nil {
		return err
	}
	if err := c.run("CREATE DATABASE b", "USE b", loadTable); err != nil {
		return err
	}
	took, err := timed(func() error { return fill(c, "t", s.rows, loadTuple) })
	if err != nil {
		return err
	}
	r.rate(fmt.Sprintf("INSERT of 1,000 rows a statement, %d rows, in process", s.rows), float64(s.rows)/took.Seconds(), 0)
	return nil
}

func bulkInsert(ctx context.Context, db *gosql.DB, rows int) error {
	const perStatement = 1000
	for at := 0; at < rows; at += perStatement {
		text := []byte("INSERT INTO t VALUES ")
		for i := at; i < min(at+perStatement, rows); i++ {
			if i > at {
				text = append(text, ',')
			}
			text = append(text, loadTuple(i)...)
		}
		if _, err := db.ExecContext(ctx, string(text)); err != nil {
			return err
		}
	}
	return nil
}

func loadData(ctx context.Context, db *gosql.DB, rows int) error {
	mysql.RegisterReaderHandler("rows", func() io.Reader {
		reader, writer := io.Pipe()
		go func() {
			buffer := make([]byte, 0, 1<<16)
			for i := range rows {
				buffer = append(buffer, loadLine(i)...)
				if len(buffer) > 1<<15 || i == rows-1 {
					if _, err := writer.Write(buffer); err != nil {
						return
					}
					buffer = buffer[:0]
				}
			}
			_ = writer.Close()
		}()
		return reader
	})
	defer mysql.DeregisterReaderHandler("rows")
	result, err := db.ExecContext(ctx, "LOAD DATA LOCAL INFILE 'Reader::rows' INTO TABLE t")
	if err != nil {
		return err
	}
	loaded, err := result.RowsAffected()
	if err == nil && int(loaded) != rows {
		err = fmt.Errorf("%d rows of %d were loaded", loaded, rows)
	}
	return err
}

func mebibytes(n int64) string { return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20)) }

// folderBytes is the size of all files below a folder.
func folderBytes(dir string) (size int64, err error) {
	err = filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return err
	})
	return size, err
}
