package projection

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/lin"
)

// PCA keeps the directions in which the samples vary most: P has the
// eigenvectors of X̄X̄ᵀ with the largest eigenvalues.
type PCA struct {
	Dims int `json:"dims" help:"dimensions kept; 0 keeps all in which the training samples vary"`
}

// DefaultPCA suits a few hundred training samples.
var DefaultPCA = PCA{Dims: 100}

// Name implements Projection.
func (PCA) Name() string { return "pca" }

// Validate implements Projection.
func (p PCA) Validate() error {
	if p.Dims < 0 {
		return advice.Add(fmt.Errorf("dims = %d of pca is negative", p.Dims), "the nearest is dims=0, all in which the training samples vary")
	}
	return nil
}

// flat is the share of the largest eigenvalue below which there is no variation.
const flat = 1e-12

// Fit implements Projection. If d ≤ N it computes the eigenvectors of X̄X̄ᵀ, d×d;
// otherwise those of X̄ᵀX̄, N×N, which it multiplies by X̄.
func (p PCA) Fit(ctx context.Context, x *mat.Dense, _ []int) (*Fitted, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	c, m := centred(x)
	d, n := x.Dims()
	scatter := mat.NewDense(min(d, n), min(d, n), nil)
	if d <= n {
		lin.AAt(scatter, 1, c) // X̄X̄ᵀ
	} else {
		lin.AtA(scatter, 1, c) // X̄ᵀX̄
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	values, vectors, err := eigen(scatter)
	if err != nil {
		return nil, fmt.Errorf("fit pca: %w", err)
	}
	if !(values[0] > 0) {
		return nil, errors.New("fit pca: the training samples are all alike")
	}
	kept := 0
	for kept < len(values) && values[kept] > flat*values[0] && (p.Dims == 0 || kept < p.Dims) {
		kept++
	}
	if p.Dims > kept {
		err := fmt.Errorf("fit pca: dims = %d, and the %d training samples vary in %d dimensions", p.Dims, n, kept)
		return nil, advice.Add(err, "the most are dims=%d", kept)
	}
	v := mat.DenseCopyOf(lin.Cols(vectors, 0, kept))
	if d <= n {
		return &Fitted{v, m}, nil
	}
	f := &Fitted{mat.NewDense(d, kept, nil), m}
	lin.AB(f.P, 1, c, v)
	normalise(f.P)
	return f, nil
}

// normalise brings the columns of p to unit norm.
func normalise(p *mat.Dense) {
	d, k := p.Dims()
	norm := make([]float64, k)
	lin.SquaredColumnNorms(norm, p)
	scale(p, d, norm)
}
