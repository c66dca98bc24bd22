package coding

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
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
	Rho    float64 `json:"rho" if:"solver=admm" help:"ρ > 0, penalty of the splitting c = z"`
	Passes int     `json:"passes" if:"solver=admm" help:"1 to 1000000, number of passes"`
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

// The authors' program solves (19) on the splitting s = g ≥ 0 with a penalty that grows:
//
//	s = (DᵀD + μI)⁻¹(Dᵀy + μg − t),   g = max(0, s + t/μ),   t ← t + μ(s − g),   μ ← 1.1·μ
//
// from s = g = t = 0 and μ = 1e-5, until |s − g|∞ < 1e-6. It returns s. As μ grows, s and g
// are forced together before they are optimal: the code is not the solution of (19), and has
// several times as many coefficients.
const (
	authorsMu, authorsGrowth, authorsMuMax = 1e-5, 1.1, 1e8
	authorsTol, authorsMost                = 1e-6, 1000
)

// authors codes as the authors' program does, but that it stops for each column alone; the
// program goes on until all columns of the test set have converged, by when the first ones
// move by no more than the tolerance.
type authors struct {
	d, gram *mat.Dense // D, d×K, and DᵀD, K×K
}

func newAuthors(b Basis) *authors {
	_, k := b.D.Dims()
	a := &authors{b.D, mat.NewDense(k, k, nil)}
	b.gram(a.gram, b.D)
	return a
}

// authorsWork is that of all passes, each with a factor of its own.
func authorsWork(d, k float64) Work {
	return Work{Prepare: gramWork(d, k, 0), Sample: d*k + authorsUsual*(k*k+k*k*k/6/matrixSpeed), Memory: 2*k*k + 4*authorsShare*k}
}

// authorsUsual is about how many passes a code takes.
const authorsUsual = 150

// authorsShare is how many columns share the factors of the passes, and authorsBlock how many
// are worked on at a time: their matrices stay in the cache.
const authorsShare, authorsBlock = 4 * chunk, chunk / 4

func (a *authors) Code(ctx context.Context, s, y *mat.Dense) error {
	d, k := a.d.Dims()
	return inChunks(ctx, s, y, d, k, authorsShare, "the non-negative code of column", func(s, y *mat.Dense) error { return a.code(ctx, s, y) })
}

// code writes the codes of some columns into out.
func (a *authors) code(ctx context.Context, out, y *mat.Dense) error {
	k, n := out.Dims()
	var blocks []*authorsPasses
	for lo := 0; lo < n; lo += authorsBlock {
		hi := min(n, lo+authorsBlock)
		blocks = append(blocks, a.start(lin.Cols(out, lo, hi), lin.Cols(y, lo, hi)))
	}
	system := mat.NewDense(k, k, nil)
	var spd lin.SPD
	μ := float64(authorsMu)
	for pass := 1; len(blocks) > 0; pass++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		lin.Set(system, 1, a.gram)
		lin.AddDiag(system, μ) // DᵀD + μI
		if _, err := spd.FactorOrRidge(system); err != nil {
			return fmt.Errorf("factor DᵀD + μI of the authors' coder: %w", err)
		}
		parallel.For(len(blocks), 1, func(b, _ int) { blocks[b].renew(&spd, μ, pass == authorsMost) })
		blocks = slices.DeleteFunc(blocks, func(b *authorsPasses) bool { return b.rest == 0 })
		μ = min(authorsMuMax, authorsGrowth*μ)
	}
	return nil
}

// authorsPasses are those of n columns.
type authorsPasses struct {
	dty, s, g, t, codes *mat.Dense // K×n
	fixed               []bool     // columns that have converged
	rest                int        // number of the others
}

func (a *authors) start(out, y *mat.Dense) *authorsPasses {
	k, n := out.Dims()
	zero := func() *mat.Dense { return mat.NewDense(k, n, nil) }
	p := &authorsPasses{zero(), zero(), zero(), zero(), out, make([]bool, n), n}
	lin.AtB(p.dty, 1, a.d, y) // Dᵀy
	return p
}

// renew makes a pass, and writes the codes of columns that converge in it, or of all in the last.
func (p *authorsPasses) renew(spd *lin.SPD, μ float64, last bool) {
	k, n := p.s.Dims()
	lin.Set(p.s, 1, p.dty)
	lin.Add(p.s, μ, p.g)
	lin.Add(p.s, -1, p.t)
	spd.Solve(p.s) // (DᵀD + μI)⁻¹(Dᵀy + μg − t)
	gaps := make([]float64, n)
	for i := range k {
		g, t := p.g.RawRowView(i), p.t.RawRowView(i)
		for j, v := range p.s.RawRowView(i) {
			g[j] = max(0, v+t[j]/μ)
			gaps[j] = max(gaps[j], math.Abs(v-g[j]))
			t[j] += μ * (v - g[j])
		}
	}
	for j, gap := range gaps {
		if !p.fixed[j] && (gap < authorsTol || last) {
			p.fixed[j] = true
			p.rest--
			for i := range k {
				p.codes.Set(i, j, p.s.At(i, j))
			}
		}
	}
}
