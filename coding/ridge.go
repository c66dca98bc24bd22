package coding

import (
	"cmp"
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
	return inChunks(ctx, s, y, d, k, chunk, "the "+c.coder+" code of column", func(s, y *mat.Dense) error {
		lin.AtB(s, 1, c.d, y) // Dᵀy
		c.gram.Solve(s)       // A⁻¹Dᵀy
		return nil
	})
}

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
	if err := readyByClass(c, b); err != nil {
		return nil, err
	}
	d := b.D
	_, k := d.Dims()
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
	return cmp.Or(weight(c, "lambda", c.Lambda), weight(c, "gamma", c.Gamma))
}

// Over implements Coder. It needs groups.
func (c Probabilistic) Over(b Basis) (Coding, error) {
	if err := readyByClass(c, b); err != nil {
		return nil, err
	}
	d := b.D
	_, k := d.Dims()
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
