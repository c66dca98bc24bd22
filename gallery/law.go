package gallery

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/openset"
)

// Impostors returns the impostor distribution of the network that made the images of m, by whose
// evidence m decides; nil if m decides by margins: without a network, for a network
// that was not measured, and for a method or a projection that makes other scores of
// its vectors than cosines.
func (m *Model) Impostors() *openset.Impostors {
	_, cosines := m.Parts().Rule.(classify.Cosine)
	if !cosines || m.Embedding.IsZero() || !m.Projection.IsZero() {
		return nil
	}
	return openset.ImpostorsOf(m.Embedding.Digest, m.Embedding.Mirror)
}

// Decide returns the decision for r, a result of m, and the margin that decides. If m
// has Impostors, that is the evidence; the cosines of r then are made comparable
// between people with few photographs and with many, and r gets the best Class by
// them.
func (m *Model) Decide(r *frontend.Recognition) (openset.Decision, float64) {
	if r.Class < 0 {
		return openset.Nobody, 0
	}
	c, l, photographs := m.Calibration, m.Impostors(), m.photographs()
	if l == nil || photographs == nil {
		return c.Decide(r.Margin), r.Margin
	}
	l.Level(r.Scores, photographs)
	for class, v := range r.Scores {
		if v > r.Scores[r.Class] {
			r.Class = class
		}
	}
	r.Largest = r.Scores[r.Class]
	evidence := l.Evidence(r.Largest, len(photographs))
	return c.Decide(evidence), evidence
}

// photographs are the numbers of photographs of the people; nil if they are not
// known, or if the calibration is of margins.
func (m *Model) photographs() (all []int) {
	switch {
	case m.Calibration != nil:
		return m.Calibration.Photographs
	case m.Enrolled != nil:
		groups := m.Enrolled.Groups
		for c, first := range groups[:len(groups)-1] {
			all = append(all, groups[c+1]-first)
		}
	}
	return all
}

// byLaw calibrates m by its Impostors.
func (m *Model) byLaw(opt openset.Options, given []float64) (*openset.Calibration, error) {
	e := m.Enrolled
	switch {
	case e == nil:
		return nil, ErrForgotten
	case e.by != nil:
		var c *openset.Calibration
		var err error
		e.summed(func(s openset.Summed) { c, err = openset.ByLawOf(opt, m.Impostors(), s, given) })
		return c, err
	}
	return openset.ByLaw(opt, m.Impostors(), m.vectors(), e.Groups, given)
}

// vectors are the images of m at unit norm.
func (m *Model) vectors() *mat.Dense {
	x := m.Images().X
	if !unit(x) {
		return classify.Unit(x)
	}
	return x
}

// heldOutByLaw is HeldOut for a model with Impostors: each photograph compared with
// the means of the others.
func (m *Model) heldOutByLaw() []HeldOutResult {
	images := m.Images()
	people := images.Classes
	_, compared := m.Impostors().Compare(m.vectors(), images.Groups, 0)
	var all []HeldOutResult
	for _, c := range compared {
		own := images.ClassOf(c.Column)
		if !c.Alone {
			all = append(all, HeldOutResult{Image: c.Column, Guess: people[c.Best], Right: c.Best == own, Rival: people[c.Rival], Margin: c.Evidence})
		}
		all = append(all, HeldOutResult{Image: c.Column, Stranger: true, Guess: people[c.Rival], Rival: people[c.Rival], Margin: c.Stranger})
	}
	return all
}

// checkLaw reports a calibration that does not suit the network of m.
func (m *Model) checkLaw() error {
	c := m.Calibration
	if c == nil || c.Alike == nil {
		return nil
	}
	if m.Impostors() == nil {
		return fmt.Errorf("a calibration for a network whose impostors are not known")
	}
	if n := len(m.Parts().Classes); c.People != n {
		return fmt.Errorf("a calibration for %d people, the model has %d", c.People, n)
	}
	return nil
}
