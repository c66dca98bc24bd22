package blas

import (
	"math"
	"math/rand"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

var (
	sides = []blas.Side{blas.Left, blas.Right}
	diags = []blas.Diag{blas.Unit, blas.NonUnit}
)

func TestTrsm(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		testTrsm(t, doubles(impl), impl.backend != Gonum, fullSizes(impl))
	})
}

// testTrsm uses NaN and infinite operands if bad; gonum skips zeros of A.
func testTrsm[T float](t *testing.T, f routines[T], bad, full bool) {
	r := rand.New(rand.NewSource(1))
	for i := range trials(400) {
		m, n := pick(r, edges), pick(r, edges)
		if i%20 == 0 {
			m, n = 60+r.Intn(200), 60+r.Intn(200)
			if !full {
				m, n = 60+m/4, 60+n/4
			}
		}
		s, ul, tr, d := pick(r, sides), pick(r, uplos), pick(r, transposes), pick(r, diags)
		q := n
		if s == blas.Left {
			q = m
		}
		a, b := newBlock[T](r, q, q), newBlock[T](r, m, n)
		dominate(a)
		forget(a, ul, d)
		alpha := T(pick(r, scales))
		if bad && r.Intn(4) == 0 {
			b.spoil(r)
		}
		want := b.clone()
		naiveTrsm(s, ul, tr, d, alpha, a, want)
		f.trsm(s, ul, tr, d, m, n, alpha, a.data, a.ld, b.data, b.ld)
		expect(t, b, want, tolerance[T](q), "%T m=%d n=%d %c%c%c%c alpha=%v", alpha, m, n, s, ul, tr, d, alpha)
	}
}

// forget makes NaN of all that a routine may not look at: the other triangle,
// and the diagonal if it is unit.
func forget[T float](a block[T], ul blas.Uplo, d blas.Diag) {
	for i := range a.rows {
		for j := range a.cols {
			if (ul == blas.Upper) == (j < i) && i != j || i == j && d == blas.Unit {
				a.data[i*a.ld+j] = T(math.NaN())
			}
		}
	}
}

// TestTrsmSingular: a zero on the diagonal gives what the division gives, and
// only in the rows that depend on it.
func TestTrsmSingular(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		r := rand.New(rand.NewSource(2))
		for _, n := range []int{1, 7, 20, 70, 130} {
			a, b := newBlock[float64](r, n, n), newBlock[float64](r, n, 5)
			dominate(a)
			z := n / 2
			a.data[z*a.ld+z] = 0
			want := b.clone()
			naiveTrsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, 1, a, want)
			impl.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, n, 5, 1, a.data, a.ld, b.data, b.ld)
			expect(t, b, want, tolerance[float64](n), "n=%d", n)
			if n > 1 && math.IsNaN(b.at(0, 0)) {
				t.Error("the first row depends on a later one")
			}
		}
	})
}

// TestTrmm: a product undone by the solve that TestTrsm trusts.
func TestTrmm(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		r := rand.New(rand.NewSource(3))
		for range trials(150) {
			m, n := pick(r, edges), pick(r, edges)
			s, ul, tr, d := pick(r, sides), pick(r, uplos), pick(r, transposes), pick(r, diags)
			q := n
			if s == blas.Left {
				q = m
			}
			a, b := newBlock[float64](r, q, q), newBlock[float64](r, m, n)
			dominate(a)
			forget(a, ul, d)
			want := b.clone()
			impl.Dtrmm(s, ul, tr, d, m, n, 0.5, a.data, a.ld, b.data, b.ld)
			naiveTrsm(s, ul, tr, d, 2, a, b)
			expect(t, b, want, tolerance[float64](q), "m=%d n=%d %c%c%c%c", m, n, s, ul, tr, d)
			impl.Dtrmm(s, ul, tr, d, m, n, 0, a.data, a.ld, b.data, b.ld)
			for i := range m {
				for j := range n {
					if b.at(i, j) != 0 {
						t.Fatal("alpha = 0 leaves a value")
					}
				}
			}
		}
	})
}

// positive makes a positive definite matrix, both triangles of it.
func positive(r *rand.Rand, n int) block[float64] {
	g, a := newBlock[float64](r, n, n), newBlock[float64](r, n, n)
	naiveGemm(full, blas.NoTrans, blas.Trans, n, 1, g, g, 0, a)
	for i := range n {
		a.data[i*a.ld+i] += float64(n)
	}
	return a
}

// using makes impl the one in use until restored.
func using(impl Implementation) (restore func()) {
	old := current.Swap(&impl)
	blas64.Use(impl)
	return func() {
		current.Store(old)
		blas64.Use(*old)
	}
}

func TestPotrf(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		defer using(impl)()
		r := rand.New(rand.NewSource(4))
		sizes := []int{95, 96, 98, 130}
		if fullSizes(impl) {
			sizes = append(sizes, 193, 201, 250)
		}
		for _, n := range append(sizes, edges...) {
			for _, ul := range uplos {
				a := positive(r, n)
				whole := a.clone()
				forget(a, ul, blas.NonUnit)
				if !Potrf(ul, n, a.data, a.ld) {
					t.Fatalf("n=%d %c: not positive definite", n, ul)
				}
				checkFactor(t, ul, a, whole)
				b := newBlock[float64](r, n, 1+r.Intn(30))
				x := b.clone()
				Potrs(ul, n, b.cols, a.data, a.ld, x.data, x.ld)
				ax := x.clone()
				naiveGemm(full, blas.NoTrans, blas.NoTrans, n, 1, whole, x, 0, ax)
				expect(t, ax, b, 1e-9, "n=%d %c: A·X is not B", n, ul)
			}
		}
	})
}

// checkFactor fails unless the factor in the triangle ul of f multiplies to
// whole and the other triangle is still NaN.
func checkFactor(t *testing.T, ul blas.Uplo, f, whole block[float64]) {
	t.Helper()
	n := f.rows
	for i := range n {
		for j := range n {
			if (ul == blas.Upper) == (j < i) && i != j {
				if !math.IsNaN(f.at(i, j)) {
					t.Fatalf("n=%d %c: (%d, %d) of the other triangle was written", n, ul, i, j)
				}
				continue
			}
			var sum float64
			for k := 0; k <= min(i, j); k++ {
				if ul == blas.Upper {
					sum += f.at(k, i) * f.at(k, j)
				} else {
					sum += f.at(i, k) * f.at(j, k)
				}
			}
			if math.Abs(sum-whole.at(i, j)) > 1e-12*float64(n*n) {
				t.Fatalf("n=%d %c: (%d, %d) is %v, want %v", n, ul, i, j, sum, whole.at(i, j))
			}
		}
	}
	for i := range n - 1 {
		for p := i*f.ld + n; p < (i+1)*f.ld; p++ {
			if f.data[p] != canary {
				t.Fatalf("n=%d %c: padding was written", n, ul)
			}
		}
	}
}

func TestPotrfNotPositive(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		defer using(impl)()
		r := rand.New(rand.NewSource(5))
		for _, n := range []int{1, 2, 9, 33, 97, 150, 210} {
			good := positive(r, n)
			for _, bad := range []float64{0, -1, math.NaN(), math.Inf(-1)} {
				for _, at := range []int{0, n / 2, n - 1} {
					for _, ul := range uplos {
						a := good.clone()
						a.data[at*a.ld+at] = bad
						if Potrf(ul, n, a.data, a.ld) {
							t.Errorf("n=%d %c: positive definite with %v at %d", n, ul, bad, at)
						}
					}
				}
			}
			if n > 1 {
				a := good.clone()
				a.data[n-1] = math.NaN()
				if Potrf(blas.Upper, n, a.data, a.ld) {
					t.Errorf("n=%d: positive definite with NaN off the diagonal", n)
				}
			}
		}
	})
}
