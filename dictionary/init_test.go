package dictionary

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// cosines returns |AᵀB|.
func cosines(a, b *mat.Dense) *mat.Dense {
	var c mat.Dense
	c.Mul(a.T(), b)
	c.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, &c)
	return &c
}

// mustBeUnit fails unless the columns of d have norm 1 and no two of them one
// direction.
func mustBeUnit(t *testing.T, what string, d *mat.Dense) {
	t.Helper()
	_, k := d.Dims()
	c := cosines(d, d)
	for i := range k {
		for j := range i + 1 {
			if v := c.At(i, j); i == j && math.Abs(v-1) > 1e-14 || i != j && v > 1-1e-9 {
				t.Fatalf("%s: atoms %d and %d have the product %v", what, i, j, v)
			}
		}
	}
}

func TestFromSamplesDrawsDirections(t *testing.T) {
	x := gaussian(1, 7, 30)
	lin.Cols(x, 4, 6).Zero()
	for j, f := range map[int]float64{10: 1, 11: -1, 12: 3, 13: -0.1} { // five samples of one direction
		lin.Set(lin.Cols(x, j, j+1), f, lin.Cols(x, 9, 10))
	}
	const directions = 30 - 2 - 4
	for _, k := range []int{1, 8, directions} {
		d, err := FromSamples(x, k, 5)
		if err != nil {
			t.Fatal(err)
		}
		mustBeUnit(t, "samples", d)
		c := cosines(d, classify.Unit(x))
		for i := range k {
			if m := mat.Max(c.RowView(i)); m < 1-1e-14 {
				t.Errorf("K = %d: atom %d is no sample: its largest cosine is %v", k, i, m)
			}
		}
		again, err := FromSamples(x, k, 5)
		if err != nil || !mat.Equal(d, again) {
			t.Errorf("the same seed draws others, or %v", err)
		}
		if other, _ := FromSamples(x, k, 6); mat.Equal(d, other) {
			t.Error("another seed draws the same")
		}
	}
	for _, k := range []int{0, -1, directions + 1, 31, maxNumbers} {
		d, err := FromSamples(x, k, 5)
		if err == nil || d != nil || (advice.Text(err) != "") != (k > directions && k < maxNumbers) {
			t.Errorf("K = %d: %v, hint %q", k, err, advice.Text(err))
		}
	}
	if all, err := AtMost(x, 31, 5); err != nil || all.RawMatrix().Cols != directions {
		t.Errorf("at most 31 atoms of %d directions: %v", directions, err)
	}
	if _, err := FromSamples(mat.NewDense(7, 3, nil), 1, 5); err == nil {
		t.Error("zeros are drawn from")
	}
	x.Set(1, 1, math.NaN())
	if _, err := FromSamples(x, 3, 5); err == nil {
		t.Error("NaN is drawn from")
	}
}
