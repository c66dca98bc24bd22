package coding

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// Constrained codes with coefficients ≥ 0 and one or more of the terms that successors of NRC
// add, s_i being the coefficients of class i:
//
//	min_s ‖y − D·s‖² + λ‖s‖² + ν·Σ_i ‖y − D_i·s_i‖² + τ‖D·s‖²
//	s.t. s ≥ 0, and 1ᵀs = 1 if Affine is set
//
// ν is that of [crnrc], τ that of [dnrc], λ and the sum that of [ancr]. The solver is ADMM as
// in NonNegative, stopped after Passes, from z = Δ = 0:
//
//	c = ((1 + τ)DᵀD + λI + ν·B + ρ/2·I)⁻¹((1 + ν)Dᵀy + ρ/2·z + Δ/2)
//	z = Π(c − Δ/ρ),   Δ = Δ + ρ(z − c)
//
// with B = blockdiag(D_iᵀD_i) and Π the projection onto the constraints. The code is c or z,
// as Iterate says: z satisfies the constraints, c nearly; after many passes they are equal.
type Constrained struct {
	Lambda  float64 `json:"lambda" help:"λ ≥ 0, weight of ‖s‖²" eq:"[ancr] (4)"`
	Nu      float64 `json:"nu" help:"ν ≥ 0, weight of the residual of each class alone" eq:"[crnrc] (5)"`
	Tau     float64 `json:"tau" help:"τ ≥ 0, weight of ‖X·s‖²" eq:"[dnrc]"`
	Affine  bool    `json:"affine" help:"coefficients add up to 1" eq:"[ancr] (4)"`
	Rho     float64 `json:"rho" help:"ρ > 0, penalty of the splitting c = z"`
	Passes  int     `json:"passes" help:"1 to 1000000, number of passes"`
	Iterate string  `json:"iterate" choices:"c,z" help:"which of the two copies classifies: c, as in the authors' programs, or z, which satisfies the constraints"`
}

// DefaultConstrained has the penalty and the passes of [crnrc], and no term.
var DefaultConstrained = Constrained{Rho: 0.1, Passes: 5, Iterate: "c"}

func (Constrained) Name() string { return "constrained" }

func (c Constrained) Validate() error {
	return cmp.Or(weight(c, "lambda", c.Lambda), weight(c, "nu", c.Nu), weight(c, "tau", c.Tau),
		positive(c, "rho", c.Rho), between(c, "passes", c.Passes, maxADMMPasses),
		oneOf(c, "iterate", c.Iterate, "c", "z"))
}

func (c Constrained) Work(d, k int) Work {
	w := normalWork(d, k)
	w.Sample += float64(c.Passes) * (2*float64(k)*float64(k) + passWork)
	w.Factors, w.Advice = fmt.Sprintf("passes = %d", c.Passes), "lower passes"
	return w
}

// Over implements Coder. It needs groups.
func (c Constrained) Over(b Basis) (Coding, error) {
	if err := readyByClass(c, b); err != nil {
		return nil, err
	}
	_, k := b.D.Dims()
	g := mat.NewDense(k, k, nil)
	b.gram(g, b.D) // DᵀD
	blocks := mat.DenseCopyOf(g)
	lin.Set(g, 1+c.Tau, g)
	for i, lo := range b.Groups[:len(b.Groups)-1] {
		hi := b.Groups[i+1]
		lin.Add(lin.Block(g, lo, hi, lo, hi), c.Nu, lin.Block(blocks, lo, hi, lo, hi))
	}
	lin.AddDiag(g, c.Lambda+c.Rho/2)
	s := &constrained{c: c, d: b.D}
	if _, err := s.system.FactorOrRidge(g); err != nil {
		return nil, fmt.Errorf("factor the matrix of the constrained coder: %w", err)
	}
	return s, nil
}

type constrained struct {
	c      Constrained
	d      *mat.Dense
	system lin.SPD
}

func (s *constrained) Code(ctx context.Context, out, y *mat.Dense) error {
	d, k := s.d.Dims()
	return inChunks(ctx, out, y, d, k, chunk, "the constrained code of column", func(out, y *mat.Dense) error { return s.code(ctx, out, y) })
}

// code makes the passes for some columns.
func (s *constrained) code(ctx context.Context, out, y *mat.Dense) error {
	k, n := out.Dims()
	z, c := out, mat.NewDense(k, n, nil)
	if s.c.Iterate == "c" {
		z, c = c, z
	}
	b, δ := mat.NewDense(k, n, nil), mat.NewDense(k, n, nil) // δ = Δ/ρ
	lin.AtB(b, 1+s.c.Nu, s.d, y)                             // (1 + ν)Dᵀy
	blank := make([]float64, n)
	lin.SquaredColumnNorms(blank, y)
	z.Zero()
	column := make([]float64, k)
	for range s.c.Passes {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		lin.Set(c, 1, b)
		lin.Add(c, s.c.Rho/2, z)
		lin.Add(c, s.c.Rho/2, δ)
		s.system.Solve(c)
		lin.Set(z, 1, c)
		lin.Add(z, -1, δ) // c − Δ/ρ
		if s.c.Affine {
			for j := range n {
				if blank[j] > 0 {
					ontoSimplex(mat.Col(column, j, z))
					z.SetCol(j, column)
				}
			}
		} else {
			lin.Clamp(z, 0)
		}
		lin.Add(δ, 1, z)
		lin.Add(δ, -1, c)
	}
	return nil
}

// ontoSimplex replaces v by the nearest point with elements ≥ 0 that add up to 1: v − θ, at
// least 0, with θ such that they do.
func ontoSimplex(v []float64) []float64 {
	sorted := slices.Clone(v)
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	sum, θ := 0.0, 0.0
	for i, x := range sorted {
		sum += x
		if t := (sum - 1) / float64(i+1); x > t {
			θ = t
		}
	}
	for i, x := range v {
		v[i] = max(0, x-θ)
	}
	return v
}
