package projection

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

// people returns samples of so many of each of the classes, which have means of
// their own, and their groups.
func people(rng *rand.Rand, d int, counts ...int) (*mat.Dense, []int) {
	groups := []int{0}
	for _, n := range counts {
		groups = append(groups, groups[len(groups)-1]+n)
	}
	x := mat.NewDense(d, groups[len(counts)], nil)
	for i := range d {
		row := x.RawRowView(i)
		for c := range counts {
			mean := 2 * rng.NormFloat64()
			for j := groups[c]; j < groups[c+1]; j++ {
				row[j] = mean + rng.NormFloat64()
			}
		}
	}
	return x, groups
}

// scatters returns S_w and S_b by their definition.
func scatters(x *mat.Dense, groups []int) (within, between *mat.Dense) {
	d, n := x.Dims()
	mean := func(lo, hi int) *mat.VecDense {
		m := mat.NewVecDense(d, nil)
		for j := lo; j < hi; j++ {
			m.AddVec(m, x.ColView(j))
		}
		m.ScaleVec(1/float64(hi-lo), m)
		return m
	}
	within, between = mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
	add := func(to *mat.Dense, weight float64, a, b mat.Vector) {
		var r mat.VecDense
		r.SubVec(a, b)
		var outer mat.Dense
		outer.Outer(weight, &r, &r)
		to.Add(to, &outer)
	}
	all := mean(0, n)
	for c := range len(groups) - 1 {
		m := mean(groups[c], groups[c+1])
		for j := groups[c]; j < groups[c+1]; j++ {
			add(within, 1, x.ColView(j), m)
		}
		add(between, float64(groups[c+1]-groups[c]), m, all)
	}
	return within, between
}

func fit(t testing.TB, p Projection, x *mat.Dense, groups []int) *Fitted {
	t.Helper()
	f, err := p.Fit(t.Context(), x, groups)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	return f
}

// The columns of P solve S_b·v = λ(S_w + εI)·v, are orthonormal in S_w + εI, in
// the order of falling λ, and no direction is left out: for more features than
// samples and for fewer.
func TestFisherIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		counts := rapid.SliceOfN(rapid.IntRange(1, 5), 2, 5).Draw(t, "counts")
		counts[0] += 2
		d := rapid.IntRange(2, 30).Draw(t, "d")
		x, groups := people(rng, d, counts...)
		m := Fisher{Ridge: math.Pow(10, rapid.Float64Range(-2, 2).Draw(t, "ridge"))}
		f, err := m.Fit(context.Background(), x, groups)
		if err != nil {
			t.Fatal(err)
		}
		_, n := x.Dims()
		within, between := scatters(x, groups)
		ε := m.Ridge * mat.Trace(within) / float64(min(d, n-1))
		for i := range d {
			within.Set(i, i, within.At(i, i)+ε)
		}
		_, p := f.P.Dims()
		if want := min(d, len(counts)-1); p != want {
			t.Errorf("%d dimensions of %d features and %d classes", p, d, len(counts))
		}
		var sb, sw, gram, λ mat.Dense
		sb.Mul(between, f.P)
		sw.Mul(within, f.P)
		gram.Mul(f.P.T(), &sw)
		λ.Mul(f.P.T(), &sb)
		last := math.Inf(1)
		for j := range p {
			for i := range p {
				want := 0.0
				if i == j {
					want = 1
				}
				if v := gram.At(i, j); math.Abs(v-want) > 1e-9 {
					t.Errorf("vᵀ(S_w + εI)v of %d and %d is %v", i, j, v)
				}
			}
			var r mat.VecDense
			r.AddScaledVec(sb.ColView(j), -λ.At(j, j), sw.ColView(j))
			// A direction in which classes hardly differ has an S_b·v of rounding: the
			// error is measured against what S_b and v could give.
			if rel := mat.Norm(&r, 2) / (mat.Norm(between, 2) * mat.Norm(f.P.ColView(j), 2)); rel > 1e-9 {
				t.Errorf("direction %d: S_b·v and λ(S_w + εI)·v differ by %v", j, rel)
			}
			if λ.At(j, j) > last*(1+1e-9) {
				t.Errorf("λ rises to %v", λ.At(j, j))
			}
			last = λ.At(j, j)
		}
		var rest mat.Dense // what of S_b the directions do not hold
		rest.Mul(&sb, sw.T())
		rest.Sub(&rest, between)
		if rel := mat.Norm(&rest, 2) / mat.Norm(between, 2); rel > 1e-8 {
			t.Errorf("the directions leave %v of S_b", rel)
		}
	})
}

// The two systems of equations are of one problem: samples that are padded
// with features of zero, as there are more than samples then, are mapped alike.
func TestFisherByEitherSystem(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, groups := people(rng, 9, 4, 3, 5)
	wide := mat.NewDense(40, 12, nil)
	wide.Slice(0, 9, 0, 12).(*mat.Dense).Copy(x)
	within, _ := scatters(x, groups)
	one, other := Fisher{Ridge: 0.3}, Fisher{Ridge: 0.3}
	other.Ridge *= float64(min(40, 11)) / float64(min(9, 11)) // for ε is a mean
	if mat.Trace(within) <= 0 {
		t.Fatal("no scatter")
	}
	a, b := fit(t, one, x, groups), fit(t, other, wide, groups)
	if !mat.EqualApprox(a.P, b.P.Slice(0, 9, 0, 2), 1e-10) || mat.Norm(b.P.Slice(9, 40, 0, 2), 2) > 1e-12 {
		t.Errorf("P is\n%v\nand\n%v", mat.Formatted(a.P), mat.Formatted(b.P))
	}
	if !mat.EqualApprox(a.Apply(x), b.Apply(wide), 1e-10) {
		t.Error("the samples are mapped otherwise")
	}
	turn := orthogonal(rng, 40) // no direction of features is another's
	var turned mat.Dense
	turned.Mul(turn, wide)
	if c := fit(t, other, &turned, groups); !mat.EqualApprox(absolute(c.Apply(&turned)), absolute(b.Apply(wide)), 1e-10) {
		t.Error("turned samples are mapped otherwise")
	}
}

func orthogonal(rng *rand.Rand, n int) *mat.Dense {
	a := mat.NewDense(n, n, nil)
	a.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, a)
	var qr mat.QR
	qr.Factorize(a)
	var q mat.Dense
	qr.QTo(&q)
	return &q
}

func absolute(a *mat.Dense) *mat.Dense {
	a.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, a)
	return a
}

// Fewer dimensions are the first of all.
func TestDimsAreTheFirst(t *testing.T) {
	x, groups := people(rand.New(rand.NewPCG(3, 4)), 20, 3, 4, 2, 4)
	for name, c := range map[string]struct{ all, some Projection }{
		"fisher": {Fisher{Ridge: 0.3}, Fisher{Ridge: 0.3, Dims: 2}},
		"pca":    {PCA{}, PCA{Dims: 2}},
	} {
		a, b := fit(t, c.all, x, groups), fit(t, c.some, x, groups)
		if _, p := b.Dims(); p != 2 || !mat.Equal(b.P, a.P.Slice(0, 20, 0, 2)) || !slices.Equal(a.M, b.M) {
			t.Errorf("%s: %d dimensions, or not the first", name, p)
		}
	}
	if _, p := fit(t, Fisher{Ridge: 0.3}, x, groups).Dims(); p != 3 {
		t.Errorf("%d dimensions of 4 classes", p)
	}
	if _, p := fit(t, PCA{}, x, nil).Dims(); p != 12 {
		t.Errorf("%d dimensions of 13 samples", p)
	}
}

// PCA against gonum's, for either of its two ways.
func TestPCAAgainstGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, d := range []int{3, 12, 13, 30} {
		x, _ := people(rng, d, 5, 4, 4)
		f := fit(t, PCA{}, x, nil)
		var ref stat.PC
		if !ref.PrincipalComponents(x.T(), nil) {
			t.Fatal("gonum fails")
		}
		var vectors mat.Dense
		ref.VectorsTo(&vectors)
		_, p := f.Dims()
		if want := min(d, 12); p != want {
			t.Errorf("%d dimensions of %d features and 13 samples", p, d)
		}
		for j := range p {
			if v := math.Abs(mat.Dot(f.P.ColView(j), vectors.ColView(j))); math.Abs(v-1) > 1e-10 {
				t.Errorf("%d features: direction %d is turned by acos %v", d, j, v)
			}
		}
		mapped := f.Apply(x)
		for j, want := range ref.VarsTo(nil)[:p] {
			if v := stat.Variance(mapped.RawRowView(j), nil); math.Abs(v-want) > 1e-10*want ||
				math.Abs(stat.Mean(mapped.RawRowView(j), nil)) > 1e-12 {
				t.Errorf("%d features: variance %d is %v, want %v", d, j, v, want)
			}
		}
	}
}

// golden is what SciPy and NumPy computed:
//
//	/usr/bin/python3 projection/testdata/golden.py
//
// Samples and directions are lists.
type golden struct {
	Cases []struct {
		Counts            []int
		Ridge             float64
		Samples           [][]float64
		Fisher, PCA       [][]float64 // scipy.linalg.eigh, numpy.linalg.svd
		Values, Variances []float64   // eigenvalues
	}
}

func TestGolden(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(raw, &g); err != nil || len(g.Cases) == 0 {
		t.Fatalf("%d cases, %v", len(g.Cases), err)
	}
	for i, c := range g.Cases {
		x, groups := people(rand.New(rand.NewPCG(0, 0)), len(c.Samples[0]), c.Counts...)
		for j, sample := range c.Samples {
			x.SetCol(j, sample)
		}
		for name, is := range map[string]struct {
			p    Projection
			want [][]float64
		}{"fisher": {Fisher{Ridge: c.Ridge}, c.Fisher}, "pca": {PCA{}, c.PCA}} {
			f := fit(t, is.p, x, groups)
			if _, p := f.Dims(); p != len(is.want) {
				t.Errorf("case %d: %s has %d dimensions, not %d", i, name, p, len(is.want))
				continue
			}
			for k, want := range is.want {
				v := mat.Col(nil, k, f.P)
				if v[slices.Index(want, slices.Max(want))] < 0 { // the sign is free
					for j := range v {
						v[j] = -v[j]
					}
				}
				for j := range v {
					if math.Abs(v[j]-want[j]) > 1e-9 {
						t.Errorf("case %d: %s: element %d of direction %d is %v, want %v", i, name, j, k, v[j], want[j])
					}
				}
			}
		}
		within, between := scatters(x, groups)
		f := fit(t, Fisher{Ridge: c.Ridge}, x, groups)
		ε := c.Ridge * mat.Trace(within) / float64(min(len(c.Samples[0]), len(c.Samples)-1))
		for k, want := range c.Values {
			v := f.P.ColView(k)
			over := mat.Inner(v, within, v) + ε*mat.Dot(v, v)
			if λ := mat.Inner(v, between, v) / over; math.Abs(λ-want) > 1e-9*want {
				t.Errorf("case %d: λ %d is %v, want %v", i, k, λ, want)
			}
		}
		mapped := fit(t, PCA{}, x, nil).Apply(x)
		for k, want := range c.Variances {
			if v := mat.Norm(mapped.RowView(k), 2); math.Abs(v*v-want) > 1e-9*want {
				t.Errorf("case %d: variance %d is %v, want %v", i, k, v*v, want)
			}
		}
	}
}

// Apply is Pᵀ(x − m), a column at a time; zeros stay zero; nothing changes.
func TestApply(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	x, groups := people(rng, 11, 4, 3, 3)
	f := fit(t, DefaultFisher, x, groups)
	const n = 1024 + 5 // more than are centred at a time
	y := mat.NewDense(11, n, nil)
	y.Apply(func(_, j int, _ float64) float64 {
		if j%100 == 3 {
			return 0
		}
		return rng.NormFloat64()
	}, y)
	before := mat.DenseCopyOf(y)
	got := f.Apply(y)
	for j := range n {
		want := mat.NewVecDense(2, nil)
		if mat.Norm(y.ColView(j), 2) > 0 {
			var c mat.VecDense
			c.SubVec(y.ColView(j), mat.NewVecDense(11, f.M))
			want.MulVec(f.P.T(), &c)
		}
		for i := range 2 {
			if v := got.At(i, j); math.Abs(v-want.AtVec(i)) > 1e-12 {
				t.Fatalf("element %d of sample %d is %v, want %v", i, j, v, want.AtVec(i))
			}
		}
	}
	if !mat.Equal(y, before) {
		t.Error("the samples have changed")
	}
	if d, p := f.Dims(); d != 11 || p != 2 {
		t.Errorf("%d dimensions to %d", d, p)
	}
}

// Fit changes nothing and does not depend on the processors.
func TestFitRepeats(t *testing.T) {
	x, groups := people(rand.New(rand.NewPCG(9, 10)), 150, 20, 30, 25)
	before := mat.DenseCopyOf(x)
	for _, p := range []Projection{DefaultFisher, PCA{}, PCA{Dims: 5}} {
		want := fit(t, p, x, groups)
		threads := runtime.GOMAXPROCS(1)
		got := fit(t, p, x, groups)
		runtime.GOMAXPROCS(threads)
		if !mat.Equal(want.P, got.P) || !slices.Equal(want.M, got.M) {
			t.Errorf("%s: one thread fits otherwise", p.Name())
		}
	}
	if !mat.Equal(x, before) {
		t.Error("the samples have changed")
	}
}
