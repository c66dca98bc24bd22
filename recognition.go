package nrdl

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Recognition is what a model says of a face.
type Recognition struct {
	Class  int       // the best guess, an index of Classes; -1 for an image without a face, all zero
	Scores []float64 // len C; the larger, the likelier the class

	Evidence // that the face is of Class and not of a stranger

	// Known is whether the face is named: its Margin reaches the threshold of
	// the Calibration. Without one everybody is.
	Known bool
	// Probability is that with which the best guess is right; NaN where the
	// Calibration does not say.
	Probability float64
}

// Recognise returns what m says of each column of set, as ScoresOf takes them.
func (m *Model) Recognise(ctx context.Context, set *Set) ([]Recognition, error) {
	scores, err := m.ScoresOf(ctx, set)
	if err != nil {
		return nil, err
	}
	evidence, err := m.evidenceOf(ctx, set, scores)
	if err != nil {
		return nil, err
	}
	all := make([]Recognition, len(evidence))
	c := m.p.Calibration
	for j, class := range best(scores) {
		r := Recognition{Class: class, Scores: mat.Col(nil, j, scores), Evidence: evidence[j], Known: true, Probability: math.NaN()}
		switch {
		case set.Black(j):
			r.Class, r.Known = -1, false
		case c != nil:
			r.Known, r.Probability = c.Known(r.Margin), c.Probability(r.Margin)
		}
		all[j] = r
	}
	return all, nil
}
