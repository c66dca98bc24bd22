package frontend_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/projection"
)

func input(t testing.TB, text string) frontend.Pipeline {
	t.Helper()
	in, err := frontend.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// images returns images of 3 people, 5, 3 and 4 of each: every person is a
// pattern of grey values, with noise of that strength in it. White is 255.
func images(t testing.TB, size dataset.Size, noise float64) *dataset.Images {
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
	s, err := dataset.NewImages(x, labels, ids, nil, dataset.Frame{Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var small = dataset.Size{Height: 12, Width: 10}

func samples(t testing.TB, s *dataset.Images, in frontend.Pipeline) *classify.Samples {
	t.Helper()
	got, err := in.Samples(s)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func fit(t testing.TB, s *dataset.Images, in frontend.Pipeline) (frontend.Fitted, *classify.Samples) {
	t.Helper()
	fitted, got, err := in.Fit(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Validate(); err != nil {
		t.Fatalf("%v: %v", in, err)
	}
	if err := fitted.Validate(); err != nil || fitted.Pipeline.String() != in.String() ||
		fitted.Features() != 0 && fitted.Features() != got.X.RawMatrix().Rows {
		t.Fatalf("%v is fitted as %v with %d features: %v", in, fitted.Pipeline, fitted.Features(), err)
	}
	return fitted, got
}

// training is the second result of fit.
func training(t testing.TB, s *dataset.Images, in frontend.Pipeline) *classify.Samples {
	t.Helper()
	_, got := fit(t, s, in)
	return got
}

// sampleOf is the naive twin: one image, by the steps and features themselves.
func sampleOf(t testing.TB, in frontend.Pipeline, image []float64) []float64 {
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
func enlarged(image []float64, size dataset.Size, share float64) []float64 {
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
		"12x10 tan-triggs igo+pixels mirror fisher", "12x10 hog:cell=4 zoom=0.5",
		"12x10 lcn pixels+igo zoom=0.83 fisher shift=2", "12x10 gabor:cell=6,scales=2",
	} {
		in := input(t, text)
		got := samples(t, s, in)
		if err := got.Validate(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got.Grid != in.Grid() || got.Projection != "" {
			t.Errorf("%s: samples are of %+v, projected by %q", text, got.Grid, got.Projection)
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
	}
	if !mat.Equal(s.X, before) || s.Frame.String() != "12x10 pixels" {
		t.Error("the images have changed")
	}
	if same := samples(t, s, input(t, "12x10 mirror pca")); same.X != s.X {
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
	vectors.Frame, vectors.Grid = dataset.Frame{}, classify.Grid{}
	cropped := *s
	cropped.Frame.Crop = 0.5
	for _, c := range []struct {
		name       string
		set        *dataset.Images
		in         string
		want, hint string
	}{
		{
			"another size", s, "10x12 igo", "the images are 12x10 pixels: 10x12 igo cannot be made of them",
			"bring the images to 10x12 pixels when they are read",
		},
		{"another size of pixels", s, "11x10", "the images are 12x10 pixels: 11x10 pixels cannot", "bring the images to 11x10"},
		{"another crop", s, "12x10 crop=0.5 igo", "12x10 crop=0.5 igo cannot be made", "bring the images to 12x10 crop=0.5 pixels"},
		{"another crop of pixels", s, "12x10 crop=0.5", "12x10 crop=0.5 pixels cannot be made", "bring the images to 12x10 crop=0.5 pixels"},
		{"no crop", &cropped, "12x10 igo", "the images are 12x10 crop=0.5 pixels", "bring the images to 12x10 pixels"},
		{
			"other eyes", s, "12x10 eyes=0.46@0.36 igo", "12x10 eyes=0.46@0.36 igo cannot be made",
			"bring the images to 12x10 eyes=0.46@0.36 pixels",
		},
		{"vectors", &vectors, "12x10 igo", "the images are vectors: 12x10 igo cannot", ""},
		{"of images", s, "vectors pca:3", "the images are 12x10 pixels: vectors cannot", ""},
		{"no size", &vectors, "igo", "input igo without a size", ""},
	} {
		in := input(t, c.in)
		_, err := in.Samples(c.set)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(advice.Text(err), c.hint) {
			t.Errorf("%s: %v (hint %q), want %s (%s)", c.name, err, advice.Text(err), c.want, c.hint)
		}
		if _, _, again := in.Fit(t.Context(), c.set); again == nil || again.Error() != err.Error() {
			t.Errorf("%s: Fit says %v", c.name, again)
		}
	}
	for _, c := range []struct {
		name string
		set  *dataset.Images
		in   string
		want string
	}{
		{"mirrored vectors", &vectors, "vectors mirror", "there are no mirror or shifted images of vectors"},
		{"mirrored ones of another size", s, "10x12 mirror", "the images are 12x10 pixels: 10x12 pixels cannot"},
		{"moved ones of another size", s, "10x12 fisher shift=1", "the images are 12x10 pixels: 10x12 pixels cannot"},
		{"too many dimensions", s, "12x10 pca:12", "dims = 12, and the 12 training samples vary in 11"},
		{"more than classes", s, "12x10 fisher:dims=3", "dims = 3, and 3 classes give at most 2"},
	} {
		if _, _, err := input(t, c.in).Fit(t.Context(), c.set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	ridgeless := frontend.Pipeline{Frame: s.Frame, Projection: projection.Choice{Projection: projection.Fisher{}}}
	if _, _, err := ridgeless.Fit(t.Context(), s); err == nil {
		t.Error("a ridge of 0 is fit")
	}
}

// A Pipeline without a size is that of the images; one with a size stays.
func TestPipelinesForImages(t *testing.T) {
	s := images(t, small, 20)
	cropped, aligned, vectors := s.Frame, s.Frame, dataset.Frame{}
	cropped.Crop, aligned.Eyes = 0.5, dataset.DefaultEyes
	for _, c := range []struct {
		in   string
		of   dataset.Frame
		want string
	}{
		{"pixels", s.Frame, "12x10 pixels"},
		{"hog mirror fisher", s.Frame, "12x10 hog mirror fisher"},
		{"hog mirror fisher", cropped, "12x10 crop=0.5 hog mirror fisher"},
		{"12x10 igo", cropped, "12x10 crop=0.5 igo"},
		{"12x10 crop=1 igo", cropped, "12x10 igo"},
		{"12x10 igo", aligned, "12x10 eyes=0.46@0.36 igo"},
		{"12x10 eyes=0.5@0.4 igo", aligned, "12x10 eyes=0.5@0.4 igo"},
		{"hog fisher", aligned, "12x10 eyes=0.46@0.36 hog fisher"},
		{"fisher", vectors, "vectors fisher"},
		{"faces96", s.Frame, frontend.Faces96.String()},
	} {
		if got := input(t, c.in).ForImages(c.of); got.String() != c.want {
			t.Errorf("%s on %v is %v, not %s", c.in, c.of, got, c.want)
		}
	}
}
