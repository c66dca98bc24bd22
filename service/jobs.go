package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/service/store"
)

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
		receipt, err := v.store.ErasePerson(s.in(ctx, i+1), j.Actor, j.Collection, id, nil)
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
		after, err := in.id()
		if err != nil {
			return nil, err
		}
		all, err := v.store.Jobs(ctx, in.Collection, in.Kind, in.State, "", after, in.Limit+1)
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
		return jobBody(v.store.Restart(ctx, by(ctx).actor, in.Collection, in.Job))
	})
	for _, verb := range []string{"accept", "discard"} {
		operation(v, http.MethodPost, path+"/{j}/"+verb, "Decide on what a refit has found, if that is worse: "+verb+" it", forAdmin, func(ctx context.Context, in *InJob) (*body[Job], error) {
			return jobBody(v.decided(ctx, in, verb))
		})
	}
	v.plain(http.MethodGet, path+"/{j}/file", plain{summary: "Get the file of an export, a tar, for a day", scopes: forAdmin, kind: "application/x-tar"}, v.jobFile)
	v.plain(http.MethodGet, path+"/{j}/events", plain{summary: "Follow a job: server-sent events, each with the job", scopes: forReading, kind: "text/event-stream"}, v.events)
	v.plain(http.MethodPost, "/v1/collections/{c}/import", plain{
		summary: "Add all faces of many photographs, or of an archive of photographs (zip) or an export (tar), by a job", scopes: forEnrolling, files: []string{"photo", "archive"}, answer: Job{},
		query: []*huma.Param{option("folders", "people", "In a zip, Ann/1.jpg is of Ann"), option("as", "strangers", "The photographs are of people who are not in the collection, for its calibration")},
	}, v.upload)
	v.plain(http.MethodGet, "/v1/collections/{c}/export", plain{summary: "Get the collection with all crops and vectors, a tar", scopes: forAdmin, kind: "application/x-tar"}, v.export)
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
