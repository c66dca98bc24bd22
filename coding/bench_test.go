package coding_test

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
)

// The benchmarks have the sizes of Extended Yale B with 20 training images a
// person: 760 atoms of 1024 features, 1654 samples. learned is a dictionary
// with the mixed signs of a learned one, whose codes have over a hundred atoms;
// that of plain faces needs a few dozen.
func benchmarkData(learned bool) (d, y *mat.Dense) {
	d = faces(1, 1024, 38, 20, 0.02)
	y = faces(2, 1024, 38, 44, 0.02).Slice(0, 1024, 0, 1654).(*mat.Dense)
	if learned {
		noise := normal(3, 1024, 760)
		noise.Scale(0.02, noise)
		d.Add(d, noise)
	}
	return d, y
}

func benchmarkCode(b *testing.B, c coding.Coder, n int, learned bool) {
	d, y := benchmarkData(learned)
	y = mat.DenseCopyOf(y.Slice(0, 1024, 0, n))
	over, err := c.Over(coding.Basis{D: d})
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

func BenchmarkExactBatchLearned(b *testing.B) {
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
		if _, err := coding.DefaultNonNegative.Over(coding.Basis{D: d}); err != nil {
			b.Fatal(err)
		}
	}
}

// benchmarkOver codes n faces of 56×46 pixels over 240, as ORL has them, or of
// 32×32 over 760, as Extended Yale B.
func benchmarkOver(b *testing.B, c coding.Coder, height, width, classes, per, n int) {
	d := faces(1, height*width, classes, per, 0.02)
	y := mat.DenseCopyOf(faces(2, height*width, classes, 44, 0.02).Slice(0, height*width, 0, n))
	groups := make([]int, classes+1)
	for i := range groups {
		groups[i] = i * per
	}
	if p, ok := c.(coding.Blocks); ok {
		placed, err := p.Place(height, width, 1)
		if err != nil {
			b.Fatal(err)
		}
		c = placed
	}
	over, err := c.Over(coding.Basis{D: d, Groups: groups})
	if err != nil {
		b.Fatal(err)
	}
	s, votes := mat.NewDense(classes*per, n, nil), mat.NewDense(classes, n, nil)
	b.ReportAllocs()
	for b.Loop() {
		if v, ok := over.(coding.Detailed); ok && coding.CanVote(c) {
			err = v.CodeWith(context.Background(), coding.Details{Votes: votes}, y)
		} else {
			err = over.Code(context.Background(), s, y)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRobustSingle(b *testing.B) {
	benchmarkOver(b, coding.DefaultRobust, 56, 46, 40, 6, 1)
}

func BenchmarkRobustBatch(b *testing.B) {
	benchmarkOver(b, coding.DefaultRobust, 56, 46, 40, 6, 160)
}

func BenchmarkRobustBatchWide(b *testing.B) {
	benchmarkOver(b, coding.DefaultRobust, 32, 32, 38, 20, 1654)
}

func BenchmarkReweightedBatch(b *testing.B) {
	c := coding.DefaultRobust
	c.Estimator = coding.Reweighted
	benchmarkOver(b, c, 56, 46, 40, 6, 16)
}

func BenchmarkBlocksSingle(b *testing.B) {
	benchmarkOver(b, coding.DefaultBlocks, 32, 32, 38, 20, 1)
}

func BenchmarkBlocksBatch(b *testing.B) {
	benchmarkOver(b, coding.DefaultBlocks, 32, 32, 38, 20, 1654)
}

func BenchmarkBlocksOver(b *testing.B) {
	d := faces(1, 56*46, 38, 20, 0.02)
	placed, err := coding.Blocks{Side: 16, Step: 8, Temperature: 0.1, Inner: coding.DefaultBlocks.Inner}.Place(56, 46, 1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := placed.Over(coding.Basis{D: d}); err != nil {
			b.Fatal(err)
		}
	}
}
