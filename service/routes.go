package service

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/results"
	"nrdl.example/nrdl/service/store"
)

// A Page is a part of a list.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty" doc:"Cursor of the next page; missing on the last one"`
}

type body[T any] struct{ Body T }

// What most operations take; exported, since huma looks at exported parts only.
type (
	InCollection struct {
		Collection string `path:"c"`
	}
	InPerson struct {
		InCollection
		Person string `path:"p"`
	}
	InFace struct {
		InCollection
		Face string `path:"f"`
	}
	Cursor struct {
		After string `query:"cursor" maxLength:"64"`
		Limit int    `query:"limit" default:"100" minimum:"1" maximum:"500"`
	}
)

var errCursor = huma.Error422UnprocessableEntity("the cursor is not one of this list: take next from the last answer, and the same parameters beside it")

// id is the id after which a list that is ordered by ids goes on; "" at its beginning.
func (c Cursor) id() (string, error) {
	if c.After != "" && !anID.MatchString(c.After) {
		return "", errCursor
	}
	return c.After, nil
}

// number is the number of items after which another list goes on.
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

// page returns the items of at most limit of all, which has one more if there is a next
// page.
func page[F, T any](all []F, limit int, id func(F) string, told func(F) T) *body[Page[T]] {
	p := Page[T]{Items: []T{}}
	if len(all) > limit {
		all = all[:limit]
		p.Next = id(all[limit-1])
	}
	for _, f := range all {
		p.Items = append(p.Items, told(f))
	}
	return &body[Page[T]]{p}
}

// A Collection is a set of people apart from others.
type Collection struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	FPIR    float64   `json:"fpir" doc:"Share of strangers who may be named"`
	Created time.Time `json:"created"`
	Version int64     `json:"version" doc:"Grows with each change of what is in it"`
}

func toldCollection(c store.Collection) Collection {
	return Collection{c.ID, c.Name, c.FPIR, c.Created, c.Seq}
}

// A Person is somebody in a collection.
type Person struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Kind    string    `json:"kind" enum:"known,ignored" doc:"The faces of ignored people are reported as unknown"`
	Faces   int       `json:"faces"`
	Created time.Time `json:"created"`

	Portrait string `json:"portrait,omitempty" doc:"In lists: the face with the best crop"`
}

func toldPerson(p store.Person) Person { return Person{p.ID, p.Name, p.Kind, p.Faces, p.Created, ""} }

// A Face is a face of a collection.
type Face struct {
	ID     string `json:"id"`
	Photo  string `json:"photo,omitempty"`
	Person string `json:"person,omitempty" doc:"Id; missing for a face of nobody yet"`
	Source string `json:"source" enum:"upload,crop,vector,import"`
	results.Seen
	Created time.Time `json:"created"`
}

func toldFace(f store.Face) Face {
	told := Face{ID: f.ID, Photo: f.Photo, Person: f.Person, Source: f.Source, Created: f.Created}
	var box *[4]int
	for from, to := range map[*json.RawMessage]any{&f.Box: &box, &f.Pupils: &told.Pupils, &f.Quality: &told.Quality} {
		if err := json.Unmarshal(*from, to); err != nil && len(*from) > 0 {
			continue // not as asJSON wrote it
		}
	}
	if box != nil {
		told.Box = &results.Box{X: box[0], Y: box[1], Width: box[2], Height: box[3]}
	}
	return told
}

// An Operation is a change that can be undone.
type Operation struct {
	ID     string    `json:"id"`
	Kind   string    `json:"kind"`
	Actor  string    `json:"actor"`
	At     time.Time `json:"at"`
	Undone bool      `json:"undone"`
	Faces  int       `json:"faces" doc:"That it changed"`
	People []Ref     `json:"people" doc:"Whom it changed, with the names that they had, or added"`
}

// toldOperation says what an operation is; s has the names of those whom it added.
func (s *snapshot) toldOperation(o store.Operation) Operation {
	told := Operation{o.ID, o.Kind, o.Actor, o.At, o.Undone, o.CountFaces(), []Ref{}}
	for _, p := range o.People() {
		if p.Name == "" {
			p.Name = s.people[p.ID].Name
		}
		told.People = append(told.People, Ref{p.ID, p.Name})
	}
	return told
}

// Done is the answer to a change that can be undone.
type Done struct {
	Operation string `json:"operation" doc:"For undo"`
}

// Removed tells how many faces were deleted.
type Removed struct {
	Faces int `json:"faces"`
}

// operation registers an operation that takes and returns JSON. An error of do is answered by
// statusOf.
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

// mostJSON is the most bytes of a body of JSON: 500 ids have a tenth of it.
const mostJSON = 1 << 18

func operationID(method, path string) string {
	words := strings.FieldsFunc(strings.TrimPrefix(path, "/v1"), func(r rune) bool { return r == '/' || r == '{' || r == '}' || r == '.' })
	return strings.ToLower(method) + "-" + strings.Join(words, "-")
}

var (
	forReading   = []string{"identify", "enrol", "review"}
	forEnrolling = []string{"enrol"}
	forReview    = []string{"review"}
	forIdentify  = []string{"identify"}
	forAdmin     = []string{}
)

// scopesInWords says which keys may do what needs one of scopes.
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
	v.review()
	v.jobs()
	v.hooks()
	v.keys()
	v.why()
	v.statistics()
	v.page()
	operation(v, http.MethodPost, "/v1/backup", "Copy the database to a file on the machine of the service", forAdmin, v.backup)
}

// A Backup is a copy of the database.
type Backup struct {
	File  string `json:"file" doc:"Name in the folder of backups"`
	Bytes int64  `json:"bytes"`
}

func (v *Service) backup(ctx context.Context, _ *struct{}) (*body[Backup], error) {
	if v.Backups == "" {
		return nil, huma.Error409Conflict(store.ErrNoBackup.Error())
	}
	if err := os.MkdirAll(v.Backups, 0o700); err != nil {
		return nil, err
	}
	b := Backup{File: time.Now().UTC().Format("20060102T150405.000000Z") + ".db"}
	var err error
	b.Bytes, err = v.store.Backup(ctx, filepath.Join(v.Backups, b.File))
	return &body[Backup]{b}, err
}

func (v *Service) people() {
	type personFields struct {
		Name string `json:"name,omitempty" maxLength:"400"`
		Kind string `json:"kind,omitempty" enum:"known,ignored"`

		Namesake bool `json:"namesake,omitempty" doc:"Somebody else may have the name; otherwise the answer is 409 with the id of that person"`
	}
	type createdPerson struct {
		Person
		Done
	}
	const path = "/v1/collections/{c}/people"
	operation(v, http.MethodGet, path, "List people", forReading, v.listPeople)
	operation(v, http.MethodPost, path, "Create a person", forEnrolling, func(ctx context.Context, in *struct {
		InCollection
		Body personFields
	},
	) (*body[createdPerson], error) {
		if err := dataset.CheckName(in.Body.Name); err != nil {
			return nil, unusable(err)
		}
		if in.Body.Kind == "" {
			in.Body.Kind = store.Known
		}
		p, op, err := v.store.CreatePerson(ctx, by(ctx).actor, in.Collection, in.Body.Name, in.Body.Kind, in.Body.Namesake)
		if err != nil {
			return nil, err
		}
		return &body[createdPerson]{createdPerson{toldPerson(p), Done{op}}}, v.engine.publish(ctx, in.Collection)
	})
	operation(v, http.MethodGet, path+"/{p}", "Get a person", forReading, func(ctx context.Context, in *InPerson) (*body[Person], error) {
		p, err := v.store.Person(ctx, in.Collection, in.Person)
		return &body[Person]{toldPerson(p)}, err
	})
	operation(v, http.MethodPatch, path+"/{p}", "Rename or ignore a person", forReview, func(ctx context.Context, in *struct {
		InPerson
		Body personFields
	},
	) (*body[Done], error) {
		p, err := v.store.Person(ctx, in.Collection, in.Person)
		if err != nil {
			return nil, err
		}
		if in.Body.Name != "" {
			if err := dataset.CheckName(in.Body.Name); err != nil {
				return nil, unusable(err)
			}
			p.Name = in.Body.Name
		}
		if in.Body.Kind != "" {
			p.Kind = in.Body.Kind
		}
		op, err := v.store.ChangePerson(ctx, by(ctx).actor, in.Collection, in.Person, p.Name, p.Kind, in.Body.Namesake)
		return v.done(ctx, in.Collection, op, err)
	})
	operation(v, http.MethodDelete, path+"/{p}", "Erase a person with all faces, for good", forAdmin, func(ctx context.Context, in *struct {
		InPerson
		Faces int `query:"faces" default:"-1" minimum:"-1" doc:"How many faces the person has, as far as you know. If there are more or fewer now, nothing is erased, and the answer is 409. Missing or -1: any number"`
	},
	) (*body[store.Receipt], error) {
		expected := &in.Faces
		if in.Faces < 0 {
			expected = nil
		}
		receipt, err := v.store.ErasePerson(ctx, by(ctx).actor, in.Collection, in.Person, expected)
		if err != nil {
			return nil, err
		}
		return &body[store.Receipt]{receipt}, v.engine.publish(ctx, in.Collection)
	})
	operation(v, http.MethodPost, path+"/{p}/merge", "Merge other people into a person", forReview, func(ctx context.Context, in *struct {
		InPerson
		Body struct {
			From []string `json:"from" minItems:"1" maxItems:"500"`
		}
	},
	) (*body[Done], error) {
		op, err := v.store.MergePeople(ctx, by(ctx).actor, in.Collection, in.Person, in.Body.From)
		return v.done(ctx, in.Collection, op, err)
	})
}

// done answers a change, after it is published.
func (v *Service) done(ctx context.Context, collection, op string, err error) (*body[Done], error) {
	if err == nil {
		err = v.engine.publish(ctx, collection)
	}
	return &body[Done]{Done{op}}, err
}

func (v *Service) faces() {
	const path = "/v1/collections/{c}/faces"
	operation(v, http.MethodGet, path, "List faces", forReading, func(ctx context.Context, in *struct {
		InCollection
		Cursor
		Person string `query:"person" doc:"Faces of this person; none: of nobody yet; stranger: of strangers"`
	},
	) (*body[Page[Face]], error) {
		if _, err := v.store.Collection(ctx, in.Collection); err != nil {
			return nil, err
		}
		var person *string
		switch in.Person {
		case "":
		case "none":
			person = new(string)
		default:
			person = &in.Person
		}
		after, err := in.id()
		if err != nil {
			return nil, err
		}
		all, err := v.store.Faces(ctx, in.Collection, person, after, in.Limit+1)
		return page(all, in.Limit, func(f store.Face) string { return f.ID }, toldFace), err
	})
	operation(v, http.MethodGet, path+"/{f}", "Get a face", forReading, func(ctx context.Context, in *InFace) (*body[Face], error) {
		f, err := v.store.Face(ctx, in.Collection, in.Face)
		return &body[Face]{toldFace(f)}, err
	})
	operation(v, http.MethodGet, path+"/{f}/crop", "Get the aligned crop of a face, a PNG", forReading, func(ctx context.Context, in *InFace) (*struct {
		Type string `header:"Content-Type"`
		Body []byte
	}, error,
	) {
		crop, err := v.store.Crop(ctx, in.Collection, in.Face)
		if err == nil && len(crop) == 0 {
			err = huma.Error404NotFound("the face was added as a vector: there is no crop")
		}
		return &struct {
			Type string `header:"Content-Type"`
			Body []byte
		}{"image/png", crop}, err
	})
	operation(v, http.MethodDelete, path+"/{f}", "Delete a face, for good", forReview, func(ctx context.Context, in *struct {
		InFace
		Of string `query:"expected" doc:"Whose the face is, as far as you know, as in a decision"`
	},
	) (*struct{}, error) {
		if err := v.store.DeleteFaces(ctx, by(ctx).actor, in.Collection, Expected{in.Of}.expected(), []string{in.Face}); err != nil {
			return nil, err
		}
		return nil, v.engine.publish(ctx, in.Collection)
	})
	operation(v, http.MethodDelete, "/v1/collections/{c}/strangers", "Delete the faces of strangers, for good", forReview, func(ctx context.Context, in *InCollection) (*body[Removed], error) {
		n, err := v.store.DeleteStrangers(ctx, by(ctx).actor, in.Collection)
		if err != nil {
			return nil, err
		}
		return &body[Removed]{Removed{n}}, v.engine.publish(ctx, in.Collection)
	})
	type faceList struct {
		Faces  []string `json:"faces" minItems:"1" maxItems:"500"`
		Person string   `json:"person" doc:"Id; empty for nobody"`
		Expected
	}
	operation(v, http.MethodPost, path+"/move", "Say whose faces these are", forReview, func(ctx context.Context, in *struct {
		InCollection
		Body faceList
	},
	) (*body[Done], error) {
		op, err := v.store.MoveFaces(ctx, by(ctx).actor, in.Collection, in.Body.expected(), in.Body.Faces, in.Body.Person)
		return v.done(ctx, in.Collection, op, err)
	})
	operation(v, http.MethodPost, path+"/deny", "Say that faces are not those of a person", forReview, func(ctx context.Context, in *struct {
		InCollection
		Body faceList
	},
	) (*body[Done], error) {
		op, err := v.store.DenyFaces(ctx, by(ctx).actor, in.Collection, in.Body.expected(), in.Body.Faces, in.Body.Person)
		return v.done(ctx, in.Collection, op, err)
	})
}

func segments(path string) []string { return strings.Split(path, "/") }
