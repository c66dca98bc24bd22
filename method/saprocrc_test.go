package method

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// The code less that of the pursuit has the gradient 0 of ProCRC's printed problem, by differences,
// which are exact for a square. The score is the sum of the coefficients of a class.
func TestSAProCRCIsOptimal(t *testing.T) {
	train, probe := drawnSet(t)
	m := SAProCRC{coding.Augmented{Lambda: 0.02, Gamma: 0.3, Sparsity: 3}}
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
	k, n := r.Codes.Dims()
	sparse := mat.NewDense(k, n, nil)
	over, err := coding.OMP{Sparsity: 3}.Over(coding.Basis{D: p.D})
	if err == nil {
		err = over.Code(t.Context(), sparse, y)
	}
	if err != nil {
		t.Fatal(err)
	}
	var dense mat.Dense
	dense.Sub(r.Codes, sparse)
	part := func(s []float64, lo, hi int) *mat.VecDense { // X_i·s_i
		var v mat.VecDense
		d, _ := p.D.Dims()
		v.MulVec(p.D.Slice(0, d, lo, hi), mat.NewVecDense(hi-lo, s[lo:hi]))
		return &v
	}
	distance := func(a, b mat.Vector) float64 {
		var v mat.VecDense
		v.SubVec(a, b)
		return mat.Dot(&v, &v)
	}
	for j := range n {
		s := mat.Col(nil, j, &dense)
		objective := func() float64 {
			all := part(s, 0, k)
			v := distance(y.ColView(j), all) // ‖y − X·s‖²
			for _, s := range s {
				v += m.Coder.Lambda * s * s
			}
			for i := range classes {
				v += m.Coder.Gamma / float64(classes) * distance(all, part(s, p.Groups[i], p.Groups[i+1]))
			}
			return v
		}
		for i, at := range s {
			s[i] = at + 0.01
			above := objective()
			s[i] = at - 0.01
			if slope := (above - objective()) / 0.02; !(math.Abs(slope) < 1e-9) {
				t.Errorf("probe %d: a slope of %g at coefficient %d", j, slope, i)
			}
			s[i] = at
		}
		for c := range classes {
			sum := 0.0
			for i := p.Groups[c]; i < p.Groups[c+1]; i++ {
				sum += r.Codes.At(i, j)
			}
			if !(math.Abs(sum-r.Scores.At(c, j)) < 1e-12) {
				t.Errorf("probe %d: class %d scores %g, the sum of its coefficients is %g", j, c, r.Scores.At(c, j), sum)
			}
		}
	}
}
