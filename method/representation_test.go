package method

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// people makes a set of samples that are random mixtures of two directions of
// their class, plus noise.
func people(t *testing.T, classes, samples, d int, noise float64, seed uint64) *classify.Samples {
	t.Helper()
	mix := rand.New(rand.NewPCG(seed, 5))
	x := mat.NewDense(d, classes*samples, nil)
	var labels []string
	for j := range classes * samples {
		own := rand.New(rand.NewPCG(uint64(j/samples), 6))
		a, b := mix.NormFloat64(), mix.NormFloat64()
		for i := range d {
			x.Set(i, j, a*own.NormFloat64()+b*own.NormFloat64()+noise*mix.NormFloat64())
		}
		labels = append(labels, string(rune('a'+j/samples)))
	}
	set, err := classify.NewSamples(x, labels, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func scoresOf(t *testing.T, m classify.Method, train *classify.Samples, x *mat.Dense) *mat.Dense {
	t.Helper()
	model, err := m.Fit(context.Background(), train, classify.Run{})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := model.Scores(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

// TestLRCIsTheDistanceToTheSpan: 1 − score is the distance from the sample, at
// unit norm, to the span of the class, found here by Gram-Schmidt.
func TestLRCIsTheDistanceToTheSpan(t *testing.T) {
	train, probe := people(t, 4, 5, 30, 0.3, 1), people(t, 4, 3, 30, 0.3, 2)
	scores := scoresOf(t, DefaultLRC, train, probe.X)
	y := classify.Unit(probe.X)
	for j := range 12 {
		for c := range 4 {
			rest := mat.VecDenseCopyOf(y.ColView(j))
			var basis []*mat.VecDense
			for k := train.Groups[c]; k < train.Groups[c+1]; k++ {
				q := mat.VecDenseCopyOf(train.X.ColView(k))
				for range 2 { // twice is enough
					for _, b := range basis {
						q.AddScaledVec(q, -mat.Dot(q, b), b)
					}
				}
				q.ScaleVec(1/mat.Norm(q, 2), q)
				basis = append(basis, q)
				rest.AddScaledVec(rest, -mat.Dot(rest, q), q)
			}
			if got, want := 1-scores.At(c, j), mat.Norm(rest, 2); math.Abs(got-want) > 1e-12 {
				t.Errorf("sample %d is %v from class %d, want %v", j, got, c, want)
			}
		}
	}
}

// TestLLCWithOneNeighbour: its class scores 1 − the distance to it, all others 0.
func TestLLCWithOneNeighbour(t *testing.T) {
	train, probe := people(t, 4, 5, 30, 0.3, 3), people(t, 4, 3, 30, 0.3, 4)
	scores := scoresOf(t, LLC{coding.Local{Neighbours: 1, Lambda: 1e-4}}, train, probe.X)
	x, y := classify.Unit(train.X), classify.Unit(probe.X)
	for j := range 12 {
		nearest, class := math.Inf(1), 0
		for k := range 20 {
			var diff mat.VecDense
			diff.SubVec(y.ColView(j), x.ColView(k))
			if distance := mat.Norm(&diff, 2); distance < nearest {
				nearest, class = distance, train.ClassOf(k)
			}
		}
		for c := range 4 {
			want := 0.0
			if c == class {
				want = 1 - nearest
			}
			if got := scores.At(c, j); math.Abs(got-want) > 1e-12 {
				t.Errorf("class %d of sample %d scores %v, want %v", c, j, got, want)
			}
		}
	}
}

// TestDSRCShrinks: the more weight on the correlation, the less of a sample the
// classes rebuild together.
func TestDSRCShrinks(t *testing.T) {
	train, probe := people(t, 4, 5, 30, 0.3, 5), people(t, 4, 3, 30, 0.3, 6)
	last := math.Inf(1)
	for _, tau := range []float64{0, 1e-3, 1e-2, 0.1, 1} {
		model, err := DSRC{coding.Discriminative{Tau: tau}}.Fit(context.Background(), train, classify.Run{})
		if err != nil {
			t.Fatal(err)
		}
		codes, err := model.Transform(context.Background(), probe.X)
		if err != nil {
			t.Fatal(err)
		}
		var rebuilt mat.Dense
		rebuilt.Mul(model.Parts().D, codes)
		norm := mat.Norm(&rebuilt, 2)
		if !(norm < last) {
			t.Errorf("τ = %g: what is rebuilt has the norm %g, with less τ %g", tau, norm, last)
		}
		last = norm
	}
}

func TestRepresentationsRefuse(t *testing.T) {
	train := people(t, 3, 4, 10, 0.3, 8)
	for _, m := range []classify.Method{
		LLC{},
		LLC{coding.Local{Neighbours: 3, Lambda: -1}},
		LRC{coding.PerClass{Lambda: math.NaN()}},
		DSRC{coding.Discriminative{Tau: -1}},
		SRC{},
	} {
		if _, err := m.Fit(context.Background(), train, classify.Run{}); err == nil || !strings.HasPrefix(err.Error(), m.Name()+": ") {
			t.Errorf("%+v: %v", m, err)
		}
	}
}

// TestRepresentationsOnFaces compares the numbers of errors with those of
// NumPy 1.24 (lstsq for LRC, solve for LLC and DSRC) and of scikit-learn 1.2
// (Lasso with a tolerance of 1e-9 for SRC) on the same splits, each by a plain
// loop over the printed formulas.
func TestRepresentationsOnFaces(t *testing.T) {
	type faces struct {
		file  string
		first int
		wrong map[string]int
	}
	sets := []faces{{"orl_56x46.mat", 6, map[string]int{"llc": 9, "lrc": 9, "dsrc": 9, "src": 9}}}
	if os.Getenv("NRDL_LONG") != "" {
		sets = append(sets, faces{"gt_50x40.mat", 5, map[string]int{"llc": 186, "lrc": 201, "dsrc": 204, "src": 184}})
	}
	for _, c := range sets {
		train, test := trainingPart(t, c.file, c.first)
		for _, m := range []classify.Method{DefaultLLC, DefaultLRC, DefaultDSRC, DefaultSRC} {
			model, err := m.Fit(context.Background(), train, classify.Run{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := model.Predict(context.Background(), test.X)
			if err != nil {
				t.Fatal(err)
			}
			wrong := 0
			for j, label := range test.Labels() {
				if got[j] != label {
					wrong++
				}
			}
			if wrong != c.wrong[m.Name()] {
				t.Errorf("%s: %s is wrong %d times, want %d", c.file, m.Name(), wrong, c.wrong[m.Name()])
			}
		}
	}
}
