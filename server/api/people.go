package api

import (
	"cmp"
	"context"
	"net/http"

	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

type personFields struct {
	Name string `json:"name,omitempty" maxLength:"400"`
	Kind string `json:"kind,omitempty" enum:"known,ignored"`

	Namesake bool `json:"namesake,omitempty" doc:"Somebody else may have the name; otherwise the answer is 409 with the id of that person"`
}

// personRoutes are the routes of people.
type personRoutes struct{ *Service }

func (v personRoutes) register() {
	type createdPerson struct {
		people.Person
		Done
	}
	const path = "/v1/collections/{collection}/people"
	operation(v.Service, http.MethodGet, path, "List people", forReading, v.listPeople)
	operation(v.Service, http.MethodPost, path, "Create a person", forEnrolling,
		func(ctx context.Context, in *inCollection[personFields]) (*body[createdPerson], error) {
			if err := people.CheckName(in.Body.Name); err != nil {
				return nil, err
			}
			kind := cmp.Or(in.Body.Kind, store.Known)
			p, op, err := v.store.CreatePerson(ctx, requestOf(ctx).Actor, in.Collection, in.Body.Name, kind, in.Body.Namesake)
			return answered(createdPerson{people.PersonResponse(p), Done{op}}, v.people.Publish(ctx, in.Collection, err))
		})
	operation(v.Service, http.MethodGet, path+"/{person}", "Get a person", forReading,
		func(ctx context.Context, in *InPerson) (*body[people.Person], error) {
			p, err := v.store.Person(ctx, in.Collection, in.Person)
			if err != nil {
				return nil, err
			}
			one := []people.Person{people.PersonResponse(p)}
			err = v.people.Complete(ctx, in.Collection, one)
			return answered(one[0], err)
		})
	operation(v.Service, http.MethodPatch, path+"/{person}", "Rename or ignore a person", forReview, v.changePerson)
	operation(v.Service, http.MethodDelete, path+"/{person}", "Erase a person with all faces, for good",
		forAdmin, func(ctx context.Context, in *struct {
			InPerson
			Faces int `query:"faces" default:"-1" minimum:"-1" doc:"How many faces the person has, as far as you know. If there are more or fewer now, nothing is erased, and the answer is 409. Missing or -1: any number"`
		},
		) (*body[store.Receipt], error) {
			expected := &in.Faces
			if in.Faces < 0 {
				expected = nil
			}
			receipt, err := v.store.ErasePerson(ctx, requestOf(ctx).Actor, in.Collection, in.Person, expected)
			return answered(receipt, v.people.Publish(ctx, in.Collection, err))
		})
	operation(v.Service, http.MethodPost, path+"/{person}/merge", "Merge other people into a person",
		forReview, func(ctx context.Context, in *struct {
			InPerson
			Body struct {
				From []string `json:"from" minItems:"1" maxItems:"500"`
			}
		},
		) (*body[Done], error) {
			op, err := v.store.MergePeople(ctx, requestOf(ctx).Actor, in.Collection, in.Person, in.Body.From)
			return v.done(ctx, in.Collection, op, err)
		})
}

func (v personRoutes) changePerson(ctx context.Context, in *struct {
	InPerson
	Body people.PersonChange
},
) (*body[Done], error) {
	p, err := v.store.Person(ctx, in.Collection, in.Person)
	if err != nil {
		return nil, err
	}
	if err := in.Body.Apply(&p); err != nil {
		return nil, err
	}
	if in.Body.Portrait != nil && p.Portrait != "" {
		f, err := v.store.Face(ctx, in.Collection, p.Portrait)
		if err != nil || f.Person != p.ID || f.Source == store.Vector {
			return nil, people.Invalid("the portrait is no face of the person that has a crop")
		}
	}
	op, err := v.store.ChangePerson(ctx, requestOf(ctx).Actor, in.Collection, p, in.Body.Namesake)
	return v.done(ctx, in.Collection, op, err)
}

// listPeople lists people by id, or by name or number of faces, which only the snapshot can.
func (v personRoutes) listPeople(ctx context.Context, in *struct {
	InCollection
	Cursor
	Search string `query:"search" maxLength:"400" doc:"Only people with this in their name"`
	Order  string `query:"order" enum:"id,name,faces" default:"id"`
	Kind   string `query:"kind" enum:"known,ignored"`
},
) (*body[Page[people.Person]], error) {
	list := func(after string, limit int) ([]store.Person, error) {
		if _, err := v.store.Collection(ctx, in.Collection); err != nil {
			return nil, err
		}
		return v.store.People(ctx, in.Collection, after, limit)
	}
	var response *body[Page[people.Person]]
	var err error
	if in.Order == "id" && in.Search == "" && in.Kind == "" {
		response, err = pageByID(in.Cursor, list, func(p store.Person) string { return p.ID }, people.PersonResponse)
	} else {
		response, err = v.sortedPeople(ctx, in.Collection, in.Cursor, in.Search, in.Order, in.Kind)
	}
	if err != nil {
		return nil, err
	}
	return response, v.people.Complete(ctx, in.Collection, response.Body.Items)
}

func (v personRoutes) sortedPeople(ctx context.Context, collection string, c Cursor,
	search, order, kind string,
) (*body[Page[people.Person]], error) {
	all, err := v.people.Sorted(ctx, collection, search, order, kind)
	if err != nil {
		return nil, err
	}
	return pageByNumber(c, all, people.PersonResponse)
}
