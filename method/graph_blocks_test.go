package method

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// blocks is the graph of x in blocks of 7 samples, which divide none of the sets.
func blocks(t *testing.T, x *mat.Dense, squared bool, tol float64) *blockGraph {
	t.Helper()
	g, err := newBlockGraph(x, squared, tol, 7, 11)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestBlockGraphIsTheGraph(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	x := classify.Unit(positive(r, 20, 30, 40, 50).X)
	for i := range 20 {
		x.Set(i, 8, x.At(i, 3)) // two equal samples
	}
	y := random(r, 5, 120)
	for _, squared := range []bool{false, true} {
		dense, inBlocks := newGraph(x, squared, 1000), blocks(t, x, squared, 0)
		want, got := mat.NewDense(5, 120, nil), mat.NewDense(5, 120, nil)
		dense.apply(want, y, 0.3, 0.1)
		inBlocks.apply(got, y, 0.3, 0.1)
		if diff := lin.MaxAbsDiff(want, got); diff > 1e-12*lin.MaxAbs(want) {
			t.Errorf("squared %v: product differs by %.1e", squared, diff)
		}
		if want, got := quadratic(dense, y), quadratic(inBlocks, y); math.Abs(got-want) > 1e-12*want {
			t.Errorf("squared %v: tr(YLYᵀ) = %v, want %v", squared, got, want)
		}
	}
}

// No element is further from the solution than tol.
func TestBlockGraphSolvesAsTheFactorisation(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 1))
	x := classify.Unit(positive(r, 20, 30, 40, 50).X)
	dense := newGraph(x, false, 1000)
	for _, tol := range []float64{1e-3, 1e-6, 1e-10} {
		for _, μ := range []float64{1e-5, 1e-2, 1, 1e4} {
			for _, γ := range []float64{0, 1e-4, 1, 100} {
				inBlocks := blocks(t, x, false, tol)
				b := random(r, 7, 120)
				lin.Clamp(lin.Block(b, 3, 4, 0, 120), 1e9) // a constant row
				lin.Block(b, 5, 6, 0, 120).Zero()
				j1, j2 := mat.NewDense(7, 120, nil), random(r, 7, 120)
				if err := dense.solve(j1, b, γ, μ); err != nil {
					t.Fatal(err)
				}
				if err := inBlocks.solve(j2, mat.DenseCopyOf(b), γ, μ); err != nil {
					t.Fatal(err)
				}
				for i := range 7 {
					condition := γ * 120 / μ // the factorisation loses so much
					allowed := tol + (1e-13+1e-16*condition)*mat.Norm(j1.RowView(i), 2)
					if e := lin.MaxAbsDiff(lin.Block(j1, i, i+1, 0, 120), lin.Block(j2, i, i+1, 0, 120)); e > allowed {
						t.Errorf("tol %v, μ %v, γ %v, row %d: difference %.1e", tol, μ, γ, i, e)
					}
				}
			}
		}
	}
}

// (14) holds to tol for each of a row of systems as the passes have them, where its
// gradient is computed from the definition of the graph, column by column.
func TestBlockGraphIsOptimalForManySamples(t *testing.T) {
	if raced || testing.Short() {
		t.Skip("takes a minute with the race detector, and in Go alone")
	}
	const n, c, γ, tol = 20_000, 3, 1e-4, 1e-6
	r := rand.New(rand.NewPCG(46, 1))
	x := classify.Unit(random(r, 6, n))
	g, err := newBlockGraph(x, false, tol, graphBlock, graphLandmarks)
	if err != nil {
		t.Fatal(err)
	}
	j, from, towards := mat.NewDense(c, n, nil), random(r, c, n), mat.NewDense(c, n, nil)
	for u := range n {
		towards.Set(u*c/n, u, 1)
	}
	at := mat.DenseCopyOf(x.T())
	const passes = 8
	μ := 1e-3
	for pass := range passes {
		b := mat.NewDense(c, n, nil)
		lin.Set(b, 0.01, from)
		lin.Add(b, 1+0.1*float64(pass), towards)
		if err := g.solve(j, mat.DenseCopyOf(b), γ, μ); err != nil {
			t.Fatal(err)
		}
		for k := range 10 {
			u := (n/10*k + 977*pass) % n
			degree, sum := 0.0, make([]float64, c)
			for v := range n {
				distance := 0.0
				for i, a := range at.RawRowView(u) {
					d := a - at.At(v, i)
					distance += d * d
				}
				w := 1 / (1 + math.Sqrt(distance))
				degree += w
				for i := range sum {
					sum[i] += w * j.At(i, v)
				}
			}
			for i, s := range sum {
				gradient := (γ*degree+μ)*j.At(i, u) - γ*s - b.At(i, u)
				if off := math.Abs(gradient) / (γ*degree + μ); off > tol {
					t.Errorf("pass %d: element (%d, %d) is %.1e from its minimum", pass, i, u, off)
				}
			}
		}
		μ *= 1.1
	}
	if g.products > passes/2 {
		t.Errorf("%d products in %d passes", g.products, passes)
	}
}

// The passes with the graph in blocks are those with the stored graph.
func TestBlockGraphLearnsTheSame(t *testing.T) {
	m := strong()
	m.Atoms = 3
	train := positive(rand.New(rand.NewPCG(43, 1)), 12, 20, 30, 25)
	x := classify.Unit(train.X)
	dense := midway(t, m, train, 0)
	inBlocks := midway(t, m, train, 0)
	inBlocks.L = blocks(t, x, false, 0)
	for pass := range 20 {
		want, err := dense.Step()
		if err != nil {
			t.Fatal(err)
		}
		got, err := inBlocks.Step()
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got-want) > 1e-9*want {
			t.Fatalf("pass %d: residual %v, want %v", pass+1, got, want)
		}
	}
	a, b := dense.Objective(), inBlocks.Objective()
	for i := range a {
		if math.Abs(a[i].Value-b[i].Value) > 1e-8*a[i].Value {
			t.Errorf("%s = %v, want %v", a[i].Name, b[i].Value, a[i].Value)
		}
	}
	if want, got := dense.incoherence(), dense.incoherenceOfMany(); math.Abs(got-want) > 1e-12*want {
		t.Errorf("incoherence = %v, want %v", got, want)
	}
}

// The memory of the graph grows as the number of samples, not as its square.
func TestMemoryOfTheGraphGrowsAsTheSamples(t *testing.T) {
	if raced {
		t.Skip("the race detector allocates")
	}
	allocated := func(n int) uint64 {
		r := rand.New(rand.NewPCG(44, 1))
		x, b := random(r, 4, n), random(r, 3, n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		g, err := newBlockGraph(classify.Unit(x), false, 1e-6, 256, 16)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.solve(mat.NewDense(3, n, nil), b, 1, 0.1); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	small, large := allocated(1000), allocated(3000)
	if large > 3*small {
		t.Errorf("%d bytes for 1000 samples, %d for 3000", small, large)
	}
	if limit := uint64(8 * 3000 * 3000 / 10); large > limit {
		t.Errorf("%d bytes for 3000 samples, more than a tenth of an N×N matrix", large)
	}
}
