package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"nrdl.example/nrdl/service/store"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
)

// senders is how many messages are sent at a time.
const senders = 4

// Work works on jobs and sends messages until ctx ends; what is unfinished then waits
// for the next one who works. Serve does it too.
func (v *Service) Work(ctx context.Context) {
	const jobs = 2
	var all sync.WaitGroup
	for i := range jobs + senders {
		all.Go(func() { v.works(ctx, i >= jobs) })
	}
	all.Go(func() {
		for ctx.Err() == nil {
			if err := v.store.Tidy(ctx); err != nil && ctx.Err() == nil {
				v.Log.Error("tidy", "error", err.Error())
			}
			pause(ctx, time.Hour, nil)
		}
	})
	all.Wait()
}

// pause waits for a time, for wake, or for ctx to end.
func pause(ctx context.Context, d time.Duration, wake <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-wake:
	case <-t.C:
	}
}

// works is one who works, on messages or on other jobs.
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
			pause(ctx, poll, wake)
		default:
			v.run(ctx, j)
		}
	}
}

// enqueue adds a job and wakes one who works.
func (v *Service) enqueue(ctx context.Context, j store.Job) (store.Job, error) {
	j.Actor = requestOf(ctx).actor
	j, err := v.store.Enqueue(ctx, j)
	signal(v.wake)
	return j, err
}

// signal wakes one who waits for c, or the next to wait.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// mayHaveChanged wakes all who send messages.
func (v *Service) mayHaveChanged() {
	for range senders {
		signal(v.changed)
	}
}

// How often jobs and messages are tried, and the longest time between.
const (
	tries        = 3
	triesMessage = 6
	longestPause = 2 * time.Hour
)

// errEnded is the reason of a job that failed though no attempt came to an end.
var errEnded = errors.New("the process ended each time that it was tried")

// run works on a job that this process has leased.
func (v *Service) run(ctx context.Context, j *store.Job) {
	inner, cancel := context.WithCancelCause(context.WithValue(ctx, requestKey{}, &request{id: j.ID, actor: j.Actor, job: true}))
	defer cancel(nil)
	held := *j
	go v.beat(inner, cancel, func(ctx context.Context) error { return v.store.Extend(ctx, &held, v.Lease) })
	most, first := tries, time.Second
	if j.Kind == store.KindMessage {
		most, first = triesMessage, 10*time.Second
	}
	result, err := json.RawMessage(nil), error(nil)
	if j.Attempts > most {
		err = errEnded
	} else {
		result, err = v.attempt(inner, j)
	}
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), v.Wait)
	defer stop()
	var status huma.StatusError
	response := "the service could not do it: its log tells more"
	if errors.As(err, &status) {
		response = status.Error()
	} else if err != nil {
		err = cmp.Or(context.Cause(inner), err)
	}
	gone := errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrConflict)
	if gone {
		response = err.Error()
	}
	useless := gone || status != nil && status.GetStatus() < http.StatusInternalServerError // to try it again
	ended := true                                                                           // for good
	switch {
	case err == errEnded:
		v.Log.Warn("job failed", "job", j.ID, "kind", j.Kind, "error", err.Error())
		ended, err = false, v.store.Fail(end, j, err.Error())
	case err == nil:
		err = v.store.Finish(end, j, result)
	case errors.Is(err, store.ErrLost):
		return
	case ctx.Err() != nil:
		ended, err = false, v.store.Retry(end, j, "", time.Now())
	case useless, j.Attempts >= most:
		v.Log.Warn("job failed", "job", j.ID, "kind", j.Kind, "error", err.Error())
		ended, err = useless, v.store.Fail(end, j, response)
	default:
		v.Log.Warn("job is tried again", "job", j.ID, "kind", j.Kind, "attempt", j.Attempts, "error", err.Error())
		wait := first
		for range j.Attempts - 1 {
			wait *= 5
		}
		ended, err = false, v.store.Retry(end, j, response, time.Now().Add(min(wait, longestPause)))
	}
	if err != nil && !errors.Is(err, store.ErrLost) {
		v.Log.Error("the end of a job was not noted", "job", j.ID, "error", err.Error()) // its lease ends
	}
	if j.Kind != store.KindMessage {
		v.mayHaveChanged()
	}
	if ended && j.Kind == kindImport {
		v.drop(end, j.Collection, j.ID)
	}
}

// drop removes the file of a job; Tidy removes it later if that fails.
func (v *Service) drop(ctx context.Context, collection, job string) {
	if err := v.store.DeleteFile(ctx, collection, job); err != nil {
		v.Log.Error("file not removed", "job", job, "error", err.Error())
	}
}

// beat prolongs a lease by extend until ctx ends, and cancels when it is lost.
func (v *Service) beat(ctx context.Context, cancel context.CancelCauseFunc, extend func(context.Context) error) {
	last := time.Now()
	for {
		pause(ctx, v.Lease/3, nil)
		if ctx.Err() != nil {
			return
		}
		start := time.Now()
		switch err := extend(ctx); {
		case err == nil:
			last = start
		case errors.Is(err, store.ErrLost), time.Since(last) > v.Lease:
			cancel(store.ErrLost)
			return
		}
	}
}

// Kinds of jobs, beside messages.
const (
	kindImport  = "import"
	kindRefit   = "refit"
	kindRegroup = "regroup"
	kindErase   = "erase"
	kindExport  = "export"
)

// attempt does what a job asks for.
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
	default:
		err = huma.Error422UnprocessableEntity("this service does not know such a job")
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(response)
}

// A steps is the progress of a job that goes item by item.
type steps struct {
	v      *Service
	j      *store.Job
	total  int
	result any // pointer

	written time.Time // when note wrote last
}

// resume returns the steps of j, of which j.Done are done, with the result so far.
func (v *Service) resume(j *store.Job, total int, result any) (steps, error) {
	s := steps{v: v, j: j, total: total, result: result}
	if len(j.Result) > 0 && string(j.Result) != "null" {
		return s, json.Unmarshal(j.Result, result)
	}
	return s, nil
}

// in returns ctx for the change that ends the step number done.
func (s steps) in(ctx context.Context, done int) context.Context {
	return store.WithStep(ctx, s.j, done, s.total, asJSON(s.result))
}

// ended notes that a step has ended whose change was made in its context.
func (s steps) ended(done int) {
	s.j.Done, s.j.Total, s.j.Attempts, s.j.Result = done, s.total, 1, asJSON(s.result)
}

// skip ends a step without a change.
func (s steps) skip(ctx context.Context, done int) error {
	err := s.v.store.Progress(ctx, s.j, done, s.total, asJSON(s.result))
	if err == nil {
		s.ended(done)
	}
	return err
}

// note is skip, but writes once a second at most: an archive may have very many files that are
// refused. If the process ends, they are refused again.
func (s *steps) note(ctx context.Context, done int) error {
	if time.Since(s.written) < time.Second {
		return context.Cause(ctx)
	}
	s.written = time.Now()
	return s.skip(ctx, done)
}

// erase is a job that erases people.
func (v *Service) erase(ctx context.Context, j *store.Job) (*EraseResult, error) {
	var asked JobRequest
	if err := json.Unmarshal(j.Payload, &asked); err != nil {
		return nil, err
	}
	response := &EraseResult{Receipts: []store.Receipt{}}
	s, err := v.resume(j, len(asked.People), response)
	if err != nil {
		return nil, err
	}
	for i := j.Done; i < len(asked.People); i++ {
		id := asked.People[i]
		receipt, err := v.store.ErasePerson(s.in(ctx, i+1), j.Actor, j.Collection, id, nil)
		switch {
		case errors.Is(err, store.ErrNotFound): // was erased already
			err = s.skip(ctx, i+1)
		case err == nil:
			s.ended(i + 1)
			response.Receipts = append(response.Receipts, receipt)
			err = s.skip(ctx, i+1)
		}
		if err != nil {
			return nil, err
		}
	}
	return response, nil
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
	f := &jobWriter{ctx: ctx, store: v.store, collection: j.Collection, job: j.ID, most: v.Files}
	const often = 500
	response, err := v.export(ctx, f, j.Collection, "", func(faces int) {
		if faces%often == 0 && err == nil {
			err = v.store.Progress(ctx, j, faces, total, nil)
		}
	})
	if errors.Is(err, errLarge) {
		return nil, huma.Error422UnprocessableEntity("the export is too large to be kept: GET export sends it at once")
	}
	if err == nil {
		err = f.flush()
	}
	response.Bytes = f.size
	return &response, err
}

// regroup groups the faces of nobody, so many at a time, and keeps the groups.
func (v *Service) regroup(ctx context.Context, j *store.Job) (*RegroupResult, error) {
	s, err := v.engine.snapshot(ctx, j.Collection)
	if err != nil {
		return nil, err
	}
	samples, err := v.engine.unlabelled(ctx, s, mostRegrouped)
	if err != nil {
		return nil, err
	}
	var groups [][]string
	for from := 0; from < len(samples); from += v.engine.mostGrouped {
		some, err := s.group(ctx, samples[from:min(from+v.engine.mostGrouped, len(samples))])
		if err != nil {
			return nil, err
		}
		groups = append(groups, some...)
		if err := v.store.Progress(ctx, j, from, len(samples), nil); err != nil {
			return nil, err
		}
	}
	s.grouping.Lock()
	s.clusters = nil
	s.grouping.Unlock()
	return &RegroupResult{len(samples), len(groups)}, v.store.PutGroups(store.WithStep(ctx, j, len(samples), len(samples), nil), j.Collection, groups)
}
