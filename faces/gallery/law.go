package gallery

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery/index"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

// Impostors returns the impostor distribution of the network that made the images of g, if g
// decides by it. It is nil if g decides by margins: without a network, with a network that was
// not measured, and where the method or a projection makes scores that are not cosines of the
// vectors.
func (g *Gallery) Impostors() *openset.Impostors {
	if !g.cosines() || g.Embedding.IsZero() || !g.Projection.IsZero() {
		return nil
	}
	return g.Law()
}

// cosines reports whether the scores of g are cosines.
func (g *Gallery) cosines() bool {
	_, is := g.rule().(classify.Cosine)
	return is
}

// Decide returns the decision for r, a result of g, and the margin that decides. The margin is
// an evidence (openset.Calibration) if g has Impostors or a calibration by scores. With
// Impostors, Decide changes r: it makes the cosines comparable between people with few
// photographs and with many, and sets the best Class by them.
func (g *Gallery) Decide(r *frontend.Recognition) (openset.Decision, float64) {
	if r.Class < 0 {
		return openset.Nobody, 0
	}
	l, photographs := g.Impostors(), g.photographs()
	if l != nil && photographs != nil {
		var among []int
		if g.Calibration != nil && !g.partial { // its threshold is one of evidences
			among = photographs
		}
		l.Level(r.Scores, photographs, among)
		for class, v := range r.Scores {
			if v > r.Scores[r.Class] {
				r.Class = class
			}
		}
		r.Largest = r.Scores[r.Class]
	}
	return g.decide(r)
}

// decide is Decide for r with comparable scores.
func (g *Gallery) decide(r *frontend.Recognition) (openset.Decision, float64) {
	c, l, photographs := g.Calibration, g.Impostors(), g.photographs()
	score := r.Margin
	if l != nil && photographs != nil {
		score = r.Largest
		if !g.partial {
			score = l.Evidence(score, len(photographs))
		}
	} else if g.partial && g.cosines() {
		score = r.Largest
	}
	if g.partial {
		score = c.Evidence(score)
	}
	return c.Decide(score), score
}

// Without returns what the result f of g would be if the people for whom excluded is true were
// not enrolled. The scores of the others stay the same.
func (g *Gallery) Without(f Face, excluded func(name string) bool) Face {
	names := g.Names()
	f.Class, f.Largest, f.Margin = -1, math.Inf(-1), math.Inf(1)
	second := math.Inf(-1)
	for class, v := range f.Scores {
		switch {
		case excluded(names[class]):
		case v > f.Largest:
			f.Class, f.Largest, second = class, v, f.Largest
		default:
			second = max(second, v)
		}
	}
	if f.Class < 0 {
		f.Decision, f.DecisionScore = openset.Nobody, 0
		return f
	}
	if f.Margin = f.Largest - second; math.IsInf(second, -1) {
		f.Margin = 0 // nobody is left to compare with
	}
	f.Decision, f.DecisionScore = g.decide(&f.Recognition)
	return f
}

// photographs are the numbers of photographs of the people; nil if they are not
// known, or if the calibration is of margins.
func (g *Gallery) photographs() (all []int) {
	switch {
	case g.Calibration != nil && !g.partial:
		return g.Calibration.Photographs
	case g.Enrolled != nil:
		groups := g.Enrolled.Groups()
		for c, first := range groups[:len(groups)-1] {
			all = append(all, groups[c+1]-first)
		}
	}
	return all
}

// byLaw calibrates g by its Impostors.
func (g *Gallery) byLaw(opt openset.Options, given []float64) (*openset.Calibration, error) {
	e := g.Enrolled
	switch {
	case e == nil:
		return nil, ErrForgotten
	case e.Faces == nil:
		return openset.ByLaw(opt, g.Impostors(), g.vectors(), e.Groups(), given)
	}
	x, l := e.Faces, e.list()
	d, _ := x.Dims()
	rows, err := x.Rows(meanKey{}, d, l.refs, func(p *index.Person) []float64 {
		_, mean := openset.Means(facesOf(p), []int{0, len(p.IDs)})
		return mat.Col(nil, 0, mean)
	})
	if err != nil {
		return nil, err
	}
	people := openset.Gallery{Groups: l.groups}
	last, faces, sum := -1, (*mat.Dense)(nil), []float64(nil)
	people.Faces = func(c int) (*mat.Dense, []float64) {
		if c != last {
			p, failed := x.Person(l.refs[c])
			if err = cmp.Or(err, failed); err != nil {
				return mat.NewDense(d, l.groups[c+1]-l.groups[c], nil), make([]float64, d)
			}
			faces = facesOf(p)
			sums, _ := openset.Means(faces, []int{0, len(p.IDs)})
			last, sum = c, mat.Col(nil, 0, sums)
		}
		return faces, sum
	}
	people.Cosines = func(dst, probes *mat.Dense) {
		_, n := probes.Dims()
		for _, r := range rows {
			of, _ := r.Dims()
			cosines := mat.NewDense(of, n, nil)
			lin.AB(cosines, 1, r.Dense, probes)
			r.Each(func(class, row int) { copy(dst.RawRowView(class), cosines.RawRowView(row)) })
		}
	}
	c, failed := openset.ByLawOf(opt, g.Impostors(), people, given)
	return c, cmp.Or(err, failed)
}

// vectors are the images of g at unit norm.
func (g *Gallery) vectors() *mat.Dense {
	x := g.Images().X
	if !unit(x) {
		return classify.Unit(x)
	}
	return x
}

// heldOutByLaw is HeldOut for a model with Impostors: each photograph compared with
// the means of the others.
func (g *Gallery) heldOutByLaw() []HeldOutResult {
	images := g.Images()
	people := images.Classes
	compared := g.Impostors().Compare(g.vectors(), images.Groups, 0)
	var all []HeldOutResult
	for _, c := range compared {
		own, rival := images.ClassOf(c.Column), ""
		if c.Rival >= 0 {
			rival = people[c.Rival]
			all = append(all, HeldOutResult{Image: c.Column, Stranger: true, Guess: rival, Rival: rival, Margin: c.Stranger})
		}
		if !c.Single {
			all = append(all, HeldOutResult{Image: c.Column, Guess: people[c.Best], Right: c.Best == own, Rival: rival, Margin: c.Evidence})
		}
	}
	return all
}

// checkLaw reports a calibration that does not suit the network of g.
func (g *Gallery) checkLaw() error {
	c := g.Calibration
	if c == nil || !c.FollowsLaw() {
		return nil
	}
	if g.Impostors() == nil {
		return fmt.Errorf("a calibration for a network whose impostors are not known")
	}
	if n := len(g.Parts().Classes); c.People != n {
		return fmt.Errorf("a calibration for %d people, the model has %d", c.People, n)
	}
	return nil
}
