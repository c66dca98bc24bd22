package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/server/jobs"
	"nrdl.example/nrdl/server/people"
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

// answeredAt is answered for a pointer to the answer.
func answeredAt[T any](answer *T, err error) (*body[T], error) {
	if err != nil {
		return nil, err
	}
	return &body[T]{*answer}, nil
}

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

var errCursor = coded("cursor_invalid",
	people.Invalid("the cursor is not one of this list: take next from the last answer, and the same parameters beside it"))

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
func pageByID[F, T any](c Cursor, list func(after string, limit int) ([]F, error), id func(F) string,
	response func(F) T,
) (*body[Page[T]], error) {
	if c.After != "" && !people.AnID.MatchString(c.After) {
		return nil, errCursor
	}
	all, err := list(c.After, c.Limit+1)
	return page(all, c.Limit, id, response), err
}

// pageByNumber returns a page of a list that is not ordered by ids.
func pageByNumber[F, T any](c Cursor, all []F, response func(F) T) (*body[Page[T]], error) {
	first, err := c.number()
	if err != nil {
		return nil, err
	}
	return page(all[min(first, len(all)):], c.Limit, func(F) string { return strconv.Itoa(first + c.Limit) }, response), nil
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
	return answered(Done{operation}, v.people.Publish(ctx, collection, err))
}

// operation registers an operation that takes and returns JSON. statusOf turns an error of do
// into an answer.
func operation[I, O any](v *Service, method, path, summary string, scopes []string, do func(context.Context, *I) (*O, error)) {
	huma.Register(v.Description, huma.Operation{
		OperationID: operationID(method, path), Method: method, Path: path, Summary: summary, Description: scopesInWords(scopes),
		Metadata: map[string]any{"scopes": scopes}, Extensions: scopesForPage(scopes), Security: []map[string][]string{{"key": {}}}, MaxBodyBytes: maxJSON,
	}, func(ctx context.Context, in *I) (*O, error) {
		out, err := do(ctx, in)
		if err != nil {
			return nil, v.statusOf(ctx, err)
		}
		return out, nil
	})
}

// maxJSON is the most bytes of a body of JSON: ten times as many as 500 ids have.
const maxJSON = 1 << 18

var (
	forReading   = []string{"identify", "enrol", "review"}
	forEnrolling = []string{"enrol"}
	forReview    = []string{"review"}
	forIdentify  = []string{"identify"}
	forAdmin     = []string{}
)

// scopesForPage says the same to the page, which hides what nobody may do who uses it.
func scopesForPage(scopes []string) map[string]any {
	return map[string]any{"x-scopes": withAdmin(scopes)}
}

func withAdmin(scopes []string) []string {
	if slices.Contains(scopes, "admin") {
		return scopes
	}
	return append(slices.Clone(scopes), "admin")
}

// scopesInWords says which keys can be used for an operation that needs one of scopes.
func scopesInWords(scopes []string) string {
	return "For keys with the scope " + strings.Join(withAdmin(scopes), " or ") + "."
}

func (v *Service) routes() {
	for _, routes := range []interface{ register() }{
		collectionRoutes{v},
		personRoutes{v},
		faceRoutes{v},
		photographRoutes{v},
		jobRoutes{v},
		keyRoutes{v},
		compreRoutes{v},
	} {
		routes.register()
	}
	v.hookRoutes()
	v.loginRoutes()
	v.page()
	operation(v, http.MethodPost, "/v1/backup", "Copy the database to a file on the machine of the service",
		forAdmin, func(ctx context.Context, _ *struct{}) (*body[jobs.Backup], error) {
			return answered(v.jobs.Backup(ctx))
		})
	v.completeDescription()
	v.serveDescription()
}
