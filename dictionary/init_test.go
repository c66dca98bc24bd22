package dictionary

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl/classify"
	"nrdl/internal/hint"
	"nrdl/internal/lin"
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
		if err == nil || d != nil || (hint.Of(err) != "") != (k > directions && k < maxNumbers) {
			t.Errorf("K = %d: %v, hint %q", k, err, hint.Of(err))
		}
	}
	if _, err := FromSamples(mat.NewDense(7, 3, nil), 1, 5); err == nil {
		t.Error("zeros are drawn from")
	}
	x.Set(1, 1, math.NaN())
	if _, err := FromSamples(x, 3, 5); err == nil {
		t.Error("NaN is drawn from")
	}
}

func TestRandom(t *testing.T) {
	a, err := Random(6, 50, 3)
	if err != nil {
		t.Fatal(err)
	}
	mustBeUnit(t, "random", a)
	fewer, _ := Random(6, 20, 3)
	if !mat.Equal(fewer, lin.Cols(a, 0, 20)) {
		t.Error("an atom depends on how many follow")
	}
	if other, _ := Random(6, 50, 4); mat.Equal(a, other) {
		t.Error("the seed does not matter")
	}
	for _, size := range [][2]int{{0, 1}, {1, 0}, {1 << 20, 1 << 20}} {
		if _, err := Random(size[0], size[1], 1); err == nil {
			t.Errorf("%d atoms of %d features", size[1], size[0])
		}
	}
}

func TestCosines(t *testing.T) {
	for _, c := range [][4]int{{8, 8, 8, 8}, {8, 8, 16, 16}, {5, 3, 7, 4}, {1, 6, 1, 9}, {2, 2, 2, 1}, {4, 2, 3, 2}, {8, 8, 11, 5}} {
		d, err := Cosines(c[0], c[1], c[2], c[3])
		if err != nil {
			t.Fatal(c, err)
		}
		if m, k := d.Dims(); m != c[0]*c[1] || k != c[2]*c[3] {
			t.Fatalf("%v: %d×%d", c, m, k)
		}
		mustBeUnit(t, "cosines", d)
		for j := range c[2] * c[3] {
			if sum := mat.Sum(d.ColView(j)); math.Abs(sum) > 1e-12 && j > 0 {
				t.Errorf("%v: atom %d has the sum %v", c, j, sum)
			}
			for i := range c[0] * c[1] {
				if j < c[2] && math.Abs(d.At(i, j)-d.At(i%c[0], j)) > 1e-14 {
					t.Fatalf("%v: atom %d is not constant across", c, j)
				}
			}
		}
	}
	d, _ := Cosines(8, 4, 8, 4)
	var gram mat.Dense
	gram.Mul(d, d.T())
	if !mat.EqualApprox(&gram, mat.NewDiagDense(32, ones(32)), 1e-14) {
		t.Error("as many frequencies as pixels are not an orthonormal basis")
	}
	for _, c := range [][4]int{{0, 8, 1, 1}, {8, -1, 1, 1}, {8, 8, 0, 1}, {8, 8, 1, 0}, {2, 8, 3, 8}, {8, 1, 8, 2}, {8, 8, 1 << 13, 1}, {8, 8, 1 << 12, 1 << 12}} {
		if _, err := Cosines(c[0], c[1], c[2], c[3]); err == nil {
			t.Errorf("%v is possible", c)
		}
	}
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}
