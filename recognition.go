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
// It codes each column once.
func (m *Model) Recognise(ctx context.Context, set *Set) ([]Recognition, error) {
	var all []Recognition
	err := m.eachBatch(ctx, set, func(_, _ int, x *mat.Dense) error {
		r, err := m.Classify(ctx, x)
		all = append(all, m.p.recognise(&r)...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// recognise is Recognise for what a pass gave; nothing for an empty Result.
func (p *Parts) recognise(r *Result) []Recognition {
	if r.Scores == nil {
		return nil
	}
	all := make([]Recognition, len(best(r.Scores)))
	p.evidence(all, r)
	for j, class := range best(r.Scores) {
		one := &all[j]
		one.Class, one.Scores, one.Known, one.Probability = class, mat.Col(nil, j, r.Scores), true, math.NaN()
		switch c := p.Calibration; {
		case mat.Norm(r.Samples.ColView(j), 2) == 0:
			one.Class, one.Known = -1, false
		case c != nil:
			one.Known, one.Probability = c.Known(one.Margin), c.Probability(one.Margin)
		}
	}
	return all
}
