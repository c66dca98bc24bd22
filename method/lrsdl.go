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

// LRSDL is FDDL with atoms D₀ of low rank that are common to all classes, and whose
// codes S⁰ are alike [lrsdl]:
//
//	J = ½Σ_i (‖X_i − D₀S_i^0 − DS_i‖² + ‖X_i − D₀S_i^0 − D_iS_i^i‖² + Σ_{j≠i} ‖D_jS_i^j‖²)
//	    + λ₁(‖S‖₁ + ‖S⁰‖₁) + ½λ₂(tr(S_w − S_b) + ‖S‖² + ‖S⁰ − M⁰‖²) + η‖D₀‖_*   s.t. ‖d_k‖ ≤ 1
//
// D and S are the atoms of the classes and their codes; all columns of M⁰ are the
// mean m₀ of S⁰, and ‖D₀‖_* is the sum of the singular values. Atoms of classes have
// norm 1.
//
// A query has the code min ½‖y − Ds − D₀s₀‖² + λ₁(‖s‖₁ + ‖s₀‖₁) + ½λ₂‖s₀ − m₀‖²; the
// class has the least ‖y − D₀s₀ − D_cs_c‖² + w‖s − m_c‖².
type LRSDL struct {
	Lambda1 float64 `json:"lambda1" help:"λ₁ > 0, weight of ‖S‖₁ and ‖S⁰‖₁" eq:"[lrsdl]"`
	Lambda2 float64 `json:"lambda2" help:"λ₂ ≥ 0, weight of the Fisher criterion and of ‖S⁰ − M⁰‖²" eq:"[lrsdl]"`
	Eta     float64 `json:"eta" help:"η ≥ 0, weight of ‖D₀‖_*" eq:"[lrsdl]"`
	Atoms   int     `json:"atoms" help:"K_c, atoms per class; 0 takes as many as its training images"`
	Common  int     `json:"common" help:"m₀ ≥ 1, common atoms; more than there are samples is as many"`
	Passes  int     `json:"passes" help:"at most so many passes; 0: 1000, but 15 without a tolerance where every image is an atom, as published"`
	Tol     float64 `json:"tol" help:"converged when a pass lowers J by less than this part of it"`
	Steps   int     `json:"steps" help:"steps that the codes, and D₀, make in a pass" eq:"[admm]"`
	Rho     float64 `json:"rho" help:"ρ > 0, penalty of the splitting of the codes" eq:"[admm]"`
	Omega   float64 `json:"omega" help:"ω, 1 to 2, over-relaxation of the steps; 1 is none" eq:"[admm] 3.4.3"`
	Weight  float64 `json:"weight" help:"w, weight of the distance to the mean code of a class"`
}

// DefaultLRSDL has the steps and the penalties of FDDL. λ₁ is half as large, as J is half of
// FDDL's.
var DefaultLRSDL = registerIterative(LRSDL{
	Lambda1: DefaultFDDL.Lambda1 / 2, Lambda2: DefaultFDDL.Lambda2, Eta: 0.02, Common: 5,
	Tol: DefaultFDDL.Tol, Steps: DefaultFDDL.Steps, Rho: DefaultFDDL.Rho, Omega: DefaultFDDL.Omega, Weight: DefaultFDDL.Weight,
})

func (LRSDL) Name() string { return "lrsdl" }

func (m LRSDL) Traits() classify.Traits {
	return classify.Traits{
		Family:      "Fisher dictionaries",
		Predecessor: "copar",
		Description: "FDDL with common atoms of low rank; the class with the least residual and the nearest mean code",
		Formulation: `min_{D,S}  ½Σ_i (‖X_i − D₀S_i^0 − DS_i‖² + ‖X_i − D₀S_i^0 − D_iS_i^i‖² + Σ_{j≠i} ‖D_jS_i^j‖²)
           + λ₁(‖S‖₁ + ‖S⁰‖₁) + ½λ₂(tr(S_w − S_b) + ‖S‖² + ‖S⁰ − M⁰‖²) + η‖D₀‖_*   s.t. ‖d_k‖ ≤ 1
class: min_c ‖y − D₀·s₀ − D_c·s_c‖² + w‖s − m_c‖²,  s = argmin ½‖y − Ds − D₀s₀‖² + λ₁‖s‖₁ + λ₁‖s₀‖₁ + ½λ₂‖s₀ − m₀‖²`,
		Memory: m.holds, Start: "DS",
		Ranges: []Range{
			decades("lambda1", 5e-4, 0.05), decades("lambda2", 5e-3, 0.5), decades("eta", 1e-3, 1),
			{Path: "common", Low: 1, High: 20},
			decades("weight", 0.05, 5),
		},
	}
}

// fddl is FDDL on what D₀ leaves of the samples: its J is twice that part of LRSDL's.
func (m LRSDL) fddl() FDDL {
	return FDDL{
		Lambda1: 2 * m.Lambda1, Lambda2: m.Lambda2, Eta: 1, Atoms: m.Atoms, Passes: m.Passes, Tol: m.Tol,
		Steps: m.Steps, Rho: m.Rho, Omega: m.Omega, Gamma: 2 * m.Lambda1, Weight: m.Weight,
	}
}

func (m LRSDL) Validate() error {
	return cmp.Or(aboveZero("lambda1", m.Lambda1), weights("eta", m.Eta), counts(1, "common", m.Common), m.fddl().Validate())
}

func (m LRSDL) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m LRSDL) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	m.Common = min(m.Common, train.Len())
	p := m.fddl().plan()
	p.common = m.Common
	return begin(ctx, m, train, run, p, func(t *task) (learner, error) {
		return newLRSDLState(m, t.span(), t.Groups, t.groups)
	})
}

// lrsdlState is the iterate of LRSDL: that of FDDL, whose samples are what D₀ leaves,
// X − D₀S⁰, and D₀ with its codes. All values are those of 2J.
type lrsdlState struct {
	*fddlState
	η  float64
	Y  *mat.Dense // d×N: the samples
	D0 *mat.Dense // d×m₀
	S0 *mat.Dense // m₀×N

	Z0, U0 *mat.Dense // m₀×N: the copy of S⁰ and its multiplier, kept from pass to pass

	allD, allS, allZ, allU *mat.Dense // [D D₀], [S; S⁰], [Z; Z₀], [U; U₀], of which these are parts
}

// newLRSDLState starts from commonAtoms with their codes, which leave to the classes
// what is not common, from FDDL's eigenfaces of that, and from S = 0.
func newLRSDLState(m LRSDL, x *mat.Dense, samples, atoms []int) (*lrsdlState, error) {
	f, err := newFDDLState(m.fddl(), mat.DenseCopyOf(x), samples, atoms)
	if err != nil {
		return nil, err
	}
	d, n := x.Dims()
	zero := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
	own := atoms[len(atoms)-1]
	k := own + m.Common
	s := &lrsdlState{
		fddlState: f, η: m.Eta, Y: x,
		allD: zero(d, k), allS: zero(k, n), allZ: zero(k, n), allU: zero(k, n),
	}
	s.D, s.D0 = lin.Cols(s.allD, 0, own), lin.Cols(s.allD, own, k)
	s.S, s.S0 = lin.Block(s.allS, 0, own, 0, n), lin.Block(s.allS, own, k, 0, n)
	s.Z, s.Z0 = lin.Block(s.allZ, 0, own, 0, n), lin.Block(s.allZ, own, k, 0, n)
	s.U, s.U0 = lin.Block(s.allU, 0, own, 0, n), lin.Block(s.allU, own, k, 0, n)
	commonAtoms(s.D0, x)
	if err := s.updateS0(); err != nil {
		return nil, err
	}
	s.leave()
	for c := range s.classes() {
		if err := eigenfaces(lin.Cols(s.D, atoms[c], atoms[c+1]), lin.Cols(s.X, samples[c], samples[c+1])); err != nil {
			return nil, err
		}
	}
	s.prepare()
	return s, nil
}

func (s *lrsdlState) Largest() float64           { return max(s.fddlState.Largest(), lin.MaxAbs(s.S0)) }
func (s *lrsdlState) codes() (*mat.Dense, error) { return s.allS, nil }

// Step makes one pass and returns the part of J by which it fell.
func (s *lrsdlState) Step() (float64, error) {
	before := s.J + s.common()
	if err := s.updateS(); err != nil {
		return math.NaN(), err
	}
	if err := s.updateS0(); err != nil {
		return math.NaN(), err
	}
	s.leave()
	s.updateD()
	s.updateD0()
	s.leave()
	return lowered(before, s.J+s.common()), nil
}

func (s *lrsdlState) variables() []variable {
	return []variable{dictionaryOf(s.allD), codesOf("S", s.allS), codesOf("Z", s.allZ), codesOf("U", s.allU)}
}

func (s *lrsdlState) restart(given map[string]*mat.Dense) error {
	if given["Z"] == nil {
		lin.Set(s.allZ, 1, s.allS)
	}
	symmetric(s.SS, s.S)
	s.leave()
	return nil
}

func (s *lrsdlState) parts(out classify.Outcome) (classify.Parts, error) {
	means, m0 := s.allMeans()
	return classify.Parts{
		D: s.allD, Groups: s.atoms,
		Coder: coding.Anchored{Lambda: s.Gamma / 2, Mu: s.Lambda2, Gap: coding.DefaultLasso.Gap, Mean: m0},
		Rule:  classify.Fisher{M: means, Weight: s.Weight}, Outcome: out,
	}, nil
}

// leave: the samples of FDDL become X − D₀S⁰
func (s *lrsdlState) leave() {
	lin.Set(s.X, 1, s.Y)
	lin.AddAB(s.X, -1, s.D0, s.S0)
	s.norm = lin.SquaredNorm(s.X)
	s.prepare()
}

// updateS0 lowers 2J in S⁰ by steps of the method of multipliers on S⁰ = Z [admm]:
//
//	V = X − ½(DS + D_iS_i^i)
//	S⁰ = (2D₀ᵀD₀ + (λ₂ + ρ)I)⁻¹[2D₀ᵀV + λ₂M(Z) + ρ(Z − U)]
//	Z = soft(S⁰ + U, 2λ₁/(2ρ)),  U ← U + S⁰ − Z
//
// with V what D₀S⁰ should be, since the two terms that have it are 2‖V − D₀S⁰‖² and a
// constant, and M(Z) the mean of all columns, whose part of J is concave: its tangent at Z
// bounds it. Z becomes S⁰, unless J would not be less.
func (s *lrsdlState) updateS0() error {
	m, n := s.S0.Dims()
	v, right, b := s.between(s.Y), mat.NewDense(m, n, nil), mat.NewDense(m, n, nil)
	a := mat.NewDense(m, m, nil)
	lin.AtA(a, 2, s.D0)
	lin.AddDiag(a, s.Lambda2+s.Rho) // 2D₀ᵀD₀ + (λ₂ + ρ)I
	lin.AtB(b, 2, s.D0, v)          // 2D₀ᵀV
	var spd lin.SPD
	if err := spd.Factor(a); err != nil {
		return fmt.Errorf("codes of the common atoms: %w", err)
	}
	for range s.Steps {
		lin.Set(right, 1, b)
		lin.Add(right, s.Rho, s.Z0)
		lin.Add(right, -s.Rho, s.U0)
		for i := range m {
			mean := s.Lambda2 * mean(s.Z0.RawRowView(i))
			row := right.RawRowView(i)
			for j := range row {
				row[j] += mean
			}
		}
		spd.Solve(right)
		split(right, s.Z0, s.U0, s.Lambda1/(2*s.Rho), 1)
	}
	if s.codesCost(v, s.Z0) < s.codesCost(v, s.S0) {
		lin.Set(s.S0, 1, s.Z0)
	}
	return nil
}

// mean of v.
func mean(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// codesCost: 2‖V − D₀S⁰‖² + λ₁‖S⁰‖₁ + λ₂‖S⁰ − M⁰‖², with FDDL's λ₁
func (s *lrsdlState) codesCost(v, s0 *mat.Dense) float64 {
	return 2*squaredError(v, s.D0, s0) + s.Lambda1*absSum(s0) + s.Lambda2*spread(s0)
}

// spread: ‖S⁰ − M⁰‖²
func spread(s0 *mat.Dense) (sum float64) {
	m, _ := s0.Dims()
	for i := range m {
		row := s0.RawRowView(i)
		mean := mean(row)
		for _, v := range row {
			sum += (v - mean) * (v - mean)
		}
	}
	return sum
}

// updateD0 lowers 2‖V − D₀S⁰‖² + 2η‖D₀‖_* in D₀.
func (s *lrsdlState) updateD0() {
	d, m := s.D0.Dims()
	p := rankProblem{E: mat.NewDense(d, m, nil), F: mat.NewDense(m, m, nil), α: 2 * s.η}
	lin.ABt(p.E, 2, s.between(s.Y), s.S0)
	symmetric(p.F, s.S0)
	lin.Set(p.F, 2, p.F)
	p.solve(s.D0, s.Steps)
}

// common: λ₁‖S⁰‖₁ + λ₂‖S⁰ − M⁰‖² + 2η‖D₀‖_*, with FDDL's λ₁
func (s *lrsdlState) common() float64 {
	return s.Lambda1*absSum(s.S0) + s.Lambda2*spread(s.S0) + 2*s.η*nuclear(s.D0)
}

// allMeans returns the mean codes of the classes, (K+m₀)×C, m₀ last in each, and m₀
// after zeros, 1×(K+m₀).
func (s *lrsdlState) allMeans() (means, m0 *mat.Dense) {
	own := s.means()
	k, classes := own.Dims()
	n, _ := s.S0.Dims()
	means, m0 = mat.NewDense(k+n, classes, nil), mat.NewDense(1, k+n, nil)
	lin.Set(lin.Block(means, 0, k, 0, classes), 1, own)
	for i := range n {
		v := mean(s.S0.RawRowView(i))
		m0.Set(0, k+i, v)
		for c := range classes {
			means.Set(k+i, c, v)
		}
	}
	return means, m0
}

// Objective returns the terms of J.
func (s *lrsdlState) Objective() []classify.Term {
	terms := s.fddlState.Objective()
	for i := range terms {
		terms[i].Value /= 2
	}
	return append(terms,
		classify.Term{Name: "common-sparsity", Value: s.Lambda1 / 2 * absSum(s.S0)},
		classify.Term{Name: "common-spread", Value: s.Lambda2 / 2 * spread(s.S0)},
		classify.Term{Name: "common-rank", Value: s.η * nuclear(s.D0)},
	)
}

// holds bounds the numbers that a fit holds beside the samples.
func (m LRSDL) holds(s Size) float64 {
	return m.fddl().holds(s) + (float64(s.Features)+6*float64(m.Common))*float64(s.Samples)
}
