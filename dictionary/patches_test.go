package dictionary

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestPatchesAreInTheirOrder(t *testing.T) {
	picture := mat.NewDense(3, 4, []float64{
		0, 1, 2, 3,
		4, 5, 6, 7,
		8, 9, 10, 11,
	})
	x, err := Patches{Height: 2, Width: 3, Stride: 1}.Cut(picture)
	want := mat.NewDense(6, 4, []float64{ // a column a patch
		0, 1, 4, 5,
		4, 5, 8, 9,
		1, 2, 5, 6,
		5, 6, 9, 10,
		2, 3, 6, 7,
		6, 7, 10, 11,
	})
	if err != nil || !mat.Equal(x, want) {
		t.Errorf("%v, %v", mat.Formatted(x), err)
	}
}

// TestAssembleUndoesCut and is the average of all patches that a pixel is in.
func TestAssembleUndoesCut(t *testing.T) {
	for _, c := range []struct {
		p             Patches
		height, width int
	}{
		{Patches{8, 8, 1}, 19, 23},
		{Patches{8, 8, 8}, 16, 24},
		{Patches{8, 8, 5}, 17, 30},
		{Patches{3, 5, 2}, 4, 12},
		{Patches{1, 1, 1}, 5, 6},
		{Patches{7, 4, 100}, 7, 4},
		{Patches{8, 8, 9}, 15, 8}, // the last patch lies against the edge
	} {
		picture := gaussian(1, c.height, c.width)
		x, err := c.p.Cut(picture)
		if err != nil {
			t.Fatal(c, err)
		}
		again, err := c.p.Assemble(x, c.height, c.width)
		if err != nil || !mat.EqualApprox(again, picture, 1e-14) {
			t.Errorf("%v: another picture, or %v", c, err)
		}
		d, n := x.Dims()
		other := gaussian(2, d, n)
		got, err := c.p.Assemble(other, c.height, c.width)
		if err != nil {
			t.Fatal(c, err)
		}
		// ⟨Assemble(Y), P⟩ = Σ of ⟨Y, Cut(P)⟩ with every pixel divided by how
		// many patches it is in: the average is the adjoint of cutting.
		x.Apply(func(_, _ int, _ float64) float64 { return 1 }, x)
		in := mat.NewDense(c.height, c.width, nil)
		for i := range c.height {
			for j := range c.width {
				unit := mat.NewDense(c.height, c.width, nil)
				unit.Set(i, j, 1)
				at, _ := c.p.Cut(unit)
				in.Set(i, j, mat.Sum(at))
				at.MulElem(at, other)
				if math.Abs(mat.Sum(at)/in.At(i, j)-got.At(i, j)) > 1e-13 {
					t.Fatalf("%v: pixel (%d, %d) is not the average", c, i, j)
				}
			}
		}
	}
}

func TestPatchesRefuse(t *testing.T) {
	for _, c := range []struct {
		p             Patches
		height, width int
	}{{Patches{0, 8, 1}, 9, 9}, {Patches{8, -1, 1}, 9, 9}, {Patches{8, 8, 0}, 9, 9}, {Patches{10, 8, 1}, 9, 9}, {Patches{8, 10, 1}, 9, 9}} {
		if _, err := c.p.Cut(mat.NewDense(c.height, c.width, nil)); err == nil {
			t.Errorf("%v are cut", c)
		}
		if _, err := c.p.Assemble(mat.NewDense(1, 1, nil), c.height, c.width); err == nil {
			t.Errorf("%v are assembled", c)
		}
	}
	apart := Patches{4, 4, 6}
	x, err := apart.Cut(mat.NewDense(10, 10, nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := apart.Assemble(x, 10, 10); err == nil {
		t.Error("a picture with holes is assembled")
	}
	if _, err := DefaultPatches.Assemble(mat.NewDense(64, 3, nil), 10, 10); err == nil {
		t.Error("3 patches make a picture of 9")
	}
}

func TestMeans(t *testing.T) {
	x := gaussian(3, 9, 5)
	x.SetCol(2, slices.Repeat([]float64{1}, 9))
	y := mat.DenseCopyOf(x)
	means := TakeMeans(y)
	for j := range 5 {
		if math.Abs(mat.Sum(y.ColView(j))) > 1e-14 || math.Abs(mat.Sum(x.ColView(j))/9-means[j]) > 1e-15 {
			t.Errorf("column %d has the sum %v less its mean %v", j, mat.Sum(y.ColView(j)), means[j])
		}
	}
	AddMeans(y, means)
	if !mat.EqualApprox(x, y, 1e-15) {
		t.Error("the means do not come back")
	}
}
