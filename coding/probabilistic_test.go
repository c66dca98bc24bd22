package coding_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
)

// probabilisticObjective is ‖y − D·s‖² + λ‖s‖² + γ/C·Σ_i ‖D·s − D_i·s_i‖², term by
// term as it is printed.
func probabilisticObjective(d *mat.Dense, groups []int, s, y *mat.Dense, c coding.Probabilistic) float64 {
	m, _ := d.Dims()
	squared := func(a, b mat.Matrix) float64 {
		var rest mat.Dense
		rest.Sub(a, b)
		return mat.Norm(&rest, 2) * mat.Norm(&rest, 2)
	}
	var all mat.Dense
	all.Mul(d, s)
	sum := squared(y, &all) + c.Lambda*mat.Dot(s.ColView(0), s.ColView(0))
	for i, lo := range groups[:len(groups)-1] {
		hi := groups[i+1]
		var own mat.Dense
		own.Mul(d.Slice(0, m, lo, hi), s.Slice(lo, hi, 0, 1))
		sum += c.Gamma / float64(len(groups)-1) * squared(&all, &own)
	}
	return sum
}

// The gradient of the printed objective, by central differences, which are exact
// for a quadratic, is zero, with two classes and with more, K below and above d.
func TestProbabilisticIsOptimal(t *testing.T) {
	for seed, groups := range [][]int{{0, 3, 7}, {0, 3, 4, 9, 12}, {0, 9, 15, 20, 21, 25}} {
		k := groups[len(groups)-1]
		d, y := normal(uint64(seed), 12, k), normal(uint64(seed)+20, 12, 1)
		for _, c := range []coding.Probabilistic{coding.DefaultProbabilistic, {Lambda: 1e-4, Gamma: 0}, {Lambda: 0.1, Gamma: 10}} {
			s := codeByClass(t, c, d, groups, y)
			for j := range k {
				at := func(h float64) float64 {
					moved := mat.DenseCopyOf(s)
					moved.Set(j, 0, moved.At(j, 0)+h)
					return probabilisticObjective(d, groups, moved, y, c)
				}
				if slope := (at(0.01) - at(-0.01)) / 0.02; !(math.Abs(slope) < 1e-9) {
					t.Errorf("%+v, %v: a slope of %g", c, groups, slope)
				}
			}
		}
	}
}

// TestProbabilisticWithoutGamma is ridge coding.
func TestProbabilisticWithoutGamma(t *testing.T) {
	d, y := normal(44, 20, 9), normal(45, 20, 4)
	if !sameBits(codeByClass(t, coding.Probabilistic{Lambda: 0.1}, d, groupsOf(9, 3), y), code(t, coding.Ridge{Lambda: 0.1}, d, y)) {
		t.Error("γ = 0 is not ridge coding")
	}
}
