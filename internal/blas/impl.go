package blas

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	lapack "gonum.org/v1/gonum/lapack/gonum"
)

// Implementation is gonum's with the routines of a Backend in front. It is
// safe for concurrent use. Its zero value is gonum's alone.
type Implementation struct {
	gonum.Implementation
	backend Backend
	d       *machine[float64] // nil for Gonum
	s       *machine[float32]
}

var (
	_ blas.Float64 = Implementation{}
	_ blas.Float32 = Implementation{}
)

// For returns the implementation of b. The error is ErrUnavailable.
func For(b Backend) (Implementation, error) {
	if b != Go && b != Gonum && !available(b) {
		return Implementation{}, fmt.Errorf("blas: %v: %w", b, ErrUnavailable)
	}
	if b == Go {
		return Implementation{backend: b, d: goDoubles, s: goSingles}, nil
	}
	d, s := machines(b)
	return Implementation{backend: b, d: d, s: s}, nil
}

func trans(t blas.Transpose) bool { return t != blas.NoTrans }

func triangleOf(ul blas.Uplo) triangle {
	if ul == blas.Upper {
		return upper
	}
	return lower
}

// gemm is a product whose arguments are checked.
func gemm[T float](m *machine[T], tA, tB blas.Transpose, rows, cols, k int, alpha T, a []T, lda int,
	b []T, ldb int, beta T, c []T, ldc int,
) {
	if !checkGemm(tA, tB, rows, cols, k, len(a), lda, len(b), ldb, len(c), ldc) {
		return
	}
	m.multiply(Threads(), rows, cols, k, alpha, matrix(trans(tA), a, lda), matrix(trans(tB), b, ldb), beta, matrix(false, c, ldc), full)
}

// syr2k is C = alpha·(ABᵀ + BAᵀ) + beta·C or, with b nil, C = alpha·AAᵀ + beta·C.
func syr2k[T float](m *machine[T], ul blas.Uplo, t blas.Transpose, n, k int, alpha T, a []T, lda int,
	b []T, ldb int, beta T, c []T, ldc int,
) {
	x, z := matrix(trans(t), a, lda), matrix(false, c, ldc)
	nt := Threads()
	if b == nil {
		m.multiply(nt, n, n, k, alpha, x, x.t(), beta, z, triangleOf(ul))
		return
	}
	y := matrix(trans(t), b, ldb)
	m.multiply(nt, n, n, k, alpha, x, y.t(), beta, z, triangleOf(ul))
	m.multiply(nt, n, n, k, alpha, y, x.t(), 1, z, triangleOf(ul))
}

func trsm[T float](m *machine[T], s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag,
	rows, cols int, alpha T, a []T, lda int, b []T, ldb int,
) {
	if !checkTriangular(s, ul, t, d, rows, cols, len(a), lda, len(b), ldb) {
		return
	}
	up := (ul == blas.Upper) != trans(t)
	m.triangular(Threads(), s == blas.Left, up, d == blas.Unit, rows, cols, alpha, matrix(trans(t), a, lda), matrix(false, b, ldb))
}

// Dgemm implements blas.Float64Level3.
func (impl Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64,
	lda int, b []float64, ldb int, beta float64, c []float64, ldc int,
) {
	if impl.d == nil {
		impl.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	gemm(impl.d, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Sgemm implements blas.Float32Level3.
func (impl Implementation) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32,
	lda int, b []float32, ldb int, beta float32, c []float32, ldc int,
) {
	if impl.s == nil {
		impl.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	gemm(impl.s, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dsyrk implements blas.Float64Level3.
func (impl Implementation) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64,
	lda int, beta float64, c []float64, ldc int,
) {
	if impl.d == nil {
		impl.Implementation.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	if checkSyrk(ul, t, n, k, len(a), lda, len(a), lda, len(c), ldc) {
		syr2k(impl.d, ul, t, n, k, alpha, a, lda, nil, 0, beta, c, ldc)
	}
}

// Dsyr2k implements blas.Float64Level3.
func (impl Implementation) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64,
	lda int, b []float64, ldb int, beta float64, c []float64, ldc int,
) {
	if impl.d == nil {
		impl.Implementation.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	if checkSyrk(ul, t, n, k, len(a), lda, len(b), ldb, len(c), ldc) {
		if k == 0 {
			b = nil // may be nil already; there is no product to add
		}
		syr2k(impl.d, ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dtrsm implements blas.Float64Level3.
func (impl Implementation) Dtrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int,
	alpha float64, a []float64, lda int, b []float64, ldb int,
) {
	if impl.d == nil {
		impl.Implementation.Dtrsm(s, ul, t, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	trsm(impl.d, s, ul, t, d, m, n, alpha, a, lda, b, ldb)
}

// Dtrmm implements blas.Float64Level3.
func (impl Implementation) Dtrmm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int,
	alpha float64, a []float64, lda int, b []float64, ldb int,
) {
	const base = 32
	q := n
	if s == blas.Left {
		q = m
	}
	if impl.d == nil || q <= base || !checkTriangular(s, ul, t, d, m, n, len(a), lda, len(b), ldb) || alpha == 0 {
		impl.Implementation.Dtrmm(s, ul, t, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	h := q / 2
	off := a[h:]
	if ul == blas.Lower {
		off = a[h*lda:]
	}
	up := (ul == blas.Upper) != trans(t)
	first := func() {
		if s == blas.Left {
			impl.Dtrmm(s, ul, t, d, h, n, alpha, a, lda, b, ldb)
		} else {
			impl.Dtrmm(s, ul, t, d, m, h, alpha, a, lda, b, ldb)
		}
	}
	second := func() {
		if s == blas.Left {
			impl.Dtrmm(s, ul, t, d, q-h, n, alpha, a[h*lda+h:], lda, b[h*ldb:], ldb)
		} else {
			impl.Dtrmm(s, ul, t, d, m, q-h, alpha, a[h*lda+h:], lda, b[h:], ldb)
		}
	}
	switch { // the half that the other one needs unchanged comes last
	case s == blas.Left && up:
		first()
		impl.Dgemm(t, blas.NoTrans, h, n, q-h, alpha, off, lda, b[h*ldb:], ldb, 1, b, ldb)
		second()
	case s == blas.Left:
		second()
		impl.Dgemm(t, blas.NoTrans, q-h, n, h, alpha, off, lda, b, ldb, 1, b[h*ldb:], ldb)
		first()
	case up:
		second()
		impl.Dgemm(blas.NoTrans, t, m, q-h, h, alpha, b, ldb, off, lda, 1, b[h:], ldb)
		first()
	default:
		first()
		impl.Dgemm(blas.NoTrans, t, m, h, q-h, alpha, b[h:], ldb, off, lda, 1, b, ldb)
		second()
	}
}

// Potrf factors the symmetric positive definite n×n matrix A in place,
// A = UᵀU (Upper) or LLᵀ (Lower); the other triangle is neither read for its
// values nor written. It returns false if A is not positive definite, which it
// is not if it has a NaN; the triangle is spoilt then.
func Potrf(ul blas.Uplo, n int, a []float64, lda int) bool {
	return current.Load().potrf(ul, n, a, lda)
}

func (impl Implementation) potrf(ul blas.Uplo, n int, a []float64, lda int) bool {
	m := impl.d
	if m == nil {
		return lapack.Implementation{}.Dpotrf(ul, n, a, lda)
	}
	checkUplo(ul)
	check(n < 0, "n < 0")
	check(lda < max(1, n), "bad leading dimension of A")
	if n == 0 {
		return true
	}
	check(len(a) < (n-1)*lda+n, "insufficient length of a")
	x := matrix(false, a, lda)
	if ul == blas.Upper {
		return m.factor(Threads(), n, x)
	}
	return m.factorLower(Threads(), n, x)
}

// Potrs solves A·X = B in place, B n×nrhs, from the factor that Potrf left in
// a.
func Potrs(ul blas.Uplo, n, nrhs int, a []float64, lda int, b []float64, ldb int) {
	first, second := blas.Trans, blas.NoTrans
	if ul == blas.Lower {
		first, second = second, first
	}
	Trsm(blas.Left, ul, first, blas.NonUnit, n, nrhs, 1, a, lda, b, ldb)
	Trsm(blas.Left, ul, second, blas.NonUnit, n, nrhs, 1, a, lda, b, ldb)
}

// Trsm solves op(A)·X = alpha·B (Left) or X·op(A) = alpha·B (Right) in place,
// B m×n, A triangular. It does not check that A is regular.
func Trsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	current.Load().Dtrsm(s, ul, t, d, m, n, alpha, a, lda, b, ldb)
}

// The checks below panic where gonum's own routines do, with the same words,
// and in the same order. They return false if there is nothing to do.

func check(bad bool, message string) {
	if bad {
		panic("blas: " + message)
	}
}

func checkTrans(t blas.Transpose) {
	check(t != blas.NoTrans && t != blas.Trans && t != blas.ConjTrans, "illegal transpose")
}

func checkUplo(ul blas.Uplo) {
	check(ul != blas.Lower && ul != blas.Upper, "illegal triangle")
}

// An extent is the size of a row-major matrix in a slice of n elements.
type extent struct {
	rows, cols, n, ld int
}

// checkExtents checks the matrices A, B and C of a routine; c has no columns where there
// is no C. empty says that the result has no elements.
func checkExtents(empty bool, a, b, c extent) bool {
	check(a.ld < max(1, a.cols), "bad leading dimension of A")
	check(b.ld < max(1, b.cols), "bad leading dimension of B")
	check(c.ld < max(1, c.cols), "bad leading dimension of C")
	if empty {
		return false
	}
	check(a.n < (a.rows-1)*a.ld+a.cols, "insufficient length of a")
	check(b.n < (b.rows-1)*b.ld+b.cols, "insufficient length of b")
	check(c.n < (c.rows-1)*c.ld+c.cols, "insufficient length of c")
	return true
}

// operand is the extent of a matrix of which op(A) is rows×cols.
func operand(t blas.Transpose, rows, cols, n, ld int) extent {
	if t != blas.NoTrans {
		rows, cols = cols, rows
	}
	return extent{rows, cols, n, ld}
}

func checkGemm(tA, tB blas.Transpose, m, n, k, lenA, lda, lenB, ldb, lenC, ldc int) bool {
	checkTrans(tA)
	checkTrans(tB)
	check(m < 0, "m < 0")
	check(n < 0, "n < 0")
	check(k < 0, "k < 0")
	return checkExtents(m == 0 || n == 0, operand(tA, m, k, lenA, lda), operand(tB, k, n, lenB, ldb), extent{m, n, lenC, ldc})
}

// checkSyrk checks Syr2k too; for Syrk, B is A.
func checkSyrk(ul blas.Uplo, t blas.Transpose, n, k, lenA, lda, lenB, ldb, lenC, ldc int) bool {
	checkUplo(ul)
	checkTrans(t)
	check(n < 0, "n < 0")
	check(k < 0, "k < 0")
	return checkExtents(n == 0, operand(t, n, k, lenA, lda), operand(t, n, k, lenB, ldb), extent{n, n, lenC, ldc})
}

// checkTriangular checks Trsm and Trmm.
func checkTriangular(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n, lenA, lda, lenB, ldb int) bool {
	check(s != blas.Left && s != blas.Right, "illegal side")
	checkUplo(ul)
	checkTrans(t)
	check(d != blas.NonUnit && d != blas.Unit, "illegal diagonal")
	check(m < 0, "m < 0")
	check(n < 0, "n < 0")
	k := n
	if s == blas.Left {
		k = m
	}
	return checkExtents(m == 0 || n == 0, extent{k, k, lenA, lda}, extent{m, n, lenB, ldb}, extent{rows: 1, ld: 1})
}
