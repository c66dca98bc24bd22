package method

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dictionary"
	"nrdl.example/nrdl/internal/lin"
)

// A consistency says what K-SVD learns beside the samples, and whether the
// classifier is learned again from the codes of the last dictionary.
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

// begin starts a fit of m.
func (l SparseLearning) begin(ctx context.Context, m classify.Described, train *classify.Samples,
	run classify.Run, with consistency,
) (*classify.Learning, error) {
	p := plan{Limits: classify.Limits{Passes: l.Passes}, atoms: l.Atoms}
	return begin(ctx, m, train, run, p, func(t *task) (learner, error) { return l.newSparseState(t, with) })
}

// sparseState is the iterate of K-SVD and its kin.
type sparseState struct {
	*dictionary.KSVDLearner
	SparseLearning
	consistency consistency
	t           *task
	ω           []float64                   // len C; nil where the samples have no labels below
	expand      func(*mat.Dense) *mat.Dense // of the atoms of stacked samples
}

// newSparseState starts from a K-SVD of each class.
func (l SparseLearning) newSparseState(t *task, with consistency) (*sparseState, error) {
	s := &sparseState{SparseLearning: l, consistency: with, t: t}
	d0, err := t.classwise(l.Init, t.x, l.Atoms)
	if err != nil {
		return nil, err
	}
	if with.α == 0 && with.β == 0 {
		s.KSVDLearner, err = l.KSVD.Start(t.ctx, t.x, d0)
		return s, err
	}
	s.ω = with.weights(t.groups)
	x, d0, expand := dictionary.Compress(t.x, d0)
	w0 := cmp.Or(t.start[s.weightsName()], t.start["W"])
	if w0 == nil {
		if w0, err = l.classifier(t.ctx, d0, x, t.Groups); err != nil {
			return nil, err
		}
	}
	s.expand = expand
	s.KSVDLearner, err = l.KSVD.Start(t.ctx, stack(x, s.ω, labels(t.Groups)), stack(d0, s.ω, w0))
	return s, err
}

// learned returns D, W where it is learned with D, and what the codes of the passes have
// to be multiplied with for D, len K.
func (s *sparseState) learned() (d, w *mat.Dense, norms []float64) {
	d = s.Dictionary()
	if s.ω != nil {
		d, w, norms = unstack(d, s.ω)
		d = s.expand(d)
	}
	return d, w, norms
}

// weightsName is that of what is learned with D: the W of the model, or the A of [lcksvd],
// each of its rows once for all atoms of a class, where W comes after it.
func (s *sparseState) weightsName() string {
	if s.consistency.regress {
		return "A"
	}
	return "W"
}

// variables has the codes over the atoms before some were replaced by samples, which have
// none, and their errors.
func (s *sparseState) variables() []variable {
	d, w, norms := s.learned()
	codes := s.Codes()
	for k, v := range norms {
		lin.Set(lin.Block(codes, k, k+1, 0, s.t.Len()), v, lin.Block(codes, k, k+1, 0, s.t.Len()))
	}
	all := []variable{dictionaryOf(d), codesOf("S", codes), row("errors", classify.SampleAxis, s.Errors())}
	if w != nil {
		all = append(all, variable{s.weightsName(), classify.ClassAxis, classify.AtomAxis, w})
	}
	return all
}

// restart gives the samples their codes of the pass before.
func (s *sparseState) restart(given map[string]*mat.Dense) error {
	codes, errors := given["S"], given["errors"]
	if errors == nil {
		return nil // the next pass codes them
	}
	_, _, norms := s.learned()
	for k, v := range norms {
		if v > 0 {
			row := codes.RawRowView(k)
			for j := range row {
				row[j] /= v
			}
		}
	}
	s.Resume(codes, errors.RawRowView(0))
	return nil
}

func (s *sparseState) parts(out classify.Outcome) (p classify.Parts, err error) {
	d, w, _ := s.learned()
	if s.consistency.regress {
		if w, err = s.classifier(s.t.ctx, d, s.t.x, s.t.Groups); err != nil {
			return p, err
		}
	}
	return classify.Parts{D: d, Groups: s.t.groups, Coder: s.coder(), Rule: classify.Linear{W: w}, Outcome: out}, nil
}

// codes are those of queries.
func (s *sparseState) codes() (*mat.Dense, error) {
	d, _, _ := s.learned()
	over, err := s.coder().Over(coding.Basis{D: d})
	if err != nil {
		return nil, err
	}
	codes := mat.NewDense(s.t.groups[len(s.t.Classes)], s.t.Len(), nil)
	return codes, over.Code(s.t.ctx, codes, s.t.x)
}

// classifier returns W = HSᵀ(SSᵀ + λI)⁻¹ for the codes S of the samples x, with
// these groups, over d.   [lcksvd]
func (l SparseLearning) classifier(ctx context.Context, d, x *mat.Dense, groups []int) (*mat.Dense, error) {
	over, err := l.coder().Over(coding.Basis{D: d})
	if err != nil {
		return nil, err
	}
	_, k := d.Dims()
	_, n := x.Dims()
	s, r := mat.NewDense(k, min(n, regressed), nil), regression{mat.NewDense(len(groups)-1, k, nil), mat.NewDense(k, k, nil)}
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
// An atom that is a label alone becomes zero, which no code uses, and W keeps the label. Codes over the new D are
// those of before times scale, len K.
func unstack(both *mat.Dense, ω []float64) (d, w *mat.Dense, scale []float64) {
	rows, k := both.Dims()
	rows -= len(ω)
	d = mat.DenseCopyOf(lin.Block(both, 0, rows, 0, k))
	w = mat.NewDense(len(ω), k, nil)
	for c, f := range ω {
		lin.Set(lin.Block(w, c, c+1, 0, k), 1/f, lin.Block(both, rows+c, rows+c+1, 0, k))
	}
	scale = make([]float64, k)
	lin.SquaredColumnNorms(scale, d)
	for i, v := range scale {
		column := lin.Cols(d, i, i+1)
		if v <= pictureless*pictureless {
			scale[i] = 0
			column.Zero()
			continue
		}
		scale[i] = math.Sqrt(v)
		lin.Set(column, 1/scale[i], column)
		column = lin.Cols(w, i, i+1)
		lin.Set(column, 1/scale[i], column)
	}
	return d, w, scale
}

// holds bounds the numbers that a fit holds beside the samples.
func (l SparseLearning) holds(s Size) float64 {
	d, n, c, k := float64(s.Features), float64(s.Samples), float64(s.Classes), atomsOf(l.Atoms, s)
	codes := 5 * min(float64(l.Sparsity), k) * n // twice, by sample and by atom
	return 3*(d+c)*n + codes + k*min(n, regressed) + 2*k*k
}
