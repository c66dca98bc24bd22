package method

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// SBD2L learns a dictionary from samples less a sparse error, with codes of low rank that are
// nearly block diagonal [sbd2l]:
//
//	J = ½‖X − DS − B‖² + α‖S‖_* + β‖B‖₁ + ½λ₁‖S − Q − R‖² + λ₂ Σ_i ‖R_i‖₂,₁
//
// R is what codes may differ from Q, and ‖R_i‖₂,₁ the sum of the norms of the rows of the
// samples of class i. W is learned from S by ridge regression; the class has the largest
// element of W·s. The authors code all queries together; here each is coded alone.
type SBD2L struct {
	Coder   coding.Separated `json:"coder"`
	Lambda1 float64          `json:"lambda1" help:"λ₁ > 0, weight of the distance of the codes to Q + R" eq:"[sbd2l]"`
	Lambda2 float64          `json:"lambda2" help:"λ₂ ≥ 0, weight of the slack R" eq:"[sbd2l]"`
	Atoms   int              `json:"atoms" help:"K_c, atoms per class; 0 takes as many as its training images"`
	Shrink  float64          `json:"shrink" help:"weight > 0 of ‖D‖² in the update of D" eq:"[sbd2l]"`
	Ridge   float64          `json:"ridge" help:"weight > 0 of ‖W‖² in the linear classifier" eq:"[lcksvd]"`
}

// DefaultSBD2L has the values of the authors' program for AR. Samples are coded with those of
// the coder, too.
var DefaultSBD2L = registerIterative(SBD2L{
	Coder:   coding.Separated{Alpha: 5e-4, Beta: 1e-4, Mu: 1e-5, Growth: 1.1, Tol: 1e-6, Passes: 1000},
	Lambda1: 5e-4, Lambda2: 1e-4, Shrink: 1e-4, Ridge: 0.1,
})

func (SBD2L) Name() string { return "sbd2l" }

func (m SBD2L) Traits() classify.Traits {
	return classify.Traits{
		Title: "SBD²L", Family: "NRDL", Predecessor: "lrsdl",
		Description: "dictionary of samples less a sparse error, with codes of low rank that are nearly block diagonal; linear classifier",
		Formulation: `min_{D,S,B,R}  ½‖X − DS − B‖² + α‖S‖_* + β‖B‖₁ + ½λ₁‖S − Q − R‖² + λ₂ Σ_i ‖R_i‖₂,₁
class: max_c (W·s)_c,  (s, b) = argmin ½‖y − Ds − b‖² + α‖s‖ + β‖b‖₁`,
		Coder: m.Coder, Start: "D",
		Memory: func(s Size) float64 {
			d, n, k := float64(s.Features), float64(s.Samples), atomsOf(m.Atoms, s)
			return 2*d*n + 8*k*n + 3*k*k + 6*n*n + m.Coder.Work(s.Features, int(k)).Memory
		},
		Ranges: []Range{
			decades("coder.alpha", 5e-5, 5e-3), decades("coder.beta", 1e-5, 1e-3),
			decades("lambda1", 5e-5, 5e-3), decades("lambda2", 1e-5, 1e-3),
		},
	}
}

func (m SBD2L) Validate() error {
	return cmp.Or(aboveZero("lambda1", m.Lambda1, "shrink", m.Shrink, "ridge", m.Ridge),
		weights("lambda2", m.Lambda2), counts(0, "atoms", m.Atoms), m.Coder.Validate())
}

func (m SBD2L) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

// Start implements classify.Iterative. B is sparse at the samples' own coordinates: they are
// not replaced by those in their span.
func (m SBD2L) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	p := plan{Limits: classify.Limits{Passes: m.Coder.Passes, Tol: m.Coder.Tol}, atoms: m.Atoms}
	return begin(ctx, m, train, run, p, func(t *task) (learner, error) {
		d, _ := t.x.Dims()
		err := fits(m.Coder, t.Grid, d, t.groups[len(t.Classes)])
		return newSBD2LState(m, t.x, t.Groups, t.groups), err
	})
}

// sbd2lState is the iterate of SBD2L.
type sbd2lState struct {
	SBD2L
	partition
	X, D, Q    *mat.Dense // d×N, d×K, K×N
	B          *mat.Dense // d×N: the error
	S, J, T, R *mat.Dense // K×N: the codes, their copy and its multiplier, the slack
	μ          float64
}

// newSBD2LState starts from the first samples of each class, and all else zero.
func newSBD2LState(m SBD2L, x *mat.Dense, samples, atoms []int) *sbd2lState {
	d, n := x.Dims()
	k := atoms[len(atoms)-1]
	zero := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
	s := &sbd2lState{
		SBD2L: m, partition: partition{atoms, samples}, X: x, D: firstSamples(x, samples, atoms), Q: zero(k, n), B: zero(d, n),
		S: zero(k, n), J: zero(k, n), T: zero(k, n), R: zero(k, n), μ: m.Coder.Mu,
	}
	lin.AtB(s.Q, 1, labels(atoms), labels(samples))
	return s
}

func (s *sbd2lState) Largest() float64           { return max(lin.MaxAbs(s.S), lin.MaxAbs(s.D)) }
func (s *sbd2lState) codes() (*mat.Dense, error) { return s.S, nil }

func (s *sbd2lState) variables() []variable {
	return []variable{
		dictionaryOf(s.D), codesOf("S", s.S), codesOf("J", s.J), codesOf("T", s.T), codesOf("R", s.R),
		{"B", classify.FeatureAxis, classify.SampleAxis, s.B},
		number("mu", s.μ),
	}
}

// restart leaves all but D at zero unless a whole state is given.
func (s *sbd2lState) restart(given map[string]*mat.Dense) error {
	if μ := given["mu"]; μ != nil {
		s.μ = μ.At(0, 0)
	}
	return nil
}

func (s *sbd2lState) parts(out classify.Outcome) (classify.Parts, error) {
	w, err := classifier(s.S, s.samples, s.Ridge) // W = HSᵀ(SSᵀ + λI)⁻¹
	return classify.Parts{D: s.D, Groups: s.atoms, Coder: s.Coder, Rule: classify.Linear{W: w}, Outcome: out}, err
}

// Step makes one pass of the inexact method of multipliers on S = J, in the order of the
// published program, and returns max|S − J|. Each update lowers J with its terms of the
// splitting in one variable, that of D with its ridge; the growth of μ raises these.
func (s *sbd2lState) Step() (float64, error) {
	for _, u := range []update{{"S", s.updateS}, {"J", s.updateJ}, {"B", s.updateB}, {"R", s.updateR}, {"D", s.updateD}} {
		if err := u.renew(); err != nil {
			return math.NaN(), fmt.Errorf("update of %s: %w", u.name, err)
		}
	}
	residual := lin.MaxAbsDiff(s.S, s.J)
	lin.Add(s.T, s.μ, s.S)
	lin.Add(s.T, -s.μ, s.J)
	s.μ *= s.Coder.Growth
	return residual, nil
}

// updateS: S = (DᵀD + (λ₁ + μ)I)⁻¹ [Dᵀ(X − B) + λ₁(Q + R) + μJ − T]
func (s *sbd2lState) updateS() error {
	k, _ := s.S.Dims()
	g := mat.NewDense(k, k, nil)
	lin.AtA(g, 1, s.D)
	lin.AddDiag(g, s.Lambda1+s.μ)
	lin.AtB(s.S, 1, s.D, s.X)
	lin.AddAtB(s.S, -1, s.D, s.B)
	lin.Add(s.S, s.Lambda1, s.Q)
	lin.Add(s.S, s.Lambda1, s.R)
	lin.Add(s.S, s.μ, s.J)
	lin.Add(s.S, -1, s.T)
	var spd lin.SPD
	return solve(&spd, g, s.S)
}

// updateJ: J = S + T/μ with its singular values lowered by α/μ
func (s *sbd2lState) updateJ() error {
	v := mat.DenseCopyOf(s.S)
	lin.Add(v, 1/s.μ, s.T)
	if largest := lin.MaxAbs(v); !(largest <= classify.DivergenceBound) {
		return fmt.Errorf("%w: S + T/μ holds %.3g", classify.ErrDiverged, largest)
	}
	shrinkRank(s.J, v, s.Coder.Alpha/s.μ)
	return nil
}

// updateB: B = soft(X − DS, β)
func (s *sbd2lState) updateB() error {
	lin.Set(s.B, 1, s.X)
	lin.AddAB(s.B, -1, s.D, s.S)
	s.B.Apply(func(_, _ int, v float64) float64 { return soft(v, s.Coder.Beta) }, s.B)
	return nil
}

// updateR: the rows of R_i are max(0, 1 − λ₂/(λ₁‖v‖))·v, with v those of S_i − Q_i
func (s *sbd2lState) updateR() error {
	lin.Set(s.R, 1, s.S)
	lin.Add(s.R, -1, s.Q)
	s.eachSlack(func(v blas64.Vector, norm float64) { blas64.Scal(max(0, 1-s.Lambda2/(s.Lambda1*norm)), v) })
	return nil
}

// eachSlack calls f with the rows of all R_i that are not 0, and their norms.
func (s *sbd2lState) eachSlack(f func(row blas64.Vector, norm float64)) {
	k, _ := s.R.Dims()
	for i := range k {
		for c := range s.classes() {
			row := s.R.RawRowView(i)[s.samples[c]:s.samples[c+1]]
			v := blas64.Vector{N: len(row), Inc: 1, Data: row}
			if norm := blas64.Nrm2(v); norm > 0 {
				f(v, norm)
			}
		}
	}
}

// updateD: D = (X − B)Sᵀ(SSᵀ + εI)⁻¹, with ε the weight shrink
func (s *sbd2lState) updateD() error {
	k, _ := s.S.Dims()
	f := mat.NewDense(k, k, nil)
	lin.AAt(f, 1, s.S)
	lin.AddDiag(f, s.Shrink)
	var spd lin.SPD
	if _, err := spd.FactorOrRidge(f); err != nil {
		return err
	}
	lin.ABt(s.D, 1, s.X, s.S)
	lin.AddABt(s.D, -1, s.B, s.S)
	spd.SolveRight(s.D)
	return nil
}

// Objective returns the terms of J.
func (s *sbd2lState) Objective() []classify.Term {
	e, v := mat.DenseCopyOf(s.X), mat.DenseCopyOf(s.S)
	lin.Add(e, -1, s.B)
	lin.Add(v, -1, s.Q)
	var slack float64
	s.eachSlack(func(_ blas64.Vector, norm float64) { slack += norm })
	return []classify.Term{
		{Name: "reconstruction", Value: squaredError(e, s.D, s.S) / 2},
		{Name: "rank", Value: s.Coder.Alpha * nuclear(s.S)},
		{Name: "error", Value: s.Coder.Beta * absSum(s.B)},
		{Name: "blocks", Value: s.Lambda1 / 2 * squaredDifference(v, s.R)},
		{Name: "slack", Value: s.Lambda2 * slack},
	}
}
