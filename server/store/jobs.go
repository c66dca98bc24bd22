package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// ErrLost is returned to a worker whose job was cancelled or has another worker.
var ErrLost = errors.New("the job is not this worker's any more")

// A Job is work that one worker at a time does. If the process of the worker ends, another worker
// continues.
type Job struct {
	Collection, ID string
	Kind           string
	Key            string // at most one job with this key waits or runs at a time; "": any number
	Hook           string // of KindMessage
	Actor          string
	Payload        json.RawMessage
	State          string
	Attempts       int // number of attempts since the last progress
	Done, Total    int
	Result         json.RawMessage
	Error          string
	Version        int64
	Created        time.Time
	Finished       time.Time // zero: not yet
	worker         string
}

func (j *Job) columns() []any {
	return []any{
		&j.Collection, &j.ID, &j.Kind, &j.Key, &j.Hook, &j.Actor, (*[]byte)(&j.Payload), &j.State, &j.Attempts,
		&j.Done, &j.Total, (*[]byte)(&j.Result), &j.Error, &j.Version, (*micros)(&j.Created), (*micros)(&j.Finished), &j.worker,
	}
}

const (
	jobFields  = "collection, id, kind, key, hook, actor, payload, state, attempts, done, total, result, error, version, created, finished, worker"
	jobColumns = "SELECT " + jobFields + " FROM job "
	jobByID    = jobColumns + "WHERE collection = $1 AND id = $2"
)

// Enqueue adds a job. If one with its Key has not ended, it returns that one instead.
func (s Queue) Enqueue(ctx context.Context, j Job) (Job, error) {
	err := s.inTx(ctx, j.Actor, func(t *tx) {
		row[string](t, "collection", "SELECT id FROM collection WHERE id = $1", j.Collection)
		if j.Key != "" {
			if same := rows[Job](t, jobColumns+"WHERE collection = $1 AND key = $2 AND state IN ('waiting', 'running')",
				j.Collection, j.Key); len(same) > 0 {
				j = same[0]
				return
			}
		}
		j = t.putJob(j)
		if j.Kind != KindMessage {
			t.audit("job "+j.Kind, j.ID)
		}
	})
	return j, err
}

// putJob adds a job that waits, with a new ID if j has none.
func (t *tx) putJob(j Job) Job {
	if j.ID == "" {
		j.ID = NewID()
	}
	j.State, j.Created, j.Version = Waiting, now(), 1
	t.exec("INSERT INTO job ("+jobFields+", due) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, 0, 'null', '', 1, $9, 0, '', $9)",
		j.Collection, j.ID, j.Kind, j.Key, j.Hook, j.Actor, jsonText(j.Payload), j.State, j.Created.UnixMicro())
	return j
}

// Lease gives a worker a job that is due, or whose lease has ended: a message, or work of any
// other kind. It is nil if there is none. The lease ends after a time, unless Extend or
// Progress prolong it.
func (s Queue) Lease(ctx context.Context, worker string, message bool, lease time.Duration) (*Job, error) {
	at := now().UnixMicro()
	const due = "SELECT id FROM job WHERE state IN ('waiting', 'running') AND due <= $1 AND (kind = '" + KindMessage + "') = $2"
	// Readers look first: the one connection that writes is free meanwhile.
	if found, err := list[string](ctx, s.read, due+" LIMIT 1", at, message); err != nil || len(found) == 0 {
		return nil, err
	}
	next := due + " ORDER BY due, id LIMIT 1"
	if s.postgres {
		next += " FOR UPDATE SKIP LOCKED"
	}
	all, err := list[Job](ctx, s.write,
		"UPDATE job SET state = 'running', worker = $3, due = $4, attempts = attempts + 1, version = version + 1 WHERE id = ("+next+
			") RETURNING "+jobFields,
		at, message, worker, at+lease.Microseconds())
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// setLeased changes the job j. It returns ErrLost if the worker of j has lost it.
func setLeased(ctx context.Context, on execer, j *Job, set string, args ...any) error {
	n, err := exec(ctx, on, "UPDATE job SET "+set+" WHERE collection = $1 AND id = $2 AND worker = $3 AND state = 'running'",
		append([]any{j.Collection, j.ID, j.worker}, args...)...)
	if err == nil && n == 0 {
		err = ErrLost
	}
	return err
}

// Extend prolongs the lease of a job.
func (s Queue) Extend(ctx context.Context, j *Job, lease time.Duration) error {
	return setLeased(ctx, s.write, j, "due = $4", now().Add(lease).UnixMicro())
}

const setProgress = "done = $4, total = $5, result = $6, attempts = 1, version = version + 1"

// Progress stores how far a job is, with its result until then.
func (s Queue) Progress(ctx context.Context, j *Job, done, total int, result json.RawMessage) error {
	return setLeased(ctx, s.write, j, setProgress, done, total, jsonText(result))
}

type stepKey struct{}

type step struct {
	*Job
	done, total int
	result      json.RawMessage
}

// WithStep returns a context. A change of the Store that is made with it stores, in the same
// transaction, how far the job is and its result; so each step of a job is made once. The change
// fails with ErrLost if the worker has lost the job.
func WithStep(ctx context.Context, j *Job, done, total int, result json.RawMessage) context.Context {
	return context.WithValue(ctx, stepKey{}, step{j, done, total, result})
}

// noteStep stores the progress of the job of the context.
func (t *tx) noteStep() {
	if s, ok := t.ctx.Value(stepKey{}).(step); ok && t.err == nil {
		t.fail(setLeased(t.ctx, t.sql, s.Job, setProgress, s.done, s.total, jsonText(s.result)))
	}
}

// Finish ends a job with a result; nil keeps that of the last step.
func (s Queue) Finish(ctx context.Context, j *Job, result json.RawMessage) error {
	return s.end(ctx, j, Succeeded, "", result)
}

// Fail ends a job that cannot be done; reason says why.
func (s Queue) Fail(ctx context.Context, j *Job, reason string) error {
	return s.end(ctx, j, Failed, reason, nil)
}

func (s Queue) end(ctx context.Context, j *Job, state, reason string, result json.RawMessage) error {
	return s.inTx(ctx, j.Actor, func(t *tx) {
		if result == nil {
			result = j.Result
		}
		t.fail(setLeased(ctx, t.sql, j, "state = $4, error = $5, finished = $6, version = version + 1, result = $7",
			state, reason, t.at.UnixMicro(), jsonText(result)))
		if j.Kind != KindMessage {
			t.collection = j.Collection
			t.emit(Event{Event: "job.finished", Job: j.ID, Kind: j.Kind, State: state})
		}
	})
}

// Retry makes a job wait until due. reason says why the attempt failed. It is "" if the attempt
// was interrupted, which does not count as an attempt.
func (s Queue) Retry(ctx context.Context, j *Job, reason string, due time.Time) error {
	set := "state = 'waiting', worker = '', error = $4, due = $5, version = version + 1"
	if reason == "" {
		set += ", attempts = attempts - 1"
	}
	return setLeased(ctx, s.write, j, set, reason, due.UnixMicro())
}

// Cancel ends a job, unless it has ended, and returns it. Its worker gets ErrLost.
func (s Queue) Cancel(ctx context.Context, actor, collection, id string) (Job, error) {
	return s.alter(ctx, actor, collection, id, "cancel job", "state IN ('waiting', 'running')",
		"state = 'cancelled', worker = '', finished = $3, version = version + 1")
}

// Restart makes a job that has failed wait again, and returns it.
func (s Queue) Restart(ctx context.Context, actor, collection, id string) (Job, error) {
	return s.alter(ctx, actor, collection, id, "retry job", "state = 'failed'",
		"state = 'waiting', worker = '', attempts = 0, due = $3, finished = 0, version = version + 1")
}

// alter changes a job if a condition holds, and returns the job as it is then.
func (s Queue) alter(ctx context.Context, actor, collection, id, verb, condition, set string) (j Job, err error) {
	err = s.inTx(ctx, actor, func(t *tx) {
		n := t.exec("UPDATE job SET "+set+" WHERE collection = $1 AND id = $2 AND "+condition, collection, id, t.at.UnixMicro())
		if j = row[Job](t, "job", jobByID, collection, id); n > 0 {
			t.audit(verb, id)
		}
	})
	return j, err
}

// SetResult replaces the result of a job that has ended.
func (s Queue) SetResult(ctx context.Context, actor string, j Job, verb string, result json.RawMessage) error {
	return s.inTx(ctx, actor, func(t *tx) {
		t.exec("UPDATE job SET result = $3, version = version + 1 WHERE collection = $1 AND id = $2", j.Collection, j.ID, string(result))
		t.audit(verb, j.ID)
	})
}

// Job returns the job with this id.
func (s Queue) Job(ctx context.Context, collection, id string) (Job, error) {
	return one[Job](ctx, "job", s.read, jobByID, collection, id)
}

// Jobs returns jobs of a collection, the latest first: up to limit, those whose id is smaller than
// before, "" for all. It returns only those of a kind and in a state; "" is any. If hook is "", it
// leaves out messages; otherwise it returns only the messages of that hook.
func (s Queue) Jobs(ctx context.Context, collection, kind, state, hook, before string, limit int) ([]Job, error) {
	return list[Job](ctx, s.read, jobColumns+`WHERE collection = $1 AND hook = $2 AND ($3 = '' OR kind = $3) AND ($4 = '' OR state = $4)
		AND ($5 = '' OR id < $5) ORDER BY id DESC LIMIT $6`, collection, hook, kind, state, before, limit)
}

// Ages after which Tidy removes rows.
const (
	ageOfJobs     = 7 * 24 * time.Hour // since they ended
	ageOfFiles    = 24 * time.Hour     // without a job, or with one that has ended
	ageOfRemovals = 24 * time.Hour
	ageOfRequests = 24 * time.Hour
)

// Tidy removes what is no longer needed.
func (s Queue) Tidy(ctx context.Context) error {
	return s.inTx(ctx, "", func(t *tx) {
		for _, d := range []struct {
			statement string
			age       time.Duration
		}{
			{"DELETE FROM job WHERE finished > 0 AND finished < $1", ageOfJobs},
			{`DELETE FROM file WHERE created < $1 AND NOT EXISTS (SELECT 1 FROM job j WHERE j.collection = file.collection AND j.id = file.job AND j.state IN ('waiting', 'running'))`, ageOfFiles},
			{
				"UPDATE collection SET pruned = COALESCE((SELECT max(seq) FROM gone g WHERE g.collection = collection.id AND g.at < $1), pruned)",
				ageOfRemovals,
			},
			{"DELETE FROM gone WHERE at < $1", ageOfRemovals},
			{"DELETE FROM once WHERE at < $1", ageOfRequests},
			{"DELETE FROM session WHERE used < $1", ageOfSession},
			{"DELETE FROM login WHERE at < $1", ageOfSession},
		} {
			t.exec(d.statement, t.at.Add(-d.age).UnixMicro())
		}
	})
}

// Piece is the size of the pieces of a file in bytes; the last piece may be smaller.
const Piece = 1 << 20

// PutPiece writes piece n of the file of a job. The job need not exist yet.
func (s Queue) PutPiece(ctx context.Context, collection, job string, n int, data []byte) error {
	_, err := s.write.ExecContext(ctx,
		"INSERT INTO file (collection, job, n, data, created) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (collection, job, n) DO UPDATE SET data = excluded.data",
		collection, job, n, data, now().UnixMicro())
	return err
}

// GetPiece returns piece n of the file of a job.
func (s Queue) GetPiece(ctx context.Context, collection, job string, n int) ([]byte, error) {
	return one[[]byte](ctx, "file", s.read, "SELECT data FROM file WHERE collection = $1 AND job = $2 AND n = $3", collection, job, n)
}

// Pieces returns the number of pieces of the file of a job; of all files if job is "".
func (s Queue) Pieces(ctx context.Context, collection, job string) (int, error) {
	return one[int](ctx, "file", s.read, "SELECT count(*) FROM file WHERE $2 = '' OR collection = $1 AND job = $2", collection, job)
}

// DeleteFile removes the file of a job, also from the files of the database.
func (s Queue) DeleteFile(ctx context.Context, collection, job string) error {
	if _, err := s.write.ExecContext(ctx, "DELETE FROM file WHERE collection = $1 AND job = $2", collection, job); err != nil {
		return fmt.Errorf("delete file: %w", err)
	}
	return s.scrub(ctx)
}
