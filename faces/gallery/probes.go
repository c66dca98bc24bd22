package gallery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery/index"
	"nrdl.example/nrdl/internal/parallel"
	"nrdl.example/nrdl/openset"
)

// maxFollowed is the largest number of people of a change who are compared with the probes one
// by one.
const maxFollowed = 256

// heldOut are the faces that were held out of a gallery that shortlists.
type heldOut struct {
	Options   openset.Options `json:"how"`
	Compared  int             `json:"compared"`       // people when strangers were compared, unless scores follow changes
	Shortlist int             `json:"most,omitempty"` // people on a shortlist, where they are more than Settings.Shortlist
	Probes    []probe         `json:"probes"`
	Right     []float64       `json:"right"` // scores, ascending
	Wrong     []float64       `json:"wrong"`
	Strangers []float64       `json:"given,omitempty"` // of strangers, with Compared people
}

// A probe is a face that is taken for a stranger's: it is compared with everybody but its
// own person.
type probe struct {
	Name   string  `json:"name"`
	ID     string  `json:"id"`
	Rivals []rival `json:"rivals"` // those with the largest scores, the largest first

	vector []float32 // nil where a change compares nothing with it
}

// A rival is a person of the gallery, with the score of a probe for that person.
type rival struct {
	Name  string  `json:"name"`
	Score float64 `json:"score"`
}

// separable returns the method of g if the score of a person depends on nobody else: then
// the scores of strangers follow every change.
func (g *Gallery) separable() classify.Separable {
	s, _ := g.Method.(classify.Separable)
	if !g.cosines() {
		return nil
	}
	return s
}

// Options returns the options by which g was calibrated. If g has too few people for a
// threshold, they are those for the threshold that it gets with more people. They are nil if g
// names every face.
func (g *Gallery) Options() *openset.Options {
	if g.Calibration == nil {
		return g.OpenSet
	}
	o := g.Calibration.Options()
	return &o
}

// HasStrangers reports whether scores of given strangers are part of the calibration.
// They are lost when people change.
func (g *Gallery) HasStrangers() bool {
	return g.heldOut != nil && g.heldOut.Strangers != nil || g.Calibration != nil && len(g.Calibration.Strangers) > 0
}

// calibrateByHeldOut sets the calibration of g by its OpenSet, from faces of g that it holds
// out and from the faces of strangers, which may be nil.
func (g *Gallery) calibrateByHeldOut(ctx context.Context, strangers *dataset.Images, progress func(done, total int)) error {
	o, people := *g.OpenSet, g.Len()
	if h := g.heldOut; h != nil && strangers == nil && (g.separable() != nil || h.Compared == people && h.Shortlist == g.maxCompared()) &&
		h.Strangers == nil {
		again := *h // only the rate differs
		again.Options = o
		g.heldOut = &again
		return g.byScores()
	}
	g.heldOut, g.Calibration = &heldOut{Options: o, Compared: people}, nil
	if strangers != nil {
		var err error
		if g.heldOut.Strangers, err = g.Margins(ctx, strangers); err != nil { // scores, as there is no calibration
			return err
		}
	}
	if err := g.holdFacesOut(ctx, progress); err != nil {
		return err
	}
	return g.byScores()
}

// byScores sets the calibration of g by what was held out.
func (g *Gallery) byScores() error {
	h, people := g.heldOut, g.Len()
	compared := h.Compared
	if g.separable() != nil {
		compared = people
	}
	strangers := slices.Clone(h.Strangers)
	for _, p := range h.Probes {
		strangers = append(strangers, p.Rivals[0].Score)
	}
	var err error
	g.Calibration, err = openset.ByScores(h.Options, people, compared, strangers, h.Right, h.Wrong)
	g.OpenSet = nil
	return err
}

// holdFacesOut takes Probes of the faces of g for those of strangers.
func (g *Gallery) holdFacesOut(ctx context.Context, progress func(done, total int)) error {
	h := g.heldOut
	h.Shortlist, h.Probes, h.Right, h.Wrong = g.maxCompared(), nil, nil, nil
	err := g.holdOut(ctx, g.Numbers().Probes, func(_ int, p probe, r comparison) {
		if p.Rivals = r.rivals; len(p.Rivals) > 0 {
			h.Probes = append(h.Probes, p)
		}
		switch {
		case r.genuine == nil:
		case r.genuine.Name == p.Name:
			h.Right = append(h.Right, r.genuine.Score)
		default:
			h.Wrong = append(h.Wrong, r.genuine.Score)
		}
	}, progress)
	if err != nil {
		return fmt.Errorf("hold out: %w", err)
	}
	slices.Sort(h.Right)
	slices.Sort(h.Wrong)
	return nil
}

// holdOut compares at most so many faces of g, evenly spread, with the other people and, held
// out, with their own person. It passes each with its number among the images to see.
func (g *Gallery) holdOut(ctx context.Context, limit int, see func(image int, p probe, r comparison),
	progress func(done, total int),
) error {
	x := g.Enrolled.Faces
	d, _ := x.Dims()
	_, faces := x.Len()
	step := max(1, float64(faces)/float64(limit))
	const together = 256
	var probes []probe
	var images []int
	compare := func() error {
		results, err := g.compare(ctx, probes, true)
		if err != nil {
			return err
		}
		for i, r := range results {
			see(images[i], probes[i], r)
		}
		if progress != nil {
			progress(images[len(images)-1]+1, faces)
		}
		probes, images = nil, nil
		return nil
	}
	next, first := 0.0, 0
	for _, r := range x.People() {
		k := x.Faces(r)
		if next < float64(first+k) {
			p, err := x.Person(r)
			if err != nil {
				return err
			}
			for ; next < float64(first+k); next += step {
				j := int(next) - first
				probes, images = append(probes, probe{Name: p.Name, ID: p.IDs[j], vector: p.Vectors[j*d : (j+1)*d]}), append(images, first+j)
			}
		}
		if first += k; len(probes) >= together || first == faces && len(probes) > 0 {
			if err := compare(); err != nil {
				return err
			}
		}
	}
	return nil
}

// A comparison is the result of comparing a face with the people of a gallery.
type comparison struct {
	rivals  []rival // without its person; nil if the scores of these depend on each other, and they are too few
	genuine *rival  // the best one, the face being held out of its person; nil if that has no other
}

// compare compares probes with their shortlists. With own it also holds them out of their
// people.
func (g *Gallery) compare(ctx context.Context, probes []probe, own bool) ([]comparison, error) {
	x := g.Enrolled.Faces
	var queries []float32
	for _, p := range probes {
		queries = append(queries, p.vector...)
	}
	d, _ := x.Dims()
	hits, err := x.Nearest(ctx, queries, g.Numbers().maxPeople(g.shared.Coder, d)+1)
	if err != nil {
		return nil, err
	}
	enough := classify.MinClasses
	if g.separable() != nil {
		enough = 1
	}
	results, failed := make([]comparison, len(probes)), make([]error, len(probes))
	parallel.For(len(probes), 1, func(i, _ int) {
		p, r := &probes[i], &results[i]
		var refs []index.Ref
		for _, h := range hits[i] {
			if x.Name(h.Ref) != p.Name {
				refs = append(refs, h.Ref)
			}
		}
		people, err := g.Enrolled.people(g.shorten(refs))
		if failed[i] = err; err != nil || len(people) < enough {
			return
		}
		if r.rivals, failed[i] = g.scored(ctx, p.vector, people); failed[i] != nil || !own {
			return
		}
		ref, _ := x.Find(p.Name)
		person, err := x.Person(ref)
		if failed[i] = err; err != nil || len(person.IDs) == 1 {
			return
		}
		others := withoutFace(person, slices.Index(person.IDs, p.ID))
		best, err := g.scored(ctx, p.vector, append(people[:len(people)-1:len(people)-1], others))
		if failed[i] = err; err == nil {
			r.genuine = &best[0]
		}
	})
	return results, cmp.Or(failed...)
}

// withoutFace is p without face j.
func withoutFace(p *index.Person, j int) *index.Person {
	k := len(p.IDs)
	d, info := len(p.Vectors)/k, len(p.Info)/k
	return &index.Person{
		Name: p.Name, IDs: slices.Delete(slices.Clone(p.IDs), j, j+1),
		Info: slices.Delete(slices.Clone(p.Info), j*info, (j+1)*info), Vectors: slices.Delete(slices.Clone(p.Vectors), j*d, (j+1)*d),
	}
}

// scored returns those of people with the largest scores for a face; only the first if
// scores depend on the other people.
func (g *Gallery) scored(ctx context.Context, vector []float32, people []*index.Person) ([]rival, error) {
	s := g.separable()
	if s == nil {
		among, err := g.sub(ctx, people)
		if err != nil {
			return nil, err
		}
		among.Calibration = nil
		x := mat.NewDense(len(vector), 1, nil)
		for i, v := range vector {
			x.Set(i, 0, float64(v))
		}
		faces, err := among.Identify(ctx, dataset.Unlabelled(x, g.Enrolled.Frame))
		if err != nil {
			return nil, err
		}
		if faces[0].Class < 0 {
			return nil, errors.New("recognise: a face without features")
		}
		return []rival{{among.Names()[faces[0].Class], faces[0].DecisionScore}}, nil
	}
	scores, photographs := make([]float64, len(people)), make([]int, len(people))
	for i, p := range people {
		scores[i], photographs[i] = cosine(s.Atom(facesOf(p)), vector), len(p.IDs)
	}
	g.levelCosines(scores, photographs)
	all := make([]rival, len(people))
	for i, p := range people {
		all[i] = rival{p.Name, scores[i]}
	}
	slices.SortStableFunc(all, func(a, b rival) int { return cmp.Compare(b.Score, a.Score) })
	return all[:min(len(all), g.Numbers().Rivals)], nil
}

func cosine(atom []float64, vector []float32) float64 {
	var dot, norm float64
	for i, v := range vector {
		dot += float64(v) * atom[i]
		norm += float64(v) * float64(v)
	}
	return dot / math.Sqrt(norm)
}

// levelCosines makes cosines with people with so many photographs comparable.
func (g *Gallery) levelCosines(cosines []float64, photographs []int) {
	if l := g.Impostors(); l != nil {
		l.Level(cosines, photographs, nil)
	}
}

// updateThreshold calibrates g, whose faces are those of old after a change, by the scores of
// the probes of old. Only the people of the change are compared again.
func (g *Gallery) updateThreshold(ctx context.Context, old *Gallery) error {
	c := g.Enrolled.change
	if old.heldOut == nil {
		return nil
	}
	if c == nil || c.base != old.Enrolled.Faces {
		g.OpenSet = &old.heldOut.Options
		return g.calibrateByHeldOut(ctx, nil, nil)
	}
	h := *old.heldOut
	h.Strangers = nil // they were compared with other people
	g.heldOut = &h
	touched := map[string]*index.Person{}
	for _, name := range c.removals {
		touched[name] = nil
	}
	for _, p := range c.people {
		touched[p.Name] = p
	}
	h.Probes = slices.DeleteFunc(slices.Clone(h.Probes), func(p probe) bool {
		own, affected := touched[p.Name]
		return affected && (own == nil || !slices.Contains(own.IDs, p.ID))
	})
	if g.separable() != nil {
		if err := g.compareAgain(ctx, touched, c.people); err != nil {
			return err
		}
	}
	if _, faces := g.Enrolled.Len(); len(h.Probes) < min(g.Numbers().Probes, faces)/2 || h.Shortlist != g.maxCompared() {
		g.heldOut = &heldOut{Options: h.Options, Compared: g.Len()}
		if err := g.holdFacesOut(ctx, nil); err != nil {
			return err
		}
	}
	return g.byScores()
}

// compareAgain updates the rivals of the probes after a change of the people who are
// touched, nil for one who was removed.
func (g *Gallery) compareAgain(ctx context.Context, touched map[string]*index.Person, changed []*index.Person) error {
	h := g.heldOut
	affected := func(r rival) bool { _, is := touched[r.Name]; return is }
	for i := range h.Probes {
		if p := &h.Probes[i]; slices.ContainsFunc(p.Rivals, affected) {
			p.Rivals = slices.DeleteFunc(slices.Clone(p.Rivals), affected)
		}
	}
	if len(changed) > maxFollowed { // searching again is faster
		for i := range h.Probes {
			h.Probes[i].Rivals = nil
		}
		changed = nil
	}
	for _, one := range changed {
		atom := g.separable().Atom(facesOf(one))
		scores, photographs := make([]float64, len(h.Probes)), slices.Repeat([]int{len(one.IDs)}, len(h.Probes))
		parallel.For(len(scores), 256, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				scores[i] = cosine(atom, h.Probes[i].vector)
			}
		})
		g.levelCosines(scores, photographs)
		for i, score := range scores {
			p := &h.Probes[i]
			at, _ := slices.BinarySearchFunc(p.Rivals, score, func(r rival, score float64) int { return cmp.Compare(score, r.Score) })
			if p.Name != one.Name && at < len(p.Rivals) { // further ones may not be the next
				p.Rivals = slices.Insert(slices.Clone(p.Rivals), at, rival{one.Name, score})
				p.Rivals = p.Rivals[:min(len(p.Rivals), g.Numbers().Rivals)]
			}
		}
	}
	var lost []int
	var probes []probe
	for i, p := range h.Probes {
		if len(p.Rivals) == 0 {
			lost, probes = append(lost, i), append(probes, p)
		}
	}
	if len(lost) > 0 {
		results, err := g.compare(ctx, probes, false)
		if err != nil {
			return err
		}
		for n, i := range lost {
			h.Probes[i].Rivals = results[n].rivals
		}
	}
	h.Probes = slices.DeleteFunc(h.Probes, func(p probe) bool { return len(p.Rivals) == 0 })
	return nil
}
