package nrdl

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl/coding"
	"nrdl/internal/lin"
)

func testParts(rule Rule, r *rand.Rand) Parts {
	d := mat.NewDense(20, 6, nil)
	d.Apply(func(int, int, float64) float64 { return r.Float64() }, d)
	p := Parts{
		D: Unit(d), Groups: []int{0, 1, 3, 6}, Classes: []string{"ann", "bob", "cyd"},
		Coder: coding.DefaultNonNegative, Rule: rule, Method: "test",
	}
	if rule == Linear {
		p.W = mat.NewDense(3, 6, []float64{1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1})
	}
	if rule == Fisher {
		p.M, p.Weight = mat.NewDense(6, 3, []float64{1, 0, 0, 0, .5, 0, 0, .5, 0, 0, 0, .3, 0, 0, .3, 0, 0, .3}), 0.5
	}
	if rule == Huber {
		p.Coder = coding.DefaultRobust
	}
	if rule == Votes {
		p.Input = Input{Size: Size{Height: 10, Width: 2}}
		p.Coder = coding.Blocks{Side: 2, Step: 2, Temperature: 0.1, Inner: coding.DefaultNonNegative}
	}
	return p
}

func newTestModel(t *testing.T, rule Rule, r *rand.Rand) *Model {
	t.Helper()
	m, err := NewModel(testParts(rule, r))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestNewModelRefusesPartsThatDisagree(t *testing.T) {
	for name, spoil := range map[string]func(*Parts){
		"no dictionary":         func(p *Parts) { p.D = nil },
		"NaN in D":              func(p *Parts) { p.D.Set(2, 3, math.NaN()) },
		"Inf in W":              func(p *Parts) { p.W.Set(2, 3, math.Inf(-1)) },
		"groups too short":      func(p *Parts) { p.Groups = []int{0, 1, 6} },
		"groups not from 0":     func(p *Parts) { p.Groups = []int{1, 2, 3, 6} },
		"groups beyond K":       func(p *Parts) { p.Groups = []int{0, 1, 3, 7} },
		"an empty class":        func(p *Parts) { p.Groups = []int{0, 3, 3, 6} },
		"classes with one name": func(p *Parts) { p.Classes = []string{"a", "b", "a"} },
		"one class":             func(p *Parts) { p.Classes, p.Groups, p.W = []string{"a"}, []int{0, 6}, mat.NewDense(1, 6, nil) },
		"no coder":              func(p *Parts) { p.Coder = nil },
		"a coder out of range":  func(p *Parts) { p.Coder = coding.Ridge{Lambda: -1} },
		"an unknown rule":       func(p *Parts) { p.Rule = "guess" },
		"linear without W":      func(p *Parts) { p.W = nil },
		"W without linear":      func(p *Parts) { p.Rule = Residual },
		"W of another size":     func(p *Parts) { p.W = mat.NewDense(3, 5, nil) },
		"input of another size": func(p *Parts) { p.Input = Input{Size: Size{3, 3}} },
		"input out of range":    func(p *Parts) { p.Input = Input{Size: Size{-4, -5}} },
	} {
		p := testParts(Linear, rand.New(rand.NewPCG(1, 2)))
		spoil(&p)
		if _, err := NewModel(p); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Every rule names an atom's own class, stays finite, and scores a blank
// sample 0 everywhere.
func TestRules(t *testing.T) {
	for _, rule := range Rules {
		m := newTestModel(t, rule, rand.New(rand.NewPCG(1, 3)))
		x := mat.NewDense(20, 7, nil)
		x.Slice(0, 20, 0, 6).(*mat.Dense).Copy(m.Parts().D)
		scores, err := m.Scores(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		if err := lin.Finite("the scores of sample", scores); err != nil {
			t.Errorf("%s: %v", rule, err)
		}
		got, err := m.Predict(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		for j, want := range []int{0, 1, 1, 2, 2, 2} {
			if got[j] != want {
				t.Errorf("%s: atom %d is named class %d, want %d", rule, j, got[j], want)
			}
			exact := slices.Contains([]Rule{Residual, NormedResidual, Sum}, rule)
			if s := scores.At(want, j); exact && math.Abs(s-1) > 1e-6 {
				t.Errorf("%s: a perfect reconstruction scores %v, want 1", rule, s)
			}
		}
		for c := range 3 {
			if s := scores.At(c, 6); s != 0 {
				t.Errorf("%s: a blank sample scores %v", rule, s)
			}
		}
	}
}

// The residual rules against their definitions, sample by sample.
func TestResidualRulesAgainstTheirDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for _, rule := range []Rule{Residual, NormedResidual, Fisher, Sum, Huber} {
		m := newTestModel(t, rule, r)
		x := mat.NewDense(20, 9, nil)
		x.Apply(func(int, int, float64) float64 { return r.Float64() }, x)
		scores, err := m.Scores(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		over, err := m.p.Coder.Over(m.p.D, m.p.Groups)
		if err != nil {
			t.Fatal(err)
		}
		y, s := Unit(x), mat.NewDense(6, 9, nil)
		if err := over.Code(context.Background(), s, y); err != nil {
			t.Fatal(err)
		}
		for j := range 9 {
			for c := range 3 {
				lo, hi := m.p.Groups[c], m.p.Groups[c+1]
				var e mat.VecDense
				e.MulVec(m.p.D.Slice(0, 20, lo, hi), s.Slice(lo, hi, 0, 9).(*mat.Dense).ColView(j))
				e.SubVec(y.ColView(j), &e)
				residual := mat.Norm(&e, 2)
				code := mat.Norm(s.Slice(lo, hi, j, j+1), 2)
				want := 1 - residual
				switch rule {
				case NormedResidual:
					want = code * code / (code*code + residual*residual)
				case Fisher:
					var far mat.VecDense
					far.SubVec(s.ColView(j), m.p.M.ColView(c))
					want = 1 - residual*residual - 0.5*mat.Dot(&far, &far)
				case Sum:
					want = mat.Sum(s.Slice(lo, hi, j, j+1))
				case Huber:
					want = 1 - math.Sqrt(2*huber(e.RawVector().Data, coding.DefaultRobust.Threshold(20)))
				}
				if got := scores.At(c, j); math.Abs(got-want) > 1e-12 {
					t.Errorf("%s: class %d of sample %d scores %v, want %v", rule, c, j, got, want)
				}
			}
		}
	}
}

// Transform gives the codes that the scores are made from, at unit norm.
func TestTransform(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	m := newTestModel(t, Linear, r)
	x := mat.NewDense(20, batch+3, nil)
	x.Apply(func(_, j int, _ float64) float64 { return float64(j%7) * r.Float64() }, x) // some are blank
	s, err := m.Transform(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := m.Scores(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	var want mat.Dense
	want.Mul(m.p.W, s)
	if !mat.EqualApprox(&want, scores, 1e-12) {
		t.Error("W times the codes is not the scores")
	}
	if mat.Norm(s.ColView(0), 1) != 0 || mat.Norm(s.ColView(1), 1) == 0 {
		t.Error("a blank sample has a code, or another has none")
	}
	if _, err := m.Transform(context.Background(), mat.NewDense(19, 1, nil)); err == nil {
		t.Error("a sample of another length is coded")
	}
}

func TestScoresRefuses(t *testing.T) {
	m := newTestModel(t, Linear, rand.New(rand.NewPCG(1, 5)))
	if _, err := m.Scores(context.Background(), mat.NewDense(19, 1, nil)); err == nil {
		t.Error("a sample of another length is scored")
	}
	x := mat.NewDense(20, 1, nil)
	x.Set(3, 0, math.NaN())
	if _, err := m.Scores(context.Background(), x); err == nil {
		t.Error("NaN is scored")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Scores(ctx, mat.NewDense(20, 1, nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A stepper that converges by halves, or does what fail says.
type halving struct {
	r    float64
	fail func(pass int) (float64, error)
	pass int
}

func (h *halving) Step() (float64, error) {
	h.pass++
	if h.fail != nil {
		return h.fail(h.pass)
	}
	h.r /= 2
	return h.r, nil
}
func (h *halving) Objective() []Term { return []Term{{"r", h.r}} }

func TestIterate(t *testing.T) {
	ctx := context.Background()
	out, err := Iterate(ctx, &halving{r: 1}, Limits{Passes: 100, Tol: 0.1}, nil)
	if want := (Outcome{Converged, 4, 0.0625}); err != nil || out != want {
		t.Errorf("%+v, %v, want %+v", out, err, want)
	}
	out, err = Iterate(ctx, &halving{r: 1}, Limits{Passes: 3, Tol: 0.1}, nil)
	if want := (Outcome{Exhausted, 3, 0.125}); err != nil || out != want {
		t.Errorf("%+v, %v, want %+v", out, err, want)
	}
	out, err = Iterate(ctx, &halving{r: 1}, Limits{Passes: 3}, nil)
	if want := (Outcome{Complete, 3, 0.125}); err != nil || out != want {
		t.Errorf("%+v, %v, want %+v", out, err, want)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		_, err = Iterate(ctx, &halving{fail: func(int) (float64, error) { return v, nil }}, Limits{Passes: 3}, nil)
		if !errors.Is(err, ErrDiverged) {
			t.Errorf("residual %v: %v", v, err)
		}
	}
	broken := errors.New("broken")
	_, err = Iterate(ctx, &halving{fail: func(int) (float64, error) { return 0, broken }}, Limits{Passes: 3}, nil)
	if !errors.Is(err, broken) {
		t.Errorf("a failing step: %v", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	h := &halving{r: 1}
	_, err = Iterate(ctx, h, Limits{Passes: 100}, func(p Progress) {
		if p.Iter == 5 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || h.pass != 5 {
		t.Errorf("cancelled in pass 5: %v after %d passes", err, h.pass)
	}
}
