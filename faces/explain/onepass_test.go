package explain

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
)

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

// Scores, recognition and explanation code each face once, and so do identification and
// the explanation of its result together.
func TestEachFaceIsCodedOnce(t *testing.T) {
	const d = 20
	r := rand.New(rand.NewPCG(51, 1))
	random := func(m, n int) *mat.Dense {
		a := mat.NewDense(m, n, nil)
		a.Apply(func(int, int, float64) float64 { return r.Float64() }, a)
		return a
	}
	for _, rule := range []classify.Rule{
		classify.Linear{W: random(3, 6)},
		classify.Residual{},
		classify.NormedResidual{},
		classify.Fisher{M: random(6, 3), Weight: 0.5},
		classify.Sum{},
	} {
		var samples atomic.Int64
		c, err := classify.NewClassifier(classify.Parts{
			D: classify.Unit(random(d, 6)), Groups: []int{0, 1, 3, 6}, Classes: []string{"ann", "bob", "cyd"},
			Coder: counted{coding.DefaultNonNegative, &samples}, Rule: rule, Method: "test",
		})
		if err != nil {
			t.Fatal(err)
		}
		m := &gallery.Gallery{Model: &frontend.Model{Classifier: c}}
		x := random(d, 7)
		faces := dataset.Unlabelled(x, dataset.Frame{})
		one := dataset.Unlabelled(mat.DenseCopyOf(x.Slice(0, d, 0, 1)), dataset.Frame{})
		for name, c := range map[string]struct {
			want int64
			do   func() error
		}{
			"Scores":    {7, func() error { _, err := m.Scores(t.Context(), faces); return err }},
			"Recognise": {7, func() error { _, err := m.Recognise(t.Context(), faces); return err }},
			"Identify":  {7, func() error { _, err := m.Identify(t.Context(), faces); return err }},
			"New":       {1, func() error { _, err := New(t.Context(), m, one); return err }},
			"IdentifyCoded, Of": {1, func() error {
				results, err := m.IdentifyCoded(t.Context(), one)
				if err == nil {
					_, err = Of(t.Context(), m, one, results[0])
				}
				return err
			}},
		} {
			samples.Store(0)
			if err := c.do(); err != nil {
				t.Fatalf("%s, rule %s: %v", name, rule.Name(), err)
			}
			if got := samples.Load(); got != c.want {
				t.Errorf("%s, rule %s: %d samples are coded, want %d", name, rule.Name(), got, c.want)
			}
		}
	}
}
