package coding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// ClassLasso codes over each class alone under an ℓ1 penalty [dlsi]: the
// coefficients of class c solve
//
//	min_{s_c} ½‖y − D_c·s_c‖² + λ‖s_c‖₁
//
// to the duality gap of Lasso.
type ClassLasso struct {
	Lambda float64 `json:"lambda" help:"λ > 0, weight of ‖s_c‖₁"`
	Gap    float64 `json:"gap" help:"duality gap > 0 that a code may have, in units of ‖y‖²"`
}

// DefaultClassLasso has the values of DefaultLasso.
var DefaultClassLasso = ClassLasso{Lambda: DefaultLasso.Lambda, Gap: DefaultLasso.Gap}

func (c ClassLasso) lasso() Lasso { return Lasso{Lambda: c.Lambda, Gap: c.Gap} }
func (ClassLasso) Name() string   { return "classlasso" }

func (c ClassLasso) Validate() error {
	return cmp.Or(positive(c, "lambda", c.Lambda), positive(c, "gap", c.Gap))
}

// Work implements Coder. The groups are not known: all atoms may be of one class.
func (c ClassLasso) Work(d, k int) Work {
	w := c.lasso().Work(d, k)
	w.Sample += float64(k) * roundsAnAtom * fewAtoms * fewAtoms * fewAtoms / 3 // of signSearch, at worst
	return w
}

// Over implements Coder. It needs groups.
func (c ClassLasso) Over(b Basis) (Coding, error) {
	d, groups := b.D, b.Groups
	if err := ready(c, d); err != nil {
		return nil, err
	}
	_, k := d.Dims()
	if err := grouped(groups, k); err != nil {
		return nil, fmt.Errorf("prepare the class-wise lasso: %w", err)
	}
	all := &classLasso{d: d, groups: groups, λ: c.Lambda, gap: max(c.Gap, minGap), exact: c.Gap < minGap}
	for i, lo := range groups[:len(groups)-1] {
		hi := groups[i+1]
		own, g := lin.Cols(d, lo, hi), mat.NewDense(hi-lo, hi-lo, nil)
		lin.AtA(g, 1, own)
		lin.Mirror(g)
		all.grams, all.largest = append(all.grams, g), max(all.largest, min(fewAtoms, hi-lo))
		all.solvers = append(all.solvers, sync.OnceValues(func() (Coding, error) { return c.lasso().Over(Basis{D: own}) }))
	}
	return all, nil
}

const (
	roundsAnAtom = 5     // of one code, after which Lasso solves for it
	fewAtoms     = 64    // atoms of a class; of more, Lasso codes
	minPivot     = 1e-10 // pivot of an independent atom, as a part of its squared norm
	minGap       = 1e-12 // what rounding leaves of a gap that is computed from inner products
)

// classLasso codes by an active set method on the Gram matrix of each class, which
// is small. Where that does not end, as with dependent atoms, Lasso takes over.
type classLasso struct {
	d       *mat.Dense
	groups  []int
	grams   []*mat.Dense // D_cᵀD_c
	solvers []func() (Coding, error)
	largest int // of the classes, in atoms
	λ, gap  float64
	exact   bool // a gap is asked for that only Lasso reaches
}

func (c *classLasso) Code(ctx context.Context, s, y *mat.Dense) error {
	d, k := c.d.Dims()
	if err := sized(s, y, d, k); err != nil {
		return err
	}
	_, n := y.Dims()
	rows := mat.NewDense(min(n, chunk), k, nil)
	squares := make([]float64, n)
	lin.SquaredColumnNorms(squares, y)
	for lo := 0; lo < n; lo += chunk {
		hi := min(n, lo+chunk)
		part := lin.Block(rows, 0, hi-lo, 0, k)
		lin.AtB(part, 1, lin.Cols(y, lo, hi), c.d) // (Dᵀy)ᵀ
		errs := make([]error, hi-lo)
		parallel.For(hi-lo, 4, func(first, last int) {
			a := newSignSearch(c.largest)
			for j := first; j < last && ctx.Err() == nil; j++ {
				errs[j] = c.column(ctx, part.RawRowView(j), a, lin.Cols(y, lo+j, lo+j+1), squares[lo+j])
			}
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for j, err := range errs {
			if err != nil {
				return fmt.Errorf("class-wise lasso code of column %d: %w", lo+j, err)
			}
		}
		lin.Transpose(lin.Cols(s, lo, hi), part)
	}
	return nil
}

// column replaces f = Dᵀy by the code of y.
func (c *classLasso) column(ctx context.Context, f []float64, a *signSearch, y *mat.Dense, square float64) error {
	if !finite(f) || math.IsNaN(square) {
		return errors.New("its products with the atoms are not finite")
	}
	for i, gram := range c.grams {
		lo, hi := c.groups[i], c.groups[i+1]
		if !c.exact && hi-lo <= fewAtoms && a.solve(f[lo:hi], gram, c.λ, c.gap, square) {
			continue
		}
		over, err := c.solvers[i]()
		if err != nil {
			return err
		}
		code := mat.NewDense(hi-lo, 1, nil)
		if err := over.Code(ctx, code, y); err != nil {
			return fmt.Errorf("class %d: %w", i, err)
		}
		copy(f[lo:hi], code.RawMatrix().Data)
	}
	return nil
}

// signSearch finds the code for f = D_cᵀy by the active set method of
// [featuresign]: from s = 0 the atom with the largest slope joins, and s goes to
// the minimum over the active atoms with their signs, or to where the first of them
// becomes 0, which leaves.
type signSearch struct {
	q, s []float64 // D_cᵀ(y − D_c·s) and s, len n_c
	set  []int     // the active atoms
	sign []float64 // theirs
	r, x []float64 // factor of G over them, in rows of n_c; the minimum
}

func newSignSearch(n int) *signSearch {
	return &signSearch{
		q: make([]float64, n), s: make([]float64, n), set: make([]int, 0, n),
		sign: make([]float64, 0, n), r: make([]float64, n*n), x: make([]float64, n),
	}
}

// solve replaces f by the code, and reports whether its duality gap is at most
// gap·‖y‖²; if not, f is as it was.
func (a *signSearch) solve(f []float64, gram *mat.Dense, λ, gap, square float64) bool {
	n := len(f)
	a.q, a.s, a.set, a.sign = a.q[:n], a.s[:n], a.set[:0], a.sign[:0]
	copy(a.q, f)
	clear(a.s)
	for range roundsAnAtom * n {
		if a.gap(f, λ, square) <= gap*square {
			copy(f, a.s)
			return true
		}
		if !a.join(λ) || !a.minimise(f, gram, λ) {
			return false
		}
		copy(a.q, f)
		for _, k := range a.set {
			v := a.s[k]
			for i, x := range gram.RawRowView(k)[:n] {
				a.q[i] -= v * x
			}
		}
	}
	return false
}

// join makes the atom with the largest slope active, and reports whether there is
// one above λ.
func (a *signSearch) join(λ float64) bool {
	best, largest := -1, λ
	for k, v := range a.q {
		if v = math.Abs(v); v > largest && a.s[k] == 0 {
			best, largest = k, v
		}
	}
	if best < 0 {
		return false
	}
	a.set, a.sign = append(a.set, best), append(a.sign, math.Copysign(1, a.q[best]))
	return true
}

// minimise moves s to the minimum over the active atoms, as far as they keep their
// signs, and reports whether it could be found.
func (a *signSearch) minimise(f []float64, gram *mat.Dense, λ float64) bool {
	for len(a.set) > 0 {
		if !a.factor(f, gram, λ) {
			return false
		}
		t := 1.0
		for i, k := range a.set {
			if v, to := a.s[k], a.x[i]; v != to && to*a.sign[i] <= 0 {
				t = min(t, v/(v-to))
			}
		}
		left := 0
		for i, k := range a.set {
			v := a.s[k]
			to := v + t*(a.x[i]-v)
			if crosses := a.x[i]*a.sign[i] <= 0 && math.Abs(v) <= t*math.Abs(v-a.x[i]); crosses || to*a.sign[i] <= 0 {
				a.s[k] = 0
				continue
			}
			a.s[k], a.set[left], a.sign[left] = to, k, a.sign[i]
			left++
		}
		gone := left < len(a.set)
		a.set, a.sign = a.set[:left], a.sign[:left]
		if !gone {
			return true
		}
	}
	return true
}

// factor solves G_AA·x = f_A − λθ_A, by the rows of its Cholesky factor L.
func (a *signSearch) factor(f []float64, gram *mat.Dense, λ float64) bool {
	n := len(f)
	for i, k := range a.set {
		row, g := a.r[i*n:i*n+i+1], gram.RawRowView(k)
		v := f[k] - λ*a.sign[i]
		for j := range i {
			other := a.r[j*n : j*n+j+1]
			sum := g[a.set[j]]
			for m, x := range other[:j] {
				sum -= x * row[m]
			}
			row[j] = sum / other[j]
			v -= row[j] * a.x[j]
		}
		rest := g[k]
		for _, x := range row[:i] {
			rest -= x * x
		}
		if !(rest > minPivot*g[k]) {
			return false
		}
		row[i] = math.Sqrt(rest)
		a.x[i] = v / row[i]
	}
	for i := len(a.set) - 1; i >= 0; i-- {
		a.x[i] /= a.r[i*n+i]
		for j := range i {
			a.x[j] -= a.r[i*n+j] * a.x[i]
		}
	}
	return true
}

// gap returns the duality gap of s, as Lasso states it, by
// ‖y − Ds‖² = ‖y‖² − sᵀ(Dᵀy + q).
func (a *signSearch) gap(f []float64, λ, square float64) (gap float64) {
	var largest float64
	residual := square
	for k, v := range a.q {
		largest = max(largest, math.Abs(v))
		residual -= a.s[k] * (f[k] + v)
	}
	α := 1.0
	if largest > λ {
		α = λ / largest
	}
	gap = (1 - α) * (1 - α) * max(0, residual) / 2
	for k, v := range a.s {
		gap += λ*math.Abs(v) - α*v*a.q[k]
	}
	return gap
}
