package dataset_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
)

// A corruption is what SaltAndPepper and Occlusion have in common.
type corruption interface {
	Validate() error
	Apply(set *dataset.Images, seed uint64) (*dataset.Images, error)
	Select(set *dataset.Images, columns []int, seed uint64) (*dataset.Images, error)
}

var corruptions = []corruption{dataset.SaltAndPepper{Density: 0.2}, dataset.Occlusion{Share: 0.2}}

func corrupted(t testing.TB, c corruption, set *dataset.Images, seed uint64) *dataset.Images {
	t.Helper()
	out, err := c.Apply(set, seed)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// few are faces enough for most tests.
var few = func() synthetic.Faces {
	s := synthetic.Default
	s.People, s.PerPerson = 5, 4
	return s
}()

func drawFaces(t testing.TB, s synthetic.Faces) *dataset.Images {
	t.Helper()
	set, err := s.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// plain is a set of n images of one class that have one value everywhere.
func plain(in dataset.Size, n int, value float64) *dataset.Images {
	x := mat.NewDense(in.Len(), n, slices.Repeat([]float64{value}, in.Len()*n))
	set := dataset.Unlabelled(x, dataset.Frame{Size: in})
	set.Classes, set.Groups = []string{"s1"}, []int{0, n}
	return set
}

func TestSaltAndPepperFrequencies(t *testing.T) {
	const value, white = 100, 255
	set := plain(dataset.Size{Height: 32, Width: 32}, 100, value)
	pixels := float64(len(set.X.RawMatrix().Data))
	for _, density := range []float64{0, 0.001, 0.01, 0.1, 0.3, 0.5, 1} {
		seen := map[float64]float64{}
		for _, v := range corrupted(t, dataset.SaltAndPepper{Density: density}, set, 3).X.RawMatrix().Data {
			seen[v]++
		}
		if seen[0]+seen[white]+seen[value] != pixels {
			t.Errorf("density %v: values other than 0, %v and %v", density, white, value)
		}
		for _, c := range []struct {
			what       string
			got, of, p float64
		}{
			{"hits", seen[0] + seen[white], pixels, density},
			{"pepper", seen[0], pixels, density / 2},
			{"salt among hits", seen[white], seen[0] + seen[white], 0.5},
		} {
			// Four standard deviations of the binomial distribution.
			if bound := 4 * math.Sqrt(c.of*c.p*(1-c.p)); math.Abs(c.got-c.of*c.p) > bound {
				t.Errorf("density %v: %v %s, want %.0f ± %.0f", density, c.got, c.what, c.of*c.p, bound)
			}
		}
	}
}

// What is hit stays hit, and in the same way.
func TestSaltAndPepperIsNested(t *testing.T) {
	set := drawFaces(t, few)
	set.X.Apply(func(_, _ int, v float64) float64 { return min(254, v+1) }, set.X) // no 0, no white
	less := set
	for _, density := range []float64{0, 0.001, 0.01, 0.02, 0.1, 0.3, 0.99, 1} {
		more := corrupted(t, dataset.SaltAndPepper{Density: density}, set, 1)
		for k, v := range less.X.RawMatrix().Data {
			if v != set.X.RawMatrix().Data[k] && v != more.X.RawMatrix().Data[k] {
				t.Fatalf("density %v turns %v back into %v", density, v, more.X.RawMatrix().Data[k])
			}
		}
		less = more
	}
}

// The noise is that of imnoise where its interval of salt, density/2 … density,
// changes places with what is beyond it. This also holds the random numbers of
// an image in place: results of noisy images depend on them.
func TestSaltAndPepperIsImnoiseRearranged(t *testing.T) {
	const seed, stream = 7, 0x510e527fade682d1
	set := drawFaces(t, few)
	for _, density := range []float64{0.01, 0.25, 0.75} {
		got := corrupted(t, dataset.SaltAndPepper{Density: density}, set, seed)
		d, n := set.X.Dims()
		for j := range n {
			rng := rand.New(rand.NewPCG(splitMix(seed^splitMix(stream^uint64(j))), stream))
			for i := range d {
				x := rng.Float64()
				switch {
				case x >= 1-density/2:
					x -= 1 - density
				case x >= density/2:
					x += density / 2
				}
				want := set.X.At(i, j)
				switch { // imnoise
				case x < density/2:
					want = 0
				case x < density:
					want = 255
				}
				if got.X.At(i, j) != want {
					t.Fatalf("density %v: pixel %d of image %d is %v, want %v", density, i, j, got.X.At(i, j), want)
				}
			}
		}
	}
}

// splitMix is the step of the generator SplitMix64 from the state v.
func splitMix(v uint64) uint64 {
	v += 0x9e3779b97f4a7c15
	v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9
	v = (v ^ (v >> 27)) * 0x94d049bb133111eb
	return v ^ (v >> 31)
}

func TestWhiteFollowsTheRangeOfTheSet(t *testing.T) {
	for _, c := range []struct{ largest, white float64 }{
		{0, 1}, {0.5, 1}, {1, 1}, {1.5, 255}, {255, 255}, {255.5, 65535}, {65535, 65535}, {1e6, 1e6},
	} {
		set := plain(dataset.Size{Height: 8, Width: 8}, 40, 0)
		set.X.Set(5, 39, c.largest)
		for damage, minimum := range map[corruption]float64{
			dataset.SaltAndPepper{Density: 1}: c.white,
			dataset.Occlusion{Share: 1}:       0.7 * c.white,
		} {
			out, err := damage.Select(set, []int{0, 1}, 1) // the whole set decides, not these
			if err != nil {
				t.Fatal(err)
			}
			if largest := mat.Max(out.X); largest > c.white || largest < minimum {
				t.Errorf("%T: %v is the most where the largest value is %v, want %v … %v", damage, largest, c.largest, minimum, c.white)
			}
		}
	}
}

func TestCorruptionLeavesTheSetAsItWas(t *testing.T) {
	set := drawFaces(t, few)
	before := mat.DenseCopyOf(set.X)
	for _, c := range corruptions {
		out := corrupted(t, c, set, 1)
		if !mat.Equal(set.X, before) {
			t.Fatalf("%T changed the set", c)
		}
		if mat.Equal(out.X, before) {
			t.Errorf("%T changed nothing", c)
		}
		if mat.Equal(out.X, corrupted(t, c, set, 2).X) {
			t.Errorf("%T does not depend on the seed", c)
		}
		if out.X = set.X; !reflect.DeepEqual(out, set) {
			t.Errorf("%T: the result is another set", c)
		}
	}
}

// Image j is damaged alike in the whole set, in a selection, in a smaller set
// and by any number of threads.
func TestCorruptionOfAnImageIsItsOwn(t *testing.T) {
	s := few
	s.People = 40 // several chunks
	set := drawFaces(t, s)
	columns := []int{77, 0, 159, 3, 40, 41, 3} // in any order, and not to be sorted in place
	for _, c := range corruptions {
		want, start := corrupted(t, c, set, 5), []int{0, 1, 2, 3, 4, 5, 6}
		got, err := c.Select(set, columns, 5)
		if err != nil {
			t.Fatal(err)
		}
		if columns[0] != 77 || !reflect.DeepEqual(got, want.Select(columns)) {
			t.Errorf("%T: Select is not the selection of Apply", c)
		}
		if !mat.Equal(corrupted(t, c, set.Select(start), 5).X, want.Select(start).X) {
			t.Errorf("%T of an image depends on those that follow", c)
		}
		threads := runtime.GOMAXPROCS(1)
		alone := corrupted(t, c, set, 5)
		if runtime.GOMAXPROCS(threads); !mat.Equal(alone.X, want.X) {
			t.Errorf("%T depends on the number of threads", c)
		}
	}
}

// blockOf returns the first row and column of the block that covers image j of
// x, all unseen before, and reports whether what is covered is this block.
func blockOf(x *mat.Dense, j int, in, block dataset.Size) (top, left int, ok bool) {
	top, left = in.Height, in.Width
	bottom, right, changed := -1, -1, 0
	for i := range in.Len() {
		if x.At(i, j) == unseen {
			continue
		}
		row, col := i%in.Height, i/in.Height
		top, left, bottom, right = min(top, row), min(left, col), max(bottom, row), max(right, col)
		changed++
	}
	ok = changed == block.Len() && (changed == 0 || bottom-top+1 == block.Height && right-left+1 == block.Width)
	return top, left, ok
}

var occludedSizes = []dataset.Size{
	{Height: 32, Width: 32},
	{Height: 56, Width: 46},
	{Height: 9, Width: 40},
	{Height: 40, Width: 9},
	{Height: 1, Width: 30},
	{Height: 1, Width: 1},
}

// unseen is a value that no leaf has.
const unseen = math.Pi

func TestOcclusionCoversOneBlockInsideAnother(t *testing.T) {
	for _, in := range occludedSizes {
		set := plain(in, 20, unseen)
		less := set
		for _, share := range []float64{0, 1e-4, 0.05, 0.1, 0.11, 0.2, 0.225, 0.3, 0.5, 0.75, 1} {
			o := dataset.Occlusion{Share: share}
			block, more := o.Block(in), corrupted(t, o, set, 9)
			for j := range 20 {
				if _, _, ok := blockOf(more.X, j, in, block); !ok {
					t.Fatalf("share %v of %v: image %d is not covered by a block of %v", share, in, j, block)
				}
				for i := range in.Len() {
					if less.X.At(i, j) != unseen && more.X.At(i, j) == unseen {
						t.Fatalf("share %v of %v uncovers pixel %d of image %d", share, in, i, j)
					}
				}
			}
			less = more
		}
	}
}

func TestOcclusionBlockHasTheArea(t *testing.T) {
	for _, in := range occludedSizes {
		for k := range 101 {
			share := float64(k) / 100
			b := dataset.Occlusion{Share: share}.Block(in)
			area, short := share*float64(in.Len()), min(in.Height, in.Width)
			bound := float64(b.Height) + 0.25 // half a pixel at either side of a square
			if b.Height != b.Width {
				bound = float64(short) / 2 // half a row
				if min(b.Height, b.Width) != short {
					t.Errorf("share %v of %v is %v: it does not fill the shorter side", share, in, b)
				}
			}
			if b.Height > in.Height || b.Width > in.Width || math.Abs(float64(b.Len())-area) > bound+1e-9 {
				t.Errorf("share %v of %v is %v, %d pixels, want %.1f", share, in, b, b.Len(), area)
			}
		}
	}
	// √108, the root of 0.27·40·10, is more than 10.
	for share, height := range map[float64]int{0.25: 10, 0.27: 11, 0.5: 20, 1: 40} {
		got := dataset.Occlusion{Share: share}.Block(dataset.Size{Height: 40, Width: 10})
		if want := (dataset.Size{Height: height, Width: 10}); got != want {
			t.Errorf("share %v of 40x10 is %v, want %v", share, got, want)
		}
	}
}

func TestOcclusionIsEverywhereAlike(t *testing.T) {
	const images = 3200
	in := dataset.Size{Height: 6, Width: 5}
	o := dataset.Occlusion{Share: 0.3}
	out := corrupted(t, o, plain(in, images, unseen), 1)
	places := map[[2]int]float64{}
	for j := range images {
		top, left, ok := blockOf(out.X, j, in, o.Block(in))
		if !ok {
			t.Fatalf("image %d is not covered by a block", j)
		}
		places[[2]int{top, left}]++
	}
	const p = 1.0 / (4 * 3) // a block of 3×3
	if len(places) != 12 {
		t.Errorf("blocks at %d places, want 12", len(places))
	}
	for place, n := range places {
		if math.Abs(n-images*p) > 4*math.Sqrt(images*p*(1-p)) {
			t.Errorf("%v blocks at %v, want about %.0f", n, place, images*p)
		}
	}
}

// The picture has the contrast of a photograph at every size, neighbours that
// are alike, as white noise has not, and edges: steps with heavier tails than a
// normal distribution, whose kurtosis is 3.
func TestOcclusionLooksLikeAPicture(t *testing.T) {
	for _, side := range []int{8, 12, 16, 32, 64, 128} {
		in := dataset.Size{Height: side, Width: side}
		v := mat.Col(nil, 0, corrupted(t, dataset.Occlusion{Share: 1}, plain(in, 2, 200), 1).X)
		mean, sd := stat.MeanStdDev(v, nil)
		if mean < 0.35*255 || mean > 0.65*255 || sd < 0.12*255 || slices.Min(v) < 0 || slices.Max(v) > 255 {
			t.Errorf("%v: mean %.0f, standard deviation %.0f, values %.0f … %.0f", in, mean, sd, slices.Min(v), slices.Max(v))
		}
		if side < 32 {
			continue
		}
		var here, below, steps []float64
		for i := range len(v) - 1 {
			if (i+1)%side != 0 {
				here, below, steps = append(here, v[i]), append(below, v[i+1]), append(steps, v[i+1]-v[i])
			}
		}
		if r := stat.Correlation(here, below, nil); r < 0.3 {
			t.Errorf("%v: neighbours correlate by %.2f", in, r)
		}
		if k := 3 + stat.ExKurtosis(steps, nil); side >= 64 && k < 4 {
			t.Errorf("%v: the steps have the kurtosis %.2f", in, k)
		}
	}
}

func TestCorruptionRefuses(t *testing.T) {
	good := drawFaces(t, few)
	features, negative, broken, resized := *good, *good, *good, *good
	features.Frame, features.Grid = dataset.Frame{}, classify.Grid{}
	negative.X, broken.X = mat.DenseCopyOf(good.X), mat.DenseCopyOf(good.X)
	negative.X.Set(3, 2, -1)
	broken.X.Set(3, 2, math.NaN())
	resized.Frame = dataset.Frame{Size: dataset.Size{Height: 8, Width: 8}}
	for _, c := range []struct {
		set    *dataset.Images
		want   string
		hinted bool
	}{
		{&features, "not images", true},
		{&negative, "the least value is -1", true},
		{&broken, "person001/03: feature 3 is NaN", false},
		{&resized, "images of 8x8 have 64 pixels, not 1024", false},
		{&dataset.Images{}, "no samples", false},
	} {
		for _, damage := range corruptions {
			_, err := damage.Apply(c.set, 1)
			if err == nil || !strings.Contains(err.Error(), c.want) || (advice.Text(err) != "") != c.hinted {
				t.Errorf("%T: %v (hint %q), want %q", damage, err, advice.Text(err), c.want)
			}
			if _, again := damage.Select(c.set, []int{0}, 1); again == nil || again.Error() != err.Error() {
				t.Errorf("%T: Select says %v and Apply %v", damage, again, err)
			}
		}
	}
	for _, columns := range [][]int{nil, {}, {-1, 2}, {0, 20}} {
		for _, damage := range corruptions {
			if _, err := damage.Select(good, columns, 1); err == nil {
				t.Errorf("%T accepts the columns %v", damage, columns)
			}
		}
	}
	for _, v := range []float64{-1e-9, 1.001, math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, damage := range []corruption{dataset.SaltAndPepper{Density: v}, dataset.Occlusion{Share: v}} {
			_, err := damage.Apply(good, 1)
			if err == nil || !strings.HasSuffix(err.Error(), fmt.Sprintf("= %v is outside 0 … 1", v)) || damage.Validate() == nil {
				t.Errorf("%#v: %v", damage, err)
			}
		}
	}
}

// Noise is on all images, learned ones too; only those that judge are covered.
func ExampleOcclusion() {
	faces := synthetic.Default
	faces.People, faces.PerPerson = 3, 4
	set, err := faces.Draw(context.Background())
	if err != nil {
		panic(err)
	}
	noisy, err := dataset.SaltAndPepper{Density: 0.05}.Apply(set, 1)
	if err != nil {
		panic(err)
	}
	train, test, err := dataset.DefaultSplit.Apply(noisy, 1)
	if err != nil {
		panic(err)
	}
	covered, err := dataset.Occlusion{Share: 0.2}.Select(noisy, test, 1)
	if err != nil {
		panic(err)
	}
	fmt.Println(noisy.Select(train).Groups, covered.Groups)
	// Output: [0 2 4 6] [0 2 4 6]
}
