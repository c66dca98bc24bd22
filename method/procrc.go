package method

import (
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// ProCRC represents a query by all training samples together so that each class
// alone comes near to what all rebuild, and returns the class that comes nearest:
// the one with the largest probability [procrc].
type ProCRC = Kept[coding.Probabilistic, procrc]

// DefaultProCRC has the weights of coding.DefaultProbabilistic.
var DefaultProCRC = register(ProCRC{coding.DefaultProbabilistic})

type procrc struct{}

func (procrc) about() (name string, t classify.Traits) {
	return "procrc", classify.Traits{
		Family: "collaborative",
		Title:  "ProCRC", Predecessor: "dsrc",
		Description: "ridge representation by the training images in which classes agree; the class nearest to what all rebuild",
		Formulation: "min_s ‖y − X·s‖² + λ‖s‖² + γ/C·Σ_i ‖X·s − X_i·s_i‖²;  class: min_c ‖X·s − X_c·s_c‖",
		Rule:        classify.Collaborative{},
	}
}
