package classify

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/coding"
)

// huber is Σ_i h(r_i).
func huber(r []float64, λ float64) float64 {
	var sum float64
	for _, v := range r {
		if v = math.Abs(v); v <= λ {
			sum += v * v / 2
		} else {
			sum += λ*v - λ*λ/2
		}
	}
	return sum
}

func randomSamples(n int) *mat.Dense {
	r := rand.New(rand.NewPCG(1, 8))
	x := mat.NewDense(20, n, nil)
	x.Apply(func(int, int, float64) float64 { return r.Float64() }, x)
	return x
}

// With a threshold that no error reaches, Huber is Residual.
func TestHuberIsResidualWithoutThreshold(t *testing.T) {
	p := testParts(Huber{}, rand.New(rand.NewPCG(1, 7)))
	c := coding.DefaultRobust
	c.Lambda = 1e6
	p.Coder = c
	var scores [2]*mat.Dense
	for i, rule := range []Rule{Huber{}, Residual{}} {
		p.Rule = rule
		m, err := NewClassifier(p)
		if err != nil {
			t.Fatal(err)
		}
		if scores[i], err = m.Scores(context.Background(), randomSamples(9)); err != nil {
			t.Fatal(err)
		}
	}
	if !mat.EqualApprox(scores[0], scores[1], 1e-12) {
		t.Errorf("%v\nand %v", mat.Formatted(scores[0]), mat.Formatted(scores[1]))
	}
}

// The votes are those of the coder, batch after batch.
func TestVotesAreTheCoders(t *testing.T) {
	m := newTestClassifier(t, Votes{}, rand.New(rand.NewPCG(1, 9)))
	x := randomSamples(Batch + 3)
	scores, err := m.Scores(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	placed, err := m.p.Coder.(coding.Blocks).Place(10, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	over, err := placed.Over(coding.Basis{D: m.p.D, Groups: m.p.Groups})
	if err != nil {
		t.Fatal(err)
	}
	want := mat.NewDense(3, Batch+3, nil)
	if err := over.(coding.Detailed).CodeWith(context.Background(), coding.Details{Votes: want}, Unit(x)); err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(scores, want, 1e-12) {
		t.Error("the scores are not the votes")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Scores(ctx, x); err == nil {
		t.Error("a cancelled context gives votes")
	}
}

func TestRulesThatNeedACoder(t *testing.T) {
	for _, rule := range []Rule{Huber{}, Votes{}} {
		p := testParts(rule, rand.New(rand.NewPCG(1, 10)))
		p.Coder = coding.DefaultRidge
		if _, err := NewClassifier(p); err == nil || !strings.Contains(err.Error(), rule.Name()) ||
			!strings.Contains(advice.Text(err), "use the coder") {
			t.Errorf("%s: %v, %s", rule.Name(), err, advice.Text(err))
		}
	}
	p := testParts(Votes{}, rand.New(rand.NewPCG(1, 11)))
	p.Grid = Grid{}
	if _, err := NewClassifier(p); err == nil || !strings.Contains(err.Error(), "pixel grid") {
		t.Errorf("blocks of samples that are no images: %v", err)
	}
}

// The errors are those of the coder at unit norm, batch after batch, and the
// codes do not depend on them; a coder without gives none.
func TestErrorsOfClassify(t *testing.T) {
	const n = Batch + 7
	m := newTestClassifier(t, Huber{}, rand.New(rand.NewPCG(1, 13)))
	x := randomSamples(n)
	x.Scale(50, x)
	got, err := m.Classify(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	over, err := m.p.Coder.Over(coding.Basis{D: m.p.D, Groups: m.p.Groups})
	if err != nil {
		t.Fatal(err)
	}
	s, want := mat.NewDense(6, n, nil), mat.NewDense(20, n, nil)
	if err := over.(coding.Detailed).CodeWith(context.Background(), coding.Details{S: s, Errors: want}, Unit(x)); err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(got.Errors, want, 1e-12) || mat.Norm(got.Errors, 1) == 0 {
		t.Error("the errors are not those of the coder")
	}
	codes, err := m.Transform(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(got.Codes, codes) {
		t.Error("writing the errors changes the codes")
	}
	m = newTestClassifier(t, Residual{}, rand.New(rand.NewPCG(1, 14)))
	if r, err := m.Classify(context.Background(), x); err != nil || r.Errors != nil {
		t.Errorf("errors of a coder without: %v, %v", r.Errors != nil, err)
	}
}
