package people

import (
	"cmp"
	"context"
	"slices"
	"time"

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

	VisitorDays int `json:"visitor_days" doc:"For so many days the faces that identify does not recognise are kept as visitors; 0: they are not kept"`

	IsOutdated bool `json:"outdated,omitempty" doc:"Its faces are vectors of another network than those of new collections: a refit makes new ones, and compares"`
}

// ChangedCollection returns c with another name, unless that is "", and another rate, unless
// that is nil. It is an error if the result is not possible.
func ChangedCollection(c store.Collection, name string, fpir *float64) (store.Collection, error) {
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
		err = Unusable(err)
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
	People []Ref     `json:"people" doc:"The people that it changed, with the names that they had, or added; otherwise those whose the faces are"`
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
	if len(response.People) > 0 {
		return response
	}
	of := o.Receivers()
	for _, f := range o.NewFaces() {
		if id := s.owner[f]; id != "" && !slices.Contains(of, id) {
			of = append(of, id)
		}
	}
	for _, id := range of {
		if p, ok := s.people[id]; ok {
			response.People = append(response.People, Ref{id, p.Name})
		}
	}
	return response
}

// CheckRate returns an error if nearly no enrolled face would get its name at another rate of strangers.
func (v *Service) CheckRate(ctx context.Context, collection string, fpir float64) error {
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return err
	}
	if err := s.uselessAt(ctx, fpir); err != nil {
		f := Clash("%s: the rate stays as it was; with force it is set all the same", err)
		f.Code = "rate_useless"
		return f
	}
	return nil
}

// Operations returns a function that gives operations on a collection the form of the API.
func (v *Service) Operations(ctx context.Context, collection string) (func(store.Operation) Operation, error) {
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return nil, err
	}
	return s.operationResponse, nil
}

// Calibration returns the error rates of a collection.
func (v *Service) Calibration(ctx context.Context, collection string) (Calibration, error) {
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return Calibration{}, err
	}
	return s.calibration(), nil
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
