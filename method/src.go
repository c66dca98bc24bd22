package method

import (
	"context"

	"nrdl/classify"
	"nrdl/coding"
)

// SRC represents a query by few of all training samples, under an ℓ1 penalty,
// and returns the class with the least residual [src].
type SRC struct {
	Coder coding.Lasso `json:"coder"`
}

// DefaultSRC has a penalty between 0.05, for few images per person in constant
// light, and 0.001, for many images in changing light.
var DefaultSRC = SRC{coding.DefaultLasso}

// Name implements classify.Method.
func (SRC) Name() string { return "src" }

// Describe returns a one-line description of the method.
func (SRC) Describe() string {
	return "sparse representation by the training images; the class with the least residual"
}

// Formulation gives the problem that the method solves.
func (SRC) Formulation() string {
	return "min_s ½‖y − X·s‖² + λ‖s‖₁;  class: min_c ‖y − X_c·s_c‖"
}

// Validate implements classify.Method.
func (m SRC) Validate() error { return m.Coder.Validate() }

// Ranges implements Tunable.
func (m SRC) Ranges() []Range { return coderRanges(m.Coder) }

// Fit implements classify.Method.
func (m SRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, func(int) coding.Coder { return m.Coder }, classify.Residual{})
}
