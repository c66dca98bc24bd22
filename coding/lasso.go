package coding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/lin"
)

// Lasso codes under an ℓ1 penalty [src], with s ≥ 0 where Positive is set:
//
//	min_s ½‖y − D·s‖² + λ‖s‖₁
//
// Where λ ≥ ‖Dᵀy‖∞ the code is 0. Else an active set method, which solves for the
// code on its support, goes on until the duality gap is small enough, in units
// of ‖y‖², so of 1 for samples of norm 1. With r = y − D·s, of the code that is
// returned, and the dual point α·r,
//
//	α = min(1, λ/‖Dᵀr‖∞)   (with Positive, λ/max_k (Dᵀr)_k)
//	½‖r‖² + λ‖s‖₁ − (½‖y‖² − ½‖y − αr‖²) ≤ Gap·‖y‖²
//
// and Code returns an error where that is not reached: with a gap that rounding
// errors of Dᵀr hide beside λ, which is to say one below some
// 1e-14·‖d‖(‖y‖ + Σ_k ‖d_k‖|s_k|)/λ for the longest atom d. Where the code is not unique, as with dependent atoms, it
// is one of the optimal ones. The work on a column is bounded.
type Lasso struct {
	Lambda   float64 `json:"lambda" help:"λ > 0, weight of ‖s‖₁"`
	Gap      float64 `json:"gap" help:"duality gap > 0 that a code may have, in units of ‖y‖²"`
	Positive bool    `json:"positive" help:"ask for s ≥ 0"`
}

// DefaultLasso penalises faces of norm 1 lightly: their codes have a few dozen
// atoms.
var DefaultLasso = Lasso{Lambda: 1e-2, Gap: 1e-6}

func (Lasso) Name() string { return "lasso" }

// Validate implements Coder. λ = 0 has a coder of its own, Ridge, and no
// multiple of r that is a dual point.
func (c Lasso) Validate() error {
	return cmp.Or(positive(c, "lambda", c.Lambda), positive(c, "gap", c.Gap))
}

func (c Lasso) Over(b Basis) (Coding, error) {
	d := b.D
	if err := ready(c, d); err != nil {
		return nil, err
	}
	return &lasso{exact: newExact(b, term{λ: c.Lambda, signed: !c.Positive, gap: c.Gap}), atoms: d}, nil
}

// lasso is exact with a certificate for every code.
type lasso struct {
	*exact
	atoms *mat.Dense // D, d×K
	pool  sync.Pool  // of *residuals
}

// residuals have a row for every column of y.
type residuals struct {
	r *mat.Dense // y − Ds, chunk×d
	c *mat.Dense // Dᵀr, chunk×K
}

func (l *lasso) Code(ctx context.Context, s, y *mat.Dense) error {
	return l.code(ctx, s, y, "lasso code", l.solve)
}

// solve writes the code of every column of y into the row of its number, and
// returns the first column that failed, or whose gap is too large.
func (l *lasso) solve(ctx context.Context, rows, y *mat.Dense) (failed int, err error) {
	if failed, err = l.exact.solve(ctx, rows, y); err != nil || ctx.Err() != nil {
		return failed, err
	}
	d, n := y.Dims()
	_, k := rows.Dims()
	room, ok := l.pool.Get().(*residuals)
	if !ok || room.r.RawMatrix().Rows < n {
		room = &residuals{mat.NewDense(n, d, nil), mat.NewDense(n, k, nil)}
	}
	defer l.pool.Put(room)
	r, c := lin.Block(room.r, 0, n, 0, d), lin.Block(room.c, 0, n, 0, k)
	lin.Transpose(r, y)
	lin.AddABt(r, -1, rows, l.atoms) // (y − Ds)ᵀ
	lin.AB(c, 1, r, l.atoms)         // (Dᵀr)ᵀ
	return l.eachColumn(ctx, y, func(p *pivoting, j int) error {
		s, norm := rows.RawRowView(j), columnNorm(y, j)
		if l.dualityGap(s, r.RawRowView(j), c.RawRowView(j), norm) <= l.gap {
			return nil
		}
		return l.again(ctx, p, s, r.RawRowView(j), c.RawRowView(j), y, j)
	})
}

func columnNorm(a *mat.Dense, j int) float64 {
	m := a.RawMatrix()
	return blas64.Nrm2(blas64.Vector{N: m.Rows, Inc: m.Stride, Data: m.Data[j:]})
}

// maxSweeps bounds the coordinate descent on a code that needs it.
const maxSweeps = 1000

// again codes y_j into s by the fall-backs, which see the atoms themselves, and
// where atoms are so alike that these end early, by coordinate descent from
// there; r and c are scratch.
func (l *lasso) again(ctx context.Context, p *pivoting, s, r, c []float64, y *mat.Dense, j int) error {
	mat.Col(r, j, y)
	blas64.Gemv(blas.Trans, 1, l.d.RawMatrix(), vector(r), 0, vector(s)) // D̂ᵀy
	if err := l.column(ctx, p, s, nil, y, j, false); err != nil {
		return err
	}
	var gap float64
	for range maxSweeps {
		mat.Col(r, j, y)
		blas64.Gemv(blas.NoTrans, -1, l.atoms.RawMatrix(), vector(s), 1, vector(r)) // y − Ds
		blas64.Gemv(blas.Trans, 1, l.atoms.RawMatrix(), vector(r), 0, vector(c))    // Dᵀr
		if gap = l.dualityGap(s, r, c, columnNorm(y, j)); gap <= l.gap {
			return nil
		}
		p.budget -= 5 * float64(len(r)) * float64(len(s)) // the two products and three of a sweep
		if ctx.Err() != nil || p.budget < 0 {
			break
		}
		l.sweep(s, r)
	}
	return advice.Add(fmt.Errorf("its duality gap is %.3g of ‖y‖², %.3g is allowed", gap, l.gap),
		"allow a larger gap, or choose a larger lambda")
}

// sweep minimises over one coefficient after the other, with r = y − Ds:
//
//	s_k = soft(d_kᵀr + ‖d_k‖²s_k, λ)/‖d_k‖²
func (l *lasso) sweep(s, r []float64) {
	a := l.atoms.RawMatrix()
	for k, v := range s {
		atom := blas64.Vector{N: a.Rows, Inc: a.Stride, Data: a.Data[k:]}
		norm := blas64.Dot(atom, atom)
		if !(norm > 0) || math.IsInf(norm, 1) {
			continue
		}
		f := blas64.Dot(atom, vector(r)) + norm*v
		s[k] = max(0, f-l.λ) / norm
		if l.signed && f < 0 {
			s[k] = -max(0, -f-l.λ) / norm
		}
		blas64.Axpy(v-s[k], atom, vector(r))
	}
}

// dualityGap returns the gap of the code s with r = y − Ds and c = Dᵀr, as a
// part of ‖y‖² = norm²:
//
//	½(1 − α)²‖r‖² + Σ_k (λ|s_k| − α·s_k·c_k)
//
// which is what Lasso states, by y = Ds + r, as a sum of terms ≥ 0: none cancels
// another.
func (l *lasso) dualityGap(s, r, c []float64, norm float64) float64 {
	if norm == 0 {
		return 0 // s = 0
	}
	var largest float64
	for _, v := range c {
		if l.signed {
			v = math.Abs(v)
		}
		largest = max(largest, v)
	}
	α := 1.0
	if largest > l.λ {
		α = l.λ / largest
	}
	rest := (1 - α) * blas64.Nrm2(vector(r)) / norm
	gap := rest * rest / 2
	for k, v := range s {
		if v != 0 {
			gap += math.Abs(v) / norm * ((l.λ - α*math.Copysign(1, v)*c[k]) / norm)
		}
	}
	return gap
}

// tighten lowers the violation that lim allows to what leaves the gap of a code
// like that of p small enough. With violations up to ε, 1 − α ≤ ε/λ and no term
// of the sum is above 2ε|s_k|.
func (e *exact) tighten(p *pivoting, y []float64, exp int, lim *limits) {
	var sum float64
	for i, k := range p.lastPassive {
		sum += math.Abs(p.lastS[i]) / e.scale[k]
	}
	norm := blas64.Nrm2(vector(y))
	lim.bound = min(lim.bound, e.gap/8*norm*(norm/sum), math.Ldexp(e.λ, -exp)*math.Sqrt(e.gap)/4)
}

// Anchored codes under an ℓ1 penalty, with the coefficients s₀ of the atoms that are
// common to all classes near to their means m₀ [lrsdl, (29)]:
//
//	min_s ½‖y − D·s‖² + λ‖s‖₁ + ½μ‖s₀ − m₀‖²
//
// which is Lasso over the atoms with √μ·I below the common ones, for y with √μ·m₀
// below it. The code of a zero sample is zero.
type Anchored struct {
	Lambda float64    `json:"lambda" help:"λ > 0, weight of ‖s‖₁"`
	Mu     float64    `json:"mu" help:"μ ≥ 0, weight of the distance from the means"`
	Gap    float64    `json:"gap" help:"duality gap > 0 that a code may have, as in the coder lasso"`
	Mean   *mat.Dense `json:"-"` // 1×K, m₀ after zeros for the atoms of classes
}

func (c Anchored) lasso() Lasso                  { return Lasso{Lambda: c.Lambda, Gap: c.Gap} }
func (Anchored) Name() string                    { return "anchored" }
func (c Anchored) Learned() (string, *mat.Dense) { return "c", c.Mean }

func (c Anchored) Validate() error {
	if c.Mean == nil {
		return errors.New("the anchored coder has no means")
	}
	return cmp.Or(weight(c, "mu", c.Mu), c.lasso().Validate())
}

// Work implements Coder. All atoms may be common; there is a mean for each.
func (c Anchored) Work(d, k int) Work {
	w := c.lasso().Work(d+k, k)
	if m, n := c.Mean.Dims(); m != 1 || n != k {
		w.Err = fmt.Errorf("the mean code is %d×%d for %d atoms", m, n, k)
	}
	return w
}

func (c Anchored) With(m *mat.Dense) TrainedCoder {
	c.Mean = m
	return c
}

// Over implements Coder. Without groups no atom is common.
func (c Anchored) Over(b Basis) (Coding, error) {
	d, groups := b.D, b.Groups
	if err := ready(c, d); err != nil {
		return nil, err
	}
	if err := lin.Finite("the mean code of atom", c.Mean); err != nil {
		return nil, err
	}
	m, k := d.Dims()
	first := k
	if len(groups) > 0 {
		first = groups[len(groups)-1]
	}
	below, root := k-first, math.Sqrt(c.Mu)
	tall := mat.NewDense(m+below, k, nil)
	lin.Set(lin.Block(tall, 0, m, 0, k), 1, d)
	a := &anchored{tail: make([]float64, below), d: m, k: k}
	for i := range below {
		tall.Set(m+i, first+i, root)
		a.tail[i] = root * c.Mean.At(0, first+i)
	}
	var err error
	a.lasso, err = c.lasso().Over(Basis{D: tall})
	return a, err
}

type anchored struct {
	lasso Coding    // over the tall atoms
	tail  []float64 // √μ·m₀
	d, k  int
}

func (a *anchored) Code(ctx context.Context, s, y *mat.Dense) error {
	if err := sized(s, y, a.d, a.k); err != nil {
		return err
	}
	d, n := y.Dims()
	tall := mat.NewDense(d+len(a.tail), n, nil)
	lin.Set(lin.Block(tall, 0, d, 0, n), 1, y)
	norms := make([]float64, n)
	lin.SquaredColumnNorms(norms, y)
	for i, v := range a.tail {
		row := tall.RawRowView(d + i)
		for j, norm := range norms {
			if norm != 0 {
				row[j] = v
			}
		}
	}
	return a.lasso.Code(ctx, s, tall)
}
