package method

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// The scores are those of the definition: least squares by QR for each class, a non-negative code
// whose optimality is tested, and both residuals scaled to 0 to 1.
func TestLRCNRCIsItsDefinition(t *testing.T) {
	train, probe := drawnSet(t)
	m := LRCNRC{coding.Fused{Weight: 0.7, Rho: 1, Passes: 3000}} // after so many passes the code is optimal
	model, err := m.Fit(t.Context(), train, classify.Run{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := model.Classify(t.Context(), probe.X)
	if err != nil {
		t.Fatal(err)
	}
	p := model.Parts()
	y, classes := classify.Unit(probe.X), len(p.Classes)
	d, k := p.D.Dims()
	_, n := y.Dims()
	for j := range n {
		own, all := make([]float64, classes), make([]float64, classes)
		s := mat.Col(nil, j, r.Codes) // ω·(LRC) + (1 − ω)·(NRC)
		for c := range classes {
			lo, hi := p.Groups[c], p.Groups[c+1]
			var alone, rest mat.VecDense
			if err := alone.SolveVec(p.D.Slice(0, d, lo, hi), y.ColView(j)); err != nil {
				t.Fatal(err)
			}
			rest.MulVec(p.D.Slice(0, d, lo, hi), &alone)
			rest.SubVec(y.ColView(j), &rest)
			own[c] = mat.Norm(&rest, 2)
			for i := lo; i < hi; i++ {
				s[i] = (s[i] - 0.7*alone.AtVec(i-lo)) / 0.3
			}
		}
		var w mat.VecDense // half the gradient of ‖y − X·s‖²
		w.MulVec(p.D, mat.NewVecDense(k, s))
		w.SubVec(&w, y.ColView(j))
		for i, v := range s {
			if g := mat.Dot(p.D.ColView(i), &w); v < -1e-6 || g < -1e-6 || v > 1e-6 && g > 1e-6 {
				t.Errorf("probe %d: coefficient %d is %v, the gradient %v", j, i, v, g)
			}
		}
		for c := range classes {
			lo, hi := p.Groups[c], p.Groups[c+1]
			var rest mat.VecDense
			rest.MulVec(p.D.Slice(0, d, lo, hi), mat.NewVecDense(hi-lo, s[lo:hi]))
			rest.SubVec(y.ColView(j), &rest)
			all[c] = mat.Norm(&rest, 2)
		}
		scaled := func(r []float64, c int) float64 { return (r[c] - slices.Min(r)) / (slices.Max(r) - slices.Min(r)) }
		want, sum := make([]float64, classes), 0.0
		for c := range classes {
			want[c] = 1 - 0.7*scaled(own, c) - 0.3*scaled(all, c)
			sum += want[c]
		}
		for c := range classes {
			if got := r.Scores.At(c, j); !(math.Abs(got-want[c]/sum) < 1e-6) {
				t.Errorf("probe %d: class %d scores %v, want %v", j, c, got, want[c]/sum)
			}
		}
	}
}

// With the weight 1 it names what LRC names.
func TestLRCNRCWithoutNRC(t *testing.T) {
	train, probe := drawnSet(t)
	m := DefaultLRCNRC
	m.Coder.Weight = 1
	names := func(m classify.Method) []int {
		f, err := m.Fit(t.Context(), train, classify.Run{})
		if err != nil {
			t.Fatal(err)
		}
		scores, err := f.Scores(t.Context(), probe.X)
		if err != nil {
			t.Fatal(err)
		}
		return classify.Best(scores)
	}
	if got, want := names(m), names(DefaultLRC); !slices.Equal(got, want) {
		t.Errorf("%v, LRC %v", got, want)
	}
}
