package method

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// D2L2R2 is FDDL with class dictionaries of low rank, of samples less a sparse
// error [d2l2r2]:
//
//	J = J_FDDL(X − E) + α Σ_i ‖D_i‖_* + β‖E‖₂,₁   s.t. ‖d_k‖ ≤ 1
//
// with ‖D_i‖_* the sum of the singular values and ‖E‖₂,₁ that of the norms of the
// columns, of which most are 0. Queries are coded and classified as by FDDL. The paper
// separates E from the samples of a class while it renews D_i, as a constraint;
// here it is a part of J, which every update lowers.
type D2L2R2 struct {
	FDDL
	Alpha     float64 `json:"alpha" help:"α ≥ 0, weight of ‖D_i‖_*" eq:"[d2l2r2]"`
	Beta      float64 `json:"beta" omitted:"0" help:"β, weight of ‖E‖₂,₁, the sparse error of the samples; 0 has no error" eq:"[d2l2r2]"`
	RankSteps int     `json:"rank_steps" help:"steps that the atoms of a class make in a pass" eq:"[admm]"`
}

// DefaultD2L2R2 has the values of FDDL, and no sparse error.
var DefaultD2L2R2 = registerIterative(D2L2R2{FDDL: DefaultFDDL, Alpha: 0.01, RankSteps: 5})

func (D2L2R2) Name() string { return "d2l2r2" }

func (m D2L2R2) Traits() classify.Traits {
	t := m.FDDL.Traits()
	t.Title, t.Predecessor = "D²L²R²", "fddl"
	t.Description = "FDDL with class dictionaries of low rank; the class with the least residual and the nearest mean code"
	t.Formulation = `min_{D,S,E}  Σ_i (‖Y_i − DS_i‖² + ‖Y_i − D_iS_i^i‖² + Σ_{j≠i} ‖D_jS_i^j‖² + α‖D_i‖_*)
             + λ₁‖S‖₁ + λ₂(tr(S_w − S_b) + η‖S‖²) + β‖E‖₂,₁   s.t. ‖d_k‖ ≤ 1, Y = X − E
class: min_c ‖y − D_c·s_c‖² + w‖s − m_c‖²,  s = argmin ‖y − Ds‖² + γ‖s‖₁`
	t.Ranges = append(t.Ranges, decades("alpha", 1e-4, 1))
	return t
}

func (m D2L2R2) Validate() error {
	return cmp.Or(m.FDDL.Validate(), weights("alpha", m.Alpha, "beta", m.Beta), counts(1, "rank_steps", m.RankSteps))
}

func (m D2L2R2) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m D2L2R2) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	return begin(ctx, m, train, run, m.plan(), func(t *task) (learner, error) {
		s, err := newFDDLState(m.FDDL, t.span(), t.Groups, t.groups)
		if err != nil {
			return nil, err
		}
		return m.over(s), nil
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
	return &d2l2r2State{fddlState: s, α: m.Alpha, β: m.Beta, x: s.X}
}

// d2l2r2State is the iterate of D2L2R2; X of FDDL's is X − E.
type d2l2r2State struct {
	*fddlState
	α, β float64
	x    *mat.Dense // d×N: X
}

// Step makes one pass and returns the part of J by which it fell.
func (s *d2l2r2State) Step() (float64, error) {
	before := s.J + s.more()
	if err := s.updateS(); err != nil {
		return before, err
	}
	s.updateD()
	s.updateE()
	s.prepare()
	return lowered(before, s.J+s.more()), nil
}

// restart renews E, which follows from D and S, at the end of a pass as here.
func (s *d2l2r2State) restart(given map[string]*mat.Dense) error {
	if given["S"] != nil {
		s.updateE()
	}
	return s.fddlState.restart(given)
}

// more: what J has beside J_FDDL
func (s *d2l2r2State) more() float64 { return s.α*s.ranks() + s.β*s.errors() }

// updateE minimises J in E. For a sample of class i with the residuals p = x − Ds and
// q = x − D_is^i it is ‖p − e‖² + ‖q − e‖² + β‖e‖ = 2‖e − r‖² + β‖e‖ + const:
//
//	e = max(0, 1 − β/(4‖r‖))·r,  r = (p + q)/2
func (s *d2l2r2State) updateE() {
	if s.β == 0 {
		return
	}
	r := s.between(s.x)
	_, n := r.Dims()
	shares := make([]float64, n)
	lin.SquaredColumnNorms(shares, r)
	for j, squared := range shares {
		shares[j] = max(0, 1-s.β/(4*math.Sqrt(squared)))
	}
	s.X = mat.DenseCopyOf(s.x)
	for i := range s.X.RawMatrix().Rows {
		x, e := s.X.RawRowView(i), r.RawRowView(i)
		for j, share := range shares {
			x[j] -= share * e[j] // X − E
		}
	}
	s.norm = lin.SquaredNorm(s.X)
}

// errors: ‖E‖₂,₁
func (s *d2l2r2State) errors() (sum float64) {
	if s.X == s.x {
		return 0
	}
	var e mat.Dense
	e.Sub(s.x, s.X)
	_, n := e.Dims()
	squared := make([]float64, n)
	lin.SquaredColumnNorms(squared, &e)
	for _, v := range squared {
		sum += math.Sqrt(v)
	}
	return sum
}

// ranks: Σ_i ‖D_i‖_*
func (s *d2l2r2State) ranks() (sum float64) {
	all := make([]float64, s.classes())
	parallel.For(len(all), 1, func(c, _ int) { all[c] = nuclear(lin.Cols(s.D, s.atoms[c], s.atoms[c+1])) })
	for _, v := range all {
		sum += v
	}
	return sum
}

// Objective returns the terms of J.
func (s *d2l2r2State) Objective() []classify.Term {
	terms := append(s.fddlState.Objective(), classify.Term{Name: "rank", Value: s.α * s.ranks()})
	if s.β > 0 {
		terms = append(terms, classify.Term{Name: "error", Value: s.β * s.errors()})
	}
	return terms
}
