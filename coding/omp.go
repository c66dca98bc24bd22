package coding

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// OMP codes by orthogonal matching pursuit, the greedy way to
//
//	min_s ‖y − D·s‖²   s.t. ‖s‖₀ ≤ T₀ or ‖y − D·s‖ ≤ ε
//
// From the residual r = y it adds, step by step, the atom with the largest
// |d_kᵀr|/‖d_k‖, of equal ones the first, and solves the least squares over all
// atoms that it has added. So it does not matter how long atoms are: for those
// of norm 1 it is the pursuit of [omp], for others that of the atoms at norm 1.
//
// It ends with T₀ atoms, or as soon as ‖r‖ ≤ ε. It also ends where a further
// step would fit rounding errors: where ‖r‖ ≤ 1e-10·‖y‖ or no correlation
// |d_kᵀr|/‖d_k‖ exceeds 1e-12·‖y‖, and where the sine of the angle between the
// next atom and the span of those before it is 1e-6 or less. With ε = 0, then,
// the code of c·y is c times the code of y.
type OMP struct {
	Sparsity int     `json:"sparsity" help:"T₀ ≥ 1, most atoms a sample; more than there are is all of them"`
	Error    float64 `json:"error" help:"ε ≥ 0, length of the residual at which a sample has atoms enough"`
}

// DefaultOMP is the pursuit that [lcksvd] codes with.
var DefaultOMP = OMP{Sparsity: 30}

func (OMP) Name() string { return "omp" }

func (o OMP) Validate() error {
	switch {
	case o.Sparsity < 1:
		return fmt.Errorf("sparsity = %d of the pursuit is not ≥ 1", o.Sparsity)
	case !(o.Error >= 0) || math.IsInf(o.Error, 1):
		return fmt.Errorf("error = %v of the pursuit is not a length ≥ 0", o.Error)
	}
	return nil
}

// A Sparse is a Coding whose codes have few nonzeros, such as that of OMP. It
// gives them without the matrix of the rest.
type Sparse interface {
	Coding
	// CodeSparse replaces s by the codes of the columns of y, d×n, and uses what
	// memory s has. It is Code in all else.
	CodeSparse(ctx context.Context, s *SparseCodes, y *mat.Dense) error
}

// SparseCodes are the codes of n columns, without their zeros.
type SparseCodes struct {
	First []int     // len n+1: column j has the elements First[j] ≤ i < First[j+1] of the others
	Atom  []int32   // the atoms, in the order in which the coder chose them
	Coef  []float64 // their coefficients
}

// Column returns the atoms of column j and their coefficients, not copied.
func (s *SparseCodes) Column(j int) (atoms []int32, coef []float64) {
	lo, hi := s.First[j], s.First[j+1]
	return s.Atom[lo:hi], s.Coef[lo:hi]
}

func (o OMP) Over(b Basis) (Coding, error) { return o.OverSparse(b) }

// OverSparse is Over with a Coding that gives its codes without their zeros.
func (o OMP) OverSparse(b Basis) (Sparse, error) {
	if err := ready(o, b.D); err != nil {
		return nil, err
	}
	return newOMP(o, b), nil
}

// ompCoding pursues over the atoms at norm 1, d_k/‖d_k‖ = d̂_k·inv_k. Those
// and the samples are scaled by powers of two before they are squared, so that
// no decision depends on the units of D or y.
type ompCoding struct {
	OMP
	d     *mat.Dense        // scaled atoms d̂_k = d_k/2^exp_k, d×K; D itself where all can be squared
	exp   []int             // len K
	inv   []float64         // 1/‖d̂_k‖, 0 for a zero atom; len K
	gram  *mat.Dense        // G of the atoms at norm 1, K×K
	atoms func() *mat.Dense // D̂ᵀ, made when it is needed
	rows  sync.Pool         // of *ompRows
	space sync.Pool         // of *pursuit
}

func newOMP(o OMP, b Basis) *ompCoding {
	d := b.D
	_, k := d.Dims()
	o.Sparsity = min(o.Sparsity, k)
	c := &ompCoding{OMP: o, d: d, exp: make([]int, k), inv: make([]float64, k), gram: mat.NewDense(k, k, nil)}
	if !moderate(d) {
		c.exp = exponents(d, 0)
		c.d = scaleColumns(d, c.exp)
	}
	c.atoms = sync.OnceValue(func() *mat.Dense { return mat.DenseCopyOf(c.d.T()) })
	b.gram(c.gram, c.d)
	lin.Mirror(c.gram)
	for i := range k {
		if g := c.gram.At(i, i); g > 0 {
			c.inv[i] = 1 / math.Sqrt(g)
		}
	}
	for i := range k {
		row := c.gram.RawRowView(i)
		for j, v := range row {
			row[j] = v * c.inv[i] * c.inv[j]
		}
	}
	return c
}

// moderate reports whether the columns of d can be squared as they are.
func moderate(d *mat.Dense) bool {
	_, k := d.Dims()
	norms := make([]float64, k)
	lin.SquaredColumnNorms(norms, d)
	return !slices.ContainsFunc(norms, func(v float64) bool { return !squarable(v) })
}

// squarable reports whether a vector with this sum of squares can be squared as
// it is.
func squarable(sum float64) bool { return sum > 1e-100 && sum < 1e100 }

func (c *ompCoding) Code(ctx context.Context, s, y *mat.Dense) error {
	d, k := c.d.Dims()
	if err := sized(s, y, d, k); err != nil {
		return err
	}
	s.Zero()
	return c.each(ctx, y, func(j int, atoms []int32, coef []float64) {
		for i, a := range atoms {
			s.Set(int(a), j, coef[i])
		}
	})
}

func (c *ompCoding) CodeSparse(ctx context.Context, s *SparseCodes, y *mat.Dense) error {
	d, _ := c.d.Dims()
	if m, _ := y.Dims(); m != d {
		panic(mat.ErrShape)
	}
	s.First, s.Atom, s.Coef = append(s.First[:0], 0), s.Atom[:0], s.Coef[:0]
	return c.each(ctx, y, func(_ int, atoms []int32, coef []float64) {
		s.Atom = append(s.Atom, atoms...)
		s.Coef = append(s.Coef, coef...)
		s.First = append(s.First, len(s.Atom))
	})
}

// ompRows is what the columns of a chunk are coded in.
type ompRows struct {
	f      *mat.Dense  // (D̂ᵀy)ᵀ, chunk×K
	exp    []int       // exponent that y_j is scaled by, len chunk
	energy []float64   // ‖y_j/2^exp_j‖², len chunk
	code   []sparseRow // len chunk
	errs   []error     // len chunk
}

type sparseRow struct {
	atoms []int32
	coef  []float64
}

// each calls emit with the code of every column of y, one after the other.
func (c *ompCoding) each(ctx context.Context, y *mat.Dense, emit func(j int, atoms []int32, coef []float64)) error {
	_, n := y.Dims()
	w, ok := c.rows.Get().(*ompRows)
	if !ok || len(w.code) < min(n, chunk) {
		w = c.newRows(min(n, chunk))
	}
	defer c.rows.Put(w)
	_, k := c.d.Dims()
	for lo := 0; lo < n; lo += chunk {
		hi := min(n, lo+chunk)
		if ctx.Err() == nil {
			c.solve(ctx, w, lin.Block(w.f, 0, hi-lo, 0, k), lin.Cols(y, lo, hi))
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for j := range hi - lo {
			if w.errs[j] != nil {
				return fmt.Errorf("sparse code of column %d: %w", lo+j, w.errs[j])
			}
			emit(lo+j, w.code[j].atoms, w.code[j].coef)
		}
	}
	return nil
}

func (c *ompCoding) newRows(n int) *ompRows {
	_, k := c.d.Dims()
	w := &ompRows{
		f: mat.NewDense(n, k, nil), exp: make([]int, n), energy: make([]float64, n),
		code: make([]sparseRow, n), errs: make([]error, n),
	}
	for j := range w.code {
		w.code[j] = sparseRow{make([]int32, 0, c.Sparsity), make([]float64, 0, c.Sparsity)}
	}
	return w
}

// The columns that a thread takes at a time: many where it reads rows of y.
const (
	share  = 16
	strips = 128
)

// solve codes the columns of y, at most a chunk. Once ctx is done it stops
// anywhere.
func (c *ompCoding) solve(ctx context.Context, w *ompRows, f, y *mat.Dense) {
	lin.AtB(f, 1, y, c.d)
	_, n := y.Dims()
	parallel.For(n, strips, func(lo, hi int) { w.measure(y, lo, hi) })
	parallel.For(n, share, func(lo, hi int) {
		p, ok := c.space.Get().(*pursuit)
		if !ok {
			p = newPursuit(c)
		}
		defer c.space.Put(p)
		for j := lo; j < hi && ctx.Err() == nil; j++ {
			w.errs[j] = p.column(ctx, &w.code[j], f.RawRowView(j), y, j, w.exp[j], w.energy[j])
		}
	})
}
