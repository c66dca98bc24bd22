package method

import (
	"context"

	"nrdl/classify"
	"nrdl/coding"
)

// Blocks represents every block of a query by the same blocks of all training
// samples, and answers the class for which most blocks vote: what covers a
// part of the face spoils the votes of that part only.
type Blocks struct {
	Coder coding.Blocks `json:"coder"`
}

// DefaultBlocks has the values of coding.DefaultBlocks.
var DefaultBlocks = Blocks{coding.DefaultBlocks}

// Name implements classify.Method.
func (Blocks) Name() string { return "blocks" }

// Describe says in a line what the method is.
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

// Suits says to package method which inputs the coder cannot code.
func (m Blocks) Suits(g classify.Grid) error { return coderSuits(m.Coder, g) }

// Fit implements classify.Method.
func (m Blocks) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, func(int) coding.Coder { return m.Coder }, classify.Votes{})
}
