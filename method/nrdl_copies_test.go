package method

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// D, W and S after some passes on sets whose (11) is singular, or nearly so, are
// those of testdata/golden/nrdl_copies.py, which solves by eigenvectors.
func TestSingularStepsAgreeWithNumPy(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "golden", "nrdl_copies.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Cases []struct {
			Name             string
			Signed           bool
			Passes, Features int
			Labels           []int
			X, D, W, S       []float64
		}
	}
	if err := json.Unmarshal(raw, &golden); err != nil || len(golden.Cases) == 0 {
		t.Fatal(len(golden.Cases), err)
	}
	for _, c := range golden.Cases {
		t.Run(c.Name, func(t *testing.T) {
			n := len(c.Labels)
			var labels []string
			for _, of := range c.Labels {
				labels = append(labels, fmt.Sprintf("c%d", of))
			}
			train, err := classify.NewSamples(mat.NewDense(c.Features, n, c.X), labels, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			m := DefaultNRDL
			m.Signed = c.Signed
			s := midway(t, m, train, c.Passes)
			for name, pair := range map[string][2]*mat.Dense{
				"D": {s.t.own(s.D), mat.NewDense(c.Features, n, c.D)},
				"W": {s.W, mat.NewDense(len(train.Classes), n, c.W)},
				"S": {s.S, mat.NewDense(n, n, c.S)},
			} {
				if diff := lin.MaxAbsDiff(pair[0], pair[1]); !(diff < 1e-7) {
					t.Errorf("%s differs by %.2e", name, diff)
				}
			}
		})
	}
}

// hard draws classes that overlap, so that a rate says something: noise is its
// deviation where the means of the classes lie in 0 … 1.
func hard(r *rand.Rand, d int, noise float64, sizes ...int) *classify.Samples {
	s := positive(r, d, sizes...)
	centre := rand.New(rand.NewPCG(31, 1))
	for c := range sizes {
		for i := range d {
			v := centre.Float64()
			for j := s.Groups[c]; j < s.Groups[c+1]; j++ {
				s.X.Set(i, j, math.Abs(v+noise*r.NormFloat64()))
			}
		}
	}
	return s
}

// alike returns train with copies of the images from. Each copy has normal noise;
// noise is its norm as a part of the image's. With next a copy is labelled as the
// next class.
func alike(train *classify.Samples, from []int, noise float64, next bool) *classify.Samples {
	r := rand.New(rand.NewPCG(32, 1))
	d, n := train.X.Dims()
	x := mat.NewDense(d, n+len(from), nil)
	x.Slice(0, d, 0, n).(*mat.Dense).Copy(train.X)
	var labels []string
	for _, c := range train.Labels() {
		labels = append(labels, train.Classes[c])
	}
	for i, j := range from {
		image := train.X.ColView(j)
		size := mat.Norm(image, 2) / math.Sqrt(float64(d))
		for k := range d {
			x.Set(k, n+i, image.AtVec(k)+noise*size*r.NormFloat64())
		}
		c := train.ClassOf(j)
		if next {
			c = (c + 1) % len(train.Classes)
		}
		labels = append(labels, train.Classes[c])
	}
	s, err := classify.NewSamples(x, labels, nil, train.Classes)
	if err != nil {
		panic(err)
	}
	s.Grid = train.Grid
	return s
}

// Images that are in the training part twice, nearly or exactly, change the rate
// by less than sampling does, in every regime.
func TestCopiesDoNotChangeTheRate(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	many := [][]int{{5, 5, 5}, {0, 3, 6, 9, 12, 15, 18, 21, 24, 27}}
	noises := []float64{0, 1e-5, 3e-4}
	if os.Getenv("NRDL_LONG") != "" {
		noises = []float64{0, 1e-12, 1e-9, 1e-6, 1e-5, 3e-5, 1e-4, 2e-4, 3e-4, 1e-3, 1e-2}
		many = append(many, []int{5}, []int{0, 6, 12, 18, 24, 29}) // the last: one of each class
	}
	for _, c := range []struct {
		name     string
		d        int
		edit     func(*NRDL)
		warm     bool
		maxOther float64 // of the test samples that are named otherwise
	}{
		{"K = N", 60, func(*NRDL) {}, false, 0.02},
		{"K < N", 60, func(m *NRDL) { m.Atoms = 3 }, false, 0.15},
		{"K > d", 20, func(*NRDL) {}, false, 0.05},
		{"signed", 60, func(m *NRDL) { m.Signed = true }, false, 0.015},
		{"warm", 60, func(*NRDL) {}, true, 0.02},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := DefaultNRDL
			c.edit(&m)
			train := hard(rand.New(rand.NewPCG(33, 1)), c.d, 0.5, 5, 5, 5, 5, 5, 5)
			probes := hard(rand.New(rand.NewPCG(34, 1)), c.d, 0.5, 80, 80, 80, 80, 80, 80)
			named := func(s *classify.Samples) ([]int, float64) {
				var old *classify.Classifier
				if c.warm {
					old = fitted(t, m, withoutClass(s, 3), nil)
				}
				got, err := fitted(t, m, s, old).Predict(context.Background(), probes.X)
				if err != nil {
					t.Fatal(err)
				}
				right := 0
				for j, of := range probes.Labels() {
					if got[j] == of {
						right++
					}
				}
				return got, float64(right) / float64(len(got))
			}
			want, clean := named(train)
			if clean < 0.4 || clean > 0.97 {
				t.Fatalf("%.3f of the samples are named correctly: the test says nothing", clean)
			}
			for _, from := range many {
				for _, noise := range noises {
					got, rate := named(alike(train, from, noise, false))
					differ := 0
					for j := range got {
						if got[j] != want[j] {
							differ++
						}
					}
					limit := c.maxOther
					if noise >= 1e-3 { // no copies any more, but images of their own
						limit = max(limit, 0.06)
					}
					if part := float64(differ) / float64(len(got)); part > limit || math.Abs(rate-clean) > 0.04 {
						t.Errorf("copies of %v, noise %g: %.3f are named otherwise, %.3f correctly, without copies %.3f", from, noise, part, rate, clean)
					}
				}
			}
			if _, rate := named(alike(train, []int{5, 12, 29}, 0, true)); math.Abs(rate-clean) > 0.06 {
				t.Errorf("three copies in another class: %.3f are named correctly, without %.3f", rate, clean)
			}
		})
	}
}

// With a proximal term the updates are stationary for what they minimise with
// ε‖S − S_last‖² and its like beside.
func TestProximalUpdatesAreStationary(t *testing.T) {
	m := strong()
	m.Signed, m.Mu = true, 0.1 // no clamping
	for _, d := range []int{20, 6} {
		train := alike(positive(rand.New(rand.NewPCG(35, 1)), d, 3, 2, 4), []int{1, 6}, 0, false)
		s := midway(t, m, train, 3)
		last := func(a *mat.Dense) func() float64 {
			was := mat.DenseCopyOf(a)
			return func() float64 {
				var e mat.Dense
				e.Sub(a, was)
				return lin.SquaredNorm(&e)
			}
		}
		r := mat.DenseCopyOf(s.R)
		s.ownClass(r)
		moved := last(s.S)
		if err := s.updateS(); err != nil {
			t.Fatal(err)
		}
		ε, err := s.spd.FactorProximal(s.G, s.proximity)
		if err != nil || ε == 0 {
			t.Fatalf("(11) has ε = %v, error %v", ε, err)
		}
		if g := gradient(s.S, func() float64 { return s.surrogate(r) + ε*moved() }); g > 1e-6 {
			t.Errorf("(11), d = %d: gradient %.2e", d, g)
		}

		for j := range s.S.RawMatrix().Cols { // an atom that another one copies
			s.S.Set(1, j, s.S.At(0, j))
		}
		moved = last(s.W)
		if err := s.updateW(); err != nil {
			t.Fatal(err)
		}
		if s.ε == 0 {
			t.Fatal("(12) has no proximal term")
		}
		if g := gradient(s.W, func() float64 { return s.lagrangian(1) + s.ε*(s.Alpha+2*s.μ)*moved() }); g > 1e-6 {
			t.Errorf("(12), d = %d: gradient %.2e", d, g)
		}
		moved = last(s.D)
		if err := s.updateD(); err != nil {
			t.Fatal(err)
		}
		if g := gradient(s.D, func() float64 { return s.lagrangian(1) + s.ε*moved() }); g > 1e-6 {
			t.Errorf("(15), d = %d: gradient %.2e", d, g)
		}
	}
}

// The first codes do not jump where the proximal term sets in: between two nearly
// equal levels of noise on a copy they change little, whatever the level.
func TestStepIsContinuous(t *testing.T) {
	train := positive(rand.New(rand.NewPCG(36, 1)), 30, 5, 4, 6)
	codes := func(noise float64) (s *mat.Dense, ε float64) {
		state := midway(t, DefaultNRDL, alike(train, []int{2}, noise, false), 0)
		if err := state.updateS(); err != nil {
			t.Fatal(err)
		}
		ε, err := state.spd.FactorProximal(state.G, state.proximity)
		if err != nil {
			t.Fatal(err)
		}
		return state.S, ε
	}
	with, without := 0, 0
	for noise := 1e-6; noise < 1e-1; noise *= 1.02 {
		a, before := codes(noise)
		b, after := codes(1.0001 * noise)
		if diff := lin.MaxAbsDiff(a, b); diff > 1e-3 {
			t.Errorf("noise %.4g, ε %.3g and %.3g: the codes change by %.2g", noise, before, after, diff)
		}
		if after > 0 {
			with++
		} else {
			without++
		}
	}
	if with == 0 || without == 0 {
		t.Errorf("%d levels have a proximal term, %d have none", with, without)
	}
}

// Samples that one atom matches alike do not share it: each of two copies starts
// from an atom of its own.
func TestMatchTakesEachAtomOnce(t *testing.T) {
	train := alike(positive(rand.New(rand.NewPCG(37, 1)), 30, 3, 4, 3), []int{1, 1, 5}, 0, false)
	s := midway(t, DefaultNRDL, train, 0)
	s.matchS()
	k, n := s.S.Dims()
	for a := range k {
		var users int
		for j := range n {
			if v := s.S.At(a, j); v != 0 {
				users++
				if math.Abs(v-1) > 1e-12 {
					t.Errorf("code %v instead of 1", v)
				}
			}
		}
		if users != 1 {
			t.Errorf("atom %d is that of %d samples", a, users)
		}
	}
}

// ofFirst is s with its first people only.
func ofFirst(s *classify.Samples, people int) *classify.Samples {
	columns := make([]int, s.Groups[people])
	for j := range columns {
		columns[j] = j
	}
	return s.Select(columns)
}

// On faces, too: copies, near copies and means of two images change the rate of
// NRDL by no more than 1.5 points.
func TestCopiesOfFaces(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	train, test := trainingPart(t, "orl_56x46.mat", 4)
	if os.Getenv("NRDL_LONG") == "" {
		train, test = ofFirst(train, 20), ofFirst(test, 20)
	}
	rate := func(s *classify.Samples) float64 {
		got, err := fitted(t, DefaultNRDL, s, nil).Predict(context.Background(), test.X)
		if err != nil {
			t.Fatal(err)
		}
		right := 0
		for j, of := range test.Labels() {
			if got[j] == of {
				right++
			}
		}
		return 100 * float64(right) / float64(len(got))
	}
	clean := rate(train)
	var every []int
	for c := range train.Classes {
		every = append(every, train.Groups[c]+c%4)
	}
	means := alike(train, every[:10], 0, false)
	for _, j := range every[:10] {
		first := means.Groups[train.ClassOf(j)]
		copied := means.Groups[train.ClassOf(j)+1] - 1 // it follows the images of its class
		for k := range means.X.RawMatrix().Rows {
			means.X.Set(k, copied, (means.X.At(k, first)+means.X.At(k, first+1))/2)
		}
	}
	for name, s := range map[string]*classify.Samples{
		"three copies":        alike(train, []int{5, 30, 70}, 0, false),
		"one of each person":  alike(train, every, 0, false),
		"near copies":         alike(train, every, 1e-6, false),
		"means of two images": means,
	} {
		if got := rate(s); math.Abs(got-clean) > 1.5 {
			t.Errorf("%s: %.1f %% are named correctly, without %.1f %%", name, got, clean)
		}
	}
}
