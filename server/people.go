package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/text/cases"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/natural"
	"nrdl.example/nrdl/server/store"
)

// A Person is a person of a collection.
type Person struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Kind    string    `json:"kind" enum:"known,ignored" doc:"The faces of ignored people are reported as unknown"`
	Faces   int       `json:"faces"`
	Created time.Time `json:"created"`

	Portrait string `json:"portrait,omitempty" doc:"In lists: the face with the best crop"`

	Born      string   `json:"born,omitempty" doc:"Date of birth, 2015-03-28, 2015-03 or 2015"`
	Different []string `json:"different,omitempty" doc:"Ids of people who look alike and are somebody else"`
}

func personResponse(p store.Person) Person {
	response := Person{ID: p.ID, Name: p.Name, Kind: p.Kind, Faces: p.Faces, Created: p.Created, Born: p.Born}
	if p.Differs != "" {
		response.Different = strings.Split(p.Differs, ",")
	}
	return response
}

// A Ref names a person.
type Ref struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// set sets in p what f says of the person beside the faces.
func (f personChange) set(p *store.Person) error {
	if f.Born != nil {
		if _, err := gallery.ParseBorn(*f.Born); *f.Born != "" && err != nil {
			return unusable(err)
		}
		p.Born = *f.Born
	}
	if f.Different != nil {
		for _, id := range *f.Different {
			if !anID.MatchString(id) || id == p.ID {
				return huma.Error422UnprocessableEntity(fmt.Sprintf("%.40q is not the id of another person", id))
			}
		}
		p.Differs = strings.Join(*f.Different, ",")
	}
	return nil
}

// A personChange has what is to be changed of a person.
type personChange struct {
	Name string `json:"name,omitempty" maxLength:"400"`
	Kind string `json:"kind,omitempty" enum:"known,ignored"`

	Namesake bool `json:"namesake,omitempty" doc:"Somebody else may have the name; otherwise the answer is 409 with the id of that person"`

	Born      *string   `json:"born,omitempty" doc:"Date of birth, 2015-03-28, 2015-03 or 2015; empty: not known. Photographs that were taken more than two days before it do not show the person" maxLength:"10"`
	Different *[]string `json:"different,omitempty" doc:"Ids of people who look alike and are somebody else: a face has to be clearly more similar to this person to get the name" maxItems:"100"`
}

type personFields struct {
	Name string `json:"name,omitempty" maxLength:"400"`
	Kind string `json:"kind,omitempty" enum:"known,ignored"`

	Namesake bool `json:"namesake,omitempty" doc:"Somebody else may have the name; otherwise the answer is 409 with the id of that person"`
}

func (v *Service) people() {
	type createdPerson struct {
		Person
		Done
	}
	const path = "/v1/collections/{collection}/people"
	operation(v, http.MethodGet, path, "List people", forReading, v.listPeople)
	operation(v, http.MethodPost, path, "Create a person", forEnrolling, func(ctx context.Context, in *inCollection[personFields]) (*body[createdPerson], error) {
		if err := dataset.CheckName(in.Body.Name); err != nil {
			return nil, unusable(err)
		}
		kind := cmp.Or(in.Body.Kind, store.Known)
		p, op, err := v.store.CreatePerson(ctx, requestOf(ctx).actor, in.Collection, in.Body.Name, kind, in.Body.Namesake)
		return answered(createdPerson{personResponse(p), Done{op}}, v.published(ctx, in.Collection, err))
	})
	operation(v, http.MethodGet, path+"/{person}", "Get a person", forReading, func(ctx context.Context, in *InPerson) (*body[Person], error) {
		p, err := v.store.Person(ctx, in.Collection, in.Person)
		return answered(personResponse(p), err)
	})
	operation(v, http.MethodPatch, path+"/{person}", "Rename or ignore a person", forReview, v.changePerson)
	operation(v, http.MethodDelete, path+"/{person}", "Erase a person with all faces, for good", forAdmin, func(ctx context.Context, in *struct {
		InPerson
		Faces int `query:"faces" default:"-1" minimum:"-1" doc:"How many faces the person has, as far as you know. If there are more or fewer now, nothing is erased, and the answer is 409. Missing or -1: any number"`
	},
	) (*body[store.Receipt], error) {
		expected := &in.Faces
		if in.Faces < 0 {
			expected = nil
		}
		receipt, err := v.store.ErasePerson(ctx, requestOf(ctx).actor, in.Collection, in.Person, expected)
		return answered(receipt, v.published(ctx, in.Collection, err))
	})
	operation(v, http.MethodPost, path+"/{person}/merge", "Merge other people into a person", forReview, func(ctx context.Context, in *struct {
		InPerson
		Body struct {
			From []string `json:"from" minItems:"1" maxItems:"500"`
		}
	},
	) (*body[Done], error) {
		op, err := v.store.MergePeople(ctx, requestOf(ctx).actor, in.Collection, in.Person, in.Body.From)
		return v.done(ctx, in.Collection, op, err)
	})
}

func (v *Service) changePerson(ctx context.Context, in *struct {
	InPerson
	Body personChange
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
	}
	p.Name, p.Kind = cmp.Or(in.Body.Name, p.Name), cmp.Or(in.Body.Kind, p.Kind)
	if err := in.Body.set(&p); err != nil {
		return nil, err
	}
	op, err := v.store.ChangePerson(ctx, requestOf(ctx).actor, in.Collection, p, in.Body.Namesake)
	return v.done(ctx, in.Collection, op, err)
}

// listPeople lists people by id, or by name or number of faces, which only the snapshot can.
func (v *Service) listPeople(ctx context.Context, in *struct {
	InCollection
	Cursor
	Search string `query:"search" maxLength:"400" doc:"Only people with this in their name"`
	Order  string `query:"order" enum:"id,name,faces" default:"id"`
	Kind   string `query:"kind" enum:"known,ignored"`
},
) (*body[Page[Person]], error) {
	list := func(after string, limit int) ([]store.Person, error) {
		if _, err := v.store.Collection(ctx, in.Collection); err != nil {
			return nil, err
		}
		return v.store.People(ctx, in.Collection, after, limit)
	}
	var response *body[Page[Person]]
	var err error
	if in.Order == "id" && in.Search == "" && in.Kind == "" {
		response, err = pageByID(in.Cursor, list, func(p store.Person) string { return p.ID }, personResponse)
	} else {
		response, err = v.sortedPeople(ctx, in.Collection, in.Cursor, in.Search, in.Order, in.Kind)
	}
	if err != nil {
		return nil, err
	}
	return response, v.addPortraits(ctx, in.Collection, response.Body.Items)
}

func (v *Service) sortedPeople(ctx context.Context, collection string, c Cursor, search, order, kind string) (*body[Page[Person]], error) {
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return nil, err
	}
	first, err := c.number()
	if err != nil {
		return nil, err
	}
	all := s.sorted(search, order, kind)
	all = all[min(first, len(all)):]
	return page(all, c.Limit, func(store.Person) string { return strconv.Itoa(first + c.Limit) }, personResponse), nil
}

// sorted returns the people of a kind, "" for all, with search in their name.
func (s *snapshot) sorted(search, order, kind string) []store.Person {
	fold := cases.Fold()
	search = fold.String(search)
	var all []store.Person
	names := map[string]string{}
	for id, p := range s.people {
		if name := fold.String(p.Name); strings.Contains(name, search) && (kind == "" || p.Kind == kind) {
			names[id] = name
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b store.Person) int {
		switch {
		case order == "faces" && a.Faces != b.Faces:
			return b.Faces - a.Faces
		case order != "id" && names[a.ID] != names[b.ID]:
			return natural.Compare(names[a.ID], names[b.ID])
		}
		return strings.Compare(a.ID, b.ID)
	})
	return all
}

// addPortraits sets the portrait of each person: the face with the best crop.
func (v *Service) addPortraits(ctx context.Context, collection string, people []Person) error {
	var ids []string
	index := map[string]*Person{}
	for i, p := range people {
		ids = append(ids, p.ID)
		index[p.ID] = &people[i]
	}
	faces, err := v.store.FacesWithCrop(ctx, collection, ids)
	best := map[string]float64{}
	for _, f := range faces {
		var q dataset.Quality
		if err := json.Unmarshal(f.Quality, &q); err != nil {
			return err
		}
		const enough = 60 // pixels between the eyes, above which a crop gets no better
		if value := 1 + min(q.Eyes, enough)*q.Sharpness*q.Exposure; value > best[f.Person] {
			best[f.Person], index[f.Person].Portrait = value, f.ID
		}
	}
	return err
}
