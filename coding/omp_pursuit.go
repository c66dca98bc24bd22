package coding

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// What counts as rounding, for atoms and samples of norm 1. OMP's comment states
// them, and dependent, the squared sine of an atom's angle to the support.
const (
	exhausted    = 1e-10 // ‖r‖
	uncorrelated = 1e-12 // |d_kᵀr|

	// doubtful is the ‖r‖² from which the recursion ‖r‖² ← ‖r‖² − z²/δ, whose
	// error is some 1e-16·‖y‖², is no longer believed.
	doubtful = 1e-10
)

// A pursuit is the state of Batch-OMP [bomp] for one column: it knows y and
// the atoms by their inner products alone. With I the support, in order, it
// holds the factors of the Gram matrix of the support and of the support with
// all atoms,
//
//	G_II = LΔLᵀ,   G_I = L·U
//
// whose next rows follow from those before. Where [bomp] solves the least
// squares in every step and multiplies the coefficients by G_I, the row u of
// U subtracts the step from the correlations, and the coefficients are solved
// for once, at the end; the arithmetic is that of the Cholesky factorization.
type pursuit struct {
	*ompCoding
	u     *mat.Dense // U, T₀×K
	l     *mat.Dense // L, T₀×T₀, unit lower triangle; the rest has no meaning
	δ     []float64  // diagonal of Δ, len T₀
	w     []float64  // w = Δ⁻¹L⁻¹f_I, len T₀
	c     []float64  // coefficients of the support
	atoms []int32    // the support I
	r     []float64  // r, len d; made when it is needed
}

func newPursuit(c *ompCoding) *pursuit {
	_, k := c.d.Dims()
	t := c.Sparsity
	return &pursuit{
		ompCoding: c, u: mat.NewDense(t, k, nil), l: mat.NewDense(t, t, nil),
		δ: make([]float64, t), w: make([]float64, t), c: make([]float64, t), atoms: make([]int32, 0, t),
	}
}

// measure finds the scale and the energy of the columns lo ≤ j < hi of y.
func (w *ompRows) measure(y *mat.Dense, lo, hi int) {
	lin.SquaredColumnNorms(w.energy[lo:hi], lin.Cols(y, lo, hi))
	for j := lo; j < hi; j++ {
		w.exp[j] = 0
		if squarable(w.energy[j]) {
			continue
		}
		col := mat.Col(nil, j, y)
		var largest float64
		for _, v := range col {
			largest = max(largest, math.Abs(v)) // max keeps NaN
		}
		_, e := math.Frexp(largest)
		w.exp[j] = max(e, -1000)
		blas64.Scal(math.Ldexp(1, -w.exp[j]), vector(col))
		w.energy[j] = blas64.Dot(vector(col), vector(col))
	}
}

// column writes the code of column j of y, whose energy is ‖y_j/2^exp‖², into
// code. It overwrites f = D̂ᵀy.
func (p *pursuit) column(ctx context.Context, code *sparseRow, f []float64, y *mat.Dense, j, exp int, energy float64) error {
	if !finite(f) || math.IsNaN(energy) || math.IsInf(energy, 0) {
		return errors.New("its products with the atoms are not finite")
	}
	unit := math.Ldexp(1, -exp)
	for k, v := range f {
		f[k] = v * unit * p.inv[k]
	}
	p.pursue(ctx, f, energy, unit*p.Error, func() float64 { return p.residual(y, j, unit) })
	code.atoms, code.coef = append(code.atoms[:0], p.atoms...), code.coef[:0]
	for i, k := range p.atoms {
		code.coef = append(code.coef, math.Ldexp(p.c[i]*p.inv[k], exp-p.ompCoding.exp[k]))
	}
	if !finite(code.coef) {
		return errors.New("an atom is too small to code with")
	}
	return nil
}

// pursue finds support and coefficients from α = Dᵀy, which it turns into
// Dᵀr, and energy = ‖y‖²; residual computes ‖r‖² from the coefficients. Once ctx
// is done it stops at the next atom.
func (p *pursuit) pursue(ctx context.Context, α []float64, energy, ε float64, residual func() float64) {
	p.atoms = p.atoms[:0]
	enough := max(ε*ε, exhausted*exhausted*energy)
	floor := uncorrelated * math.Sqrt(energy)
	for rest := energy; rest > enough && len(p.atoms) < p.Sparsity && ctx.Err() == nil; {
		k := blas64.Iamax(vector(α)) // the first of equals
		if !(math.Abs(α[k]) > floor) || !p.extend(k) {
			break
		}
		i := len(p.atoms) - 1
		p.w[i] = α[k] / p.δ[i]
		rest -= p.w[i] * α[k]    // ‖r‖² − (d_kᵀr)²/δ
		p.subtract(α, p.w[i], i) // Dᵀr − w·u
		if rest <= enough+doubtful*energy {
			p.coefficients()
			rest = residual()
		}
	}
	p.coefficients()
}

// extend adds atom k to the support and to the factors; false if it depends
// on the support.
func (p *pursuit) extend(k int) bool {
	n := len(p.atoms)
	l, u, δ := p.l.RawRowView(n), p.u.RawRowView(n), 1.0
	for i := range n {
		v := p.u.At(i, k)
		l[i] = v / p.δ[i]
		δ -= l[i] * v // δ_n = G_kk − Σ l_i²δ_i
	}
	if !(δ > dependent) {
		return false
	}
	copy(u, p.gram.RawRowView(k))
	if n > 0 {
		above, size := p.u.RawMatrix(), len(u)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, // u_n = g_k − Σ l_i·u_i
			blas64.General{Rows: 1, Cols: n, Stride: n, Data: l},
			blas64.General{Rows: n, Cols: size, Stride: size, Data: above.Data}, 1,
			blas64.General{Rows: 1, Cols: size, Stride: size, Data: u})
	}
	p.δ[n] = δ
	p.atoms = append(p.atoms, int32(k))
	return true
}

// subtract sets α −= w·u_i. What is left of the correlations with the support
// is rounding: they are set to 0, so that no atom is added twice.
func (p *pursuit) subtract(α []float64, w float64, i int) {
	blas64.Axpy(-w, vector(p.u.RawRowView(i)), vector(α))
	for _, k := range p.atoms {
		α[k] = 0
	}
}

// coefficients solves Lᵀc = w.
func (p *pursuit) coefficients() {
	n := len(p.atoms)
	p.c = append(p.c[:0], p.w[:n]...)
	for i := n - 1; i > 0; i-- {
		for j, v := range p.l.RawRowView(i)[:i] {
			p.c[j] -= v * p.c[i]
		}
	}
}

// residual returns ‖y_j − D·c‖² for y_j and atoms as they are scaled.
func (p *pursuit) residual(y *mat.Dense, j int, unit float64) float64 {
	p.r = mat.Col(p.r, j, y)
	r := vector(p.r)
	blas64.Scal(unit, r)
	atoms := p.ompCoding.atoms()
	for i, k := range p.atoms {
		blas64.Axpy(-p.c[i]*p.inv[k], vector(atoms.RawRowView(int(k))), r)
	}
	return blas64.Dot(r, r)
}
