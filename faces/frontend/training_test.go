package frontend_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/projection"
)

// mirrored is image with left and right exchanged, pixel by pixel.
func mirrored(image []float64, size dataset.Size) []float64 {
	out := make([]float64, len(image))
	for y := range size.Height {
		for x := range size.Width {
			out[x*size.Height+y] = image[(size.Width-1-x)*size.Height+y]
		}
	}
	return out
}

// Mirror images follow the images of their person, are marked, and become
// samples as other images do.
func TestTrainingWithMirrorImages(t *testing.T) {
	for _, size := range []dataset.Size{small, {Height: 7, Width: 9}, {Height: 9, Width: 1}, {Height: 1, Width: 8}} {
		for _, text := range []string{"pixels", "igo", "lcn pixels"} {
			s := images(t, size, 20)
			before := mat.DenseCopyOf(s.X)
			in := input(t, size.String()+" "+text+" mirror")
			got := training(t, s, in)
			if got.Grid != in.Grid() || !slices.Equal(got.Classes, s.Classes) || !slices.Equal(got.Groups, []int{0, 10, 16, 24}) {
				t.Fatalf("%v: %+v in groups %v", in, got.Grid, got.Groups)
			}
			for c := range s.Classes {
				lo, hi := s.Groups[c], s.Groups[c+1]
				for j := lo; j < hi; j++ {
					image, at := mat.Col(nil, j, s.X), got.Groups[c]+j-lo
					twin := at + hi - lo
					if !slices.Equal(mat.Col(nil, at, got.X), sampleOf(t, in, image)) || got.IDs[at] != s.IDs[j] {
						t.Errorf("%v: image %d is not sample %d", in, j, at)
					}
					if !slices.Equal(mat.Col(nil, twin, got.X), sampleOf(t, in, mirrored(image, size))) || got.IDs[twin] != s.IDs[j]+" (mirror image)" {
						t.Errorf("%v: the mirror image of %d is not sample %d, %s", in, j, twin, got.IDs[twin])
					}
				}
			}
			if !mat.Equal(s.X, before) || len(s.IDs) != 12 {
				t.Errorf("%v: the set has changed", in)
			}
		}
	}
	s := images(t, small, 20)
	s.IDs = nil
	if got := training(t, s, input(t, "12x10 mirror")); got.IDs[15] != "sample 3 of class bob (mirror image)" {
		t.Errorf("without IDs: %q", got.IDs)
	}
}

// Training is its stages, one after the other: mirror images, features, unit
// length, the projection fit on these and applied to them.
func TestTrainingIsTheStages(t *testing.T) {
	s := images(t, small, 20)
	for _, text := range []string{
		"12x10 pca:4", "12x10 fisher:0.5", "12x10 igo+hog:cell=4 mirror fisher:0.1", "12x10 despeckle mirror pca:dims=0",
		"12x10 lbp:cell=5 fisher:dims=1",
	} {
		in := input(t, text)
		fitted, got := fit(t, s, in)
		plain := in
		plain.Projection = projection.Choice{}
		unit := classify.Unit(training(t, s, plain).X)
		want, err := in.Projection.Fit(t.Context(), unit, got.Groups)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(fitted.Basis.P, want.P) || !slices.Equal(fitted.Basis.M, want.M) || !mat.Equal(got.X, want.Apply(unit)) {
			t.Errorf("%s: other samples than by its stages", text)
		}
		if got.Projection != in.Projection.String() || got.Grid != (classify.Grid{}) || s.Projection != "" || s.Frame.String() != "12x10 pixels" {
			t.Errorf("%s: the samples are projected by %q, the images %v by %q", text, got.Projection, s.Frame, s.Projection)
		}
		threads := runtime.GOMAXPROCS(1)
		if again := training(t, s, in); !mat.Equal(again.X, got.X) {
			t.Errorf("%s: one thread makes other samples", text)
		}
		runtime.GOMAXPROCS(threads)
	}
}

// Samples that are made once for a set are, of every part of it, those that the part
// alone gives.
func TestPreparedIsTheSame(t *testing.T) {
	s := images(t, small, 20)
	for _, text := range []string{
		"12x10", "12x10 pca:4", "12x10 igo+hog:cell=4 mirror fisher:0.1", "12x10 lbp:cell=5 fisher:dims=1",
		"12x10 hog:cell=4 mirror fisher:1 shift=1", "12x10 lcn pixels mirror",
	} {
		in := input(t, text)
		prepared, err := in.Prepare(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, columns := range [][]int{{0, 1, 2, 3, 5, 6, 7, 8, 9, 11}, {11, 9, 8, 7, 6, 0, 2}, {0, 3, 4, 5, 7, 1}, {5, 6, 8, 9, 11}} {
			part := prepared.Select(columns)
			fitted, got, err := part.Fit(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			alone, want := fit(t, s.Select(columns), in)
			if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b *mat.Dense) bool { return mat.Equal(a, b) })); diff != "" {
				t.Errorf("%v, columns %v:\n%s", in, columns, diff)
			}
			if alone.Basis != nil && !mat.Equal(alone.Basis.P, fitted.Basis.P) {
				t.Errorf("%v, columns %v: another projection", in, columns)
			}
			if got, want := prepared.Originals(columns).X, samples(t, s.Select(columns), in).X; !mat.Equal(got, want) {
				t.Errorf("%v: other samples of columns %v", in, columns)
			}
			again, few := part.Select([]int{1, 3, 4}), s.Select(columns).Select([]int{1, 3, 4})
			if want := samples(t, few, in).X; !mat.Equal(again.Originals([]int{0, 1, 2}).X, want) {
				t.Errorf("%v: other samples of a part of columns %v", in, columns)
			}
		}
	}
}

// moved returns image moved down and right by so many pixels; each new pixel at the
// border has the value of the nearest old one.
func moved(image []float64, size dataset.Size, down, right int) []float64 {
	out := make([]float64, len(image))
	for x := range size.Width {
		for y := range size.Height {
			row, col := min(max(y-down, 0), size.Height-1), min(max(x-right, 0), size.Width-1)
			out[x*size.Height+y] = image[col*size.Height+row]
		}
	}
	return out
}

// The projection is fit on the images, mirror images too, and on all moved along
// the diagonals; the samples are those of the images alone.
func TestProjectionsOfMovedImages(t *testing.T) {
	s := images(t, small, 20)
	for _, text := range []string{
		"12x10 igo mirror fisher:0.2 shift=2", "12x10 fisher shift=1",
		"12x10 lcn hog:cell=4 zoom=0.6 pca:5 shift=2",
	} {
		in := input(t, text)
		got := training(t, s, in)
		still := in
		still.Shift = 0
		plain := still
		plain.Projection = projection.Choice{}
		unmoved := training(t, s, plain)
		if !slices.Equal(got.IDs, unmoved.IDs) || !slices.Equal(got.Groups, unmoved.Groups) || got.Projection != in.Projection.String() {
			t.Errorf("%s: it learns from %q", text, got.IDs)
		}
		var columns [][]float64
		groups := []int{0}
		for c := range s.Classes {
			for j := s.Groups[c]; j < s.Groups[c+1]; j++ {
				seen := [][]float64{mat.Col(nil, j, s.X)}
				if in.Mirror {
					seen = append(seen, mirrored(seen[0], small))
				}
				for _, image := range seen {
					for _, by := range [][2]int{{0, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
						columns = append(columns, sampleOf(t, in, moved(image, small, by[0]*in.Shift, by[1]*in.Shift)))
					}
				}
			}
			groups = append(groups, len(columns))
		}
		x := mat.NewDense(in.Len(), len(columns), nil)
		for j, column := range columns {
			x.SetCol(j, column)
		}
		want, err := in.Projection.Fit(t.Context(), classify.Unit(x), groups)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := got.X, want.Apply(classify.Unit(unmoved.X)); !mat.EqualApprox(magnitudes(a), magnitudes(b), 1e-7) {
			t.Errorf("%s: the samples are mapped otherwise", text)
		}
		if other := training(t, s, still); mat.EqualApprox(magnitudes(other.X), magnitudes(got.X), 1e-7) {
			t.Errorf("%s: moved images make no difference", text)
		}
	}
}

// magnitudes are the elements without their signs, as those of directions are free.
func magnitudes(a *mat.Dense) *mat.Dense {
	m := mat.DenseCopyOf(a)
	m.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, m)
	return m
}

// What is projected is fit on what is learned from: other images of the set it
// was selected from do not count, whatever they are.
func TestProjectionsSeeTheTrainingPartOnly(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := images(t, small, 20)
		learn := []int{0, 1, 4, 5, 6, 9, 10}
		in := input(t,
			rapid.SampledFrom([]string{"12x10 fisher", "12x10 igo mirror pca:3", "12x10 lcn mirror fisher:2 shift=2"}).Draw(rt, "input"))
		basis, want := fit(t, s.Select(learn), in)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		for j := range s.IDs {
			if !slices.Contains(learn, j) {
				for i := range small.Len() {
					s.X.Set(i, j, 255*rng.Float64())
				}
			}
		}
		again, got := fit(t, s.Select(learn), in)
		if !mat.Equal(got.X, want.X) || !mat.Equal(again.Basis.P, basis.Basis.P) {
			t.Errorf("%v depends on test images", in)
		}
	})
}

// A blank image, in which nobody is seen, stays zero through all stages.
func TestBlankImages(t *testing.T) {
	s := images(t, small, 20)
	for i := range small.Len() {
		s.X.Set(i, 1, 0)
	}
	for _, text := range []string{"12x10 igo", "12x10 igo pca:3", "12x10 fisher", "12x10 igo+hog:cell=4 mirror fisher"} {
		got := training(t, s, input(t, text))
		if v := mat.Norm(got.X.ColView(1), 1); v != 0 {
			t.Errorf("%s: a blank image has the norm %v", text, v)
		}
	}
}

// A projection is fit as if black images were not there.
func TestProjectionsLeaveBlackImagesOut(t *testing.T) {
	set := images(t, dataset.Size{Height: 12, Width: 10}, 1)
	blackened := *set
	blackened.X = mat.DenseCopyOf(set.X)
	d, n := set.X.Dims()
	var seen []int
	for j := range n {
		if j == 1 {
			blackened.X.SetCol(j, make([]float64, d))
			continue
		}
		seen = append(seen, j)
	}
	for _, words := range []string{"12x10 fisher", "12x10 igo mirror pca:3", "12x10 fisher shift=1"} {
		in := input(t, words)
		got, _ := fit(t, &blackened, in)
		want, _ := fit(t, set.Select(seen), in)
		if !mat.Equal(got.Basis.P, want.Basis.P) {
			t.Errorf("%s: a black image changes the projection", words)
		}
	}
}
