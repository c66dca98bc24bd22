package method

import (
	"context"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// The methods in this file are NRC with a term or a constraint that makes classes compete.
// All stop ADMM early and return the class with the least residual.

// CRNRC is NRC with the term that each class alone rebuilds the query [crnrc].
type CRNRC struct {
	Lambda float64 `json:"lambda" help:"λ ≥ 0, weight of the residual of each class alone" eq:"[crnrc] (5)"`
	Rho    float64 `json:"rho" help:"ρ > 0, penalty of the splitting" eq:"[crnrc] (7)"`
	Passes int     `json:"passes" help:"number of passes"`
}

// DefaultCRNRC has the values of the authors' program.
var DefaultCRNRC = register(CRNRC{Lambda: 0.01, Rho: 0.1, Passes: 5})

func (CRNRC) Name() string      { return "crnrc" }
func (m CRNRC) Validate() error { return m.coder().Validate() }

func (m CRNRC) coder() coding.Constrained {
	return coding.Constrained{Nu: m.Lambda, Rho: m.Rho, Passes: m.Passes}
}

func (m CRNRC) Traits() classify.Traits {
	return classify.Traits{
		Family: "non-negative", After: "nrc",
		Description: "NRC in which each class also rebuilds the query alone; the class with the least residual",
		Formulation: "min_s ‖y − X·s‖² + λ·Σ_i ‖y − X_i·s_i‖²  s.t. s ≥ 0,  by a fixed number of ADMM passes;  class: min_c ‖y − X_c·s_c‖",
		Samples:     true, Coder: m.coder(), Rule: classify.Residual{},
		Ranges: competingRanges(decades("lambda", 1e-4, 1)),
	}
}

func (m CRNRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return keepSamples(ctx, m, train, run)
}

// DNRC is DSRC with coefficients ≥ 0 [dnrc]: what the classes rebuild is little correlated.
type DNRC struct {
	Lambda float64 `json:"lambda" help:"λ ≥ 0, weight of the correlation between the classes" eq:"[dnrc]"`
	Rho    float64 `json:"rho" help:"ρ > 0, penalty of the splitting" eq:"[dnrc]"`
	Passes int     `json:"passes" help:"number of passes"`
}

// DefaultDNRC has the penalty and the passes of the authors' program. Its weight is 100 on
// one database, where the term is nearly all there is; this one is the best in folds of the
// training parts of ORL and of GT (doc/adr/0008-presets-and-tuning.md).
var DefaultDNRC = register(DNRC{Lambda: 3e-5, Rho: 0.1, Passes: 25})

func (DNRC) Name() string      { return "dnrc" }
func (m DNRC) Validate() error { return m.coder().Validate() }

func (m DNRC) coder() coding.Constrained {
	return coding.Constrained{Tau: m.Lambda, Rho: m.Rho, Passes: m.Passes}
}

func (m DNRC) Traits() classify.Traits {
	return classify.Traits{
		Family: "non-negative", After: "nrc",
		Description: "NRC with little correlation between classes; the class with the least residual",
		Formulation: "min_s ‖y − X·s‖² + λ·Σ_i Σ_j ‖X_i·s_i + X_j·s_j‖²  s.t. s ≥ 0,  by a fixed number of ADMM passes;  class: min_c ‖y − X_c·s_c‖",
		Samples:     true, Coder: m.coder(), Rule: classify.Residual{},
		Ranges: competingRanges(decades("lambda", 1e-5, 100)),
	}
}

func (m DNRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return keepSamples(ctx, m, train, run)
}

// ANCR is NRC with an ℓ2 penalty and with coefficients that add up to 1 [ancr].
type ANCR struct {
	Lambda float64 `json:"lambda" help:"λ ≥ 0, weight of ‖s‖²" eq:"[ancr] (4)"`
	Rho    float64 `json:"rho" help:"ρ > 0, penalty of the splitting" eq:"[ancr] (6)"`
	Passes int     `json:"passes" help:"number of passes"`
}

// DefaultANCR has the values of the authors' program.
var DefaultANCR = register(ANCR{Lambda: 1e-4, Rho: 0.01, Passes: 5})

func (ANCR) Name() string      { return "ancr" }
func (m ANCR) Validate() error { return m.coder().Validate() }

func (m ANCR) coder() coding.Constrained {
	return coding.Constrained{Lambda: m.Lambda, Affine: true, Rho: m.Rho, Passes: m.Passes}
}

func (m ANCR) Traits() classify.Traits {
	return classify.Traits{
		Family: "non-negative", After: "nrc",
		Description: "NRC with a ridge and coefficients that add up to 1; the class with the least residual",
		Formulation: "min_s ‖y − X·s‖² + λ‖s‖²  s.t. s ≥ 0, 1ᵀs = 1,  by a fixed number of ADMM passes;  class: min_c ‖y − X_c·s_c‖",
		Samples:     true, Coder: m.coder(), Rule: classify.Residual{},
		Ranges: competingRanges(decades("lambda", 1e-5, 1)),
	}
}

func (m ANCR) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return keepSamples(ctx, m, train, run)
}

// competingRanges adds those of ADMM.
func competingRanges(weight Range) []Range {
	return []Range{weight, {Path: "rho", Low: 1e-3, High: 1, Log: true}, {Path: "passes", Low: 2, High: 100, Log: true}}
}
