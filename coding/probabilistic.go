package coding

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// Probabilistic codes so that the part of each class comes near to what all
// classes rebuild together [procrc, (9)]: with s_i the coefficients of class i
// of C,
//
//	min_s ‖y − D·s‖² + λ‖s‖² + (γ/C)·Σ_i ‖D·s − D_i·s_i‖²
//	s = [(1 + γ(C−2)/C)·DᵀD + (γ/C)·blockdiag(D_iᵀD_i) + λI]⁻¹Dᵀy
//
// since, with u_i = D_i·s_i and u = Σ_i u_i, the sum is
// C‖u‖² − 2uᵀΣ_i u_i + Σ_i ‖u_i‖² = (C−2)‖u‖² + Σ_i ‖u_i‖².
//
// A singular matrix gets a ridge as in Ridge.
type Probabilistic struct {
	Lambda float64 `json:"lambda" help:"λ ≥ 0, weight of ‖s‖²" eq:"[procrc]"`
	Gamma  float64 `json:"gamma" help:"γ ≥ 0, weight of the distance of each class from what all rebuild" eq:"[procrc]"`
}

// DefaultProbabilistic has weights that suit faces of norm 1 and few images a
// person.
var DefaultProbabilistic = Probabilistic{Lambda: 0.01, Gamma: 0.1}

func (Probabilistic) Name() string       { return "probabilistic" }
func (Probabilistic) Work(d, k int) Work { return normalWork(d, k) }

func (c Probabilistic) Validate() error {
	if err := weight(c, "lambda", c.Lambda); err != nil {
		return err
	}
	return weight(c, "gamma", c.Gamma)
}

// Over implements Coder. It needs groups.
func (c Probabilistic) Over(b Basis) (Coding, error) {
	d := b.D
	if err := ready(c, d); err != nil {
		return nil, err
	}
	_, k := d.Dims()
	if err := grouped(b.Groups, k); err != nil {
		return nil, fmt.Errorf("prepare the probabilistic coder: %w", err)
	}
	groups := b.Groups
	classes := float64(len(groups) - 1)
	g, own := mat.NewDense(k, k, nil), mat.NewDense(k, k, nil)
	b.gram(own, d)                                 // DᵀD
	lin.Set(g, 1+c.Gamma*(classes-2)/classes, own) // (1 + γ(C−2)/C)DᵀD
	for i, lo := range groups[:len(groups)-1] {
		hi := groups[i+1]
		lin.Add(lin.Block(g, lo, hi, lo, hi), c.Gamma/classes, lin.Block(own, lo, hi, lo, hi)) // + (γ/C)blockdiag(D_iᵀD_i)
	}
	lin.AddDiag(g, c.Lambda) // + λI
	return solvedBy(c, d, g)
}
