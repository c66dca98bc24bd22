package service

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"gonum.org/v1/gonum/mat"

	"nrdl/dataset"
	"nrdl/group"
	"nrdl/openset"
	"nrdl/service/store"
)

// mostGrouped is how many faces of nobody are grouped, the oldest: the time grows with
// the square.
const mostGrouped = 4000

// A Cluster is a group of similar faces of nobody yet.
type Cluster struct {
	Faces []string `json:"faces"`
	Guess *Guess   `json:"guess" doc:"Who it may be; null if nobody is enrolled who is not ruled out"`
}

// A Guess is who the faces of a cluster may show, by the most certain of them.
type Guess struct {
	Ref
	Decision    string   `json:"decision" enum:"known,doubtful,unknown"`
	Probability *float64 `json:"probability"`
	Evidence    *float64 `json:"evidence"`
}

// clusters groups the faces of nobody in a collection, the largest group first.
func (e *engine) clusters(ctx context.Context, id string) ([]Cluster, error) {
	s, err := e.of(ctx, id)
	if err != nil {
		return nil, err
	}
	_, _, samples, err := e.store.Samples(ctx, id, e.space, true)
	if err != nil {
		return nil, err
	}
	samples = slices.DeleteFunc(samples, func(o store.Sample) bool { return o.Person != "" })
	if samples = samples[:min(len(samples), mostGrouped)]; len(samples) == 0 {
		return nil, nil
	}
	denied, err := e.store.Denied(ctx, id)
	if err != nil {
		return nil, err
	}
	x := mat.NewDense(e.in.Frame.Len(), len(samples), nil)
	photographs, numbers := make([]int, len(samples)), map[string]int{}
	for j, o := range samples {
		for i, v := range o.Vector {
			x.Set(i, j, float64(v))
		}
		key := o.Photo
		if key == "" {
			key = o.Face // alone
		}
		if _, ok := numbers[key]; !ok {
			numbers[key] = len(numbers)
		}
		photographs[j] = numbers[key]
	}
	how := group.Default
	how.FAR = s.FPIR
	groups, err := group.Faces(ctx, x, photographs, openset.ImpostorsOf(e.in.Frame.Embedding.Digest, e.in.Frame.Embedding.Mirror), how)
	if err != nil {
		return nil, err
	}
	guesses, err := s.guess(ctx, dataset.Unlabelled(x, e.in.Frame))
	if err != nil {
		return nil, err
	}
	all := make([]Cluster, len(groups))
	for i, g := range groups {
		for _, j := range g {
			face := samples[j].Face
			all[i].Faces = append(all[i].Faces, face)
			best := all[i].Guess
			if o := guesses[j]; o != nil && !slices.Contains(denied[face], o.ID) && (best == nil || *o.Evidence > *best.Evidence) {
				all[i].Guess = o
			}
		}
	}
	return all, nil
}

// guess returns who each of images may show.
func (s *snapshot) guess(ctx context.Context, images *dataset.Images) ([]*Guess, error) {
	all := make([]*Guess, images.Len())
	if s.live == nil {
		return all, nil
	}
	said, err := s.live.Model().Identify(ctx, images)
	if err != nil {
		return nil, err
	}
	people := s.live.Model().Parts().Classes
	for j, f := range said {
		if f.Class < 0 {
			continue
		}
		all[j] = &Guess{Ref: s.ref(people[f.Class]), Decision: "unknown", Evidence: &said[j].Decisive}
		if f.Probability == f.Probability { // not NaN
			all[j].Probability = &said[j].Probability
		}
		switch {
		case s.live.Model().Calibration == nil:
			all[j].Decision = "doubtful"
		case f.Known:
			all[j].Decision = "known"
		case f.Probability >= doubtful:
			all[j].Decision = "doubtful"
		}
	}
	return all, nil
}

// A Decision says whose faces these are.
type Decision struct {
	Faces  []string `json:"faces" minItems:"1" maxItems:"500"`
	Verb   string   `json:"verb" enum:"is,is_not,ignore,discard" doc:"is and is_not: of a person; ignore: somebody whose faces are reported as unknown; discard: delete them, they are no faces"`
	Person string   `json:"person,omitempty" doc:"Id; for is and is_not"`
	Name   string   `json:"name,omitempty" doc:"Of a new person; for is"`
}

// Decided is the answer to a decision.
type Decided struct {
	Person     string   `json:"person,omitempty"`
	Operations []string `json:"operations" doc:"For undo, the last one first; none for discard"`
}

func (v *Service) review() {
	operation(v, http.MethodGet, "/v1/collections/{c}/review", "Groups of similar faces of nobody yet, the largest first", forReview, func(ctx context.Context, in *struct {
		InCollection
		Cursor
		State string `query:"state" enum:"cluster,doubtful" default:"cluster" doc:"doubtful: only those with a guess that is known or doubtful"`
	},
	) (*body[Page[Cluster]], error) {
		all, err := v.engine.clusters(ctx, in.Collection)
		if err != nil {
			return nil, err
		}
		if in.State == "doubtful" {
			all = slices.DeleteFunc(all, func(c Cluster) bool { return c.Guess == nil || c.Guess.Decision == "unknown" })
		}
		first := 0
		if in.After != "" {
			if first, err = strconv.Atoi(in.After); err != nil || first < 0 {
				return nil, huma.Error422UnprocessableEntity("the cursor is not one of this list")
			}
		}
		all = all[min(first, len(all)):]
		return page(all, in.Limit, func(Cluster) string { return strconv.Itoa(first + in.Limit) }, func(c Cluster) Cluster { return c }), nil
	})
	operation(v, http.MethodPost, "/v1/collections/{c}/review/decide", "Decide whose faces these are; each decision is made whole or not at all, in their order, up to the first that fails", forReview, func(ctx context.Context, in *struct {
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

// check reports parts of d that do not agree.
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
	actor := by(ctx).actor
	var op string
	switch d.Verb {
	case "discard":
		return made, v.store.DeleteFaces(ctx, actor, collection, d.Faces)
	case "is_not":
		op, err = v.store.DenyFaces(ctx, actor, collection, d.Faces, d.Person)
	case "is":
		if d.Person != "" {
			op, err = v.store.MoveFaces(ctx, actor, collection, d.Faces, d.Person)
			break
		}
		made.Person, op, err = v.store.NameFaces(ctx, actor, collection, d.Faces, d.Name, store.Known)
	case "ignore":
		made.Person, op, err = v.store.NameFaces(ctx, actor, collection, d.Faces, "ignored", store.Ignored)
	}
	if op != "" {
		made.Operations = append(made.Operations, op)
	}
	return made, err
}
