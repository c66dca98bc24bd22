package coding

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// Ridge codes under an ℓ2 penalty:
//
//	min_s ‖y − D·s‖² + λ‖s‖²,   s = (DᵀD + λI)⁻¹Dᵀy   [crc, (6)]
//
// Where a pivot of DᵀD + λI is less than 1e-10 of its diagonal element, the
// matrix counts as singular, and the first of 1e-10, 1e-8, … times its mean
// diagonal that makes it positive definite is added. So λ = 0 is allowed; but
// with equal atoms a positive λ too, if it is below 1e-10 of the diagonal
// (λ = 1e-12 with atoms of norm 1), gets that larger ridge.
type Ridge struct {
	Lambda float64 `json:"lambda" help:"λ ≥ 0, weight of ‖s‖²"`
}

// DefaultRidge has the weight that CRC's authors use for 700 samples.
var DefaultRidge = Ridge{Lambda: 1e-3}

func (Ridge) Name() string { return "ridge" }

func (r Ridge) Validate() error {
	return weight(r, "lambda", r.Lambda)
}

func (r Ridge) Over(b Basis) (Coding, error) {
	d := b.D
	if err := ready(r, d); err != nil {
		return nil, err
	}
	_, k := d.Dims()
	g := mat.NewDense(k, k, nil)
	b.gram(g, d)             // DᵀD
	lin.AddDiag(g, r.Lambda) // DᵀD + λI
	return solvedBy(r, d, g)
}

// normalEquations codes by s = A⁻¹Dᵀy.
type normalEquations struct {
	d     *mat.Dense // D, d×K
	gram  lin.SPD    // A, such as DᵀD + λI
	coder string     // its name, for errors
}

// solvedBy returns the Coding of c over the dictionary d that solves A s = Dᵀy. Of a, the
// matrix A, only the upper triangle is read.
func solvedBy(c Coder, d, a *mat.Dense) (Coding, error) {
	n := &normalEquations{d: d, coder: c.Name()}
	if _, err := n.gram.FactorOrRidge(a); err != nil {
		return nil, fmt.Errorf("factor the matrix of the %s coder: %w", c.Name(), err)
	}
	return n, nil
}

func (c *normalEquations) Code(ctx context.Context, s, y *mat.Dense) error {
	d, k := c.d.Dims()
	mustFit(s, y, d, k)
	_, n := y.Dims()
	for lo := 0; lo < n; lo += chunk {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		hi := min(n, lo+chunk)
		part := lin.Cols(s, lo, hi)
		lin.AtB(part, 1, c.d, lin.Cols(y, lo, hi)) // Dᵀy
		c.gram.Solve(part)                         // A⁻¹Dᵀy
	}
	return lin.Finite("the "+c.coder+" code of column", s)
}
