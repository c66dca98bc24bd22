package coding

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// Discriminative codes so that what the classes rebuild is little correlated
// [dsrc]: with s_i the coefficients of class i of C,
//
//	min_s ‖y − D·s‖² + τ·Σ_i Σ_j ‖D_i·s_i + D_j·s_j‖²
//	s = [(1+2τ)DᵀD + 2τC·blockdiag(D_iᵀD_i)]⁻¹Dᵀy
//
// since, with u_i = D_i·s_i, the double sum is 2C·Σ_i ‖u_i‖² + 2‖Σ_i u_i‖² and
// the second term of it 2‖D·s‖²; half the gradient in s is
// DᵀDs − Dᵀy + 2τC·blockdiag(D_iᵀD_i)s + 2τDᵀDs.
//
// The matrix is singular where the atoms of a class are dependent or, for τ = 0,
// any atoms; or where a pivot is less than 1e-10 of its diagonal element. It then
// gets a ridge as in Ridge, which gives about the shortest of the optimal codes.
// For τ > 0 all of them rebuild the same D_i·s_i, so no residual depends on it.
type Discriminative struct {
	Tau float64 `json:"tau" help:"τ ≥ 0, weight of the correlation between the classes" eq:"[dsrc]"`
}

// DefaultDiscriminative has the weight of the best mean rate, among 1e-4 to 1,
// in validation within the training images of the paper's five databases.
var DefaultDiscriminative = Discriminative{Tau: 3e-4}

func (Discriminative) Name() string { return "discriminative" }

func (c Discriminative) Validate() error {
	return weight(c, "tau", c.Tau)
}

// Over implements Coder. It needs groups.
func (c Discriminative) Over(b Basis) (Coding, error) {
	d := b.D
	if err := ready(c, d); err != nil {
		return nil, err
	}
	_, k := d.Dims()
	if err := grouped(b.Groups, k); err != nil {
		return nil, fmt.Errorf("prepare the discriminative coder: %w", err)
	}
	groups, g := b.Groups, mat.NewDense(k, k, nil)
	b.gram(g, d)             // DᵀD
	lin.Set(g, 1+2*c.Tau, g) // (1+2τ)DᵀD
	classes := len(groups) - 1
	for i := range classes {
		lo, hi := groups[i], groups[i+1]
		lin.AddAtA(lin.Block(g, lo, hi, lo, hi), 2*c.Tau*float64(classes), lin.Cols(d, lo, hi)) // (1+2τ)DᵀD + 2τC·blockdiag(D_iᵀD_i)
	}
	return solvedBy(c, d, g)
}
