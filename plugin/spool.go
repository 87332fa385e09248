package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// spool sends one result to a client.
type spool struct {
	ctx    *sql.Context
	conn   *mysql.Conn
	schema sql.Schema
	ddl    bool // the statement is DDL: its changes end with it
	more   bool // results of further statements follow
	// keep: the receiver keeps batches after send has returned, as a cursor does,
	// so their memory may not be used again.
	keep bool
	send mysql.ResultSpoolFn

	fields      []*querypb.Field
	projections []sql.Expression // left to be evaluated here, nil if none
	sent        bool             // at least one batch has gone
}

// run reads rows to the end, closes them, which commits under autocommit, and
// sends them. The last batch goes after the commit, so that a client that has
// the whole result also knows that it is committed.
func (s *spool) run(rows sql.RowIter) error {
	s.fields = columnFields(s.ctx, s.schema)
	rows, s.projections = server.GetDeferredProjections(rows)
	last, err := s.drain(rows)
	if err != nil {
		s.giveUp(rows)
		return err
	}
	defer last.free()
	if err := rows.Close(s.ctx); err != nil {
		return err
	}
	if err := setStatusFlags(s.ctx, s.conn); err != nil {
		return err
	}
	if s.sent && len(last.result.Rows) == 0 {
		return nil
	}
	return s.deliver(last)
}

// deliver sends a batch. Its error is the connection's: nothing can be sent after
// it.
func (s *spool) deliver(b *batch) error {
	if err := s.send(b.result, s.more); err != nil {
		return fmt.Errorf("%w: %w", errSend, err)
	}
	return nil
}

// giveUp releases what a failed statement holds. Closing the iterators would
// commit under autocommit, so the transaction is rolled back first. The error
// that the client gets is the statement's; failures here change nothing for it.
func (s *spool) giveUp(rows sql.RowIter) {
	if autocommit, err := plan.IsSessionAutocommit(s.ctx); s.ddl || (err == nil && autocommit && !s.ctx.GetIgnoreAutoCommit()) {
		_ = abandon(s.ctx)
	}
	_ = rows.Close(s.ctx)
}

// drain reads all rows and returns the batch that is still to be sent. A result
// of one batch is read, encoded and sent by this goroutine; a larger one is read
// by another, so that reading and sending overlap.
func (s *spool) drain(rows sql.RowIter) (*batch, error) {
	first, end, err := readRows(s.ctx, rows)
	if err != nil {
		return nil, err
	}
	if end {
		return s.encode(first)
	}
	group, ctx := s.ctx.NewErrgroup()
	ahead := make(chan []sql.Row, batchesAhead)
	group.Go(func() (err error) {
		defer close(ahead)
		defer containInto(&err)
		return readAhead(ctx, rows, ahead)
	})
	last, err := s.sendAll(ctx, first, ahead)
	if err != nil {
		// The reader may wait for room; what it still reads is of no use.
		group.Go(func() error { return err })
		for range ahead {
		}
	}
	return last, group.Wait()
}

// sendAll sends batches as they come and keeps the last one back.
func (s *spool) sendAll(ctx *sql.Context, first []sql.Row, ahead <-chan []sql.Row) (*batch, error) {
	last, err := s.encode(first)
	if err != nil {
		return nil, err
	}
	for rows := range ahead {
		err := s.deliver(last)
		last.free()
		if err != nil {
			return nil, err
		}
		s.sent = true
		if last, err = s.encode(rows); err != nil {
			return nil, err
		}
	}
	return last, nil
}

// readAhead reads batches until the rows end or ctx does.
func readAhead(ctx *sql.Context, rows sql.RowIter, ahead chan<- []sql.Row) error {
	for {
		batch, end, err := readRows(ctx, rows)
		if err != nil {
			return err
		}
		select {
		case ahead <- batch:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if end {
			return nil
		}
	}
}

// readRows reads up to rowsBatch rows; end says that there are no more.
func readRows(ctx *sql.Context, rows sql.RowIter) (batch []sql.Row, end bool, err error) {
	for len(batch) < rowsBatch {
		row, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return batch, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		batch = append(batch, row)
	}
	return batch, false, nil
}

// containInto turns a panic of the reading goroutine into its error, which the
// connection's goroutine raises again as an internal error.
func containInto(err *error) {
	if r := recover(); r != nil {
		*err = &panicError{value: r, stack: string(debug.Stack())}
	}
}

// batch is a part of a result in the protocol's form.
type batch struct {
	result *sqltypes.Result
	buffer *sql.ByteBuffer // holds the values; nil if they hold themselves
}

// free gives the memory back once the result is written.
func (b *batch) free() {
	if b == nil || b.buffer == nil {
		return
	}
	b.buffer.Reset()
	sql.ByteBufPool.Put(b.buffer)
	b.buffer = nil
}

func (s *spool) encode(rows []sql.Row) (*batch, error) {
	b := &batch{result: &sqltypes.Result{Fields: s.fields}}
	if len(rows) == 1 && types.IsOkResult(rows[0]) {
		b.result = okResult(rows[0][0].(types.OkResult))
		return b, nil
	}
	if !s.keep {
		b.buffer = sql.ByteBufPool.Get().(*sql.ByteBuffer)
	}
	b.result.Rows = make([][]sqltypes.Value, 0, len(rows))
	for _, row := range rows {
		if types.IsOkResult(row) {
			b.free()
			return nil, errMixedResult
		}
		values, err := server.RowToSQL(s.ctx, s.schema, row, s.projections, b.buffer)
		wholeSeconds(values)
		if err != nil {
			b.free()
			return nil, err
		}
		b.result.Rows = append(b.result.Rows, values)
	}
	b.result.RowsAffected = uint64(len(rows))
	return b, nil
}

// wholeSeconds shows TIME values without a fraction where it is zero. The engine's
// TIME does not know how many digits were declared and always writes six; most
// columns declare none.
func wholeSeconds(values []sqltypes.Value) {
	for i, v := range values {
		if v.Type() != sqltypes.Time {
			continue
		}
		if whole, ok := bytes.CutSuffix(v.Raw(), []byte(".000000")); ok {
			values[i] = sqltypes.MakeTrusted(sqltypes.Time, whole)
		}
	}
}
