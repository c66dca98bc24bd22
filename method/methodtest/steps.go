package methodtest

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// blank is the sample of inNoOrder that is zero.
const blank = 5

// inNoOrder returns a training set as a matrix and its labels, with a blank sample.
func inNoOrder() (x *mat.Dense, y []string, grid classify.Grid) {
	train := Cones(4, 6, 40, 1)
	var order []int
	for j := range train.Len() {
		order = append(order, 7*j%train.Len()) // 7 and 24 have no common divisor
	}
	x = lin.Select(train.X, order)
	for _, j := range order {
		y = append(y, train.Classes[train.ClassOf(j)])
	}
	for i := range x.RawMatrix().Rows {
		x.Set(i, blank, 0)
	}
	return x, y, train.Grid
}

func learn(t *testing.T, x *mat.Dense, y []string, m classify.Method, o classify.LearnOptions) *classify.Fit {
	t.Helper()
	fit, err := classify.Learn(t.Context(), x, y, m, o)
	if err != nil {
		t.Fatal(err)
	}
	return fit
}

// steps asks that a method which is stepped to its end gives what Learn and Fit give, to the
// last bit.
func (s *suite) steps(t *testing.T) {
	x, y, grid := inNoOrder()
	train, err := classify.NewSamples(x, y, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	train.Grid = grid
	o := classify.LearnOptions{Seed: 3, Grid: grid}
	whole := learn(t, x, y, s.m, o)
	if p, q := s.fit(t, s.m, train, nil).Parts(), whole.Classifier.Parts(); !mat.Equal(p.D, q.D) || p.Outcome != q.Outcome {
		t.Errorf("Learn ends as %v, Fit as %v", q.Outcome, p.Outcome)
	}
	var last *classify.Step
	for step, err := range classify.Steps(t.Context(), x, y, s.m, o) {
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
	sizes := map[classify.Axis]int{
		classify.FeatureAxis: d, classify.SampleAxis: n, classify.AtomAxis: k, classify.ClassAxis: 4, classify.OneAxis: 1,
	}
	for _, m := range fit.State {
		if r, c := m.Value.Dims(); r != sizes[m.Rows] || c != sizes[m.Columns] {
			t.Errorf("%s is %d×%d", m.Name, r, c)
		}
		if one, err := step.Matrix(m.Name); one == nil || err != nil {
			t.Errorf("no %s: %v", m.Name, err)
		}
	}
	if none, err := step.Matrix("none"); none != nil || err != nil {
		t.Errorf("a matrix of a name that there is not: %v", err)
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
		if j == blank {
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

// starts asks that a fit can start from the matrices that the traits name, and from no other.
func (s *suite) starts(t *testing.T) {
	x, y, grid := inNoOrder()
	o := classify.LearnOptions{Grid: grid}
	fit := learn(t, x, y, s.m, o)
	able := classify.TraitsOf(s.m).Start
	for name, start := range map[string]classify.Start{"D": {D: fit.D}, "S": {S: fit.S}, "W": {W: fit.W}} {
		if start.IsZero() { // the state of a method whose rule has no W may have one
			has := func(m classify.Matrix) bool { return m.Name == name }
			if strings.Contains(able, name) && !slices.ContainsFunc(fit.State, has) {
				t.Errorf("traits %q, and a fit has no %s to start from", able, name)
			}
			continue
		}
		o.Start = start
		if _, err := classify.Learn(t.Context(), x, y, s.m, o); strings.Contains(able, name) != (err == nil) {
			t.Errorf("traits %q, started from %s: %v", able, name, err)
		}
	}
	o.Start = classify.Start{D: fit.D, S: fit.S, W: fit.W}
	if _, err := classify.Learn(t.Context(), x, y, s.m, o); (able != "") != (err == nil) {
		t.Errorf("traits %q, started from all of a fit: %v", able, err)
	}
	o.Start = classify.Start{D: mat.NewDense(2, 3, nil)}
	if _, err := classify.Learn(t.Context(), x, y, s.m, o); err == nil {
		t.Error("a D of another size is started from")
	}
}

// GoesOn tests that a fit can be continued: one that stops after its second pass and starts
// again from its state (classify.Start) gives the result of one that does not stop, up to
// rounding. It is a part of Run; call it to test m with other parameters.
func GoesOn(t *testing.T, m classify.Method) {
	s := &suite{m: m}
	if _, ok := s.m.(classify.Iterative); !ok {
		t.Skip("it makes no passes")
	}
	x, y, grid := inNoOrder()
	o := classify.LearnOptions{Seed: 3, Grid: grid}
	const at, more = 2, 3
	whole := s.stepped(t, x, y, o, at+more)
	if len(whole) < at {
		t.Skipf("it ends after %d passes", len(whole))
	}
	o.Start = classify.Start{State: s.stepped(t, x, y, o, at)[at-1].State}
	for i, rest := range s.stepped(t, x, y, o, more) {
		if at+i >= len(whole) {
			break
		}
		if name := differs(whole[at+i], rest); name != "" {
			t.Fatalf("%s of pass %d is another than that of pass %d of a fit that starts after %d", name, at+i+1, i+1, at)
		}
	}
}

// stepped returns the fit after each of at most so many passes.
func (s *suite) stepped(t *testing.T, x *mat.Dense, y []string, o classify.LearnOptions, passes int) (all []*classify.Fit) {
	for step, err := range classify.Steps(t.Context(), x, y, s.m, o) {
		if err != nil {
			t.Fatal(err)
		}
		fit, err := step.Fit()
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, fit); len(all) == passes {
			break
		}
	}
	return all
}

// differs names a matrix that differs between a and b by more than rounding.
func differs(a, b *classify.Fit) string {
	for name, pair := range map[string][2]*mat.Dense{"D": {a.D, b.D}, "S": {a.S, b.S}, "W": {a.W, b.W}} {
		if p, q := pair[0], pair[1]; (p == nil) != (q == nil) || p != nil && !mat.EqualApprox(p, q, 1e-6) {
			return name
		}
	}
	if x, y := a.Objective[len(a.Objective)-1], b.Objective[len(b.Objective)-1]; math.Abs(x-y) > 1e-8*max(1, math.Abs(x)) {
		return "the objective"
	}
	return ""
}

// traits asks that what the method says of itself holds.
func (s *suite) traits(t *testing.T, defaults classify.Method, others []classify.Method) {
	if err := Claims(defaults, others...); err != nil {
		t.Error(err)
	}
	model := s.fit(t, s.m, s.train, nil)
	p, traits := model.Parts(), classify.TraitsOf(s.m)
	_, iterative := s.m.(classify.Iterative)
	if passes := p.Outcome.Iter > 0; passes != iterative {
		t.Errorf("%d passes, and an Iterative method: %v", p.Outcome.Iter, iterative)
	}
	if traits.Samples && !mat.Equal(p.D, classify.Unit(s.train.X)) {
		t.Error("the atoms are not the samples")
	}
	if c := traits.Coder; c != nil {
		claimed, fitted := coderText(t, c), coderText(t, p.Coder)
		others := func() string { return coderText(t, s.fit(t, s.m, s.fewer(), nil).Parts().Coder) }
		if c.Name() != p.Coder.Name() || claimed != fitted && fitted == others() {
			t.Errorf("queries are coded by %s, not by %s", fitted, claimed)
		}
	}
	if r := traits.Rule; r != nil && r.Name() != p.Rule.Name() {
		t.Errorf("classes are scored by %s, not by %s", p.Rule.Name(), r.Name())
	}
	if f := traits.Memory; f != nil {
		few, many := f(classify.Size{Features: 40, Samples: 30, Classes: 5}), f(classify.Size{Features: 40, Samples: 60, Classes: 5})
		if !(few > 0 && many >= few) {
			t.Errorf("a fit of 30 samples takes %v numbers of memory, one of 60 %v", few, many)
		}
	}
	warm, err := s.m.Fit(t.Context(), s.train, classify.Run{Seed: 3, Warm: model})
	if err != nil {
		t.Fatal(err)
	}
	if fewer := warm.Parts().Outcome.Iter < p.Outcome.Iter; fewer != traits.Warm {
		t.Errorf("%d passes, from itself %d: warm is %v", p.Outcome.Iter, warm.Parts().Outcome.Iter, traits.Warm)
	}
}

// coderText is c with its parameters, which may follow from the samples, as those of CRC do.
func coderText(t *testing.T, c coding.Coder) string {
	t.Helper()
	text, err := coding.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
