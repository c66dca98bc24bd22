package method

import (
	"context"

	"nrdl/classify"
	"nrdl/coding"
)

// LLC represents a query by the training samples nearest to it, and returns the
// class with the least residual. The coder is that of [llc], which
// classifies by pooled codes; the rule is that of [src].
type LLC struct {
	Coder coding.Local `json:"coder"`
}

// DefaultLLC has the authors' weight and the number of neighbours that [nrdl]
// compares with.
var DefaultLLC = LLC{coding.DefaultLocal}

// Name implements classify.Method.
func (LLC) Name() string { return "llc" }

// Describe returns a one-line description of the method.
func (LLC) Describe() string {
	return "representation by the nearest training images, coefficients adding to 1; the class with the least residual"
}

// Formulation gives the problem that the method solves.
func (LLC) Formulation() string {
	return "min_w ‖y − B·w‖² + λ·tr(C)·‖w‖²  s.t. 1ᵀw = 1,  B the k nearest samples, C = (B − y1ᵀ)ᵀ(B − y1ᵀ);  class: min_c ‖y − X_c·s_c‖"
}

// Validate implements classify.Method.
func (m LLC) Validate() error { return m.Coder.Validate() }

// Ranges implements Tunable.
func (m LLC) Ranges() []Range { return coderRanges(m.Coder) }

// Fit implements classify.Method. More neighbours than training samples are an error.
func (m LLC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, func(int) coding.Coder { return m.Coder }, classify.Residual{})
}
