package classify

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

func testParts(rule Rule, r *rand.Rand) Parts {
	d := mat.NewDense(20, 6, nil)
	d.Apply(func(int, int, float64) float64 { return r.Float64() }, d)
	p := Parts{
		D: Unit(d), Groups: []int{0, 1, 3, 6}, Classes: []string{"ann", "bob", "cyd"},
		Coder: coding.DefaultNonNegative, Rule: rule, Method: "test",
	}
	switch rule.(type) {
	case Cosine:
		p.Coder = coding.Inner{}
	case Huber:
		p.Coder = coding.DefaultRobust
	case Cost:
		p.Coder = coding.DefaultClassLasso
	case Votes:
		p.Grid = Grid{Height: 10, Width: 2, Planes: 1}
		p.Coder = coding.Blocks{Side: 2, Step: 2, Temperature: 0.1, Inner: coding.DefaultNonNegative}
	}
	return p
}

// The rules that are trained, for the parts of testParts.
var (
	testLinear = Linear{W: mat.NewDense(3, 6, []float64{1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1})}
	testFisher = Fisher{M: mat.NewDense(6, 3, []float64{1, 0, 0, 0, .5, 0, 0, .5, 0, 0, 0, .3, 0, 0, .3, 0, 0, .3}), Weight: 0.5}
)

func newTestClassifier(t *testing.T, rule Rule, r *rand.Rand) *Classifier {
	t.Helper()
	m, err := NewClassifier(testParts(rule, r))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestNewClassifierRefusesPartsThatDisagree(t *testing.T) {
	for name, spoil := range map[string]func(*Parts){
		"no dictionary":         func(p *Parts) { p.D = nil },
		"NaN in D":              func(p *Parts) { p.D.Set(2, 3, math.NaN()) },
		"another D is shared":   func(p *Parts) { p.Shared = coding.Share(mat.DenseCopyOf(p.D)) },
		"groups too short":      func(p *Parts) { p.Groups = []int{0, 1, 6} },
		"groups not from 0":     func(p *Parts) { p.Groups = []int{1, 2, 3, 6} },
		"groups beyond K":       func(p *Parts) { p.Groups = []int{0, 1, 3, 7} },
		"an empty class":        func(p *Parts) { p.Groups = []int{0, 3, 3, 6} },
		"classes with one name": func(p *Parts) { p.Classes = []string{"a", "b", "a"} },
		"a class without name":  func(p *Parts) { p.Classes = []string{"a", "", "c"} },
		"one class": func(p *Parts) {
			p.Classes, p.Groups, p.Rule = []string{"a"}, []int{0, 6}, Linear{mat.NewDense(1, 6, nil)}
		},
		"no coder":                 func(p *Parts) { p.Coder = nil },
		"a coder out of range":     func(p *Parts) { p.Coder = coding.Ridge{Lambda: -1} },
		"no rule":                  func(p *Parts) { p.Rule = nil },
		"linear without W":         func(p *Parts) { p.Rule = Linear{} },
		"Inf in W":                 func(p *Parts) { p.Rule = Linear{spoilt(testLinear.W, math.Inf(-1))} },
		"W of another size":        func(p *Parts) { p.Rule = Linear{mat.NewDense(3, 5, nil)} },
		"W of other classes":       func(p *Parts) { p.Rule = Linear{mat.NewDense(2, 6, nil)} },
		"fisher without M":         func(p *Parts) { p.Rule = Fisher{Weight: 0.5} },
		"NaN in M":                 func(p *Parts) { p.Rule = Fisher{M: spoilt(testFisher.M, math.NaN())} },
		"M of another size":        func(p *Parts) { p.Rule = Fisher{M: mat.NewDense(5, 3, nil)} },
		"M of other classes":       func(p *Parts) { p.Rule = Fisher{M: mat.NewDense(6, 2, nil)} },
		"a weight below 0":         func(p *Parts) { p.Rule = Fisher{M: testFisher.M, Weight: -1} },
		"a weight without end":     func(p *Parts) { p.Rule = Fisher{M: testFisher.M, Weight: math.Inf(1)} },
		"a weight that is none":    func(p *Parts) { p.Rule = Fisher{M: testFisher.M, Weight: math.NaN()} },
		"a grid of another size":   func(p *Parts) { p.Grid = Grid{3, 3, 1} },
		"a grid of more planes":    func(p *Parts) { p.Grid = Grid{10, 2, 2} },
		"a grid of sides below 0":  func(p *Parts) { p.Grid = Grid{-4, -5, 1} },
		"a grid of planes below 0": func(p *Parts) { p.Grid = Grid{-4, 5, -1} },
	} {
		p := testParts(testLinear, rand.New(rand.NewPCG(1, 2)))
		if _, err := NewClassifier(p); err != nil {
			t.Fatal(err)
		}
		spoil(&p)
		if _, err := NewClassifier(p); err == nil || !strings.HasPrefix(err.Error(), "classifier: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// spoilt is a copy of a with v in it.
func spoilt(a *mat.Dense, v float64) *mat.Dense {
	a = mat.DenseCopyOf(a)
	a.Set(2, 2, v)
	return a
}

// Every rule names an atom's own class, stays finite, and scores a blank
// sample 0 everywhere.
func TestRules(t *testing.T) {
	for _, rule := range append([]Rule{testLinear, testFisher}, Untrained...) {
		m := newTestClassifier(t, rule, rand.New(rand.NewPCG(1, 3)))
		x := mat.NewDense(20, 7, nil)
		x.Slice(0, 20, 0, 6).(*mat.Dense).Copy(m.Parts().D)
		scores, err := m.Scores(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		if err := lin.Finite("the scores of sample", scores); err != nil {
			t.Errorf("%s: %v", rule.Name(), err)
		}
		got, err := m.Predict(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		for j, want := range []int{0, 1, 1, 2, 2, 2} {
			if got[j] != want {
				t.Errorf("%s: atom %d is named class %d, want %d", rule.Name(), j, got[j], want)
			}
			exact := slices.Contains([]Rule{Residual{}, NormedResidual{}, Sum{}}, rule)
			if s := scores.At(want, j); exact && math.Abs(s-1) > 1e-6 {
				t.Errorf("%s: a perfect reconstruction scores %v, want 1", rule.Name(), s)
			}
		}
		for c := range 3 {
			if s := scores.At(c, 6); s != 0 {
				t.Errorf("%s: a blank sample scores %v", rule.Name(), s)
			}
		}
	}
}

// The residual rules against their definitions, sample by sample.
func TestResidualRulesAgainstTheirDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for _, rule := range []Rule{Residual{}, NormedResidual{}, testFisher, Sum{}, Huber{}, Collaborative{}, Cost{}} {
		m := newTestClassifier(t, rule, r)
		x := mat.NewDense(20, 9, nil)
		x.Apply(func(int, int, float64) float64 { return r.Float64() }, x)
		scores, err := m.Scores(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		over, err := m.p.Coder.Over(coding.Basis{D: m.p.D, Groups: m.p.Groups})
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
				switch rule := rule.(type) {
				case NormedResidual:
					want = code * code / (code*code + residual*residual)
				case Fisher:
					var far mat.VecDense
					far.SubVec(s.ColView(j), rule.M.ColView(c))
					want = 1 - residual*residual - 0.5*mat.Dot(&far, &far)
				case Sum:
					want = mat.Sum(s.Slice(lo, hi, j, j+1))
				case Collaborative:
					var u, own mat.VecDense
					u.MulVec(m.p.D, s.ColView(j))
					own.SubVec(y.ColView(j), &e)
					u.SubVec(&u, &own)
					want = 1 - mat.Norm(&u, 2)
				case Cost:
					want = 1 - residual*residual - 2*coding.DefaultClassLasso.Lambda*mat.Norm(s.Slice(lo, hi, j, j+1).(*mat.Dense).ColView(0), 1)
				case Huber:
					want = 1 - math.Sqrt(2*huber(e.RawVector().Data, coding.DefaultRobust.Threshold(20)))
				}
				if got := scores.At(c, j); math.Abs(got-want) > 1e-12 {
					t.Errorf("%s: class %d of sample %d scores %v, want %v", rule.Name(), c, j, got, want)
				}
			}
		}
	}
}

// What common atoms rebuild is taken off a sample before the residuals of the classes.
// Only coders that ignore classes take such atoms.
func TestCommonAtoms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	p := testParts(Residual{}, r)
	p.Groups, p.Coder = []int{0, 1, 3, 5}, coding.DefaultLasso
	m, err := NewClassifier(p)
	if err != nil {
		t.Fatal(err)
	}
	x := randomSamples(5)
	got, err := m.Classify(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	evidence := m.Evidence(&got)
	for j := range 5 {
		best := math.Inf(-1)
		for c := range 3 {
			e := mat.VecDenseCopyOf(got.Samples.ColView(j))
			for k := range 6 {
				if k == 5 || k >= p.Groups[c] && k < p.Groups[c+1] {
					e.AddScaledVec(e, -got.Codes.At(k, j), p.D.ColView(k))
				}
			}
			want := 1 - mat.Norm(e, 2)
			if best = max(best, want); math.Abs(got.Scores.At(c, j)-want) > 1e-12 {
				t.Errorf("class %d of sample %d scores %v, want %v", c, j, got.Scores.At(c, j), want)
			}
		}
		if math.Abs(evidence[j].Residual-best) > 1e-12 {
			t.Errorf("sample %d has the residual %v, want %v", j, evidence[j].Residual, best)
		}
	}
	p.Coder = coding.DefaultPerClass
	if _, err := NewClassifier(p); err == nil {
		t.Error("a coder of each class codes over atoms of none")
	}
}

// Transform gives the codes that the scores are made from, at unit norm.
func TestTransform(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	m := newTestClassifier(t, testLinear, r)
	x := mat.NewDense(20, Batch+3, nil)
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
	want.Mul(testLinear.W, s)
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

// Samples that the classifier cannot take are refused before any work: even where
// there is no time for it.
func TestScoresRefuses(t *testing.T) {
	m := newTestClassifier(t, testLinear, rand.New(rand.NewPCG(1, 5)))
	expired, cancel := context.WithCancel(context.Background())
	cancel()
	for name, do := range map[string]func(context.Context, *mat.Dense) error{
		"Scores":    func(ctx context.Context, x *mat.Dense) error { _, err := m.Scores(ctx, x); return err },
		"Predict":   func(ctx context.Context, x *mat.Dense) error { _, err := m.Predict(ctx, x); return err },
		"Transform": func(ctx context.Context, x *mat.Dense) error { _, err := m.Transform(ctx, x); return err },
		"Classify":  func(ctx context.Context, x *mat.Dense) error { _, err := m.Classify(ctx, x); return err },
	} {
		for _, ctx := range []context.Context{context.Background(), expired} {
			err := do(ctx, mat.NewDense(19, 1, nil))
			if err == nil || !strings.Contains(err.Error(), "a sample has 19 features, the classifier was trained on 20") {
				t.Errorf("%s of a sample of another length: %v", name, err)
			}
			x := mat.NewDense(20, 1, nil)
			x.Set(3, 0, math.NaN())
			if err := do(ctx, x); err == nil || errors.Is(err, context.Canceled) {
				t.Errorf("%s of NaN: %v", name, err)
			}
		}
		if err := do(expired, mat.NewDense(20, 1, nil)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", name, err)
		}
	}
}

// More samples than are coded together have the scores, the code and the class
// that each has alone.
func TestScoresDoNotDependOnTheBatch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	m := newTestClassifier(t, Residual{}, r)
	const n = Batch + 37
	x := mat.NewDense(20, n, nil)
	x.Apply(func(int, int, float64) float64 { return r.Float64() }, x)
	all, err := m.Scores(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	codes, err := m.Transform(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	classes, err := m.Predict(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(classes, Best(all)) {
		t.Error("the classes are not those of the largest scores")
	}
	result, err := m.Classify(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(result.Samples, Unit(x)) || !mat.Equal(result.Codes, codes) || !mat.Equal(result.Scores, all) {
		t.Error("Classify gives other samples, codes or scores")
	}
	for _, j := range []int{0, 1, 7, Batch - 1, Batch, n - 1} {
		column := mat.DenseCopyOf(x.Slice(0, 20, j, j+1))
		one, err := m.Scores(t.Context(), column)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(one, all.Slice(0, 3, j, j+1), 1e-12) {
			t.Errorf("sample %d scores differently alone", j)
		}
		if code, err := m.Transform(t.Context(), column); err != nil || !mat.EqualApprox(code, codes.Slice(0, 6, j, j+1), 1e-12) {
			t.Errorf("sample %d has another code alone, %v", j, err)
		}
		if class, err := m.Predict(t.Context(), column); err != nil || class[0] != classes[j] {
			t.Errorf("sample %d is of class %v alone, %v", j, class, err)
		}
	}
}

// Of equal scores the first is the best.
func TestBest(t *testing.T) {
	scores := mat.NewDense(3, 4, []float64{
		1, 0, -3, 2,
		1, 5, -2, 3,
		0, 5, -1, 2,
	})
	if got := Best(scores); !slices.Equal(got, []int{0, 1, 2, 1}) {
		t.Errorf("the best are %v", got)
	}
}

// counted is a coder that counts the samples that it codes.
type counted struct {
	coding.Coder
	samples *atomic.Int64
}

func (c counted) Over(b coding.Basis) (coding.Coding, error) {
	over, err := c.Coder.Over(b)
	return countedCoding{over, c.samples}, err
}

type countedCoding struct {
	coding.Coding
	samples *atomic.Int64
}

func (c countedCoding) Code(ctx context.Context, s, y *mat.Dense) error {
	_, n := y.Dims()
	c.samples.Add(int64(n))
	return c.Coding.Code(ctx, s, y)
}

// Whatever is asked for, each sample is coded once.
func TestEachSampleIsCodedOnce(t *testing.T) {
	for _, rule := range []Rule{testLinear, Residual{}, NormedResidual{}, testFisher, Sum{}} {
		p := testParts(rule, rand.New(rand.NewPCG(51, 1)))
		var samples atomic.Int64
		p.Coder = counted{p.Coder, &samples}
		m, err := NewClassifier(p)
		if err != nil {
			t.Fatal(err)
		}
		d, _ := p.D.Dims()
		x := mat.NewDense(d, 7, nil)
		r := rand.New(rand.NewPCG(52, 1))
		x.Apply(func(int, int, float64) float64 { return r.Float64() }, x)
		for name, do := range map[string]func() error{
			"Scores":    func() error { _, err := m.Scores(t.Context(), x); return err },
			"Predict":   func() error { _, err := m.Predict(t.Context(), x); return err },
			"Transform": func() error { _, err := m.Transform(t.Context(), x); return err },
			"Classify, Evidence": func() error {
				r, err := m.Classify(t.Context(), x)
				if err == nil {
					m.Evidence(&r)
				}
				return err
			},
		} {
			samples.Store(0)
			if err := do(); err != nil {
				t.Fatalf("%s, rule %s: %v", name, rule.Name(), err)
			}
			if got := samples.Load(); got != 7 {
				t.Errorf("%s, rule %s: %d samples are coded, want 7", name, rule.Name(), got)
			}
		}
	}
}

// Evidence against its definition, sample by sample.
func TestEvidenceAgainstItsDefinition(t *testing.T) {
	for _, rule := range append([]Rule{testLinear, testFisher}, Untrained...) {
		m := newTestClassifier(t, rule, rand.New(rand.NewPCG(1, 15)))
		x := randomSamples(9)
		for i := range 20 {
			x.Set(i, 8, 0) // a blank one
		}
		r, err := m.Classify(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		for j, got := range m.Evidence(&r) {
			scores := slices.Sorted(slices.Values(mat.Col(nil, j, r.Scores)))
			want := Evidence{Margin: scores[2] - scores[1], Largest: scores[2]}
			var weights, sums [3]float64
			smallest := math.Inf(1)
			for c := range 3 {
				lo, hi := m.p.Groups[c], m.p.Groups[c+1]
				own := r.Codes.Slice(lo, hi, j, j+1)
				var e mat.Dense
				e.Mul(m.p.D.Slice(0, 20, lo, hi), own)
				e.Sub(r.Samples.Slice(0, 20, j, j+1), &e)
				weights[c], sums[c], smallest = mat.Norm(own, 1), mat.Sum(own), min(smallest, mat.Norm(&e, 2))
			}
			if rule == Rule(testLinear) {
				copy(sums[:], mat.Col(nil, j, r.Scores))
			}
			positive := 0.0
			for _, v := range sums {
				positive += max(0, v)
			}
			if j < 8 {
				want.Concentration = (3*slices.Max(weights[:])/(weights[0]+weights[1]+weights[2]) - 1) / 2
				want.Share = slices.Max(sums[:]) / positive
				want.Residual = 1 - smallest
			}
			for _, v := range [][2]float64{
				{got.Margin, want.Margin},
				{got.Concentration, want.Concentration},
				{got.Share, want.Share},
				{got.Residual, want.Residual},
			} {
				if !(math.Abs(v[0]-v[1]) < 1e-12) {
					t.Errorf("%s: sample %d has %+v, want %+v", rule.Name(), j, got, want)
					break
				}
			}
		}
	}
}

// With one atom per class, the residuals that are not computed are not the least, whatever
// the norms of the atoms.
func TestLeastResidualOfOneAtomEach(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 16))
	for _, scale := range []float64{1, 1e-3, 1.41, 1e6} {
		d := mat.NewDense(20, 30, nil)
		d.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, d)
		d.Copy(Unit(d))
		d.SetCol(7, mat.Col(nil, 3, d)) // two equal atoms
		groups, classes := []int{0}, []string(nil)
		for c := range 30 {
			for i := range 20 {
				d.Set(i, c, d.At(i, c)*(1+(scale-1)*rng.Float64()))
			}
			groups, classes = append(groups, c+1), append(classes, strconv.Itoa(c))
		}
		x := randomSamples(5)
		x.SetCol(4, mat.Col(nil, 3, d))
		var smallest [2][]float64
		for i, c := range []coding.Coder{coding.Inner{}, otherInner{}} {
			m, err := NewClassifier(Parts{D: d, Groups: groups, Classes: classes, Coder: c, Rule: Sum{}})
			if err != nil {
				t.Fatal(err)
			}
			r, err := m.Classify(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			if near := m.nearest(&r); (near == nil) != (i == 1) {
				t.Error("all residuals are computed for both coders, or for none")
			}
			smallest[i] = m.minResiduals(&r)
		}
		if !slices.Equal(smallest[0], smallest[1]) {
			t.Errorf("scale %v: residuals %v, want %v", scale, smallest[0], smallest[1])
		}
	}
}

// otherInner is coding.Inner of another type.
type otherInner struct{ coding.Inner }
