package blas

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
)

// eachSetting runs f on every Backend with one thread and, unless it is gonum,
// with two. f returns the work in floating-point operations, and what does it;
// the metric is the speed of the fastest call, which a busy machine spoils least.
func eachSetting(b *testing.B, f func(impl Implementation) (flops int, call func())) {
	for _, backend := range Available() {
		impl, err := For(backend)
		if err != nil {
			b.Fatal(err)
		}
		for threads := 1; threads <= 2; threads++ {
			b.Run(fmt.Sprintf("%v/threads=%d", backend, threads), func(b *testing.B) {
				defer using(impl)()
				defer SetThreads(SetThreads(threads))
				flops, call := f(impl)
				call()
				shortest := time.Hour
				for b.Loop() {
					start := time.Now()
					call()
					shortest = min(shortest, time.Since(start))
				}
				b.ReportMetric(float64(flops)/float64(shortest), "GFLOP/s")
			})
		}
	}
}

func values[T float](n int) []T {
	r := rand.New(rand.NewSource(1))
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.NormFloat64())
	}
	return x
}

func BenchmarkPeak(b *testing.B) {
	for _, backend := range Available() {
		b.Run(backend.String(), func(b *testing.B) {
			impl, err := For(backend)
			if err != nil {
				b.Fatal(err)
			}
			defer using(impl)()
			var peak float64
			for b.Loop() {
				peak = max(peak, PeakFMA(10*time.Millisecond))
			}
			b.ReportMetric(peak, "GFLOP/s")
		})
	}
}

func BenchmarkGemm(b *testing.B) {
	for _, c := range []struct {
		tA, tB  blas.Transpose
		m, n, k int
	}{
		{blas.NoTrans, blas.NoTrans, 16, 16, 16},
		{blas.NoTrans, blas.NoTrans, 32, 32, 32},
		{blas.NoTrans, blas.NoTrans, 64, 64, 64},
		{blas.NoTrans, blas.NoTrans, 100, 100, 100},
		{blas.Trans, blas.NoTrans, 100, 100, 100},
		{blas.NoTrans, blas.NoTrans, 128, 128, 128},
		{blas.Trans, blas.NoTrans, 128, 128, 128},
		{blas.NoTrans, blas.Trans, 240, 240, 240},
		{blas.NoTrans, blas.NoTrans, 760, 760, 760},
		{blas.Trans, blas.NoTrans, 760, 760, 1024},
		{blas.NoTrans, blas.NoTrans, 2000, 2000, 2000},
		{blas.NoTrans, blas.NoTrans, 760, 1, 1024},
		{blas.Trans, blas.NoTrans, 760, 1, 1024},
		{blas.NoTrans, blas.NoTrans, 760, 16, 1024},
		{blas.NoTrans, blas.NoTrans, 1, 1024, 760},
		{blas.NoTrans, blas.Trans, 1, 1024, 760},
	} {
		b.Run(fmt.Sprintf("%c%c/%dx%dx%d", c.tA, c.tB, c.m, c.n, c.k), func(b *testing.B) {
			eachSetting(b, func(impl Implementation) (int, func()) {
				x, y, z := values[float64](c.m*c.k), values[float64](c.k*c.n), make([]float64, c.m*c.n)
				lda, ldb := c.k, c.n
				if c.tA == blas.Trans {
					lda = c.m
				}
				if c.tB == blas.Trans {
					ldb = c.k
				}
				return 2 * c.m * c.n * c.k, func() {
					impl.Dgemm(c.tA, c.tB, c.m, c.n, c.k, 1, x, lda, y, ldb, 0, z, c.n)
				}
			})
		})
	}
}

func BenchmarkSgemm(b *testing.B) {
	for _, n := range []int{32, 240, 760} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			eachSetting(b, func(impl Implementation) (int, func()) {
				x, y, z := values[float32](n*n), values[float32](n*n), make([]float32, n*n)
				return 2 * n * n * n, func() {
					impl.Sgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 0, z, n)
				}
			})
		})
	}
}

func BenchmarkSyrk(b *testing.B) {
	const n, k = 760, 1024
	eachSetting(b, func(impl Implementation) (int, func()) {
		x, z := values[float64](n*k), make([]float64, n*n)
		return n * (n + 1) * k, func() { impl.Dsyrk(blas.Upper, blas.Trans, n, k, 1, x, n, 0, z, n) }
	})
}

func BenchmarkPotrf(b *testing.B) {
	for _, n := range []int{32, 96, 240, 760} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			eachSetting(b, func(Implementation) (int, func()) {
				p := positive(rand.New(rand.NewSource(1)), n)
				x := p.clone()
				return n * n * n / 3, func() {
					copy(x.data, p.data)
					if !Potrf(blas.Upper, n, x.data, x.ld) {
						b.Fatal("not positive definite")
					}
				}
			})
		})
	}
}

func BenchmarkPotrs(b *testing.B) {
	for _, n := range []int{96, 240, 760} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			eachSetting(b, func(Implementation) (int, func()) {
				p := positive(rand.New(rand.NewSource(1)), n)
				Potrf(blas.Upper, n, p.data, p.ld)
				x := values[float64](n * n)
				y := make([]float64, n*n)
				return 2 * n * n * n, func() {
					copy(y, x)
					Potrs(blas.Upper, n, n, p.data, p.ld, y, n)
				}
			})
		})
	}
}
