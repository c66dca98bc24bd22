package dictionary

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// small is for samples of a few dozen features.
var small = Online{Coder: coding.Lasso{Lambda: 0.1, Gap: 1e-8}, Batch: 50, Passes: 3, Rho: 2, Sweeps: 1, Idle: 5}

func learnedOnline(t *testing.T, o Online, x, d0 *mat.Dense) *mat.Dense {
	t.Helper()
	d, _, err := o.Learn(context.Background(), x, d0, classify.Run{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func started(t *testing.T, o Online, d0 *mat.Dense) *Learner {
	t.Helper()
	l, err := o.Start(d0)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func drawn(t *testing.T, x *mat.Dense, k int) *mat.Dense {
	t.Helper()
	d, err := FromSamples(x, k, 1)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// collected is a Learner of K atoms, more than a block, that knows A and B of
// codes which use all atoms but the last.
func collected(t *testing.T) *Learner {
	t.Helper()
	const d, k, n = 12, 2*block + 7, 400
	x, s := gaussian(1, d, n), gaussian(2, k, n)
	clear(s.RawRowView(k - 1))
	l := started(t, small, gaussian(3, d, k))
	l.collect(x, s)
	return l
}

// TestOnlineSweepIsTheDefinition renews the atoms by the formula, one by one.
func TestOnlineSweepIsTheDefinition(t *testing.T) {
	l := collected(t)
	want := mat.DenseCopyOf(l.atoms.T())
	_, k := want.Dims()
	for j := range k {
		if l.a.At(j, j) == 0 {
			continue
		}
		var u mat.VecDense
		u.MulVec(want, l.a.ColView(j)) // D·a_k
		u.SubVec(l.b.RowView(j), &u)
		u.AddScaledVec(want.ColView(j), 1/l.a.At(j, j), &u)
		u.ScaleVec(1/max(1, mat.Norm(&u, 2)), &u)
		want.SetCol(j, u.RawVector().Data)
	}
	l.sweep()
	if !mat.EqualApprox(l.atoms.T(), want, 1e-12) {
		t.Error("a sweep is not one update of every atom")
	}
}

// TestOnlineSweepsReachTheMinimum: over the balls, at the minimum, the gradient
// of an atom within is 0, and that of an atom on the sphere points inwards.
func TestOnlineSweepsReachTheMinimum(t *testing.T) {
	l := collected(t)
	unused := mat.Row(nil, 2*block+6, l.atoms)
	before, inside := l.surrogate(), 0
	for range 3000 {
		l.sweep()
		now := l.surrogate()
		if now > before+1e-12*math.Abs(before) {
			t.Fatalf("a sweep raises the surrogate from %v to %v", before, now)
		}
		before = now
	}
	lin.AB(l.r, 1, l.a, l.atoms)
	lin.Add(l.r, -1, l.b) // the gradient (DA − B)ᵀ
	for k := range l.idle {
		g, d := l.r.RawRowView(k), l.atoms.RawRowView(k)
		μ := -dot(g, d) // the multiplier of the sphere
		if norm := math.Sqrt(dot(d, d)); norm < 1-1e-9 {
			inside++
			μ = 0
		}
		if μ < -1e-6 {
			t.Errorf("atom %d is kept outside by %v", k, μ)
		}
		for i := range g {
			if math.Abs(g[i]+μ*d[i]) > 1e-6*l.a.At(0, 0) {
				t.Fatalf("element %d of the gradient of atom %d is %v, want %v", i, k, g[i], -μ*d[i])
			}
		}
	}
	if inside == 0 || inside == len(l.idle) {
		t.Errorf("%d of %d atoms are within the ball: the test sees one case only", inside, len(l.idle))
	}
	if !slices.Equal(unused, l.atoms.RawRowView(2*block+6)) {
		t.Error("an atom that no code uses has moved")
	}
}

// TestOnlineForgets weighs the batches by hand.
func TestOnlineForgets(t *testing.T) {
	l := started(t, small, gaussian(1, 5, 4))
	sizes, ρ := []int{50, 50, 20}, small.Rho
	weights := []float64{math.Pow(0.5, ρ) * math.Pow(1-20.0/120, ρ), math.Pow(1-20.0/120, ρ), 1}
	a, b, weight := mat.NewDense(4, 4, nil), mat.NewDense(4, 5, nil), 0.0
	for i, n := range sizes {
		x, s := gaussian(uint64(i), 5, n), gaussian(uint64(i)+9, 4, n)
		l.collect(x, s)
		lin.AddABt(a, weights[i], s, s)
		lin.AddABt(b, weights[i], s, x)
		weight += weights[i] * float64(n)
	}
	if !mat.EqualApprox(l.a, a, 1e-12) || !mat.EqualApprox(l.b, b, 1e-12) || math.Abs(l.weight-weight) > 1e-12 || l.Seen() != 120 {
		t.Error("A, B and their weight are not the weighted sums")
	}
}

// TestOnlineFindsTheAtoms that the samples are mixed from, by either coder.
func TestOnlineFindsTheAtoms(t *testing.T) {
	truth := classify.Unit(gaussian(4, 24, 30))
	x := mixtures(5, truth, 2000, 3)
	for _, c := range []coding.Coder{coding.Lasso{Lambda: 0.3, Gap: 1e-6}, coding.OMP{Sparsity: 3}} {
		o := small
		o.Coder, o.Passes, o.Rho = c, 12, 5
		d := learnedOnline(t, o, x, drawn(t, x, 30))
		var cos mat.Dense
		cos.Mul(truth.T(), d)
		found := 0
		for i := range 30 {
			if row := mat.Row(nil, i, &cos); max(slices.Max(row), -slices.Min(row)) > 0.99 {
				found++
			}
		}
		if found < 27 {
			t.Errorf("%s: %d of 30 atoms are found", c.Name(), found)
		}
	}
}

func TestOnlineStreamsAsItLearns(t *testing.T) {
	x := mixtures(6, classify.Unit(gaussian(7, 16, 24)), 330, 3)
	d0 := drawn(t, x, 24)
	o := small
	o.Passes = 2
	want := learnedOnline(t, o, x, d0)
	l := started(t, o, d0)
	for pass := range uint64(2) {
		mixed := mat.NewDense(16, 330, nil)
		lin.Gather(mixed, x, order(330, 3, pass))
		for _, part := range [][2]int{{0, 150}, {150, 200}, {200, 330}} { // 330 = 6·50 + 30
			if err := l.Add(context.Background(), lin.Cols(mixed, part[0], part[1])); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !mat.Equal(l.Dictionary(), want) {
		t.Error("the streamed dictionary is another one")
	}
}

func TestOnlineReplacesIdleAtoms(t *testing.T) {
	x := mat.NewDense(16, 400, nil)
	lin.Block(x, 0, 8, 0, 400).Copy(mixtures(8, classify.Unit(gaussian(9, 8, 10)), 400, 2))
	d0 := mat.NewDense(16, 12, nil)
	lin.Block(d0, 0, 8, 0, 9).Copy(gaussian(10, 8, 9))
	lin.Block(d0, 8, 16, 9, 12).Copy(gaussian(11, 8, 3)) // no sample uses the last three
	for idle, want := range map[int]int{0: 0, 5: 3} {
		o := small
		o.Idle = idle
		var replaced float64
		d, _, err := o.Learn(context.Background(), x, d0, classify.Run{Watch: func(p classify.Progress) { replaced = p.Terms()[3].Value }})
		if err != nil {
			t.Fatal(err)
		}
		still := 3
		for j := 9; j < 12; j++ {
			if mat.Norm(lin.Block(d, 8, 16, j, j+1), 2) == 0 {
				still--
			}
		}
		if int(replaced) != want || 3-still != want {
			t.Errorf("idle = %d: %v atoms replaced, %d of them stay outside of the samples, want %d replaced", idle, replaced, still, want)
		}
	}
}

// TestOnlineReplacesByTheWorst samples, each once, and forgets what A and B know
// of the atoms; where too few samples are left over, atoms stay.
func TestOnlineReplacesByTheWorst(t *testing.T) {
	x, d0 := gaussian(24, 6, 4), gaussian(25, 6, 5)
	for j, length := range []float64{1, 3, 0, 2} {
		lin.Set(lin.Cols(x, j, j+1), length, classify.Unit(lin.Cols(x, j, j+1)))
	}
	l := started(t, small, d0)
	l.collect(gaussian(26, 6, 9), gaussian(27, 5, 9))
	copy(l.idle, []int{5, 0, 5, 6, 5})
	a, b, before := mat.DenseCopyOf(l.a), mat.DenseCopyOf(l.b), mat.DenseCopyOf(l.atoms.T())
	l.replace(x, mat.NewDense(5, 4, nil)) // codes of 0: what is left over is X
	now := mat.DenseCopyOf(l.atoms.T())
	by := []int{1, -1, 3, 0, -1} // the samples that replace the atoms; none is left for the last
	for k, j := range by {
		want := lin.Cols(before, k, k+1)
		if j >= 0 {
			want = classify.Unit(lin.Cols(x, j, j+1))
			for i := range 5 {
				a.Set(i, k, 0)
				a.Set(k, i, 0)
			}
			clear(b.RawRowView(k))
		}
		if !mat.Equal(lin.Cols(now, k, k+1), want) {
			t.Errorf("atom %d is not sample %d", k, j)
		}
	}
	if !mat.Equal(l.a, a) || !mat.Equal(l.b, b) || !slices.Equal(l.idle, []int{0, 0, 0, 0, 5}) {
		t.Error("A, B or the counts are wrong")
	}
}

// TestOnlineTerms computes the terms after one batch by their definition.
func TestOnlineTerms(t *testing.T) {
	x := mixtures(12, classify.Unit(gaussian(13, 10, 15)), 40, 3)
	l := started(t, small, drawn(t, x, 15))
	for _, term := range l.Terms() {
		if term.Value != 0 {
			t.Errorf("%s is %v before the first sample", term.Name, term.Value)
		}
	}
	over, err := small.Coder.Over(coding.Basis{D: l.Dictionary()})
	if err != nil {
		t.Fatal(err)
	}
	s := mat.NewDense(15, 40, nil)
	if err := errors.Join(over.Code(context.Background(), s, x), l.Add(context.Background(), x)); err != nil {
		t.Fatal(err)
	}
	var rest mat.Dense
	rest.Mul(l.Dictionary(), s)
	rest.Sub(x, &rest)
	var l1, nonzeros float64
	for _, v := range s.RawMatrix().Data {
		l1 += math.Abs(v)
		if v != 0 {
			nonzeros++
		}
	}
	want := []float64{lin.SquaredNorm(&rest) / 2 / 40, l1 / 40, nonzeros / 40, 0}
	for i, term := range l.Terms() {
		if math.Abs(term.Value-want[i]) > 1e-12*max(1, want[i]) {
			t.Errorf("%s is %v, want %v", term.Name, term.Value, want[i])
		}
	}
}

// TestOnlineTermsForget: the terms are means with the weights of A and B.
func TestOnlineTermsForget(t *testing.T) {
	l := started(t, small, gaussian(28, 5, 4))
	older := math.Pow(1-20.0/120, small.Rho)
	weights := []float64{math.Pow(0.5, small.Rho) * older, older, 1}
	var rest, l1, nonzeros, whole float64
	for i, n := range []int{50, 50, 20} {
		x, s := gaussian(uint64(i)+29, 5, n), gaussian(uint64(i)+32, 4, n)
		x.Scale(float64(4-i), x) // batches of unlike energies
		for k := range 2 - i {
			clear(s.RawRowView(k)) // and of unlike codes
		}
		l.collect(x, s)
		var e mat.Dense
		e.Mul(l.d, s)
		e.Sub(x, &e)
		rest += weights[i] * lin.SquaredNorm(&e) / 2
		for _, v := range s.RawMatrix().Data {
			l1 += weights[i] * math.Abs(v)
		}
		nonzeros += weights[i] * float64((2+i)*n)
		whole += weights[i] * float64(n)
	}
	for i, want := range []float64{rest / whole, l1 / whole, nonzeros / whole, 0} {
		if term := l.Terms()[i]; math.Abs(term.Value-want) > 1e-12*want {
			t.Errorf("%s is %v, want %v", term.Name, term.Value, want)
		}
	}
}

// TestOnlineDoesNotDependOn threads or watchers, nor does it change its input.
func TestOnlineDoesNotDependOn(t *testing.T) {
	x := mixtures(14, classify.Unit(gaussian(15, 30, 70)), 300, 4)
	d0 := drawn(t, x, 70)
	x2, d2 := mat.DenseCopyOf(x), mat.DenseCopyOf(d0)
	want := learnedOnline(t, small, x, d0)
	old := runtime.GOMAXPROCS(1)
	one := learnedOnline(t, small, x, d0)
	runtime.GOMAXPROCS(old)
	passes := 0
	watched, out, err := small.Learn(context.Background(), x, d0,
		classify.Run{Seed: 3, Watch: func(p classify.Progress) { p.Terms(); passes++ }})
	if err != nil || passes != 3 || out.Iter != 3 || out.Status != classify.Complete {
		t.Errorf("%d passes, %+v, %v", passes, out, err)
	}
	if !mat.Equal(want, one) || !mat.Equal(want, watched) {
		t.Error("the dictionary depends on threads or on the watch")
	}
	if !mat.Equal(x, x2) || !mat.Equal(d0, d2) {
		t.Error("the input is changed")
	}
	other, _, err := small.Learn(context.Background(), x, d0, classify.Run{Seed: 4})
	if err != nil || mat.Equal(want, other) {
		t.Errorf("another seed gives the same dictionary, or %v", err)
	}
	loose := small
	loose.Tol = 10
	if _, out, err := loose.Learn(context.Background(), x, d0, classify.Run{}); err != nil || out.Status != classify.Converged ||
		out.Iter != 1 {
		t.Errorf("a tolerance of 10: %+v, %v", out, err)
	}
}

// TestOnlineOddShapes: more atoms than samples, samples of zeros, batches
// longer than the data, one atom.
func TestOnlineOddShapes(t *testing.T) {
	x := gaussian(16, 6, 10)
	lin.Cols(x, 3, 5).Zero()
	for name, c := range map[string]struct {
		x *mat.Dense
		k int
	}{"K > N": {x, 40}, "one atom": {x, 1}, "zeros alone": {mat.NewDense(6, 10, nil), 4}, "one sample": {lin.Cols(x, 0, 1), 3}} {
		for _, batch := range []int{1, 3, 1000} {
			o, d0 := small, gaussian(17, 6, c.k)
			o.Batch, o.Idle = batch, 1
			d := learnedOnline(t, o, c.x, d0)
			for j := range c.k {
				if norm := mat.Norm(d.ColView(j), 2); !(math.Abs(norm-1) < 1e-14) {
					t.Errorf("%s, batches of %d: atom %d has the norm %v", name, batch, j, norm)
				}
			}
			if mat.Max(c.x) == 0 && !mat.EqualApprox(d, classify.Unit(d0), 1e-15) {
				t.Errorf("%s: the dictionary has changed", name)
			}
		}
	}
}

func TestOnlineRefuses(t *testing.T) {
	x, d0 := gaussian(18, 5, 20), gaussian(19, 5, 4)
	nan, zero := mat.DenseCopyOf(x), mat.DenseCopyOf(d0)
	nan.Set(2, 7, math.NaN())
	lin.Cols(zero, 1, 2).Zero()
	huge := mat.NewDense(5, 20, nil)
	huge.Scale(1e200, x)
	ill := mat.DenseCopyOf(d0)
	ill.Set(0, 0, math.Inf(1))
	for name, c := range map[string]struct {
		edit  func(*Online)
		x, d0 *mat.Dense
		hint  bool
	}{
		"no coder":       {edit: func(o *Online) { o.Coder = nil }},
		"batch":          {edit: func(o *Online) { o.Batch = 0 }},
		"passes":         {edit: func(o *Online) { o.Passes = -1 }},
		"rho":            {edit: func(o *Online) { o.Rho = math.NaN() }},
		"sweeps":         {edit: func(o *Online) { o.Sweeps = 0 }},
		"idle":           {edit: func(o *Online) { o.Idle = -1 }},
		"tol":            {edit: func(o *Online) { o.Tol = math.NaN() }},
		"lambda":         {edit: func(o *Online) { o.Coder = coding.Lasso{} }},
		"NaN sample":     {x: nan},
		"huge samples":   {x: huge, hint: true},
		"infinite atom":  {d0: ill},
		"zero atom":      {d0: zero, hint: true},
		"needs a class":  {edit: func(o *Online) { o.Coder = coding.DefaultPerClass }},
		"cancelled soon": {},
	} {
		o, x, d0, watch := small, x, d0, classify.Watch(func(classify.Progress) { t.Errorf("%s: a pass was made", name) })
		if c.edit != nil {
			c.edit(&o)
		}
		if c.x != nil {
			x = c.x
		}
		if c.d0 != nil {
			d0 = c.d0
		}
		ctx, cancel := context.WithCancel(context.Background())
		if name == "cancelled soon" {
			cancel()
		}
		d, _, err := o.Learn(ctx, x, d0, classify.Run{Watch: watch})
		if err == nil || d != nil || c.hint != (advice.Text(err) != "") {
			t.Errorf("%s: %v, hint %q", name, err, advice.Text(err))
		}
		cancel()
	}
}

// TestOnlineStopsInAPass and leaves a Learner that can go on.
func TestOnlineStopsInAPass(t *testing.T) {
	x := mixtures(20, classify.Unit(gaussian(21, 16, 24)), 1000, 3)
	l := started(t, small, drawn(t, x, 24))
	ctx := countdown{context.Background(), 1500, new(atomic.Int64)}
	if err := l.Add(ctx, x); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if l.Seen() == 0 || l.Seen() == 1000 {
		t.Errorf("%d of 1000 samples were learned", l.Seen())
	}
	if err := l.Add(context.Background(), x); err != nil {
		t.Error(err)
	}
	nan := mat.DenseCopyOf(x)
	nan.Set(0, 999, math.NaN())
	before := l.Dictionary()
	if err := l.Add(context.Background(), nan); err == nil || !mat.Equal(before, l.Dictionary()) {
		t.Errorf("NaN was learned, or %v", err)
	}
}

func BenchmarkOnline(b *testing.B) {
	x := classify.Unit(mixtures(22, classify.Unit(gaussian(23, 64, 256)), 5120, 5))
	d0, err := FromSamples(x, 256, 1)
	if err != nil {
		b.Fatal(err)
	}
	o := DefaultOnline
	o.Coder, o.Passes = coding.Lasso{Lambda: 0.1, Gap: 1e-6}, 1
	for b.Loop() {
		if _, _, err := o.Learn(context.Background(), x, d0, classify.Run{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/5120, "µs/sample")
}
