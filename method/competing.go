package method

import (
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// The methods in this file are NRC with a further term or constraint. All stop ADMM early and
// return the class with the least residual.

// CRNRC is NRC with the term that each class alone rebuilds the query [crnrc].
type CRNRC = Kept[coding.Constrained, crnrc]

// DefaultCRNRC has the values of the authors' program.
var DefaultCRNRC = register(CRNRC{coding.Constrained{Nu: 0.01, Rho: 0.1, Passes: 5, Iterate: "c"}})

type crnrc struct{}

func (crnrc) about() (name string, t classify.Traits) {
	return "crnrc", classify.Traits{
		Family: "non-negative", Predecessor: "nrc",
		Description: "NRC in which each class also rebuilds the query alone; the class with the least residual",
		Formulation: "min_s ‖y − X·s‖² + ν·Σ_i ‖y − X_i·s_i‖²  s.t. s ≥ 0,  by a fixed number of ADMM passes;  class: min_c ‖y − X_c·s_c‖",
		Rule:        classify.Residual{},
		Ranges:      admmRanges(decades("coder.nu", 1e-4, 1)),
	}
}

// DNRC is NRC with the norm of what all samples rebuild as a penalty [dnrc]. Its exact code is
// that of NRC divided by 1 + τ, so that it differs by where the passes stop.
type DNRC = Kept[coding.Constrained, dnrc]

// DefaultDNRC has the values of the authors' program for 54 and 120 features; for 300 it has τ = 1.
var DefaultDNRC = register(DNRC{coding.Constrained{Tau: 0.1, Rho: 0.1, Passes: 5, Iterate: "c"}})

type dnrc struct{}

func (dnrc) about() (name string, t classify.Traits) {
	return "dnrc", classify.Traits{
		Family: "non-negative", Predecessor: "nrc",
		Description: "NRC with a penalty on what all training images rebuild; the class with the least residual",
		Formulation: "min_s ‖y − X·s‖² + τ‖X·s‖²  s.t. s ≥ 0,  by a fixed number of ADMM passes;  class: min_c ‖y − X_c·s_c‖",
		Rule:        classify.Residual{},
		Ranges:      admmRanges(decades("coder.tau", 1e-3, 10)),
	}
}

// ANCR is NRC with an ℓ2 penalty and with coefficients that add up to 1 [ancr].
type ANCR = Kept[coding.Constrained, ancr]

// DefaultANCR has the values of the authors' program.
var DefaultANCR = register(ANCR{coding.Constrained{Lambda: 1e-4, Affine: true, Rho: 0.01, Passes: 5, Iterate: "c"}})

type ancr struct{}

func (ancr) about() (name string, t classify.Traits) {
	return "ancr", classify.Traits{
		Family: "non-negative", Predecessor: "nrc",
		Description: "NRC with a ridge and coefficients that add up to 1; the class with the least residual",
		Formulation: "min_s ‖y − X·s‖² + λ‖s‖²  s.t. s ≥ 0, 1ᵀs = 1,  by a fixed number of ADMM passes;  class: min_c ‖y − X_c·s_c‖",
		Rule:        classify.Residual{},
		Ranges:      admmRanges(decades("coder.lambda", 1e-5, 1)),
	}
}

// admmRanges are that of a weight and those of stopped ADMM.
func admmRanges(weight Range) []Range {
	return []Range{weight, decades("coder.rho", 1e-3, 1), decades("coder.passes", 2, 100)}
}
