package coding

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// Inner codes by the inner products with the atoms, s = Dᵀy: at unit norm, the
// cosines.
type Inner struct{}

func (Inner) Name() string       { return "inner" }
func (Inner) Validate() error    { return nil }
func (Inner) Work(d, k int) Work { return Work{Sample: float64(d)*float64(k) + 1} }

func (c Inner) Over(b Basis) (Coding, error) {
	if err := ready(c, b.D); err != nil {
		return nil, err
	}
	return inner{b.D}, nil
}

type inner struct{ d *mat.Dense }

func (c inner) Code(ctx context.Context, s, y *mat.Dense) error {
	d, k := c.d.Dims()
	return inChunks(ctx, s, y, d, k, chunk, "the inner products of column", func(s, y *mat.Dense) error {
		lin.AtB(s, 1, c.d, y) // Dᵀy
		return nil
	})
}

// Analysis codes by a learned matrix, s = Pᵀy [dpl]: that of a dictionary pair,
// whose other half, D, rebuilds the sample from the code.
type Analysis struct {
	P *mat.Dense `json:"-"` // d×K, an analysis atom per column
}

func (Analysis) Name() string                    { return "analysis" }
func (c Analysis) Learned() (string, *mat.Dense) { return "A", c.P }

func (c Analysis) Validate() error {
	if c.P == nil {
		return errors.New("the analysis coder has no matrix")
	}
	return nil
}

// Work implements Coder. The matrix has the size of the dictionary.
func (c Analysis) Work(d, k int) Work {
	w := Inner{}.Work(d, k)
	if m, n := c.P.Dims(); m != d || n != k {
		w.Err = fmt.Errorf("the analysis atoms are %d×%d for %d atoms of %d features", m, n, k, d)
	}
	return w
}

func (c Analysis) Over(b Basis) (Coding, error) {
	if err := ready(c, b.D); err != nil {
		return nil, err
	}
	return Inner{}.Over(Basis{D: c.P})
}

func (Analysis) With(m *mat.Dense) TrainedCoder { return Analysis{m} }

// Affine codes by an affine function, s = Fᵀ[y; 1]: a linear classifier with an
// intercept has it with an atom for each class.
type Affine struct {
	F *mat.Dense `json:"-"` // (d+1)×K, the intercepts in its last row
}

func (Affine) Name() string                    { return "affine" }
func (c Affine) Learned() (string, *mat.Dense) { return "F", c.F }
func (Affine) With(m *mat.Dense) TrainedCoder  { return Affine{m} }

func (c Affine) Validate() error {
	if c.F == nil {
		return errors.New("the affine coder has no matrix")
	}
	return nil
}

func (c Affine) Work(d, k int) Work {
	w := Inner{}.Work(d, k)
	if m, n := c.F.Dims(); m != d+1 || n != k {
		w.Err = fmt.Errorf("the affine functions are %d×%d for %d atoms of %d features", m, n, k, d)
	}
	return w
}

func (c Affine) Over(b Basis) (Coding, error) {
	if err := ready(c, b.D); err != nil {
		return nil, err
	}
	if err := lin.Finite("affine function", c.F); err != nil {
		return nil, fmt.Errorf("prepare the affine coder: %w", err)
	}
	d, k := b.D.Dims()
	return affine{inner{lin.Block(c.F, 0, d, 0, k)}, c.F.RawRowView(d)}, nil
}

type affine struct {
	inner
	intercepts []float64 // len K
}

func (c affine) Code(ctx context.Context, s, y *mat.Dense) error {
	if err := c.inner.Code(ctx, s, y); err != nil {
		return err
	}
	_, n := y.Dims()
	norms := make([]float64, n)
	lin.SquaredColumnNorms(norms, y)
	for k, v := range c.intercepts {
		row := s.RawRowView(k)
		for j, norm := range norms {
			if norm > 0 {
				row[j] += v // Fᵀ[y; 1]
			}
		}
	}
	return nil
}
