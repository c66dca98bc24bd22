package method

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// With the kernel aᵀb the forms are the methods themselves, scores and evidence.
func TestLinearKernelFormsAreTheMethods(t *testing.T) {
	train, probe := people(t, 4, 5, 30, 0.3, 1), people(t, 4, 3, 30, 0.3, 2)
	k := KernelLearning{Kernel: coding.Polynomial, Scale: 1, Degree: 1}
	for _, c := range []struct{ form, of classify.Method }{
		{KNRC{k, coding.DefaultStopped}, DefaultNRC},
		{KCRC{k, DefaultCRC.Kappa}, DefaultCRC},
		{KSRC{k, coding.DefaultLasso}, DefaultSRC},
	} {
		var scores []*mat.Dense
		var evidence [][]classify.Evidence
		for _, m := range []classify.Method{c.form, c.of} {
			model, err := m.Fit(t.Context(), train, classify.Run{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := model.Classify(t.Context(), probe.X)
			if err != nil {
				t.Fatal(err)
			}
			scores, evidence = append(scores, r.Scores), append(evidence, model.Evidence(&r))
		}
		if !mat.EqualApprox(scores[0], scores[1], 1e-7) {
			t.Errorf("%s scores differently", c.form.Name())
		}
		for j, e := range evidence[0] {
			if math.Abs(e.Residual-evidence[1][j].Residual) > 1e-7 {
				t.Errorf("%s: a residual of %v, not %v", c.form.Name(), e.Residual, evidence[1][j].Residual)
			}
		}
	}
}

// The median is that of all pairs that differ.
func TestMedianDistance(t *testing.T) {
	x := classify.Unit(people(t, 3, 5, 10, 0.3, 1).X)
	for i := range 10 {
		x.Set(i, 1, x.At(i, 0)) // equal samples
	}
	var all []float64
	for i := range 15 {
		for j := range i {
			var rest mat.VecDense
			rest.SubVec(x.ColView(i), x.ColView(j))
			if v := mat.Norm(&rest, 2); v > 0 {
				all = append(all, v)
			}
		}
	}
	slices.Sort(all)
	if got, want := medianDistance(x), (all[51]+all[52])/2; len(all) != 104 || math.Abs(got-want) > 1e-12 {
		t.Errorf("%v of %d, want %v", got, len(all), want)
	}
	if v := medianDistance(mat.NewDense(1, 2, []float64{1, 1})); v != 1 {
		t.Errorf("%v for equal samples", v)
	}
}
