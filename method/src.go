package method

import (
	"context"

	"nrdl/classify"
	"nrdl/coding"
)

// SRC represents a query by few of all training samples, under an ℓ1 penalty,
// and answers the class whose samples rebuild it best [src].
type SRC struct {
	Coder coding.Lasso `json:"coder"`
}

// DefaultSRC has a penalty between the 0.05 that suits few images a person in
// like light and the 0.001 that suits many in changing light.
var DefaultSRC = SRC{coding.DefaultLasso}

// Name implements classify.Method.
func (SRC) Name() string { return "src" }

// Describe says in a line what the method is.
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
