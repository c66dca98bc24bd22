package method

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dictionary"
	"nrdl.example/nrdl/internal/lin"
)

// SparseLearning has the common parts of K-SVD, D-KSVD and LC-KSVD. Training
// samples and queries are coded by orthogonal matching pursuit. Atoms are
// learned by K-SVD, which starts from a K-SVD of each class.
//
// The groups of the dictionary in a model of these methods are those of D₀: the
// class of an atom is that of the samples from which it started. K-SVD may move
// or replace an atom regardless of its class; the rule does not use the class.
// The column of W shows what an atom stands for in the end.
type SparseLearning struct {
	dictionary.KSVD
	Atoms int             `json:"atoms" help:"K_c, atoms per class; 0 starts from every training sample as an atom"`
	Init  dictionary.KSVD `json:"init" help:"K-SVD of each class that draws D₀ where atoms > 0"`
	Ridge float64         `json:"ridge" help:"λ of the ridge regression of labels onto codes" eq:"[lcksvd]"`
}

// defaultSparseLearning has the values of the authors of LC-KSVD: T₀ = 30, 20
// passes for D₀ and 50 for D.
var defaultSparseLearning = func() SparseLearning {
	l := SparseLearning{KSVD: dictionary.DefaultKSVD, Init: dictionary.DefaultKSVD, Ridge: 1}
	l.Passes, l.Init.Passes = 50, 20
	return l
}()

// Validate reports the first parameter that is outside its range.
func (l SparseLearning) Validate() error {
	if err := cmp.Or(l.KSVD.Validate(), codesSomething(l.Error), counts(0, "atoms", l.Atoms)); err != nil {
		return err
	}
	if err := l.Init.Validate(); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	return weights("ridge", l.Ridge)
}

// codesSomething reports a length of the residual with which no sample, all
// having norm 1, would get an atom.
func codesSomething(ε float64) error {
	if ε >= 1 {
		return fmt.Errorf("error = %v is not < 1: samples have norm 1, and their codes would be empty", ε)
	}
	return nil
}

// coder codes samples over D₀, and queries over D.
func (l SparseLearning) coder() coding.OMP {
	return coding.OMP{Sparsity: l.Sparsity, Error: l.Error}
}

// KSVD learns a dictionary without labels [ksvd], then a linear classifier of
// the codes.
type KSVD struct{ SparseLearning }

// DefaultKSVD has the passes and the sparsity of LC-KSVD.
var DefaultKSVD = KSVD{defaultSparseLearning}

// Name implements classify.Method.
func (KSVD) Name() string { return "ksvd" }

// Describe returns a one-line description of the method.
func (KSVD) Describe() string {
	return "dictionary for sparse codes; then a linear classifier of the codes"
}

// Formulation gives the problem that the method solves.
func (KSVD) Formulation() string {
	return "min_{D,S}  ‖X − DS‖²   s.t. ‖s_j‖₀ ≤ T₀;  then  min_W  ‖H − WS‖² + λ‖W‖²\nclass: max_c (W·s)_c"
}

// Ranges implements Tunable. If every sample is an atom, the dictionary does
// not change, and the number of passes does not matter.
func (m KSVD) Ranges() []Range {
	if m.Atoms == 0 {
		return []Range{sparsity("sparsity"), ridgeRange}
	}
	return append(m.ranges(), ridgeRange)
}

// Fit implements classify.Method.
func (m KSVD) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return m.fit(ctx, m, train, run, consistency{regress: true})
}

// DKSVD learns a dictionary and a linear classifier of its sparse codes
// together [dksvd].
type DKSVD struct {
	SparseLearning
	Gamma float64 `json:"gamma" help:"γ, weight of the classification error; > 0" eq:"[dksvd]"`
}

// DefaultDKSVD gives labels and samples, both of norm 1, the same weight.
var DefaultDKSVD = DKSVD{SparseLearning: defaultSparseLearning, Gamma: 1}

// Name implements classify.Method.
func (DKSVD) Name() string { return "dksvd" }

// Describe returns a one-line description of the method.
func (DKSVD) Describe() string {
	return "dictionary for sparse codes and linear classifier learnt together"
}

// Formulation gives the problem that the method solves.
func (DKSVD) Formulation() string {
	return "min_{D,S,W}  ‖X − DS‖² + γ‖H − WS‖²   s.t. ‖s_j‖₀ ≤ T₀\nclass: max_c (W·s)_c"
}

// Validate implements classify.Method.
func (m DKSVD) Validate() error {
	return cmp.Or(m.SparseLearning.Validate(), classifies("gamma", m.Gamma))
}

// Ranges implements Tunable.
func (m DKSVD) Ranges() []Range {
	return append([]Range{decades("gamma", 1e-3, 10)}, m.ranges()...)
}

// Fit implements classify.Method.
func (m DKSVD) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return m.fit(ctx, m, train, run, consistency{β: m.Gamma})
}

// LCKSVD1 learns a dictionary whose sparse codes use atoms of a sample's own
// class, then a linear classifier of the codes [lcksvd].
type LCKSVD1 struct {
	SparseLearning
	Alpha float64 `json:"alpha" help:"α, weight of the label consistency" eq:"[lcksvd]"`
}

// DefaultLCKSVD1 has an α that gives labels about the weight of samples if a
// class has ten atoms; the effective weight is α·K_c.
var DefaultLCKSVD1 = LCKSVD1{SparseLearning: defaultSparseLearning, Alpha: 0.1}

// Name implements classify.Method.
func (LCKSVD1) Name() string { return "lcksvd1" }

// Describe returns a one-line description of the method.
func (LCKSVD1) Describe() string {
	return "dictionary for label-consistent sparse codes; then a linear classifier of the codes"
}

// Formulation gives the problem that the method solves.
func (LCKSVD1) Formulation() string {
	return "min_{D,S,A}  ‖X − DS‖² + α‖Q − AS‖²   s.t. ‖s_j‖₀ ≤ T₀;  then  min_W  ‖H − WS‖² + λ‖W‖²\nclass: max_c (W·s)_c"
}

// Validate implements classify.Method.
func (m LCKSVD1) Validate() error {
	return cmp.Or(m.SparseLearning.Validate(), weights("alpha", m.Alpha))
}

// Ranges implements Tunable. The effective weight is α·K_c, so α lies a decade
// below DKSVD's γ.
func (m LCKSVD1) Ranges() []Range {
	return append([]Range{decades("alpha", 1e-4, 1), ridgeRange}, m.ranges()...)
}

// Fit implements classify.Method.
func (m LCKSVD1) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return m.fit(ctx, m, train, run, consistency{α: m.Alpha, regress: true})
}

// LCKSVD2 learns a dictionary whose sparse codes use atoms of a sample's own
// class and a linear classifier of the codes together [lcksvd]. With α = 0 it
// is DKSVD, and with equal classes it is DKSVD with γ = β + α·K_c [equiv].
type LCKSVD2 struct {
	SparseLearning
	Alpha float64 `json:"alpha" help:"α, weight of the label consistency" eq:"[lcksvd]"`
	Beta  float64 `json:"beta" help:"β, weight of the classification error; > 0" eq:"[lcksvd]"`
}

// DefaultLCKSVD2 has weights that are about equivalent to DefaultDKSVD's if a
// class has ten atoms. The authors' α = 16, β = 4 are far too large for samples
// of norm 1: see doc/equations.md.
var DefaultLCKSVD2 = LCKSVD2{SparseLearning: defaultSparseLearning, Alpha: 0.05, Beta: 0.5}

// Name implements classify.Method.
func (LCKSVD2) Name() string { return "lcksvd2" }

// Describe returns a one-line description of the method.
func (LCKSVD2) Describe() string {
	return "dictionary for label-consistent sparse codes and linear classifier learnt together"
}

// Formulation gives the problem that the method solves.
func (LCKSVD2) Formulation() string {
	return "min_{D,S,A,W}  ‖X − DS‖² + α‖Q − AS‖² + β‖H − WS‖²   s.t. ‖s_j‖₀ ≤ T₀\nclass: max_c (W·s)_c"
}

// Validate implements classify.Method.
func (m LCKSVD2) Validate() error {
	return cmp.Or(m.SparseLearning.Validate(), weights("alpha", m.Alpha), classifies("beta", m.Beta))
}

// Ranges implements Tunable.
func (m LCKSVD2) Ranges() []Range {
	return append([]Range{decades("alpha", 1e-4, 1), decades("beta", 1e-3, 10)}, m.ranges()...)
}

// Fit implements classify.Method.
func (m LCKSVD2) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return m.fit(ctx, m, train, run, consistency{α: m.Alpha, β: m.Beta})
}

// classifies reports a weight of the classification error that is not > 0.
func classifies(name string, weight float64) error {
	if weight == 0 {
		return errors.New(name + " = 0 leaves the classifier without labels")
	}
	return weights(name, weight)
}

// A consistency says what K-SVD learns beside the samples, and whether the
// classifier is learnt anew from the codes of the last dictionary.
type consistency struct {
	α, β    float64
	regress bool
}

// weights returns ω, len C: the weight of the label of a sample of class c,
// whose atoms are those of groups, in the stack [X; ΩH] that K-SVD learns from.
//
// The papers stack [X; √α·Q; √β·H]. Sample j of class c has in Q a column of K_c
// ones, those of its class: Q = BH with B, K×C, the classes of the atoms. The
// transform onto Q starts as QSᵀ(SSᵀ+λI)⁻¹ = B·W₀, every update of K-SVD makes
// linear combinations of stacked columns, and a replaced atom is a stacked
// sample; so A = BW throughout. BᵀB is diagonal with the K_c, so that products
// of stacked columns are those of [X; ΩH] with ω_c² = αK_c + β [equiv]: the same
// atoms come from K rows less.
func (l consistency) weights(groups []int) []float64 {
	ω := make([]float64, len(groups)-1)
	for c := range ω {
		ω[c] = math.Sqrt(l.α*float64(groups[c+1]-groups[c]) + l.β)
	}
	return ω
}

// fit learns m.
func (l SparseLearning) fit(ctx context.Context, m classify.Method, train *classify.Samples, run classify.Run, with consistency) (*classify.Classifier, error) {
	return learnInOrder(m, train, run, func(x *mat.Dense, t *classify.Samples) (classify.Parts, error) {
		return l.learn(ctx, x, t, run, with)
	})
}

// learn learns dictionary and classifier from the samples x, d×N of unit norm,
// of the set t.
func (l SparseLearning) learn(ctx context.Context, x *mat.Dense, t *classify.Samples, run classify.Run, with consistency) (classify.Parts, error) {
	none := classify.Parts{}
	d, n := x.Dims()
	atoms := n
	if l.Atoms > 0 {
		atoms = l.Atoms * len(t.Classes)
	}
	if err := l.Fits(d, atoms); err != nil {
		return none, err
	}
	d0, groups, err := classwise(ctx, l.Init, x, t, l.Atoms)
	if err != nil {
		return none, err
	}
	p := classify.Parts{Groups: groups, Coder: l.coder()}
	var w *mat.Dense
	ω := with.weights(groups)
	if with.α == 0 && with.β == 0 {
		p.D, p.Trained, err = l.Learn(ctx, x, d0, run)
	} else {
		p.D, w, p.Trained, err = l.learnLabelled(ctx, x, t.Groups, d0, ω, run)
	}
	if err == nil && with.regress {
		w, err = l.classifier(ctx, p.D, x, t.Groups)
	}
	p.Rule = classify.Linear{W: w}
	return p, err
}

// learnLabelled learns D and W from the samples x, d×N, and their labels, which
// weigh ω, starting from D₀.
func (l SparseLearning) learnLabelled(ctx context.Context, x *mat.Dense, groups []int, d0 *mat.Dense, ω []float64, run classify.Run) (d, w *mat.Dense, out classify.Outcome, err error) {
	x, d0, expand := dictionary.Compress(x, d0)
	w0, err := l.classifier(ctx, d0, x, groups)
	if err != nil {
		return nil, nil, out, err
	}
	both, out, err := l.Learn(ctx, stack(x, ω, labels(groups)), stack(d0, ω, w0), run)
	if err != nil {
		return nil, nil, out, err
	}
	d, w = unstack(both, ω)
	return expand(d), w, out, nil
}

// classifier returns W = HSᵀ(SSᵀ + λI)⁻¹ for the codes S of the samples x, with
// these groups, over d.   [lcksvd]
func (l SparseLearning) classifier(ctx context.Context, d, x *mat.Dense, groups []int) (*mat.Dense, error) {
	over, err := l.coder().Over(d, nil)
	if err != nil {
		return nil, err
	}
	_, k := d.Dims()
	_, n := x.Dims()
	s, r := mat.NewDense(k, min(n, regressed), nil), newRegression(k, len(groups)-1)
	for lo := 0; lo < n; lo += regressed {
		hi := min(n, lo+regressed)
		part := lin.Cols(s, 0, hi-lo)
		if err := over.Code(ctx, part, lin.Cols(x, lo, hi)); err != nil {
			return nil, err
		}
		r.add(part, groups, lo)
	}
	return r.classifier(l.Ridge)
}

// labels returns H, C×N, with a 1 where a sample belongs to a class.
func labels(groups []int) *mat.Dense {
	classes := len(groups) - 1
	h := mat.NewDense(classes, groups[classes], nil)
	for c := range classes {
		row := h.RawRowView(c)
		for j := groups[c]; j < groups[c+1]; j++ {
			row[j] = 1
		}
	}
	return h
}

// stack returns [A; ΩB].
func stack(a *mat.Dense, ω []float64, b *mat.Dense) *mat.Dense {
	d, n := a.Dims()
	s := mat.NewDense(d+len(ω), n, nil)
	lin.Set(lin.Block(s, 0, d, 0, n), 1, a)
	for c, f := range ω {
		lin.Set(lin.Block(s, d+c, d+c+1, 0, n), f, lin.Block(b, c, c+1, 0, n))
	}
	return s
}

// pictureless is the norm of the part of a unit stacked atom that is in the
// space of the samples at which that part is rounding.
const pictureless = 1e-10

// unstack takes [D; ΩW] apart. Atoms are brought to norm 1, the columns of W
// with them, so that W·s stays what it was for the codes over the new D:
// D ← D/‖d_k‖, W ← W/‖d_k‖.   [lcksvd]
// An atom that is a label alone becomes zero, which no code uses.
func unstack(both *mat.Dense, ω []float64) (d, w *mat.Dense) {
	rows, k := both.Dims()
	rows -= len(ω)
	d = mat.DenseCopyOf(lin.Block(both, 0, rows, 0, k))
	w = mat.NewDense(len(ω), k, nil)
	for c, f := range ω {
		lin.Set(lin.Block(w, c, c+1, 0, k), 1/f, lin.Block(both, rows+c, rows+c+1, 0, k))
	}
	norms := make([]float64, k)
	lin.SquaredColumnNorms(norms, d)
	for i, v := range norms {
		norms[i] = 0
		if v > pictureless*pictureless {
			norms[i] = 1 / math.Sqrt(v)
		}
	}
	for _, a := range []*mat.Dense{d, w} {
		r, _ := a.Dims()
		for i := range r {
			for j := range norms {
				a.RawRowView(i)[j] *= norms[j]
			}
		}
	}
	return d, w
}
