package coding

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// Local codes by locality-constrained linear coding in its approximate form:
// least squares over the k atoms nearest to y, B, d×k, with coefficients that
// add to 1 [llc, (7)]:
//
//	min_w ‖y − B·w‖² + λ·tr(C)·‖w‖²   s.t. 1ᵀw = 1,   C = (B − y1ᵀ)ᵀ(B − y1ᵀ)
//
// which w = (C + λ·tr(C)·I)⁻¹1, divided by its sum, solves. The code holds w at
// the neighbours and 0 elsewhere.
//
// Nearest is by Euclidean distance, of equally near atoms the first; the
// distances come from ‖d_k‖² − 2d_kᵀy, so differences of them below about 1e-16
// of ‖d_k‖² do not count. A zero atom is nobody's neighbour, and where fewer than
// Neighbours atoms are not zero, all those are the neighbours. Where
// C + λ·tr(C)·I is singular, as for λ = 0 and equal atoms, it gets the least
// ridge of lin.SPD.FactorOrRidge, which spreads the weight over equal atoms about
// evenly. Where all neighbours equal y, each has the weight 1/k.
type Local struct {
	Neighbours int     `json:"neighbours" help:"k ≥ 1, number of nearest atoms that code; more than there are is all of them" eq:"[llc] (7)"`
	Lambda     float64 `json:"lambda" help:"λ ≥ 0, weight of ‖w‖² as a part of the neighbours' squared distances" eq:"[llc] (7)"`
}

// DefaultLocal has the weight of the authors' code.
var DefaultLocal = Local{Neighbours: 30, Lambda: 1e-4}

func (Local) Name() string { return "local" }

func (c Local) Validate() error {
	if c.Neighbours < 1 {
		return fmt.Errorf("neighbours = %d of the local coder is not a number ≥ 1", c.Neighbours)
	}
	return weight(c, "lambda", c.Lambda)
}

func (c Local) Over(b Basis) (Coding, error) {
	d := b.D
	if err := ready(c, d); err != nil {
		return nil, err
	}
	m, k := d.Dims()
	norm := make([]float64, k)
	lin.SquaredColumnNorms(norm, d)
	if !finite(norm) {
		return nil, fmt.Errorf("prepare the local coder: the atoms are too large to square")
	}
	l := &local{Local: c, d: d, atoms: mat.NewDense(k, m, nil)}
	lin.Transpose(l.atoms, d)
	for j, v := range norm {
		if v > 0 {
			l.index, l.norm = append(l.index, j), append(l.norm, v)
		}
	}
	l.Neighbours = min(c.Neighbours, len(l.index))
	return l, nil
}

// local codes over the atoms that are not zero. B is formed for every sample: C
// from a Gram matrix would be faster, but for a sample near to atoms nothing
// but rounding, and K² numbers may be more than there is room for.
type local struct {
	Local
	d     *mat.Dense // D, d×K
	atoms *mat.Dense // Dᵀ
	index []int      // the atoms that are not zero
	norm  []float64  // their ‖d_k‖²
	pool  sync.Pool  // of *localState
	space sync.Pool  // of *neighbourhood
}

// A localState has a row for every sample.
type localState struct {
	y    *mat.Dense // Yᵀ, chunk×d
	code *mat.Dense // YᵀD, then Sᵀ, chunk×K
	errs []error
}

func (l *local) state(n int) *localState {
	if s, ok := l.pool.Get().(*localState); ok && len(s.errs) >= n {
		return s
	}
	d, k := l.d.Dims()
	return &localState{mat.NewDense(n, d, nil), mat.NewDense(n, k, nil), make([]error, n)}
}

func (l *local) Code(ctx context.Context, s, y *mat.Dense) error {
	d, k := l.d.Dims()
	if err := sized(s, y, d, k); err != nil {
		return err
	}
	if l.Neighbours == 0 {
		s.Zero() // every atom is zero
		return nil
	}
	_, n := y.Dims()
	state := l.state(min(n, chunk))
	defer l.pool.Put(state)
	for lo := 0; lo < n; lo += chunk {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		hi := min(n, lo+chunk)
		samples, codes := lin.Block(state.y, 0, hi-lo, 0, d), lin.Block(state.code, 0, hi-lo, 0, k)
		lin.Transpose(samples, lin.Cols(y, lo, hi))
		lin.AB(codes, 1, samples, l.d) // YᵀD
		parallel.For(hi-lo, 8, func(from, to int) {
			at := l.neighbourhood()
			defer l.space.Put(at)
			for j := from; j < to; j++ {
				state.errs[j] = at.code(codes.RawRowView(j), samples.RawRowView(j))
			}
		})
		for j, err := range state.errs[:hi-lo] {
			if err != nil {
				return fmt.Errorf("local code of column %d: %w", lo+j, err)
			}
		}
		lin.Transpose(lin.Cols(s, lo, hi), codes)
	}
	return nil
}

// A neighbourhood is the work space of one sample.
type neighbourhood struct {
	*local
	key     []float64  // ‖d_k‖² − 2d_kᵀy of the atoms that are not zero
	order   []float64  // the same, partly sorted
	nearest []int      // the neighbours, in increasing order
	Z       *mat.Dense // (B − y1ᵀ)ᵀ, k×d
	C       *mat.Dense // C + λ·tr(C)·I, k×k
	w       *mat.Dense // k×1
	factor  lin.SPD    // of C
}

func (l *local) neighbourhood() *neighbourhood {
	if at, ok := l.space.Get().(*neighbourhood); ok {
		return at
	}
	d, _ := l.d.Dims()
	k := l.Neighbours
	return &neighbourhood{
		local: l, key: make([]float64, len(l.index)), order: make([]float64, len(l.index)), nearest: make([]int, 0, k),
		Z: mat.NewDense(k, d, nil), C: mat.NewDense(k, k, nil), w: mat.NewDense(k, 1, nil),
	}
}

// code replaces f = Dᵀy by the code of y.
func (at *neighbourhood) code(f, y []float64) error {
	if !finite(f) || !finite(y) {
		return fmt.Errorf("its products with the atoms are not finite")
	}
	if isZero(y) {
		clear(f)
		return nil
	}
	at.find(f)
	clear(f)
	for i, k := range at.nearest {
		z, atom := at.Z.RawRowView(i), at.atoms.RawRowView(k)
		for r, v := range y {
			z[r] = atom[r] - v // B − y1ᵀ
		}
	}
	lin.AAt(at.C, 1, at.Z)                       // C
	lin.AddDiag(at.C, at.Lambda*mat.Trace(at.C)) // C + λ·tr(C)·I
	if _, err := at.factor.FactorOrRidge(at.C); err != nil {
		return fmt.Errorf("factor C + %g·tr(C)·I: %w", at.Lambda, err)
	}
	w := at.w.RawMatrix().Data
	for i := range w {
		w[i] = 1
	}
	at.factor.Solve(at.w) // (C + λ·tr(C)·I)⁻¹1
	var sum float64
	for _, v := range w {
		sum += v
	}
	for i, k := range at.nearest {
		f[k] = w[i] / sum
	}
	return nil
}

// find collects the atoms nearest to the sample with f = Dᵀy.
func (at *neighbourhood) find(f []float64) {
	for i, k := range at.index {
		at.key[i] = at.norm[i] - 2*f[k] // ‖d_k − y‖² − ‖y‖²
	}
	copy(at.order, at.key)
	k := at.Neighbours
	last := nth(at.order, k-1)
	equal := k // how many of the atoms as far as the last are in
	for _, v := range at.order[:k] {
		if v < last {
			equal--
		}
	}
	at.nearest = at.nearest[:0]
	for i, v := range at.key {
		if v == last && equal > 0 {
			equal--
		} else if v >= last {
			continue
		}
		at.nearest = append(at.nearest, at.index[i])
	}
}

func isZero(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return x != 0 })
}

// nth returns the element that is n-th in increasing order, and moves the n
// elements that are not larger before it.
func nth(v []float64, n int) float64 {
	lo, hi := 0, len(v)
	for {
		pivot := median(v[lo], v[lo+(hi-lo)/2], v[hi-1])
		less := lo + partition(v[lo:hi], func(x float64) bool { return x < pivot })
		if n < less {
			hi = less
			continue
		}
		lo = less + partition(v[less:hi], func(x float64) bool { return x == pivot })
		if n < lo {
			return pivot
		}
	}
}

// partition moves the elements that are first to the front and returns their
// number.
func partition(v []float64, first func(float64) bool) (n int) {
	for i, x := range v {
		v[i], v[n] = v[n], x
		if first(x) {
			n++
		}
	}
	return n
}

func median(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
