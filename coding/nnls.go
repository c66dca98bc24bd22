package coding

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// exact solves
//
//	min_s ½‖y − Ds‖² + λ‖s‖₁ + ½μ‖s‖²
//
// with or without s ≥ 0, to optimality, column by column: by block principal
// pivoting on the Gram matrix; where that does not end or cannot tell the atoms
// apart, by descent from where it got; and where that fails too, as with
// coefficients beyond 1e6, by the active set method of [lh] on the atoms
// themselves. Each has a bound on its work: maxRounds, maxSteps, minWork, and
// all together have work. What is done for a column depends on that column only.
//
// The atoms are scaled by powers of two to a norm near 1, and so is every
// Dᵀy: neither rounds, and no decision depends on the units of D or y. The ℓ2
// term is least squares as well, over [D; √μ·I] for [y; 0]; Î is I in the units
// of the scaled atoms.
type exact struct {
	term
	d        *mat.Dense        // scaled atoms d̂_k = d_k/2^exp_k, d×K; D itself if all exp are 0
	exp      []int             // len K
	scale    []float64         // 2^exp_k, len K
	maxScale float64           // the largest scale
	gram     *mat.Dense        // G = D̂ᵀD̂ + μÎ, K×K
	tall     func() *mat.Dense // [D̂; √μ·Î], (d+K)×K; D̂ if μ = 0
	rows     sync.Pool         // of *mat.Dense, chunk×K
	space    sync.Pool         // of *pivoting
	guess    func() *guess     // nil where it does not pay
	work     float64           // operations that the code of a column may take, as Work counts them
}

// A term is what exact minimises beside ½‖y − Ds‖².
type term struct {
	λ, μ   float64 // weights of ‖s‖₁ and ½‖s‖²
	signed bool    // s ≥ 0 is not asked for; λ > 0 then
	gap    float64 // Gap of Lasso; 0 for NonNegative
}

// tolerance is the ε of NonNegative as a part of max(1, ‖Dᵀy‖∞).
const tolerance = 1e-8

func newExact(b Basis, t term) *exact {
	d := b.D
	m, k := d.Dims()
	e := &exact{
		term: t, exp: exponents(d, math.Sqrt(t.μ)), scale: make([]float64, k), gram: mat.NewDense(k, k, nil),
		work: b.sampleLimit(m, k),
	}
	for j, x := range e.exp {
		e.scale[j] = math.Ldexp(1, x)
		e.maxScale = max(e.maxScale, e.scale[j])
	}
	e.d = scaleColumns(d, e.exp)
	b.gram(e.gram, e.d) // D̂ᵀD̂
	for j := range k {
		v := e.root(j)
		e.gram.Set(j, j, e.gram.At(j, j)+v*v) // D̂ᵀD̂ + μÎ
	}
	lin.Mirror(e.gram)
	e.tall = sync.OnceValue(e.extended)
	e.guess = sync.OnceValue(e.newGuess)
	return e
}

// root is √μ in the units of atom k.
func (e *exact) root(k int) float64 { return math.Ldexp(math.Sqrt(e.μ), -e.exp[k]) }

// extended makes what tall returns: the fall-backs work on the atoms
// themselves, and few columns need them.
func (e *exact) extended() *mat.Dense {
	if e.μ == 0 {
		return e.d
	}
	d, k := e.d.Dims()
	a := mat.NewDense(d+k, k, nil)
	lin.Set(lin.Block(a, 0, d, 0, k), 1, e.d)
	for j := range k {
		a.Set(d+j, j, e.root(j))
	}
	return a
}

// exponents returns, for every column of d with one element more, the e for which its norm
// is in [2^(e−½), 2^(e+½)); 0 for a zero column.
func exponents(d *mat.Dense, more float64) []int {
	m, k := d.Dims()
	exp, largest, norm := make([]int, k), make([]float64, k), make([]float64, k)
	for j := range largest {
		largest[j] = more
	}
	for i := range m {
		for j, v := range d.RawRowView(i) {
			largest[j] = max(largest[j], math.Abs(v))
		}
	}
	for j, v := range largest {
		_, exp[j] = math.Frexp(v)
	}
	for i := range m {
		for j, v := range d.RawRowView(i) {
			v = math.Ldexp(v, -exp[j])
			norm[j] += v * v
		}
	}
	for j, v := range norm {
		extra := math.Ldexp(more, -exp[j])
		if v += extra * extra; v > 0 {
			exp[j] += int(math.Round(math.Log2(v) / 2))
		}
	}
	return exp
}

// scaleColumns returns d with column j divided by 2^exp_j; d if all are 0.
func scaleColumns(d *mat.Dense, exp []int) *mat.Dense {
	same := true
	for _, x := range exp {
		same = same && x == 0
	}
	if same {
		return d
	}
	c := mat.DenseCopyOf(d)
	m, _ := c.Dims()
	for i := range m {
		row := c.RawRowView(i)
		for j, v := range row {
			row[j] = math.Ldexp(v, -exp[j])
		}
	}
	return c
}

// Code implements Coding for NonNegative.
func (e *exact) Code(ctx context.Context, s, y *mat.Dense) error {
	return e.code(ctx, s, y, "non-negative code", e.solve)
}

// code codes chunk by chunk by what solve, as the method of this name, does.
func (e *exact) code(ctx context.Context, s, y *mat.Dense, what string,
	solve func(ctx context.Context, rows, y *mat.Dense) (int, error),
) error {
	d, k := e.d.Dims()
	if err := sized(s, y, d, k); err != nil {
		return err
	}
	_, n := y.Dims()
	rows, ok := e.rows.Get().(*mat.Dense)
	if !ok || rows.RawMatrix().Rows < min(n, chunk) {
		rows = mat.NewDense(min(n, chunk), k, nil)
	}
	defer e.rows.Put(rows)
	for lo := 0; lo < n; lo += chunk {
		hi := min(n, lo+chunk)
		part := lin.Block(rows, 0, hi-lo, 0, k)
		j, err := solve(ctx, part, lin.Cols(y, lo, hi))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s of column %d: %w", what, lo+j, err)
		}
		lin.Transpose(lin.Cols(s, lo, hi), part)
	}
	return nil
}

// solve writes the code of every column of y into the row of its number, and
// returns the first column that failed. Once ctx is done it stops anywhere.
func (e *exact) solve(ctx context.Context, rows, y *mat.Dense) (failed int, err error) {
	lin.AtB(rows, 1, y, e.d) // (D̂ᵀy)ᵀ
	start := e.starts(ctx, rows)
	defer start.free()
	return e.eachColumn(ctx, y, func(p *pivoting, j int) error {
		return e.column(ctx, p, rows.RawRowView(j), start.of(j), y, j, true)
	})
}

// eachColumn calls f for the number of every column of y, and returns the first
// column for which it failed; columns after that may be left out. Once ctx is
// done it stops anywhere.
func (e *exact) eachColumn(ctx context.Context, y *mat.Dense, f func(p *pivoting, j int) error) (failed int, err error) {
	_, n := y.Dims()
	var mu sync.Mutex
	var end atomic.Int64 // the first column that failed
	end.Store(int64(n))
	parallel.For(n, 1, func(j, _ int) {
		if ctx.Err() != nil || int64(j) > end.Load() {
			return
		}
		p, ok := e.space.Get().(*pivoting)
		if !ok {
			p = newPivoting(e.gram)
		}
		defer e.space.Put(p)
		if e := f(p, j); e != nil {
			mu.Lock()
			defer mu.Unlock()
			if err == nil || j < failed {
				failed, err = j, e
				end.Store(int64(j))
			}
		}
	})
	return failed, err
}

// column replaces f = D̂ᵀy_j by the code of y_j, starting from a code like z
// unless that is nil. Unless trust is set, that is the code of a fall-back.
func (e *exact) column(ctx context.Context, p *pivoting, f, z []float64, y *mat.Dense, j int, trust bool) error {
	if !finite(f) {
		return errors.New("its products with the atoms are not finite")
	}
	exp, bound := e.rescale(f)
	if bound == 0 {
		clear(f) // Dᵀy = 0: s = 0 is optimal
		return nil
	}
	p.budget = e.work
	lim := e.limits(p, exp, bound)
	if e.gap > 0 {
		norm := math.Ldexp(columnNorm(y, j), -exp)
		lim.yy, lim.gap = norm*norm, e.gap/2*norm*norm // rounding has the other half
	}
	if p.solveFrom(ctx, f, z, &lim) && trust {
		clear(f)
		for i, k := range p.passive {
			f[k] = p.sign[k] * p.s[i]
		}
	} else if err := e.fallBack(ctx, p, f, e.scaled(y, j, exp), exp, &lim); err != nil {
		return err
	}
	for k, v := range f {
		if v != 0 {
			f[k] = e.unscale(v, k, exp)
		}
	}
	if !finite(f) {
		return errors.New("an atom is too small to code with")
	}
	return nil
}

// limits are those of y/2^exp, with the violation bound; p has the room.
func (e *exact) limits(p *pivoting, exp int, bound float64) limits {
	lim := limits{bound: bound, scale: e.scale, maxScale: e.maxScale, fine: e.gap > 0}
	if e.λ == 0 {
		return lim
	}
	for k, x := range e.exp {
		p.costs[k] = min(math.Ldexp(e.λ, -exp-x), endless) // λ‖s‖₁ = Σ λ/2^exp_k·|ŝ_k|
	}
	lim.penalty = penalty{l1: p.costs, signed: e.signed}
	return lim
}

// endless is a λ in scaled units that no atom overcomes; sums of it are finite.
const endless = 1e300

// fallBack replaces f = D̂ᵀŷ by the scaled code where pivoting gave up.
func (e *exact) fallBack(ctx context.Context, p *pivoting, f, y []float64, exp int, lim *limits) error {
	if e.gap > 0 {
		e.tighten(p, y, exp, lim)
	}
	if p.descend(ctx, f, e.tall().RawMatrix(), y, lim) {
		return nil
	}
	if err := e.lawsonHanson(ctx, p, f, y, exp, lim); err != nil && e.gap == 0 {
		return err // a Lasso has its gap to judge by
	}
	return nil
}

// scaled returns ŷ = y_j/2^exp, with zeros for the rows of √μ·Î.
func (e *exact) scaled(y *mat.Dense, j, exp int) []float64 {
	d, _ := e.tall().Dims()
	v := make([]float64, d)
	for i := range y.RawMatrix().Rows {
		v[i] = math.Ldexp(y.At(i, j), -exp)
	}
	return v
}

// rescale divides f by the power of two for which its largest magnitude is in
// [½, 1), and returns the exponent of this power and the violation that
// NonNegative allows, divided by the same power; 0 if f = 0.
func (e *exact) rescale(f []float64) (exp int, bound float64) {
	var largest, unscaled float64
	for k, v := range f {
		largest = max(largest, math.Abs(v))
		unscaled = max(unscaled, math.Abs(v)*e.scale[k])
	}
	if largest == 0 {
		return 0, 0
	}
	_, exp = math.Frexp(largest)
	for k, v := range f {
		f[k] = math.Ldexp(v, -exp)
	}
	return exp, math.Ldexp(tolerance*max(1, unscaled), -exp)
}

// unscale turns the coefficient v of the scaled atom k for y/2^exp into that
// of the atom for y.
func (e *exact) unscale(v float64, k, exp int) float64 { return math.Ldexp(v, exp-e.exp[k]) }
