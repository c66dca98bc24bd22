package method

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

func fitted(t testing.TB, m classify.Method, s *classify.Samples, warm *classify.Classifier) *classify.Classifier {
	t.Helper()
	model, err := m.Fit(context.Background(), s, classify.Run{Warm: warm})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// withoutClass is s without class c.
func withoutClass(s *classify.Samples, c int) *classify.Samples {
	var columns []int
	for j, of := range s.Labels() {
		if of != c {
			columns = append(columns, j)
		}
	}
	return s.Select(columns)
}

func sameModel(a, b *classify.Classifier) bool {
	p, q := a.Parts(), b.Parts()
	return mat.Equal(p.D, q.D) && mat.Equal(linear(p), linear(q)) && p.Outcome == q.Outcome
}

// A fit that starts from a model repeats exactly, needs few passes, and names
// the samples as one from the start does.
func TestWarmStart(t *testing.T) {
	all := positive(rand.New(rand.NewPCG(21, 1)), 40, 5, 4, 6, 5, 3)
	probe := positive(rand.New(rand.NewPCG(22, 1)), 40, 9, 9, 9, 9, 9)
	for _, m := range []NRDL{DefaultNRDL, DefaultNRDLTest} {
		fresh := fitted(t, m, all, nil)
		want, err := fresh.Predict(context.Background(), probe.X)
		if err != nil {
			t.Fatal(err)
		}
		for c := range all.Classes {
			old := fitted(t, m, withoutClass(all, c), nil)
			warm := fitted(t, m, all, old)
			if !sameModel(warm, fitted(t, m, all, old)) {
				t.Errorf("%s without %d: it does not repeat", m.Name(), c)
			}
			if out := warm.Parts().Outcome; out.Status != classify.Converged || 5*out.Iter > fresh.Parts().Outcome.Iter {
				t.Errorf("%s without %d: %v, from the start %v", m.Name(), c, out, fresh.Parts().Outcome)
			}
			got, err := warm.Predict(context.Background(), probe.X)
			if err != nil {
				t.Fatal(err)
			}
			differ := 0
			for j := range got {
				if got[j] != want[j] {
					differ++
				}
			}
			if differ > 1 {
				t.Errorf("%s without %d: %d of %d are named otherwise", m.Name(), c, differ, len(got))
			}
		}
	}
}

// Where the start is, P and J stand still: (13) and (14) give them back.
func TestWarmStartStandsStill(t *testing.T) {
	m := strong()
	all := positive(rand.New(rand.NewPCG(23, 1)), 20, 4, 3, 5)
	old := fitted(t, m, withoutClass(all, 1), nil).Parts()
	s, err := newNRDLState(m, newTask(t, all, m.Atoms))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.warm(&old, classify.Unit(all.X), all); err != nil {
		t.Fatal(err)
	}
	p, j := mat.DenseCopyOf(s.P), mat.DenseCopyOf(s.J)
	if lin.MaxAbs(p) == 0 || lin.MaxAbs(s.C1) == 0 || lin.MaxAbs(s.C2) == 0 {
		t.Fatal("nothing is started")
	}
	lin.Set(s.WS, 1, p) // that they were made for
	if err := s.updateP(); err != nil {
		t.Fatal(err)
	}
	if err := s.updateJ(); err != nil {
		t.Fatal(err)
	}
	if a, b := lin.MaxAbsDiff(s.P, p), lin.MaxAbsDiff(s.J, j); !(math.Max(a, b) < 1e-12) {
		t.Errorf("P moves by %.1e, J by %.1e", a, b)
	}
}

// With equal samples the systems are singular, and the proximal terms decide.
func TestProximitiesMatter(t *testing.T) {
	all := positive(rand.New(rand.NewPCG(25, 1)), 20, 4, 4, 4)
	all.X.SetCol(1, mat.Col(nil, 0, all.X))
	old := fitted(t, DefaultNRDL, withoutClass(all, 2), nil)
	edited := DefaultNRDL
	edited.Proximity *= 10
	if sameModel(fitted(t, DefaultNRDL, all, nil), fitted(t, edited, all, nil)) {
		t.Error("proximity changes nothing")
	}
	edited = DefaultNRDL
	edited.WarmProximity *= 10
	oldEdited := fitted(t, edited, withoutClass(all, 2), nil)
	if sameModel(fitted(t, DefaultNRDL, all, old), fitted(t, edited, all, oldEdited)) {
		t.Error("warm_proximity changes nothing")
	}
}

// A model that cannot be started from changes nothing.
func TestWarmStartFromAnotherModel(t *testing.T) {
	all := positive(rand.New(rand.NewPCG(24, 1)), 20, 4, 4, 4)
	few := DefaultNRDL
	few.Atoms, few.Init.Sparsity = 3, 2
	other := DefaultNRDL
	other.Beta = 0.2
	fresh := fitted(t, DefaultNRDL, all, nil)
	renamed, onGrid, projected := *all, *all, *all
	renamed.Classes = []string{"x", "y", "z"}
	onGrid.Grid = classify.Grid{Height: 5, Width: 4, Planes: 1}
	projected.Projection = "pca:20"
	without := fresh.Parts()
	without.Rule = classify.Residual{}
	withoutW, err := classify.NewClassifier(without)
	if err != nil {
		t.Fatal(err)
	}
	for name, warm := range map[string]*classify.Classifier{
		"another method": fitted(t, DefaultCRC, all, nil), "other parameters": fitted(t, other, all, nil),
		"other people":      fitted(t, DefaultNRDL, &renamed, nil),
		"samples on a grid": fitted(t, DefaultNRDL, &onGrid, nil), "a model without W": withoutW,
	} {
		if !sameModel(fitted(t, DefaultNRDL, all, warm), fresh) {
			t.Errorf("%s matters", name)
		}
	}
	if !sameModel(fitted(t, few, all, fitted(t, few, all, nil)), fitted(t, few, all, nil)) {
		t.Error("with fewer atoms than samples it starts from the model")
	}
	if !sameModel(fitted(t, DefaultNRDL, &projected, fresh), fresh) {
		t.Error("projected samples are started from the model")
	}
	if few.Traits().Warm || !DefaultNRDL.Traits().Warm || DefaultCRC.Traits().Warm {
		t.Error("the traits say otherwise")
	}
}
