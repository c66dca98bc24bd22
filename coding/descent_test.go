package coding

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// illConditioned makes K unit atoms with singular values that fall to 1e-7 of
// the first, as those of learned dictionaries do, and n samples whose codes hold
// nearly all atoms.
func illConditioned(m, k, n int) (d, y *mat.Dense) {
	rng := rand.New(rand.NewPCG(7, 7))
	random := func(r, c int) *mat.Dense {
		a := mat.NewDense(r, c, nil)
		a.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, a)
		return a
	}
	var left, right mat.SVD
	if !left.Factorize(random(m, k), mat.SVDThin) || !right.Factorize(random(k, k), mat.SVDThin) {
		panic("no singular values")
	}
	var u, v mat.Dense
	left.UTo(&u)
	right.UTo(&v)
	for j := range k {
		for i := range m {
			u.Set(i, j, u.At(i, j)*math.Pow(10, -7*float64(j)/float64(k-1)))
		}
	}
	d = new(mat.Dense)
	d.Mul(&u, v.T())
	for j := range k {
		norm := mat.Norm(d.ColView(j), 2)
		for i := range m {
			d.Set(i, j, d.At(i, j)/norm)
		}
	}
	s := random(k, n)
	s.Apply(func(_, _ int, v float64) float64 { return 0.05 + math.Abs(v) }, s)
	y = random(m, n)
	y.Scale(1e-9, y)
	var clean mat.Dense
	clean.Mul(d, s)
	y.Add(y, &clean)
	return d, y
}

// wide makes more non-negative atoms than features, a few shapes and noise, and
// samples of their kind.
func wide(m, k, n int) (d, y *mat.Dense) {
	rng := rand.New(rand.NewPCG(8, 8))
	faces := func(n int) *mat.Dense {
		a := mat.NewDense(m, n, nil)
		for j := range n {
			p, q := rng.ExpFloat64(), rng.ExpFloat64()
			for i := range m {
				x := 0.1 * float64(i)
				a.Set(i, j, 1+p*(1+math.Sin(x))+q*(1+math.Cos(2*x))+0.02*rng.Float64())
			}
			norm := mat.Norm(a.ColView(j), 2)
			for i := range m {
				a.Set(i, j, a.At(i, j)/norm)
			}
		}
		return a
	}
	return faces(k), faces(n)
}

// TestDescent: where pivoting gives up, descent finds an optimal code in a small
// part of the steps that it may take.
func TestDescent(t *testing.T) {
	for name, f := range map[string]func() (d, y *mat.Dense){
		"ill-conditioned": func() (d, y *mat.Dense) { return illConditioned(150, 120, 20) },
		"wide":            func() (d, y *mat.Dense) { return wide(60, 150, 20) },
	} {
		t.Run(name, func(t *testing.T) {
			d, y := f()
			e := newExact(Basis{D: d}, term{})
			p, left := newPivoting(e.gram), 0
			_, n := y.Dims()
			for j := range n {
				b, lim, exp := problem(e, y, j)
				gaveUp := !p.solveFrom(context.Background(), b, nil, lim)
				if gaveUp {
					left++
				}
				c := p.newDescent(context.Background(), b, e.d.RawMatrix(), e.scaled(y, j, exp), lim)
				if c.begin(b, lim); !c.minimise() {
					t.Fatalf("column %d: descent gave up after %d steps", j, maxSteps-c.steps)
				}
				p.shift = 0
				if taken := maxSteps - c.steps; taken > maxSteps/4 {
					t.Errorf("column %d: %d steps", j, taken)
				}
				for k, v := range c.code {
					if v < 0 {
						t.Errorf("column %d: s[%d] = %v", j, k, v)
					}
				}
				if k, v := violation(make([]float64, len(b)), e.d.RawMatrix(), e.scaled(y, j, exp), c.code, lim); k >= 0 {
					t.Errorf("column %d: atom %d is violated by %g", j, k, v)
				}
			}
			if left == 0 {
				t.Error("pivoting gave no column up: this tests less than it should")
			}
			t.Logf("%d of %d columns were left by pivoting", left, n)
		})
	}
}

// TestDescentOfSignedCodes: it begins with the coefficients where pivoting
// ended, and above is by how much their objective is above that of others.
func TestDescentOfSignedCodes(t *testing.T) {
	d, y := random(3, 30, 14, 1)
	tm := term{λ: 0.1, signed: true, gap: 1e-9}
	e := newExact(Basis{D: d}, tm)
	p := newPivoting(e.gram)
	f, lim, exp := problem(e, y, 0)
	*lim = e.limits(p, exp, lim.bound)
	if !p.solveFrom(context.Background(), f, nil, lim) {
		t.Fatal("pivoting gave up")
	}
	code := func(x []float64) []float64 {
		s := make([]float64, len(f))
		for i, k := range p.passive {
			s[k] = e.unscale(p.sign[k]*x[i], k, exp)
		}
		return s
	}
	want := code(p.s)
	if slices.Min(want) >= 0 {
		t.Fatal("the code has no negative coefficient: this tests nothing")
	}
	c := p.newDescent(context.Background(), f, e.d.RawMatrix(), e.scaled(y, 0, exp), lim)
	defer func() { p.shift = 0 }()
	c.begin(f, lim)
	if got := code(c.x); !slices.Equal(got, want) {
		t.Errorf("descent begins with %v, not %v", got, want)
	}
	if !c.relax(0, 0) {
		t.Fatal("no minimum")
	}
	c.next = append(c.next[:0], c.x...)
	for i := range c.next {
		c.next[i] *= 1 + 0.1*float64(i)
	}
	got := math.Ldexp(c.above(c.next)/2, 2*exp)
	if want := objective(d, code(c.next), y, 0, tm) - objective(d, code(c.x), y, 0, tm); !(math.Abs(got-want) <= 1e-8*want) {
		t.Errorf("the objective is %v above the minimum, not %v", want, got)
	}
}

// problem returns f of column j of y with its limits, and the exponent of y.
func problem(e *exact, y *mat.Dense, j int) (f []float64, lim *limits, exp int) {
	_, k := e.d.Dims()
	f = make([]float64, k)
	mat.NewVecDense(k, f).MulVec(e.d.T(), y.ColView(j))
	exp, bound := e.rescale(f)
	return f, &limits{bound: bound, scale: e.scale, maxScale: e.maxScale}, exp
}

// TestPivotingDistrustsHugeCodes: two atoms that are nearly opposite need
// coefficients of 1e6 and more, with which the w of G proves nothing.
func TestPivotingDistrustsHugeCodes(t *testing.T) {
	const angle = 2e-6
	d := mat.NewDense(3, 3, []float64{1, -1, 0, 0, angle, 0, 0, 0, 1})
	y := mat.NewDense(3, 1, []float64{0, 8, 1})
	e := newExact(Basis{D: d}, term{})
	f, lim, _ := problem(e, y, 0)
	if newPivoting(e.gram).solveFrom(context.Background(), f, nil, lim) {
		t.Error("pivoting trusts its w")
	}
	s := mat.NewDense(3, 1, nil)
	if err := e.Code(context.Background(), s, y); err != nil {
		t.Fatal(err)
	}
	if want := 8 / angle; math.Abs(s.At(1, 0)-want) > 1e-4*want { // the bound on w leaves that much
		t.Errorf("s = %v", s.RawMatrix().Data)
	}
}

// TestPivotingRefusesDependentAtoms: of two atoms at a distance of 1e-7, which
// G knows to a percent, one is in P, whatever their sum needs.
func TestPivotingRefusesDependentAtoms(t *testing.T) {
	d := mat.NewDense(3, 3, []float64{1, 1, 0, 0, 1e-7, 0, 0, 0, 1})
	y := mat.NewDense(3, 1, []float64{2, 1e-7, 1})
	e := newExact(Basis{D: d}, term{})
	f, lim, _ := problem(e, y, 0)
	p := newPivoting(e.gram)
	p.solveFrom(context.Background(), f, nil, lim)
	if p.member[0] && p.member[1] {
		t.Error("both are in P")
	}
}

// TestFallBacksStop: a cancelled context ends either of them at once.
func TestFallBacksStop(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	d, y := wide(20, 40, 1)
	e := newExact(Basis{D: d}, term{})
	f, lim, exp := problem(e, y, 0)
	p := newPivoting(e.gram)
	p.solveFrom(ctx, f, nil, lim)
	cancel()
	if p.descend(ctx, f, e.d.RawMatrix(), e.scaled(y, 0, exp), lim) {
		t.Error("descent goes on")
	}
	if e.lawsonHanson(ctx, p, f, e.scaled(y, 0, exp), exp, lim) == nil {
		t.Error("the active set method goes on")
	}
}
