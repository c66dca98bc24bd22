package method

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/testing/realdata"
)

type golden struct {
	Predictions []int
	Trace       []map[string]float64
}

func readGolden(t *testing.T, name string) golden {
	t.Helper()
	raw, err := os.ReadFile(realdata.Path(t, "..", "golden", name))
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

// trainingPart returns the first samples of each person of a set, and the others.
func trainingPart(t *testing.T, file string, first int) (train, test *classify.Samples) {
	t.Helper()
	values, people := realdata.Matrix(t, file)
	x, labels := mat.NewDense(len(values[0]), len(values), nil), make([]string, len(people))
	for j, sample := range values {
		x.SetCol(j, sample)
		labels[j] = fmt.Sprintf("person%03d", people[j])
	}
	all, err := classify.NewSamples(x, labels, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var parts [2][]int
	for c := range all.Classes {
		for j := all.Groups[c]; j < all.Groups[c+1]; j++ {
			part := min(1, (j-all.Groups[c])/first)
			parts[part] = append(parts[part], j)
		}
	}
	return all.Select(parts[0]), all.Select(parts[1])
}

// shortPasses are compared with -short, as on an emulated processor.
const shortPasses = 2

// firstPasses are those without NRDL_LONG=1, where not all are compared.
const firstPasses = 4

// The traces were computed by two independent routes with D₀ the training
// samples; floor is the size above which the routes agree to 1e-6. Without
// NRDL_LONG=1, only the fastest back end is compared, to the end of ORL and on the first
// passes of Yale B; with -short, on shortPasses of ORL. TestBackEndsDifferByRounding has
// the others.
func TestGoldenTraces(t *testing.T) {
	long := os.Getenv("NRDL_LONG") != ""
	for _, c := range []struct {
		file   string
		first  int
		golden string
		floor  float64
		large  bool
	}{
		{"orl_56x46.mat", 6, "nrdl_orl_first6.json", 1e-9, false},
		{"yaleb_32x32.mat", 20, "nrdl_yaleb_first20.json", 1e-6, true},
	} {
		train, test := trainingPart(t, c.file, c.first)
		for i, b := range blas.Available() {
			if i > 0 && !long || testing.Short() && c.large {
				break
			}
			t.Run(fmt.Sprintf("%s/%v", c.golden, b), func(t *testing.T) {
				g := readGolden(t, c.golden)
				was := blas.Current()
				if err := blas.Use(b); err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := blas.Use(was); err != nil {
						t.Fatal(err)
					}
				}()
				if testing.Short() {
					g.Trace = g.Trace[:shortPasses]
					g.compare(t, train, c.floor)
					return
				}
				if c.large && (i > 0 || !long) {
					g.Trace = g.Trace[:firstPasses]
					g.compare(t, train, c.floor)
					return
				}
				model := g.compare(t, train, c.floor)
				g.recognise(t, model, test)
			})
		}
	}
}

// wellPosed is an nrdlState none of whose systems has a proximal term.
type wellPosed struct {
	*nrdlState
	t *testing.T
}

func (w wellPosed) Step() (float64, error) {
	w.check("(11)", func(g *mat.Dense) {
		lin.AtA(g, w.Lambda+1, w.D)
		lin.AddAtA(g, w.Alpha+2*w.μ, w.W)
	})
	r, err := w.nrdlState.Step()
	w.check("(12)", func(g *mat.Dense) { lin.AAt(g, 1, w.S) })
	if w.ε != 0 {
		w.t.Errorf("(15) has ε = %v", w.ε)
	}
	return r, err
}

func (w wellPosed) check(equation string, matrix func(*mat.Dense)) {
	w.t.Helper()
	matrix(w.G) // the next update overwrites G
	if ε, err := w.spd.FactorProximal(w.G, w.proximity); ε != 0 || err != nil {
		w.t.Errorf("%s has ε = %v, error %v", equation, ε, err)
	}
}

func (g golden) compare(t *testing.T, train *classify.Samples, floor float64) *classify.Classifier {
	t.Helper()
	passes, failed := 0, 0
	m := DefaultNRDL
	m.Passes = len(g.Trace)
	// Not Fit, which puts the classes in an order of its own.
	s, err := newNRDLState(m, newTask(t, train, 0))
	if err != nil {
		t.Fatal(err)
	}
	out, err := classify.Iterate(context.Background(), wellPosed{s, t}, classify.Limits{Passes: m.Passes, Tol: m.Tol},
		func(p classify.Progress) {
			passes++
			if passes > len(g.Trace) {
				return
			}
			want := g.Trace[passes-1]
			got := append(p.Terms(), classify.Term{Name: "residual", Value: p.Residual}, classify.Term{Name: "iter", Value: float64(p.Iter)})
			if len(got) != len(want) {
				t.Fatalf("%d quantities a pass, the trace has %d", len(got), len(want))
			}
			for _, term := range got {
				w, ok := want[term.Name]
				if !ok || math.Abs(w) > floor && !(math.Abs(term.Value-w) <= 1e-6*math.Abs(w)) {
					if failed++; failed < 10 {
						t.Errorf("pass %d: %s = %v, want %v", passes, term.Name, term.Value, w)
					}
				}
			}
		})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := s.parts(out)
	if err != nil {
		t.Fatal(err)
	}
	parts.D = s.t.own(parts.D)
	parts.Classes = train.Classes
	model, err := classify.NewClassifier(parts)
	if err != nil {
		t.Fatal(err)
	}
	whole := g.Trace[len(g.Trace)-1]["residual"] < m.Tol
	if passes != len(g.Trace) || (model.Parts().Outcome.Status == classify.Converged) != whole {
		t.Errorf("%v after %d passes, want %d", model.Parts().Outcome.Status, passes, len(g.Trace))
	}
	return model
}

// recognise compares the classes, which the trace numbers from 1.
func (g golden) recognise(t *testing.T, model *classify.Classifier, test *classify.Samples) {
	t.Helper()
	got, err := model.Predict(context.Background(), test.X)
	if err != nil {
		t.Fatal(err)
	}
	differ := 0
	for j, p := range g.Predictions {
		if p != got[j]+1 {
			differ++
		}
	}
	if len(got) != len(g.Predictions) || differ > 0 {
		t.Errorf("%d of %d predictions differ from the golden ones", differ, len(got))
	}
}

// With conjugate gradients in (14) the same trace comes out.
func TestGoldenTraceByConjugateGradients(t *testing.T) {
	g := readGolden(t, "nrdl_orl_first6.json")
	train, _ := trainingPart(t, "orl_56x46.mat", 6)
	x := classify.Unit(train.X)
	s, err := newNRDLState(DefaultNRDL, newTask(t, train, 0))
	if err != nil {
		t.Fatal(err)
	}
	s.L = newGraph(x, false, 0)
	if os.Getenv("NRDL_LONG") == "" {
		g.Trace = g.Trace[:10]
	}
	for i, want := range g.Trace {
		residual, err := s.Step()
		if err != nil {
			t.Fatal(err)
		}
		for _, term := range append(s.Objective(), classify.Term{Name: "residual", Value: residual}) {
			if w := want[term.Name]; w > 1e-9 && !(math.Abs(term.Value-w) <= 1e-6*w) {
				t.Fatalf("pass %d: %s = %v, want %v", i+1, term.Name, term.Value, w)
			}
		}
	}
}
