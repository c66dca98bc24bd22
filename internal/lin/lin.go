// Package lin has the verbs that the equations of the methods are written in:
// destination first, one line a term. A shape mismatch is a bug of ours and
// panics; a matrix that is not positive definite may be the data's doing and
// is an error.
//
// Matrices are dense, of any stride; the destination never overlaps an operand
// unless a verb says otherwise.
package lin

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	_ "nrdl.example/nrdl/internal/blas" // fast products
	"nrdl.example/nrdl/internal/parallel"
)

func gemm(tA, tB blas.Transpose, alpha float64, a, b *mat.Dense, beta float64, dst *mat.Dense) {
	blas64.Gemm(tA, tB, alpha, a.RawMatrix(), b.RawMatrix(), beta, dst.RawMatrix())
}

// AB sets dst = f·A·B.
func AB(dst *mat.Dense, f float64, a, b *mat.Dense) {
	gemm(blas.NoTrans, blas.NoTrans, f, a, b, 0, dst)
}

// AddAB adds f·A·B to dst.
func AddAB(dst *mat.Dense, f float64, a, b *mat.Dense) {
	gemm(blas.NoTrans, blas.NoTrans, f, a, b, 1, dst)
}

// AtB sets dst = f·Aᵀ·B.
func AtB(dst *mat.Dense, f float64, a, b *mat.Dense) { gemm(blas.Trans, blas.NoTrans, f, a, b, 0, dst) }

// AddAtB adds f·Aᵀ·B to dst.
func AddAtB(dst *mat.Dense, f float64, a, b *mat.Dense) {
	gemm(blas.Trans, blas.NoTrans, f, a, b, 1, dst)
}

// ABt sets dst = f·A·Bᵀ.
func ABt(dst *mat.Dense, f float64, a, b *mat.Dense) { gemm(blas.NoTrans, blas.Trans, f, a, b, 0, dst) }

// AddABt adds f·A·Bᵀ to dst.
func AddABt(dst *mat.Dense, f float64, a, b *mat.Dense) {
	gemm(blas.NoTrans, blas.Trans, f, a, b, 1, dst)
}

// upper views the upper triangle of dst, n×n, as a symmetric matrix.
func upper(dst *mat.Dense) blas64.Symmetric {
	r := dst.RawMatrix()
	return blas64.Symmetric{Uplo: blas.Upper, N: r.Rows, Stride: r.Stride, Data: r.Data}
}

// AtA sets the upper triangle of dst to f·AᵀA; the lower one is left alone.
func AtA(dst *mat.Dense, f float64, a *mat.Dense) {
	blas64.Syrk(blas.Trans, f, a.RawMatrix(), 0, upper(dst))
}

// AddAtA adds f·AᵀA to the upper triangle of dst.
func AddAtA(dst *mat.Dense, f float64, a *mat.Dense) {
	blas64.Syrk(blas.Trans, f, a.RawMatrix(), 1, upper(dst))
}

// AAt sets the upper triangle of dst to f·AAᵀ; the lower one is left alone.
func AAt(dst *mat.Dense, f float64, a *mat.Dense) {
	blas64.Syrk(blas.NoTrans, f, a.RawMatrix(), 0, upper(dst))
}

// AddAAt adds f·AAᵀ to the upper triangle of dst.
func AddAAt(dst *mat.Dense, f float64, a *mat.Dense) {
	blas64.Syrk(blas.NoTrans, f, a.RawMatrix(), 1, upper(dst))
}

// Mirror copies the upper triangle of dst, n×n, to the lower one.
func Mirror(dst *mat.Dense) {
	const block = 8 // a cache line, as in Transpose
	r := dst.RawMatrix()
	for i0 := 0; i0 < r.Rows; i0 += block {
		for j0 := 0; j0 <= i0; j0 += block {
			for i := i0; i < min(i0+block, r.Rows); i++ {
				for j := j0; j < min(j0+block, i); j++ {
					r.Data[i*r.Stride+j] = r.Data[j*r.Stride+i]
				}
			}
		}
	}
}

// rows calls f with the matching rows of dst and a.
func rows(dst, a *mat.Dense, f func(d, a []float64)) {
	m, n := dst.Dims()
	if r, c := a.Dims(); r != m || c != n {
		panic(mat.ErrShape)
	}
	each(m, n, func(i int) { f(dst.RawRowView(i), a.RawRowView(i)) })
}

// each calls f for each of m rows of n elements, on several threads if there are many.
func each(m, n int, f func(i int)) {
	const enough = 1 << 15 // elements for a thread: some microseconds
	parallel.For(m, 1+enough/(n+1), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i)
		}
	})
}

// largestOf returns the largest of f of each row, as each calls it; NaN if one is.
func largestOf(m, n int, f func(i int) float64) float64 {
	var largest float64
	var one sync.Mutex
	each(m, n, func(i int) {
		v := f(i)
		one.Lock()
		largest = max(largest, v)
		one.Unlock()
	})
	return largest
}

// Set sets dst = f·A.
func Set(dst *mat.Dense, f float64, a *mat.Dense) {
	rows(dst, a, func(d, a []float64) {
		if f == 1 {
			copy(d, a)
			return
		}
		for j, v := range a {
			d[j] = f * v
		}
	})
}

// Add adds f·A to dst.
func Add(dst *mat.Dense, f float64, a *mat.Dense) {
	rows(dst, a, func(d, a []float64) { axpy(f, a, d) })
}

func axpy(f float64, x, y []float64) {
	blas64.Axpy(f, blas64.Vector{N: len(x), Inc: 1, Data: x}, blas64.Vector{N: len(y), Inc: 1, Data: y})
}

// Clamp raises the elements of dst that are below low to low.
func Clamp(dst *mat.Dense, low float64) {
	m, n := dst.Dims()
	each(m, n, func(i int) {
		row := dst.RawRowView(i)
		for j, v := range row {
			row[j] = max(v, low)
		}
	})
}

// AddDiag adds f to the diagonal of dst.
func AddDiag(dst *mat.Dense, f float64) {
	r := dst.RawMatrix()
	for i := range min(r.Rows, r.Cols) {
		r.Data[i*r.Stride+i] += f
	}
}

// MaxAbsDiff returns max |A − B|, NaN if either holds one.
func MaxAbsDiff(a, b *mat.Dense) float64 {
	m, n := a.Dims()
	if r, c := b.Dims(); r != m || c != n {
		panic(mat.ErrShape)
	}
	return largestOf(m, n, func(i int) (largest float64) {
		other := b.RawRowView(i)
		for j, v := range a.RawRowView(i) {
			largest = max(largest, math.Abs(v-other[j])) // max keeps NaN
		}
		return largest
	})
}

// MaxAbs returns max |A|, NaN if A holds one.
func MaxAbs(a *mat.Dense) float64 {
	m, n := a.Dims()
	return largestOf(m, n, func(i int) (largest float64) {
		for _, v := range a.RawRowView(i) {
			if v = math.Abs(v); v > largest {
				largest = v
			} else if v != v {
				return v
			}
		}
		return largest
	})
}

// SquaredNorm returns ‖A‖²_F.
func SquaredNorm(a *mat.Dense) float64 {
	m, _ := a.Dims()
	var sum float64
	for i := range m {
		row := a.RawRowView(i)
		sum += blas64.Dot(blas64.Vector{N: len(row), Inc: 1, Data: row}, blas64.Vector{N: len(row), Inc: 1, Data: row})
	}
	return sum
}

// SquaredColumnNorms writes the squared ℓ2 norms of the columns of a, m×n,
// into dst, len n.
func SquaredColumnNorms(dst []float64, a *mat.Dense) {
	clear(dst)
	m, _ := a.Dims()
	for i := range m {
		for j, v := range a.RawRowView(i) {
			dst[j] += v * v
		}
	}
}

// Finite returns an error that names the first element of a that is NaN or an
// infinity; what is a column of a.
func Finite(what string, a *mat.Dense) error {
	m, _ := a.Dims()
	for i := range m {
		for j, v := range a.RawRowView(i) {
			if v-v != 0 {
				return fmt.Errorf("element %d of %s %d is %v", i, what, j, v)
			}
		}
	}
	return nil
}

// Cols views the columns lo ≤ j < hi of a; it shares a's elements.
func Cols(a *mat.Dense, lo, hi int) *mat.Dense {
	m, _ := a.Dims()
	return a.Slice(0, m, lo, hi).(*mat.Dense)
}

// Block views the rows i0 ≤ i < i1 and columns j0 ≤ j < j1 of a.
func Block(a *mat.Dense, i0, i1, j0, j1 int) *mat.Dense {
	return a.Slice(i0, i1, j0, j1).(*mat.Dense)
}

// Gather copies the columns of a into dst, in their order: column columns[j] becomes
// column j. They do not overlap.
func Gather(dst, a *mat.Dense, columns []int) {
	m, _ := a.Dims()
	for i := range m {
		to, from := dst.RawRowView(i), a.RawRowView(i)
		for j, k := range columns {
			to[j] = from[k]
		}
	}
}

// Select returns a copy of the columns of a, in their order.
func Select(a *mat.Dense, columns []int) *mat.Dense {
	m, _ := a.Dims()
	b := mat.NewDense(m, len(columns), nil)
	Gather(b, a, columns)
	return b
}

// Transpose sets dst, n×m, to the transpose of a, m×n. They do not overlap.
func Transpose(dst, a *mat.Dense) {
	const share, block = 32, 8 // rows of a thread; a cache line, as not more rows of 2^n numbers stay in the cache
	to, from := dst.RawMatrix(), a.RawMatrix()
	if to.Rows != from.Cols || to.Cols != from.Rows {
		panic(mat.ErrShape)
	}
	parallel.For(to.Rows, share, func(lo, hi int) {
		for i0 := lo; i0 < hi; i0 += block {
			for j := range to.Cols {
				for i, v := range from.Data[j*from.Stride+i0 : j*from.Stride+min(i0+block, hi)] {
					to.Data[(i0+i)*to.Stride+j] = v
				}
			}
		}
	})
}

// A QR is the factorisation A = Q·R of a matrix, d×n, with QᵀQ = I. With
// m = min(d, n), R is m×n; Q, d×m, is never formed.
type QR struct {
	a   *mat.Dense // R in the upper triangle, the reflectors of Q below, d×n
	tau []float64  // len m
}

// FactorQR factors a, which it leaves as it is.
func FactorQR(a *mat.Dense) *QR {
	d, n := a.Dims()
	q := &QR{mat.DenseCopyOf(a), make([]float64, min(d, n))}
	work := make([]float64, 1)
	lapack64.Geqrf(q.a.RawMatrix(), q.tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Geqrf(q.a.RawMatrix(), q.tau, work, len(work))
	return q
}

// R returns R, m×n.
func (q *QR) R() *mat.Dense {
	_, n := q.a.Dims()
	r := mat.NewDense(len(q.tau), n, nil)
	for i := range q.tau {
		copy(r.RawRowView(i)[i:], q.a.RawRowView(i)[i:])
	}
	return r
}

// Q returns Q·C, d×k, for c, p×k: of the first p columns of Q.
func (q *QR) Q(c *mat.Dense) *mat.Dense {
	p, k := c.Dims()
	d, _ := q.a.Dims()
	out := mat.NewDense(d, k, nil)
	Set(Block(out, 0, p, 0, k), 1, c)
	a := q.a.RawMatrix()
	a.Cols = len(q.tau)
	work := make([]float64, 1)
	lapack64.Ormqr(blas.Left, blas.NoTrans, a, q.tau, out.RawMatrix(), work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Ormqr(blas.Left, blas.NoTrans, a, q.tau, out.RawMatrix(), work, len(work))
	return out
}
