package method

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// Every update minimises the terms of J and of the splitting in its variable: they rise with
// every small change. With the weights of the program the splitting ends with S = J.
func TestSBD2LUpdatesAreOptimal(t *testing.T) {
	train, _ := drawnSet(t)
	train = train.Select([]int{0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 15, 16, 17, 18, 19})
	s := newSBD2LState(drawnSBD2L, classify.Unit(train.X), train.Groups, []int{0, 3, 6, 9, 12})
	for range 3 {
		if _, err := s.Step(); err != nil {
			t.Fatal(err)
		}
	}
	lowers := func() float64 {
		apart := mat.DenseCopyOf(s.S)
		lin.Add(apart, -1, s.J)
		sum := inner(s.T, apart) + s.μ/2*lin.SquaredNorm(apart) + s.Shrink/2*lin.SquaredNorm(s.D) + s.Coder.Alpha*nuclear(s.J)
		for _, term := range s.Objective() {
			if term.Name != "rank" { // that of S; the splitting has J's
				sum += term.Value
			}
		}
		return sum
	}
	for _, u := range []struct {
		name  string
		renew func() error
		of    *mat.Dense
	}{{"S", s.updateS, s.S}, {"J", s.updateJ, s.J}, {"B", s.updateB, s.B}, {"R", s.updateR, s.R}, {"D", s.updateD, s.D}} {
		if err := u.renew(); err != nil {
			t.Fatal(err)
		}
		minimum := lowers()
		r, c := u.of.Dims()
		for at := range 2 * r * c {
			i, j, δ := at/2/c, at/2%c, 1e-4*float64(1-2*(at%2))
			was := u.of.At(i, j)
			u.of.Set(i, j, was+δ)
			if v := lowers(); v < minimum-1e-11 {
				t.Errorf("%s: a change of element %d, %d lowers the sum by %v", u.name, i, j, minimum-v)
			}
			u.of.Set(i, j, was)
		}
	}
	s.SBD2L, s.μ = DefaultSBD2L, DefaultSBD2L.Coder.Mu
	residual := math.Inf(1)
	for pass := 0; pass < s.Coder.Passes && residual >= s.Coder.Tol; pass++ {
		var err error
		if residual, err = s.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if !(residual < s.Coder.Tol) {
		t.Errorf("after all passes S and J differ by %v", residual)
	}
}
