package server

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/server/store"
)

// A Collection is a set of people and faces. Collections share nothing.
type Collection struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	FPIR    float64   `json:"fpir" doc:"Share of strangers who may be named"`
	Created time.Time `json:"created"`
	Version int64     `json:"version" doc:"Grows with each change of what is in it"`
}

func collectionResponse(c store.Collection) Collection {
	return Collection{c.ID, c.Name, c.FPIR, c.Created, c.Seq}
}

type collectionFields struct {
	Name string   `json:"name,omitempty" maxLength:"200"`
	FPIR *float64 `json:"fpir,omitempty"`
}

func (v *Service) collections() {
	const path = "/v1/collections"
	operation(v, http.MethodGet, path, "List collections", forReading, func(ctx context.Context, in *Cursor) (*body[Page[Collection]], error) {
		list := func(after string, limit int) ([]store.Collection, error) {
			only := requestOf(ctx).collections
			if len(only) == 0 {
				return v.store.Collections(ctx, after, limit)
			}
			all, err := v.store.Collections(ctx, after, math.MaxInt32)
			return slices.DeleteFunc(all, func(c store.Collection) bool { return !slices.Contains(only, c.ID) }), err
		}
		return pageByID(*in, list, func(c store.Collection) string { return c.ID }, collectionResponse)
	})
	v.plain(http.MethodGet, "/v1/events", plain{summary: "Follow the collections: a server-sent event when one of them has changed", scopes: forReading, kind: "text/event-stream"}, v.follow)
	operation(v, http.MethodPost, path, "Create a collection", forEnrolling, func(ctx context.Context, in *body[collectionFields]) (*body[Collection], error) {
		c, err := changedCollection(store.Collection{FPIR: openset.Default.FPIR}, in.Body.Name, in.Body.FPIR)
		if err != nil {
			return nil, err
		}
		c, err = v.store.CreateCollection(ctx, requestOf(ctx).actor, c.Name, c.FPIR, v.engine.inputs[0].space)
		return answered(collectionResponse(c), err)
	})
	operation(v, http.MethodGet, path+"/{collection}", "Get a collection", forReading, func(ctx context.Context, in *InCollection) (*body[Collection], error) {
		c, err := v.store.Collection(ctx, in.Collection)
		return answered(collectionResponse(c), err)
	})
	operation(v, http.MethodPatch, path+"/{collection}", "Rename a collection, or set how many strangers may be named", forReview, v.setCollection)
	operation(v, http.MethodDelete, path+"/{collection}", "Delete a collection with all that is in it, for good", forAdmin, func(ctx context.Context, in *InCollection) (*struct{}, error) {
		if err := v.store.DeleteCollection(ctx, requestOf(ctx).actor, in.Collection); err != nil {
			return nil, err
		}
		_, _ = v.engine.snapshot(ctx, in.Collection) // removes the one in memory
		return nil, nil
	})
	operation(v, http.MethodGet, path+"/{collection}/calibration", "Error rates at the present threshold and at others", forReading, func(ctx context.Context, in *InCollection) (*body[Calibration], error) {
		s, err := v.engine.snapshot(ctx, in.Collection)
		if err != nil {
			return nil, err
		}
		return answered(s.calibration(), nil)
	})
	operation(v, http.MethodGet, path+"/{collection}/operations", "List what can be undone, the latest first", forReview, v.listOperations)
	operation(v, http.MethodPost, path+"/{collection}/undo/{operation}", "Undo an operation", forReview, func(ctx context.Context, in *struct {
		InCollection
		Operation string `path:"operation"`
	},
	) (*struct{}, error) {
		err := v.store.Undo(ctx, requestOf(ctx).actor, in.Collection, in.Operation)
		return nil, v.published(ctx, in.Collection, err)
	})
}

func (v *Service) setCollection(ctx context.Context, in *struct {
	InCollection
	Body struct {
		Name  string   `json:"name,omitempty" maxLength:"200"`
		FPIR  *float64 `json:"fpir,omitempty"`
		Force bool     `json:"force,omitempty" doc:"Set the rate also if nearly no enrolled face gets its name"`
	}
},
) (*body[Collection], error) {
	c, err := v.store.Collection(ctx, in.Collection)
	if err != nil {
		return nil, err
	}
	if c, err = changedCollection(c, in.Body.Name, in.Body.FPIR); err != nil {
		return nil, err
	}
	if in.Body.FPIR != nil && !in.Body.Force {
		s, err := v.engine.snapshot(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		if err := s.uselessAt(ctx, c.FPIR); err != nil {
			return nil, coded("rate_useless", huma.Error409Conflict(err.Error()+": the rate stays as it was; with force it is set all the same"))
		}
	}
	if err := v.store.SetCollection(ctx, requestOf(ctx).actor, c.ID, c.Name, c.FPIR); err != nil {
		return nil, err
	}
	c, err = v.store.Collection(ctx, c.ID) // with its new version
	return answered(collectionResponse(c), v.published(ctx, in.Collection, err))
}

func (v *Service) listOperations(ctx context.Context, in *struct {
	InCollection
	Cursor
},
) (*body[Page[Operation]], error) {
	s, err := v.engine.snapshot(ctx, in.Collection)
	if err != nil {
		return nil, err
	}
	list := func(before string, limit int) ([]store.Operation, error) {
		return v.store.Operations(ctx, in.Collection, before, limit)
	}
	return pageByID(in.Cursor, list, func(o store.Operation) string { return o.ID }, s.operationResponse)
}

// changedCollection returns c with another name, unless that is "", and another rate, unless
// that is nil. It is an error if the result is not possible.
func changedCollection(c store.Collection, name string, fpir *float64) (store.Collection, error) {
	c.Name = cmp.Or(name, c.Name)
	if fpir != nil {
		c.FPIR = *fpir
	}
	o := openset.Default
	o.FPIR = c.FPIR
	err := o.Validate()
	if err == nil {
		err = dataset.CheckName(c.Name)
	}
	if err != nil {
		err = unusable(err)
	}
	return c, err
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

// operationResponse is the API form of an operation. s has the names of the people that it
// added.
func (s *snapshot) operationResponse(o store.Operation) Operation {
	response := Operation{o.ID, o.Kind, o.Actor, o.At, o.Undone, o.CountFaces(), []Ref{}}
	for _, p := range o.People() {
		if p.Name == "" {
			p.Name = s.people[p.ID].Name
		}
		response.People = append(response.People, Ref{p.ID, p.Name})
	}
	return response
}

// A Calibration has the error rates of a collection.
type Calibration struct {
	FPIR      float64         `json:"fpir" doc:"Share of strangers who may be named"`
	People    int             `json:"people" doc:"Who have faces"`
	Faces     int             `json:"faces"`
	Threshold *float64        `json:"threshold" doc:"Least evidence of a face that is named; null if nobody is enrolled"`
	Strangers *Strangers      `json:"strangers,omitempty" doc:"Missing if nobody is enrolled"`
	Rates     []openset.Rates `json:"rates" doc:"On held-out faces, at this and other rates"`
	Added     AddedStrangers  `json:"given"`
}

// AddedStrangers counts the faces of strangers that were added for the calibration.
type AddedStrangers struct {
	Faces int `json:"faces"`
	Used  int `json:"used" doc:"With very many people only some are compared with all of them"`
	Alike int `json:"alike" doc:"How many look so much like somebody of the collection that they are probably no strangers"`

	Useless string `json:"useless,omitempty" doc:"Why none of them is used: the threshold would be useless"`
}

// strangerCounts counts the strangers of s.
func (s *snapshot) strangerCounts() AddedStrangers {
	g := AddedStrangers{Faces: len(s.strangers)}
	if s.live == nil || s.live.Model().Calibration == nil {
		return g
	}
	c, margins := s.live.Model().Calibration, s.withStrangers.Model().Calibration.Strangers
	g.Used = len(c.Strangers)
	if err := s.useless(); err != nil {
		g.Useless = err.Error()
	}
	g.Alike = c.Members(margins)
	return g
}

// Strangers are the expected shares of strangers who are named, with intervals of 90 %, or with
// upper limits, where the least share is 0.
type Strangers struct {
	AtLarge openset.Share `json:"at_large" doc:"People chosen at random"`
	Alike   openset.Share `json:"alike" doc:"People as similar to those of the collection as these are to each other; from 0 to 1, which is unknown, with fewer than 20 people and given strangers"`
}

func (s *snapshot) calibration() Calibration {
	c := Calibration{FPIR: s.FPIR, Faces: len(s.owner), Rates: []openset.Rates{}, Added: s.strangerCounts()}
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
		c.Strangers.AtLarge, c.Strangers.Alike = m.Calibration.StrangerRates(l)
	}
	return c
}
