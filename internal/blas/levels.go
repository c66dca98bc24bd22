package blas

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// The routines of level 2 that the methods use are sums of those of level 1
// where gonum has no assembly for them; gonum says what is wrong with arguments.

// rows reports whether the matrix and its vectors are all there, without gaps.
func (impl Implementation) rows(t blas.Transpose, m, n, lenA, lda, lenX, incX, lenY, incY int) bool {
	if t != blas.NoTrans {
		lenX, lenY = lenY, lenX
	}
	return impl.d != nil && impl.d.level2 && (t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans) &&
		m > 0 && n > 0 && lda >= n && lenA >= lda*(m-1)+n && incX == 1 && incY == 1 && lenX >= n && lenY >= m
}

// Dgemv implements blas.Float64Level2.
func (impl Implementation) Dgemv(t blas.Transpose, m, n int, alpha float64, a []float64, lda int,
	x []float64, incX int, beta float64, y []float64, incY int,
) {
	if !impl.rows(t, m, n, len(a), lda, len(x), incX, len(y), incY) {
		impl.Implementation.Dgemv(t, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	elements := m
	if t != blas.NoTrans {
		elements = n
	}
	scale(1, elements, beta, view[float64]{&y[0], elements, 1}, full)
	if alpha == 0 {
		return
	}
	for i := range m {
		row := &a[i*lda]
		if t == blas.NoTrans {
			y[i] += alpha * impl.d.dot(n, row, &x[0])
		} else {
			impl.d.axpy(n, alpha*x[i], row, &y[0])
		}
	}
}

// Dtrsv implements blas.Float64Level2.
func (impl Implementation) Dtrsv(ul blas.Uplo, t blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	if !impl.rows(t, n, n, len(a), lda, len(x), incX, len(x), 1) || ul != blas.Upper && ul != blas.Lower ||
		d != blas.Unit && d != blas.NonUnit {
		impl.Implementation.Dtrsv(ul, t, d, n, a, lda, x, incX)
		return
	}
	for step := range n {
		i := step
		if (ul == blas.Upper) == (t == blas.NoTrans) {
			i = n - 1 - step
		}
		j0, j1 := 0, i // the columns beside the diagonal
		if ul == blas.Upper {
			j0, j1 = i+1, n
		}
		row := a[i*lda:][:n]
		if t == blas.NoTrans && j0 < j1 {
			x[i] -= impl.d.dot(j1-j0, &row[j0], &x[j0])
		}
		if d == blas.NonUnit {
			x[i] /= row[i]
		}
		if t != blas.NoTrans && j0 < j1 {
			impl.d.axpy(j1-j0, -x[i], &row[j0], &x[j0])
		}
	}
}

// The routines of level 1 have kernels for float64 vectors without gaps; the
// others are gonum's, which also says what is wrong with arguments. An element
// of Daxpy depends on its own operands alone; the order in which Ddot sums
// depends on n alone.

// dense reports whether vectors of n elements without gaps are all there.
func dense(n, lenX, incX, lenY, incY int) bool {
	return n > 0 && incX == 1 && incY == 1 && lenX >= n && lenY >= n
}

// Ddot implements blas.Float64Level1.
func (impl Implementation) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if impl.d == nil || !dense(n, len(x), incX, len(y), incY) {
		return impl.Implementation.Ddot(n, x, incX, y, incY)
	}
	return impl.d.dot(n, &x[0], &y[0])
}

// Daxpy implements blas.Float64Level1.
func (impl Implementation) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	if impl.d == nil || !dense(n, len(x), incX, len(y), incY) {
		impl.Implementation.Daxpy(n, alpha, x, incX, y, incY)
		return
	}
	if alpha != 0 {
		impl.d.axpy(n, alpha, &x[0], &y[0])
	}
}

// Idamax implements blas.Float64Level1.
func (impl Implementation) Idamax(n int, x []float64, incX int) int {
	if impl.d == nil || !dense(n, len(x), incX, n, 1) || math.IsNaN(x[0]) {
		return impl.Implementation.Idamax(n, x, incX)
	}
	largest := impl.d.maxAbs(n, &x[0])
	for i, v := range x[:n] {
		if math.Abs(v) == largest {
			return i
		}
	}
	panic("blas: the largest magnitude is none of the elements")
}
