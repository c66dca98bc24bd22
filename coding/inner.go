package coding

import (
	"context"
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
