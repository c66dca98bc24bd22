package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// States of jobs.
const (
	Waiting   = "waiting"
	Running   = "running"
	Succeeded = "done"
	Failed    = "failed"
	Cancelled = "cancelled"
)

// KindMessage is the kind of jobs that send a message to a hook.
const KindMessage = "message"

// ErrLost is returned to a worker whose job was cancelled, or is worked on by another.
var ErrLost = errors.New("the job is not this worker's any more")

// A Job is work that is done by one worker at a time, also if processes end.
type Job struct {
	Collection, ID string
	Kind           string
	Key            string // at most one job of a key has not ended; "": none
	Hook           string // of KindMessage
	Actor          string
	Payload        json.RawMessage
	State          string
	Attempts       int // since there was progress
	Done, Total    int
	Result         json.RawMessage
	Error          string
	Version        int64
	Created        time.Time
	Finished       time.Time // zero: not yet
	worker         string
}

const jobFields = "collection, id, kind, key, hook, actor, payload, state, attempts, done, total, result, error, version, created, finished, worker"

func scanJob(r *sql.Rows) (j Job, err error) {
	var payload, result string
	var created, finished int64
	err = r.Scan(&j.Collection, &j.ID, &j.Kind, &j.Key, &j.Hook, &j.Actor, &payload, &j.State, &j.Attempts, &j.Done, &j.Total, &result, &j.Error, &j.Version, &created, &finished, &j.worker)
	j.Payload, j.Result, j.Created = json.RawMessage(payload), json.RawMessage(result), timeOf(created)
	if finished != 0 {
		j.Finished = timeOf(finished)
	}
	return j, err
}

// Enqueue adds a job. If one with its Key has not ended, it returns that one.
func (s *Store) Enqueue(ctx context.Context, j Job) (Job, error) {
	err := s.inTx(ctx, func(tx *sql.Tx) (err error) {
		if _, err := one(ctx, "collection", tx, scanString, "SELECT id FROM collection WHERE id = $1", j.Collection); err != nil {
			return err
		}
		if j.Key != "" {
			there, err := list(ctx, tx, scanJob, "SELECT "+jobFields+" FROM job WHERE collection = $1 AND key = $2 AND state IN ('waiting', 'running')", j.Collection, j.Key)
			if err != nil || len(there) > 0 {
				if len(there) > 0 {
					j = there[0]
				}
				return err
			}
		}
		if j, err = putJob(ctx, tx, j); err != nil || j.Kind == KindMessage {
			return err
		}
		return audit(ctx, tx, j.Actor, "job "+j.Kind, j.ID)
	})
	return j, err
}

// putJob adds a job that waits; its ID may be set already.
func putJob(ctx context.Context, tx *sql.Tx, j Job) (Job, error) {
	if j.ID == "" {
		j.ID = NewID()
	}
	j.State, j.Created, j.Version = Waiting, now(), 1
	_, err := tx.ExecContext(ctx, "INSERT INTO job ("+jobFields+", due) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, 0, 'null', '', 1, $9, 0, '', $9)",
		j.Collection, j.ID, j.Kind, j.Key, j.Hook, j.Actor, text(j.Payload), j.State, j.Created.UnixMicro())
	return j, err
}

// Lease gives a worker a job that is due, or whose worker has let its lease end: a
// message, or work of any other kind. It is nil if there is none. The worker has the job
// for a time, which Extend and Progress prolong.
func (s *Store) Lease(ctx context.Context, worker string, message bool, lease time.Duration) (*Job, error) {
	at := now().UnixMicro()
	which := "state IN ('waiting', 'running') AND due <= $1 AND kind <> '" + KindMessage + "'"
	if message {
		which = strings.Replace(which, "<>", "=", 1)
	}
	// Looking is for readers: the one connection that writes is not held up by it.
	due, err := list(ctx, s.read, scanString, "SELECT id FROM job WHERE "+which+" LIMIT 1", at)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	next := "SELECT id FROM job WHERE " + which + " ORDER BY due, id LIMIT 1"
	if s.postgres {
		next += " FOR UPDATE SKIP LOCKED"
	}
	all, err := list(ctx, s.write, scanJob, "UPDATE job SET state = 'running', worker = $2, due = $3, attempts = attempts + 1, version = version + 1 WHERE id = ("+next+") RETURNING "+jobFields,
		at, worker, at+lease.Microseconds())
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// held changes the job j if its worker still has it; ErrLost if not.
func held(ctx context.Context, in interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}, j *Job, set string, args ...any,
) error {
	r, err := in.ExecContext(ctx, "UPDATE job SET "+set+" WHERE collection = $1 AND id = $2 AND worker = $3 AND state = 'running'", append([]any{j.Collection, j.ID, j.worker}, args...)...)
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, ErrLost)
	}
	return nil
}

// Extend prolongs the lease of a worker.
func (s *Store) Extend(ctx context.Context, j *Job, lease time.Duration) error {
	return held(ctx, s.write, j, "due = $4", now().Add(lease).UnixMicro())
}

const setProgress = "done = $4, total = $5, result = $6, attempts = 1, version = version + 1"

// Progress notes how far a worker is.
func (s *Store) Progress(ctx context.Context, j *Job, done, total int, result json.RawMessage) error {
	return held(ctx, s.write, j, setProgress, done, total, text(result))
}

type stepKey struct{}

type step struct {
	*Job
	done, total int
	result      json.RawMessage
}

// InStep returns ctx for a change that is a step of a job: Progress in one transaction
// with it. So a step is done once, and not at all by a worker who has lost the job.
func InStep(ctx context.Context, j *Job, done, total int, result json.RawMessage) context.Context {
	return context.WithValue(ctx, stepKey{}, step{j, done, total, result})
}

// Finish ends a job; result nil leaves that of the last step.
func (s *Store) Finish(ctx context.Context, j *Job, result json.RawMessage) error {
	return s.end(ctx, j, Succeeded, "", result)
}

// Fail ends a job with a reason.
func (s *Store) Fail(ctx context.Context, j *Job, why string) error {
	return s.end(ctx, j, Failed, why, nil)
}

func (s *Store) end(ctx context.Context, j *Job, state, why string, result json.RawMessage) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if result == nil {
			result = j.Result
		}
		set, args := "state = $4, error = $5, finished = $6, version = version + 1", []any{state, why, now().UnixMicro()}
		if result != nil {
			set, args = set+", result = $7", append(args, string(result))
		}
		if err := held(ctx, tx, j, set, args...); err != nil || j.Kind == KindMessage {
			return err
		}
		return emit(ctx, tx, j.Collection, Event{Event: "job.finished", Job: j.ID, Kind: j.Kind, State: state})
	})
}

// Again lets a job wait until at, after an attempt that failed with a reason; "" if it
// did not, but was stopped.
func (s *Store) Again(ctx context.Context, j *Job, why string, at time.Time) error {
	set := "state = 'waiting', worker = '', error = $4, due = $5, version = version + 1"
	if why == "" {
		set += ", attempts = attempts - 1"
	}
	return held(ctx, s.write, j, set, why, at.UnixMicro())
}

// Cancel ends a job that has not ended; its worker is told by ErrLost. It returns the job.
func (s *Store) Cancel(ctx context.Context, actor, collection, id string) (Job, error) {
	return s.alter(ctx, actor, collection, id, "cancel job", "state IN ('waiting', 'running')", "state = 'cancelled', worker = '', finished = $3, version = version + 1")
}

// Retry lets a job that failed wait again. It returns the job.
func (s *Store) Retry(ctx context.Context, actor, collection, id string) (Job, error) {
	return s.alter(ctx, actor, collection, id, "retry job", "state = 'failed'", "state = 'waiting', worker = '', attempts = 0, due = $3, finished = 0, version = version + 1")
}

// alter changes a job if it is in a state, and returns it as it is then.
func (s *Store) alter(ctx context.Context, actor, collection, id, verb, where, set string) (j Job, err error) {
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, "UPDATE job SET "+set+" WHERE collection = $1 AND id = $2 AND "+where, collection, id, now().UnixMicro())
		if err != nil {
			return err
		}
		if j, err = one(ctx, "job", tx, scanJob, "SELECT "+jobFields+" FROM job WHERE collection = $1 AND id = $2", collection, id); err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n == 0 {
			return err
		}
		return audit(ctx, tx, actor, verb, id)
	})
	return j, err
}

// SetResult replaces the result of a job that has ended.
func (s *Store) SetResult(ctx context.Context, actor string, j Job, verb string, result json.RawMessage) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE job SET result = $3, version = version + 1 WHERE collection = $1 AND id = $2", j.Collection, j.ID, string(result)); err != nil {
			return err
		}
		return audit(ctx, tx, actor, verb, j.ID)
	})
}

// Job returns the one with this id.
func (s *Store) Job(ctx context.Context, collection, id string) (Job, error) {
	return one(ctx, "job", s.read, scanJob, "SELECT "+jobFields+" FROM job WHERE collection = $1 AND id = $2", collection, id)
}

// Jobs returns up to limit jobs of a collection whose id is smaller than earlier, "" for
// all, the latest first: those of a kind, in a state, and of a hook, each "" for all,
// where without a hook messages are left out.
func (s *Store) Jobs(ctx context.Context, collection, kind, state, hook, earlier string, limit int) ([]Job, error) {
	return list(ctx, s.read, scanJob, "SELECT "+jobFields+` FROM job WHERE collection = $1 AND hook = $2 AND ($3 = '' OR kind = $3) AND ($4 = '' OR state = $4)
		AND ($5 = '' OR id < $5) ORDER BY id DESC LIMIT $6`, collection, hook, kind, state, earlier, limit)
}

// Ages after which Tidy removes.
const (
	ageOfJobs  = 7 * 24 * time.Hour // that have ended
	ageOfFiles = 24 * time.Hour     // of jobs that have ended, and those that no job has
	ageOfGone  = 24 * time.Hour
	ageOfOnce  = 24 * time.Hour
)

// Tidy removes what has served its time.
func (s *Store) Tidy(ctx context.Context) error {
	before := func(age time.Duration) int64 { return now().Add(-age).UnixMicro() }
	return s.inTx(ctx, func(tx *sql.Tx) error {
		for _, d := range []struct {
			statement string
			before    int64
		}{
			{"DELETE FROM job WHERE finished > 0 AND finished < $1", before(ageOfJobs)},
			{`DELETE FROM file WHERE created < $1 AND NOT EXISTS (SELECT 1 FROM job j WHERE j.collection = file.collection AND j.id = file.job AND j.state IN ('waiting', 'running'))`, before(ageOfFiles)},
			{"UPDATE collection SET pruned = COALESCE((SELECT max(seq) FROM gone g WHERE g.collection = collection.id AND g.at < $1), pruned)", before(ageOfGone)},
			{"DELETE FROM gone WHERE at < $1", before(ageOfGone)},
			{"DELETE FROM once WHERE at < $1", before(ageOfOnce)},
			{"DELETE FROM session WHERE used < $1", before(ageOfSession)},
		} {
			if _, err := tx.ExecContext(ctx, d.statement, d.before); err != nil {
				return err
			}
		}
		return nil
	})
}

// Piece is the size of the pieces of a file in bytes.
const Piece = 1 << 20

// PutPiece writes piece n of the file of a job, which may not be there yet.
func (s *Store) PutPiece(ctx context.Context, collection, job string, n int, data []byte) error {
	_, err := s.write.ExecContext(ctx, "INSERT INTO file (collection, job, n, data, created) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (collection, job, n) DO UPDATE SET data = excluded.data",
		collection, job, n, data, now().UnixMicro())
	return err
}

// GetPiece returns piece n of the file of a job.
func (s *Store) GetPiece(ctx context.Context, collection, job string, n int) ([]byte, error) {
	return one(ctx, "file", s.read, func(r *sql.Rows) (b []byte, err error) { return b, r.Scan(&b) }, "SELECT data FROM file WHERE collection = $1 AND job = $2 AND n = $3", collection, job, n)
}

// Pieces returns the number of pieces of the file of a job; of all files if job is "".
func (s *Store) Pieces(ctx context.Context, collection, job string) (int, error) {
	scan := func(r *sql.Rows) (n int, err error) { return n, r.Scan(&n) }
	if job == "" {
		return one(ctx, "file", s.read, scan, "SELECT count(*) FROM file")
	}
	return one(ctx, "file", s.read, scan, "SELECT count(*) FROM file WHERE collection = $1 AND job = $2", collection, job)
}

// DeleteFile removes the file of a job, also from the files of the database.
func (s *Store) DeleteFile(ctx context.Context, collection, job string) error {
	if _, err := s.write.ExecContext(ctx, "DELETE FROM file WHERE collection = $1 AND job = $2", collection, job); err != nil {
		return fmt.Errorf("delete file: %w", err)
	}
	return s.scrub(ctx)
}
