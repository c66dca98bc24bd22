package coding_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
)

// competing is a dictionary of three classes, and samples.
func competing() (b coding.Basis, y *mat.Dense) {
	rng := rand.New(rand.NewPCG(5, 6))
	random := func(r, c int) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() + 0.5 }, m)
		return m
	}
	return coding.Basis{D: random(15, 9), Groups: []int{0, 2, 5, 9}}, random(15, 6)
}

// After many passes the codes satisfy the conditions of optimality: the gradient, computed
// from the definition, is least where a coefficient is not 0, and the constraints hold.
func TestConstrainedIsOptimal(t *testing.T) {
	b, y := competing()
	for _, c := range []coding.Constrained{
		{Rho: 1, Passes: 20000, Iterate: "z"},
		{Lambda: 0.3, Rho: 1, Passes: 20000, Iterate: "z"},
		{Nu: 0.5, Rho: 1, Passes: 20000, Iterate: "z"},
		{Tau: 0.2, Rho: 1, Passes: 20000, Iterate: "z"},
		{Lambda: 0.1, Affine: true, Rho: 1, Passes: 20000, Iterate: "z"},
	} {
		over, err := c.Over(b)
		if err != nil {
			t.Fatal(err)
		}
		s := mat.NewDense(9, 6, nil)
		if err := over.Code(t.Context(), s, y); err != nil {
			t.Fatal(err)
		}
		value := func(s []float64, j int) (v float64) {
			parts := make([]*mat.VecDense, 3)
			all := mat.NewVecDense(15, nil)
			for i := range parts {
				parts[i] = mat.NewVecDense(15, nil)
				for k := b.Groups[i]; k < b.Groups[i+1]; k++ {
					parts[i].AddScaledVec(parts[i], s[k], b.D.ColView(k))
				}
				all.AddVec(all, parts[i])
			}
			square := func(x, y mat.Vector, sign float64) float64 {
				var d mat.VecDense
				d.AddScaledVec(x, sign, y)
				return mat.Dot(&d, &d)
			}
			v = square(y.ColView(j), all, -1)
			for i := range parts {
				v += c.Nu * square(y.ColView(j), parts[i], -1)
			}
			v += c.Tau * mat.Dot(all, all)
			for _, x := range s {
				v += c.Lambda * x * x
			}
			return v
		}
		for j := range 6 {
			code := mat.Col(nil, j, s)
			var sum float64
			gradient := make([]float64, 9)
			smallest := math.Inf(1)
			for k := range gradient {
				up, down := append([]float64(nil), code...), append([]float64(nil), code...)
				up[k], down[k] = up[k]+1e-3, down[k]-1e-3
				gradient[k] = (value(up, j) - value(down, j)) / 2e-3 // exact for a square
				smallest = min(smallest, gradient[k])
				if sum += code[k]; code[k] < 0 {
					t.Errorf("%+v: coefficient %v", c, code[k])
				}
			}
			level := 0.0
			if c.Affine {
				level = smallest
				if math.Abs(sum-1) > 1e-9 {
					t.Errorf("%+v: the sum is %v", c, sum)
				}
			}
			for k, g := range gradient {
				if g < level-1e-6 || code[k] > 1e-9 && g > level+1e-6 {
					t.Errorf("%+v: coefficient %v has the gradient %v, the level is %v", c, code[k], g, level)
				}
			}
		}
	}
}

// The exact code of DNRC is that of NRC divided by 1 + τ: ‖y − D·s‖² + τ‖D·s‖² is
// (1 + τ)‖y/(1 + τ) − D·s‖² and what does not depend on s.
func TestExactDNRCIsScaledNRC(t *testing.T) {
	b, y := competing()
	const τ = 0.7
	codes := make([]*mat.Dense, 2)
	for i, c := range []coding.Coder{
		coding.Constrained{Tau: τ, Rho: 1, Passes: 20000, Iterate: "z"},
		coding.DefaultNonNegative,
	} {
		over, err := c.Over(b)
		if err != nil {
			t.Fatal(err)
		}
		codes[i] = mat.NewDense(9, 6, nil)
		if err := over.Code(t.Context(), codes[i], y); err != nil {
			t.Fatal(err)
		}
	}
	codes[0].Scale(1+τ, codes[0])
	if codes[0].Sub(codes[0], codes[1]); mat.Norm(codes[0], 2) > 1e-8 {
		t.Errorf("the codes times 1 + τ differ from NRC's by %v", mat.Norm(codes[0], 2))
	}
}

// Both copies of a code come to the same: the first is not projected, and the passes join them.
func TestIteratesMeet(t *testing.T) {
	b, y := competing()
	apart := func(passes int) float64 {
		codes := make([]*mat.Dense, 2)
		for i, iterate := range []string{"c", "z"} {
			over, err := coding.Constrained{Nu: 0.1, Rho: 1, Passes: passes, Iterate: iterate}.Over(b)
			if err != nil {
				t.Fatal(err)
			}
			codes[i] = mat.NewDense(9, 6, nil)
			if err := over.Code(t.Context(), codes[i], y); err != nil {
				t.Fatal(err)
			}
		}
		if mat.Min(codes[1]) < 0 || passes == 1 && mat.Min(codes[0]) >= 0 {
			t.Errorf("after %d passes the least coefficients are %v and %v", passes, mat.Min(codes[0]), mat.Min(codes[1]))
		}
		codes[0].Sub(codes[0], codes[1])
		return mat.Norm(codes[0], 2)
	}
	if few, many := apart(1), apart(20000); few < 1e-3 || many > 1e-8 {
		t.Errorf("the copies differ by %v after one pass and by %v after many", few, many)
	}
}

// The authors' coder has the code of a blank sample, and after all is near no negative
// coefficient, but not at the solution.
func TestAuthorsStopEarly(t *testing.T) {
	b, y := competing()
	for i := range 15 {
		y.Set(i, 2, 0)
	}
	codes := map[coding.Solver]*mat.Dense{}
	for _, solver := range []coding.Solver{coding.Authors, coding.Exact} {
		c := coding.DefaultNonNegative
		c.Solver = solver
		over, err := c.Over(b)
		if err != nil {
			t.Fatal(err)
		}
		codes[solver] = mat.NewDense(9, 6, nil)
		if err := over.Code(t.Context(), codes[solver], y); err != nil {
			t.Fatal(err)
		}
	}
	if mat.Norm(codes[coding.Authors].ColView(2), 2) != 0 {
		t.Error("a blank sample has a code")
	}
	if smallest := mat.Min(codes[coding.Authors]); smallest < -1e-6 {
		t.Errorf("a coefficient is %v", smallest)
	}
	var apart mat.Dense
	apart.Sub(codes[coding.Authors], codes[coding.Exact])
	if d := mat.Norm(&apart, 2); d < 1e-5 {
		t.Errorf("the codes are %v from the solution: the penalty grows too slowly", d)
	}
	with := coding.NonNegative{Solver: coding.Authors, Rho: 0.1, Passes: 5, L2: 0.1}
	if with.Validate() == nil {
		t.Error("a ridge is accepted")
	}
}
