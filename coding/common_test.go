package coding_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
)

// violation returns how far the code s of y over d is from the optimality
// conditions of non-negative least squares, as a part of max(1, ‖Dᵀy‖∞).
func violation(d *mat.Dense, s, y []float64) float64 {
	m, k := d.Dims()
	rest := make([]float64, m) // D·s − y
	for i := range m {
		rest[i] = -y[i]
		for j, v := range s {
			rest[i] += d.At(i, j) * v
		}
	}
	unit, largest := 1.0, 0.0
	for j := range k {
		var f, w float64
		for i := range m {
			f += d.At(i, j) * y[i]
			w += d.At(i, j) * rest[i]
		}
		unit = max(unit, math.Abs(f))
		largest = max(largest, -w, -s[j])
		if s[j] > 0 {
			largest = max(largest, w)
		}
	}
	return largest / unit
}

func worstViolation(d, s, y *mat.Dense) float64 {
	_, n := y.Dims()
	var worst float64
	for j := range n {
		worst = max(worst, violation(d, mat.Col(nil, j, s), mat.Col(nil, j, y)))
	}
	return worst
}

// code codes y over d by c, into a matrix of garbage.
func code(t testing.TB, c coding.Coder, d, y *mat.Dense) *mat.Dense {
	t.Helper()
	over, err := c.Over(coding.Basis{D: d})
	if err != nil {
		t.Fatalf("Over: %v", err)
	}
	return codeOver(t, over, d, y)
}

func codeOver(t testing.TB, over coding.Coding, d, y *mat.Dense) *mat.Dense {
	t.Helper()
	_, k := d.Dims()
	_, n := y.Dims()
	s := fill(k, n, func(int, int) float64 { return math.NaN() })
	if err := over.Code(context.Background(), s, y); err != nil {
		t.Fatalf("Code: %v", err)
	}
	return s
}

func fill(m, n int, f func(i, j int) float64) *mat.Dense {
	a := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			a.Set(i, j, f(i, j))
		}
	}
	return a
}

func normal(seed uint64, m, n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	return fill(m, n, func(int, int) float64 { return rng.NormFloat64() })
}

func unitColumns(a *mat.Dense) *mat.Dense {
	m, n := a.Dims()
	for j := range n {
		norm := mat.Norm(a.ColView(j), 2)
		for i := range m {
			a.Set(i, j, a.At(i, j)/norm)
		}
	}
	return a
}

// faces makes unit columns as alike as faces are: non-negative mixtures of a
// few smooth shapes a person, with a little noise of the given size; per
// columns for each of the classes.
func faces(seed uint64, d, classes, per int, noise float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 2))
	const shapes = 9
	x := mat.NewDense(d, classes*per, nil)
	base := make([][]float64, shapes)
	for c := range classes {
		for b := range base {
			base[b] = make([]float64, d)
			u, v := 0.02+0.2*float64(c+1)/float64(classes)*rand.New(rand.NewPCG(uint64(c), uint64(b))).Float64(), float64(b)
			for i := range d {
				base[b][i] = 1 + math.Sin(u*float64(i)+v)
			}
		}
		for j := range per {
			for b := range base {
				weight := rng.ExpFloat64()
				for i := range d {
					x.Set(i, c*per+j, x.At(i, c*per+j)+weight*base[b][i])
				}
			}
			for i := range d {
				x.Set(i, c*per+j, max(0, x.At(i, c*per+j)+noise*shapes*rng.NormFloat64()))
			}
		}
	}
	return unitColumns(x)
}

// sameBits reports whether a and b are equal bit by bit.
func sameBits(a, b *mat.Dense) bool {
	m, n := a.Dims()
	for i := range m {
		for j := range n {
			if math.Float64bits(a.At(i, j)) != math.Float64bits(b.At(i, j)) {
				return false
			}
		}
	}
	return true
}

// withThreads runs f with n threads.
func withThreads(n int, f func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	f()
}
