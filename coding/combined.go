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

// Augmented adds a sparse code to the dense one of Probabilistic [saprocrc]: s = š + ŝ, with
//
//	š = argmin_s ‖y − D·s‖² + λ‖s‖² + (γ/C)·Σ_i ‖D·s − D_i·s_i‖²
//	ŝ = the code of OMP with T₀ atoms
type Augmented struct {
	Lambda   float64 `json:"lambda" help:"λ ≥ 0, weight of ‖s‖² in the dense code" eq:"[procrc]"`
	Gamma    float64 `json:"gamma" help:"γ ≥ 0, weight of the distance of each class from what all rebuild" eq:"[procrc]"`
	Sparsity int     `json:"sparsity" help:"T₀ ≥ 1, most atoms of the sparse code; more than there are is all of them" eq:"[saprocrc]"`
}

// DefaultAugmented has the values of the authors' program for 100 classes.
var DefaultAugmented = Augmented{Lambda: DefaultProbabilistic.Lambda, Gamma: DefaultProbabilistic.Gamma, Sparsity: 50}

func (Augmented) Name() string { return "augmented" }

func (c Augmented) Validate() error {
	return cmp.Or(weight(c, "lambda", c.Lambda), weight(c, "gamma", c.Gamma), OMP{Sparsity: c.Sparsity}.Validate())
}

func (c Augmented) Work(d, k int) Work {
	return OMP{Sparsity: c.Sparsity}.Work(d, k).and(normalWork(d, k), k)
}

// Over implements Coder. It needs groups.
func (c Augmented) Over(b Basis) (Coding, error) {
	return newCombined(c, b, Probabilistic{c.Lambda, c.Gamma}, OMP{Sparsity: c.Sparsity}, [2]float64{1, 1})
}

// Fused codes over each class alone, as PerClass, and over all classes together with
// coefficients ≥ 0, as Constrained. Its code is the mean of both codes with the weights ω and
// 1 − ω. The rule votes fuses the residuals of the two [lrcnrc]: class c has a part of the vote in
// proportion to
//
//	1 − ω·r̂_c − (1 − ω)·q̂_c,   r̂_c = (r_c − min r)/(max r − min r)
//
// with r_c = ‖y − D_c·s_c‖ of the first code, q_c of the second; q̂ is like r̂.
type Fused struct {
	Weight float64 `json:"weight" help:"0 to 1, ω, weight of the representation by each class alone" eq:"[lrcnrc]"`
	Rho    float64 `json:"rho" help:"ρ > 0, penalty of the splitting of the non-negative code" eq:"[nrc]"`
	Passes int     `json:"passes" help:"1 to 1000000, number of its passes" eq:"[nrc]"`
}

// DefaultFused has the values of the authors' program.
var DefaultFused = Fused{Weight: 0.8, Rho: DefaultConstrained.Rho, Passes: DefaultConstrained.Passes}

func (Fused) Name() string { return "fused" }

// together is the coder over all classes: as in the program, the copy c classifies.
func (c Fused) together() Constrained {
	return Constrained{Rho: c.Rho, Passes: c.Passes, Iterate: "c"}
}

func (c Fused) Validate() error {
	if !(c.Weight >= 0 && c.Weight <= 1) {
		return fmt.Errorf("weight = %v of the %s coder is not between 0 and 1", c.Weight, c.Name())
	}
	return cmp.Or(positive(c, "rho", c.Rho), between(c, "passes", c.Passes, maxADMMPasses))
}

func (c Fused) Work(d, k int) Work {
	w := c.together().Work(d, k).and(PerClass{}.Work(d, k), k)
	w.Sample += 2 * float64(d) * float64(k) // residuals
	return w
}

// Over implements Coder. It needs groups.
func (c Fused) Over(b Basis) (Coding, error) {
	both, err := newCombined(c, b, PerClass{}, c.together(), [2]float64{c.Weight, 1 - c.Weight})
	if err != nil {
		return nil, err
	}
	return fused{both}, nil
}

// and is the work of a coder with w and of another one, whose codes over k atoms are kept beside.
func (w Work) and(other Work, k int) Work {
	w.Prepare += other.Prepare
	w.Sample += other.Sample
	w.Memory += other.Memory + chunk*float64(k)
	return w
}

// combined codes by the weighted sum of two codes.
type combined struct {
	d      *mat.Dense // d×K
	groups []int
	parts  [2]Coding
	weight [2]float64
}

func newCombined(c Coder, b Basis, first, second Coder, weight [2]float64) (*combined, error) {
	if err := readyByClass(c, b); err != nil {
		return nil, err
	}
	s := &combined{d: b.D, groups: b.Groups, weight: weight}
	for i, part := range []Coder{first, second} {
		var err error
		if s.parts[i], err = part.Over(b); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (c *combined) Code(ctx context.Context, s, y *mat.Dense) error {
	d, k := c.d.Dims()
	if err := sized(s, y, d, k); err != nil {
		return err
	}
	return c.each(ctx, y, func(lo, hi int, first, second, _ *mat.Dense) {
		c.add(lin.Cols(s, lo, hi), first, second)
	})
}

// add writes the weighted sum of two codes into s.
func (c *combined) add(s, first, second *mat.Dense) {
	lin.Set(s, c.weight[0], first)
	lin.Add(s, c.weight[1], second)
}

// each hands on the two codes of some columns lo ≤ j < hi of y, and these columns.
func (c *combined) each(ctx context.Context, y *mat.Dense, f func(lo, hi int, first, second, y *mat.Dense)) error {
	_, k := c.d.Dims()
	_, n := y.Dims()
	for lo := 0; lo < n; lo += chunk {
		hi := min(n, lo+chunk)
		part, first, second := lin.Cols(y, lo, hi), mat.NewDense(k, hi-lo, nil), mat.NewDense(k, hi-lo, nil)
		for i, s := range []*mat.Dense{first, second} {
			if err := c.parts[i].Code(ctx, s, part); err != nil {
				return err
			}
		}
		f(lo, hi, first, second, part)
	}
	return nil
}

// fused is the Coding of Fused.
type fused struct{ *combined }

var _ Detailed = fused{}

// CodeWith implements Detailed.
func (f fused) CodeWith(ctx context.Context, out Details, y *mat.Dense) error {
	d, _ := f.d.Dims()
	if out.Votes == nil {
		return f.Code(ctx, out.S, y)
	}
	if err := sized(out.Votes, y, d, len(f.groups)-1); err != nil {
		return err
	}
	return f.each(ctx, y, func(lo, hi int, first, second, y *mat.Dense) {
		if out.S != nil {
			f.add(lin.Cols(out.S, lo, hi), first, second)
		}
		votes := lin.Cols(out.Votes, lo, hi)
		parallel.For(hi-lo, blockVoters, func(lo, hi int) {
			part := func(a *mat.Dense) *mat.Dense { return lin.Cols(a, lo, hi) }
			f.vote(part(votes), part(first), part(second), part(y))
		})
	})
}

// vote writes the parts of the classes, C×n, for columns of y and their two codes.
func (f fused) vote(votes, first, second, y *mat.Dense) {
	classes, n := votes.Dims()
	norms := make([]float64, n)
	lin.SquaredColumnNorms(norms, y)
	one, other := mat.NewDense(classes, n, nil), mat.NewDense(classes, n, nil)
	squaredResiduals(one, f.d, f.groups, first, y)
	squaredResiduals(other, f.d, f.groups, second, y)
	for j, norm := range norms {
		r, q := fromLeast(mat.Col(nil, j, one)), fromLeast(mat.Col(nil, j, other))
		sum := 0.0
		for c := range r {
			r[c] = 1 - f.weight[0]*r[c] - f.weight[1]*q[c]
			sum += r[c] // above 0: that of the least residual of one of both is
		}
		for c, v := range r {
			if norm == 0 {
				v = 0
			}
			votes.Set(c, j, v/sum)
		}
	}
}

// fromLeast turns squared residuals into residuals from 0, the least, to 1, the largest; all are 0
// where they are equal.
func fromLeast(r []float64) []float64 {
	for c, v := range r {
		r[c] = math.Sqrt(v)
	}
	lowest, span := slices.Min(r), slices.Max(r)-slices.Min(r)
	for c, v := range r {
		if r[c] = 0; span > 0 {
			r[c] = (v - lowest) / span
		}
	}
	return r
}
