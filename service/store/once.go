package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// A Once is a request that is to be carried out once, and its answer.
type Once struct {
	Actor, Key string
	Collection string // "" for none
	Route      string
	Changed    bool
	Status     int // 0 before the answer
	Type       string
	Digest     string // of the body of the request
	Answer     []byte
	at, due    int64
}

type onceKey struct{}

// InOnce returns ctx for the changes that are made for o.
func InOnce(ctx context.Context, o *Once) context.Context {
	return context.WithValue(ctx, onceKey{}, o)
}

// Begin notes that o is carried out, and returns nil; or what was noted before. Nobody else
// carries it out for a time, which Hold prolongs; then, unless it is answered or has changed
// something, whoever comes next.
func (s *Store) Begin(ctx context.Context, o *Once, lease time.Duration) (there *Once, err error) {
	at := now()
	o.at, o.due = at.UnixMicro(), at.Add(lease).UnixMicro()
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		there = nil
		all, err := list(ctx, tx, scanOnce, "SELECT actor, key, collection, route, changed, status, type, digest, answer, at, due FROM once WHERE actor = $1 AND key = $2", o.Actor, o.Key)
		if err != nil {
			return err
		}
		if len(all) > 0 {
			was := all[0]
			stale := was.at < now().Add(-ageOfOnce).UnixMicro()
			if !stale && (was.Status != 0 || was.Changed || !was.Abandoned()) {
				there = &was
				return nil
			}
			if _, err := tx.ExecContext(ctx, "DELETE FROM once WHERE actor = $1 AND key = $2", o.Actor, o.Key); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO once (actor, key, collection, route, changed, status, type, digest, answer, at, due) VALUES ($1, $2, $3, $4, 0, 0, '', '', $5, $6, $7)",
			o.Actor, o.Key, o.Collection, o.Route, []byte{}, o.at, o.due)
		return err
	})
	return there, err
}

// Hold prolongs the time for which nobody else carries out o; ErrLost if somebody does.
func (s *Store) Hold(ctx context.Context, o *Once, lease time.Duration) error {
	r, err := s.write.ExecContext(ctx, "UPDATE once SET due = $4 WHERE actor = $1 AND key = $2 AND at = $3", o.Actor, o.Key, o.at, now().Add(lease).UnixMicro())
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, ErrLost)
	}
	return nil
}

// Abandoned reports whether nobody carries out o, which Begin returned and which has no answer.
func (o *Once) Abandoned() bool { return o.due <= now().UnixMicro() }

func scanOnce(r *sql.Rows) (o Once, err error) {
	return o, r.Scan(&o.Actor, &o.Key, &o.Collection, &o.Route, &o.Changed, &o.Status, &o.Type, &o.Digest, &o.Answer, &o.at, &o.due)
}

// Answered notes the answer to o.
func (s *Store) Answered(ctx context.Context, o *Once) error {
	_, err := s.write.ExecContext(ctx, "UPDATE once SET status = $3, type = $4, digest = $5, answer = $6 WHERE actor = $1 AND key = $2 AND at = $7",
		o.Actor, o.Key, o.Status, o.Type, o.Digest, append([]byte{}, o.Answer...), o.at)
	return err
}

// Forget lets o be carried out again, unless it changed something.
func (s *Store) Forget(ctx context.Context, o *Once) error {
	_, err := s.write.ExecContext(ctx, "DELETE FROM once WHERE actor = $1 AND key = $2 AND changed = 0 AND at = $3", o.Actor, o.Key, o.at)
	return err
}

// begun does in a transaction what its context asks for: it notes the step of a job and
// that a request has changed something.
func begun(ctx context.Context, tx *sql.Tx) error {
	if st, ok := ctx.Value(stepKey{}).(step); ok {
		if err := held(ctx, tx, st.Job, setProgress, st.done, st.total, text(st.result)); err != nil {
			return err
		}
	}
	if o, ok := ctx.Value(onceKey{}).(*Once); ok {
		r, err := tx.ExecContext(ctx, "UPDATE once SET changed = 1 WHERE actor = $1 AND key = $2 AND at = $3", o.Actor, o.Key, o.at)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, conflict("another request has this key"))
		}
	}
	return nil
}
