package method

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/coding"
	"nrdl/internal/hint"
	"nrdl/internal/lin"
)

// faces are images of 12×10 pixels of 4 people, 5 of each, who are patterns
// with noise in them.
func faces(t testing.TB) *nrdl.Set {
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
	s, err := nrdl.NewSet(x, labels, nil, nil, nrdl.Input{Size: nrdl.Size{Height: 12, Width: 10}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func trained(t testing.TB, s *nrdl.Set, text string) *nrdl.Set {
	t.Helper()
	in, err := nrdl.ParseInput(text)
	if err != nil {
		t.Fatal(err)
	}
	train, err := s.Training(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return train
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

// Whatever samples are, a method learns a model that keeps their Input, is
// finite and names the images that it learnt from, or it says why it cannot.
func TestMethodsOnInputs(t *testing.T) {
	s := faces(t)
	refusals := map[string]int{}
	for _, text := range []string{"12x10 igo mirror", "12x10 lcn hog:cell=4", "12x10 mirror pca:6", "12x10 igo mirror fisher"} {
		train := trained(t, s, text)
		for _, m := range All {
			for path, value := range fewSettings[m.Name()] {
				var err error
				if m, err = Set(m, path, value); err != nil {
					t.Fatal(err)
				}
			}
			model, err := m.Fit(t.Context(), train, nrdl.Run{Seed: 1})
			if err != nil {
				if hint.Of(err) == "" || !strings.HasPrefix(err.Error(), m.Name()+": ") {
					t.Errorf("%s on %s: %v, without a hint", m.Name(), text, err)
				}
				refusals[m.Name()]++
				continue
			}
			p := model.Parts()
			if p.Input.String() != train.Input.String() || p.Projection != train.Projection {
				t.Errorf("%s on %s: the model's input is %v", m.Name(), text, p.Input)
			}
			if v := lin.MaxAbs(p.D); !(v <= nrdl.DivergenceBound) {
				t.Errorf("%s on %s: D holds %v", m.Name(), text, v)
			}
			named, err := model.PredictOf(t.Context(), s)
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
			// LCLE needs more than the three dimensions that are left of four people.
			if wrong > 2 && (m.Name() != "lcle" || !strings.HasSuffix(text, "fisher")) {
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

// More atoms than dimensions that a projection leaves would be learnt in vain:
// it is said before the first pass.
func TestNRDLAfterProjections(t *testing.T) {
	s := faces(t)
	passes := 0
	watch := func(nrdl.Progress) { passes++ }
	few := DefaultNRDL
	few.Atoms = 1
	for _, m := range []NRDL{DefaultNRDL, few} {
		_, err := m.Fit(t.Context(), trained(t, s, "12x10 igo mirror fisher"), nrdl.Run{Watch: watch})
		if err == nil || !strings.Contains(err.Error(), "atoms, more than the 3 dimensions that fisher leaves") || !strings.Contains(hint.Of(err), "--project none") || passes != 0 {
			t.Errorf("after fisher: %v (hint %q), %d passes", err, hint.Of(err), passes)
		}
		if Projects(m) {
			t.Error("it may be chosen for projected samples")
		}
	}
	if _, err := few.Fit(t.Context(), trained(t, s, "12x10 pca:6"), nrdl.Run{}); err != nil {
		t.Errorf("4 atoms in 6 dimensions: %v", err)
	}
	if _, err := DefaultNRDL.Fit(t.Context(), trained(t, s, "12x10 igo mirror"), nrdl.Run{Watch: watch}); err != nil || passes == 0 {
		t.Errorf("without a projection: %v, %d passes", err, passes)
	}
}

// What is learnt is a model only while its numbers are in their range, also of
// a method that has no passes.
func TestModelsOfDivergence(t *testing.T) {
	s := faces(t)
	for name, spoil := range map[string]func(*nrdl.Parts){
		"D": func(p *nrdl.Parts) { p.D.Set(3, 2, -2*nrdl.DivergenceBound) },
		"W": func(p *nrdl.Parts) { p.W.Set(1, 2, math.Inf(1)) },
		"M": func(p *nrdl.Parts) { p.M.Set(2, 1, math.NaN()) },
	} {
		p := nrdl.Parts{
			D: nrdl.Unit(s.X), W: mat.NewDense(4, 20, nil), M: mat.NewDense(20, 4, nil), Groups: s.Groups,
			Coder: coding.DefaultRidge, Rule: nrdl.Linear, Trained: nrdl.Outcome{Iter: 7},
		}
		p.W.Set(0, 0, 1)
		spoil(&p)
		_, err := model(DefaultCRC, s, nrdl.Run{}, p)
		if !errors.Is(err, nrdl.ErrDiverged) || !strings.Contains(err.Error(), "crc: diverged after pass 7: "+name+" holds") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
