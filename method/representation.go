package method

import (
	"context"
	"fmt"

	"nrdl"
	"nrdl/coding"
	"nrdl/internal/hint"
)

// Representation represents a query by all training samples together, by any
// coder, and answers the class with the largest score by any rule that needs
// no training: what the methods of this family have in common.
type Representation struct {
	Coder coding.Coder `json:"coder" help:"how a query is coded over the training samples"`
	Rule  nrdl.Rule    `json:"rule" choices:"residual,normed-residual,sum,huber,votes" help:"how the code scores the classes; huber needs a robust coder, votes the coder blocks"`
}

// DefaultRepresentation stops ADMM after few passes, the best for raw pixels
// over several databases.
var DefaultRepresentation = Representation{
	coding.NonNegative{Solver: coding.ADMM, Rho: 0.1, Passes: 5}, nrdl.Residual,
}

// untrained are the rules that need no training.
var untrained = []nrdl.Rule{nrdl.Residual, nrdl.NormedResidual, nrdl.Sum, nrdl.Huber, nrdl.Votes}

// Name implements nrdl.Method.
func (Representation) Name() string { return "representation" }

// Describe says in a line what the method is.
func (Representation) Describe() string {
	return "representation by the training images, coder and rule of your choice"
}

// Formulation gives the problem that the method solves.
func (Representation) Formulation() string {
	return "s: the code of y over X, by the coder;  class: max_c of its score, by the rule"
}

// Validate implements nrdl.Method.
func (m Representation) Validate() error {
	if m.Coder == nil {
		return errNoCoder
	}
	var names []string
	for _, r := range untrained {
		if r == m.Rule {
			if err := r.Suits(m.Coder); err != nil {
				return err
			}
			return m.Coder.Validate()
		}
		names = append(names, string(r))
	}
	return fmt.Errorf("rule: %w", hint.Unknown("rule", string(m.Rule), names))
}

// Ranges implements Tunable.
func (m Representation) Ranges() []Range {
	r := Range{Path: "rule"}
	for _, rule := range untrained {
		if m.Coder != nil && rule.Suits(m.Coder) == nil {
			r.Choices = append(r.Choices, string(rule))
		}
	}
	return append(coderRanges(m.Coder), r)
}

// Suits says to package method which inputs the coder cannot code.
func (m Representation) Suits(in nrdl.Input) error { return coderSuits(m.Coder, in) }

// Fit implements nrdl.Method.
func (m Representation) Fit(ctx context.Context, train *nrdl.Set, run nrdl.Run) (*nrdl.Model, error) {
	return keep(ctx, m, train, run, func(int) coding.Coder { return m.Coder }, m.Rule)
}
