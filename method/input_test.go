package method

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/internal/lin"
)

// faces are images of 12×10 pixels of 4 people, 5 of each, who are patterns
// with noise in them.
func faces(t testing.TB) *dataset.Images {
	t.Helper()
	rng := rand.New(rand.NewPCG(21, 22))
	const d, people, each = 120, 4, 5
	x := mat.NewDense(d, people*each, nil)
	var labels []string
	for c := range people {
		pattern := make([]float64, d)
		for i := range pattern {
			pattern[i] = 255 * rng.Float64()
		}
		for k := range each {
			for i, v := range pattern {
				x.Set(i, c*each+k, min(255, max(0, v+30*rng.NormFloat64())))
			}
			labels = append(labels, string(rune('a'+c)))
		}
	}
	s, err := dataset.NewImages(x, labels, nil, nil, dataset.Frame{Size: dataset.Size{Height: 12, Width: 10}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func trained(t testing.TB, s *dataset.Images, text string) (frontend.Fitted, *classify.Samples) {
	t.Helper()
	in, err := frontend.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	fitted, train, err := in.Fit(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return fitted, train
}

// fewSettings are what methods need for five images of four people, in few
// dimensions.
var fewSettings = map[string]map[string]string{
	"llc":                    {"coder.neighbours": "3"},
	"ksvd":                   {"sparsity": "2", "init.sparsity": "2", "passes": "3"},
	"dksvd":                  {"sparsity": "2", "init.sparsity": "2", "passes": "3"},
	"lcksvd1":                {"sparsity": "2", "init.sparsity": "2", "passes": "3"},
	"lcksvd2":                {"sparsity": "2", "init.sparsity": "2", "passes": "3"},
	"lcle":                   {"coder.sparsity": "3"},
	"sdrerdl-reconstruction": {"coder.sparsity": "3"},
	"blocks":                 {"coder.side": "4", "coder.step": "4"},
}

// Whatever samples are, a method learns a classifier that keeps their Grid, is
// finite and names the images that it learned from, or it says why it cannot.
func TestMethodsOnInputs(t *testing.T) {
	s := faces(t)
	refusals := map[string]int{}
	texts := []string{"12x10 mirror pca:6", "12x10 igo mirror fisher"}
	if os.Getenv("NRDL_LONG") != "" {
		texts = append(texts, "12x10 igo mirror", "12x10 lcn hog:cell=4")
	}
	for _, text := range texts {
		fitted, train := trained(t, s, text)
		for _, m := range All() {
			for path, value := range fewSettings[m.Name()] {
				var err error
				if m, err = Set(m, path, value); err != nil {
					t.Fatal(err)
				}
			}
			classifier, err := m.Fit(t.Context(), train, classify.Run{Seed: 1})
			if err != nil {
				if advice.Text(err) == "" || !strings.HasPrefix(err.Error(), m.Name()+": ") {
					t.Errorf("%s on %s: %v, without a hint", m.Name(), text, err)
				}
				refusals[m.Name()]++
				continue
			}
			p := classifier.Parts()
			if p.Grid != train.Grid || p.Grid != fitted.Grid() {
				t.Errorf("%s on %s: the classifier's grid is %v", m.Name(), text, p.Grid)
			}
			model := &frontend.Model{Fitted: fitted, Classifier: classifier}
			if err := model.Validate(); err != nil {
				t.Errorf("%s on %s: %v", m.Name(), text, err)
			}
			if v := lin.MaxAbs(p.D); !(v <= classify.DivergenceBound) {
				t.Errorf("%s on %s: D holds %v", m.Name(), text, v)
			}
			named, err := model.Predict(t.Context(), s)
			if err != nil {
				t.Errorf("%s on %s: %v", m.Name(), text, err)
				continue
			}
			wrong := 0
			for j, c := range s.Labels() {
				if named[j] != c {
					wrong++
				}
			}
			// Of four people three dimensions are left, and LCLE needs more. There the images of
			// each person span all, so that every residual of LRC is a rounding error.
			few := strings.HasSuffix(text, "fisher") && (m.Name() == "lcle" || m.Name() == "lrc")
			if wrong > 2 && !few {
				t.Errorf("%s on %s names %d of the training images wrongly", m.Name(), text, wrong)
			}
		}
	}
	for _, name := range []string{"crc", "nrc", "lrc", "src", "representation", "robust"} {
		if refusals[name] != 0 {
			t.Errorf("%s refuses %d inputs", name, refusals[name])
		}
	}
}

// More atoms than dimensions that a projection leaves would be learned in vain:
// it is said before the first pass.
func TestNRDLAfterProjections(t *testing.T) {
	s := faces(t)
	made := func(text string) *classify.Samples { _, train := trained(t, s, text); return train }
	passes := 0
	watch := func(classify.Progress) { passes++ }
	few := DefaultNRDL
	few.Atoms = 1
	for _, m := range []NRDL{DefaultNRDL, few} {
		_, err := m.Fit(t.Context(), made("12x10 igo mirror fisher"), classify.Run{Watch: watch})
		if err == nil || !strings.Contains(err.Error(), "atoms, more than the 3 dimensions that fisher leaves") || !strings.Contains(advice.Text(err), "Projection: none") || passes != 0 {
			t.Errorf("after fisher: %v (hint %q), %d passes", err, advice.Text(err), passes)
		}
		if !classify.TraitsOf(m).Unprojected {
			t.Error("it may be chosen for projected samples")
		}
	}
	if _, err := few.Fit(t.Context(), made("12x10 pca:6"), classify.Run{}); err != nil {
		t.Errorf("4 atoms in 6 dimensions: %v", err)
	}
	if _, err := DefaultNRDL.Fit(t.Context(), made("12x10 igo mirror"), classify.Run{Watch: watch}); err != nil || passes == 0 {
		t.Errorf("without a projection: %v, %d passes", err, passes)
	}
}

// What is learned is a model only while its numbers are in their range, also of
// a method that has no passes.
func TestModelsOfDivergence(t *testing.T) {
	s := &faces(t).Samples
	for name, spoil := range map[string]func(d, w, m *mat.Dense) classify.Rule{
		"D": func(d, w, _ *mat.Dense) classify.Rule {
			d.Set(3, 2, -2*classify.DivergenceBound)
			return classify.Linear{W: w}
		},
		"W": func(_, w, _ *mat.Dense) classify.Rule { w.Set(1, 2, math.Inf(1)); return classify.Linear{W: w} },
		"M": func(_, _, m *mat.Dense) classify.Rule { m.Set(2, 1, math.NaN()); return classify.Fisher{M: m} },
	} {
		d, w, m := classify.Unit(s.X), mat.NewDense(4, 20, nil), mat.NewDense(20, 4, nil)
		w.Set(0, 0, 1)
		p := classify.Parts{
			D: d, Groups: s.Groups, Coder: coding.DefaultRidge, Rule: spoil(d, w, m), Trained: classify.Outcome{Iter: 7},
		}
		_, err := model(DefaultCRC, s, classify.Run{}, p)
		if !errors.Is(err, classify.ErrDiverged) || !strings.Contains(err.Error(), "crc: diverged after pass 7: "+name+" holds") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
