package lin

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	fast "nrdl.example/nrdl/internal/blas"
)

var (
	// ErrNotPositiveDefinite is returned, wrapped or not, where a matrix has no
	// Cholesky factor.
	ErrNotPositiveDefinite = errors.New("the matrix is not positive definite")

	// ErrNotFinite is returned where a matrix holds NaN or an infinity.
	ErrNotFinite = errors.New("the matrix holds a number that is not finite")
)

// An SPD solves systems with a symmetric positive definite matrix A = RᵀR by
// its Cholesky factor R. The zero value is ready to use; its storage is kept
// from one Factor to the next. After Factor, Solve and SolveRight may be
// called from several goroutines at once.
type SPD struct {
	n int
	r []float64 // R in the upper triangle, n×n
}

// Factor factors a, n×n, of which it reads the upper triangle only and changes
// nothing. It returns ErrNotPositiveDefinite if the factor does not exist; s
// must then be factored again before it solves.
func (s *SPD) Factor(a *mat.Dense) error {
	s.load(a, 0)
	return s.factor()
}

func (s *SPD) factor() error {
	if s.n > 0 && !fast.Potrf(blas.Upper, s.n, s.r, s.n) {
		return ErrNotPositiveDefinite
	}
	for i := range s.n {
		if v := s.r[i*s.n+i]; !(v > 0) || math.IsInf(v, 1) {
			return ErrNotPositiveDefinite
		}
	}
	return nil
}

// load copies the upper triangle of a + f·I.
func (s *SPD) load(a *mat.Dense, f float64) {
	m, n := a.Dims()
	if m != n {
		panic(mat.ErrShape)
	}
	s.n = n
	if cap(s.r) < n*n {
		s.r = make([]float64, n*n)
	}
	s.r = s.r[:n*n]
	for i := range n {
		copy(s.r[i*n+i:(i+1)*n], a.RawRowView(i)[i:])
		s.r[i*n+i] += f
	}
}

// What FactorOrRidge takes for singular, and the ridges that it then tries.
const (
	// dependent is the part of a diagonal element that must be left over as its
	// pivot. A smaller part is within what rounding makes of a dependent column,
	// once it has been through a Gram matrix of a few thousand rows; Gram
	// matrices of real faces keep 1e-5 and more.
	dependent   = 1e-10
	firstRidge  = 1e-10 // of the mean of the diagonal
	ridgeGrowth = 100
	lastRidge   = 1e2 // above it a Gram matrix has long been positive definite
)

// FactorOrRidge factors a as Factor does or, where a is singular or within
// rounding of it, a + ridge·I with the first of 1e-10, 1e-8, … times the mean
// magnitude of a's diagonal that works, and returns the ridge. A zero matrix
// gets the ridge 1: solving with it returns the right-hand side. The error is
// ErrNotFinite, or ErrNotPositiveDefinite if a is far from positive
// semi-definite.
func (s *SPD) FactorOrRidge(a *mat.Dense) (ridge float64, err error) {
	mean, err := scanUpper(a)
	if err != nil {
		return 0, err
	}
	if s.Factor(a) == nil && s.leftOver(a) > dependent {
		return 0, nil
	}
	if mean == 0 {
		s.load(a, 1)
		return 1, s.factor()
	}
	for part := firstRidge; part <= lastRidge; part *= ridgeGrowth {
		s.load(a, part*mean)
		if s.factor() == nil {
			return part * mean, nil
		}
	}
	return 0, fmt.Errorf("even with %g of its mean diagonal added: %w", lastRidge, ErrNotPositiveDefinite)
}

// weakPivot is the least pivot of a well-conditioned matrix, as a part of the
// mean of its diagonal. Gram matrices of real faces keep pivots of 1e-5 and more.
const weakPivot = 1e-6

// FactorProximal factors a + εI and returns ε ≥ 0, the weight of the proximal
// term that makes a system with a well posed: with m the mean magnitude of a's
// diagonal and p the least pivot of a as a part of m, 0 where a has no factor,
//
//	ε = part · m · max(0, 1 − p/weakPivot)
//
// so that ε is 0 for a well-conditioned matrix and continuous in p: nothing
// jumps where a pivot passes a limit. A zero matrix gets ε = 1. The errors are
// those of FactorOrRidge.
func (s *SPD) FactorProximal(a *mat.Dense, part float64) (ε float64, err error) {
	mean, err := scanUpper(a)
	if err != nil {
		return 0, err
	}
	if mean == 0 {
		s.load(a, 1)
		return 1, s.factor()
	}
	p := 0.0
	if s.Factor(a) == nil {
		p = s.minPivot() / mean
	}
	if p >= weakPivot {
		return 0, nil
	}
	for ε = part * mean * (1 - p/weakPivot); ; ε = max(ridgeGrowth*ε, firstRidge*mean) {
		s.load(a, ε)
		if s.factor() == nil {
			return ε, nil
		}
		if ε > lastRidge*mean {
			return 0, fmt.Errorf("even with %g of its mean diagonal added: %w", lastRidge, ErrNotPositiveDefinite)
		}
	}
}

// minPivot returns the least pivot of the matrix that s factored.
func (s *SPD) minPivot() float64 {
	smallest := math.Inf(1)
	for i := range s.n {
		r := s.r[i*s.n+i]
		smallest = min(smallest, r*r)
	}
	return smallest
}

// leftOver returns the least part of a diagonal element of a that is left as
// its pivot: 0 for a column that depends on those before it.
func (s *SPD) leftOver(a *mat.Dense) float64 {
	smallest := math.Inf(1)
	for i := range s.n {
		r := s.r[i*s.n+i]
		smallest = min(smallest, r*r/a.At(i, i))
	}
	return smallest
}

// scanUpper checks the upper triangle of a and returns its mean |a_ii|.
func scanUpper(a *mat.Dense) (mean float64, err error) {
	n, _ := a.Dims()
	for i := range n {
		row := a.RawRowView(i)
		for j, v := range row[i:] {
			if v-v != 0 {
				return 0, fmt.Errorf("element (%d, %d) is %v: %w", i, i+j, v, ErrNotFinite)
			}
		}
		mean += math.Abs(row[i]) / float64(n)
	}
	return mean, nil
}

func (s *SPD) triangle() blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: s.n, Stride: max(1, s.n), Data: s.r}
}

// Solve sets b, n×m, to A⁻¹B.
func (s *SPD) Solve(b *mat.Dense) {
	m, n := b.Dims()
	if m != s.n {
		panic(mat.ErrShape)
	}
	r := b.RawMatrix()
	fast.Potrs(blas.Upper, s.n, n, s.r, s.n, r.Data, r.Stride)
}

// R returns a copy of the factor, n×n.
func (s *SPD) R() *mat.Dense {
	r := mat.NewDense(s.n, s.n, nil)
	for i := range s.n {
		copy(r.RawRowView(i)[i:], s.r[i*s.n+i:(i+1)*s.n])
	}
	return r
}

// SolveRt sets b, n×m, to R⁻ᵀB.
func (s *SPD) SolveRt(b *mat.Dense) {
	if m, _ := b.Dims(); m != s.n {
		panic(mat.ErrShape)
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, s.triangle(), b.RawMatrix())
}

// SolveRight sets b, m×n, to B·A⁻¹.
func (s *SPD) SolveRight(b *mat.Dense) {
	if _, n := b.Dims(); n != s.n {
		panic(mat.ErrShape)
	}
	// B·(RᵀR)⁻¹ = (B·R⁻¹)·R⁻ᵀ
	blas64.Trsm(blas.Right, blas.NoTrans, 1, s.triangle(), b.RawMatrix())
	blas64.Trsm(blas.Right, blas.Trans, 1, s.triangle(), b.RawMatrix())
}

// Spectrum returns the eigenvectors V of AᵀA, m×m, and the singular values of a, d×m,
// increasing.
func Spectrum(a *mat.Dense) (v *mat.Dense, σ []float64) {
	_, m := a.Dims()
	gram := mat.NewSymDense(m, nil)
	gram.SymOuterK(1, a.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, true) {
		panic("the eigenvalues of a Gram matrix do not converge") // QL iterations of finite numbers do
	}
	v = &mat.Dense{}
	eigen.VectorsTo(v)
	σ = eigen.Values(nil)
	for i, x := range σ {
		σ[i] = math.Sqrt(max(0, x))
	}
	return v, σ
}
