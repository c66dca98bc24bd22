package large

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/gallery/index"
	"nrdl.example/nrdl/internal/parallel"
	"nrdl.example/nrdl/openset"
)

const (
	mostProbes = 2000 // faces of the gallery that stand for strangers
	mostRivals = 4    // of a probe that are known

	mostFollowed = 256 // people of a change who are compared with the probes one by one
)

// held are the faces that were held out.
type held struct {
	How      openset.Options `json:"how"`
	Compared int             `json:"compared"` // people when strangers were compared, unless scores follow changes
	Probes   []probe         `json:"probes"`
	Right    []float64       `json:"right"` // scores, ascending
	Wrong    []float64       `json:"wrong"`
	Given    []float64       `json:"given,omitempty"` // of strangers, with Compared people
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
	s, _ := g.by.(classify.Separable)
	if _, cosines := g.template.Parts().Rule.(classify.Cosine); !cosines {
		return nil
	}
	return s
}

// Calibrate returns g with a threshold for o.FPIR, from faces of the gallery that are held
// out, evenly among all, and the faces of given strangers; nil for none. The error wraps
// openset.ErrNoStrangers if there are too few people.
func (g *Gallery) Calibrate(ctx context.Context, o openset.Options, given *dataset.Images, progress func(done, total int)) (*Gallery, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	t := *g
	people, _ := g.faces.Len()
	t.how, t.held = &o, &held{How: o, Compared: people}
	if h := g.held; h != nil && given == nil && (g.separable() != nil || h.Compared == people) && h.Given == nil {
		again := *h // only the rate differs
		again.How = o
		t.held = &again
		return t.decided()
	}
	t.calibration = nil
	if given != nil {
		faces, err := t.Identify(ctx, given)
		if err != nil {
			return nil, err
		}
		for _, f := range faces {
			if f.Of != nil {
				t.held.Given = append(t.held.Given, f.Decisive)
			}
		}
	}
	if err := t.hold(ctx, progress); err != nil {
		return nil, err
	}
	return t.decided()
}

// decided is g with the calibration that follows from what was held out.
func (g *Gallery) decided() (*Gallery, error) {
	h := g.held
	g.whole = sync.OnceValues(g.makeWhole)
	if h == nil {
		return g, nil
	}
	people, _ := g.faces.Len()
	compared := h.Compared
	if g.separable() != nil {
		compared = people
	}
	strangers := slices.Clone(h.Given)
	for _, p := range h.Probes {
		strangers = append(strangers, p.Rivals[0].Score)
	}
	var err error
	g.calibration, err = openset.NewGrown(h.How, people, compared, strangers, h.Right, h.Wrong)
	return g, err
}

// hold holds faces out.
func (g *Gallery) hold(ctx context.Context, progress func(done, total int)) error {
	all := g.faces.People()
	_, faces := g.faces.Len()
	step := max(1, float64(faces)/mostProbes)
	var probes []probe
	next, at := 0.0, 0
	for _, r := range all {
		k := g.faces.Faces(r)
		for ; next < float64(at+k); next += step {
			p, err := g.faces.Person(r)
			if err != nil {
				return err
			}
			j := int(next) - at
			d, _ := g.faces.Dims()
			probes = append(probes, probe{Name: p.Name, ID: p.IDs[j], vector: p.Vectors[j*d : (j+1)*d]})
		}
		at += k
	}
	const together = 256
	for lo := 0; lo < len(probes); lo += together {
		some := probes[lo:min(len(probes), lo+together)]
		if err := g.compare(ctx, some, g.held); err != nil {
			return err
		}
		if progress != nil {
			progress(lo+len(some), len(probes))
		}
	}
	for _, list := range [][]float64{g.held.Right, g.held.Wrong} {
		slices.Sort(list)
	}
	g.held.Probes = slices.DeleteFunc(probes, func(p probe) bool { return len(p.Rivals) == 0 })
	return nil
}

// compare finds the rivals of probes. Unless h is nil, it also holds them out of their
// people and adds the scores to h.
func (g *Gallery) compare(ctx context.Context, probes []probe, h *held) error {
	var queries []float32
	for _, p := range probes {
		queries = append(queries, p.vector...)
	}
	hits, err := g.faces.Nearest(ctx, queries, Shortlist+1)
	if err != nil {
		return err
	}
	type result struct {
		score float64
		right bool
		known bool
		err   error
	}
	results := make([]result, len(probes))
	parallel.For(len(probes), 1, func(i, _ int) {
		p, r := &probes[i], &results[i]
		others := slices.DeleteFunc(hits[i], func(h index.Hit) bool { return g.faces.Name(h.Ref) == p.Name })
		people, err := g.people(others[:min(len(others), Shortlist)])
		if err != nil || len(people) < classify.LeastClasses {
			r.err = err
			return
		}
		if p.Rivals, r.err = g.judged(ctx, p.vector, people); r.err != nil || h == nil {
			return
		}
		ref, _ := g.faces.Find(p.Name)
		own, err := g.faces.Person(ref)
		if err != nil || len(own.IDs) == 1 {
			r.err = err
			return
		}
		own = without(own, map[string]bool{p.ID: true})
		best, err := g.judged(ctx, p.vector, append(people[:len(people)-1:len(people)-1], own))
		if r.err = err; err == nil {
			r.known, r.right, r.score = true, best[0].Name == p.Name, best[0].Score
		}
	})
	for _, r := range results {
		switch {
		case r.err != nil:
			return r.err
		case r.known && r.right:
			h.Right = append(h.Right, r.score)
		case r.known:
			h.Wrong = append(h.Wrong, r.score)
		}
	}
	return nil
}

// image is a vector as an image.
func (g *Gallery) image(vector []float32) *dataset.Images {
	x := mat.NewDense(len(vector), 1, nil)
	for i, v := range vector {
		x.Set(i, 0, float64(v))
	}
	return dataset.Unlabelled(x, g.template.Enrolled.Frame)
}

// judged returns those of people with the largest scores for a face; only the first if
// scores depend on the other people.
func (g *Gallery) judged(ctx context.Context, vector []float32, people []*index.Person) ([]rival, error) {
	if g.separable() == nil {
		m, err := g.model(ctx, people)
		if err != nil {
			return nil, err
		}
		f, score, err := g.judge(ctx, m, g.image(vector))
		if err != nil {
			return nil, err
		}
		return []rival{{m.Parts().Classes[f.Class], score}}, nil
	}
	scores, photographs := make([]float64, len(people)), make([]int, len(people))
	for i, p := range people {
		scores[i], photographs[i] = cosine(g.atom(p), vector), len(p.IDs)
	}
	g.level(scores, photographs)
	all := make([]rival, len(people))
	for i, p := range people {
		all[i] = rival{p.Name, scores[i]}
	}
	slices.SortStableFunc(all, func(a, b rival) int { return cmp.Compare(b.Score, a.Score) })
	return all[:min(len(all), mostRivals)], nil
}

// atom is that of p, whose cosine with a face is a score.
func (g *Gallery) atom(p *index.Person) []float64 {
	d, _ := g.faces.Dims()
	x := mat.NewDense(d, len(p.IDs), nil)
	for j := range p.IDs {
		for i, v := range p.Vectors[j*d : (j+1)*d] {
			x.Set(i, j, float64(v))
		}
	}
	return g.separable().Atom(x)
}

func cosine(atom []float64, vector []float32) float64 {
	var dot, norm float64
	for i, v := range vector {
		dot += float64(v) * atom[i]
		norm += float64(v) * float64(v)
	}
	return dot / math.Sqrt(norm)
}

// level makes cosines with people with so many photographs comparable.
func (g *Gallery) level(cosines []float64, photographs []int) {
	if l := g.template.Impostors(); l != nil {
		l.Level(cosines, photographs)
	}
}

// follow updates the scores of the strangers after a change of g. The people in changed
// are new or have other faces; those named in gone were removed or have other faces.
func (g *Gallery) follow(ctx context.Context, changed []*index.Person, gone []string) error {
	if g.held == nil {
		return nil
	}
	h := *g.held
	h.Given = nil // they were compared with other people
	g.held = &h
	touched := map[string]*index.Person{}
	for _, name := range gone {
		touched[name] = nil
	}
	for _, p := range changed {
		touched[p.Name] = p
	}
	h.Probes = slices.DeleteFunc(slices.Clone(h.Probes), func(p probe) bool {
		own, affected := touched[p.Name]
		return affected && (own == nil || !slices.Contains(own.IDs, p.ID))
	})
	if g.separable() == nil {
		if _, faces := g.faces.Len(); len(h.Probes) < min(mostProbes, faces)/2 {
			return g.again(ctx)
		}
		return nil
	}
	for i := range h.Probes {
		p := &h.Probes[i]
		if slices.ContainsFunc(p.Rivals, func(r rival) bool { _, affected := touched[r.Name]; return affected }) {
			p.Rivals = slices.DeleteFunc(slices.Clone(p.Rivals), func(r rival) bool { _, affected := touched[r.Name]; return affected })
		}
	}
	if len(changed) > mostFollowed { // searching anew is faster
		for i := range h.Probes {
			h.Probes[i].Rivals = nil
		}
		changed = nil
	}
	for _, one := range changed {
		for i, score := range g.scores(one) {
			p := &h.Probes[i]
			at, _ := slices.BinarySearchFunc(p.Rivals, score, func(r rival, score float64) int { return cmp.Compare(score, r.Score) })
			if p.Name != one.Name && at < len(p.Rivals) { // further ones may not be the next
				p.Rivals = slices.Insert(slices.Clone(p.Rivals), at, rival{one.Name, score})
				p.Rivals = p.Rivals[:min(len(p.Rivals), mostRivals)]
			}
		}
	}
	var lost []int
	for i, p := range h.Probes {
		if len(p.Rivals) == 0 {
			lost = append(lost, i)
		}
	}
	if len(lost) > 0 {
		some := make([]probe, len(lost))
		for n, i := range lost {
			some[n] = h.Probes[i]
		}
		if err := g.compare(ctx, some, nil); err != nil {
			return err
		}
		for n, i := range lost {
			h.Probes[i] = some[n]
		}
		h.Probes = slices.DeleteFunc(h.Probes, func(p probe) bool { return len(p.Rivals) == 0 })
	}
	if _, faces := g.faces.Len(); len(h.Probes) < min(mostProbes, faces)/2 {
		return g.again(ctx)
	}
	return nil
}

// again holds other faces out.
func (g *Gallery) again(ctx context.Context) error {
	people, _ := g.faces.Len()
	g.held = &held{How: g.held.How, Compared: people}
	return g.hold(ctx, nil)
}
