package coding_test

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl/coding"
)

// The benchmarks have the sizes of Extended Yale B with 20 training images a
// person: 760 atoms of 1024 features, 1654 samples. learnt is a dictionary
// with the mixed signs of a learnt one, whose codes have over a hundred atoms;
// that of plain faces needs a few dozen.
func benchmarkData(learnt bool) (d, y *mat.Dense) {
	d = faces(1, 1024, 38, 20, 0.02)
	y = faces(2, 1024, 38, 44, 0.02).Slice(0, 1024, 0, 1654).(*mat.Dense)
	if learnt {
		noise := normal(3, 1024, 760)
		noise.Scale(0.02, noise)
		d.Add(d, noise)
	}
	return d, y
}

func benchmarkCode(b *testing.B, c coding.Coder, n int, learnt bool) {
	d, y := benchmarkData(learnt)
	y = mat.DenseCopyOf(y.Slice(0, 1024, 0, n))
	over, err := c.Over(d, nil)
	if err != nil {
		b.Fatal(err)
	}
	s := mat.NewDense(760, n, nil)
	b.ReportAllocs()
	for b.Loop() {
		if err := over.Code(context.Background(), s, y); err != nil {
			b.Fatal(err)
		}
	}
	atoms := 0
	for _, v := range s.RawMatrix().Data {
		if v != 0 {
			atoms++
		}
	}
	b.ReportMetric(float64(atoms)/float64(n), "atoms/column")
}

func BenchmarkExactBatch(b *testing.B) {
	benchmarkCode(b, coding.DefaultNonNegative, 1654, false)
}

func BenchmarkExactBatchLearnt(b *testing.B) {
	benchmarkCode(b, coding.DefaultNonNegative, 1654, true)
}

func BenchmarkExactSingle(b *testing.B) {
	benchmarkCode(b, coding.DefaultNonNegative, 1, true)
}

func BenchmarkElasticBatch(b *testing.B) {
	c := coding.DefaultNonNegative
	c.L1, c.L2 = 1e-3, 1e-3
	benchmarkCode(b, c, 1654, true)
}

func BenchmarkLassoBatch(b *testing.B) {
	benchmarkCode(b, coding.Lasso{Lambda: 1e-3, Gap: 1e-6}, 1654, false)
}

func BenchmarkLassoBatchSparse(b *testing.B) {
	benchmarkCode(b, coding.Lasso{Lambda: 0.05, Gap: 1e-6}, 1654, true)
}

func BenchmarkLassoBatchPositive(b *testing.B) {
	benchmarkCode(b, coding.Lasso{Lambda: 1e-3, Gap: 1e-6, Positive: true}, 1654, true)
}

func BenchmarkLassoSingle(b *testing.B) {
	benchmarkCode(b, coding.Lasso{Lambda: 1e-2, Gap: 1e-6}, 1, true)
}

func BenchmarkADMMBatch(b *testing.B) {
	benchmarkCode(b, coding.NonNegative{Solver: coding.ADMM, Rho: 0.01, Passes: 10}, 1654, true)
}

func BenchmarkADMMSingle(b *testing.B) {
	benchmarkCode(b, coding.NonNegative{Solver: coding.ADMM, Rho: 0.01, Passes: 10}, 1, true)
}

func BenchmarkRidgeBatch(b *testing.B) { benchmarkCode(b, coding.DefaultRidge, 1654, true) }

func BenchmarkRidgeSingle(b *testing.B) { benchmarkCode(b, coding.DefaultRidge, 1, true) }

func BenchmarkExactOver(b *testing.B) {
	d, _ := benchmarkData(true)
	for b.Loop() {
		if _, err := coding.DefaultNonNegative.Over(d, nil); err != nil {
			b.Fatal(err)
		}
	}
}
