package method

import (
	"context"
	"fmt"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// Representation represents a query by all training samples together, by any
// coder, and returns the class with the largest score by any rule that needs no
// training. It is the general form of the methods of this family.
type Representation struct {
	Coder coding.Coder `json:"coder" help:"how a query is coded over the training samples"`
	Rule  string       `json:"rule" choices:"residual,normed-residual,collaborative,cost,sum,huber,votes,cosine" help:"how the code scores the classes; huber needs a robust coder, cost the coder classlasso, votes the coder blocks, cosine the coder inner"`
}

// DefaultRepresentation stops ADMM after few passes, which is best for raw
// pixels on several databases.
var DefaultRepresentation = register(Representation{
	coding.NonNegative{Solver: coding.ADMM, Rho: 0.1, Passes: 5}, classify.Residual{}.Name(),
})

// rule returns the rule that m names.
func (m Representation) rule() (classify.Rule, error) {
	var names []string
	for _, r := range classify.Untrained {
		if r.Name() == m.Rule {
			return r, nil
		}
		names = append(names, r.Name())
	}
	return nil, fmt.Errorf("rule: %w", advice.Unknown("rule", m.Rule, names))
}

func (Representation) Name() string { return "representation" }

func (m Representation) Traits() classify.Traits {
	rule, _ := m.rule() // Validate tells of the error
	return classify.Traits{
		Family: "non-negative",
		Title:  "Representation", Predecessor: "procrc",
		Description: "representation by the training images, coder and rule of your choice",
		Formulation: "s: the code of y over X, by the coder;  class: max_c of its score, by the rule",
		Samples:     true, Coder: m.Coder, Rule: rule,
		Ranges: m.ranges(),
	}
}

func (m Representation) Validate() error {
	if m.Coder == nil {
		return errNoCoder
	}
	r, err := m.rule()
	if err != nil {
		return err
	}
	if err := r.Check(classify.Dictionary{Coder: m.Coder}); err != nil {
		return err
	}
	return m.Coder.Validate()
}

// ranges are those of the parameters.
func (m Representation) ranges() []Range {
	r := Range{Path: "rule"}
	for _, rule := range classify.Untrained {
		if m.Coder != nil && rule.Check(classify.Dictionary{Coder: m.Coder}) == nil {
			r.Choices = append(r.Choices, rule.Name())
		}
	}
	return append(coderRanges(m.Coder), r)
}

func (m Representation) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return keepSamples(ctx, m, train, run)
}
