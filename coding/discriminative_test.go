package coding_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
)

// discriminativeObjective is ‖y − D·s‖² + τ·Σ_i Σ_j ‖D_i·s_i + D_j·s_j‖², term
// by term as it is printed.
func discriminativeObjective(d *mat.Dense, groups []int, s, y *mat.Dense, tau float64) float64 {
	m, _ := d.Dims()
	u := make([]mat.Dense, len(groups)-1)
	rest := mat.DenseCopyOf(y)
	for i := range u {
		lo, hi := groups[i], groups[i+1]
		u[i].Mul(d.Slice(0, m, lo, hi), s.Slice(lo, hi, 0, 1))
		rest.Sub(rest, &u[i])
	}
	squared := func(a mat.Matrix) float64 { return mat.Norm(a, 2) * mat.Norm(a, 2) }
	sum := squared(rest)
	for i := range u {
		for j := range u {
			var both mat.Dense
			both.Add(&u[i], &u[j])
			sum += tau * squared(&both)
		}
	}
	return sum
}

// TestDiscriminativeIsOptimal: the gradient of the printed objective, by central
// differences, which are exact for a quadratic, is zero.
func TestDiscriminativeIsOptimal(t *testing.T) {
	for seed := range uint64(10) {
		groups := []int{0, 3, 4, 9, 9 + 1 + int(seed)}
		m, k := 12+int(seed), groups[4] // K < d at first, later K > d
		d, y := normal(seed, m, k), normal(seed+20, m, 1)
		for _, tau := range []float64{0, 1e-4, 0.01, 1, 10} {
			if tau == 0 && k > m {
				continue // below
			}
			s := codeByClass(t, coding.Discriminative{Tau: tau}, d, groups, y)
			largest := largestSlope(d, groups, s, y, tau)
			unit := (1 + tau) * mat.Norm(d, 2) * (mat.Norm(y, 2) + mat.Norm(d, 2)*mat.Norm(s, 2))
			if !(largest <= 1e-9*unit) {
				t.Errorf("d = %d, K = %d, τ = %g: a slope of %g", m, k, tau, largest)
			}
			if tau > 0 && !(largestSlope(d, groups, s, y, 2*tau) > 1e-6*unit*tau) {
				t.Errorf("τ = %g: the slope at 2τ is zero too", tau)
			}
		}
	}
}

// largestSlope returns the largest magnitude of the gradient at s.
func largestSlope(d *mat.Dense, groups []int, s, y *mat.Dense, tau float64) float64 {
	const h = 1e-2
	var largest float64
	for k := range groups[len(groups)-1] {
		at := func(h float64) float64 {
			moved := mat.DenseCopyOf(s)
			moved.Set(k, 0, moved.At(k, 0)+h)
			return discriminativeObjective(d, groups, moved, y, tau)
		}
		largest = max(largest, math.Abs(at(h)-at(-h))/(2*h))
	}
	return largest
}

// TestDiscriminativeOfDependentAtoms: what a class rebuilds is unique, and is
// what its independent atoms alone rebuild; equal atoms share the coefficient.
func TestDiscriminativeOfDependentAtoms(t *testing.T) {
	d, y := normal(40, 15, 6), normal(41, 15, 3)
	wide := mat.NewDense(15, 8, nil)
	for to, from := range []int{0, 1, 1, 2, 3, 4, 5, 5} {
		wide.SetCol(to, mat.Col(nil, from, d))
	}
	c := coding.Discriminative{Tau: 0.05}
	want := codeByClass(t, c, d, []int{0, 3, 6}, y)
	got := codeByClass(t, c, wide, []int{0, 4, 8}, y)
	for j := range 3 {
		for i, atoms := range [][]int{{0}, {1, 2}, {3}, {4}, {5}, {6, 7}} {
			for _, k := range atoms {
				share := want.At(i, j) / float64(len(atoms))
				if math.Abs(got.At(k, j)-share) > 1e-6 {
					t.Errorf("atom %d has the coefficient %v, want %v", k, got.At(k, j), share)
				}
			}
		}
	}
}

// TestDiscriminativeOfManyAtoms: K > d, with and without τ, and n_c > d.
func TestDiscriminativeOfManyAtoms(t *testing.T) {
	d, y := normal(42, 6, 30), normal(43, 6, 2)
	for _, groups := range [][]int{groupsOf(30, 5), groupsOf(30, 15)} {
		for _, tau := range []float64{0, 1e-6, 0.1} {
			s := codeByClass(t, coding.Discriminative{Tau: tau}, d, groups, y)
			for j := range 2 {
				sj, yj := mat.DenseCopyOf(s.ColView(j)), mat.DenseCopyOf(y.ColView(j))
				if slope := largestSlope(d, groups, sj, yj, tau); !(slope <= 1e-6) || !(mat.Norm(sj, 2) < 10) {
					t.Errorf("τ = %g: a slope of %g, a code of norm %g", tau, slope, mat.Norm(sj, 2))
				}
			}
		}
	}
}

// TestDiscriminativeWithoutTau is ridge coding without λ.
func TestDiscriminativeWithoutTau(t *testing.T) {
	d, y := normal(44, 20, 9), normal(45, 20, 4)
	if !sameBits(codeByClass(t, coding.Discriminative{}, d, groupsOf(9, 3), y), code(t, coding.Ridge{}, d, y)) {
		t.Error("τ = 0 is not least squares")
	}
}

func BenchmarkDiscriminativeOver(b *testing.B) {
	d, _ := benchmarkData(false)
	groups := groupsOf(760, 20)
	for b.Loop() {
		if _, err := coding.DefaultDiscriminative.Over(coding.Basis{D: d, Groups: groups}); err != nil {
			b.Fatal(err)
		}
	}
}
