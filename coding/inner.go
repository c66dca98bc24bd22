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
	d := b.D
	m, k := d.Dims()
	if err := Check(c, m, k); err != nil {
		return nil, err
	}
	if err := lin.Finite("atom", d); err != nil {
		return nil, fmt.Errorf("prepare the inner products: %w", err)
	}
	return inner{d}, nil
}

type inner struct{ d *mat.Dense }

func (c inner) Code(ctx context.Context, s, y *mat.Dense) error {
	d, k := c.d.Dims()
	mustFit(s, y, d, k)
	_, n := y.Dims()
	for lo := 0; lo < n; lo += chunk {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		hi := min(n, lo+chunk)
		lin.AtB(lin.Cols(s, lo, hi), 1, c.d, lin.Cols(y, lo, hi)) // Dᵀy
	}
	return lin.Finite("the inner products of column", s)
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
