package method

import (
	"context"

	"nrdl/classify"
	"nrdl/coding"
)

// LRC represents a query by the training samples of each class separately, by
// least squares, and returns the class with the least residual [lrc].
type LRC struct {
	Coder coding.PerClass `json:"coder"`
}

// DefaultLRC is the method as published, which has no parameter.
var DefaultLRC = LRC{coding.DefaultPerClass}

// Name implements classify.Method.
func (LRC) Name() string { return "lrc" }

// Describe returns a one-line description of the method.
func (LRC) Describe() string {
	return "least squares representation by the training images of each class alone; the class with the least residual"
}

// Formulation gives the problem that the method solves.
func (LRC) Formulation() string {
	return "min_{s_c} ‖y − X_c·s_c‖² + λ‖s_c‖²  for every class c;  class: min_c ‖y − X_c·s_c‖"
}

// Validate implements classify.Method.
func (m LRC) Validate() error { return m.Coder.Validate() }

// Ranges implements Tunable.
func (m LRC) Ranges() []Range { return coderRanges(m.Coder) }

// Fit implements classify.Method.
func (m LRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, func(int) coding.Coder { return m.Coder }, classify.Residual{})
}
