package method

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// DLSI learns a dictionary D_i for each class, from its samples alone but for a
// term that keeps the dictionaries of different classes incoherent [dlsi]:
//
//	J = Σ_i (‖X_i − D_iA_i‖² + λ‖A_i‖₁) + η Σ_i Σ_{j≠i} ‖D_iᵀD_j‖²   s.t. ‖d_k‖ ≤ 1
//
// A query is coded over each D_i alone; the class has the least part of J.
type DLSI struct {
	Lambda float64 `json:"lambda" help:"λ > 0, weight of ‖A_i‖₁" eq:"[dlsi]"`
	Eta    float64 `json:"eta" help:"η ≥ 0, weight of the incoherence" eq:"[dlsi]"`
	Atoms  int     `json:"atoms" help:"m, atoms per class; 0 takes as many as its training images"`
	Passes int     `json:"passes" help:"at most so many passes; 0: 1000, but 10 without a tolerance where every image is an atom, as published"`
	Tol    float64 `json:"tol" help:"converged when a pass lowers J by less than this part of it"`
	Steps  int     `json:"steps" help:"gradient steps of the atoms of a class in a pass"`
	Gap    float64 `json:"gap" help:"duality gap > 0 of a code, in units of ‖y‖²"`
}

// DefaultDLSI has the penalty of SRC, and an incoherence that is felt and leaves the
// rates as they are.
var DefaultDLSI = registerIterative(DLSI{Lambda: 0.01, Eta: 1e-3, Tol: 5e-5, Steps: 5, Gap: 1e-6})

func (DLSI) Name() string { return "dlsi" }

func (m DLSI) Traits() classify.Traits {
	return classify.Traits{
		Predecessor: "lcksvd2",
		Description: "sparse codes over dictionaries of the classes that are incoherent; the class with the least cost",
		Formulation: `min_{D,A}  Σ_i (‖X_i − D_iA_i‖² + λ‖A_i‖₁) + η Σ_i Σ_{j≠i} ‖D_iᵀD_j‖²   s.t. ‖d_k‖ ≤ 1
class: min_c min_s ‖y − D_c·s‖² + λ‖s‖₁`,
		Memory: m.holds, Start: "DS",
		Ranges: []Range{decades("lambda", 1e-3, 0.1), decades("eta", 1e-6, 0.1)},
	}
}

func (m DLSI) Validate() error {
	return cmp.Or(weights("eta", m.Eta, "tol", m.Tol), aboveZero("lambda", m.Lambda, "gap", m.Gap),
		counts(0, "atoms", m.Atoms, "passes", m.Passes), counts(1, "steps", m.Steps), m.coder().Validate())
}

// coder codes queries, and samples over the dictionary of their class: λ weighs
// against ‖y − Ds‖², that of the coder against half of it.
func (m DLSI) coder() coding.ClassLasso { return coding.ClassLasso{Lambda: m.Lambda / 2, Gap: m.Gap} }

func (m DLSI) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m DLSI) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	p := plan{Limits: classify.Limits{Passes: m.Passes, Tol: m.Tol}, whole: 10, atoms: m.Atoms}
	return begin(ctx, m, train, run, p, func(t *task) (learner, error) {
		return newDLSIState(ctx, m, t.span(), t.Groups, t.groups), nil
	})
}

// dlsiState is the iterate of DLSI.
type dlsiState struct {
	DLSI
	ctx context.Context
	partition
	X *mat.Dense // d×N

	D *mat.Dense   // d×K
	A []*mat.Dense // m×n_i: the codes of X_i over D_i
	W *mat.Dense   // d×d: DDᵀ but for the class that is renewed
	J float64      // the objective, +Inf before the first pass
}

// newDLSIState starts from the first samples of each class.
func newDLSIState(ctx context.Context, m DLSI, x *mat.Dense, samples, atoms []int) *dlsiState {
	d, _ := x.Dims()
	s := &dlsiState{
		DLSI: m, ctx: ctx, X: x, partition: partition{atoms, samples},
		D: firstSamples(x, samples, atoms), W: mat.NewDense(d, d, nil), J: math.Inf(1),
	}
	for c := range len(samples) - 1 {
		s.A = append(s.A, mat.NewDense(atoms[c+1]-atoms[c], samples[c+1]-samples[c], nil))
	}
	return s
}

// firstSamples returns the first columns of each class of x, as many as it has
// atoms.
func firstSamples(x *mat.Dense, samples, atoms []int) *mat.Dense {
	var columns []int
	for c, from := range samples[:len(samples)-1] {
		for k := range atoms[c+1] - atoms[c] {
			columns = append(columns, from+k)
		}
	}
	return lin.Select(x, columns)
}

func (s *dlsiState) Largest() (v float64) {
	for _, a := range s.A {
		v = max(v, lin.MaxAbs(a))
	}
	return v
}

// Step makes one pass and returns the part of J by which it fell.
func (s *dlsiState) Step() (float64, error) {
	if err := s.updateA(); err != nil {
		return math.NaN(), err
	}
	s.updateD()
	before := s.J
	s.J = classify.Total(s.Objective())
	return lowered(before, s.J), nil
}

func (s *dlsiState) variables() []variable {
	return []variable{dictionaryOf(s.D), codesOf("S", blockDiagonal(s.A))}
}

// restart takes the codes that were given, and renews D by them where it was not.
func (s *dlsiState) restart(given map[string]*mat.Dense) error {
	codes := given["S"]
	if codes == nil {
		return nil
	}
	for c, a := range s.A {
		a0, a1, j0, j1 := s.block(c)
		a.Copy(lin.Block(codes, a0, a1, j0, j1))
	}
	if given["D"] == nil {
		s.updateD()
	}
	s.J = classify.Total(s.Objective())
	return nil
}

func (s *dlsiState) codes() (*mat.Dense, error) { return blockDiagonal(s.A), nil }

func (s *dlsiState) parts(out classify.Outcome) (classify.Parts, error) {
	return classify.Parts{D: s.D, Groups: s.atoms, Coder: s.coder(), Rule: classify.Cost{}, Outcome: out}, nil
}

// blockDiagonal returns the matrix with these blocks along its diagonal.
func blockDiagonal(all []*mat.Dense) *mat.Dense {
	var m, n int
	for _, a := range all {
		r, c := a.Dims()
		m, n = m+r, n+c
	}
	out := mat.NewDense(m, n, nil)
	m, n = 0, 0
	for _, a := range all {
		r, c := a.Dims()
		lin.Set(lin.Block(out, m, m+r, n, n+c), 1, a)
		m, n = m+r, n+c
	}
	return out
}

// class returns D_i and X_i.
func (s *dlsiState) class(c int) (d, x *mat.Dense) {
	return lin.Cols(s.D, s.atoms[c], s.atoms[c+1]), lin.Cols(s.X, s.samples[c], s.samples[c+1])
}

// updateA: A_i = argmin ‖X_i − D_iA‖² + λ‖A‖₁
func (s *dlsiState) updateA() error {
	for c, a := range s.A {
		d, x := s.class(c)
		m, _ := a.Dims()
		over, err := s.coder().Over(coding.Basis{D: d, Groups: []int{0, m}})
		if err == nil {
			err = over.Code(s.ctx, a, x)
		}
		if err != nil {
			return fmt.Errorf("codes of class %d: %w", c, err)
		}
	}
	return nil
}

// updateD lowers J in the atoms of one class after the other:
//
//	tr(DA_iA_iᵀDᵀ) − 2⟨X_iA_iᵀ, D⟩ + 2η⟨D, (Σ_{j≠i} D_jD_jᵀ)D⟩   s.t. ‖d_k‖ ≤ 1
func (s *dlsiState) updateD() {
	symmetric(s.W, s.D) // DDᵀ
	for c, a := range s.A {
		d, x := s.class(c)
		m, _ := a.Dims()
		rows, _ := d.Dims()
		p := ballProblem{E: mat.NewDense(rows, m, nil), F: mat.NewDense(m, m, nil), W: s.W, η: s.Eta}
		lin.ABt(p.E, 1, x, a)
		symmetric(p.F, a)
		lin.AddABt(s.W, -1, d, d)
		p.solve(d, s.Steps)
		lin.AddABt(s.W, 1, d, d)
	}
}

// Objective returns the terms of J.
func (s *dlsiState) Objective() []classify.Term {
	var fit, abs float64
	for c, a := range s.A {
		d, x := s.class(c)
		fit += squaredError(x, d, a)
		abs += absSum(a)
	}
	return []classify.Term{
		{Name: "reconstruction", Value: fit},
		{Name: "sparsity", Value: s.Lambda * abs},
		{Name: "incoherence", Value: s.Eta * incoherence(s.D, s.atoms)},
	}
}

// absSum: ‖A‖₁
func absSum(a *mat.Dense) (sum float64) {
	m, _ := a.Dims()
	for i := range m {
		for _, v := range a.RawRowView(i) {
			sum += math.Abs(v)
		}
	}
	return sum
}

// incoherence: Σ_i Σ_{j≠i} ‖D_iᵀD_j‖², of the groups of columns of d, the columns
// after the last group being one of their own
func incoherence(d *mat.Dense, groups []int) float64 {
	_, k := d.Dims()
	g := mat.NewDense(k, k, nil)
	lin.AtA(g, 1, d)
	lin.Mirror(g)
	sum := lin.SquaredNorm(g)
	for c, lo := range groups {
		hi := k
		if c < len(groups)-1 {
			hi = groups[c+1]
		}
		if lo < hi {
			sum -= lin.SquaredNorm(lin.Block(g, lo, hi, lo, hi))
		}
	}
	return sum
}

// holds bounds the numbers that a fit holds beside the samples.
func (m DLSI) holds(s Size) float64 {
	return atomsOf(m.Atoms, s)*float64(s.Samples)/float64(s.Classes) + 2*float64(s.Features)*float64(s.Features)
}
