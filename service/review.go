package service

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/group"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/service/store"
)

// How many faces of nobody are grouped, the oldest: while somebody waits, as the time grows
// with the square, and by the job regroup, so many at a time.
const (
	mostGrouped   = 4000
	mostRegrouped = 100000
)

// A Cluster is a group of similar faces of nobody yet.
type Cluster struct {
	Faces []string `json:"faces"`
	Guess *Guess   `json:"guess" doc:"Who it may be; null if nobody is enrolled who is not ruled out"`
	Apart []string `json:"apart,omitempty" doc:"Those of faces that look like another person than the rest: two people?"`

	Conflict *Conflict `json:"conflict,omitempty" doc:"Of state=conflict"`
}

// A Guess is who the faces of a cluster may show, by the most certain of them.
type Guess struct {
	Ref
	Decision    string   `json:"decision" enum:"known,doubtful,unknown"`
	Probability *float64 `json:"probability"`
	Margin      *float64 `json:"margin" doc:"The evidence for the person"`
}

// grouped returns the groups of the faces of nobody in a collection, the largest first.
// Each has its guess by those who are enrolled now.
func (e *engine) grouped(ctx context.Context, id string) ([]Cluster, error) {
	s, err := e.snapshot(ctx, id)
	if err != nil {
		return nil, err
	}
	s.grouping.Lock()
	defer s.grouping.Unlock()
	if s.clusters != nil {
		return s.clusters, nil
	}
	samples, err := e.unlabelled(ctx, s, e.mostGrouped)
	if err != nil {
		return nil, err
	}
	all, clusters := samples, []Cluster{}
	if len(samples) == e.mostGrouped { // too many to be grouped now: the job regroup has
		groups, err := e.store.Groups(ctx, id)
		if err != nil {
			return nil, err
		}
		if samples, err = e.unlabelled(ctx, s, mostRegrouped); err != nil {
			return nil, err
		}
		there := map[string]bool{}
		for _, g := range groups {
			for _, f := range g {
				there[f] = true
			}
			clusters = append(clusters, Cluster{Faces: g})
		}
		all = samples
		samples = slices.DeleteFunc(slices.Clone(samples), func(o store.Sample) bool { return there[o.Face] })
		samples = samples[:min(len(samples), e.mostGrouped)]
	}
	groups, err := s.group(ctx, samples)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		clusters = append(clusters, Cluster{Faces: g})
	}
	s.setApart(clusters, all)
	slices.SortStableFunc(clusters, func(a, b Cluster) int { return len(b.Faces) - len(a.Faces) })
	if err := e.guessed(ctx, s, clusters); err != nil {
		return nil, err
	}
	s.clusters = clusters
	return clusters, nil
}

// unlabelled returns the faces of nobody, the oldest first, up to most.
func (e *engine) unlabelled(ctx context.Context, s *snapshot, most int) ([]store.Sample, error) {
	return e.store.Samples(ctx, s.ID, s.input.space, "", "", most)
}

// group returns the groups of samples: the ids of the faces.
func (s *snapshot) group(ctx context.Context, samples []store.Sample) (ids [][]string, err error) {
	if len(samples) == 0 {
		return nil, nil
	}
	photographs, numbers := make([]int, len(samples)), map[string]int{}
	for j, o := range samples {
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
	how.FPIR = s.FPIR
	impostors := openset.ImpostorsOf(s.input.Frame.Embedding.Digest, s.input.Frame.Embedding.Mirror)
	if impostors == nil { // a network that was not measured: each face is alone
		for _, o := range samples {
			ids = append(ids, []string{o.Face})
		}
		return ids, nil
	}
	groups, err := group.Faces(ctx, matrix(s.input.Frame, samples), photographs, impostors, how)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		var faces []string
		for _, j := range g {
			faces = append(faces, samples[j].Face)
		}
		ids = append(ids, faces)
	}
	return ids, nil
}

// setApart fills in which faces of clusters look like another person than the rest.
func (s *snapshot) setApart(clusters []Cluster, samples []store.Sample) {
	l := openset.ImpostorsOf(s.input.Frame.Embedding.Digest, s.input.Frame.Embedding.Mirror)
	if l == nil {
		return
	}
	at := make(map[string]int, len(samples))
	for j, o := range samples {
		at[o.Face] = j
	}
	for i := range clusters {
		c := &clusters[i]
		var own []store.Sample
		for _, f := range c.Faces {
			if j, ok := at[f]; ok {
				own = append(own, samples[j])
			}
		}
		if len(own) < 2 {
			continue
		}
		others, _ := gallery.TwoPeople(l, classify.Unit(matrix(s.input.Frame, own)))
		for _, j := range others {
			c.Apart = append(c.Apart, own[j].Face)
		}
	}
}

// guessed fills in who the faces of clusters may be.
func (e *engine) guessed(ctx context.Context, s *snapshot, clusters []Cluster) error {
	if s.live == nil || len(clusters) == 0 {
		return nil
	}
	denied, err := e.store.Denied(ctx, s.ID)
	if err != nil {
		return err
	}
	of := map[string]*Cluster{}
	for i := range clusters {
		for _, f := range clusters[i].Faces {
			of[f] = &clusters[i]
		}
	}
	const together = 1000
	for after := ""; ; {
		samples, err := e.store.Samples(ctx, s.ID, s.input.space, "", after, together)
		if err != nil || len(samples) == 0 {
			return err
		}
		after = samples[len(samples)-1].Face
		guesses, err := s.guess(ctx, dataset.Unlabelled(matrix(s.input.Frame, samples), s.input.Frame))
		if err != nil {
			return err
		}
		for j, g := range guesses {
			face := samples[j].Face
			c := of[face]
			if c == nil || g == nil || slices.Contains(denied[face], g.ID) || c.Guess != nil && *g.Margin <= *c.Guess.Margin {
				continue
			}
			c.Guess = g
		}
	}
}

// A Conflict says why labels of faces may be wrong.
type Conflict struct {
	Kind   string `json:"kind" enum:"photo,label,apart,pair" doc:"photo: several faces of one photograph are labelled as one person; label: the face looks like somebody else; apart: these faces look like one other person than the rest of the faces; pair: the two faces of the person do not look like one person"`
	Person Ref    `json:"person" doc:"The label"`
}

// mostCompared bounds the work and memory of the search for wrong labels: enrolled faces
// times people.
const mostCompared = 2e7

// conflicts returns faces whose labels may be wrong, unless somebody has confirmed them:
// those of one person in one photograph, then those that resemble somebody else, the
// surest first.
func (e *engine) conflicts(ctx context.Context, id string) ([]Cluster, error) {
	s, err := e.snapshot(ctx, id)
	if err != nil {
		return nil, err
	}
	s.grouping.Lock()
	defer s.grouping.Unlock()
	if s.suspects != nil {
		return s.suspects, nil
	}
	confirmed, err := e.store.Confirmed(ctx, id)
	if err != nil {
		return nil, err
	}
	doubles, err := e.store.Doubles(ctx, id)
	if err != nil {
		return nil, err
	}
	all := []Cluster{}
	for _, faces := range doubles {
		open := slices.DeleteFunc(slices.Clone(faces), func(f string) bool { return confirmed[f] })
		p := s.owner[faces[0]]
		if len(open) > 0 && s.people[p].Kind == store.Known {
			all = append(all, Cluster{Faces: faces, Conflict: &Conflict{"photo", s.ref(p)}})
		}
	}
	if s.live != nil && len(s.owner)*s.live.Model().Len() <= mostCompared {
		review, err := s.live.Model().Review(ctx, nil)
		if err != nil {
			return nil, err
		}
		listed := map[string]bool{}
		for _, o := range review.Suspects {
			c := Cluster{Conflict: &Conflict{"label", s.ref(o.Person)}}
			together := o.Part
			if together == nil {
				together = []int{o.Image}
			}
			for _, j := range together {
				id := s.live.Model().Images().ID(j)
				if face := id[strings.LastIndexByte(id, '/')+1:]; !confirmed[face] && !listed[face] {
					c.Faces = append(c.Faces, face)
					listed[face] = true
				}
			}
			switch {
			case len(c.Faces) == 0:
				continue
			case len(o.Part) > 0 && s.people[o.Person].Faces == 2:
				c.Conflict.Kind = "pair"
			case len(o.Part) > 0:
				c.Conflict.Kind = "apart"
			}
			if o.Other != "" {
				c.Guess = &Guess{Ref: s.ref(o.Other), Decision: "doubtful", Probability: o.Probability}
			}
			all = append(all, c)
		}
	}
	s.suspects = all
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
		all[j] = &Guess{Ref: s.ref(people[f.Class]), Decision: "unknown", Margin: &said[j].Decisive}
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

	Namesake bool `json:"namesake,omitempty" doc:"The new person has a name that another one has, too"`

	Expected
}

// Expected says which person the faces have, as the caller knows.
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
	operation(v, http.MethodGet, "/v1/collections/{c}/review", "Groups of similar faces of nobody yet, the largest first", forReview, func(ctx context.Context, in *struct {
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
