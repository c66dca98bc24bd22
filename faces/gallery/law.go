package gallery

import (
	"cmp"
	"context"
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
	_, is := g.Shared().Rule.(classify.Cosine)
	return is
}

// A scorer makes the scores of a face a number that a threshold decides about.
type scorer interface {
	// level makes scores comparable between people with few photographs and with many, and sets the best Class.
	level(r *frontend.Recognition)
	// score is the number that decides about r, whose scores are comparable.
	score(r *frontend.Recognition) float64
}

// Decide returns the decision for r, a result of g, and the margin that decides. The margin is
// an evidence (openset.Calibration) if g has Impostors or a calibration by scores. With
// Impostors, Decide changes r: it makes the cosines comparable between people with few
// photographs and with many, and sets the best Class by them.
func (g *Gallery) Decide(r *frontend.Recognition) (openset.Decision, float64) {
	if r.Class < 0 {
		return openset.Nobody, 0
	}
	g.calibrator().level(r)
	return g.decide(r)
}

// decide is Decide for r with comparable scores.
func (g *Gallery) decide(r *frontend.Recognition) (openset.Decision, float64) {
	score := g.calibrator().score(r)
	return g.Calibration.Decide(score), score
}

func (g byMargins) level(*frontend.Recognition) {}

func (g byMargins) score(r *frontend.Recognition) float64 { return r.Margin }

func (g byLaw) level(r *frontend.Recognition) {
	all, among := g.photographs(), []int(nil)
	if g.Calibration != nil { // its threshold is one of evidences
		among = all
	}
	levelled(r, g.Impostors(), all, among)
}

func (g byLaw) score(r *frontend.Recognition) float64 {
	if all := g.photographs(); all != nil {
		return g.Impostors().Evidence(r.Largest, len(all))
	}
	return r.Margin
}

// A shortlist is a scorer by a calibration by scores.
type shortlist struct{ *Gallery }

func (g shortlist) level(r *frontend.Recognition) {
	levelled(r, g.Impostors(), g.enrolledPhotographs(), nil)
}

func (g shortlist) score(r *frontend.Recognition) float64 {
	score := r.Margin
	if g.cosines() {
		score = r.Largest
	}
	return g.Calibration.Evidence(score)
}

// levelled makes the cosines of r comparable, and sets the best Class by them. Without a law, or where the
// numbers of photographs are not known, it changes nothing.
func levelled(r *frontend.Recognition, l *openset.Impostors, photographs, among []int) {
	if l == nil || photographs == nil {
		return
	}
	l.Level(r.Scores, photographs, among)
	for class, v := range r.Scores {
		if v > r.Scores[r.Class] {
			r.Class = class
		}
	}
	r.Largest = r.Scores[r.Class]
}

// Without returns what the result f of g would be if the people with a true excluded were
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
func (g byLaw) photographs() []int {
	if g.Calibration != nil {
		return g.Calibration.Photographs
	}
	return g.enrolledPhotographs()
}

// enrolledPhotographs are the numbers of photographs of the people; nil if they are not kept.
func (g *Gallery) enrolledPhotographs() (all []int) {
	if g.Enrolled == nil {
		return nil
	}
	groups := g.Enrolled.Groups()
	for c, first := range groups[:len(groups)-1] {
		all = append(all, groups[c+1]-first)
	}
	return all
}

// fit calibrates g by its Impostors.
func (g byLaw) fit(opt openset.Options, given []float64) (*openset.Calibration, error) {
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

// eachHeldOut compares each photograph with the means of the others.
func (g byLaw) eachHeldOut(ctx context.Context, _ func(done, total int)) ([]HeldOutResult, error) {
	if g.Enrolled == nil {
		return nil, ErrForgotten
	}
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
	return all, context.Cause(ctx)
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
