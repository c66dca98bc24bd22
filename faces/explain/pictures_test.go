package explain

import (
	"image"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/method"
)

// values are the grey values of a picture, column after column.
func values(s figure) (v []float64) {
	b := s.img.Bounds()
	for x := range b.Dx() {
		for y := range b.Dy() {
			v = append(v, float64(s.img.(*image.Gray).GrayAt(x, y).Y))
		}
	}
	return v
}

func largestDifference(a, b []float64) (d float64) {
	for i, v := range a {
		d = max(d, math.Abs(v-min(255, max(0, b[i]))))
	}
	return d
}

// Of pixels the pictures are the face, D·s and D_c·s_c, as bright as the face.
func TestRebuiltPixels(t *testing.T) {
	set, face := drawn(t)
	m := learn(t, method.DefaultCRC, set, "16x12 pixels")
	f := newView(partsOf(m), pageOf(t, m, face).Faces[0].Explanation)
	r, err := f.rebuilt()
	if err != nil {
		t.Fatal(err)
	}
	bright := func(v []float64) []float64 {
		return scaled(v, mat.Norm(face.X.ColView(0), 2)/mat.Norm(mat.NewVecDense(len(v), v), 2), 0)
	}
	for i, want := range [][]float64{f.Image, bright(f.All.Sample), bright(f.Guess.Sample)} {
		if d := largestDifference(values(r.Pictures[i]), want); d > 0.5+1e-9 { // rounded
			t.Errorf("picture %d is %v grey values off", i, d)
		}
	}
}

// Of features that are enrolled images the pictures are mixtures of these, with
// the mean and the contrast of the face, and atoms are the images themselves,
// mirrored or not.
func TestRebuiltFeatures(t *testing.T) {
	set, face := drawn(t)
	m := learn(t, method.DefaultCRC, set, "16x12 hog:cell=4 mirror")
	f := newView(partsOf(m), pageOf(t, m, face).Faces[0].Explanation)
	sum := make([]float64, len(f.Image))
	for _, a := range f.Atoms {
		v := mat.Col(nil, a.Enrolled, set.X)
		if a.Mirrored {
			for x := range 12 {
				for y := range 16 {
					v[x*16+y] = set.X.At((11-x)*16+y, a.Enrolled)
				}
			}
		}
		s, ok, err := f.atom(&a)
		if err != nil || !ok || !slices.Equal(values(s), v) {
			t.Errorf("the picture of atom %d, mirrored: %v, is another (%v)", a.Atom, a.Mirrored, err)
		}
		for i, x := range scaled(v, a.Coefficient/mat.Norm(mat.NewVecDense(len(v), v), 2), 0) {
			sum[i] += x
		}
	}
	got := f.like(f.mixture(0, len(f.Code)))
	if r := stat.Correlation(got, sum, nil); math.Abs(r-1) > 1e-12 {
		t.Errorf("the mixture correlates with the sum of images by %v", r)
	}
	mean, sd := stat.PopMeanStdDev(got, nil)
	if m, s := stat.PopMeanStdDev(f.Image, nil); math.Abs(m-mean) > 1e-9 || math.Abs(s-sd) > 1e-9 {
		t.Errorf("its mean and contrast are %v and %v, those of the face %v and %v", mean, sd, m, s)
	}
}

// Errors are red over the face, the larger the redder, and nothing else is.
func TestMask(t *testing.T) {
	set, face := drawn(t)
	m := learn(t, method.DefaultRobust, set, "16x12 pixels")
	f := newView(partsOf(m), pageOf(t, m, face).Faces[0].Explanation)
	f.Errors = make([]float64, 16*12)
	f.Errors[3*16+5], f.Errors[7*16+2] = -0.4, 0.2
	r, err := f.mask()
	if err != nil {
		t.Fatal(err)
	}
	if r.Pictures[0].Sub != "1 % of the pixels" {
		t.Errorf("it says %q", r.Pictures[0].Sub)
	}
	over := r.Pictures[1].img.(*image.RGBA)
	for x := range 12 {
		for y := range 16 {
			c, v := over.RGBAAt(x, y), f.Image[x*16+y]
			want := 0.0
			switch {
			case x == 3 && y == 5:
				want = 1
			case x == 7 && y == 2:
				want = 0.5
			}
			if math.Abs(float64(c.G)-(v+want*(float64(red.G)-v))) > 0.5+1e-9 || math.Abs(float64(c.R)-(v+want*(float64(red.R)-v))) > 0.5+1e-9 {
				t.Errorf("the pixel at %d, %d is %v over %v", x, y, c, v)
			}
		}
	}
}
