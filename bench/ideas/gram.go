package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl/coding"
	"nrdl/internal/lin"
)

// stopped is the coder of the base.
var stopped = coding.NonNegative{Solver: coding.ADMM, Rho: 0.1, Passes: 5}

// A gram is all that NRC asks of atoms D, d×K, and queries Y, d×n, of unit norm:
// their inner products. A kernel's do as well.
type gram struct {
	G      *mat.Dense // DᵀD, K×K
	B      *mat.Dense // DᵀY, K×n
	groups []int      // the atoms of class c are groups[c] ≤ k < groups[c+1]
}

func newGram(d, y *mat.Dense, groups []int) gram {
	_, k := d.Dims()
	_, n := y.Dims()
	p := gram{mat.NewDense(k, k, nil), mat.NewDense(k, n, nil), groups}
	lin.AtA(p.G, 1, d)
	lin.Mirror(p.G)
	lin.AtB(p.B, 1, d, y)
	return p
}

// nrc returns the scores of the codes of the queries.
func (p gram) nrc(c coding.NonNegative) (*mat.Dense, error) {
	s, err := p.code(c, p.B)
	if err != nil {
		return nil, err
	}
	return p.scores(s), nil
}

// code returns the codes, K×n, of queries with DᵀY = f: min ‖y − Ds‖² s.t. s ≥ 0
// by the passes of coding.NonNegative from x = (G + ρ/2·I)⁻¹f = b,
//
//	x = b + min(x, 0) + (G + ρ/2·I)⁻¹·ρ/2·|x|,   s = max(x, 0)
func (p gram) code(c coding.NonNegative, f *mat.Dense) (*mat.Dense, error) {
	a := mat.DenseCopyOf(p.G)
	lin.AddDiag(a, c.Rho/2)
	var factor lin.SPD
	if err := factor.Factor(a); err != nil {
		return nil, fmt.Errorf("factor the Gram matrix: %w", err)
	}
	b := mat.DenseCopyOf(f)
	factor.Solve(b)
	x, t := mat.DenseCopyOf(b), mat.DenseCopyOf(b)
	for range c.Passes - 1 {
		t.Apply(func(_, _ int, v float64) float64 { return c.Rho / 2 * math.Abs(v) }, x)
		factor.Solve(t)
		x.Apply(func(i, j int, v float64) float64 { return b.At(i, j) + min(v, 0) + t.At(i, j) }, x)
	}
	lin.Clamp(x, 0)
	return x, nil
}

// scores returns 1 − ‖y − D_c·s_c‖² = 2·s_cᵀ(D_cᵀy) − s_cᵀ(D_cᵀD_c)s_c of the
// queries with the codes s, C×n: the order of nrdl.Residual. Squares add up over
// features side by side.
func (p gram) scores(s *mat.Dense) *mat.Dense {
	_, n := s.Dims()
	out := mat.NewDense(len(p.groups)-1, n, nil)
	for c := range len(p.groups) - 1 {
		lo, hi := p.groups[c], p.groups[c+1]
		rebuilt := mat.NewDense(hi-lo, n, nil)
		lin.AB(rebuilt, 1, lin.Block(p.G, lo, hi, lo, hi), lin.Block(s, lo, hi, 0, n)) // (D_cᵀD_c)s_c
		to := out.RawRowView(c)
		for k := lo; k < hi; k++ {
			b, r := p.B.RawRowView(k), rebuilt.RawRowView(k-lo)
			for j, v := range s.RawRowView(k) {
				to[j] += v * (2*b[j] - r[j])
			}
		}
	}
	return out
}

// of returns p for the atoms of some classes and query j.
func (p gram) of(classes []int, j int) gram {
	var atoms []int
	q := gram{groups: []int{0}}
	for _, c := range classes {
		for k := p.groups[c]; k < p.groups[c+1]; k++ {
			atoms = append(atoms, k)
		}
		q.groups = append(q.groups, len(atoms))
	}
	q.G, q.B = mat.NewDense(len(atoms), len(atoms), nil), mat.NewDense(len(atoms), 1, nil)
	for i, k := range atoms {
		q.B.Set(i, 0, p.B.At(k, j))
		for l, m := range atoms {
			q.G.Set(i, l, p.G.At(k, m))
		}
	}
	return q
}
