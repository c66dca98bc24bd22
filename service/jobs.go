package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"nrdl/service/store"
)

// Work works on jobs and sends messages until ctx ends; what is unfinished then waits
// for the next one who works. Serve does it too.
func (v *Service) Work(ctx context.Context) {
	const jobs, senders = 2, 4
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
		wake = nil
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
	j.Actor = by(ctx).actor
	j, err := v.store.Enqueue(ctx, j)
	select {
	case v.wake <- struct{}{}:
	default:
	}
	return j, err
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
	go v.beat(inner, cancel, *j)
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
	told := "the service could not do it: its log tells more"
	if errors.As(err, &status) {
		told = status.Error()
	} else if err != nil {
		err = cmp.Or(context.Cause(inner), err)
	}
	gone := errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrConflict)
	if gone {
		told = err.Error()
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
		ended, err = false, v.store.Again(end, j, "", time.Now())
	case useless, j.Attempts >= most:
		v.Log.Warn("job failed", "job", j.ID, "kind", j.Kind, "error", err.Error())
		ended, err = useless, v.store.Fail(end, j, told)
	default:
		v.Log.Warn("job is tried again", "job", j.ID, "kind", j.Kind, "attempt", j.Attempts, "error", err.Error())
		wait := first
		for range j.Attempts - 1 {
			wait *= 5
		}
		ended, err = false, v.store.Again(end, j, told, time.Now().Add(min(wait, longestPause)))
	}
	if err != nil && !errors.Is(err, store.ErrLost) {
		v.Log.Error("the end of a job was not noted", "job", j.ID, "error", err.Error()) // its lease ends
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

// beat prolongs the lease of j until ctx ends, and cancels when it is lost.
func (v *Service) beat(ctx context.Context, cancel context.CancelCauseFunc, j store.Job) {
	last := time.Now()
	for {
		pause(ctx, v.Lease/3, nil)
		if ctx.Err() != nil {
			return
		}
		start := time.Now()
		switch err := v.store.Extend(ctx, &j, v.Lease); {
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
	var told any
	switch j.Kind {
	case store.KindMessage:
		return nil, v.send(ctx, j)
	case kindImport:
		told, err = v.imports(ctx, j)
	case kindRefit:
		told, err = v.refit(ctx, j)
	case kindRegroup:
		told, err = v.regroup(ctx, j)
	case kindErase:
		told, err = v.erase(ctx, j)
	case kindExport:
		told, err = v.exportJob(ctx, j)
	default:
		err = huma.Error422UnprocessableEntity("this service does not know such a job")
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(told)
}

// A steps is the progress of a job that goes item by item.
type steps struct {
	v      *Service
	j      *store.Job
	total  int
	result any // pointer
}

// resume returns the steps of j, of which j.Done are done, with the result so far.
func (v *Service) resume(j *store.Job, total int, result any) (steps, error) {
	s := steps{v, j, total, result}
	if len(j.Result) > 0 && string(j.Result) != "null" {
		return s, json.Unmarshal(j.Result, result)
	}
	return s, nil
}

// in returns ctx for the change that ends the step number done.
func (s steps) in(ctx context.Context, done int) context.Context {
	return store.InStep(ctx, s.j, done, s.total, asJSON(s.result))
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

// erase is a job that erases people.
func (v *Service) erase(ctx context.Context, j *store.Job) (*EraseResult, error) {
	var asked JobRequest
	if err := json.Unmarshal(j.Payload, &asked); err != nil {
		return nil, err
	}
	told := &EraseResult{Receipts: []store.Receipt{}}
	s, err := v.resume(j, len(asked.People), told)
	if err != nil {
		return nil, err
	}
	for i := j.Done; i < len(asked.People); i++ {
		id := asked.People[i]
		receipt, err := v.store.ErasePerson(s.in(ctx, i+1), j.Actor, j.Collection, id)
		switch {
		case errors.Is(err, store.ErrNotFound): // was erased already
			err = s.skip(ctx, i+1)
		case err == nil:
			s.ended(i + 1)
			told.Receipts = append(told.Receipts, receipt)
			err = s.skip(ctx, i+1)
		}
		if err != nil {
			return nil, err
		}
	}
	return told, nil
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
	told, err := v.exported(ctx, f, j.Collection, "", func(faces int) {
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
	told.Bytes = f.size
	return &told, err
}

// regroup groups the faces of nobody, so many at a time, and keeps the groups.
func (v *Service) regroup(ctx context.Context, j *store.Job) (*RegroupResult, error) {
	s, err := v.engine.of(ctx, j.Collection)
	if err != nil {
		return nil, err
	}
	samples, err := v.engine.unlabelled(ctx, s, mostRegrouped)
	if err != nil {
		return nil, err
	}
	var groups [][]string
	for from := 0; from < len(samples); from += mostGrouped {
		some, err := s.group(ctx, samples[from:min(from+mostGrouped, len(samples))])
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
	return &RegroupResult{len(samples), len(groups)}, v.store.PutGroups(store.InStep(ctx, j, len(samples), len(samples), nil), j.Collection, groups)
}

type InJob struct {
	InCollection
	Job string `path:"j"`
}

func toldJob(j store.Job) Job {
	told := Job{ID: j.ID, Kind: j.Kind, State: j.State, Progress: Progress{j.Done, j.Total}, Attempts: j.Attempts, Error: j.Error, Created: j.Created, Version: j.Version}
	if string(j.Result) != "null" {
		told.Result = j.Result
	}
	if !j.Finished.IsZero() {
		told.Finished = &j.Finished
	}
	return told
}

func (v *Service) jobs() {
	const path = "/v1/collections/{c}/jobs"
	operation(v, http.MethodGet, path, "List jobs, the latest first", forReading, func(ctx context.Context, in *struct {
		InCollection
		Cursor
		Kind  string `query:"kind" enum:"import,refit,regroup,erase,export"`
		State string `query:"state" enum:"waiting,running,done,failed,cancelled"`
	},
	) (*body[Page[Job]], error) {
		if _, err := v.store.Collection(ctx, in.Collection); err != nil {
			return nil, err
		}
		all, err := v.store.Jobs(ctx, in.Collection, in.Kind, in.State, "", in.After, in.Limit+1)
		return page(all, in.Limit, func(j store.Job) string { return j.ID }, toldJob), err
	})
	operation(v, http.MethodPost, path, "Start a job; refit and regroup are there once, until they end", forAdmin, func(ctx context.Context, in *struct {
		InCollection
		Body JobRequest
	},
	) (*body[Job], error) {
		j := store.Job{Collection: in.Collection, Kind: in.Body.Kind, Payload: asJSON(in.Body)}
		switch {
		case (j.Kind == kindErase) != (len(in.Body.People) > 0):
			return nil, huma.Error422UnprocessableEntity("erase needs people, and nothing else takes them")
		case j.Kind == kindRefit || j.Kind == kindRegroup:
			j.Key = j.Kind
		}
		return jobBody(v.enqueue(ctx, j))
	})
	operation(v, http.MethodGet, path+"/{j}", "Get a job", forReading, func(ctx context.Context, in *InJob) (*body[Job], error) {
		return jobBody(v.job(ctx, in))
	})
	operation(v, http.MethodDelete, path+"/{j}", "Cancel a job, unless it has ended; what it has done stays", forEnrolling, func(ctx context.Context, in *InJob) (*body[Job], error) {
		if _, err := v.job(ctx, in); err != nil {
			return nil, err
		}
		j, err := v.store.Cancel(ctx, by(ctx).actor, in.Collection, in.Job)
		if err == nil && j.State == store.Cancelled && j.Kind == kindImport {
			v.drop(ctx, j.Collection, j.ID)
		}
		return jobBody(j, err)
	})
	operation(v, http.MethodPost, path+"/{j}/retry", "Try a job again that has failed", forAdmin, func(ctx context.Context, in *InJob) (*body[Job], error) {
		was, err := v.job(ctx, in)
		if err != nil {
			return nil, err
		}
		if was.Kind == kindImport && was.State == store.Failed {
			if n, err := v.store.Pieces(ctx, in.Collection, in.Job); err != nil {
				return nil, err
			} else if n == 0 {
				return nil, huma.Error409Conflict("the file of the import is removed: send it again; what was added is not added twice")
			}
		}
		return jobBody(v.store.Retry(ctx, by(ctx).actor, in.Collection, in.Job))
	})
	for _, verb := range []string{"accept", "discard"} {
		operation(v, http.MethodPost, path+"/{j}/"+verb, "Decide on what a refit has found, if that is worse: "+verb+" it", forAdmin, func(ctx context.Context, in *InJob) (*body[Job], error) {
			return jobBody(v.decided(ctx, in, verb))
		})
	}
	v.plain(http.MethodGet, path+"/{j}/file", "Get the file of an export, a tar, for a day", forAdmin, nil, v.jobFile)
	v.plain(http.MethodGet, path+"/{j}/events", "Follow a job: server-sent events, each with the job", forReading, nil, v.events)
	v.plain(http.MethodPost, "/v1/collections/{c}/import", "Add all faces of many photographs, or of an archive of photographs (zip) or an export (tar), by a job; folders=people: in a zip, Ann/1.jpg is of Ann", forEnrolling, []string{"photo", "archive"}, v.upload)
	v.describeImport()
	v.plain(http.MethodGet, "/v1/collections/{c}/export", "Get the collection with all crops and vectors, a tar", forAdmin, nil, v.export)
}

// upload's query is described by hand, as its body is.
func (v *Service) describeImport() {
	o := v.api.OpenAPI().Paths["/v1/collections/{c}/import"].Post
	o.Parameters = append(o.Parameters, &huma.Param{Name: "folders", In: "query", Description: "people: in a zip, Ann/1.jpg is of Ann", Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"people"}}})
}

func jobBody(j store.Job, err error) (*body[Job], error) { return &body[Job]{toldJob(j)}, err }

// job returns a job that is no message.
func (v *Service) job(ctx context.Context, in *InJob) (store.Job, error) {
	j, err := v.store.Job(ctx, in.Collection, in.Job)
	if err == nil && j.Kind == store.KindMessage {
		err = fmt.Errorf("job %w", store.ErrNotFound)
	}
	return j, err
}

// jobFile answers with the file of an export.
func (v *Service) jobFile(w http.ResponseWriter, r *http.Request) error {
	j, err := v.job(r.Context(), &InJob{InCollection{r.PathValue("c")}, r.PathValue("j")})
	if err != nil {
		return err
	}
	var told ExportResult
	pieces, err := v.store.Pieces(r.Context(), j.Collection, j.ID)
	switch {
	case err != nil:
		return err
	case j.Kind != kindExport || j.State != store.Succeeded || pieces == 0:
		return huma.Error404NotFound("the job has no file")
	}
	if err := json.Unmarshal(j.Result, &told); err != nil {
		return err
	}
	attach(w, j.ID)
	w.Header().Set("Content-Length", strconv.FormatInt(told.Bytes, 10))
	from := io.NewSectionReader(&jobReader{ctx: r.Context(), store: v.store, collection: j.Collection, job: j.ID, size: told.Bytes}, 0, told.Bytes)
	if _, err := io.Copy(&patient{w, http.NewResponseController(w)}, from); err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

// events tells of each change of a job until it has ended or the time of a request is
// over; the client comes back then by itself.
func (v *Service) events(w http.ResponseWriter, r *http.Request) error {
	in := &InJob{InCollection{r.PathValue("c")}, r.PathValue("j")}
	seen, _ := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	j, err := v.job(r.Context(), in)
	if err != nil {
		return err
	}
	if !j.Finished.IsZero() && j.Version == seen {
		w.WriteHeader(http.StatusNoContent) // nothing will come: the client does not ask again
		return nil
	}
	if !v.following.TryAcquire(1) {
		return errBusy
	}
	defer v.following.Release(1)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // for nginx
	out := &patient{w, http.NewResponseController(w)}
	const often, quiet = 300 * time.Millisecond, 15 * time.Second
	spoke := time.Now()
	fmt.Fprint(out, "retry: 1000\n\n")
	for {
		if j.Version != seen {
			fmt.Fprintf(out, "id: %d\nevent: job\ndata: %s\n\n", j.Version, asJSON(toldJob(j)))
			seen, spoke = j.Version, time.Now()
		} else if time.Since(spoke) > quiet {
			fmt.Fprint(out, ": still there\n\n")
			spoke = time.Now()
		}
		if err := out.control.Flush(); err != nil || !j.Finished.IsZero() {
			return nil
		}
		pause(r.Context(), often, v.stopping)
		select {
		case <-v.stopping:
			return nil
		case <-r.Context().Done():
			return nil
		default:
		}
		if j, err = v.job(r.Context(), in); err != nil {
			return nil // the client comes back, and is told then
		}
	}
}
