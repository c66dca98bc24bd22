package coding

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

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
