package dictionary

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

func gaussian(seed uint64, m, n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 21))
	a := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			a.Set(i, j, rng.NormFloat64())
		}
	}
	return a
}

// mixtures are n samples of few of the atoms of d each, with a little noise.
func mixtures(seed uint64, d *mat.Dense, n, few int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 22))
	m, k := d.Dims()
	s := mat.NewDense(k, n, nil)
	for j := range n {
		for _, a := range rng.Perm(k)[:few] {
			s.Set(a, j, rng.NormFloat64()+math.Copysign(1, rng.NormFloat64()))
		}
	}
	x := mat.NewDense(m, n, nil)
	x.Mul(d, s)
	noise := gaussian(seed, m, n)
	noise.Scale(0.01, noise)
	x.Add(x, noise)
	return x
}

func learned(t *testing.T, k KSVD, x, d0 *mat.Dense) *mat.Dense {
	t.Helper()
	d, _, err := k.Learn(context.Background(), x, d0, classify.Run{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func newState(t *testing.T, k KSVD, x, d0 *mat.Dense) *KSVDLearner {
	t.Helper()
	s, err := newKSVDLearner(context.Background(), k, x, d0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// residuals returns (X − DΓ)ᵀ of the present atoms and codes.
func (s *KSVDLearner) residuals() *mat.Dense {
	e := mat.DenseCopyOf(s.X.T())
	for j := range s.distances {
		atoms, coef := s.Γ.Column(j)
		for i, a := range atoms {
			axpy(-coef[i], s.D.RawRowView(int(a)), e.RawRowView(j))
		}
	}
	return e
}

var none = KSVD{Sparsity: 3, Passes: 6, Coherence: 2} // replaces no atom

func TestKSVDRenewalsNeverRaiseTheError(t *testing.T) {
	x := gaussian(1, 30, 80)
	for _, k := range []KSVD{none, {Sparsity: 20, Coherence: 2}, {Sparsity: 3, Coherence: 2, Error: 4}} {
		s := newState(t, k, x, lin.Cols(x, 0, 20))
		for pass := range 4 {
			if err := s.code(); err != nil {
				t.Fatal(err)
			}
			s.users.find(&s.Γ, 20)
			for a := range 20 {
				was := lin.SquaredNorm(s.E)
				s.renew(a)
				if now := lin.SquaredNorm(s.E); now > was*(1+1e-13) {
					t.Errorf("T₀ %d, pass %d, atom %d: the error rises from %v to %v", k.Sparsity, pass, a, was, now)
				}
				if norm := mat.Norm(s.D.RowView(a), 2); math.Abs(norm-1) > 1e-14 {
					t.Errorf("atom %d has norm %v", a, norm)
				}
			}
			if diff := lin.MaxAbsDiff(s.E, s.residuals()); diff > 1e-12 {
				t.Errorf("the residuals that are kept up are off by %v", diff)
			}
		}
	}
}

// TestKSVDMonotone: the error never rises over a pass, and without Monotone it
// does on the same samples.
func TestKSVDMonotone(t *testing.T) {
	rises := func(k KSVD) (rises, kept int) {
		for seed := range uint64(10) {
			x := gaussian(seed, 12, 60)
			before := math.Inf(1)
			_, _, err := k.Learn(context.Background(), x, lin.Cols(x, 0, 15), classify.Run{Watch: func(p classify.Progress) {
				terms := p.Terms()
				if terms[0].Value > before*(1+1e-13) {
					rises++
				}
				before = terms[0].Value
				kept += int(terms[3].Value)
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
		return rises, kept
	}
	k := KSVD{Sparsity: 4, Passes: 25, Coherence: 2}
	if up, _ := rises(k); up == 0 {
		t.Error("the pursuit never raises the error: the samples test nothing")
	}
	k.Monotone = true
	if up, kept := rises(k); up > 0 || kept == 0 {
		t.Errorf("the error rises in %d passes; %d codes are kept", up, kept)
	}
}

// TestKSVDMonotoneDropsCodesOfReplacedAtoms: the residual of every sample is
// that of the code that it has.
func TestKSVDMonotoneDropsCodesOfReplacedAtoms(t *testing.T) {
	x := gaussian(19, 12, 60)
	s := newState(t, KSVD{Sparsity: 4, MinUses: 14, Coherence: 0.7, Monotone: true}, x, lin.Cols(x, 0, 15))
	replaced, kept := 0, 0
	for range 20 {
		if _, err := s.Step(); err != nil {
			t.Fatal(err)
		}
		replaced += s.replacements
		if err := s.code(); err != nil {
			t.Fatal(err)
		}
		kept += s.oldCodes
		if diff := lin.MaxAbsDiff(s.E, s.residuals()); diff > 1e-12 {
			t.Fatalf("residuals are off by %v", diff)
		}
	}
	if replaced == 0 || kept == 0 {
		t.Errorf("%d atoms are replaced, %d codes kept: nothing is tested", replaced, kept)
	}
}

// TestKSVDMonotoneTakesCodesThatAreGoodEnough: a code within the error is taken,
// though the one before is better; others are taken where they are no worse.
func TestKSVDMonotoneTakesCodesThatAreGoodEnough(t *testing.T) {
	x := gaussian(20, 12, 80)
	k := KSVD{Sparsity: 5, Error: 1.5, Coherence: 2, Monotone: true}
	s := newState(t, k, x, lin.Cols(x, 0, 15))
	enough, kept := 0, 0
	for range 6 {
		if _, err := s.Step(); err != nil {
			t.Fatal(err)
		}
		over, err := k.pursuit().Over(coding.Basis{D: transposed(s.D)})
		if err != nil {
			t.Fatal(err)
		}
		γ, before := mat.NewDense(15, 80, nil), append([]float64(nil), s.distances...)
		if err := errors.Join(over.Code(context.Background(), γ, x), s.code()); err != nil {
			t.Fatal(err)
		}
		for j := range 80 {
			r := mat.Col(nil, j, x)
			for a := range 15 {
				axpy(-γ.At(a, j), s.D.RawRowView(a), r)
			}
			rest := dot(r, r)
			within, worse := rest <= k.Error*k.Error, rest > before[j]
			if within && worse {
				enough++
			}
			if worse && !within {
				kept++
			}
			want := rest
			if worse && !within {
				want = before[j]
			}
			if math.Abs(s.distances[j]-want) > 1e-12*want {
				t.Errorf("sample %d is left with %v, want %v: the new code leaves %v, the old one %v", j, s.distances[j], want, rest, before[j])
			}
		}
	}
	if enough == 0 || kept == 0 {
		t.Errorf("%d codes are good enough though worse, %d kept: nothing is tested", enough, kept)
	}
}

// naiveKSVD is the definition, with all codes and residuals as matrices.
func naiveKSVD(k KSVD, x, d0 *mat.Dense) *mat.Dense {
	d := classify.Unit(d0)
	_, atoms := d.Dims()
	_, n := x.Dims()
	for range k.Passes {
		over, err := k.pursuit().Over(coding.Basis{D: mat.DenseCopyOf(d)})
		if err != nil {
			panic(err)
		}
		γ := mat.NewDense(atoms, n, nil)
		if err := over.Code(context.Background(), γ, x); err != nil {
			panic(err)
		}
		for a := range atoms {
			renewNaively(x, d, γ, a)
		}
		replaceNaively(k, x, d, γ)
	}
	return d
}

func renewNaively(x, d, γ *mat.Dense, a int) {
	g := mat.VecDenseCopyOf(γ.RowView(a))
	without := mat.DenseCopyOf(γ)
	without.RowView(a).(*mat.VecDense).Zero()
	var f mat.Dense
	f.Mul(d, without)
	f.Sub(x, &f)
	var fresh, now mat.VecDense
	fresh.MulVec(&f, g)
	if mat.Norm(&fresh, 2) == 0 {
		return
	}
	fresh.ScaleVec(1/mat.Norm(&fresh, 2), &fresh)
	now.MulVec(f.T(), &fresh)
	for j := range g.Len() {
		if g.AtVec(j) != 0 {
			γ.Set(a, j, now.AtVec(j))
		}
	}
	d.SetCol(a, fresh.RawVector().Data)
}

func replaceNaively(k KSVD, x, d, γ *mat.Dense) {
	var e mat.Dense
	e.Mul(d, γ)
	e.Sub(x, &e)
	_, atoms := d.Dims()
	_, n := x.Dims()
	spent := make([]bool, n)
	for a := range atoms {
		uses, alike := 0, false
		for j := range n {
			if math.Abs(γ.At(a, j)) > 1e-7*mat.Norm(x.ColView(j), 2) {
				uses++
			}
		}
		for b := range a {
			alike = alike || math.Abs(mat.Dot(d.ColView(a), d.ColView(b))) > k.Coherence
		}
		if uses >= k.MinUses && !alike {
			continue
		}
		worst, largest := -1, 0.0
		for j := range n {
			if v := mat.Norm(e.ColView(j), 2); v > largest && v > 1e-10*mat.Norm(x.ColView(j), 2) && !spent[j] {
				worst, largest = j, v
			}
		}
		if worst >= 0 {
			spent[worst] = true
			d.SetCol(a, classify.Unit(mat.DenseCopyOf(x.ColView(worst))).RawMatrix().Data)
		}
	}
}

func TestKSVDIsTheDefinition(t *testing.T) {
	for _, c := range []struct {
		k        KSVD
		d, n, at int // features, samples, atoms
	}{
		{KSVD{Sparsity: 3, Passes: 5, MinUses: 4, Coherence: 0.99}, 10, 60, 15},
		{KSVD{Sparsity: 2, Passes: 5, MinUses: 9, Coherence: 0.6}, 10, 60, 15},
		{KSVD{Sparsity: 2, Passes: 4, MinUses: 2, Coherence: 2}, 12, 40, 6},
		{KSVD{Sparsity: 5, Passes: 4, MinUses: 2, Coherence: 0.99}, 30, 12, 8},
		{KSVD{Sparsity: 3, Passes: 3, MinUses: 2, Coherence: 0.99}, 30, 10, 14},
		{KSVD{Sparsity: 6, Error: 2, Passes: 4, MinUses: 1, Coherence: 0.99}, 9, 50, 12},
		{KSVD{Sparsity: 1, Passes: 4, MinUses: 1, Coherence: 0.99}, 9, 50, 9},
	} {
		x := gaussian(uint64(c.d), c.d, c.n)
		starts := map[string]*mat.Dense{"random": gaussian(99, c.d, c.at)}
		if c.at <= c.n {
			starts["samples"] = mat.DenseCopyOf(lin.Cols(x, 0, c.at))
		}
		for name, d0 := range starts {
			got, want := learned(t, c.k, x, d0), naiveKSVD(c.k, x, d0)
			if diff := lin.MaxAbsDiff(got, want); diff > 1e-8 {
				t.Errorf("%+v, %d×%d, %d atoms, %s: an atom is off by %v", c.k, c.d, c.n, c.at, name, diff)
			}
		}
	}
}

// TestKSVDFindsTheAtoms learns from mixtures of known atoms.
func TestKSVDFindsTheAtoms(t *testing.T) {
	d := classify.Unit(gaussian(3, 16, 20))
	x := mixtures(4, d, 600, 3)
	got := learned(t, KSVD{Sparsity: 3, Passes: 40, MinUses: 4, Coherence: 0.99}, x, lin.Cols(x, 0, 20))
	var cos mat.Dense
	cos.Mul(d.T(), got)
	found := 0
	for i := range 20 {
		if math.Max(mat.Max(cos.RowView(i)), -mat.Min(cos.RowView(i))) > 0.999 {
			found++
		}
	}
	if found < 18 {
		t.Errorf("%d of 20 atoms are found", found)
	}
}

// TestKSVDInTheSpan: samples of many features are learned from in coordinates of
// their span, with the same result, whether the first atoms lie in it or not.
func TestKSVDInTheSpan(t *testing.T) {
	k := KSVD{Sparsity: 3, Passes: 4, MinUses: 2, Coherence: 0.99}
	x, own := gaussian(5, 9, 7), gaussian(6, 9, 6)
	var qr mat.QR
	qr.Factorize(gaussian(7, 40, 9))
	var q mat.Dense
	qr.QTo(&q)
	up := func(a *mat.Dense) *mat.Dense {
		var b mat.Dense
		b.Mul(q.Slice(0, 40, 0, 9), a)
		return &b
	}
	for name, d0 := range map[string]*mat.Dense{"inside": mat.DenseCopyOf(lin.Cols(x, 1, 7)), "outside": own} {
		want := up(naiveKSVD(k, x, d0))
		s := newState(t, k, up(x), up(d0))
		if size, _ := s.X.Dims(); name == "inside" && size != 7 || name == "outside" && size != 13 {
			t.Errorf("%s: learns in %d coordinates", name, size)
		}
		if diff := lin.MaxAbsDiff(learned(t, k, up(x), up(d0)), want); diff > 1e-10 {
			t.Errorf("%s: off by %v", name, diff)
		}
	}
}

// TestCompress: coordinates have the inner products of what they stand for, and
// expand undoes them.
func TestCompress(t *testing.T) {
	x, d0 := gaussian(5, 40, 7), classify.Unit(gaussian(6, 40, 6))
	inside := mat.NewDense(40, 6, nil)
	inside.Mul(x, gaussian(7, 7, 6))
	short := gaussian(8, 6, 7)
	for name, c := range map[string]struct {
		x, d0 *mat.Dense
		size  int
	}{"inside": {x, classify.Unit(inside), 7}, "outside": {x, d0, 13}, "few features": {short, classify.Unit(gaussian(9, 6, 4)), 6}} {
		xs, ds, expand := Compress(c.x, c.d0)
		size, _ := xs.Dims()
		if m, _ := ds.Dims(); size != c.size || m != size {
			t.Errorf("%s: %d coordinates of samples and %d of atoms, want %d", name, size, m, c.size)
		}
		var got, want mat.Dense
		got.Mul(xs.T(), ds)
		want.Mul(c.x.T(), c.d0)
		if diff := lin.MaxAbsDiff(&got, &want); diff > 1e-12 {
			t.Errorf("%s: an inner product is off by %v", name, diff)
		}
		if diff := lin.MaxAbsDiff(expand(ds), c.d0); diff > 1e-12 {
			t.Errorf("%s: an atom is off by %v", name, diff)
		}
	}
}

// TestKSVDKeepsSamplesThatAreTheirOwnAtoms: with as many atoms as samples
// these are the dictionary, and stay it.
func TestKSVDKeepsSamplesThatAreTheirOwnAtoms(t *testing.T) {
	x := gaussian(8, 10, 6)
	k := DefaultKSVD
	k.Sparsity = 6
	if diff := lin.MaxAbsDiff(learned(t, k, x, x), classify.Unit(x)); diff > 1e-14 {
		t.Errorf("an atom is off by %v", diff)
	}
}

func TestKSVDReplaces(t *testing.T) {
	x := gaussian(9, 10, 30)
	d0 := mat.DenseCopyOf(lin.Cols(x, 0, 5))
	d0.SetCol(3, mat.Col(nil, 1, d0)) // a repeat
	s := newState(t, KSVD{Sparsity: 2, Coherence: 0.99}, x, d0)
	if err := s.code(); err != nil {
		t.Fatal(err)
	}
	s.users.find(&s.Γ, 5)
	s.measure()
	worst := s.spare(nil).order[0]
	s.replace()
	if s.replacements != 1 || !s.stale[3] {
		t.Errorf("%d atoms are replaced: %v", s.replacements, s.stale)
	}
	if cos := dot(s.D.RawRowView(3), mat.Col(nil, worst, classify.Unit(x))); math.Abs(cos-1) > 1e-14 {
		t.Errorf("the repeat has the cosine %v to the worst represented sample", cos)
	}
}

// TestKSVDUses: of fewer samples than MinUses all must use an atom, and a
// coefficient that is tiny beside its sample is no use.
func TestKSVDUses(t *testing.T) {
	d0 := mat.NewDense(5, 4, nil)
	for a := range 4 {
		d0.Set(a, a, 1)
	}
	x := mat.NewDense(5, 3, []float64{
		1, 1, 1, // all use atom 0
		0.5, 0.4, 1e-6, // atom 1
		0.3, 0.3, 0, // two use atom 2
		1e-9, 1e-9, 1e-9, // none uses atom 3, which the pursuit finds
		0.1, 0.2, 0.3,
	})
	x.Scale(1e3, x)
	for minUses, want := range map[int][]int{0: {0, 1, 2, 3}, 1: {0, 1, 2}, 2: {0, 1, 2}, 3: {0, 1}, 4: {0, 1}, 9: {0, 1}} {
		s := newState(t, KSVD{Sparsity: 4, MinUses: minUses, Coherence: 2}, x, d0)
		if err := s.code(); err != nil {
			t.Fatal(err)
		}
		s.users.find(&s.Γ, 4)
		if found := s.users.first[4] - s.users.first[3]; found != 3 {
			t.Fatalf("%d codes have atom 3: nothing is tested", found)
		}
		if got := s.used(); !slices.Equal(got, want) {
			t.Errorf("min_uses = %d: the atoms %v are used, want %v", minUses, got, want)
		}
	}
}

func TestKSVDDoesNotDependOnThreadsOrScale(t *testing.T) {
	x := mixtures(10, classify.Unit(gaussian(11, 16, 24)), 3000, 4) // an atom has parts to renew
	before := mat.DenseCopyOf(x)
	d0 := mat.DenseCopyOf(lin.Cols(x, 0, 24))
	k := KSVD{Sparsity: 5, Passes: 3, MinUses: 4, Coherence: 0.9, Monotone: true}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := learned(t, k, x, d0)
	runtime.GOMAXPROCS(4)
	if !mat.Equal(learned(t, k, x, d0), want) {
		t.Error("four threads give other atoms than one")
	}
	larger := mat.NewDense(16, 3000, nil)
	larger.Scale(math.Ldexp(1, 70), x)
	if !mat.Equal(learned(t, k, larger, d0), want) {
		t.Error("samples of another scale give other atoms")
	}
	if !mat.Equal(x, before) || !mat.Equal(d0, lin.Cols(x, 0, 24)) {
		t.Error("samples or first atoms have changed")
	}
}

func TestKSVDOfZeroSamples(t *testing.T) {
	x, d0 := gaussian(12, 6, 20), gaussian(13, 6, 4)
	k := KSVD{Sparsity: 2, Passes: 3, MinUses: 1, Coherence: 0.99}
	want := learned(t, k, x, d0)
	more := mat.NewDense(6, 25, nil)
	lin.Set(lin.Cols(more, 0, 20), 1, x)
	if diff := lin.MaxAbsDiff(learned(t, k, more, d0), want); diff > 1e-12 {
		t.Errorf("samples of zeros change an atom by %v", diff)
	}
	d, out, err := k.Learn(context.Background(), mat.NewDense(6, 3, nil), d0, classify.Run{})
	if err != nil || lin.MaxAbsDiff(d, classify.Unit(d0)) > 1e-14 || out.Residual != 0 {
		t.Errorf("zeros only: %v %v", out, err)
	}
}

func TestKSVDWithoutPasses(t *testing.T) {
	x, d0 := gaussian(14, 6, 20), gaussian(15, 6, 4)
	d, out, err := KSVD{Sparsity: 2, Coherence: 1}.Learn(context.Background(), x, d0, classify.Run{})
	if err != nil || out != (classify.Outcome{Status: classify.ClosedForm}) || !mat.Equal(d, classify.Unit(d0)) {
		t.Errorf("%v, %v", out, err)
	}
}

func TestKSVDRefuses(t *testing.T) {
	good := KSVD{Sparsity: 2, Passes: 1, Coherence: 1}
	x, d0 := gaussian(16, 6, 20), gaussian(17, 6, 4)
	with := func(a *mat.Dense, v float64) *mat.Dense {
		b := mat.DenseCopyOf(a)
		b.Set(1, 2, v)
		return b
	}
	hole := mat.DenseCopyOf(d0)
	hole.SetCol(3, make([]float64, 6))
	huge := mat.NewDense(6, 20, nil)
	huge.Scale(1e200, x)
	for name, c := range map[string]struct {
		k     KSVD
		x, d0 *mat.Dense
		want  string
	}{
		"no sparsity":  {KSVD{Passes: 1, Coherence: 1}, x, d0, "sparsity = 0"},
		"passes":       {KSVD{Sparsity: 2, Passes: -1, Coherence: 1}, x, d0, "passes = -1"},
		"min_uses":     {KSVD{Sparsity: 2, MinUses: -1, Coherence: 1}, x, d0, "min_uses = -1"},
		"coherence":    {KSVD{Sparsity: 2, Coherence: math.NaN()}, x, d0, "coherence = NaN"},
		"a bad sample": {good, with(x, math.NaN()), d0, "sample 2"},
		"a bad atom":   {good, x, with(d0, math.Inf(1)), "atom 2"},
		"a zero atom":  {good, x, hole, "atom 3 of the first dictionary is zero"},
		"huge samples": {good, huge, d0, "out of range"},
	} {
		passes := 0
		_, _, err := c.k.Learn(context.Background(), c.x, c.d0, classify.Run{Watch: func(classify.Progress) { passes++ }})
		if err == nil || !strings.Contains(err.Error(), c.want) || passes > 0 {
			t.Errorf("%s: %v after %d passes", name, err, passes)
		}
	}
	for _, d0 := range []*mat.Dense{nil, gaussian(1, 5, 4)} {
		if _, _, err := good.Learn(t.Context(), x, d0, classify.Run{}); err == nil {
			t.Error("K-SVD: atoms of other features, or none, are no error")
		}
		if _, _, err := DefaultOnline.Learn(t.Context(), x, d0, classify.Run{}); err == nil {
			t.Error("Online: atoms of other features, or none, are no error")
		}
	}
}

// A countdown is cancelled once it was asked left times.
type countdown struct {
	context.Context
	left  int64
	asked *atomic.Int64
}

func (c countdown) Err() error {
	if c.asked.Add(1) > c.left {
		return context.Canceled
	}
	return nil
}

// TestKSVDStopsWithinAPass: wherever in a pass the end comes, no pass is
// finished after it, and the cause is returned.
func TestKSVDStopsWithinAPass(t *testing.T) {
	x := gaussian(18, 10, 200)
	for _, left := range []int64{0, 1, 2, 100, 215, 225, 230} {
		why := errors.New("no time")
		cancelled, cancel := context.WithCancelCause(context.Background())
		cancel(why)
		passes := 0
		_, _, err := none.Learn(countdown{cancelled, left, new(atomic.Int64)}, x, lin.Cols(x, 0, 20),
			classify.Run{Watch: func(classify.Progress) { passes++ }})
		if !errors.Is(err, why) || passes > 0 {
			t.Errorf("after %d questions: %v after %d passes", left, err, passes)
		}
	}
}

func BenchmarkKSVD(b *testing.B) {
	for _, c := range []struct {
		name          string
		d, n, k, atom int
	}{{"Faces", 760, 760, 760, 30}, {"Patches", 64, 20000, 256, 6}} {
		b.Run(c.name, func(b *testing.B) {
			x, d0 := gaussian(1, c.d, c.n), gaussian(2, c.d, c.k)
			k := KSVD{Sparsity: c.atom, Passes: 3, MinUses: 4, Coherence: 0.99}
			for b.Loop() {
				if _, _, err := k.Learn(context.Background(), x, d0, classify.Run{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/3, "ms/pass")
		})
	}
}
