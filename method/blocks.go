package method

import (
	"context"

	"nrdl/classify"
	"nrdl/coding"
)

// Blocks represents every block of a query by the same blocks of all training
// samples, and returns the class with most votes of blocks. So an occlusion
// affects only the votes of the blocks that it covers.
type Blocks struct {
	Coder coding.Blocks `json:"coder"`
}

// DefaultBlocks has the values of coding.DefaultBlocks.
var DefaultBlocks = Blocks{coding.DefaultBlocks}

// Name implements classify.Method.
func (Blocks) Name() string { return "blocks" }

// Describe returns a one-line description of the method.
func (Blocks) Describe() string {
	return "representation of blocks of the image by those of the training images; the class with most votes"
}

// Formulation gives the problem that the method solves.
func (Blocks) Formulation() string {
	return "for every block b:  s_b: the code of y_b over X_b,  R_c = ‖y_b − X_bc·s_bc‖;  class: max_c Σ_b exp(−R_c/(T·R̄)) / Σ_j exp(−R_j/(T·R̄))"
}

// Validate implements classify.Method.
func (m Blocks) Validate() error { return m.Coder.Validate() }

// Ranges implements Tunable.
func (m Blocks) Ranges() []Range { return coderRanges(m.Coder) }

// Suits reports a coder that cannot code samples on this grid (see the function
// Suits).
func (m Blocks) Suits(g classify.Grid) error { return coderSuits(m.Coder, g) }

// Fit implements classify.Method.
func (m Blocks) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, func(int) coding.Coder { return m.Coder }, classify.Votes{})
}
