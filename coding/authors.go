package coding

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// The authors' program solves (19) on the splitting s = g ≥ 0 with a penalty that grows:
//
//	s = (DᵀD + μI)⁻¹(Dᵀy + μg − t),   g = max(0, s + t/μ),   t ← t + μ(s − g),   μ ← 1.1·μ
//
// from s = g = t = 0 and μ = 1e-5, until |s − g|∞ < 1e-6. It returns s. As μ grows, s and g
// are forced together before they are optimal: the code is not the solution of (19), and has
// several times as many coefficients.
const (
	authorsMu, authorsGrowth, authorsMuMax = 1e-5, 1.1, 1e8
	authorsTol, authorsPasses              = 1e-6, 1000
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
	return Work{Prepare: gramWork(d, k, 0), Sample: d*k + authorsUsual*(k*k+k*k*k/6/matrixSpeed), Memory: 2 * k * k}
}

// authorsUsual is about how many passes a code takes.
const authorsUsual = 150

func (a *authors) Code(ctx context.Context, s, y *mat.Dense) error {
	d, k := a.d.Dims()
	mustFit(s, y, d, k)
	_, n := y.Dims()
	for lo := 0; lo < n; lo += chunk {
		hi := min(n, lo+chunk)
		if err := a.code(ctx, lin.Cols(s, lo, hi), lin.Cols(y, lo, hi)); err != nil {
			return err
		}
	}
	return lin.Finite("the non-negative code of column", s)
}

// code writes the codes of some columns into out.
func (a *authors) code(ctx context.Context, out, y *mat.Dense) error {
	k, n := out.Dims()
	fixed := make([]bool, n) // columns that have converged
	dty, s, g, t := mat.NewDense(k, n, nil), mat.NewDense(k, n, nil), mat.NewDense(k, n, nil), mat.NewDense(k, n, nil)
	lin.AtB(dty, 1, a.d, y) // Dᵀy
	system := mat.NewDense(k, k, nil)
	μ, rest := float64(authorsMu), n
	for pass := 1; rest > 0; pass++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		lin.Set(system, 1, a.gram)
		lin.AddDiag(system, μ) // DᵀD + μI
		var spd lin.SPD
		if _, err := spd.FactorOrRidge(system); err != nil {
			return fmt.Errorf("factor DᵀD + μI of the authors' coder: %w", err)
		}
		lin.Set(s, 1, dty)
		lin.Add(s, μ, g)
		lin.Add(s, -1, t)
		spd.Solve(s) // (DᵀD + μI)⁻¹(Dᵀy + μg − t)
		gaps := make([]float64, n)
		for i := range k {
			si, gi, ti := s.RawRowView(i), g.RawRowView(i), t.RawRowView(i)
			for j, v := range si {
				gi[j] = max(0, v+ti[j]/μ)
				gaps[j] = max(gaps[j], math.Abs(v-gi[j]))
				ti[j] += μ * (v - gi[j])
			}
		}
		for j, gap := range gaps {
			if !fixed[j] && (gap < authorsTol || pass == authorsPasses) {
				fixed[j] = true
				rest--
				for i := range k {
					out.Set(i, j, s.At(i, j))
				}
			}
		}
		μ = min(authorsMuMax, authorsGrowth*μ)
	}
	return nil
}
