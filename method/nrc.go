package method

import (
	"context"

	"nrdl/classify"
	"nrdl/coding"
)

// NRC represents a query by all training samples together with non-negative
// coefficients, and returns the class with the least residual [nrc].
type NRC struct {
	Coder coding.NonNegative `json:"coder"`
}

// DefaultNRC stops ADMM early.
var DefaultNRC = NRC{coding.DefaultStopped}

// Name implements classify.Method.
func (NRC) Name() string { return "nrc" }

// Describe returns a one-line description of the method.
func (NRC) Describe() string {
	return "non-negative representation by the training images; the class with the least residual"
}

// Formulation gives the problem that the method solves.
func (NRC) Formulation() string {
	return "min_s ‖y − X·s‖²  s.t. s ≥ 0,  by a fixed number of ADMM passes;  class: min_c ‖y − X_c·s_c‖"
}

// Validate implements classify.Method.
func (m NRC) Validate() error { return m.Coder.Validate() }

// Ranges implements Tunable.
func (m NRC) Ranges() []Range { return coderRanges(m.Coder) }

// Fit implements classify.Method.
func (m NRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, func(int) coding.Coder { return m.Coder }, classify.Residual{})
}
