package method

import (
	"context"

	"nrdl/classify"
	"nrdl/coding"
)

// DSRC represents a query by all training samples together, with little
// correlation between the reconstructions of the classes, and returns the class
// with the least residual [dsrc].
type DSRC struct {
	Coder coding.Discriminative `json:"coder"`
}

// DefaultDSRC has the weight of coding.DefaultDiscriminative.
var DefaultDSRC = DSRC{coding.DefaultDiscriminative}

// Name implements classify.Method.
func (DSRC) Name() string { return "dsrc" }

// Describe returns a one-line description of the method.
func (DSRC) Describe() string {
	return "representation by the training images with little correlation between classes; the class with the least residual"
}

// Formulation gives the problem that the method solves.
func (DSRC) Formulation() string {
	return "min_s ‖y − X·s‖² + τ·Σ_i Σ_j ‖X_i·s_i + X_j·s_j‖²;  class: min_c ‖y − X_c·s_c‖"
}

// Validate implements classify.Method.
func (m DSRC) Validate() error { return m.Coder.Validate() }

// Ranges implements Tunable.
func (m DSRC) Ranges() []Range { return coderRanges(m.Coder) }

// Fit implements classify.Method.
func (m DSRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, func(int) coding.Coder { return m.Coder }, classify.Residual{})
}
