package coding

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl/internal/lin"
)

// exact solves min_s ‖y − Ds‖² s.t. s ≥ 0 to optimality, column by column: by
// block principal pivoting on the Gram matrix; where that does not end or cannot
// tell the atoms apart, by descent from where it got; and where that fails too,
// as with coefficients beyond 1e6, by the active set method of [lh] on the atoms
// themselves. Each has a bound on its work: maxRounds, maxSteps, leastWork. What
// is done for a column depends on that column only.
//
// The atoms are scaled by powers of two to a norm near 1, and so is every
// Dᵀy: neither rounds, and no decision depends on the units of D or y.
type exact struct {
	d     *mat.Dense // scaled atoms d̂_k = d_k/2^exp_k, d×K; D itself if all exp are 0
	exp   []int      // len K
	scale []float64  // 2^exp_k, len K
	most  float64    // the largest scale
	gram  *mat.Dense // G = D̂ᵀD̂, K×K
	rows  sync.Pool  // of *mat.Dense, chunk×K
	space sync.Pool  // of *pivoting
}

// tolerance is the ε of NonNegative as a part of max(1, ‖Dᵀy‖∞).
const tolerance = 1e-8

func newExact(d *mat.Dense) (*exact, error) {
	_, k := d.Dims()
	e := &exact{exp: exponents(d), scale: make([]float64, k), gram: mat.NewDense(k, k, nil)}
	for j, x := range e.exp {
		e.scale[j] = math.Ldexp(1, x)
		e.most = max(e.most, e.scale[j])
	}
	e.d = scaleColumns(d, e.exp)
	lin.AtA(e.gram, 1, e.d)
	lin.Mirror(e.gram)
	return e, nil
}

// exponents returns, for every column of d, the e for which the norm of the
// column is in [2^(e−½), 2^(e+½)); 0 for a zero column.
func exponents(d *mat.Dense) []int {
	m, k := d.Dims()
	exp, largest, norm := make([]int, k), make([]float64, k), make([]float64, k)
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
		if v > 0 {
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

// Code implements Coding.
func (e *exact) Code(ctx context.Context, s, y *mat.Dense) error {
	d, k := e.d.Dims()
	mustFit(s, y, d, k)
	_, n := y.Dims()
	rows, ok := e.rows.Get().(*mat.Dense)
	if !ok || rows.RawMatrix().Rows < min(n, chunk) {
		rows = mat.NewDense(min(n, chunk), k, nil)
	}
	defer e.rows.Put(rows)
	for lo := 0; lo < n; lo += chunk {
		hi := min(n, lo+chunk)
		part := lin.Block(rows, 0, hi-lo, 0, k)
		j, err := e.solve(ctx, part, lin.Cols(y, lo, hi))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return fmt.Errorf("non-negative code of column %d: %w", lo+j, err)
		}
		transpose(lin.Cols(s, lo, hi), part, func(v float64) float64 { return v })
	}
	return nil
}

// solve writes the code of every column of y into the row of its number, and
// returns the first column that failed. Once ctx is done it stops anywhere.
func (e *exact) solve(ctx context.Context, rows, y *mat.Dense) (failed int, err error) {
	lin.AtB(rows, 1, y, e.d) // (D̂ᵀy)ᵀ
	_, n := y.Dims()
	var mu sync.Mutex
	parallel(n, 1, func(j, _ int) {
		if ctx.Err() != nil {
			return
		}
		p, ok := e.space.Get().(*pivoting)
		if !ok {
			p = newPivoting(e.gram)
		}
		defer e.space.Put(p)
		if e := e.column(ctx, p, rows.RawRowView(j), y, j); e != nil {
			mu.Lock()
			defer mu.Unlock()
			if err == nil || j < failed {
				failed, err = j, e
			}
		}
	})
	return failed, err
}

// column replaces f = D̂ᵀy_j by the code of y_j.
func (e *exact) column(ctx context.Context, p *pivoting, f []float64, y *mat.Dense, j int) error {
	if !finite(f) {
		return errors.New("its products with the atoms are not finite")
	}
	exp, bound := e.rescale(f)
	if bound == 0 {
		clear(f) // Dᵀy = 0: s = 0 is optimal
		return nil
	}
	lim := limits{bound: bound, scale: e.scale, most: e.most}
	if p.solve(ctx, f, &lim) {
		clear(f)
		for i, k := range p.passive {
			f[k] = p.s[i]
		}
	} else if y := scaled(y, j, exp); !p.descend(ctx, f, e.d.RawMatrix(), y, &lim) {
		if err := e.lawsonHanson(ctx, f, y, exp, &lim); err != nil {
			return err
		}
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

// scaled returns ŷ = y_j/2^exp.
func scaled(y *mat.Dense, j, exp int) []float64 {
	v := mat.Col(nil, j, y)
	for i := range v {
		v[i] = math.Ldexp(v[i], -exp)
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
