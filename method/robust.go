package method

import (
	"context"

	"nrdl/classify"
	"nrdl/coding"
)

// Robust represents a query by all training samples together and a sparse
// error, which models occlusion and corrupted pixels, and returns the class
// with the smallest Huber loss [huber].
type Robust struct {
	Coder coding.Robust `json:"coder"`
}

// DefaultRobust has the values of coding.DefaultRobust.
var DefaultRobust = Robust{coding.DefaultRobust}

// Name implements classify.Method.
func (Robust) Name() string { return "robust" }

// Describe returns a one-line description of the method.
func (Robust) Describe() string {
	return "non-negative representation by the training images with a sparse error; the class with the least Huber loss"
}

// Formulation gives the problem that the method solves.
func (Robust) Formulation() string {
	return "min_{s,e} ½‖y − X·s − e‖² + λ‖e‖₁  s.t. s ≥ 0,  by a fixed number of rounds;  class: min_c Σ_i h(y − X_c·s_c)_i,  h Huber's function of λ"
}

// Validate implements classify.Method.
func (m Robust) Validate() error { return m.Coder.Validate() }

// Ranges implements Tunable.
func (m Robust) Ranges() []Range { return coderRanges(m.Coder) }

// Fit implements classify.Method.
func (m Robust) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, func(int) coding.Coder { return m.Coder }, classify.Huber{})
}
