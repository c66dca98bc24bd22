package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"

	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// senders is how many messages are sent at a time.
const senders = 4

// Work works on jobs and sends messages until ctx ends. Jobs that are not finished then wait for
// another process.
func (v *Service) Work(ctx context.Context) {
	const jobs = 2
	var all sync.WaitGroup
	for i := range jobs + senders {
		all.Go(func() { v.works(ctx, i >= jobs) })
	}
	all.Go(func() { v.people.WatchOriginals(ctx) })
	all.Go(func() { people.Load(ctx, v.people) })
	all.Go(func() { v.people.KeepSightings(ctx) })
	all.Go(func() {
		for ctx.Err() == nil {
			if v.Backups != "" {
				tidyBackups(v.Backups)
			}
			if err := v.store.Tidy(ctx); err != nil && ctx.Err() == nil {
				v.Log.Error("tidy", "error", err.Error())
			}
			if n, err := v.store.ExpireVisitors(ctx); err != nil && ctx.Err() == nil {
				v.Log.Error("visitors do not expire", "error", err.Error())
			} else if n > 0 {
				v.Log.Info("visitors have expired", "faces", n)
			}
			people.Pause(ctx, time.Hour, nil)
		}
	})
	all.Wait()
}

// works works on messages, or on other jobs, one after the other.
func (v *Service) works(ctx context.Context, messages bool) {
	const poll = time.Second
	worker, wake := uuid.NewString(), v.wake
	if messages {
		wake = v.changed
	}
	for ctx.Err() == nil {
		j, err := v.store.Lease(ctx, worker, messages, v.Lease)
		switch {
		case err != nil && ctx.Err() == nil:
			v.Log.Error("no job can be had", "error", err.Error())
			fallthrough
		case j == nil:
			people.Pause(ctx, poll, wake)
		default:
			v.run(ctx, j)
		}
	}
}

// Enqueue adds a job and wakes a worker.
func (v *Service) Enqueue(ctx context.Context, j store.Job) (store.Job, error) {
	j.Actor = people.CallerOf(ctx).Actor
	j, err := v.store.Enqueue(ctx, j)
	signal(v.wake)
	return j, err
}

// signal wakes a goroutine that waits for c, or the next one to wait.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// MayHaveChanged wakes the senders of messages.
func (v *Service) MayHaveChanged() {
	for range senders {
		signal(v.changed)
	}
}

// How often jobs and messages are tried, and the longest pause between two attempts.
const (
	tries        = 3
	triesMessage = 6
	longestPause = 2 * time.Hour
)

// errEnded is the reason of a job that failed because its process ended in every attempt.
var errEnded = errors.New("the process ended each time that it was tried")

// run works on a job that this process has leased.
func (v *Service) run(ctx context.Context, j *store.Job) {
	inner, cancel := context.WithCancelCause(people.WithCaller(ctx, &people.Caller{ID: j.ID, Actor: j.Actor, Job: true}))
	defer cancel(nil)
	leased := *j
	go Beat(inner, cancel, v.Lease, func(ctx context.Context) error { return v.store.Extend(ctx, &leased, v.Lease) })
	result, err := json.RawMessage(nil), errEnded
	if maxTries, _ := triesOf(j); j.Attempts <= maxTries {
		result, err = v.attempt(inner, j)
	}
	if err != nil && err != errEnded && people.AsAnswered(err) == nil {
		err = cmp.Or(context.Cause(inner), err)
	}
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), v.Wait)
	defer stop()
	final := false // the job will not be tried again
	switch {
	case err == nil:
		final, err = true, v.store.Finish(end, j, result)
	case errors.Is(err, store.ErrLost):
		return
	case err != errEnded && ctx.Err() != nil:
		err = v.store.Retry(end, j, "", time.Now())
	default:
		final, err = v.failed(end, j, err)
	}
	if err != nil && !errors.Is(err, store.ErrLost) {
		v.Log.Error("the end of a job was not noted", "job", j.ID, "error", err.Error()) // its lease ends
	}
	if j.Kind != store.KindMessage {
		v.MayHaveChanged()
	}
	if final && j.Kind == kindImport {
		v.Drop(end, j.Collection, j.ID)
	}
}

// triesOf returns how often a job is tried, and the pause after the first attempt.
func triesOf(j *store.Job) (limit int, pause time.Duration) {
	if j.Kind == store.KindMessage {
		return triesMessage, 10 * time.Second
	}
	return tries, time.Second
}

// failed ends a job after an attempt that failed with err, or makes it wait for the next one. final
// says that no attempt could succeed.
func (v *Service) failed(ctx context.Context, j *store.Job, err error) (final bool, _ error) {
	reason := "the service could not do it: its log tells more"
	status := people.AsAnswered(err)
	switch {
	case status != nil:
		reason, final = status.Error(), status.GetStatus() < http.StatusInternalServerError
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrConflict):
		reason, final = err.Error(), true
	case err == errEnded:
		reason = err.Error()
	}
	limit, wait := triesOf(j)
	if final || j.Attempts >= limit {
		v.Log.Warn("job failed", "job", j.ID, "kind", j.Kind, "error", err.Error())
		return final, v.store.Fail(ctx, j, reason)
	}
	v.Log.Warn("job is tried again", "job", j.ID, "kind", j.Kind, "attempt", j.Attempts, "error", err.Error())
	for range j.Attempts - 1 {
		wait *= 5
	}
	return false, v.store.Retry(ctx, j, reason, time.Now().Add(min(wait, longestPause)))
}

// Drop removes the file of a job; Tidy removes it later if that fails.
func (v *Service) Drop(ctx context.Context, collection, job string) {
	if err := v.store.DeleteFile(ctx, collection, job); err != nil {
		v.Log.Error("file not removed", "job", job, "error", err.Error())
	}
}

// Beat calls extend to prolong a lease until ctx ends. It calls cancel if the lease is lost.
func Beat(ctx context.Context, cancel context.CancelCauseFunc, lease time.Duration, extend func(context.Context) error) {
	last := time.Now()
	for {
		people.Pause(ctx, lease/3, nil)
		if ctx.Err() != nil {
			return
		}
		start := time.Now()
		switch err := extend(ctx); {
		case err == nil:
			last = start
		case errors.Is(err, store.ErrLost), time.Since(last) > lease:
			cancel(store.ErrLost)
			return
		}
	}
}

// Kinds of jobs other than messages.
const (
	kindImport  = "import"
	kindRefit   = "refit"
	kindRegroup = "regroup"
	kindErase   = "erase"
	kindExport  = "export"
	kindTags    = "tags"
	kindAlbum   = "album"
)

// attempt carries out a job.
func (v *Service) attempt(ctx context.Context, j *store.Job) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			v.Log.Error("panic", "job", j.ID, "stack", string(debug.Stack())) // the value might have a name
			err = errors.New("panic")
		}
	}()
	var response any
	switch j.Kind {
	case store.KindMessage:
		return nil, v.send(ctx, j)
	case kindImport:
		response, err = v.importJob(ctx, j)
	case kindRefit:
		response, err = v.refit(ctx, j)
	case kindRegroup:
		response, err = v.regroup(ctx, j)
	case kindErase:
		response, err = v.erase(ctx, j)
	case kindExport:
		response, err = v.exportJob(ctx, j)
	case kindAlbum:
		response, err = v.albumJob(ctx, j)
	case kindTags:
		response, err = v.tag(ctx, j)
	default:
		err = people.Invalid("this service does not know such a job")
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(response)
}

// steps is the progress of a job that works item by item.
type steps struct {
	v      *Service
	j      *store.Job
	total  int
	result any // pointer

	lastWrite time.Time // when note wrote last
}

// resume returns the steps of j after j.Done of them, with the result until then.
func (v *Service) resume(j *store.Job, total int, result any) (steps, error) {
	s := steps{v: v, j: j, total: total, result: result}
	if len(j.Result) > 0 && string(j.Result) != "null" {
		return s, json.Unmarshal(j.Result, result)
	}
	return s, nil
}

// in returns ctx for the change of the step number done.
func (s steps) in(ctx context.Context, done int) context.Context {
	return store.WithStep(ctx, s.j, done, s.total, people.AsJSON(s.result))
}

// ended notes that the change of a step has been made, in a context of s.in.
func (s steps) ended(done int) {
	s.j.Done, s.j.Total, s.j.Attempts, s.j.Result = done, s.total, 1, people.AsJSON(s.result)
}

// skip ends a step without a change.
func (s steps) skip(ctx context.Context, done int) error {
	err := s.v.store.Progress(ctx, s.j, done, s.total, people.AsJSON(s.result))
	if err == nil {
		s.ended(done)
	}
	return err
}

// note is skip, but writes at most once a second, since an archive may have very many files that
// are refused. If the process ends, another one refuses them again.
func (s *steps) note(ctx context.Context, done int) error {
	if time.Since(s.lastWrite) < time.Second {
		return context.Cause(ctx)
	}
	s.lastWrite = time.Now()
	return s.skip(ctx, done)
}

// erase is a job that erases people.
func (v *Service) erase(ctx context.Context, j *store.Job) (*EraseResult, error) {
	var request JobRequest
	if err := json.Unmarshal(j.Payload, &request); err != nil {
		return nil, err
	}
	result := &EraseResult{Receipts: []store.Receipt{}}
	s, err := v.resume(j, len(request.People), result)
	if err != nil {
		return nil, err
	}
	for i := j.Done; i < len(request.People); i++ {
		id := request.People[i]
		receipt, err := v.store.ErasePerson(s.in(ctx, i+1), j.Actor, j.Collection, id, nil)
		switch {
		case errors.Is(err, store.ErrNotFound): // it is erased already
			err = s.skip(ctx, i+1)
		case err == nil:
			s.ended(i + 1)
			result.Receipts = append(result.Receipts, receipt)
			err = s.skip(ctx, i+1)
		}
		if err != nil {
			return nil, err
		}
	}
	return result, nil
}

// exportJob writes the tar of a collection to the file of the job.
func (v *Service) exportJob(ctx context.Context, j *store.Job) (*ExportResult, error) {
	if err := v.store.DeleteFile(ctx, j.Collection, j.ID); err != nil { // of an earlier attempt
		return nil, err
	}
	total, err := v.store.CountFaces(ctx, j.Collection)
	if err != nil {
		return nil, err
	}
	f := &Writer{ctx: ctx, store: v.store, collection: j.Collection, Job: j.ID, limit: v.Files}
	const often = 500
	result, err := v.Export(ctx, f, j.Collection, "", func(faces int) {
		if faces%often == 0 && err == nil {
			err = v.store.Progress(ctx, j, faces, total, nil)
		}
	})
	if errors.Is(err, errLarge) {
		return nil, people.Invalid("the export is too large to be kept: GET export sends it at once")
	}
	if err == nil {
		err = f.Flush()
	}
	result.Bytes = f.Size
	return &result, err
}

// regroup groups the faces without a person, in parts, and stores the groups.
func (v *Service) regroup(ctx context.Context, j *store.Job) (*RegroupResult, error) {
	faces, groups, err := v.people.Regroup(ctx, j.Collection,
		func(done, total int) error { return v.store.Progress(ctx, j, done, total, nil) })
	if err != nil {
		return nil, err
	}
	return &RegroupResult{faces, len(groups)}, v.store.PutGroups(store.WithStep(ctx, j, faces, faces, nil), j.Collection, groups)
}
