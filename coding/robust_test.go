package coding_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/coding"
)

func clip(v, λ float64) float64 { return math.Max(-λ, math.Min(λ, v)) }

// naiveHuber is the recipe, for one sample: rounds of ADMM as [nrc] prints it
// on y − e, from the state of the round before.
func naiveHuber(c coding.Robust, d *mat.Dense, y *mat.VecDense) (z, e []float64) {
	m, k := d.Dims()
	λ := c.Threshold(m)
	var a, inv mat.Dense
	a.Mul(d.T(), d)
	for i := range k {
		a.Set(i, i, a.At(i, i)+c.Rho/2)
	}
	if err := inv.Inverse(&a); err != nil {
		panic(err)
	}
	mean := mat.NewVecDense(m, nil)
	for j := range k {
		mean.AddVec(mean, d.ColView(j))
	}
	e = make([]float64, m)
	rest := mat.NewVecDense(m, nil)
	rest.CopyVec(y)
	if mm := mat.Dot(mean, mean); mm > 0 {
		rest.AddScaledVec(y, -mat.Dot(mean, y)/mm, mean)
	}
	spread := func() {
		for i := range e {
			e[i] = rest.AtVec(i) - clip(rest.AtVec(i), λ)
		}
	}
	spread()
	z = make([]float64, k)
	delta, right := make([]float64, k), mat.NewVecDense(k, nil)
	var f, x mat.VecDense
	for range c.Rounds {
		rest.SubVec(y, mat.NewVecDense(m, e))
		f.MulVec(d.T(), rest)
		for range c.Passes {
			for i := range k {
				right.SetVec(i, f.AtVec(i)+c.Rho/2*z[i]+delta[i]/2)
			}
			x.MulVec(&inv, right)
			for i := range k {
				z[i] = math.Max(0, x.AtVec(i)-delta[i]/c.Rho)
				delta[i] += c.Rho * (z[i] - x.AtVec(i))
			}
		}
		rest.MulVec(d, mat.NewVecDense(k, z))
		rest.SubVec(y, rest)
		spread()
	}
	return z, e
}

// codeWithErrors codes y over d by c.
func codeWithErrors(t testing.TB, c coding.Robust, d, y *mat.Dense) (s, e *mat.Dense) {
	t.Helper()
	over, err := c.Over(coding.Basis{D: d})
	if err != nil {
		t.Fatal(err)
	}
	m, k := d.Dims()
	_, n := y.Dims()
	s, e = mat.NewDense(k, n, nil), fill(m, n, func(int, int) float64 { return math.NaN() })
	if err := over.(coding.Detailed).CodeWith(context.Background(), coding.Details{S: s, Errors: e}, y); err != nil {
		t.Fatal(err)
	}
	if !sameBits(s, codeOver(t, over, d, y)) {
		t.Error("the codes with errors differ from those without")
	}
	return s, e
}

// occluded covers the first part of every column of y by another pattern.
func occluded(y *mat.Dense, part float64) *mat.Dense {
	m, n := y.Dims()
	return unitColumns(fill(m, n, func(i, j int) float64 {
		if float64(i) < part*float64(m) {
			return (1 + math.Sin(float64(i*(3+j)))) / math.Sqrt(float64(m))
		}
		return y.At(i, j)
	}))
}

func TestHuberIsTheRecipe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, k := rapid.IntRange(1, 30).Draw(t, "d"), rapid.IntRange(1, 30).Draw(t, "K")
		c := coding.DefaultRobust
		c.Lambda = rapid.SampledFrom([]float64{0.05, 0.2, 1}).Draw(t, "lambda")
		c.Rho = rapid.SampledFrom([]float64{0.05, 0.1, 1}).Draw(t, "rho")
		c.Rounds = rapid.IntRange(1, 8).Draw(t, "rounds")
		c.Passes = rapid.IntRange(1, 6).Draw(t, "passes")
		seed := rapid.Uint64().Draw(t, "seed")
		d, y := unitColumns(normal(seed, m, k)), unitColumns(normal(seed+1, m, 3))
		over, err := c.Over(coding.Basis{D: d})
		if err != nil {
			t.Fatal(err)
		}
		s, e := mat.NewDense(k, 3, nil), mat.NewDense(m, 3, nil)
		if err := over.(coding.Detailed).CodeWith(context.Background(), coding.Details{S: s, Errors: e}, y); err != nil {
			t.Fatal(err)
		}
		for j := range 3 {
			z, wrong := naiveHuber(c, d, mat.VecDenseCopyOf(y.ColView(j)))
			for i, want := range z {
				if got := s.At(i, j); !(math.Abs(got-want) <= 1e-8*max(1, math.Abs(want))) || got < 0 {
					t.Fatalf("coefficient (%d, %d) is %v, want %v", i, j, got, want)
				}
			}
			for i, want := range wrong {
				if got := e.At(i, j); !(math.Abs(got-want) <= 1e-8*max(1, math.Abs(want))) {
					t.Fatalf("error (%d, %d) is %v, want %v", i, j, got, want)
				}
			}
		}
	})
}

// With many rounds the optimality conditions of min_{s≥0} Σ h(y − D·s) hold:
// for the gradient g = −Dᵀψ(r), ψ the residual clipped at λ, g ≥ 0, and g = 0
// where s > 0.
func TestHuberConvergesToTheOptimum(t *testing.T) {
	d, y := faces(30, 80, 4, 5, 0.02), occluded(faces(31, 80, 4, 1, 0.02), 0.3)
	c := coding.DefaultRobust
	c.Rho, c.Rounds = 0.5, 3000
	s, e := codeWithErrors(t, c, d, y)
	λ := c.Threshold(80)
	var rest, g mat.Dense
	rest.Mul(d, s)
	rest.Sub(y, &rest)
	wrong := 0
	for i := range 80 {
		for j := range 4 {
			r := rest.At(i, j)
			if want := r - clip(r, λ); math.Abs(e.At(i, j)-want) > 1e-12 {
				t.Errorf("error (%d, %d) is %v, not %v", i, j, e.At(i, j), want)
			}
			if e.At(i, j) != 0 {
				wrong++
			}
			rest.Set(i, j, clip(r, λ))
		}
	}
	if wrong == 0 || wrong == 80*4 {
		t.Errorf("%d errors", wrong)
	}
	g.Mul(d.T(), &rest)
	for k := range 20 {
		for j := range 4 {
			if w := -g.At(k, j); w < -1e-7 || s.At(k, j) > 1e-4 && w > 1e-7 {
				t.Errorf("the gradient by s = %v is %v", s.At(k, j), w)
			}
		}
	}
}

// Where no error is beyond λ, the rounds are passes of NonNegative.
func TestHuberOfAllIsNonNegative(t *testing.T) {
	d, y := faces(32, 60, 4, 5, 0.02), faces(33, 60, 4, 3, 0.02)
	c := coding.DefaultRobust
	c.Lambda, c.Rounds, c.Passes = 1e6, 4, 5
	s, e := codeWithErrors(t, c, d, y)
	if mat.Norm(e, 1) != 0 {
		t.Error("there are errors")
	}
	want := code(t, coding.NonNegative{Solver: coding.ADMM, Rho: c.Rho, Passes: 20}, d, y)
	if !mat.EqualApprox(s, want, 1e-12) {
		t.Error("the codes are not those of 20 passes")
	}
}

// What covers a part of a sample changes the code much less than it changes
// that of NonNegative, and is found.
func TestRobustIsRobust(t *testing.T) {
	d, clean := faces(34, 400, 6, 5, 0.01), faces(35, 400, 6, 3, 0.01)
	covered := occluded(clean, 0.3)
	for _, c := range []coding.Robust{
		coding.DefaultRobust,
		{
			Estimator: coding.Reweighted, Lambda: 0.192, Rounds: 20, Rho: 1, Passes: 1, Weights: coding.LogisticWeights,
			Quantile: 0.6, Steepness: 8, L2: 1e-3,
		},
		{
			Estimator: coding.Reweighted, Lambda: 0.1, Rounds: 50, Rho: 1, Passes: 1, Weights: coding.HuberWeights,
			Quantile: 0.6, Steepness: 8, L2: 1e-3,
		},
	} {
		s, e := codeWithErrors(t, c, d, covered)
		plain := code(t, coding.NonNegative{Solver: coding.ADMM, Rho: 0.1, Passes: 5}, d, covered)
		var found, hidden, all, robustRest, plainRest float64
		for j := range 18 {
			// The scale of the uncovered part is that of covered's unit norm.
			scale := covered.At(399, j) / clean.At(399, j)
			for i := range 400 {
				wrong := math.Abs(e.At(i, j))
				all += wrong
				if i < 120 {
					hidden += wrong
				}
				if i < 120 && wrong > 0 {
					found++
				}
			}
			a, b := mat.NewVecDense(400, nil), mat.NewVecDense(400, nil)
			a.MulVec(d, s.ColView(j))
			b.MulVec(d, plain.ColView(j))
			a.AddScaledVec(a, -scale, clean.ColView(j))
			b.AddScaledVec(b, -scale, clean.ColView(j))
			robustRest += mat.Norm(a, 2)
			plainRest += mat.Norm(b, 2)
		}
		if robustRest > plainRest/2 {
			t.Errorf("%s, %s: %v from the clean faces, %v without robustness", c.Estimator, c.Weights, robustRest, plainRest)
		}
		if found /= 18 * 120; found < 0.7 {
			t.Errorf("%s, %s: %.0f %% of what is covered is found", c.Estimator, c.Weights, 100*found)
		}
		if hidden < 0.8*all {
			t.Errorf("%s, %s: %.0f %% of the errors are elsewhere", c.Estimator, c.Weights, 100*(1-hidden/all))
		}
	}
}

// Reweighting by Huber's weights converges to where Dᵀψ(r) = α·s.
func TestReweightedConvergesToTheOptimum(t *testing.T) {
	d, y := faces(36, 60, 4, 4, 0.05), occluded(faces(37, 60, 4, 2, 0.05), 0.3)
	c := coding.DefaultRobust
	c.Estimator, c.Weights, c.Rounds, c.L2 = coding.Reweighted, coding.HuberWeights, 1000, 0.01
	s, e := codeWithErrors(t, c, d, y)
	λ := c.Threshold(60)
	var rest, g mat.Dense
	rest.Mul(d, s)
	rest.Sub(y, &rest)
	rest.Apply(func(_, _ int, v float64) float64 { return clip(v, λ) }, &rest)
	g.Mul(d.T(), &rest)
	var αs mat.Dense
	αs.Scale(c.L2, s)
	if !mat.EqualApprox(&g, &αs, 1e-8) {
		g.Sub(&g, &αs)
		t.Errorf("the gradient is %v", mat.Max(&g))
	}
	if mat.Norm(e, 1) == 0 {
		t.Error("no errors")
	}
}

// naiveLogistic is [rrc]'s iteration for one sample, by dense formulas.
func naiveLogistic(c coding.Robust, d *mat.Dense, y *mat.VecDense) *mat.VecDense {
	m, k := d.Dims()
	ones := mat.NewVecDense(k, nil)
	for i := range k {
		ones.SetVec(i, 1)
	}
	var mean, r, s mat.VecDense
	mean.MulVec(d, ones)
	r.AddScaledVec(y, -mat.Dot(&mean, y)/mat.Dot(&mean, &mean), &mean)
	for range c.Rounds {
		squares := make([]float64, m)
		for i := range squares {
			squares[i] = r.AtVec(i) * r.AtVec(i)
		}
		δ := slices.Sorted(slices.Values(squares))[int(c.Quantile*float64(m))]
		w := mat.NewDiagDense(m, nil)
		for i, a := range squares {
			μ := c.Steepness / δ
			w.SetDiag(i, math.Exp(μ*(δ-a))/(1+math.Exp(μ*(δ-a))))
		}
		var wd, g mat.Dense
		var f mat.VecDense
		wd.Mul(w, d)
		g.Mul(d.T(), &wd)
		for i := range k {
			g.Set(i, i, g.At(i, i)+c.L2)
		}
		f.MulVec(wd.T(), y)
		if err := s.SolveVec(&g, &f); err != nil {
			panic(err)
		}
		r.MulVec(d, &s)
		r.SubVec(y, &r)
	}
	return &s
}

func TestReweightedIsThePrintedIteration(t *testing.T) {
	d, y := faces(38, 50, 4, 3, 0.05), occluded(faces(39, 50, 4, 2, 0.05), 0.3)
	c := coding.DefaultRobust
	c.Estimator, c.Rounds = coding.Reweighted, 4
	s, _ := codeWithErrors(t, c, d, y)
	for j := range 8 {
		want := naiveLogistic(c, d, mat.VecDenseCopyOf(y.ColView(j)))
		var diff mat.VecDense
		if diff.SubVec(s.ColView(j), want); mat.Norm(&diff, 2) > 1e-8*mat.Norm(want, 2) {
			t.Errorf("column %d is %g off", j, mat.Norm(&diff, 2))
		}
	}
}

func TestRobustRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*coding.Robust){
		"estimator": func(c *coding.Robust) { c.Estimator = "median" },
		"weights":   func(c *coding.Robust) { c.Weights = "" },
		"lambda":    func(c *coding.Robust) { c.Lambda = 0 },
		"rounds":    func(c *coding.Robust) { c.Rounds = 1_000_001 },
		"rho":       func(c *coding.Robust) { c.Rho = math.Inf(1) },
		"passes":    func(c *coding.Robust) { c.Passes = 0 },
		"quantile":  func(c *coding.Robust) { c.Quantile = 1 },
		"steepness": func(c *coding.Robust) { c.Steepness = math.NaN() },
		"l2":        func(c *coding.Robust) { c.L2 = -1 },
	} {
		c := coding.DefaultRobust
		spoil(&c)
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), name+" ") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := c.Over(coding.Basis{D: normal(1, 3, 2)}); err == nil {
			t.Errorf("%+v prepares", c)
		}
	}
}
