package method_test

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/method"
)

// shuffled is a training set of a matrix and its labels, in no order, with a blank sample.
func shuffledSet() (x *mat.Dense, y []string, grid classify.Grid) {
	train := cones(4, 6, 40, 1)
	var order []int
	for j := range train.Len() {
		order = append(order, 7*j%train.Len()) // 7 and 24 have no common divisor
	}
	x = lin.Select(train.X, order)
	for _, j := range order {
		y = append(y, train.Classes[train.ClassOf(j)])
	}
	for i := range x.RawMatrix().Rows {
		x.Set(i, 5, 0)
	}
	return x, y, train.Grid
}

// A method that is stepped to its end gives what Learn and Fit give, to the last bit, and D·S is
// near the samples wherever it has S.
func TestStepsAreLearn(t *testing.T) {
	ctx := t.Context()
	x, y, grid := shuffledSet()
	train, err := classify.NewSamples(x, y, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	train.Grid = grid
	for _, m := range method.All() {
		t.Run(m.Name(), func(t *testing.T) {
			m := setAll(t, m, small[m.Name()])
			o := classify.LearnOptions{Seed: 3, Grid: grid}
			whole, err := classify.Learn(ctx, x, y, m, o)
			if err != nil {
				t.Fatal(err)
			}
			fitted, err := m.Fit(ctx, train, classify.Run{Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			if p, q := fitted.Parts(), whole.Classifier.Parts(); !mat.Equal(p.D, q.D) || p.Trained != q.Trained || p.Trained != whole.Outcome {
				t.Errorf("Learn ends as %v, Fit as %v", q.Trained, p.Trained)
			}
			var last *classify.Step
			for step, err := range classify.Steps(ctx, x, y, m, o) {
				if err != nil {
					t.Fatal(err)
				}
				if step.Iter == 2 && step.Status == classify.Stopped {
					checkStep(t, step, x)
				}
				last = step
			}
			again, err := last.Fit()
			if err != nil {
				t.Fatal(err)
			}
			same(t, whole, again)
			if n := len(whole.Objective); n != whole.Iter {
				t.Errorf("%d objectives of %d passes", n, whole.Iter)
			}
			checkCodes(t, whole, x)
		})
	}
}

// checkStep looks at the matrices of a step, and asks that a fit that ends there classifies.
func checkStep(t *testing.T, step *classify.Step, x *mat.Dense) {
	t.Helper()
	d, n := x.Dims()
	fit, err := step.Fit()
	if err != nil {
		t.Fatal(err)
	}
	_, k := fit.D.Dims()
	sizes := map[classify.Axis]int{classify.FeatureAxis: d, classify.SampleAxis: n, classify.AtomAxis: k, classify.ClassAxis: 4}
	for _, m := range step.Matrices() {
		if r, c := m.Value.Dims(); r != sizes[m.Rows] || c != sizes[m.Columns] {
			t.Errorf("%s is %d×%d", m.Name, r, c)
		}
	}
	if step.Matrix("D") == nil || step.Matrix("none") != nil {
		t.Error("no D, or a matrix without a name")
	}
	if fit.Status != classify.Stopped || fit.Iter != step.Iter || len(fit.Objective) != step.Iter {
		t.Errorf("a fit that is stopped in pass %d says %+v", step.Iter, fit.Outcome)
	}
	if _, err := fit.Classifier.Predict(t.Context(), x); err != nil {
		t.Error(err)
	}
}

// checkCodes asks that D·S is nearer the samples than nothing is, each in its place, and
// that the codes of a blank sample are zero.
func checkCodes(t *testing.T, fit *classify.Fit, x *mat.Dense) {
	t.Helper()
	if fit.S == nil {
		return
	}
	var ds mat.Dense
	ds.Mul(fit.D, fit.S)
	unit := classify.Unit(x)
	_, n := x.Dims()
	for j := range n {
		a, b := ds.ColView(j), unit.ColView(j)
		if j == 5 {
			if mat.Norm(fit.S.ColView(j), 2) != 0 {
				t.Error("a blank sample has a code")
			}
			continue
		}
		var rest mat.VecDense
		rest.SubVec(b, a)
		if v := mat.Norm(&rest, 2); v > 0.5 {
			t.Errorf("sample %d is rebuilt but for %.2f of it", j, v)
		}
	}
}

func same(t *testing.T, a, b *classify.Fit) {
	t.Helper()
	for name, pair := range map[string][2]*mat.Dense{"D": {a.D, b.D}, "S": {a.S, b.S}, "W": {a.W, b.W}} {
		if p, q := pair[0], pair[1]; (p == nil) != (q == nil) || p != nil && !mat.Equal(p, q) {
			t.Errorf("%s differs", name)
		}
	}
	if a.Outcome != b.Outcome {
		t.Errorf("%+v, %+v", a.Outcome, b.Outcome)
	}
}

// A fit may start from the matrices that its traits name, and from no other. Started from
// its own result, the first objective is near the last one.
func TestStartsFromTheMatricesOfItsTraits(t *testing.T) {
	x, y, grid := shuffledSet()
	for _, m := range method.All() {
		if _, ok := m.(classify.Iterative); !ok {
			continue
		}
		t.Run(m.Name(), func(t *testing.T) {
			m := setAll(t, m, small[m.Name()])
			o := classify.LearnOptions{Grid: grid}
			fit, err := classify.Learn(t.Context(), x, y, m, o)
			if err != nil {
				t.Fatal(err)
			}
			able := classify.TraitsOf(m).Start
			for name, start := range map[string]classify.Start{"D": {D: fit.D}, "S": {S: fit.S}, "W": {W: fit.W}} {
				if start == (classify.Start{}) {
					continue
				}
				o.Start = start
				_, err := classify.Learn(t.Context(), x, y, m, o)
				if can := strings.Contains(able, name); can != (err == nil) {
					t.Errorf("traits %q, started from %s: %v", able, name, err)
				}
			}
			if able == "" {
				return
			}
			o.Start = classify.Start{D: mat.NewDense(2, 3, nil)}
			if _, err := classify.Learn(t.Context(), x, y, m, o); err == nil {
				t.Error("a D of another size is started from")
			}
		})
	}
}

// The codes of a fit are a start of the next one in the same order.
func TestGoesOnFromAFit(t *testing.T) {
	x, y, _ := shuffledSet()
	m := method.DefaultFDDL
	m.Passes = 8
	fit, err := classify.Learn(t.Context(), x, y, m, classify.LearnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := classify.LearnOptions{Start: classify.Start{D: fit.D, S: fit.S}}
	next, err := classify.Learn(t.Context(), x, y, m, o)
	if err != nil {
		t.Fatal(err)
	}
	if end := fit.Objective[7]; next.Objective[0] > end*(1+1e-9) || fit.Objective[0] <= end {
		t.Errorf("the first fit goes from %v to %v, the next one begins with %v", fit.Objective[0], end, next.Objective[0])
	}
}
