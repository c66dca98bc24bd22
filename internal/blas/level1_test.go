package blas

import (
	"math"
	"math/rand"
	"testing"

	"gonum.org/v1/gonum/blas/gonum"
)

// TestLevel1 compares with sums one element at a time, and with gonum where
// vectors have gaps.
func TestLevel1(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		r := rand.New(rand.NewSource(1))
		for n := 1; n < 150; n++ {
			x, y := newBlock[float64](r, 1, n), newBlock[float64](r, 1, n)
			alpha := r.NormFloat64()
			if n%7 == 0 {
				x.spoil(r)
			}
			var sum float64
			for i := range n {
				sum += x.at(0, i) * y.at(0, i)
			}
			if got := impl.Ddot(n, x.data, 1, y.data, 1); !sameClass(got, sum, tolerance[float64](n)) {
				t.Errorf("dot of %d elements: %v, want %v", n, got, sum)
			}
			want := y.clone()
			for i := range n {
				want.data[i] += alpha * x.at(0, i)
			}
			impl.Daxpy(n, alpha, x.data, 1, y.data, 1)
			expect(t, y, want, 1e-15, "axpy of %d elements", n)
			impl.Daxpy(n, 0, x.data, 1, y.data, 1)
			expect(t, y, want, 1e-15, "axpy of %d elements by 0", n)
			if got, want := impl.Idamax(n, x.data, 1), (gonum.Implementation{}).Idamax(n, x.data, 1); got != want {
				t.Errorf("largest of %d elements: %d, want %d", n, got, want)
			}
		}
		x, y := []float64{1, 9, -2, 9, 2}, []float64{3, 9, 4, 9, 5}
		if got := impl.Ddot(3, x, 2, y, 2); got != 5 {
			t.Errorf("dot of vectors with gaps: %v", got)
		}
		if got := impl.Idamax(3, x, 2); got != 1 {
			t.Errorf("of two equal magnitudes: %d", got)
		}
	})
}

// TestLevel1Place: neither place nor neighbours matter to an element of Daxpy,
// nor the place to Ddot.
func TestLevel1Place(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		if impl.backend == Gonum {
			t.Skip("not promised")
		}
		r := rand.New(rand.NewSource(2))
		const n = 70
		x, y := newBlock[float64](r, 1, n), newBlock[float64](r, 1, n)
		whole := y.clone()
		impl.Daxpy(n, 0.3, x.data, 1, whole.data, 1)
		for i := range n {
			part := append([]float64(nil), y.data[i:n]...)
			impl.Daxpy(n-i, 0.3, x.data[i:], 1, part, 1)
			sameBits(t, part, whole.data[i:n], "from element %d", i)
			moved := append([]float64(nil), x.data[i:n]...)
			a, b := impl.Ddot(n-i, x.data[i:], 1, y.data[i:], 1), impl.Ddot(n-i, moved, 1, y.data[i:], 1)
			sameBits(t, []float64{a}, []float64{b}, "dot from element %d", i)
		}
	})
}

func TestLevel1Panics(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		for name, f := range map[string]func(){
			"short x of dot":  func() { impl.Ddot(2, []float64{1}, 1, []float64{1, 2}, 1) },
			"short y of axpy": func() { impl.Daxpy(2, 1, []float64{1, 2}, 1, []float64{1}, 1) },
			"n < 0":           func() { impl.Daxpy(-1, 1, nil, 1, nil, 1) },
			"increment 0":     func() { impl.Ddot(1, []float64{1}, 0, []float64{1}, 1) },
			"short x of amax": func() { impl.Idamax(2, []float64{1}, 1) },
			"n < 0 elements":  func() { impl.Idamax(-1, []float64{1}, 1) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic", name)
					}
				}()
				f()
			}()
		}
		if impl.Ddot(0, nil, 1, nil, 1) != 0 || impl.Idamax(0, nil, 1) != -1 {
			t.Error("vectors of no elements")
		}
		if got := impl.Idamax(3, []float64{math.NaN(), 1, 2}, 1); got != 0 {
			t.Errorf("NaN first: %d", got)
		}
	})
}
