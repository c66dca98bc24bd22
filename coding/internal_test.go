package coding

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestNth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		v := make([]float64, 1+rng.IntN(30))
		for i := range v {
			v[i] = float64(rng.IntN(12)) // many equal ones
		}
		want := slices.Sorted(slices.Values(v))
		n := rng.IntN(len(v))
		if got := nth(v, n); got != want[n] {
			t.Fatalf("element %d of %v is %v", n, want, got)
		}
		if slices.Max(v[:n+1]) != want[n] {
			t.Fatalf("the first %d of %v are not the least of %v", n+1, v, want)
		}
	}
}

// random makes problems where some atoms are equal to others or opposite.
func random(seed uint64, m, k, n int) (d, y *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 4))
	shift := float64(seed % 3)
	d, y = mat.NewDense(m, k, nil), mat.NewDense(m, n, nil)
	for i := range m {
		for j := range k {
			d.Set(i, j, shift+rng.NormFloat64())
		}
		for j := range n {
			y.Set(i, j, shift+rng.NormFloat64())
		}
	}
	if seed%2 == 0 {
		d.SetCol(k-1, mat.Col(nil, 0, d))
		for i := range m {
			d.Set(i, k/2, -d.At(i, 0))
		}
	}
	return d, y
}

// TestLawsonHansonAlone solves by the fall-back what pivoting solves too: the
// two residuals, which are unique where the codes are not, agree.
func TestLawsonHansonAlone(t *testing.T) {
	for seed := range uint64(60) {
		m, k, n := 5+int(seed)%17, 4+int(seed)%13, 6
		d, y := random(seed, m, k, n)
		e := newExact(Basis{D: d}, term{})
		want := mat.NewDense(k, n, nil)
		if err := e.Code(context.Background(), want, y); err != nil {
			t.Fatal(err)
		}
		got := mat.NewDense(k, n, nil)
		for j := range n {
			f := make([]float64, k)
			mat.NewVecDense(k, f).MulVec(e.d.T(), y.ColView(j))
			exp, bound := e.rescale(f)
			lim := limits{bound: bound, scale: e.scale, maxScale: e.maxScale}
			if err := e.lawsonHanson(context.Background(), newPivoting(e.gram), f, e.scaled(y, j, exp), exp, &lim); err != nil {
				t.Fatalf("seed %d, column %d: %v", seed, j, err)
			}
			for i, v := range f {
				if v < 0 {
					t.Fatalf("seed %d, column %d: s[%d] = %v", seed, j, i, v)
				}
				got.Set(i, j, e.unscale(v, i, exp))
			}
		}
		var a, b mat.Dense
		a.Mul(d, got)
		b.Mul(d, want)
		if !mat.EqualApprox(&a, &b, 1e-9) {
			t.Errorf("seed %d: the two solvers rebuild different samples", seed)
		}
	}
}

// TestPivotingSuffices: the slow fall-back is not what codes.
func TestPivotingSuffices(t *testing.T) {
	for seed := range uint64(60) {
		d, y := random(2*seed+1, 30, 20, 10) // no equal atoms
		e := newExact(Basis{D: d}, term{})
		p := newPivoting(e.gram)
		for j := range 10 {
			f := make([]float64, 20)
			mat.NewVecDense(20, f).MulVec(e.d.T(), y.ColView(j))
			_, bound := e.rescale(f)
			if !p.solveFrom(context.Background(), f, nil, &limits{bound: bound, scale: e.scale, maxScale: e.maxScale}) {
				t.Errorf("seed %d: pivoting gave column %d up", seed, j)
			}
		}
	}
}

// TestLawsonHansonWithPenalties solves by the fall-back alone, also where K > d
// and atoms are equal or sums of others: the objective is that of the solver.
func TestLawsonHansonWithPenalties(t *testing.T) {
	for seed := range uint64(80) {
		m, k, n := 5+int(seed)%9, 4+int(seed)%23, 6
		d, y := random(seed, m, k, n)
		for i := range m {
			d.Set(i, 1, d.At(i, 2)+d.At(i, 3))
		}
		for _, tm := range []term{{λ: 0.3}, {λ: 0.3, signed: true, gap: 1e-9}, {λ: 1e-3}, {λ: 1e-3, signed: true, gap: 1e-9}, {λ: 0.1, μ: 0.2}} {
			e := newExact(Basis{D: d}, tm)
			want := mat.NewDense(k, n, nil)
			if err := e.Code(context.Background(), want, y); err != nil {
				t.Fatal(err)
			}
			p := newPivoting(e.gram)
			for j := range n {
				f, lim, exp := problem(e, y, j)
				*lim = e.limits(p, exp, lim.bound)
				lim.fine = false
				if err := e.lawsonHanson(context.Background(), p, f, e.scaled(y, j, exp), exp, lim); err != nil {
					t.Fatalf("seed %d, column %d, %+v: %v", seed, j, tm, err)
				}
				for i, v := range f {
					f[i] = e.unscale(v, i, exp)
				}
				got, want := objective(d, f, y, j, tm), objective(d, mat.Col(nil, j, want), y, j, tm)
				if !(math.Abs(got-want) <= 1e-9*want) {
					t.Errorf("seed %d, column %d, %+v: an objective of %v, not %v", seed, j, tm, got, want)
				}
			}
		}
	}
}

// objective is what exact minimises, for the code s of column j of y.
func objective(d *mat.Dense, s []float64, y *mat.Dense, j int, tm term) float64 {
	var rest mat.VecDense
	rest.MulVec(d, mat.NewVecDense(len(s), s))
	rest.SubVec(y.ColView(j), &rest)
	sum := mat.Dot(&rest, &rest) / 2
	for _, v := range s {
		sum += tm.λ*math.Abs(v) + tm.μ*v*v/2
	}
	return sum
}

// TestRefine: a step takes s_P from near the solution over P to it.
func TestRefine(t *testing.T) {
	d, y := random(1, 30, 12, 1)
	e := newExact(Basis{D: d}, term{λ: 0.1, signed: true, gap: 1e-9})
	p := newPivoting(e.gram)
	f, lim, exp := problem(e, y, 0)
	*lim = e.limits(p, exp, lim.bound)
	if !p.solveFrom(context.Background(), f, nil, lim) || !slices.Contains(p.sign, -1) {
		t.Fatal("no code, or none with a negative coefficient")
	}
	want := slices.Clone(p.s)
	for i := range p.s {
		p.s[i] *= 1.001
	}
	p.update(f, p.passive, p.s)
	p.refine(f)
	for i, v := range p.s {
		if !(math.Abs(v-want[i]) <= 1e-12) {
			t.Errorf("s[%d] = %v, not %v", i, v, want[i])
		}
	}
}
