package coding

import (
	"cmp"
	"fmt"
)

// A Solver of the non-negative least squares problem.
type Solver string

// The solvers of NonNegative.
const (
	Exact Solver = "exact" // block principal pivoting, to optimality
	ADMM  Solver = "admm"  // a fixed number of ADMM passes: stopping early regularises [nrc]

	// Authors is ADMM with a growing penalty, as the program of [nrdl] has it, which stops
	// before it is optimal. L1 and L2 are 0.
	Authors Solver = "authors"
)

// NonNegative codes by non-negative least squares [nrc, (1)], [nrdl, (19)], or
// with the ℓ1 and ℓ2 terms of [nscr]:
//
//	min_s ‖y − D·s‖² + L1·‖s‖₁ + L2·‖s‖²   s.t. s ≥ 0
//
// The codes of the solver Exact satisfy the optimality conditions
//
//	s ≥ 0,   w = Dᵀ(D·s − y) + L1/2 + L2·s ≥ −ε,   |w_k| ≤ ε where s_k > 0
//
// with ε = 1e-8·max(1, ‖Dᵀy‖∞): else Code returns an error. Only where that is
// less than what rounding leaves of w may w be as large as that is: with
// coefficients, for atoms of norm 1, above 1e6, as nearly opposite atoms can
// need, or with norms of atoms as far apart. Where the code is not unique, as
// with dependent atoms and L2 = 0, it is one of the optimal ones. A column takes
// milliseconds; the work on it is bounded, and Code returns an error where the
// bound does not suffice.
type NonNegative struct {
	Solver Solver  `json:"solver" choices:"exact,admm,authors" help:"exact; admm: stopped early, which regularises; or authors: ADMM with a growing penalty, as the program of the paper"`
	Rho    float64 `json:"rho" help:"ρ > 0, penalty of the splitting c = z; admm only"`
	Passes int     `json:"passes" help:"1 to 1000000, number of passes; admm only"`
	L1     float64 `json:"l1" help:"β ≥ 0, weight of ‖s‖₁; where it is large against ρ a few passes of admm do not come near the optimum"`
	L2     float64 `json:"l2" help:"α ≥ 0, weight of ‖s‖²"`
}

// DefaultNonNegative solves the problem as [nrdl] states it. Rho and Passes are
// for when Solver is changed to ADMM; where they are from is in
// doc/adr/0005-stopped-coders.md.
var DefaultNonNegative = NonNegative{Solver: Exact, Rho: 0.1, Passes: 5}

// DefaultStopped stops ADMM early, which regularises: on raw pixels it recognises
// better than the exact solution.
var DefaultStopped = NonNegative{Solver: ADMM, Rho: 0.01, Passes: 10}

// maxADMMPasses bounds the time of a model file that asks for ever more passes.
const maxADMMPasses = 1_000_000

func (NonNegative) Name() string { return "nonnegative" }

func (c NonNegative) Validate() error {
	return cmp.Or(
		oneOf(c, "solver", c.Solver, Exact, ADMM, Authors),
		positive(c, "rho", c.Rho),
		weight(c, "l1", c.L1),
		weight(c, "l2", c.L2),
		between(c, "passes", c.Passes, maxADMMPasses),
		c.plain(),
	)
}

// plain reports a penalty that the solver authors does not have.
func (c NonNegative) plain() error {
	if c.Solver == Authors && (c.L1 > 0 || c.L2 > 0) {
		return fmt.Errorf("l1 = %v and l2 = %v of the %s coder, whose solver authors has neither", c.L1, c.L2, c.Name())
	}
	return nil
}

func (c NonNegative) Over(b Basis) (Coding, error) {
	d := b.D
	if err := ready(c, d); err != nil {
		return nil, err
	}
	switch c.Solver {
	case ADMM:
		return newADMM(b, c)
	case Authors:
		return newAuthors(b), nil
	}
	return newExact(b, term{λ: c.L1 / 2, μ: c.L2}), nil
}
