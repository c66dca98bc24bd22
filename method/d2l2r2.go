package method

import (
	"cmp"
	"context"

	"gonum.org/v1/gonum/mat"

	"nrdl/classify"
	"nrdl/internal/lin"
	"nrdl/internal/parallel"
)

// D2L2R2 is FDDL with class dictionaries of low rank [d2l2r2]:
//
//	J = J_FDDL + α Σ_i ‖D_i‖_*   s.t. ‖d_k‖ ≤ 1
//
// with ‖D_i‖_* the sum of the singular values. Queries are coded and classified as
// by FDDL. The sparse error that the paper separates from the samples of a class
// while it renews D_i is left out.
type D2L2R2 struct {
	FDDL
	Alpha     float64 `json:"alpha" help:"α ≥ 0, weight of ‖D_i‖_*" eq:"[d2l2r2]"`
	RankSteps int     `json:"rank_steps" help:"steps that the atoms of a class make in a pass" eq:"[admm]"`
}

// DefaultD2L2R2 has the values of FDDL.
var DefaultD2L2R2 = D2L2R2{FDDL: DefaultFDDL, Alpha: 0.01, RankSteps: 5}

// Name implements classify.Method.
func (D2L2R2) Name() string { return "d2l2r2" }

// Describe returns a one-line description of the method.
func (D2L2R2) Describe() string {
	return "FDDL with class dictionaries of low rank; the class with the least residual and the nearest mean code"
}

// Formulation gives the problem that the method solves.
func (D2L2R2) Formulation() string {
	return `min_{D,S}  Σ_i (‖X_i − DS_i‖² + ‖X_i − D_iS_i^i‖² + Σ_{j≠i} ‖D_jS_i^j‖² + α‖D_i‖_*)
           + λ₁‖S‖₁ + λ₂(tr(S_w − S_b) + η‖S‖²)   s.t. ‖d_k‖ ≤ 1
class: min_c ‖y − D_c·s_c‖² + w‖s − m_c‖²,  s = argmin ‖y − Ds‖² + γ‖s‖₁`
}

// Validate implements classify.Method.
func (m D2L2R2) Validate() error {
	return cmp.Or(m.FDDL.Validate(), weights("alpha", m.Alpha), counts(1, "rank_steps", m.RankSteps))
}

// Ranges implements Tunable.
func (m D2L2R2) Ranges() []Range { return append(m.FDDL.Ranges(), decades("alpha", 1e-4, 1)) }

// Fit implements classify.Method.
func (m D2L2R2) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return learnInOrder(m, train, run, func(x *mat.Dense, t *classify.Samples) (p classify.Parts, err error) {
		return m.FDDL.learnBy(ctx, x, t, run, func(s *fddlState) classify.Stepper { return m.over(s) })
	})
}

// over returns the iterate with the state of FDDL.
func (m D2L2R2) over(s *fddlState) *d2l2r2State {
	s.renew = func(d, e, a *mat.Dense) {
		f := mat.DenseCopyOf(a)
		lin.Set(f, 2, f) // ZZᵀ
		p := rankProblem{E: mat.DenseCopyOf(e), F: f, α: m.Alpha}
		lin.AddAB(p.E, 1, d, f) // ΛZᵀ
		p.solve(d, m.RankSteps)
	}
	return &d2l2r2State{fddlState: s, α: m.Alpha}
}

// d2l2r2State is the iterate of D2L2R2.
type d2l2r2State struct {
	*fddlState
	α float64
}

// Step makes one pass and returns the part of J by which it fell.
func (s *d2l2r2State) Step() (float64, error) {
	before := s.J + s.α*s.ranks()
	if err := s.updateS(); err != nil {
		return before, err
	}
	s.updateD()
	s.prepare()
	if now := s.J + s.α*s.ranks(); now < before {
		return (before - now) / before, nil
	}
	return 0, nil // by rounding errors
}

// ranks: Σ_i ‖D_i‖_*
func (s *d2l2r2State) ranks() (sum float64) {
	all := make([]float64, len(s.atoms)-1)
	parallel.For(len(all), 1, func(c, _ int) { all[c] = nuclear(lin.Cols(s.D, s.atoms[c], s.atoms[c+1])) })
	for _, v := range all {
		sum += v
	}
	return sum
}

// Objective returns the terms of J.
func (s *d2l2r2State) Objective() []classify.Term {
	return append(s.fddlState.Objective(), classify.Term{Name: "rank", Value: s.α * s.ranks()})
}
