package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"
)

// A querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// An execer is a database or a transaction.
type execer interface {
	ExecContext(ctx context.Context, statement string, args ...any) (sql.Result, error)
}

// A record is a row of a query with several columns.
type record interface {
	// columns returns pointers to the fields, in the order of the columns.
	columns() []any
}

var _ = []record{
	&Collection{}, &Person{}, &Face{}, &Photo{}, &Sample{}, &Key{}, &Hook{}, &Job{},
	&Operation{}, &Request{}, &Line{}, &Holder{}, &pair{}, &member{}, &Visit{},
}

// list returns the rows of a query. T is a record, or the type of the only column.
func list[T any](ctx context.Context, from querier, query string, args ...any) ([]T, error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := []T{}
	for rows.Next() {
		var v T
		columns := []any{&v}
		if r, ok := any(&v).(record); ok {
			columns = r.columns()
		}
		if err := rows.Scan(columns...); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// one returns the first row of a query. If there is none, the error is ErrNotFound and names
// what was looked for.
func one[T any](ctx context.Context, what string, from querier, query string, args ...any) (v T, err error) {
	all, err := list[T](ctx, from, query, args...)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s %w", what, ErrNotFound)
	}
	if err != nil {
		return v, err
	}
	return all[0], nil
}

// exec runs a statement and returns the number of rows that it changed.
func exec(ctx context.Context, on execer, statement string, args ...any) (int64, error) {
	r, err := on.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// A tx is a transaction. After its first error, its methods do nothing, queries return
// nothing, and it is not committed.
type tx struct {
	sql   *sql.Tx
	ctx   context.Context
	err   error // the first one
	actor string
	at    time.Time

	// Of a change of a collection:
	collection string
	seq        int64
}

// inTx runs do in a transaction. All processes make one transaction at a time.
func (s *database) inTx(ctx context.Context, actor string, do func(*tx)) error {
	begun, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer begun.Rollback() //nolint:errcheck // does nothing after Commit
	t := &tx{sql: begun, ctx: ctx, actor: actor}
	if s.postgres {
		t.exec("SELECT pg_advisory_xact_lock($1)", lockKey)
	}
	t.at = now()
	t.noteStep()
	t.noteRequest()
	if t.err == nil {
		do(t)
	}
	if t.err != nil {
		return t.err
	}
	return begun.Commit()
}

// change runs do in a transaction that changes a collection. It returns ErrNotFound if there is
// no such collection.
func (s *database) change(ctx context.Context, actor, collection string, do func(*tx)) error {
	return s.inTx(ctx, actor, func(t *tx) {
		t.collection = collection
		t.seq = row[int64](t, "collection", "UPDATE collection SET seq = seq + 1 WHERE id = $1 RETURNING seq", collection)
		if t.err == nil {
			do(t)
		}
	})
}

// fail stops the transaction with err, unless that is nil or an earlier error has stopped it.
func (t *tx) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// exec runs a statement and returns the number of rows that it changed.
func (t *tx) exec(statement string, args ...any) (n int64) {
	if t.err == nil {
		n, t.err = exec(t.ctx, t.sql, statement, args...)
	}
	return n
}

// must runs a statement that has to change a row; otherwise the transaction fails with
// ErrNotFound.
func (t *tx) must(what, statement string, args ...any) {
	if t.exec(statement, args...) == 0 {
		t.fail(fmt.Errorf("%s %w", what, ErrNotFound))
	}
}

// rows returns the rows of a query in a transaction.
func rows[T any](t *tx, query string, args ...any) (all []T) {
	if t.err == nil {
		all, t.err = list[T](t.ctx, t.sql, query, args...)
	}
	return all
}

// row returns the first row of a query; if there is none, the transaction fails with
// ErrNotFound.
func row[T any](t *tx, what, query string, args ...any) (v T) {
	if t.err == nil {
		v, t.err = one[T](t.ctx, what, t.sql, query, args...)
	}
	return v
}

// in returns the condition that column has one of ids, and args with ids appended, which are
// its parameters.
func in(column string, args []any, ids []string) (string, []any) {
	marks := make([]string, len(ids))
	for i, id := range ids {
		args = append(args, id)
		marks[i] = fmt.Sprintf("$%d", len(args))
	}
	return column + " IN (" + strings.Join(marks, ", ") + ")", args
}

// now is the time in the precision of the database.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// micros reads a time that is stored as microseconds since 1970; 0 is the zero time.
type micros time.Time

// Scan implements sql.Scanner.
func (m *micros) Scan(stored any) error {
	n, ok := stored.(int64)
	if !ok {
		return fmt.Errorf("a time is stored as %T", stored)
	}
	if n == 0 {
		*m = micros{}
	} else {
		*m = micros(time.UnixMicro(n).UTC())
	}
	return nil
}

// words reads a list of words that are stored with spaces between them.
type words []string

// Scan implements sql.Scanner.
func (w *words) Scan(stored any) error {
	text, ok := stored.(string)
	if !ok {
		return fmt.Errorf("words are stored as %T", stored)
	}
	*w = strings.Fields(text)
	return nil
}

// floats reads numbers that bytesOf has written.
type floats []float32

// Scan implements sql.Scanner.
func (f *floats) Scan(stored any) error {
	b, ok := stored.([]byte)
	if !ok || len(b)%4 != 0 {
		return fmt.Errorf("a vector is stored as %T of %d bytes", stored, len(b))
	}
	*f = make(floats, len(b)/4)
	for i := range *f {
		(*f)[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return nil
}

// bytesOf returns numbers as they are stored, little endian.
func bytesOf(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}
