package service

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"nrdl/dataset"
	"nrdl/openset"
	"nrdl/service/store"
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
}

func toldCollection(c store.Collection) Collection {
	return Collection{c.ID, c.Name, c.FPIR, c.Created}
}

// A Person is somebody in a collection.
type Person struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Kind    string    `json:"kind" enum:"known,ignored" doc:"The faces of ignored people are reported as unknown"`
	Faces   int       `json:"faces"`
	Created time.Time `json:"created"`
}

func toldPerson(p store.Person) Person { return Person{p.ID, p.Name, p.Kind, p.Faces, p.Created} }

// A Face is a face of a collection.
type Face struct {
	ID      string    `json:"id"`
	Photo   string    `json:"photo,omitempty"`
	Person  string    `json:"person,omitempty" doc:"Missing for a face of nobody yet"`
	Source  string    `json:"source"`
	Box     any       `json:"box"`
	Quality any       `json:"quality"`
	Created time.Time `json:"created"`
}

func toldFace(f store.Face) Face {
	return Face{f.ID, f.Photo, f.Person, f.Source, f.Box, f.Quality, f.Created}
}

// An Operation is a change that can be undone.
type Operation struct {
	ID     string    `json:"id"`
	Kind   string    `json:"kind"`
	Actor  string    `json:"actor"`
	At     time.Time `json:"at"`
	Undone bool      `json:"undone"`
}

func toldOperation(o store.Operation) Operation {
	return Operation{o.ID, o.Kind, o.Actor, o.At, o.Undone}
}

// Done is the answer to a change that can be undone.
type Done struct {
	Operation string `json:"operation" doc:"For undo"`
}

// operation registers an operation that takes and returns JSON. An error of do is answered by
// statusOf.
func operation[I, O any](v *Service, method, path, summary string, scopes []string, do func(context.Context, *I) (*O, error)) {
	huma.Register(v.api, huma.Operation{
		OperationID: operationID(method, path), Method: method, Path: path, Summary: summary,
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

func (v *Service) routes() {
	v.collections()
	v.people()
	v.faces()
	v.uploads()
	v.review()
	v.keys()
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

func (v *Service) collections() {
	type collectionFields struct {
		Name string   `json:"name,omitempty" maxLength:"200"`
		FPIR *float64 `json:"fpir,omitempty"`
	}
	// filled is what a collection becomes.
	filled := func(f collectionFields, name string, fpir float64) (string, float64, error) {
		if f.Name != "" {
			name = f.Name
		}
		if f.FPIR != nil {
			fpir = *f.FPIR
		}
		how := openset.Default
		how.FAR = fpir
		err := how.Validate()
		if err == nil {
			err = dataset.CheckName(name)
		}
		if err != nil {
			err = unusable(err)
		}
		return name, fpir, err
	}
	const path = "/v1/collections"
	operation(v, http.MethodGet, path, "List collections", forReading, func(ctx context.Context, in *Cursor) (*body[Page[Collection]], error) {
		all, err := v.store.Collections(ctx, in.After, in.Limit+1)
		return page(all, in.Limit, func(c store.Collection) string { return c.ID }, toldCollection), err
	})
	operation(v, http.MethodPost, path, "Create a collection", forEnrolling, func(ctx context.Context, in *body[collectionFields]) (*body[Collection], error) {
		name, fpir, err := filled(in.Body, "", openset.Default.FAR)
		if err != nil {
			return nil, err
		}
		c, err := v.store.CreateCollection(ctx, by(ctx).actor, name, fpir)
		return &body[Collection]{toldCollection(c)}, err
	})
	operation(v, http.MethodGet, path+"/{c}", "Get a collection", forReading, func(ctx context.Context, in *InCollection) (*body[Collection], error) {
		c, err := v.store.Collection(ctx, in.Collection)
		return &body[Collection]{toldCollection(c)}, err
	})
	set := func(ctx context.Context, id string, f collectionFields) (*body[Collection], error) {
		c, err := v.store.Collection(ctx, id)
		if err != nil {
			return nil, err
		}
		if c.Name, c.FPIR, err = filled(f, c.Name, c.FPIR); err != nil {
			return nil, err
		}
		if err := v.store.SetCollection(ctx, by(ctx).actor, id, c.Name, c.FPIR); err != nil {
			return nil, err
		}
		return &body[Collection]{toldCollection(c)}, v.engine.publish(ctx, id)
	}
	operation(v, http.MethodPatch, path+"/{c}", "Rename a collection, or set how many strangers may be named", forReview, func(ctx context.Context, in *struct {
		InCollection
		Body collectionFields
	},
	) (*body[Collection], error) {
		return set(ctx, in.Collection, in.Body)
	})
	operation(v, http.MethodDelete, path+"/{c}", "Delete a collection with all that is in it, for good", forAdmin, func(ctx context.Context, in *InCollection) (*struct{}, error) {
		if err := v.store.DeleteCollection(ctx, by(ctx).actor, in.Collection); err != nil {
			return nil, err
		}
		_, _ = v.engine.of(ctx, in.Collection) // which lets go of it
		return nil, nil
	})
	operation(v, http.MethodGet, path+"/{c}/calibration", "Error rates at the present threshold and at others", forReading, func(ctx context.Context, in *InCollection) (*body[Calibration], error) {
		s, err := v.engine.of(ctx, in.Collection)
		if err != nil {
			return nil, err
		}
		return &body[Calibration]{s.calibration()}, nil
	})
	operation(v, http.MethodGet, path+"/{c}/operations", "List what can be undone, the latest first", forReview, func(ctx context.Context, in *struct {
		InCollection
		Cursor
	},
	) (*body[Page[Operation]], error) {
		if _, err := v.store.Collection(ctx, in.Collection); err != nil {
			return nil, err
		}
		all, err := v.store.Operations(ctx, in.Collection, in.After, in.Limit+1)
		return page(all, in.Limit, func(o store.Operation) string { return o.ID }, toldOperation), err
	})
	operation(v, http.MethodPost, path+"/{c}/undo/{op}", "Undo an operation", forReview, func(ctx context.Context, in *struct {
		InCollection
		Operation string `path:"op"`
	},
	) (*struct{}, error) {
		if err := v.store.Undo(ctx, by(ctx).actor, in.Collection, in.Operation); err != nil {
			return nil, err
		}
		return nil, v.engine.publish(ctx, in.Collection)
	})
}

// A Calibration tells how often a collection errs.
type Calibration struct {
	FPIR      float64         `json:"fpir" doc:"Share of strangers who may be named"`
	People    int             `json:"people" doc:"Who have faces"`
	Faces     int             `json:"faces"`
	Threshold *float64        `json:"threshold" doc:"Least evidence of a face that is named; null with fewer than two people"`
	Strangers *Strangers      `json:"strangers"`
	Rates     []openset.Rates `json:"rates" doc:"On held-out faces, at this and other rates"`
}

// Strangers are the expected shares of strangers who are named, with intervals of 90 %.
type Strangers struct {
	AtLarge openset.Share `json:"at_large" doc:"People chosen at random"`
	Alike   openset.Share `json:"alike" doc:"People as similar to those of the collection as these are to each other"`
}

func (s *snapshot) calibration() Calibration {
	c := Calibration{FPIR: s.FPIR, Faces: len(s.owner), Rates: []openset.Rates{}}
	for _, p := range s.people {
		if p.Faces > 0 {
			c.People++
		}
	}
	if s.live == nil || s.live.Model().Calibration == nil {
		return c
	}
	m := s.live.Model()
	c.Threshold = &m.Calibration.Threshold
	c.Rates = append(c.Rates, m.Rates()...)
	if l := m.Impostors(); l != nil {
		c.Strangers = &Strangers{}
		c.Strangers.AtLarge, c.Strangers.Alike = m.Calibration.Strangers(l)
	}
	return c
}

func (v *Service) people() {
	type personFields struct {
		Name string `json:"name,omitempty" maxLength:"400"`
		Kind string `json:"kind,omitempty" enum:"known,ignored"`
	}
	type createdPerson struct {
		Person
		Done
	}
	const path = "/v1/collections/{c}/people"
	operation(v, http.MethodGet, path, "List people", forReading, func(ctx context.Context, in *struct {
		InCollection
		Cursor
	},
	) (*body[Page[Person]], error) {
		if _, err := v.store.Collection(ctx, in.Collection); err != nil {
			return nil, err
		}
		all, err := v.store.People(ctx, in.Collection, in.After, in.Limit+1)
		return page(all, in.Limit, func(p store.Person) string { return p.ID }, toldPerson), err
	})
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
		p, op, err := v.store.CreatePerson(ctx, by(ctx).actor, in.Collection, in.Body.Name, in.Body.Kind)
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
		op, err := v.store.ChangePerson(ctx, by(ctx).actor, in.Collection, in.Person, p.Name, p.Kind)
		return v.done(ctx, in.Collection, op, err)
	})
	operation(v, http.MethodDelete, path+"/{p}", "Erase a person with all faces, for good", forAdmin, func(ctx context.Context, in *InPerson) (*body[store.Receipt], error) {
		receipt, err := v.store.ErasePerson(ctx, by(ctx).actor, in.Collection, in.Person)
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
		Person string `query:"person" doc:"Faces of this person; none: of nobody yet"`
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
		all, err := v.store.Faces(ctx, in.Collection, person, in.After, in.Limit+1)
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
	operation(v, http.MethodDelete, path+"/{f}", "Delete a face, for good", forReview, func(ctx context.Context, in *InFace) (*struct{}, error) {
		if err := v.store.DeleteFaces(ctx, by(ctx).actor, in.Collection, []string{in.Face}); err != nil {
			return nil, err
		}
		return nil, v.engine.publish(ctx, in.Collection)
	})
	type faceList struct {
		Faces  []string `json:"faces" minItems:"1" maxItems:"500"`
		Person string   `json:"person" doc:"Id; empty for nobody"`
	}
	operation(v, http.MethodPost, path+"/move", "Say whose faces these are", forReview, func(ctx context.Context, in *struct {
		InCollection
		Body faceList
	},
	) (*body[Done], error) {
		op, err := v.store.MoveFaces(ctx, by(ctx).actor, in.Collection, in.Body.Faces, in.Body.Person)
		return v.done(ctx, in.Collection, op, err)
	})
	operation(v, http.MethodPost, path+"/deny", "Say that faces are not those of a person", forReview, func(ctx context.Context, in *struct {
		InCollection
		Body faceList
	},
	) (*body[Done], error) {
		op, err := v.store.DenyFaces(ctx, by(ctx).actor, in.Collection, in.Body.Faces, in.Body.Person)
		return v.done(ctx, in.Collection, op, err)
	})
}

// A Key gives a program access.
type Key struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Scopes  []string   `json:"scopes"`
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires,omitempty"`
}

func toldKey(k store.Key) Key {
	told := Key{ID: k.ID, Name: k.Name, Scopes: k.Scopes, Created: k.Created}
	if !k.Expires.IsZero() {
		told.Expires = &k.Expires
	}
	return told
}

func (v *Service) keys() {
	operation(v, http.MethodGet, "/v1/keys", "List keys", forAdmin, func(ctx context.Context, _ *struct{}) (*body[Page[Key]], error) {
		all, err := v.store.Keys(ctx)
		return page(all, len(all), nil, toldKey), err
	})
	type createdKey struct {
		Key
		Secret string `json:"key" doc:"For the header Authorization: Bearer …; it is not shown again"`
	}
	operation(v, http.MethodPost, "/v1/keys", "Create a key; the first one needs the scope admin", forAdmin, func(ctx context.Context, in *body[struct {
		Name    string    `json:"name" minLength:"1" maxLength:"200"`
		Scopes  []string  `json:"scopes" minItems:"1" enum:"identify,enrol,review,admin,metrics"`
		Expires time.Time `json:"expires,omitempty"`
	}],
	) (*body[createdKey], error) {
		admins, err := v.admins(ctx, "")
		if err != nil {
			return nil, err
		}
		if admins == 0 && (!slices.Contains(in.Body.Scopes, "admin") || !in.Body.Expires.IsZero()) {
			return nil, huma.Error422UnprocessableEntity("the first key needs the scope admin, and must not expire: otherwise nobody could create another")
		}
		k, s, err := v.store.CreateKey(ctx, by(ctx).actor, in.Body.Name, in.Body.Scopes, in.Body.Expires)
		return &body[createdKey]{createdKey{toldKey(k), s}}, err
	})
	operation(v, http.MethodDelete, "/v1/keys/{k}", "Delete a key", forAdmin, func(ctx context.Context, in *struct {
		Key string `path:"k"`
	},
	) (*struct{}, error) {
		admins, err := v.admins(ctx, in.Key)
		if err != nil {
			return nil, err
		}
		if admins == 0 {
			return nil, huma.Error409Conflict("this is the last key with the scope admin that does not expire: create another one first")
		}
		return nil, v.store.DeleteKey(ctx, by(ctx).actor, in.Key)
	})
	type set struct {
		Cookie string `header:"Set-Cookie"`
	}
	const attributes = "; Path=/; HttpOnly; SameSite=Strict"
	operation(v, http.MethodPost, "/v1/session", "Take the key of the header Authorization into a cookie, for a page", Scopes, func(_ context.Context, in *struct {
		Authorization string `header:"Authorization"`
	},
	) (*set, error) {
		return &set{cookieName + "=" + strings.TrimPrefix(in.Authorization, "Bearer ") + attributes}, nil
	})
	operation(v, http.MethodDelete, "/v1/session", "Forget the cookie", Scopes, func(context.Context, *struct{}) (*set, error) {
		return &set{cookieName + "=" + attributes + "; Max-Age=0"}, nil
	})
}

// admins is the number of keys but one with the scope admin that do not expire.
func (v *Service) admins(ctx context.Context, but string) (n int, err error) {
	all, err := v.store.Keys(ctx)
	for _, k := range all {
		if k.ID != but && k.Expires.IsZero() && slices.Contains(k.Scopes, "admin") {
			n++
		}
	}
	return n, err
}

func segments(path string) []string { return strings.Split(path, "/") }
