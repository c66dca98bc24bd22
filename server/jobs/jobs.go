package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// A JobRequest asks for a job.
type JobRequest struct {
	Kind   string   `json:"kind" enum:"refit,regroup,erase,export,album"`
	People []string `json:"people,omitempty" maxItems:"500" doc:"erase: ids of the people"`
}

// A Job is work that takes long and is done after the request, such as an import.
type Job struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind" enum:"import,refit,regroup,erase,export,tags,album"`
	State    string          `json:"state" enum:"waiting,running,done,failed,cancelled"`
	Progress Progress        `json:"progress"`
	Attempts int             `json:"attempts" doc:"Since there was progress; after three a job has failed"`
	Result   json.RawMessage `json:"result,omitempty" doc:"ImportResult, RefitResult, RegroupResult, EraseResult, ExportResult, TagResult or AlbumResult"`
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

	Warnings []RefusedFile `json:"warnings,omitempty" doc:"Photographs of people that the collection takes for somebody else, damaged files, and tags that could not be used, the first 500; they were added all the same"`

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

	Without int `json:"without,omitempty" doc:"Faces that got none, since they have no crop, or one that the network cannot use. They stay, and do not help to recognise"`
}

// A RefitPreview says what a refit would change.
type RefitPreview struct {
	IsOutdated bool    `json:"outdated,omitempty" doc:"The vectors would be those of another network"`
	Faces      int     `json:"faces" doc:"All of the collection"`
	ToEmbed    int     `json:"to_embed" doc:"Faces whose crop would get a vector of that network"`
	Without    int     `json:"without" doc:"Faces that can get none, since no crop of them is kept. They stay, and do not help to recognise"`
	People     int     `json:"people_without" doc:"People who have only such faces: they would not be recognised, so that the refit waits for a decision"`
	Seconds    float64 `json:"seconds,omitempty" doc:"About how long the network takes for all of them, by the rate in this process; missing if it is not known"`
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

// JobResponse is the API form of a job.
func JobResponse(j store.Job) Job {
	response := Job{
		ID: j.ID, Kind: j.Kind, State: j.State, Progress: Progress{j.Done, j.Total},
		Attempts: j.Attempts, Error: j.Error, Created: j.Created, Version: j.Version,
	}
	if string(j.Result) != "null" {
		response.Result = j.Result
	}
	if !j.Finished.IsZero() {
		response.Finished = &j.Finished
	}
	return response
}

// Job returns a job that is no message.
func (v *Service) Job(ctx context.Context, collection, id string) (store.Job, error) {
	j, err := v.store.Job(ctx, collection, id)
	if err == nil && j.Kind == store.KindMessage {
		err = fmt.Errorf("job %w", store.ErrNotFound)
	}
	return j, err
}

// Start adds a job for a request.
func (v *Service) Start(ctx context.Context, collection string, r JobRequest) (store.Job, error) {
	j := store.Job{Collection: collection, Kind: r.Kind, Payload: people.AsJSON(r)}
	switch {
	case (j.Kind == kindErase) != (len(r.People) > 0):
		return j, people.Invalid("erase needs people, and nothing else takes them")
	case j.Kind == kindAlbum && v.people.Photos == "":
		return j, people.Invalid("an album shows the photographs in a folder of this machine: start the service with --photos")
	case j.Kind == kindAlbum && v.Album == nil:
		return j, people.Invalid("this service makes no albums")
	case j.Kind == kindRefit || j.Kind == kindRegroup || j.Kind == kindAlbum:
		j.Key = j.Kind
	}
	return v.Enqueue(ctx, j)
}

// Cancel cancels a job, unless it has ended.
func (v *Service) Cancel(ctx context.Context, collection, id string) (store.Job, error) {
	if j, err := v.Job(ctx, collection, id); err != nil {
		return j, err
	}
	j, err := v.store.Cancel(ctx, people.CallerOf(ctx).Actor, collection, id)
	if err == nil && j.State == store.Cancelled && j.Kind == kindImport {
		v.Drop(ctx, j.Collection, j.ID)
	}
	return j, err
}

// Retry tries a job again that has failed.
func (v *Service) Retry(ctx context.Context, collection, id string) (store.Job, error) {
	j, err := v.Job(ctx, collection, id)
	if err != nil {
		return j, err
	}
	if j.Kind == kindImport && j.State == store.Failed && j.Key != keyOriginals {
		if n, err := v.store.Pieces(ctx, collection, id); err != nil {
			return j, err
		} else if n == 0 {
			return j, people.Clash("the file of the import is removed: send it again; what was added is not added twice")
		}
	}
	return v.store.Restart(ctx, people.CallerOf(ctx).Actor, collection, id)
}

// File returns the file of an export, or of an album.
func (v *Service) File(ctx context.Context, collection, id string, isAlbum bool) (*io.SectionReader, error) {
	j, err := v.Job(ctx, collection, id)
	if err != nil {
		return nil, err
	}
	pieces, err := v.store.Pieces(ctx, j.Collection, j.ID)
	if err != nil {
		return nil, err
	}
	kind := kindExport
	if isAlbum {
		kind = kindAlbum
	}
	if j.Kind != kind || j.State != store.Succeeded || pieces == 0 {
		return nil, people.Failed(http.StatusNotFound, "the job has no file")
	}
	var result struct{ Bytes int64 }
	if err := json.Unmarshal(j.Result, &result); err != nil {
		return nil, err
	}
	file := &jobReader{ctx: ctx, store: v.store, collection: j.Collection, job: j.ID, size: result.Bytes}
	return io.NewSectionReader(file, 0, file.size), nil
}

// A Writer writes the file of a job in pieces. The caller calls Flush in the end.
type Writer struct {
	Job  string // id
	Size int64  // bytes until now
	Err  error  // of the database

	ctx        context.Context
	store      *store.Store
	collection string
	limit      int64 // bytes
	piece      []byte
}

var errLarge = errors.New("the file is too large")

func (f *Writer) Write(b []byte) (n int, err error) {
	for len(b) > 0 {
		k := min(len(b), store.Piece-len(f.piece))
		if f.Size += int64(k); f.Size > f.limit {
			return n, errLarge
		}
		f.piece = append(f.piece, b[:k]...)
		n, b = n+k, b[k:]
		if len(f.piece) == store.Piece {
			if err := f.Flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// Flush writes what is left.
func (f *Writer) Flush() error {
	if len(f.piece) == 0 {
		return nil
	}
	n := int((f.Size - 1) / store.Piece)
	f.Err = f.store.PutPiece(f.ctx, f.collection, f.Job, n, f.piece)
	f.piece = f.piece[:0]
	return f.Err
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
