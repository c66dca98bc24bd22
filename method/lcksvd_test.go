package method

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// few has the parameters that small sets need.
func few(atoms, passes int) SparseLearning {
	l := defaultSparseLearning
	l.Sparsity, l.Passes, l.MinUses, l.Atoms = 4, passes, 2, atoms
	l.Init.Sparsity, l.Init.Passes, l.Init.MinUses = 2, 3, 2
	return l
}

// directions draws classes of the given sizes: each a random direction of its own
// with as much noise.
func directions(seed uint64, d int, sizes ...int) *classify.Samples {
	r := rand.New(rand.NewPCG(seed, 5))
	n := 0
	for _, size := range sizes {
		n += size
	}
	x := random(r, d, n)
	var labels []string
	for c, size := range sizes {
		own := random(r, d, 1)
		for range size {
			for i := range d {
				x.Set(i, len(labels), 2*own.At(i, 0)+x.At(i, len(labels)))
			}
			labels = append(labels, fmt.Sprintf("c%d", c))
		}
	}
	set, err := classify.NewSamples(x, labels, nil, nil)
	if err != nil {
		panic(err)
	}
	return set
}

// start returns the unit samples of a set with classes of the given sizes, the
// set, and D₀ with its groups.
func start(t *testing.T, l SparseLearning, sizes ...int) (x *mat.Dense, set *classify.Samples, d0 *mat.Dense, groups []int) {
	t.Helper()
	set = directions(3, 12, sizes...)
	x = classify.Unit(set.X)
	d0, groups, err := classwise(t.Context(), l.Init, x, set, l.Atoms)
	if err != nil {
		t.Fatal(err)
	}
	return x, set, d0, groups
}

// learned is what l learns from set.
func learned(t *testing.T, l SparseLearning, set *classify.Samples, with consistency) classify.Parts {
	t.Helper()
	s, err := l.newSparseState(newTask(t, set, l.Atoms), with)
	if err != nil {
		t.Fatal(err)
	}
	out, err := classify.Iterate(t.Context(), s, classify.Limits{Passes: l.Passes}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.parts(out)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func codes(t *testing.T, l SparseLearning, d, x *mat.Dense) *mat.Dense {
	t.Helper()
	over, err := l.coder().Over(coding.Basis{D: d})
	if err != nil {
		t.Fatal(err)
	}
	_, k := d.Dims()
	_, n := x.Dims()
	s := mat.NewDense(k, n, nil)
	if err := over.Code(t.Context(), s, x); err != nil {
		t.Fatal(err)
	}
	return s
}

// The stack [X; ΩH] learns the D and W of the papers' [X; √α·Q; √β·H], also
// where classes have unequal numbers of atoms.
func TestLabelsWeighLikeIdealCodes(t *testing.T) {
	const α, β = 0.7, 1.3
	for _, sizes := range [][]int{{6, 9, 4}, {5, 5, 5}} {
		l := few(0, 6)
		x, set, d0, groups := start(t, l, sizes...)
		with := consistency{α: α, β: β}
		p := learned(t, l, set, with)
		d, w := p.D, linear(p)

		_, n := x.Dims()
		_, k := d0.Dims()
		h, q := labels(set.Groups), mat.NewDense(k, n, nil)
		for c := range sizes {
			for a := groups[c]; a < groups[c+1]; a++ {
				q.SetRow(a, h.RawRowView(c))
			}
		}
		s := codes(t, l, d0, x)
		a0, w0 := ridge(t, q, s, l.Ridge), ridge(t, h, s, l.Ridge)
		papers := func(x, q, h *mat.Dense) *mat.Dense {
			var a, b, two, three mat.Dense
			a.Scale(math.Sqrt(α), q)
			b.Scale(math.Sqrt(β), h)
			two.Stack(x, &a)
			three.Stack(&two, &b)
			return &three
		}
		both, _, err := l.Learn(t.Context(), papers(x, q, h), papers(d0, a0, w0), classify.Run{})
		if err != nil {
			t.Fatal(err)
		}
		rows, _ := x.Dims()
		for j := range k {
			norm := mat.Norm(both.Slice(0, rows, j, j+1), 2)
			for i := range rows {
				if got, want := d.At(i, j), both.At(i, j)/norm; math.Abs(got-want) > 1e-9 {
					t.Fatalf("sizes %v: atom %d is %v at %d, the papers' %v", sizes, j, got, i, want)
				}
			}
			for c := range sizes {
				if got, want := w.At(c, j), both.At(rows+k+c, j)/norm/math.Sqrt(β); math.Abs(got-want) > 1e-9 {
					t.Fatalf("sizes %v: W is %v at (%d, %d), the papers' %v", sizes, got, c, j, want)
				}
				if got, want := w.At(c, j), both.At(rows+groups[c], j)/norm/math.Sqrt(α); math.Abs(got-want) > 1e-9 {
					t.Fatalf("sizes %v: A is not BW: %v and %v", sizes, want, got)
				}
			}
		}
	}
}

// ridge solves A(SSᵀ + λI) = BSᵀ without the Gram trick of classifier.
func ridge(t *testing.T, b, s *mat.Dense, λ float64) *mat.Dense {
	t.Helper()
	var g, r, a mat.Dense
	g.Mul(s, s.T())
	lin.AddDiag(&g, λ)
	r.Mul(s, b.T())
	if err := a.Solve(&g, &r); err != nil {
		t.Fatal(err)
	}
	return mat.DenseCopyOf(a.T())
}

// LC-KSVD2 without label consistency is D-KSVD; with it, and equal classes, it
// is D-KSVD with another weight.
func TestLCKSVD2IsDKSVD(t *testing.T) {
	set := directions(1, 20, 6, 6, 6)
	fit := func(m classify.Method) classify.Parts {
		model, err := m.Fit(t.Context(), set, classify.Run{})
		if err != nil {
			t.Fatal(err)
		}
		return model.Parts()
	}
	l := few(4, 8)
	d, lc := fit(DKSVD{l, 1.5}), fit(LCKSVD2{l, 0, 1.5})
	if !mat.Equal(d.D, lc.D) || !mat.Equal(linear(d), linear(lc)) {
		t.Error("LC-KSVD2 with alpha = 0 is not D-KSVD")
	}
	other := fit(LCKSVD2{l, 0.2, 0.7}) // 0.7 + 0.2·4 = 1.5
	if !mat.EqualApprox(d.D, other.D, 1e-9) || !mat.EqualApprox(linear(d), linear(other), 1e-9) {
		t.Error("LC-KSVD2 is not D-KSVD with γ = β + α·K_c")
	}
	if mat.EqualApprox(d.D, fit(LCKSVD2{l, 0.2, 1.5}).D, 1e-6) {
		t.Error("alpha has no effect")
	}
}

// W of K-SVD and LC-KSVD1 satisfies W(SSᵀ + λI) = HSᵀ for the codes over the
// last dictionary, and so does W₀ over the first.
func TestFamilyClassifiersAreRidgeRegressions(t *testing.T) {
	l := few(3, 4)
	l.Ridge = 0.3
	x, set, d0, _ := start(t, l, 6, 8, 5)
	w0, err := l.classifier(t.Context(), d0, x, set.Groups)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, w, d *mat.Dense) {
		s := codes(t, l, d, x)
		var gram, left, right mat.Dense
		gram.Mul(s, s.T())
		lin.AddDiag(&gram, l.Ridge)
		left.Mul(w, &gram)
		right.Mul(labels(set.Groups), s.T())
		if !mat.EqualApprox(&left, &right, 1e-10) {
			t.Errorf("%s: W(SSᵀ + λI) ≠ HSᵀ", name)
		}
	}
	check("W₀", w0, d0)
	for name, with := range map[string]consistency{"K-SVD": {regress: true}, "LC-KSVD1": {α: 0.5, regress: true}} {
		p := learned(t, l, set, with)
		check(name, linear(p), p.D)
	}
}

// So is that of a model of either, where atoms are fewer than samples: W is not
// what K-SVD has learned beside D.
func TestModelsOfTheFamilyRegressLabels(t *testing.T) {
	l := few(3, 4)
	l.Ridge = 0.3
	set := directions(3, 12, 6, 8, 5)
	for _, m := range []classify.Method{KSVD{l}, LCKSVD1{l, 0.5}} {
		model, err := m.Fit(t.Context(), set, classify.Run{})
		if err != nil {
			t.Fatal(err)
		}
		p := model.Parts()
		want := ridge(t, labels(set.Groups), codes(t, l, p.D, classify.Unit(set.X)), l.Ridge)
		if diff := lin.MaxAbsDiff(linear(p), want); !(diff < 1e-10) {
			t.Errorf("%s: W differs from HSᵀ(SSᵀ + λI)⁻¹ by %.1e", m.Name(), diff)
		}
	}
}

// The objective falls from pass to pass where atoms are not replaced and codes
// not given up for worse ones.
func TestStackedErrorFalls(t *testing.T) {
	l := few(3, 10)
	l.MinUses, l.Coherence, l.Monotone = 0, 1, true
	set := directions(7, 20, 9, 9, 9)
	var errors []float64
	_, err := LCKSVD2{l, 0.5, 1}.Fit(t.Context(), set, classify.Run{Watch: func(p classify.Progress) {
		for _, term := range p.Terms() {
			if term.Name == "error" {
				errors = append(errors, term.Value)
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(errors) != 10 || errors[9] > 0.9*errors[0] {
		t.Fatalf("errors %v do not fall in 10 passes", errors)
	}
	for i := 1; i < len(errors); i++ {
		if errors[i] > errors[i-1]*(1+1e-12) {
			t.Errorf("the error rises from %v to %v in pass %d", errors[i-1], errors[i], i+1)
		}
	}
}

// Atoms have norm 1 afterwards, and rebuild and classify as before for codes
// that are as much longer as they are.
func TestUnstack(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	ω := []float64{0.5, 2, 3}
	both := classify.Unit(random(r, 10, 6))
	for i := range 7 {
		both.Set(i, 5, 1e-14) // atom 5 is a label alone
	}
	d, w, scale := unstack(both, ω)
	if v := scale[5]; v != 0 {
		t.Errorf("a label alone has the scale %v", v)
	}
	norms := make([]float64, 6)
	lin.SquaredColumnNorms(norms, d)
	for j, v := range norms {
		if want := 1.0; j == 5 && v != 0 || j < 5 && math.Abs(v-want) > 1e-12 {
			t.Errorf("atom %d has squared norm %v", j, v)
		}
	}
	s := random(r, 6, 4)
	longer := mat.DenseCopyOf(s)
	for j := range 6 {
		norm := mat.Norm(both.Slice(0, 7, j, j+1), 2)
		for i := range 4 {
			longer.Set(j, i, norm*s.At(j, i))
			if j == 5 {
				s.Set(j, i, 0)
			}
		}
	}
	var got, want mat.Dense
	got.Stack(mul(d, longer), stackedLabels(mul(w, longer), ω))
	want.Mul(both, s)
	if !mat.EqualApprox(&got, &want, 1e-12) {
		t.Error("D·s or W·s differs from the stack's")
	}
}

func mul(a, b *mat.Dense) *mat.Dense {
	var c mat.Dense
	c.Mul(a, b)
	return &c
}

func stackedLabels(b *mat.Dense, ω []float64) *mat.Dense {
	_, n := b.Dims()
	s := stack(mat.NewDense(1, n, nil), ω, b)
	return mat.DenseCopyOf(s.Slice(1, 1+len(ω), 0, n))
}

// With every sample an atom and λ = 0 the stacked dictionary is the stack
// itself: nothing is left to learn, and D and W stay X and H.
func TestSamplesAsAtomsAreAtRest(t *testing.T) {
	l := few(0, 5)
	l.Ridge, l.MinUses, l.Coherence = 0, 0, 1
	x, set, _, groups := start(t, l, 4, 3, 3)
	p := learned(t, l, set, consistency{α: 0.3, β: 2})
	if !mat.EqualApprox(p.D, x, 1e-9) || !mat.EqualApprox(linear(p), labels(groups), 1e-9) {
		t.Error("the dictionary leaves the samples")
	}
}

// Fewer atoms than samples, unequal classes, more features than samples and
// fewer.
func TestFamilyLearnsFewAtoms(t *testing.T) {
	for _, d := range []int{8, 60} {
		set := directions(1, d, 9, 5, 7)
		for _, m := range []classify.Method{
			KSVD{few(3, 5)}, DKSVD{few(3, 5), 1}, LCKSVD1{few(3, 5), 0.5}, LCKSVD2{few(3, 5), 0.5, 1},
		} {
			model, err := m.Fit(t.Context(), set, classify.Run{})
			if err != nil {
				t.Fatalf("%s: %v", m.Name(), err)
			}
			if _, k := model.Parts().D.Dims(); k != 9 {
				t.Errorf("%s: %d atoms", m.Name(), k)
			}
			got, err := model.Predict(t.Context(), set.X)
			if err != nil {
				t.Fatal(err)
			}
			right := 0
			for j, c := range set.Labels() {
				if got[j] == c {
					right++
				}
			}
			if right < 19 {
				t.Errorf("%s, %d features: %d of 21 training samples are named rightly", m.Name(), d, right)
			}
		}
	}
}

// What cannot be done is refused before the first pass.
func TestFamilyRefuses(t *testing.T) {
	set := directions(1, 8, 4, 4, 3)
	with := func(l SparseLearning, edit func(*SparseLearning)) SparseLearning {
		edit(&l)
		return l
	}
	l := few(2, 3)
	for want, m := range map[string]classify.Method{
		"atoms = 4, more than the 3": LCKSVD1{with(l, func(l *SparseLearning) { l.Atoms = 4 }), 1},
		"atoms = -1":                 KSVD{with(l, func(l *SparseLearning) { l.Atoms = -1 })},
		"ridge = -1":                 LCKSVD2{with(l, func(l *SparseLearning) { l.Ridge = -1 }), 1, 1},
		"init: ":                     KSVD{with(l, func(l *SparseLearning) { l.Init.Sparsity = 0 })},
		"gamma = 0":                  DKSVD{l, 0},
		"gamma = -1":                 DKSVD{l, -1},
		"alpha = -1":                 LCKSVD1{l, -1},
		"beta = 0":                   LCKSVD2{l, 1, 0},
		"alpha = NaN":                LCKSVD2{l, math.NaN(), 1},
	} {
		_, err := m.Fit(context.Background(), set, classify.Run{Watch: func(classify.Progress) { t.Errorf("%s: a pass was made", want) }})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
