package method

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// What is learned is a model only while its numbers are in their range, also of
// a method that has no passes.
func TestModelsOfDivergence(t *testing.T) {
	x := mat.NewDense(120, 20, nil)
	x.Apply(func(i, j int, _ float64) float64 { return float64(1 + (i*(j+2))%97) }, x)
	s, err := classify.NewSamples(x,
		strings.Split(strings.Repeat("a ", 5)+strings.Repeat("b ", 5)+strings.Repeat("c ", 5)+"d d d d d", " "), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(d, w, m *mat.Dense) classify.Rule{
		"D": func(d, w, _ *mat.Dense) classify.Rule {
			d.Set(3, 2, -2*classify.DivergenceBound)
			return classify.Linear{W: w}
		},
		"W": func(_, w, _ *mat.Dense) classify.Rule { w.Set(1, 2, math.Inf(1)); return classify.Linear{W: w} },
		"M": func(_, _, m *mat.Dense) classify.Rule { m.Set(2, 1, math.NaN()); return classify.Fisher{M: m} },
	} {
		d, w, m := classify.Unit(s.X), mat.NewDense(4, 20, nil), mat.NewDense(20, 4, nil)
		w.Set(0, 0, 1)
		p := classify.Parts{
			D: d, Groups: s.Groups, Coder: coding.DefaultRidge, Rule: spoil(d, w, m), Outcome: classify.Outcome{Iter: 7},
		}
		_, err := model(DefaultCRC, s, classify.Run{}, p)
		if !errors.Is(err, classify.ErrDiverged) || !strings.Contains(err.Error(), "crc: diverged after pass 7: "+name+" holds") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
