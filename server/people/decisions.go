package people

import (
	"context"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/server/store"
)

// A Decision gives faces to a person, or takes them away.
type Decision struct {
	Faces  []string `json:"faces" minItems:"1" maxItems:"500"`
	Verb   string   `json:"verb" enum:"is,is_not,ignore,discard" doc:"is and is_not: of a person; ignore: somebody whose faces are reported as unknown; discard: delete them, they are no faces"`
	Person string   `json:"person,omitempty" doc:"Id; for is and is_not"`
	Name   string   `json:"name,omitempty" doc:"Of a new person; for is"`

	Namesake bool `json:"namesake,omitempty" doc:"The new person has a name that another one has, too"`

	Expected
}

// Expected says which person the faces have, as far as the caller knows.
type Expected struct {
	Expected string `json:"expected,omitempty" doc:"Id of the person who has all these faces now, as far as you know, or none. If another decision has changed that meanwhile, nothing is done, and the answer is 409 with whose the faces are. Missing: whoever has them"`
}

// Holder returns the id of the person, "" for none; nil if the caller does not say.
func (e Expected) Holder() *string {
	switch e.Expected {
	case "":
		return nil
	case "none":
		return new(string)
	}
	return &e.Expected
}

// Decided is the answer to a decision.
type Decided struct {
	Person     string   `json:"person,omitempty"`
	Operations []string `json:"operations" doc:"For undo, the last one first; none for discard"`
}

// Decide carries out decisions in their order, up to the first that fails, if none of them contradicts
// itself.
func (v *Service) Decide(ctx context.Context, collection string, decisions []Decision) ([]Decided, error) {
	for _, d := range decisions {
		if err := d.check(); err != nil {
			return nil, err
		}
	}
	all := []Decided{}
	for _, d := range decisions {
		made, err := v.decide(ctx, collection, d)
		if err != nil {
			return nil, err
		}
		all = append(all, made)
	}
	return all, v.engine.publish(ctx, collection)
}

// check returns an error if fields of d contradict each other.
func (d Decision) check() error {
	switch {
	case d.Verb == "is" && (d.Person == "") == (d.Name == ""):
		return Invalid("is needs either a person or the name of a new one")
	case d.Verb == "is_not" && d.Person == "":
		return Invalid("is_not needs a person")
	case d.Name != "":
		if err := dataset.CheckName(d.Name); err != nil {
			return Unusable(err)
		}
	}
	return nil
}

func (v *Service) decide(ctx context.Context, collection string, d Decision) (made Decided, err error) {
	made = Decided{Person: d.Person, Operations: []string{}}
	actor := CallerOf(ctx).Actor
	var op string
	switch d.Verb {
	case "discard":
		return made, v.store.DeleteFaces(ctx, actor, collection, d.Holder(), d.Faces)
	case "is_not":
		op, err = v.store.DenyFaces(ctx, actor, collection, d.Holder(), d.Faces, d.Person)
	case "is":
		if d.Person != "" {
			op, err = v.store.MoveFaces(ctx, actor, collection, d.Holder(), d.Faces, d.Person)
			break
		}
		made.Person, op, err = v.store.NameFaces(ctx, actor, collection, d.Holder(), d.Faces, d.Name, store.Known, d.Namesake)
	case "ignore":
		made.Person, op, err = v.store.NameFaces(ctx, actor, collection, d.Holder(), d.Faces, "ignored", store.Ignored, true)
	}
	if op != "" {
		made.Operations = append(made.Operations, op)
	}
	return made, err
}
