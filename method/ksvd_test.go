package method

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/internal/lin"
)

func startOf(x *mat.Dense, atoms int) *mat.Dense { return mat.DenseCopyOf(lin.Cols(x, 0, atoms)) }

// The error falls in every renewal, and atoms stay of unit norm.
func TestKSVDErrorFalls(t *testing.T) {
	x := nrdl.Unit(random(rand.New(rand.NewPCG(1, 9)), 30, 80))
	for _, k := range []KSVD{{Sparsity: 3, Coherence: 1.1}, {Sparsity: 30, Coherence: 1.1}} {
		s := k.newState(startOf(x, 20), x)
		before := math.Inf(1)
		for pass := range 6 {
			s.code()
			coded := lin.SquaredNorm(s.e)
			for a := range 20 {
				was := lin.SquaredNorm(s.e)
				s.renew(a)
				if now := lin.SquaredNorm(s.e); now > was*(1+1e-12) {
					t.Errorf("T₀ %d, pass %d, atom %d: the error rises from %v to %v", k.Sparsity, pass, a, was, now)
				}
				if n := mat.Norm(s.d.RowView(a), 2); math.Abs(n-1) > 1e-12 {
					t.Errorf("atom %d has norm %v", a, n)
				}
			}
			e := mat.DenseCopyOf(s.x)
			lin.AddAB(e, -1, s.γ, s.d)
			if diff := lin.MaxAbsDiff(e, s.e); diff > 1e-12 {
				t.Errorf("the residual that is kept up is off by %v", diff)
			}
			if pass > 0 && k.Sparsity == 30 && coded > before*(1+1e-9) {
				t.Errorf("pass %d: coding by all atoms raises the error from %v to %v", pass, before, coded)
			}
			before = lin.SquaredNorm(s.e)
		}
	}
}

// The pursuit against a naive one: the same support at every sparsity, and a
// residual orthogonal to it.
func TestPursuitAgainstANaiveOne(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	d, x := nrdl.Unit(random(r, 12, 25)), nrdl.Unit(random(r, 12, 10))
	for sparsity := 1; sparsity <= 8; sparsity++ {
		s := KSVD{Sparsity: sparsity, Coherence: 1}.newState(d, x)
		s.code()
		for j := range 10 {
			want := naivePursuit(d, x.ColView(j), sparsity)
			for a := range 25 {
				if math.Abs(s.γ.At(j, a)-want[a]) > 1e-9 {
					t.Errorf("T₀ %d, sample %d, atom %d: %v, want %v", sparsity, j, a, s.γ.At(j, a), want[a])
				}
				if v := dot(s.e.RawRowView(j), s.d.RawRowView(a)); want[a] != 0 && math.Abs(v) > 1e-12 {
					t.Errorf("T₀ %d, sample %d: the residual has the product %v with atom %d of its support", sparsity, j, v, a)
				}
			}
		}
	}
}

// naivePursuit solves the least squares of every support anew, by QR.
func naivePursuit(d *mat.Dense, x mat.Vector, sparsity int) []float64 {
	m, atoms := d.Dims()
	code := make([]float64, atoms)
	residual := mat.VecDenseCopyOf(x)
	var support []int
	for range sparsity {
		best, at := 0.0, -1
		for a := range atoms {
			if v := math.Abs(mat.Dot(d.ColView(a), residual)); v > best && code[a] == 0 {
				best, at = v, a
			}
		}
		support = append(support, at)
		sub := mat.NewDense(m, len(support), nil)
		for i, a := range support {
			sub.SetCol(i, mat.Col(nil, a, d))
		}
		var c mat.VecDense
		if err := c.SolveVec(sub, x); err != nil {
			panic(err)
		}
		for i, a := range support {
			code[a] = c.AtVec(i)
		}
		residual.MulVec(sub, &c)
		residual.SubVec(x, residual)
	}
	return code
}

// With as many atoms as samples the samples are the dictionary, and stay it.
func TestKSVDKeepsSamplesThatAreTheirOwnAtoms(t *testing.T) {
	x := nrdl.Unit(random(rand.New(rand.NewPCG(3, 9)), 10, 6))
	d := mat.DenseCopyOf(x)
	DefaultKSVD.learn(d, x)
	for j := range 6 {
		if c := math.Abs(mat.Dot(d.ColView(j), x.ColView(j))); math.Abs(c-1) > 1e-12 {
			t.Errorf("atom %d has the cosine %v to its sample", j, c)
		}
	}
}

// An atom that nobody uses, or that repeats another, gives way to the worst
// represented sample.
func TestKSVDReplaces(t *testing.T) {
	x := nrdl.Unit(random(rand.New(rand.NewPCG(4, 9)), 10, 30))
	d := startOf(x, 4)
	d.SetCol(3, mat.Col(nil, 2, d)) // a repeat
	s := KSVD{Sparsity: 2, MinUses: 1, Coherence: 0.99}.newState(d, x)
	s.code()
	worst := s.worst()
	s.replace()
	if c := math.Abs(dot(s.d.RawRowView(3), s.x.RawRowView(worst))); math.Abs(c-1) > 1e-12 {
		t.Errorf("the repeated atom has the cosine %v to the worst represented sample", c)
	}
}
