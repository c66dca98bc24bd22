package method_test

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/method"
)

func TestRepresentationRefuses(t *testing.T) {
	m := method.DefaultRepresentation
	m.Rule = classify.Linear{}.Name()
	if err := m.Validate(); err == nil || !strings.HasPrefix(err.Error(), "rule: ") {
		t.Errorf("a rule that needs training: %v", err)
	}
	for rule, coder := range map[classify.Rule]string{classify.Huber{}: "robust", classify.Votes{}: "blocks"} {
		m.Rule = rule.Name()
		if err := m.Validate(); err == nil || !strings.Contains(advice.Text(err), coder) {
			t.Errorf("%s: %v, %s", rule.Name(), err, advice.Text(err))
		}
	}
	if (method.Representation{Rule: classify.Sum{}.Name()}).Validate() == nil {
		t.Error("no coder is valid")
	}
}

// A method that needs the pixel grid says so before any work. Of images that are smaller than a
// block, the block is the image.
func TestBlocksNeedImages(t *testing.T) {
	x := mat.NewDense(20, 6, nil)
	x.Apply(func(i, j int, _ float64) float64 { return float64(1 + (i*(j+2))%7) }, x)
	labels := []string{"a", "a", "a", "b", "b", "b"}
	learned := method.DefaultNRDL
	learned.Coder = coding.DefaultBlocks
	set, err := classify.NewSamples(x, labels, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []classify.Method{method.DefaultBlocks, learned} {
		watch := func(classify.Progress) { t.Errorf("%s: refused after a pass", m.Name()) }
		_, err := m.Fit(context.Background(), set, classify.Run{Watch: watch})
		if err == nil || !strings.Contains(err.Error(), "pixel grid") || advice.Text(err) == "" {
			t.Errorf("%s: %v, %s", m.Name(), err, advice.Text(err))
		}
	}
	set.Grid = classify.Grid{Height: 10, Width: 2, Planes: 1}
	small := method.DefaultBlocks
	small.Coder.Side, small.Coder.Step = 2, 2
	var of [2]*mat.Dense
	for i, m := range []classify.Method{method.DefaultBlocks, small} {
		model, err := m.Fit(t.Context(), set, classify.Run{})
		if err == nil {
			of[i], err = model.Scores(t.Context(), x)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !mat.Equal(of[0], of[1]) {
		t.Error("blocks of 8 on images 2 pixels wide are not blocks of 2")
	}
}
