package coding

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// TestGuess: the steps of guess near the minimum, and a start from what they
// give solves for its atoms and ends at the code of a start from none.
func TestGuess(t *testing.T) {
	d, y := random(3, 60, 40, 5)
	for _, signed := range []bool{true, false} {
		e := newExact(Basis{D: d}, term{λ: 1e-3, signed: signed, gap: 1e-12})
		rows := mat.NewDense(5, 40, nil)
		lin.AtB(rows, 1, y, e.d)
		a := e.starts(context.Background(), rows)
		for j := range 5 {
			z := a.of(j)
			if z == nil {
				t.Fatalf("no guess for column %d", j)
			}
			for k, v := range z {
				if !signed && v < 0 {
					t.Fatalf("z[%d] = %v is negative", k, v)
				}
			}
			f, lim, exp := problem(e, y, j)
			p := newPivoting(e.gram)
			*lim = e.limits(p, exp, lim.bound)
			p.start(f, lim)
			if !p.adopt(f, z) {
				t.Fatal("the atoms of a guess depend on each other")
			}
			for k, v := range z {
				if p.member[k] != (v != 0) || v != 0 && math.Abs(p.slope(k, p.w[k], math.Copysign(1, v))) > 1e-10 {
					t.Errorf("atom %d with z = %v: in P %v, w = %v", k, v, p.member[k], p.w[k])
				}
			}
			if !p.solveFrom(context.Background(), f, z, lim) {
				t.Fatal("no code")
			}
			q := newPivoting(e.gram)
			if !q.solveFrom(context.Background(), f, nil, lim) {
				t.Fatal("no code without a guess")
			}
			warm, cold := make([]float64, 40), make([]float64, 40)
			for i, k := range p.passive {
				warm[k] = math.Ldexp(p.sign[k]*p.s[i], exp-e.exp[k])
			}
			for i, k := range q.passive {
				cold[k] = math.Ldexp(q.sign[k]*q.s[i], exp-e.exp[k])
			}
			for k, v := range cold {
				if math.Abs(warm[k]-v) > 1e-9 {
					t.Errorf("s[%d] = %v, without a guess %v", k, warm[k], v)
				}
			}
			guessed := make([]float64, 40)
			for k, v := range z {
				guessed[k] = math.Ldexp(v, -e.exp[k])
			}
			minimum, zero := objective(d, cold, y, j, e.term), objective(d, make([]float64, 40), y, j, e.term)
			if now := objective(d, guessed, y, j, e.term); now-minimum > 0.1*(zero-minimum) {
				t.Errorf("the guess has the objective %v, the code %v, no code %v", now, minimum, zero)
			}
		}
		a.free()
	}
}
