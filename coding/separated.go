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

// Separated codes a sample beside a sparse error b [sbd2l]:
//
//	min_{s,b} ½‖y − Ds − b‖² + α‖s‖ + β‖b‖₁
//
// on the splitting s = j, with a penalty μ that grows, from zeros until ‖s − j‖ < tol:
//
//	s = (DᵀD + μI)⁻¹(Dᵀ(y − b) + μj − t),  j = max(0, 1 − α/(μ‖v‖))·v,  v = s + t/μ
//	b = soft(y − Ds, β),  t ← t + μ(s − j)
//
// It is the published program for one query, for which the nuclear norm of the codes is ‖s‖.
// As μ grows, s and j are forced together before they are optimal.
//
// D is turned to the eigenvectors of DᵀD: the first system is then diagonal for every μ, and
// norms stay.
type Separated struct {
	Alpha  float64 `json:"alpha" help:"α > 0, weight of the norm of the code" eq:"[sbd2l]"`
	Beta   float64 `json:"beta" help:"β > 0, weight of ‖b‖₁, the sparse error" eq:"[sbd2l]"`
	Mu     float64 `json:"mu" help:"μ > 0, penalty of the splitting in the first pass" eq:"[admm]"`
	Growth float64 `json:"growth" help:"factor > 1 of μ from pass to pass"`
	Tol    float64 `json:"tol" help:"> 0; converged when s and j differ by less"`
	Passes int     `json:"passes" help:"1 to 1000000, at most so many passes"`
}

func (Separated) Name() string { return "separated" }

func (c Separated) Validate() error {
	return cmp.Or(positive(c, "alpha", c.Alpha), positive(c, "beta", c.Beta), positive(c, "mu", c.Mu), positive(c, "tol", c.Tol),
		positive(c, "growth − 1", c.Growth-1), between(c, "passes", c.Passes, maxADMMPasses))
}

// Work counts passes until α/μ, which is about ‖s − j‖, is below a tenth of tol.
func (c Separated) Work(d, k int) Work {
	n, m := float64(d), float64(k)
	usual := min(float64(c.Passes), max(1, math.Log(10*c.Alpha/(c.Mu*c.Tol))/math.Log(c.Growth)))
	return Work{
		Prepare: gramWork(n, m, 0) + 10*m*m*m/matrixSpeed, Sample: usual * (2*n*m + 3*n + 6*m + passWork),
		Memory: n*m + 2*m*m + robustChunk*(3*n+5*m),
	}
}

// maxSquared is what an element of D may be, for DᵀD to be finite.
const maxSquared = 1e100

func (c Separated) Over(b Basis) (Coding, error) {
	if err := ready(c, b.D); err != nil {
		return nil, err
	}
	if largest := lin.MaxAbs(b.D); largest > maxSquared {
		return nil, fmt.Errorf("prepare the separated coder: an atom holds %.3g", largest)
	}
	var turned mat.Dense
	v, σ := lin.Spectrum(b.D)
	turned.Mul(b.D, v)
	return &separated{c, &turned, v, σ}, nil
}

type separated struct {
	Separated
	d, v *mat.Dense // DV, d×K, and V, K×K
	σ    []float64  // of D
}

func (c *separated) Code(ctx context.Context, s, y *mat.Dense) error {
	d, k := c.d.Dims()
	return inChunks(ctx, s, y, d, k, robustChunk, "the separated code of column", func(s, y *mat.Dense) error { return c.code(ctx, s, y) })
}

// code writes the codes of some columns into out. Its matrices have a row for each of them.
func (c *separated) code(ctx context.Context, out, y *mat.Dense) error {
	d, k := c.d.Dims()
	_, n := y.Dims()
	rows := func(columns int) *mat.Dense { return mat.NewDense(n, columns, nil) }
	yt, b, r := mat.DenseCopyOf(y.T()), rows(d), rows(d)
	s, j, t, codes := rows(k), rows(k), rows(k), rows(k)
	ended := make([]bool, n)
	for pass, μ := 1, c.Mu; ; pass, μ = pass+1, μ*c.Growth {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		lin.Set(r, 1, yt)
		lin.Add(r, -1, b)
		lin.AB(s, 1, r, c.d) // Dᵀ(y − b)
		parallel.For(n, 1, func(i, _ int) {
			apart := c.renew(s.RawRowView(i), j.RawRowView(i), t.RawRowView(i), μ)
			if !ended[i] && (!(apart >= c.Tol) || pass == c.Passes) {
				copy(codes.RawRowView(i), s.RawRowView(i))
				ended[i] = true
			}
		})
		if !slices.Contains(ended, false) {
			lin.ABt(out, 1, c.v, codes)
			return nil
		}
		lin.Set(b, 1, yt)
		lin.AddABt(b, -1, s, c.d)
		parallel.For(n, 1, func(i, _ int) { soft(b.RawRowView(i), c.Beta) })
	}
}

// renew renews s, which is Dᵀ(y − b), then j and t, and returns ‖s − j‖.
func (c *separated) renew(s, j, t []float64, μ float64) float64 {
	var norm, apart float64
	for k, v := range s {
		s[k] = (v + μ*j[k] - t[k]) / (c.σ[k]*c.σ[k] + μ)
		j[k] = s[k] + t[k]/μ
		norm = math.Hypot(norm, j[k])
	}
	for k, v := range s {
		j[k] *= max(0, 1-c.Alpha/(μ*norm))
		t[k] += μ * (v - j[k])
		apart = math.Hypot(apart, v-j[k])
	}
	return apart
}
