package method

import (
	"context"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// ProCRC represents a query by all training samples together so that each class
// alone comes near to what all rebuild, and returns the class that comes nearest:
// the one with the largest probability [procrc].
type ProCRC struct {
	Coder coding.Probabilistic `json:"coder"`
}

// DefaultProCRC has the weights of coding.DefaultProbabilistic.
var DefaultProCRC = register(ProCRC{coding.DefaultProbabilistic})

func (ProCRC) Name() string      { return "procrc" }
func (m ProCRC) Validate() error { return m.Coder.Validate() }

func (m ProCRC) Traits() classify.Traits {
	return classify.Traits{
		Family: "collaborative",
		Title:  "ProCRC", After: "dsrc",
		Description: "ridge representation by the training images in which classes agree; the class nearest to what all rebuild",
		Formulation: "min_s ‖y − X·s‖² + λ‖s‖² + γ/C·Σ_i ‖X·s − X_i·s_i‖²;  class: min_c ‖X·s − X_c·s_c‖",
		Samples:     true, Coder: m.Coder, Rule: classify.Collaborative{},
		Ranges: coderRanges(m.Coder),
	}
}

func (m ProCRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return keepSamples(ctx, m, train, run)
}
