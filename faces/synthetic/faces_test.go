package synthetic_test

import (
	"context"
	"errors"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
)

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

func TestSyntheticIsASetOfGreyValues(t *testing.T) {
	for _, in := range []dataset.Size{
		{Height: 1, Width: 1},
		{Height: 7, Width: 40},
		{Height: 40, Width: 7},
		{Height: 32, Width: 32},
		{Height: 96, Width: 84},
	} {
		s := few
		s.Input, s.Light, s.Pose, s.Expression, s.Occlusion, s.Noise = in, 2, 2, 2, 2, 10
		set := drawFaces(t, s)
		if err := set.Validate(); err != nil {
			t.Fatalf("%v: %v", in, err)
		}
		if d, n := set.X.Dims(); d != in.Len() || n != s.People*s.PerPerson || set.Frame.Size != in {
			t.Fatalf("%v: drew %d×%d for %v", in, d, n, set.Frame)
		}
		for _, v := range set.X.RawMatrix().Data {
			if v != math.Trunc(v) || v < 0 || v > 255 {
				t.Fatalf("%v: a grey value is %v", in, v)
			}
		}
	}
}

func TestSyntheticNames(t *testing.T) {
	set := drawFaces(t, few)
	if got := set.IDs[2*few.PerPerson+1]; got != "person003/02" {
		t.Errorf("the second image of the third person is %q", got)
	}
	if !slices.IsSortedFunc(set.Classes, natural.Compare) {
		t.Errorf("classes %q are not in natural order", set.Classes)
	}
}

func TestSyntheticDoesNotDependOnThreads(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	s := few
	s.PerPerson = 40 // more than one chunk
	one := drawFaces(t, s)
	runtime.GOMAXPROCS(3)
	if !mat.Equal(one.X, drawFaces(t, s).X) {
		t.Error("3 threads draw other faces than 1")
	}
}

func TestSyntheticPrefix(t *testing.T) {
	small, large := few, few
	large.People, large.PerPerson = 6, 40 // more than one chunk
	a, b := drawFaces(t, small), drawFaces(t, large)
	for p := range small.People {
		for i := range small.PerPerson {
			j, k := p*small.PerPerson+i, p*large.PerPerson+i
			if a.IDs[j] != b.IDs[k] || !mat.Equal(a.X.ColView(j), b.X.ColView(k)) {
				t.Fatalf("%s changes when more is drawn", a.IDs[j])
			}
		}
	}
}

func TestSyntheticSeedMatters(t *testing.T) {
	other := few
	other.Seed++
	if mat.Equal(drawFaces(t, few).X, drawFaces(t, other).X) {
		t.Error("two seeds draw the same faces")
	}
}

// Records of experiments name a seed: what it draws must not change unnoticed.
// The numbers are what this code draws on amd64; a machine that fuses
// multiplication and addition may round a few grey values otherwise.
func TestSyntheticStaysTheSame(t *testing.T) {
	set := drawFaces(t, few)
	want := []float64{78.3616, 77.1252, 83.6362, 86.7993, 91.3655}
	for p := range few.People {
		var mean float64
		for j := set.Groups[p]; j < set.Groups[p+1]; j++ {
			mean += mat.Sum(set.X.ColView(j)) / float64(few.PerPerson*few.Input.Len())
		}
		if math.Abs(mean-want[p]) > 0.01 {
			t.Errorf("the mean grey value of %s is %.4f, want %.4f", set.Classes[p], mean, want[p])
		}
	}
}

// With the variations off, images show the identity alone.
func TestSyntheticPeopleDiffer(t *testing.T) {
	s := synthetic.Faces{People: 60, PerPerson: 2, Input: dataset.DefaultSize, Seed: 3}
	set := drawFaces(t, s)
	var people [][]float64
	smallest, pair := math.Inf(1), ""
	for p, class := range set.Classes {
		a := mat.Col(nil, set.Groups[p], set.X)
		if !slices.Equal(a, mat.Col(nil, set.Groups[p]+1, set.X)) {
			t.Fatalf("two images of %s differ with every variation off", class)
		}
		for q, b := range people {
			if d := meanDifference(a, b); d < smallest {
				smallest, pair = d, class+" and "+set.Classes[q]
			}
		}
		people = append(people, a)
	}
	if smallest < 5 {
		t.Errorf("%s differ by %.2f grey values a pixel only", pair, smallest)
	}
}

func meanDifference(a, b []float64) float64 {
	var sum float64
	for i := range a {
		sum += math.Abs(a[i] - b[i])
	}
	return sum / float64(len(a))
}

// A strength changes its own variation: the others' draws stay, and the
// images of a person do differ through it.
func TestSyntheticStrengths(t *testing.T) {
	for name, turn := range map[string]func(*synthetic.Faces){
		"light":      func(s *synthetic.Faces) { s.Light = 1 },
		"pose":       func(s *synthetic.Faces) { s.Pose = 1 },
		"expression": func(s *synthetic.Faces) { s.Expression = 1 },
		"occlusion":  func(s *synthetic.Faces) { s.Occlusion = 2 },
		"noise":      func(s *synthetic.Faces) { s.Noise = 1 },
	} {
		s := synthetic.Faces{People: 1, PerPerson: 20, Input: dataset.DefaultSize, Seed: 1}
		turn(&s)
		set := drawFaces(t, s)
		first := mat.Col(nil, 0, set.X)
		same := 0
		for j := 1; j < s.PerPerson; j++ {
			if slices.Equal(first, mat.Col(nil, j, set.X)) {
				same++
			}
		}
		if same == s.PerPerson-1 {
			t.Errorf("%s alone varies nothing", name)
		}
		if name == "occlusion" && same == 0 {
			t.Error("every face is covered")
		}
	}
}

func TestSyntheticRefuses(t *testing.T) {
	for _, c := range []struct {
		want string
		edit func(*synthetic.Faces)
	}{
		{"0 people", func(s *synthetic.Faces) { s.People = 0 }},
		{"-3 images", func(s *synthetic.Faces) { s.PerPerson = -3 }},
		{"size", func(s *synthetic.Faces) { s.Input = dataset.Size{} }},
		{"-32x-32", func(s *synthetic.Faces) { s.Input = dataset.Size{Height: -32, Width: -32} }},
		{"1025x8", func(s *synthetic.Faces) { s.Input = dataset.Size{Height: dataset.MaxSide + 1, Width: 8} }},
		{"light = -1", func(s *synthetic.Faces) { s.Light = -1 }},
		{"pose = NaN", func(s *synthetic.Faces) { s.Pose = math.NaN() }},
		{"expression = 2.5", func(s *synthetic.Faces) { s.Expression = 2.5 }},
		{"occlusion = +Inf", func(s *synthetic.Faces) { s.Occlusion = math.Inf(1) }},
		{"noise = 11", func(s *synthetic.Faces) { s.Noise = 11 }},
		{"4 GiB", func(s *synthetic.Faces) { s.People = 1 << 40 }},
		{"4 GiB", func(s *synthetic.Faces) { s.PerPerson = math.MaxInt }},
		{"4 GiB", func(s *synthetic.Faces) { s.People, s.PerPerson = math.MaxInt, math.MaxInt }},
		{"4 GiB", func(s *synthetic.Faces) {
			s.Input, s.PerPerson = dataset.Size{Height: dataset.MaxSide, Width: dataset.MaxSide}, 13
		}},
	} {
		s := synthetic.Default
		c.edit(&s)
		if _, err := s.Draw(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("drawing %+v: error %v, want %q in it", s, err, c.want)
		}
	}
	if err := synthetic.Default.Validate(); err != nil {
		t.Error(err)
	}
}

func TestSyntheticStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	s := few
	s.People, s.Input = 20_000, dataset.Size{Height: 4, Width: 4} // many minutes, and little memory
	if _, err := s.Draw(ctx); !errors.Is(err, why) {
		t.Errorf("error %v, want %v", err, why)
	}
}

// The faces are hard for a nearest neighbour and fair to a representation.
// The rates asked for leave room: measured are 70 … 76 % and 93 … 100 %.
func TestSyntheticIsHardForNeighboursOnly(t *testing.T) {
	if testing.Short() {
		t.Skip("learns")
	}
	s := synthetic.Default
	s.People = 30
	seeds, methods := uint64(1), []classify.Method{method.DefaultNRC, method.DefaultCRC}
	if os.Getenv("NRDL_LONG") != "" {
		seeds, methods = 3, append(methods, method.DefaultNRDL)
	}
	for seed := range seeds {
		s.Seed = seed + 1
		set := drawFaces(t, s)
		train, test := halves(t, set, s.Seed)
		nearest := neighbourRate(train, test)
		if nearest > 0.8 {
			t.Errorf("seed %d: the nearest neighbour recognises %.1f %%", s.Seed, 100*nearest)
		}
		for _, m := range methods {
			r := rate(t, m, train, test)
			t.Logf("seed %d: 1-NN %.1f %%, %s %.1f %%", s.Seed, 100*nearest, m.Name(), 100*r)
			if r < 0.9 {
				t.Errorf("seed %d: %s recognises %.1f %%", s.Seed, m.Name(), 100*r)
			}
		}
	}
}

func halves(t *testing.T, set *dataset.Images, seed uint64) (train, test *dataset.Images) {
	t.Helper()
	a, b, err := dataset.DefaultSplit.Apply(set, seed)
	if err != nil {
		t.Fatal(err)
	}
	return set.Select(a), set.Select(b)
}

func rate(t *testing.T, m classify.Method, train, test *dataset.Images) float64 {
	t.Helper()
	model, err := m.Fit(t.Context(), &train.Samples, classify.Run{Seed: 1})
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	got, err := model.Predict(t.Context(), test.X)
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	return matches(got, test.Labels())
}

func matches(got, want []int) float64 {
	n := 0
	for j := range got {
		if got[j] == want[j] {
			n++
		}
	}
	return float64(n) / float64(len(got))
}

// neighbourRate is the rate of the nearest training sample by angle, which is
// the nearest of unit columns.
func neighbourRate(train, test *dataset.Images) float64 {
	var cos mat.Dense
	cos.Mul(train.X.T(), test.X)
	k, n := cos.Dims()
	norms := make([]float64, k)
	for i := range norms {
		norms[i] = mat.Norm(train.X.ColView(i), 2)
	}
	got := make([]int, n)
	for j := range got {
		best := 0
		for i := range k {
			if cos.At(i, j)/norms[i] > cos.At(best, j)/norms[best] {
				best = i
			}
		}
		got[j] = train.ClassOf(best)
	}
	return matches(got, test.Labels())
}

func BenchmarkSynthetic(b *testing.B) {
	s := synthetic.Default
	for b.Loop() {
		drawFaces(b, s)
	}
	b.ReportMetric(float64(b.N*s.People*s.PerPerson)/b.Elapsed().Seconds(), "faces/s")
}
