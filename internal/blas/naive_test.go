package blas

import (
	"math"
	"math/rand"
	"os"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/blas"

	"nrdl.example/nrdl/internal/testing/lacking"
)

// routines are the routines of one Backend for one element type.
type routines[T float] struct {
	gemm func(tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	syrk func(ul blas.Uplo, t blas.Transpose, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int)
	trsm func(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)
}

func doubles(impl Implementation) routines[float64] {
	return routines[float64]{impl.Dgemm, impl.Dsyrk, impl.Dtrsm}
}

func singles(impl Implementation) routines[float32] {
	return routines[float32]{gemm: impl.Sgemm}
}

// skipBackend skips a test of a Backend that this machine does not have. One of another kind of
// processor says nothing about this machine.
func skipBackend(t *testing.T, b Backend) {
	t.Helper()
	if b == NEON != (runtime.GOARCH == "arm64") {
		t.Skip(b, " is not on ", runtime.GOARCH)
	}
	lacking.Skip(t, "the back end ", b, " is not available on this machine")
}

// eachBackend runs f as a subtest for every Backend, on two threads.
func eachBackend(t *testing.T, f func(t *testing.T, impl Implementation)) {
	for _, b := range backends {
		t.Run(b.String(), func(t *testing.T) {
			impl, err := For(b)
			if err != nil {
				skipBackend(t, b)
			}
			defer SetThreads(SetThreads(2))
			f(t, impl)
		})
	}
}

// trials is n with NRDL_LONG=1, else fewer: the naive twins are slow.
func trials(n int) int {
	if raceEnabled || testing.Short() || os.Getenv("NRDL_LONG") == "" {
		return n / 4
	}
	return n
}

// fullSizes reports whether impl is the fastest one here, which is tested with full
// sizes and numbers of threads. The others share all code above the innermost loops.
func fullSizes(impl Implementation) bool {
	for _, b := range backends {
		if first, err := For(b); err == nil {
			return impl.backend == first.backend || os.Getenv("NRDL_LONG") != ""
		}
	}
	return false
}

// canary marks memory that nobody may write.
const canary = 123456789

// A block is a rows×cols matrix with ld > cols or not, in memory that ends, or
// starts, where no memory is: see guarded.
type block[T float] struct {
	rows, cols, ld int
	data           []T
}

// newBlock makes a block of standard normal values between canaries.
func newBlock[T float](r *rand.Rand, rows, cols int) block[T] {
	b := block[T]{rows: rows, cols: cols, ld: max(cols, 1) + []int{0, 1, 3, 8}[r.Intn(4)]}
	n := 0
	if rows > 0 {
		n = (rows-1)*b.ld + cols
	}
	b.data = guarded[T](r, n)
	for i := range b.data {
		b.data[i] = canary
	}
	for i := range rows {
		for j := range cols {
			b.data[i*b.ld+j] = T(r.NormFloat64())
		}
	}
	return b
}

func (b block[T]) at(i, j int) T { return b.data[i*b.ld+j] }

// clone copies b to memory of its own.
func (b block[T]) clone() block[T] {
	b.data = append([]T(nil), b.data...)
	return b
}

// strides are the distances of the elements of op(b) in data, down and across.
func (b block[T]) strides(t blas.Transpose) (down, across int) {
	if t != blas.NoTrans {
		return 1, b.ld
	}
	return b.ld, 1
}

// spoil puts a few NaN and infinite values into b.
func (b block[T]) spoil(r *rand.Rand) {
	if b.rows == 0 || b.cols == 0 {
		return
	}
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
	for range 2 {
		b.data[r.Intn(b.rows)*b.ld+r.Intn(b.cols)] = T(bad[r.Intn(3)])
	}
}

// newOperand makes the block whose op(·) is rows×cols.
func newOperand[T float](r *rand.Rand, t blas.Transpose, rows, cols int) block[T] {
	if t != blas.NoTrans {
		rows, cols = cols, rows
	}
	return newBlock[T](r, rows, cols)
}

// sameClass reports whether both are NaN, or the same infinity, or neither and
// not further apart than tol.
func sameClass[T float](x, y T, tol float64) bool {
	a, b := float64(x), float64(y)
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) && math.IsNaN(b)
	}
	if math.IsInf(a, 0) || math.IsInf(b, 0) {
		return a == b
	}
	return math.Abs(a-b) <= tol
}

// expect fails unless got is want, padding included.
func expect[T float](t *testing.T, got, want block[T], tol float64, format string, args ...any) {
	t.Helper()
	for i := range want.data {
		if !sameClass(got.data[i], want.data[i], tol) {
			t.Errorf("element (%d, %d) is %v, want %v", i/want.ld, i%want.ld, got.data[i], want.data[i])
			t.Fatalf(format, args...)
		}
	}
}

// tolerance is what sums of n products of standard normal values may differ by.
func tolerance[T float](n int) float64 {
	eps := 0x1p-52
	if _, single := any(T(0)).(float32); single {
		eps = 0x1p-23
	}
	return 64 * eps * float64(n+8)
}

func naiveGemm[T float](tri triangle, tA, tB blas.Transpose, k int, alpha T, a, b block[T], beta T, c block[T]) {
	aDown, aAcross := a.strides(tA)
	bDown, bAcross := b.strides(tB)
	for i := range c.rows {
		j0, j1 := tri.columns(i, 0, c.cols)
		for j := j0; j < j1; j++ {
			var old, sum T
			if beta != 0 {
				old = beta * c.at(i, j)
			}
			if alpha != 0 {
				for p := range k {
					sum += a.data[i*aDown+p*aAcross] * b.data[p*bDown+j*bAcross]
				}
				sum *= alpha
			}
			c.data[i*c.ld+j] = sum + old
		}
	}
}

// naiveTrsm solves by substitution, one element at a time.
func naiveTrsm[T float](s blas.Side, ul blas.Uplo, tr blas.Transpose, d blas.Diag, alpha T, a, b block[T]) {
	n, nrhs := b.rows, b.cols
	xDown, xAcross := b.strides(blas.NoTrans)
	tDown, tAcross := a.strides(tr)
	up := (ul == blas.Upper) != (tr != blas.NoTrans)
	if s == blas.Right {
		n, nrhs, up = nrhs, n, !up
		xDown, xAcross, tDown, tAcross = xAcross, xDown, tAcross, tDown
	}
	for j := range nrhs {
		for step := range n {
			i, p0, p1 := step, 0, step
			if up {
				i = n - 1 - step
				p0, p1 = i+1, n
			}
			x := &b.data[i*xDown+j*xAcross]
			if alpha == 0 {
				*x = 0
				continue
			}
			v := alpha * *x
			for p := p0; p < p1; p++ {
				v -= a.data[i*tDown+p*tAcross] * b.data[p*xDown+j*xAcross]
			}
			if d == blas.NonUnit {
				v /= a.data[i*(tDown+tAcross)]
			}
			*x = v
		}
	}
}

// dominate makes the diagonal of a triangular a heavy enough for its solves to
// be well conditioned, unit diagonal or not.
func dominate[T float](a block[T]) {
	for i := range a.rows {
		for j := range a.cols {
			a.data[i*a.ld+j] /= T(a.rows)
		}
		a.data[i*a.ld+i] += 2
	}
}
