package coding

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl/internal/lin"
)

// Ridge codes under an ℓ2 penalty:
//
//	min_s ‖y − D·s‖² + λ‖s‖²,   s = (DᵀD + λI)⁻¹Dᵀy   [crc, (6)]
//
// Where DᵀD + λI is singular, which it can be for λ = 0 only, the smallest
// ridge of 1e-14, 1e-12, … times its mean diagonal that makes it positive
// definite is added.
type Ridge struct {
	Lambda float64 `json:"lambda" help:"λ ≥ 0, weight of ‖s‖²"`
}

// DefaultRidge has the weight that CRC's authors use for 700 samples.
var DefaultRidge = Ridge{Lambda: 1e-3}

// Name implements Coder.
func (Ridge) Name() string { return "ridge" }

// Validate implements Coder.
func (r Ridge) Validate() error {
	if !(r.Lambda >= 0) || math.IsInf(r.Lambda, 1) {
		return fmt.Errorf("lambda = %v of the ridge coder is not a weight ≥ 0", r.Lambda)
	}
	return nil
}

// Over implements Coder.
func (r Ridge) Over(d *mat.Dense, _ []int) (Coding, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	_, k := d.Dims()
	g := mat.NewDense(k, k, nil)
	lin.AtA(g, 1, d)         // DᵀD
	lin.AddDiag(g, r.Lambda) // DᵀD + λI
	c := &ridgeCoding{d: d}
	if _, err := c.gram.FactorOrRidge(g); err != nil {
		return nil, fmt.Errorf("factor DᵀD + %gI of the ridge coder: %w", r.Lambda, err)
	}
	return c, nil
}

type ridgeCoding struct {
	d    *mat.Dense // D, d×K
	gram lin.SPD    // DᵀD + λI
}

// Code implements Coding.
func (c *ridgeCoding) Code(s, y *mat.Dense) error {
	d, k := c.d.Dims()
	mustFit(s, y, d, k)
	lin.AtB(s, 1, c.d, y) // Dᵀy
	c.gram.Solve(s)       // (DᵀD + λI)⁻¹Dᵀy
	return allFinite("the ridge code of column", s)
}
