package blas

import (
	"math"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/blas"
)

// PeakFMA measures, for about d, how many multiply-adds one core does per
// second with nothing to load, in the vectors of the Backend in use: the bound
// on any routine of one thread. The unit is GFLOP/s, two to a multiply-add.
func PeakFMA(d time.Duration) float64 {
	rounds, flops := 10_000, 2*goRows*goCols
	peak := peakGo
	if m := current.Load().d; m != nil && !m.plain {
		peak, flops = m.peak, 2*m.mr*m.nr
	}
	return best(d, func() { peak(rounds) }) * float64(rounds*flops)
}

// sink keeps the compiler from dropping peakGo's sums.
var sink atomic.Uint64

// peakGo does n rounds of the multiply-adds of multiplyAdd.
func peakGo(n int) {
	x0, x1, y0, y1, y2 := 0.5, 0.25, 0.125, 0.0625, float64(n&1)
	var s00, s01, s02, s10, s11, s12 float64
	for range n {
		s00 += x0 * y0
		s01 += x0 * y1
		s02 += x0 * y2
		s10 += x1 * y0
		s11 += x1 * y1
		s12 += x1 * y2
	}
	sink.Store(math.Float64bits(s00 + s01 + s02 + s10 + s11 + s12))
}

// MeasureGEMM measures, for about d, the speed of the product A′B of 1024×760
// matrices on the given number of threads, in GFLOP/s; gonum's own code takes as
// many as it likes.
func MeasureGEMM(threads int, d time.Duration) float64 {
	const n, k = 760, 1024
	a, b, c := make([]float64, k*n), make([]float64, k*n), make([]float64, n*n)
	for i := range a {
		a[i], b[i] = 1/float64(1+i%7), 1/float64(1+i%5)
	}
	impl := current.Load()
	m := impl.d
	return best(d, func() {
		if m != nil {
			m.multiply(threads, n, n, k, 1, matrix(true, a, n), matrix(false, b, n), 0, matrix(false, c, n), full)
			return
		}
		impl.Dgemm(blas.Trans, blas.NoTrans, n, n, k, 1, a, n, b, n, 0, c, n)
	}) * 2 * n * n * k
}

// best calls f for about d and returns the reciprocal of its shortest time in
// nanoseconds: what disturbs it only makes it longer.
func best(d time.Duration, f func()) float64 {
	shortest := time.Duration(1<<63 - 1)
	for end := time.Now().Add(d); ; {
		start := time.Now()
		f()
		now := time.Now()
		shortest = min(shortest, max(now.Sub(start), 1))
		if now.After(end) {
			return 1 / float64(shortest)
		}
	}
}
