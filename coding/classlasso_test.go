package coding_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
)

// The code over each class is that of Lasso over its atoms, with few atoms and more,
// with dependent ones, and for a gap that only Lasso reaches.
func TestClassLassoIsTheLassoOfEachClass(t *testing.T) {
	d, y := faces(1, 50, 5, 8, 0.02), faces(2, 50, 5, 6, 0.02)
	d.SetCol(9, mat.Col(nil, 8, d))
	wide := normal(3, 90, 80)
	for _, c := range []struct {
		d, y   *mat.Dense
		groups []int
	}{{d, y, []int{0, 8, 17, 20, 21, 40}}, {unitColumns(wide), normal(4, 90, 5), []int{0, 70, 80}}} {
		for _, λ := range []float64{0.1, 0.01, 1e-4} {
			for _, gap := range []float64{1e-10, 1e-13} {
				s := codeByClass(t, coding.ClassLasso{Lambda: λ, Gap: gap}, c.d, c.groups, c.y)
				m, _ := c.d.Dims()
				_, n := c.y.Dims()
				for i, lo := range c.groups[:len(c.groups)-1] {
					hi := c.groups[i+1]
					own := mat.DenseCopyOf(c.d.Slice(0, m, lo, hi))
					want := code(t, coding.Lasso{Lambda: λ, Gap: gap}, own, c.y)
					var a, b mat.Dense // what is rebuilt is unique
					a.Mul(own, s.Slice(lo, hi, 0, n))
					b.Mul(own, want)
					if !mat.EqualApprox(&a, &b, 1e-4) {
						t.Errorf("λ = %v, gap %v, class %d: another code", λ, gap, i)
					}
				}
			}
		}
	}
}
