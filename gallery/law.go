package gallery

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl/classify"
	"nrdl/frontend"
	"nrdl/internal/lin"
	"nrdl/openset"
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
	case m.Images != nil:
		for c := range m.Images.Classes {
			all = append(all, m.Images.Groups[c+1]-m.Images.Groups[c])
		}
	}
	return all
}

// byLaw calibrates m by its Impostors.
func (m *Model) byLaw(opt openset.Options, given []float64) (*openset.Calibration, error) {
	if m.Images == nil {
		return nil, ErrForgotten
	}
	return openset.ByLaw(opt, m.Impostors(), m.vectors(), m.Images.Groups, given)
}

// vectors are the images of m at unit norm, which those of a network are but for the
// rounding to single precision.
func (m *Model) vectors() *mat.Dense {
	const rounding = 1e-5
	norms := make([]float64, m.Images.Len())
	lin.SquaredColumnNorms(norms, m.Images.X)
	for _, v := range norms {
		if math.Abs(v-1) > rounding {
			return classify.Unit(m.Images.X)
		}
	}
	return m.Images.X
}

// heldOutByLaw is HeldOut for a model with Impostors: each photograph compared with
// the means of the others.
func (m *Model) heldOutByLaw() []HeldOutResult {
	people := m.Images.Classes
	_, compared := m.Impostors().Compare(m.vectors(), m.Images.Groups, 0)
	var all []HeldOutResult
	for _, c := range compared {
		own := m.Images.ClassOf(c.Column)
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
