package server

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/server/store"
)

// A Page is a part of a list.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty" doc:"Cursor of the next page; missing on the last one"`
}

// A body is an answer of JSON.
type body[T any] struct{ Body T }

// answered returns an answer of JSON, or err.
func answered[T any](answer T, err error) (*body[T], error) { return &body[T]{answer}, err }

// Parameters of operations. They are exported, since huma sees exported fields only.
type (
	InCollection struct {
		Collection string `path:"collection"`
	}
	InPerson struct {
		InCollection
		Person string `path:"person"`
	}
	InFace struct {
		InCollection
		Face string `path:"face"`
	}
	InJob struct {
		InCollection
		Job string `path:"job"`
	}
	InHook struct {
		InCollection
		Hook string `path:"hook"`
	}
	Cursor struct {
		After string `query:"cursor" maxLength:"64"`
		Limit int    `query:"limit" default:"100" minimum:"1" maximum:"500"`
	}
)

// inCollection are parameters with a body of JSON.
type inCollection[B any] struct {
	InCollection
	Body B
}

var errCursor = coded("cursor_invalid", huma.Error422UnprocessableEntity("the cursor is not one of this list: take next from the last answer, and the same parameters beside it"))

// number is the number of items before the page, in a list that is not ordered by ids.
func (c Cursor) number() (int, error) {
	if c.After == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(c.After)
	if err != nil || n < 1 {
		return 0, errCursor
	}
	return n, nil
}

// page returns the first limit of all, each in the form that response gives it. If all has
// more, next is the cursor of the next page, by the last item of this one.
func page[F, T any](all []F, limit int, next func(F) string, response func(F) T) *body[Page[T]] {
	p := Page[T]{Items: []T{}}
	if len(all) > limit {
		all = all[:limit]
		p.Next = next(all[limit-1])
	}
	for _, f := range all {
		p.Items = append(p.Items, response(f))
	}
	return &body[Page[T]]{p}
}

// pageByID returns a page of a list that is ordered by ids. list returns at most limit items
// that follow an id, "" for the first ones.
func pageByID[F, T any](c Cursor, list func(after string, limit int) ([]F, error), id func(F) string, response func(F) T) (*body[Page[T]], error) {
	if c.After != "" && !anID.MatchString(c.After) {
		return nil, errCursor
	}
	all, err := list(c.After, c.Limit+1)
	return page(all, c.Limit, id, response), err
}

// Done is the answer to a change that can be undone.
type Done struct {
	Operation string `json:"operation" doc:"For undo"`
}

// Removed tells how many faces were deleted.
type Removed struct {
	Faces int `json:"faces"`
}

// done answers a change of a collection, after the change has been published.
func (v *Service) done(ctx context.Context, collection, operation string, err error) (*body[Done], error) {
	return answered(Done{operation}, v.published(ctx, collection, err))
}

// published makes a change of a collection visible, unless it failed with err.
func (v *Service) published(ctx context.Context, collection string, err error) error {
	if err != nil {
		return err
	}
	return v.engine.publish(ctx, collection)
}

// operation registers an operation that takes and returns JSON. statusOf turns an error of do
// into an answer.
func operation[I, O any](v *Service, method, path, summary string, scopes []string, do func(context.Context, *I) (*O, error)) {
	huma.Register(v.api, huma.Operation{
		OperationID: operationID(method, path), Method: method, Path: path, Summary: summary, Description: scopesInWords(scopes),
		Metadata: map[string]any{"scopes": scopes}, Security: []map[string][]string{{"key": {}}}, MaxBodyBytes: mostJSON,
	}, func(ctx context.Context, in *I) (*O, error) {
		out, err := do(ctx, in)
		if err != nil {
			return nil, v.statusOf(ctx, err)
		}
		return out, nil
	})
}

// mostJSON is the most bytes of a body of JSON: ten times as many as 500 ids have.
const mostJSON = 1 << 18

var (
	forReading   = []string{"identify", "enrol", "review"}
	forEnrolling = []string{"enrol"}
	forReview    = []string{"review"}
	forIdentify  = []string{"identify"}
	forAdmin     = []string{}
)

// scopesInWords says which keys can be used for an operation that needs one of scopes.
func scopesInWords(scopes []string) string {
	if !slices.Contains(scopes, "admin") {
		scopes = append(slices.Clone(scopes), "admin")
	}
	return "For keys with the scope " + strings.Join(scopes, " or ") + "."
}

func (v *Service) routes() {
	v.collections()
	v.people()
	v.faces()
	v.uploads()
	v.photographs()
	v.review()
	v.jobs()
	v.hooks()
	v.keys()
	v.why()
	v.statistics()
	v.page()
	v.compreface()
	operation(v, http.MethodPost, "/v1/backup", "Copy the database to a file on the machine of the service", forAdmin, v.backup)
	v.completeDescription()
	v.serveDescription()
}

// A Backup is a copy of the database.
type Backup struct {
	File  string `json:"file" doc:"Name in the folder of backups"`
	Bytes int64  `json:"bytes"`
}

// backupName is the name of a backup that is made at a time; names are in the order of times.
func backupName(at time.Time) string { return at.UTC().Format("20060102T150405.000000Z") + ".db" }

var isBackup = regexp.MustCompile(`^\d{8}T\d{6}\.\d{6}Z\.db$`)

// BackupFile copies the database of SQLite in a file, which a service may use meanwhile, to
// another file. If that is a folder, the copy gets the time as its name, and only the latest of
// such copies stay there, keep of them; 0 is all. It returns where the copy is, and its size.
func BackupFile(ctx context.Context, database, to string, keep int) (at string, size int64, err error) {
	info, err := os.Stat(to)
	folder := err == nil && info.IsDir()
	if at = to; folder {
		tidyBackups(to)
		at = filepath.Join(to, backupName(time.Now()))
	}
	if size, err = store.BackupFile(ctx, database, at); err != nil || !folder || keep == 0 {
		return at, size, err
	}
	all, err := named(to, isBackup)
	for _, path := range all[:max(0, len(all)-keep)] {
		err = errors.Join(err, os.Remove(path))
	}
	return at, size, err
}

// named returns the paths of what is named so in a folder, in the order of the names.
func named(folder string, name *regexp.Regexp) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if name.MatchString(e.Name()) {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths, err
}

// tidyBackups removes from a folder what processes left there that were killed during a backup.
func tidyBackups(folder string) {
	atomicfile.RemoveAbandoned(folder)
}

func (v *Service) backup(ctx context.Context, _ *struct{}) (*body[Backup], error) {
	if v.Backups == "" {
		return nil, coded("no_backups", huma.Error409Conflict(store.ErrNoBackup.Error()))
	}
	if err := os.MkdirAll(v.Backups, 0o700); err != nil {
		return nil, err
	}
	tidyBackups(v.Backups)
	file := backupName(time.Now())
	size, err := v.store.Backup(ctx, filepath.Join(v.Backups, file))
	return answered(Backup{file, size}, err)
}
