package method

import (
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// SAProCRC adds a sparse code of a query to that of ProCRC, and returns the class whose
// coefficients have the largest sum [saprocrc].
type SAProCRC = Kept[coding.Augmented, saprocrc]

// DefaultSAProCRC has the values of coding.DefaultAugmented.
var DefaultSAProCRC = register(SAProCRC{coding.DefaultAugmented})

type saprocrc struct{}

func (saprocrc) about() (name string, t classify.Traits) {
	return "sa-procrc", classify.Traits{
		Family: "collaborative",
		Title:  "SA-ProCRC", Predecessor: "procrc",
		Description: "the code of ProCRC and a sparse one, added; the class with the largest sum of coefficients",
		Formulation: `š = argmin_s ‖y − X·s‖² + λ‖s‖² + γ/C·Σ_i ‖X·s − X_i·s_i‖²
ŝ = argmin_s ‖y − X·s‖²  s.t. ‖s‖₀ ≤ T₀,  by orthogonal matching pursuit
class: max_c 1ᵀ(š + ŝ)_c`,
		Rule: classify.Sum{},
	}
}
