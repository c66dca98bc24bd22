package blas

import "math"

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
	most := impl.d.maxAbs(n, &x[0])
	for i, v := range x[:n] {
		if math.Abs(v) == most {
			return i
		}
	}
	panic("blas: the largest magnitude is none of the elements")
}
