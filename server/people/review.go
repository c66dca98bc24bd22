package people

import (
	"context"
	"slices"
	"strings"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/group"
	"nrdl.example/nrdl/server/store"
)

// The most faces without a person that are grouped, the oldest ones.
const (
	maxGrouped   = 4000   // by a request, and at one time, as the time grows with the square
	maxRegrouped = 100000 // by the job regroup
)

// A Cluster is a group of similar faces without a person.
type Cluster struct {
	Faces []string `json:"faces"`
	Guess *Guess   `json:"guess,omitempty" doc:"Who it may be; missing if nobody is enrolled who is not ruled out"`
	Apart []string `json:"apart,omitempty" doc:"Those of faces that look like another person than the rest: two people?"`
	Loose bool     `json:"may_be_several,omitempty" doc:"The faces may be of several people who look alike"`

	Conflict *Conflict `json:"conflict,omitempty" doc:"Of state=conflict"`
}

// A Guess is the person that the faces of a cluster may show: that of the most certain face.
type Guess struct {
	Ref
	Decision    string   `json:"decision" enum:"known,doubtful,unknown"`
	Probability *float64 `json:"probability"`
	Margin      *float64 `json:"margin" doc:"The evidence for the person"`
}

// grouped returns the groups of the faces without a person, the largest first, with guesses. It groups up to
// limit faces at one time.
func (e *engine) grouped(ctx context.Context, id string, limit int) ([]Cluster, error) {
	s, err := e.snapshot(ctx, id)
	if err != nil {
		return nil, err
	}
	s.grouping.Lock()
	defer s.grouping.Unlock()
	if s.clusters != nil {
		return s.clusters, nil
	}
	samples, err := e.unlabelled(ctx, s, limit)
	if err != nil {
		return nil, err
	}
	all, clusters := samples, []Cluster{}
	if len(samples) == limit { // too many to be grouped now: the job regroup has
		groups, err := e.store.Groups(ctx, id)
		if err != nil {
			return nil, err
		}
		if samples, err = e.unlabelled(ctx, s, maxRegrouped); err != nil {
			return nil, err
		}
		isGrouped := map[string]bool{}
		for _, g := range groups {
			for _, f := range g.Faces {
				isGrouped[f] = true
			}
			clusters = append(clusters, asCluster(g))
		}
		all = samples
		samples = slices.DeleteFunc(slices.Clone(samples), func(o store.Sample) bool { return isGrouped[o.Face] })
		samples = samples[:min(len(samples), limit)]
	}
	groups, err := s.group(ctx, samples)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		clusters = append(clusters, asCluster(g))
	}
	s.setApart(clusters, all)
	slices.SortStableFunc(clusters, func(a, b Cluster) int { return len(b.Faces) - len(a.Faces) })
	if err := e.setGuesses(ctx, s, clusters); err != nil {
		return nil, err
	}
	s.clusters = clusters
	return clusters, nil
}

func asCluster(g store.Group) Cluster {
	return Cluster{Faces: g.Faces, Loose: g.Loose && len(g.Faces) > 1}
}

// unlabelled returns up to limit faces without a person, but those of visitors, the oldest first.
func (e *engine) unlabelled(ctx context.Context, s *snapshot, limit int) ([]store.Sample, error) {
	return e.store.Unnamed(ctx, s.ID, s.input.space, limit)
}

// group groups samples.
func (s *snapshot) group(ctx context.Context, samples []store.Sample) (all []store.Group, err error) {
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
	impostors := s.input.Law()
	if impostors == nil { // a network that was not measured: each face is alone
		for _, o := range samples {
			all = append(all, store.Group{Faces: []string{o.Face}})
		}
		return all, nil
	}
	groups, err := group.Faces(ctx, matrix(s.input.Frame, samples), photographs, impostors, group.Default)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		named := store.Group{Loose: g.Loose}
		for _, j := range g.Faces {
			named.Faces = append(named.Faces, samples[j].Face)
		}
		all = append(all, named)
	}
	return all, nil
}

// setApart sets the faces of each cluster that look like another person than the rest.
func (s *snapshot) setApart(clusters []Cluster, samples []store.Sample) {
	l := s.input.Law()
	if l == nil {
		return
	}
	index := make(map[string]int, len(samples))
	for j, o := range samples {
		index[o.Face] = j
	}
	for i := range clusters {
		c := &clusters[i]
		var faces []store.Sample
		for _, f := range c.Faces {
			if j, ok := index[f]; ok {
				faces = append(faces, samples[j])
			}
		}
		if len(faces) < 2 {
			continue
		}
		others, _ := gallery.DefaultSettings.TwoPeople(l, classify.Unit(matrix(s.input.Frame, faces)))
		for _, j := range others {
			c.Apart = append(c.Apart, faces[j].Face)
		}
	}
}

// setGuesses sets the guess of each cluster.
func (e *engine) setGuesses(ctx context.Context, s *snapshot, clusters []Cluster) error {
	if s.live == nil || len(clusters) == 0 {
		return nil
	}
	clusterOf := map[string]*Cluster{}
	for i := range clusters {
		for _, f := range clusters[i].Faces {
			clusterOf[f] = &clusters[i]
		}
	}
	return e.eachGuess(ctx, s, func(o store.Sample, g *Guess) {
		if c := clusterOf[o.Face]; c != nil && (c.Guess == nil || *g.Margin > *c.Guess.Margin) {
			c.Guess = g
		}
	})
}

// eachGuess calls do with each face of nobody yet and the guess for it, if there is one that nobody has
// denied.
func (e *engine) eachGuess(ctx context.Context, s *snapshot, do func(store.Sample, *Guess)) error {
	denied, err := e.store.Denied(ctx, s.ID)
	if err != nil {
		return err
	}
	const together = 1000
	for after := ""; ; {
		samples, err := e.store.Samples(ctx, s.ID, s.input.space, "", after, together)
		if err != nil || len(samples) == 0 {
			return err
		}
		after = samples[len(samples)-1].Face
		if err := s.guessEach(ctx, samples, denied, do); err != nil {
			return err
		}
	}
}

// guessEach is eachGuess for samples.
func (s *snapshot) guessEach(ctx context.Context, samples []store.Sample, denied map[string][]string, do func(store.Sample, *Guess)) error {
	if len(samples) == 0 {
		return nil
	}
	guesses, err := s.guess(ctx, dataset.Unlabelled(matrix(s.input.Frame, samples), s.input.Frame))
	for j, g := range guesses {
		if g != nil && !slices.Contains(denied[samples[j].Face], g.ID) {
			do(samples[j], g)
		}
	}
	return err
}

// A Conflict says why labels of faces may be wrong.
type Conflict struct {
	Kind   string `json:"kind" enum:"photo,label,apart,pair" doc:"photo: several faces of one photograph are labelled as one person; label: the face looks like somebody else; apart: these faces look like one other person than the rest of the faces; pair: the two faces of the person do not look like one person"`
	Person Ref    `json:"person" doc:"The label"`
}

// maxCompared bounds the search for wrong labels: enrolled faces times people.
const maxCompared = 2e7

// conflicts returns faces with labels that may be wrong and that nobody has confirmed: first
// several faces of one person in one photograph, then faces that look like another person, the
// most certain first.
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
	wrong, err := s.wrongLabels(ctx, confirmed)
	if err != nil {
		return nil, err
	}
	s.suspects = append(all, wrong...)
	return s.suspects, nil
}

// wrongLabels returns faces that look like another person than their label, without those that
// are confirmed; none if the faces and people are too many.
func (s *snapshot) wrongLabels(ctx context.Context, confirmed map[string]bool) (all []Cluster, err error) {
	if s.live == nil || len(s.owner)*s.live.Model().Len() > maxCompared {
		return nil, nil
	}
	review, err := s.live.Model().Review(ctx, nil)
	if err != nil {
		return nil, err
	}
	listed := map[string]bool{}
	for _, o := range review.Suspects {
		c := Cluster{Conflict: &Conflict{"label", s.ref(o.Person)}}
		images := o.Part
		if images == nil {
			images = []int{o.Image}
		}
		for _, j := range images {
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
	return all, nil
}

// guess returns the guess for each of images; nil for none.
func (s *snapshot) guess(ctx context.Context, images *dataset.Images) ([]*Guess, error) {
	all := make([]*Guess, images.Len())
	if s.live == nil {
		return all, nil
	}
	identified, err := s.live.Model().Identify(ctx, images)
	if err != nil {
		return nil, err
	}
	people, alike := s.live.Model().Parts().Classes, s.tooAlike() != ""
	for j, f := range identified {
		if f.Class < 0 {
			continue
		}
		all[j] = &Guess{Ref: s.ref(people[f.Class]), Decision: "unknown", Margin: &identified[j].DecisionScore}
		if f.Probability == f.Probability { // not NaN
			all[j].Probability = &identified[j].Probability
		}
		switch {
		case alike:
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

// Review returns the groups of faces of a collection to look at, in their order: of faces of nobody yet
// (state cluster), those of them with a guess that is known or doubtful (doubtful), or of faces whose
// labels may be wrong (conflict).
func (v *Service) Review(ctx context.Context, collection, state string) ([]Cluster, error) {
	if state == "conflict" {
		return v.engine.conflicts(ctx, collection)
	}
	all, err := v.engine.grouped(ctx, collection, v.MaxGroupFaces)
	if state == "doubtful" {
		all = slices.DeleteFunc(slices.Clone(all), func(c Cluster) bool { return c.Guess == nil || c.Guess.Decision == "unknown" })
	}
	return all, err
}

// Regroup groups the faces of a collection without a person, in parts, and returns their number and the
// groups. It calls progress after each part.
func (v *Service) Regroup(ctx context.Context, collection string,
	progress func(done, total int) error,
) (faces int, groups []store.Group, err error) {
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return 0, nil, err
	}
	samples, err := v.engine.unlabelled(ctx, s, maxRegrouped)
	if err != nil {
		return 0, nil, err
	}
	for from := 0; from < len(samples); from += v.MaxGroupFaces {
		some, err := s.group(ctx, samples[from:min(from+v.MaxGroupFaces, len(samples))])
		if err != nil {
			return 0, nil, err
		}
		groups = append(groups, some...)
		if err := progress(from, len(samples)); err != nil {
			return 0, nil, err
		}
	}
	s.grouping.Lock()
	s.clusters = nil
	s.grouping.Unlock()
	return len(samples), groups, nil
}
