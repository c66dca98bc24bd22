package blas

import (
	"math/rand"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// newColumn makes a vector of standard normal values, without gaps.
func newColumn(r *rand.Rand, n int) block[float64] {
	b := block[float64]{rows: n, cols: 1, ld: 1, data: guarded[float64](r, n)}
	for i := range b.data {
		b.data[i] = r.NormFloat64()
	}
	return b
}

// TestGemv compares with the product of matrices of one column.
func TestGemv(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		r := rand.New(rand.NewSource(1))
		for range trials(200) {
			m, n, tr := pick(r, edges), pick(r, edges), pick(r, transposes)
			if m == 0 || n == 0 {
				continue
			}
			a := newOperand[float64](r, tr, m, n)
			x, y := newColumn(r, n), newColumn(r, m)
			alpha, beta := pick(r, scales), pick(r, scales)
			if beta == 0 {
				y.spoil(r)
			}
			want := y.clone()
			naiveGemm(full, tr, blas.NoTrans, n, alpha, a, x, beta, want)
			impl.Dgemv(tr, a.rows, a.cols, alpha, a.data, a.ld, x.data, 1, beta, y.data, 1)
			expect(t, y, want, tolerance[float64](n), "m=%d n=%d %c alpha=%v beta=%v", m, n, tr, alpha, beta)
		}
	})
}

// TestTrsv compares with substitution.
func TestTrsv(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		r := rand.New(rand.NewSource(2))
		for range trials(200) {
			n, ul, tr, d := pick(r, edges), pick(r, uplos), pick(r, transposes), pick(r, diags)
			if n == 0 {
				continue
			}
			a := newBlock[float64](r, n, n)
			x := newColumn(r, n)
			dominate(a)
			forget(a, ul, d)
			want := x.clone()
			naiveTrsm(blas.Left, ul, tr, d, 1, a, want)
			impl.Dtrsv(ul, tr, d, n, a.data, a.ld, x.data, 1)
			expect(t, x, want, tolerance[float64](n), "n=%d %c%c%c", n, ul, tr, d)
		}
	})
}

// TestLevel2Panics: as gonum does.
func TestLevel2Panics(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		ref := gonum.Implementation{}
		a, x := make([]float64, 9), make([]float64, 3)
		for i, f := range []func(blas.Float64){
			func(f blas.Float64) { f.Dgemv(blas.NoTrans, 3, 3, 1, a, 2, x, 1, 0, x, 1) },
			func(f blas.Float64) { f.Dgemv(blas.NoTrans, 3, 3, 1, a[:8], 3, x, 1, 0, x, 1) },
			func(f blas.Float64) { f.Dgemv(blas.Trans, 2, 3, 1, a, 3, x, 1, 0, x[:2], 1) },
			func(f blas.Float64) { f.Dgemv('x', 3, 3, 1, a, 3, x, 1, 0, x, 1) },
			func(f blas.Float64) { f.Dgemv(blas.NoTrans, 3, 3, 1, a, 3, x, 0, 0, x, 1) },
			func(f blas.Float64) { f.Dgemv(blas.NoTrans, 0, 3, 1, a, 3, x, 1, 0, x, 1) },
			func(f blas.Float64) { f.Dtrsv(blas.Upper, blas.NoTrans, 'x', 3, a, 3, x, 1) },
			func(f blas.Float64) { f.Dtrsv('x', blas.NoTrans, blas.Unit, 3, a, 3, x, 1) },
			func(f blas.Float64) { f.Dtrsv(blas.Upper, blas.NoTrans, blas.Unit, 3, a, 3, x[:2], 1) },
			func(f blas.Float64) { f.Dtrsv(blas.Upper, blas.NoTrans, blas.Unit, -1, a, 3, x, 1) },
		} {
			same(t, string(rune('a'+i)), f, impl, ref)
		}
	})
}
