package nrdl

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl/coding"
)

// counted is a coder that counts the samples that it codes.
type counted struct {
	coding.Coder
	samples *atomic.Int64
}

func (c counted) Over(d *mat.Dense, groups []int) (coding.Coding, error) {
	over, err := c.Coder.Over(d, groups)
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

// Scores, recognition and explanation code each face once.
func TestEachFaceIsCodedOnce(t *testing.T) {
	for _, rule := range []Rule{Linear, Residual, NormedResidual, Fisher, Sum} {
		p := testParts(rule, rand.New(rand.NewPCG(51, 1)))
		var samples atomic.Int64
		p.Coder = counted{p.Coder, &samples}
		m, err := NewModel(p)
		if err != nil {
			t.Fatal(err)
		}
		d, _ := p.D.Dims()
		x := mat.NewDense(d, 7, nil)
		r := rand.New(rand.NewPCG(52, 1))
		x.Apply(func(int, int, float64) float64 { return r.Float64() }, x)
		faces := &Set{X: x}
		one := &Set{X: mat.DenseCopyOf(x.Slice(0, d, 0, 1))}
		for name, c := range map[string]struct {
			want int64
			do   func() error
		}{
			"Scores":    {7, func() error { _, err := m.ScoresOf(context.Background(), faces); return err }},
			"Recognise": {7, func() error { _, err := m.Recognise(context.Background(), faces); return err }},
			"Explain":   {1, func() error { _, err := m.Explain(context.Background(), one); return err }},
		} {
			samples.Store(0)
			if err := c.do(); err != nil {
				t.Fatalf("%s, rule %s: %v", name, rule, err)
			}
			if got := samples.Load(); got != c.want {
				t.Errorf("%s, rule %s: %d samples are coded, want %d", name, rule, got, c.want)
			}
		}
	}
}
