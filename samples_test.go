package nrdl_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/internal/hint"
	"nrdl/projection"
)

func input(t testing.TB, text string) nrdl.Input {
	t.Helper()
	in, err := nrdl.ParseInput(text)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// images returns images of 3 people, 5, 3 and 4 of each: every person is a
// pattern of grey values, with noise of that strength in it. White is 255.
func images(t testing.TB, size nrdl.Size, noise float64) *nrdl.Set {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	var labels, ids []string
	var columns [][]float64
	for c, n := range []int{5, 3, 4} {
		pattern := make([]float64, size.Len())
		for i := range pattern {
			pattern[i] = 255 * rng.Float64()
		}
		for k := range n {
			image := make([]float64, size.Len())
			for i, v := range pattern {
				image[i] = math.Round(min(255, max(0, v+noise*rng.NormFloat64())))
			}
			columns = append(columns, image)
			labels = append(labels, []string{"ann", "bob", "cyd"}[c])
			ids = append(ids, fmt.Sprintf("%d/%d.pgm", c, k))
		}
	}
	x := mat.NewDense(size.Len(), len(columns), nil)
	for j, image := range columns {
		x.SetCol(j, image)
	}
	s, err := nrdl.NewSet(x, labels, ids, nil, nrdl.Input{Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var small = nrdl.Size{Height: 12, Width: 10}

func samples(t testing.TB, s *nrdl.Set, in nrdl.Input) *nrdl.Set {
	t.Helper()
	got, err := s.Samples(in)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func training(t testing.TB, s *nrdl.Set, in nrdl.Input) *nrdl.Set {
	t.Helper()
	got, err := s.Training(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Validate(); err != nil {
		t.Fatalf("%v: %v", in, err)
	}
	return got
}

// sampleOf is the naive twin: one image, by the steps and features themselves.
func sampleOf(t testing.TB, in nrdl.Input, image []float64) []float64 {
	t.Helper()
	if len(in.Photometric) > 0 {
		f, err := in.Photometric.Over(in.Height, in.Width)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]float64, len(image))
		f.Apply(out, image)
		image = out
	}
	if len(in.Features) == 0 {
		return image
	}
	e, err := in.Features.Over(in.Height, in.Width)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, in.Features.Len(in.Height, in.Width))
	e.Extract(out, image)
	if in.Zoom != 0 {
		inner := make([]float64, len(out))
		e.Extract(inner, enlarged(image, in.Size, in.Zoom))
		out = append(out, inner...)
	}
	return out
}

// enlarged is the middle of image, share of its height and width, at its size:
// the pixels whose centres are nearer than one count by their nearness.
func enlarged(image []float64, size nrdl.Size, share float64) []float64 {
	place := func(i, n int) float64 { // of the centre of pixel i, inside those of the first and last
		return min(max((float64(i)+0.5-float64(n)/2)*share+float64(n)/2-0.5, 0), float64(n-1))
	}
	out := make([]float64, len(image))
	for x := range size.Width {
		for y := range size.Height {
			for fx := range size.Width {
				for fy := range size.Height {
					near := max(0, 1-math.Abs(place(x, size.Width)-float64(fx))) * max(0, 1-math.Abs(place(y, size.Height)-float64(fy)))
					out[x*size.Height+y] += near * image[fx*size.Height+fy]
				}
			}
		}
	}
	return out
}

func TestSamplesAreTheStages(t *testing.T) {
	s := images(t, small, 20)
	before := mat.DenseCopyOf(s.X)
	for _, text := range []string{
		"12x10 igo", "12x10 lcn", "12x10 pixels", "12x10 despeckle+equalise lbp:cell=4+hog:cell=5",
		"12x10 tan-triggs igo+pixels mirror fisher", "12x10 hog:cell=4 zoom=0.5", "12x10 lcn pixels+igo zoom=0.83 fisher shift=2", "12x10 gabor:cell=6,scales=2",
	} {
		in := input(t, text)
		got := samples(t, s, in)
		if err := got.Validate(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got.Input.Mirror || got.Input.Shift != 0 || !got.Input.Projection.IsZero() || got.Projection != nil {
			t.Errorf("%s: samples are said to be %v", text, got.Input)
		}
		if !slices.Equal(got.IDs, s.IDs) || !slices.Equal(got.Classes, s.Classes) || !slices.Equal(got.Groups, s.Groups) {
			t.Errorf("%s: other labels", text)
		}
		for j := range s.IDs {
			want := mat.NewVecDense(in.Len(), sampleOf(t, in, mat.Col(nil, j, s.X)))
			if col := got.X.ColView(j); in.Zoom == 0 && !mat.Equal(col, want) || !mat.EqualApprox(col, want, 1e-9) {
				t.Errorf("%s: sample %d is not that of its image alone", text, j)
			}
		}
		threads := runtime.GOMAXPROCS(1)
		if again := samples(t, s, in); !mat.Equal(again.X, got.X) {
			t.Errorf("%s: one thread makes other samples", text)
		}
		runtime.GOMAXPROCS(threads)
		if again := samples(t, got, in); again != got {
			t.Errorf("%s: samples that are made are made again", text)
		}
	}
	if !mat.Equal(s.X, before) || s.Input.String() != "12x10 pixels" {
		t.Error("the images have changed")
	}
	if same := samples(t, s, input(t, "12x10 mirror pca")); same != s {
		t.Error("pixels are copied")
	}
}

// Grey values of 0 … 1 or 0 … 65535 are those of 0 … 255 in another unit.
func TestSamplesDoNotDependOnTheUnit(t *testing.T) {
	s := images(t, small, 20)
	for _, white := range []float64{1, 0.5, 65535} {
		other := *s
		other.X, other.White = mat.DenseCopyOf(s.X), white
		other.X.Scale(white/255, other.X)
		for _, text := range []string{"12x10 igo", "12x10 lbp:cell=4", "12x10 lcn hog:cell=5", "12x10 tan-triggs", "12x10 equalise"} {
			in := input(t, text)
			if !mat.EqualApprox(samples(t, s, in).X, samples(t, &other, in).X, 1e-9) {
				t.Errorf("%s: other samples where white is %v", text, white)
			}
		}
	}
}

func TestSamplesRefuses(t *testing.T) {
	s := images(t, small, 20)
	vectors := *s
	vectors.Input = nrdl.Input{}
	cropped := *s
	cropped.Input.Crop = 0.5
	igo := samples(t, s, input(t, "12x10 igo"))
	projected := training(t, s, input(t, "12x10 igo pca:3"))
	for _, c := range []struct {
		name       string
		set        *nrdl.Set
		in         string
		want, hint string
	}{
		{"another size", s, "10x12 igo", "the samples are 12x10 pixels: 10x12 igo cannot be made of them", "bring the images to 10x12 pixels when they are read"},
		{"another size of pixels", s, "11x10", "the samples are 12x10 pixels: 11x10 pixels cannot", "bring the images to 11x10"},
		{"another crop", s, "12x10 crop=0.5 igo", "12x10 crop=0.5 igo cannot be made", "bring the images to 12x10 crop=0.5 pixels"},
		{"no crop", &cropped, "12x10 igo", "the samples are 12x10 crop=0.5 pixels", "bring the images to 12x10 pixels"},
		{"vectors", &vectors, "12x10 igo", "the samples are vectors: 12x10 igo cannot", ""},
		{"of images", s, "vectors pca:3", "the samples are 12x10 pixels: vectors cannot", ""},
		{"no size", &vectors, "igo", "input igo without a size", ""},
		{"features", igo, "12x10 hog:cell=4", "the samples are 12x10 igo: 12x10 hog:cell=4 cannot", ""},
		{"pixels of features", igo, "12x10", "the samples are 12x10 igo: 12x10 pixels cannot", ""},
		{"projected ones", projected, "12x10 igo", "the samples are projected already", ""},
	} {
		in := input(t, c.in)
		_, err := c.set.Samples(in)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(hint.Of(err), c.hint) {
			t.Errorf("%s: %v (hint %q), want %s (%s)", c.name, err, hint.Of(err), c.want, c.hint)
		}
		if _, again := c.set.Training(t.Context(), in); again == nil || again.Error() != err.Error() {
			t.Errorf("%s: Training says %v", c.name, again)
		}
	}
	for _, c := range []struct {
		name string
		set  *nrdl.Set
		in   string
		want string
	}{
		{"mirrored vectors", &vectors, "vectors mirror", "there are no mirror or shifted images of samples that are vectors"},
		{"mirrored features", igo, "12x10 igo mirror", "there are no mirror or shifted images of samples that are 12x10 igo"},
		{"mirrored ones of another size", s, "10x12 mirror", "the samples are 12x10 pixels: 10x12 pixels cannot"},
		{"mirrored ones", training(t, s, input(t, "12x10 mirror")), "12x10 mirror", "12x10 pixels mirror"},
		{"moved features", igo, "12x10 igo fisher shift=1", "there are no mirror or shifted images of samples that are 12x10 igo"},
		{"too many dimensions", s, "12x10 pca:12", "dims = 12, and the 12 training samples vary in 11"},
		{"more than classes", s, "12x10 fisher:dims=3", "dims = 3, and 3 classes give at most 2"},
	} {
		if _, err := c.set.Training(t.Context(), input(t, c.in)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := s.Training(t.Context(), nrdl.Input{Size: small, Projection: projection.Choice{Projection: projection.Fisher{}}}); err == nil {
		t.Error("a ridge of 0 is fit")
	}
}

// An Input without a size is that of the set; one with a size stays.
func TestInputOn(t *testing.T) {
	s := images(t, small, 20)
	cropped, vectors := *s, *s
	cropped.Input.Crop, vectors.Input = 0.5, nrdl.Input{}
	igo := samples(t, s, input(t, "12x10 igo"))
	for _, c := range []struct {
		in   string
		set  *nrdl.Set
		want string
	}{
		{"pixels", s, "12x10 pixels"},
		{"hog mirror fisher", s, "12x10 hog mirror fisher"},
		{"hog mirror fisher", &cropped, "12x10 crop=0.5 hog mirror fisher"},
		{"12x10 igo", &cropped, "12x10 crop=0.5 igo"},
		{"12x10 crop=1 igo", &cropped, "12x10 igo"},
		{"fisher", &vectors, "vectors fisher"},
		{"fisher", igo, "12x10 igo fisher"},
		{"fisher", samples(t, s, input(t, "12x10 lcn igo zoom=0.5")), "12x10 lcn igo zoom=0.5 fisher"},
		{"faces96", s, nrdl.Faces96.String()},
		{"pca", training(t, s, input(t, "12x10 mirror fisher")), "12x10 pixels pca"},
	} {
		if got := input(t, c.in).ForSet(c.set); got.String() != c.want {
			t.Errorf("%s on %v is %v, not %s", c.in, c.set.Input, got, c.want)
		}
	}
}
