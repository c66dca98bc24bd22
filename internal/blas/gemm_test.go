package blas

import (
	"math/rand"
	"os"
	"testing"

	"gonum.org/v1/gonum/blas"
)

var (
	transposes = []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}
	uplos      = []blas.Uplo{blas.Upper, blas.Lower}
	scales     = []float64{0, 1, -1, 0.5}
	// around the edges of tiles, panels and parts
	edges = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 17, 23, 24, 25, 31, 32, 33, 47, 48, 49, 61, 63, 64, 65, 97, 101}
)

func pick[E any](r *rand.Rand, from []E) E { return from[r.Intn(len(from))] }

// shapes are n random shapes, then one beyond each of the limits of blocking.
func shapes(r *rand.Rand, n int) [][3]int {
	var all [][3]int
	for range trials(n) {
		all = append(all, [3]int{pick(r, edges), pick(r, edges), pick(r, edges)})
	}
	for range trials(n / 20) {
		all = append(all, [3]int{100 + r.Intn(60), 100 + r.Intn(60), 80 + r.Intn(60)})
	}
	return append(all,
		[3]int{mcMax + 7, 30, 21}, [3]int{33, ncMax + 5, 13}, [3]int{40, 41, 2*kcMax + 3},
		[3]int{1, 300, kcMax + 1}, [3]int{300, 1, kcMax + 1}, [3]int{5, 6, kcMax + 300})
}

func TestGemm(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		testGemm(t, doubles(impl), impl.backend != Gonum)
		testGemm(t, singles(impl), impl.backend != Gonum)
	})
}

// testGemm uses NaN and infinite operands if bad; gonum reads A even if alpha is 0
func testGemm[T float](t *testing.T, f routines[T], bad bool) {
	r := rand.New(rand.NewSource(1))
	for _, s := range shapes(r, 300) {
		m, n, k := s[0], s[1], s[2]
		tA, tB := pick(r, transposes), pick(r, transposes)
		a, b, c := newOperand[T](r, tA, m, k), newOperand[T](r, tB, k, n), newBlock[T](r, m, n)
		alpha, beta := T(pick(r, scales)), T(pick(r, scales))
		if bad && r.Intn(4) == 0 {
			a.spoil(r)
			b.spoil(r)
		}
		if beta == 0 {
			c.spoil(r) // to be overwritten
		}
		want := c.clone()
		naiveGemm(full, tA, tB, k, alpha, a, b, beta, want)
		f.gemm(tA, tB, m, n, k, alpha, a.data, a.ld, b.data, b.ld, beta, c.data, c.ld)
		expect(t, c, want, tolerance[T](k), "%T m=%d n=%d k=%d %c%c alpha=%v beta=%v", alpha, m, n, k, tA, tB, alpha, beta)
	}
}

func TestSyrk(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		testSyrk(t, doubles(impl), impl.backend != Gonum)
	})
}

func testSyrk[T float](t *testing.T, f routines[T], bad bool) {
	r := rand.New(rand.NewSource(2))
	other := map[blas.Transpose]blas.Transpose{blas.NoTrans: blas.Trans, blas.Trans: blas.NoTrans, blas.ConjTrans: blas.NoTrans}
	for i, s := range shapes(r, 150) {
		n, k := s[0], s[2]
		if n > 200 {
			n = 210 + i // naive is slow
		}
		tA, ul := pick(r, transposes), pick(r, uplos)
		a, c := newOperand[T](r, tA, n, k), newBlock[T](r, n, n)
		alpha, beta := T(pick(r, scales)), T(pick(r, scales))
		if bad && r.Intn(4) == 0 {
			a.spoil(r)
		}
		want := c.clone()
		naiveGemm(triangleOf(ul), tA, other[tA], k, alpha, a, a, beta, want)
		f.syrk(ul, tA, n, k, alpha, a.data, a.ld, beta, c.data, c.ld)
		expect(t, c, want, tolerance[T](k), "%T n=%d k=%d %c%c alpha=%v beta=%v", alpha, n, k, ul, tA, alpha, beta)
	}
}

// TestSyrkTall goes beyond the number of rows and columns that are packed at a
// time; with NRDL_LONG=1 also beyond that of rows alone, and in the lower triangle.
func TestSyrkTall(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		if !fullSizes(impl) || impl.backend == Gonum || raceEnabled || testing.Short() {
			t.Skip("slow")
		}
		r := rand.New(rand.NewSource(3))
		const k = 3
		sizes := []int{ncMax + 100} // more than mcMax
		if os.Getenv("NRDL_LONG") != "" {
			sizes = append(sizes, mcMax+100)
		}
		for _, n := range sizes {
			for _, ul := range uplos[:len(sizes)] {
				a, c := newBlock[float64](r, n, k), newBlock[float64](r, n, n)
				want := c.clone()
				naiveGemm(triangleOf(ul), blas.NoTrans, blas.Trans, k, 1, a, a, 1, want)
				impl.Dsyrk(ul, blas.NoTrans, n, k, 1, a.data, a.ld, 1, c.data, c.ld)
				expect(t, c, want, tolerance[float64](k), "n=%d %c", n, ul)
			}
		}
	})
}

func TestSyr2k(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		r := rand.New(rand.NewSource(4))
		for range trials(60) {
			n, k := pick(r, edges), pick(r, edges)
			tA, ul := pick(r, transposes[:2]), pick(r, uplos)
			tB := transposes[1]
			if tA == blas.Trans {
				tB = blas.NoTrans
			}
			a, b, c := newOperand[float64](r, tA, n, k), newOperand[float64](r, tA, n, k), newBlock[float64](r, n, n)
			alpha, beta := pick(r, scales), pick(r, scales)
			want := c.clone()
			naiveGemm(triangleOf(ul), tA, tB, k, alpha, a, b, beta, want)
			naiveGemm(triangleOf(ul), tA, tB, k, alpha, b, a, 1, want)
			impl.Dsyr2k(ul, tA, n, k, alpha, a.data, a.ld, b.data, b.ld, beta, c.data, c.ld)
			expect(t, c, want, tolerance[float64](2*k), "n=%d k=%d %c%c alpha=%v beta=%v", n, k, ul, tA, alpha, beta)
		}
	})
}
