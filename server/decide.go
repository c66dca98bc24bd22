package server

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

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

// person returns the id of the person, "" for none; nil if the caller does not say.
func (e Expected) person() *string {
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

func (v *Service) review() {
	operation(v, http.MethodGet, "/v1/collections/{collection}/review", "Groups of similar faces of nobody yet, the largest first", forReview, func(ctx context.Context, in *struct {
		InCollection
		Cursor
		State string `query:"state" enum:"cluster,doubtful,conflict" default:"cluster" doc:"doubtful: only those with a guess that is known or doubtful; conflict: faces of somebody whose labels may be wrong, which is with the same person confirms"`
	},
	) (*body[Page[Cluster]], error) {
		list := v.engine.grouped
		if in.State == "conflict" {
			list = v.engine.conflicts
		}
		all, err := list(ctx, in.Collection)
		if err != nil {
			return nil, err
		}
		if in.State == "doubtful" {
			all = slices.DeleteFunc(slices.Clone(all), func(c Cluster) bool { return c.Guess == nil || c.Guess.Decision == "unknown" })
		}
		first, err := in.number()
		if err != nil {
			return nil, err
		}
		all = all[min(first, len(all)):]
		return page(all, in.Limit, func(Cluster) string { return strconv.Itoa(first + in.Limit) }, func(c Cluster) Cluster { return c }), nil
	})
	operation(v, http.MethodPost, "/v1/collections/{collection}/review/decide", "Decide whose faces these are; each decision is made whole or not at all, in their order, up to the first that fails", forReview, func(ctx context.Context, in *struct {
		InCollection
		Body struct {
			Decisions []Decision `json:"decisions" minItems:"1" maxItems:"500"`
		}
	},
	) (*body[Page[Decided]], error) {
		out := &body[Page[Decided]]{Page[Decided]{Items: []Decided{}}}
		for _, d := range in.Body.Decisions {
			if err := d.check(); err != nil {
				return nil, err
			}
		}
		for _, d := range in.Body.Decisions {
			made, err := v.decide(ctx, in.Collection, d)
			if err != nil {
				return nil, err
			}
			out.Body.Items = append(out.Body.Items, made)
		}
		return out, v.engine.publish(ctx, in.Collection)
	})
}

// check returns an error if fields of d contradict each other.
func (d Decision) check() error {
	switch {
	case d.Verb == "is" && (d.Person == "") == (d.Name == ""):
		return huma.Error422UnprocessableEntity("is needs either a person or the name of a new one")
	case d.Verb == "is_not" && d.Person == "":
		return huma.Error422UnprocessableEntity("is_not needs a person")
	case d.Name != "":
		if err := dataset.CheckName(d.Name); err != nil {
			return unusable(err)
		}
	}
	return nil
}

func (v *Service) decide(ctx context.Context, collection string, d Decision) (made Decided, err error) {
	made = Decided{Person: d.Person, Operations: []string{}}
	actor := requestOf(ctx).actor
	var op string
	switch d.Verb {
	case "discard":
		return made, v.store.DeleteFaces(ctx, actor, collection, d.person(), d.Faces)
	case "is_not":
		op, err = v.store.DenyFaces(ctx, actor, collection, d.person(), d.Faces, d.Person)
	case "is":
		if d.Person != "" {
			op, err = v.store.MoveFaces(ctx, actor, collection, d.person(), d.Faces, d.Person)
			break
		}
		made.Person, op, err = v.store.NameFaces(ctx, actor, collection, d.person(), d.Faces, d.Name, store.Known, d.Namesake)
	case "ignore":
		made.Person, op, err = v.store.NameFaces(ctx, actor, collection, d.person(), d.Faces, "ignored", store.Ignored, true)
	}
	if op != "" {
		made.Operations = append(made.Operations, op)
	}
	return made, err
}
