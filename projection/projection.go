// Package projection reduces the dimension of samples. A projection is fit to
// the training samples only.
//
// Notation: X d×N samples, one per column, the samples of class c being the
// columns groups[c] ≤ j < groups[c+1]; m their mean, X̄ = X − m·1ᵀ.
//
// References:
//
//	[fisherfaces] Belhumeur, Hespanha, Kriegman: Eigenfaces vs. Fisherfaces:
//	              recognition using class specific linear projection. IEEE PAMI
//	              19, 1997.
//	[rda]         Friedman: Regularized discriminant analysis. JASA 84, 1989.
//
// Experimental: this package may change in any version.
package projection

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// A Projection is a method of dimension reduction; its fields are its
// parameters.
type Projection interface {
	// Name is the name by which inputs and model files refer to it.
	Name() string

	// Validate reports the first parameter that is outside its range.
	Validate() error

	// Fit fits the projection to x, d×N, which it does not modify. A projection
	// that ignores classes accepts nil groups.
	Fit(ctx context.Context, x *mat.Dense, groups []int) (*Fitted, error)
}

// A Fitted projection maps a sample y of d features to Pᵀ(y − m), p features. m is the
// mean of the training samples.
type Fitted struct {
	P *mat.Dense // d×p
	M []float64  // m, len d
}

// Dims returns the number of features before the projection, d, and after it, p.
func (f *Fitted) Dims() (d, p int) { return f.P.Dims() }

// Validate reports parts that do not agree or are not finite.
func (f *Fitted) Validate() error {
	if f.P == nil || f.P.IsEmpty() {
		return errors.New("the projection has no matrix")
	}
	d, p := f.P.Dims()
	if len(f.M) != d {
		return fmt.Errorf("the projection is %d×%d and its mean has %d features", d, p, len(f.M))
	}
	for i := range d {
		for _, v := range append(slices.Clone(f.P.RawRowView(i)), f.M[i]) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("row %d of the projection holds %v", i, v)
			}
		}
	}
	return nil
}

// Apply returns Pᵀ(x − m·1ᵀ), p×n, of the columns of x, d×n. A column of zeros
// stays zero.
func (f *Fitted) Apply(x *mat.Dense) *mat.Dense {
	d, p := f.P.Dims()
	_, n := x.Dims()
	out := mat.NewDense(p, n, nil)
	seen := make([]float64, n)
	lin.SquaredColumnNorms(seen, x)
	const columns = 1024 // that are centred at a time
	for lo := 0; lo < n; lo += columns {
		hi := min(n, lo+columns)
		centred := mat.NewDense(d, hi-lo, nil)
		centre(centred, lin.Cols(x, lo, hi), f.M)
		lin.AtB(lin.Cols(out, lo, hi), 1, f.P, centred)
	}
	for i := range p {
		row := out.RawRowView(i)
		for j := range row {
			if seen[j] == 0 {
				row[j] = 0
			}
		}
	}
	return out
}

// centre writes x − m·1ᵀ.
func centre(dst, x *mat.Dense, m []float64) {
	parallel.For(len(m), 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to := dst.RawRowView(i)
			for j, v := range x.RawRowView(i) {
				to[j] = v - m[i]
			}
		}
	})
}

// centred returns X̄ and m.
func centred(x *mat.Dense) (*mat.Dense, []float64) {
	d, n := x.Dims()
	m := make([]float64, d)
	for i := range d {
		var sum float64
		for _, v := range x.RawRowView(i) {
			sum += v
		}
		m[i] = sum / float64(n)
	}
	c := mat.NewDense(d, n, nil)
	centre(c, x, m)
	return c, m
}

// eigen returns the eigenvalues of the symmetric a in falling order, and the
// eigenvectors in the columns of a matrix in the same order. The sign of each is
// such that its element of the largest magnitude is positive.
func eigen(a *mat.Dense) ([]float64, *mat.Dense, error) {
	n, _ := a.Dims()
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(n, slices.Clone(a.RawMatrix().Data)), true) {
		return nil, nil, errors.New("its eigenvalues cannot be computed")
	}
	values := e.Values(nil)
	slices.Reverse(values)
	var rising mat.Dense
	e.VectorsTo(&rising)
	vectors := mat.NewDense(n, n, nil)
	for j := range n {
		v := mat.Col(nil, n-1-j, &rising)
		largest := slices.MaxFunc(v, func(a, b float64) int { return cmpAbs(a, b) })
		if largest < 0 {
			for i := range v {
				v[i] = -v[i]
			}
		}
		vectors.SetCol(j, v)
	}
	return values, vectors, nil
}

func cmpAbs(a, b float64) int {
	switch a, b = math.Abs(a), math.Abs(b); {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
