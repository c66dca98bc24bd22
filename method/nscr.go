package method

import (
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// NSCR is NRC with an ℓ1 and an ℓ2 penalty: few coefficients, of samples that help each other
// [nscr].
type NSCR = Kept[coding.NonNegative, nscr]

// DefaultNSCR has the best values in folds of the training part of GT, which are within the
// error of the best on ORL (doc/adr/0008-presets-and-tuning.md); the paper tunes for each set.
var DefaultNSCR = register(NSCR{coding.NonNegative{Solver: coding.ADMM, Rho: 1, Passes: 25, L1: 0.1, L2: 0.001}})

type nscr struct{}

func (nscr) about() (name string, t classify.Traits) {
	return "nscr", classify.Traits{
		Family: "non-negative", Predecessor: "nrc",
		Description: "NRC with an ℓ1 and an ℓ2 penalty; the class with the least residual",
		Formulation: "min_s ‖y − X·s‖² + α‖s‖² + β‖s‖₁  s.t. s ≥ 0,  by a fixed number of ADMM passes;  class: min_c ‖y − X_c·s_c‖",
		Rule:        classify.Residual{},
		Ranges:      append(admmRanges(decades("coder.l1", 1e-4, 1)), decades("coder.l2", 1e-4, 1)),
	}
}
