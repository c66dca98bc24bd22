package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/server/store"
)

// A JobRequest asks for a job.
type JobRequest struct {
	Kind   string   `json:"kind" enum:"refit,regroup,erase,export"`
	People []string `json:"people,omitempty" maxItems:"500" doc:"erase: ids of the people"`
}

// A Job is work that takes long and is done after the request, such as an import.
type Job struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind" enum:"import,refit,regroup,erase,export"`
	State    string          `json:"state" enum:"waiting,running,done,failed,cancelled"`
	Progress Progress        `json:"progress"`
	Attempts int             `json:"attempts" doc:"Since there was progress; after three a job has failed"`
	Result   json.RawMessage `json:"result,omitempty" doc:"ImportResult, RefitResult, RegroupResult, EraseResult or ExportResult"`
	Error    string          `json:"error,omitempty" doc:"Of the last attempt"`
	Created  time.Time       `json:"created"`
	Finished *time.Time      `json:"finished,omitempty"`
	Version  int64           `json:"version" doc:"Grows with every change of the job"`
}

// A Progress is how much of a job is done.
type Progress struct {
	Done  int `json:"done"`
	Total int `json:"total" doc:"0: not known yet"`
}

// An ImportResult tells what an import has added so far.
type ImportResult struct {
	Photos     int           `json:"photos"`
	Faces      int           `json:"faces"`
	People     int           `json:"people" doc:"Who are new"`
	Duplicates int           `json:"duplicates" doc:"Photographs or faces that were there"`
	Skipped    int           `json:"skipped" doc:"Files that are no images"`
	Refused    []RefusedFile `json:"refused" doc:"The first 500"`

	Warnings []RefusedFile `json:"warnings,omitempty" doc:"Photographs of people whom the collection takes for somebody else, damaged files, and tags that could not be used, the first 500; they were added all the same"`

	Tagged []TaggedFile `json:"tagged,omitempty" doc:"With tags=regions: the photographs with face tags, the first 500"`
}

// A TaggedFile tells what became of the face tags of a photograph.
type TaggedFile struct {
	Name    string   `json:"name"`
	People  []string `json:"people" doc:"Whose faces were added"`
	Without []string `json:"without" doc:"Names without a face: none was found in the region, or it is not clear which of several it is"`
	Problem string   `json:"problem,omitempty" doc:"Why tags could not be read"`
}

// A RefusedFile is a file without a usable face.
type RefusedFile struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// A RefitResult compares the model in use with a newly trained one, on the same held-out
// faces.
type RefitResult struct {
	Verdict   string   `json:"verdict,omitempty" enum:"first,same,better,worse"`
	Decision  string   `json:"decision,omitempty" enum:"swapped,needed,accepted,discarded"`
	Embedded  int      `json:"embedded" doc:"Faces that got a vector of the present network"`
	Live      *HeldOut `json:"live,omitempty"`
	Candidate *HeldOut `json:"candidate,omitempty"`
}

// HeldOut are counts of faces that were recognised by a model that has not seen them.
type HeldOut struct {
	Faces     int     `json:"faces"`
	Right     int     `json:"right" doc:"Named, and rightly"`
	Wrong     int     `json:"wrong" doc:"Named as somebody else"`
	Strangers int     `json:"strangers" doc:"Faces of people who were left out"`
	Named     int     `json:"named" doc:"Of these, how many got a name"`
	Threshold float64 `json:"threshold"`
}

// A RegroupResult tells how the faces without a person were grouped.
type RegroupResult struct {
	Faces  int `json:"faces"`
	Groups int `json:"groups"`
}

// An EraseResult has the receipts of the people who were erased.
type EraseResult struct {
	Receipts []store.Receipt `json:"receipts" doc:"Each as DELETE people/{person} returns it"`
}

// An ExportResult describes the file of an export.
type ExportResult struct {
	People int   `json:"people"`
	Faces  int   `json:"faces"`
	Bytes  int64 `json:"bytes"`
}

func jobResponse(j store.Job) Job {
	response := Job{ID: j.ID, Kind: j.Kind, State: j.State, Progress: Progress{j.Done, j.Total}, Attempts: j.Attempts, Error: j.Error, Created: j.Created, Version: j.Version}
	if string(j.Result) != "null" {
		response.Result = j.Result
	}
	if !j.Finished.IsZero() {
		response.Finished = &j.Finished
	}
	return response
}

func (v *Service) jobs() {
	const path = "/v1/collections/{collection}/jobs"
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
		list := func(before string, limit int) ([]store.Job, error) {
			return v.store.Jobs(ctx, in.Collection, in.Kind, in.State, "", before, limit)
		}
		return pageByID(in.Cursor, list, func(j store.Job) string { return j.ID }, jobResponse)
	})
	operation(v, http.MethodPost, path, "Start a job; refit and regroup are there once, until they end", forAdmin, func(ctx context.Context, in *inCollection[JobRequest]) (*body[Job], error) {
		j := store.Job{Collection: in.Collection, Kind: in.Body.Kind, Payload: asJSON(in.Body)}
		switch {
		case (j.Kind == kindErase) != (len(in.Body.People) > 0):
			return nil, huma.Error422UnprocessableEntity("erase needs people, and nothing else takes them")
		case j.Kind == kindRefit || j.Kind == kindRegroup:
			j.Key = j.Kind
		}
		return jobBody(v.enqueue(ctx, j))
	})
	operation(v, http.MethodGet, path+"/{job}", "Get a job", forReading, func(ctx context.Context, in *InJob) (*body[Job], error) {
		return jobBody(v.job(ctx, in))
	})
	operation(v, http.MethodDelete, path+"/{job}", "Cancel a job, unless it has ended; what it has done stays", forEnrolling, func(ctx context.Context, in *InJob) (*body[Job], error) {
		if _, err := v.job(ctx, in); err != nil {
			return nil, err
		}
		j, err := v.store.Cancel(ctx, requestOf(ctx).actor, in.Collection, in.Job)
		if err == nil && j.State == store.Cancelled && j.Kind == kindImport {
			v.drop(ctx, j.Collection, j.ID)
		}
		return jobBody(j, err)
	})
	operation(v, http.MethodPost, path+"/{job}/retry", "Try a job again that has failed", forAdmin, v.retryJob)
	for _, verb := range []string{"accept", "discard"} {
		operation(v, http.MethodPost, path+"/{job}/"+verb, "Decide on what a refit has found, if that is worse: "+verb+" it", forAdmin, func(ctx context.Context, in *InJob) (*body[Job], error) {
			return jobBody(v.decideRefit(ctx, in, verb))
		})
	}
	v.plain(http.MethodGet, path+"/{job}/file", plain{summary: "Get the file of an export, a tar, for a day", scopes: forAdmin, kind: "application/x-tar"}, v.jobFile)
	v.plain(http.MethodGet, path+"/{job}/events", plain{summary: "Follow a job: server-sent events, each with the job", scopes: forReading, kind: "text/event-stream"}, v.events)
	v.plain(http.MethodPost, "/v1/collections/{collection}/import", plain{
		summary: "Add all faces of many photographs, or of an archive of photographs (zip) or an export (tar), by a job", scopes: forEnrolling, answer: Job{},
		fields: []field{{name: "photo", about: "image file, or with tags=regions a sidecar", most: anyNumber}, {name: "archive", about: "a zip of photographs, or an export (tar), instead of photo"}},
		query:  []*huma.Param{option("folders", "people", "In a zip, Ann/1.jpg is of Ann"), option("tags", "regions", "The names are those of face tags, in the photographs and in sidecars a.jpg.xmp or a.xmp that are sent with them; faces without a tag are of nobody yet"), option("as", "strangers", "The photographs are of people who are not in the collection, for its calibration")},
	}, v.upload)
	v.plain(http.MethodGet, "/v1/collections/{collection}/export", plain{summary: "Get the collection with all crops and vectors, a tar", scopes: forAdmin, kind: "application/x-tar"}, v.sendExport)
}

func (v *Service) retryJob(ctx context.Context, in *InJob) (*body[Job], error) {
	j, err := v.job(ctx, in)
	if err != nil {
		return nil, err
	}
	if j.Kind == kindImport && j.State == store.Failed {
		if n, err := v.store.Pieces(ctx, in.Collection, in.Job); err != nil {
			return nil, err
		} else if n == 0 {
			return nil, huma.Error409Conflict("the file of the import is removed: send it again; what was added is not added twice")
		}
	}
	return jobBody(v.store.Restart(ctx, requestOf(ctx).actor, in.Collection, in.Job))
}

func jobBody(j store.Job, err error) (*body[Job], error) { return answered(jobResponse(j), err) }

// job returns a job that is no message.
func (v *Service) job(ctx context.Context, in *InJob) (store.Job, error) {
	j, err := v.store.Job(ctx, in.Collection, in.Job)
	if err == nil && j.Kind == store.KindMessage {
		err = fmt.Errorf("job %w", store.ErrNotFound)
	}
	return j, err
}

// events sends each change of a job until the job ends, or the time of a request: then the
// client asks again by itself.
func (v *Service) events(w http.ResponseWriter, r *http.Request) error {
	in := &InJob{InCollection{r.PathValue("collection")}, r.PathValue("job")}
	seen, _ := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	j, err := v.job(r.Context(), in)
	if err != nil {
		return err
	}
	if !j.Finished.IsZero() && j.Version == seen {
		w.WriteHeader(http.StatusNoContent) // nothing will come: the client does not ask again
		return nil
	}
	out, done, err := v.stream(w)
	if err != nil {
		return err
	}
	defer done()
	const often = 300 * time.Millisecond
	for err == nil {
		if j.Version != seen {
			out.event(strconv.FormatInt(j.Version, 10), "job", jobResponse(j))
			seen = j.Version
		}
		if !j.Finished.IsZero() || !out.wait(r.Context(), often, v.stopping) {
			return nil
		}
		j, err = v.job(r.Context(), in)
	}
	return nil // the client comes back, and is told then
}

// A jobWriter writes the file of a job in pieces. The caller calls flush in the end.
type jobWriter struct {
	ctx             context.Context
	store           *store.Store
	collection, job string
	most            int64 // bytes
	size            int64
	piece           []byte
	err             error // of the database
}

var errLarge = errors.New("the file is too large")

func (f *jobWriter) Write(b []byte) (n int, err error) {
	for len(b) > 0 {
		k := min(len(b), store.Piece-len(f.piece))
		if f.size += int64(k); f.size > f.most {
			return n, errLarge
		}
		f.piece = append(f.piece, b[:k]...)
		n, b = n+k, b[k:]
		if len(f.piece) == store.Piece {
			if err := f.flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

func (f *jobWriter) flush() error {
	if len(f.piece) == 0 {
		return nil
	}
	n := int((f.size - 1) / store.Piece)
	f.err = f.store.PutPiece(f.ctx, f.collection, f.job, n, f.piece)
	f.piece = f.piece[:0]
	return f.err
}

// A jobReader reads the file of a job.
type jobReader struct {
	ctx             context.Context
	store           *store.Store
	collection, job string
	size            int64
	n               int // number of piece
	piece           []byte
	err             error // of the database
}

// ReadAt implements io.ReaderAt, for one goroutine.
func (f *jobReader) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) {
		if at >= f.size {
			return n, io.EOF
		}
		k := int(at / store.Piece)
		if f.piece == nil || k != f.n {
			if f.piece, err = f.store.GetPiece(f.ctx, f.collection, f.job, k); err != nil {
				f.piece, f.err = nil, err
				return n, err
			}
			f.n = k
		}
		start := int(at % store.Piece)
		if start >= len(f.piece) {
			return n, io.ErrUnexpectedEOF
		}
		m := copy(b[n:], f.piece[start:])
		n, at = n+m, at+int64(m)
	}
	return n, nil
}

// jobFile answers with the file of an export.
func (v *Service) jobFile(w http.ResponseWriter, r *http.Request) error {
	j, err := v.job(r.Context(), &InJob{InCollection{r.PathValue("collection")}, r.PathValue("job")})
	if err != nil {
		return err
	}
	var result ExportResult
	pieces, err := v.store.Pieces(r.Context(), j.Collection, j.ID)
	switch {
	case err != nil:
		return err
	case j.Kind != kindExport || j.State != store.Succeeded || pieces == 0:
		return huma.Error404NotFound("the job has no file")
	}
	if err := json.Unmarshal(j.Result, &result); err != nil {
		return err
	}
	attach(w, j.ID)
	w.Header().Set("Content-Length", strconv.FormatInt(result.Bytes, 10))
	file := &jobReader{ctx: r.Context(), store: v.store, collection: j.Collection, job: j.ID, size: result.Bytes}
	if _, err := io.Copy(&patient{w, http.NewResponseController(w)}, io.NewSectionReader(file, 0, file.size)); err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}
