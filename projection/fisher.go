package projection

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/lin"
)

// Fisher keeps the directions with the largest ratio of the scatter between
// classes to that within classes [fisherfaces], regularised as in [rda]:
//
//	S_b v = λ (S_w + εI) v,   vᵀ(S_w + εI)v = 1,   ε = Ridge·tr(S_w)/min(d, N−1)
//
// with S_w = Σ_c Σ_{x in c} (x − m_c)(x − m_c)ᵀ and S_b = Σ_c n_c (m_c − m)(m_c
// − m)ᵀ, whose rank is less than the number C of classes, so there are at most
// C − 1 directions.
//
// With S_t = S_w + S_b = X̄X̄ᵀ, G N×C with 1/√n_c where a sample is of class c, and
// B = X̄G, so that S_b = BBᵀ, they are found in C dimensions and without any
// eigenvector of S_t:
//
//	Bᵀ(S_t + εI)⁻¹B·u = μu,   v = (S_t + εI)⁻¹B·u / √(μ(1−μ)),   λ = μ/(1−μ)
//
// where for d > N (S_t + εI)⁻¹B = X̄(X̄ᵀX̄ + εI)⁻¹G takes a system of N equations.
type Fisher struct {
	Ridge float64 `json:"ridge" help:"r > 0, regularisation: ε is r times the mean eigenvalue of the within-class scatter"`
	Dims  int     `json:"dims" help:"dimensions kept; 0 keeps one less than there are classes"`
}

// maxRidge bounds the ridge: the scatter within classes is lost in εI long before.
const maxRidge = 1e6

// DefaultFisher suits features of faces; raw pixels with few images per person
// may need a larger ridge.
var DefaultFisher = Fisher{Ridge: 0.3}

// Name implements Projection.
func (Fisher) Name() string { return "fisher" }

// Validate implements Projection.
func (f Fisher) Validate() error {
	switch {
	case !(f.Ridge > 0 && f.Ridge <= maxRidge):
		return advice.Add(fmt.Errorf("ridge = %v of fisher is not a number > 0 and at most %v", f.Ridge, float64(maxRidge)),
			"the default is ridge=%v", DefaultFisher.Ridge)
	case f.Dims < 0:
		return advice.Add(fmt.Errorf("dims = %d of fisher is negative", f.Dims), "the nearest is dims=0, one less than there are classes")
	}
	return nil
}

// Fit implements Projection.
func (f Fisher) Fit(ctx context.Context, x *mat.Dense, groups []int) (*Fitted, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	classes := len(groups) - 1
	if classes < 2 {
		return nil, errors.New("fit fisher: it needs two classes")
	}
	if f.Dims >= classes {
		return nil, fmt.Errorf("fit fisher: dims = %d, and %d classes give at most %d", f.Dims, classes, classes-1)
	}
	c, m := centred(x)
	d, n := x.Dims()
	b := means(c, groups) // B
	total, between := lin.SquaredNorm(c), lin.SquaredNorm(b)
	ε := f.Ridge * (total - between) / float64(min(d, n-1))
	if n == classes {
		err := errors.New("fit fisher: there is one image of each person, and nothing tells what differs between images of one person")
		return nil, advice.Add(err, "add images, or mirror images (%v), or leave out the projection (%v)",
			advice.Mirror, advice.Projection.To("none"))
	}
	if total-between > flat*total && !(ε > flat*total) {
		return nil, f.tooSmall()
	}
	if !(ε > flat*total) {
		return nil, errors.New("fit fisher: the images of a person are all alike, so that nothing tells what differs between images of one person")
	}
	v, err := solve(c, b, groups, ε) // (S_t + εI)⁻¹B
	if err != nil {
		return nil, fmt.Errorf("fit fisher: %w", err)
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	small := mat.NewDense(classes, classes, nil)
	lin.AtB(small, 1, b, v) // Bᵀ(S_t + εI)⁻¹B
	symmetrise(small)
	μ, u, err := eigen(small)
	if err != nil {
		return nil, fmt.Errorf("fit fisher: %w", err)
	}
	kept := 0
	for kept < classes-1 && μ[kept] > faint*μ[0] && (f.Dims == 0 || kept < f.Dims) {
		kept++
	}
	if kept == 0 {
		return nil, errors.New("fit fisher: the classes have one mean")
	}
	squares := make([]float64, kept)
	for i := range squares {
		if squares[i] = μ[i] * (1 - μ[i]); !(1-μ[i] > indistinct) {
			return nil, f.tooSmall()
		}
	}
	u = mat.DenseCopyOf(lin.Cols(u, 0, kept))
	scale(u, classes, squares)
	fit := &Fitted{mat.NewDense(d, kept, nil), m}
	lin.AB(fit.P, 1, v, u)
	return fit, nil
}

// faint is the share of the largest μ below which a direction is of rounding more
// than of how classes differ.
const faint = 1e-8

// indistinct is a 1 − μ that has too few digits left: rounding leaves some 1e-13
// of μ, more where S_t + εI is hardly regular.
const indistinct = 1e-7

// tooSmall is the error of a ridge that leaves the scatter singular.
func (f Fisher) tooSmall() error {
	err := fmt.Errorf("fit fisher: ridge = %v leaves the scatter within classes singular", f.Ridge)
	return advice.Add(err, "take a larger ridge, as fisher:%.2g; %v is the default", 100*f.Ridge, DefaultFisher.Ridge)
}

// scale divides column j of the matrix a of so many rows by √squares[j].
func scale(a *mat.Dense, rows int, squares []float64) {
	for i := range rows {
		row := a.RawRowView(i)
		for j := range row {
			row[j] /= math.Sqrt(squares[j])
		}
	}
}

// means returns B = X̄G, whose columns are √n_c(m_c − m).
func means(c *mat.Dense, groups []int) *mat.Dense {
	d, _ := c.Dims()
	b := mat.NewDense(d, len(groups)-1, nil)
	for i := range d {
		row, to := c.RawRowView(i), b.RawRowView(i)
		for k := range to {
			var sum float64
			for _, v := range row[groups[k]:groups[k+1]] {
				sum += v
			}
			to[k] = sum / math.Sqrt(float64(groups[k+1]-groups[k]))
		}
	}
	return b
}

// solve returns (X̄X̄ᵀ + εI)⁻¹B, d×C, by the smaller of two systems.
func solve(c, b *mat.Dense, groups []int, ε float64) (*mat.Dense, error) {
	d, n := c.Dims()
	k := min(d, n)
	a := mat.NewDense(k, k, nil)
	var f lin.SPD
	if d <= n {
		lin.AAt(a, 1, c)
		lin.AddDiag(a, ε) // X̄X̄ᵀ + εI
		if err := f.Factor(a); err != nil {
			return nil, err
		}
		v := mat.DenseCopyOf(b)
		f.Solve(v)
		return v, nil
	}
	lin.AtA(a, 1, c)
	lin.AddDiag(a, ε) // X̄ᵀX̄ + εI
	if err := f.Factor(a); err != nil {
		return nil, err
	}
	z := mat.NewDense(n, len(groups)-1, nil)
	for k := range len(groups) - 1 {
		for j := groups[k]; j < groups[k+1]; j++ {
			z.Set(j, k, 1/math.Sqrt(float64(groups[k+1]-groups[k])))
		}
	}
	f.Solve(z) // (X̄ᵀX̄ + εI)⁻¹G
	v := mat.NewDense(d, len(groups)-1, nil)
	lin.AB(v, 1, c, z)
	return v, nil
}

// symmetrise gives a the mean of itself and its transpose.
func symmetrise(a *mat.Dense) {
	n, _ := a.Dims()
	for i := range n {
		for j := range i {
			v := (a.At(i, j) + a.At(j, i)) / 2
			a.Set(i, j, v)
			a.Set(j, i, v)
		}
	}
}
