package service

import (
	"context"
	"math"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/service/store"
)

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
		return checkedCollection(name, fpir)
	}
	const path = "/v1/collections"
	operation(v, http.MethodGet, path, "List collections", forReading, func(ctx context.Context, in *Cursor) (*body[Page[Collection]], error) {
		after, err := in.id()
		if err != nil {
			return nil, err
		}
		all, err := v.store.Collections(ctx, after, in.Limit+1)
		if only := by(ctx).collections; len(only) > 0 && err == nil {
			if all, err = v.store.Collections(ctx, "", math.MaxInt32); err == nil {
				all = slices.DeleteFunc(all, func(c store.Collection) bool { return c.ID <= after || !slices.Contains(only, c.ID) })
			}
		}
		return page(all, in.Limit, func(c store.Collection) string { return c.ID }, toldCollection), err
	})
	operation(v, http.MethodPost, path, "Create a collection", forEnrolling, func(ctx context.Context, in *body[collectionFields]) (*body[Collection], error) {
		name, fpir, err := filled(in.Body, "", openset.Default.FPIR)
		if err != nil {
			return nil, err
		}
		c, err := v.store.CreateCollection(ctx, by(ctx).actor, name, fpir, v.engine.inputs[0].space)
		return &body[Collection]{toldCollection(c)}, err
	})
	operation(v, http.MethodGet, path+"/{c}", "Get a collection", forReading, func(ctx context.Context, in *InCollection) (*body[Collection], error) {
		c, err := v.store.Collection(ctx, in.Collection)
		return &body[Collection]{toldCollection(c)}, err
	})
	set := func(ctx context.Context, id string, f collectionFields, force bool) (*body[Collection], error) {
		c, err := v.store.Collection(ctx, id)
		if err != nil {
			return nil, err
		}
		if c.Name, c.FPIR, err = filled(f, c.Name, c.FPIR); err != nil {
			return nil, err
		}
		if f.FPIR != nil && !force {
			s, err := v.engine.of(ctx, id)
			if err != nil {
				return nil, err
			}
			if err := s.uselessAt(ctx, c.FPIR); err != nil {
				return nil, huma.Error409Conflict(err.Error() + ": the rate stays as it was; with force it is set all the same")
			}
		}
		if err := v.store.SetCollection(ctx, by(ctx).actor, id, c.Name, c.FPIR); err != nil {
			return nil, err
		}
		if c, err = v.store.Collection(ctx, id); err != nil { // with its version
			return nil, err
		}
		return &body[Collection]{toldCollection(c)}, v.engine.publish(ctx, id)
	}
	operation(v, http.MethodPatch, path+"/{c}", "Rename a collection, or set how many strangers may be named", forReview, func(ctx context.Context, in *struct {
		InCollection
		Body struct {
			Name  string   `json:"name,omitempty" maxLength:"200"`
			FPIR  *float64 `json:"fpir,omitempty"`
			Force bool     `json:"force,omitempty" doc:"Set the rate also if nearly no enrolled face gets its name"`
		}
	},
	) (*body[Collection], error) {
		return set(ctx, in.Collection, collectionFields{in.Body.Name, in.Body.FPIR}, in.Body.Force)
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
		s, err := v.engine.of(ctx, in.Collection)
		if err != nil {
			return nil, err
		}
		after, err := in.id()
		if err != nil {
			return nil, err
		}
		all, err := v.store.Operations(ctx, in.Collection, after, in.Limit+1)
		return page(all, in.Limit, func(o store.Operation) string { return o.ID }, s.toldOperation), err
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

// checkedCollection returns the name and the rate, and an error if one is not possible.
func checkedCollection(name string, fpir float64) (string, float64, error) {
	how := openset.Default
	how.FPIR = fpir
	err := how.Validate()
	if err == nil {
		err = dataset.CheckName(name)
	}
	if err != nil {
		err = unusable(err)
	}
	return name, fpir, err
}

// A Calibration tells how often a collection errs.
type Calibration struct {
	FPIR      float64         `json:"fpir" doc:"Share of strangers who may be named"`
	People    int             `json:"people" doc:"Who have faces"`
	Faces     int             `json:"faces"`
	Threshold *float64        `json:"threshold" doc:"Least evidence of a face that is named; null with fewer than two people"`
	Strangers *Strangers      `json:"strangers"`
	Rates     []openset.Rates `json:"rates" doc:"On held-out faces, at this and other rates"`
	Given     Given           `json:"given"`
}

// Given tells of the faces of strangers that were added for the calibration.
type Given struct {
	Faces int `json:"faces"`
	Used  int `json:"used" doc:"With very many people only some are compared with all of them"`
	Alike int `json:"alike" doc:"How many look so much like somebody of the collection that they are probably no strangers"`

	Useless string `json:"useless,omitempty" doc:"Why none of them is used: the threshold would be useless"`
}

// given tells of the strangers of s.
func (s *snapshot) given() Given {
	g := Given{Faces: len(s.strangers)}
	if s.live == nil || s.live.Model().Calibration == nil {
		return g
	}
	c, margins := s.live.Model().Calibration, s.judged.Model().Calibration.Given
	g.Used = len(c.Given)
	if err := s.useless(); err != nil {
		g.Useless = err.Error()
	}
	const sure = 0.95 // a stranger with this probability of the guess is probably none
	for _, margin := range margins {
		if c.Probability(margin) >= min(sure, c.MaxProbability()) {
			g.Alike++
		}
	}
	return g
}

// Strangers are the expected shares of strangers who are named, with intervals of 90 %.
type Strangers struct {
	AtLarge openset.Share `json:"at_large" doc:"People chosen at random"`
	Alike   openset.Share `json:"alike" doc:"People as similar to those of the collection as these are to each other"`
}

func (s *snapshot) calibration() Calibration {
	c := Calibration{FPIR: s.FPIR, Faces: len(s.owner), Rates: []openset.Rates{}, Given: s.given()}
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
