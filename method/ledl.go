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

// LEDL is LC-KSVD with an ℓ1 penalty instead of the number of coefficients [ledl]:
//
//	J = ‖X − DS‖² + λ‖H − WS‖² + ω‖Q − AS‖² + 2ε‖S‖₁   s.t. ‖d_k‖, ‖w_k‖, ‖a_k‖ ≤ 1
//
// A query is coded by min ‖y − Ds‖² + 2ε‖s‖₁; the class has the largest element of W·s.
//
// Q has a row for each atom, and those of a class are equal: so are the rows of the best A.
// With one row for each class, times √K_c, ‖Q − AS‖² and ‖a_k‖ stay: A is C×K here.
type LEDL struct {
	Lambda  float64 `json:"lambda" help:"λ > 0, weight of the classification error" eq:"[ledl] (4)"`
	Omega   float64 `json:"omega" help:"ω ≥ 0, weight of the label consistency" eq:"[ledl] (4)"`
	Epsilon float64 `json:"epsilon" help:"ε > 0, half of the weight of ‖S‖₁" eq:"[ledl] (4)"`
	Atoms   int     `json:"atoms" help:"K_c, atoms per class; 0 takes as many as its training images"`
	Passes  int     `json:"passes" help:"at most so many passes"`
	Tol     float64 `json:"tol" help:"converged when a pass lowers J by less than this part of it"`
	Steps   int     `json:"steps" help:"steps that the codes make in a pass" eq:"[admm]"`
	Rho     float64 `json:"rho" help:"ρ > 0, penalty of the splitting of the codes" eq:"[admm]"`
}

// DefaultLEDL has the weights of LC-KSVD2, and the penalty of FDDL.
var DefaultLEDL = registerIterative(LEDL{
	Lambda: DefaultLCKSVD2.Beta, Omega: DefaultLCKSVD2.Alpha,
	Epsilon: 0.0025, Passes: 1000, Tol: 5e-5, Steps: 7, Rho: 1,
})

func (LEDL) Name() string { return "ledl" }

func (m LEDL) Traits() classify.Traits {
	return classify.Traits{
		Family: "K-SVD", Predecessor: "lcksvd2",
		Description: "LC-KSVD2 with an ℓ1 penalty: dictionary, label-consistent codes and linear classifier learned together",
		Formulation: `min_{D,S,A,W}  ‖X − DS‖² + λ‖H − WS‖² + ω‖Q − AS‖² + 2ε‖S‖₁   s.t. ‖d_k‖, ‖w_k‖, ‖a_k‖ ≤ 1
class: max_c (W·s)_c,  s = argmin ‖y − Ds‖² + 2ε‖s‖₁`,
		Coder: m.coder(), Start: "DSW",
		Memory: func(s Size) float64 {
			n, c, k := float64(s.Samples), float64(s.Classes), atomsOf(m.Atoms, s)
			return 5*k*n + 5*k*k + 4*n*k + 8*c*(k+n) // S, Z, U, B and the solution; G, its sum and factor, SSᵀ; XSᵀ and D, with their copies
		},
		Ranges: []Range{decades("lambda", 1e-3, 10), decades("omega", 1e-4, 1), decades("epsilon", 5e-4, 0.05)},
	}
}

func (m LEDL) Validate() error {
	return cmp.Or(weights("omega", m.Omega, "tol", m.Tol), aboveZero("lambda", m.Lambda, "epsilon", m.Epsilon, "rho", m.Rho),
		counts(0, "atoms", m.Atoms), counts(1, "passes", m.Passes, "steps", m.Steps), m.coder().Validate())
}

// coder codes queries: its λ weighs against half of ‖y − Ds‖².
func (m LEDL) coder() coding.Lasso {
	return coding.Lasso{Lambda: m.Epsilon, Gap: coding.DefaultLasso.Gap}
}

func (m LEDL) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m LEDL) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	p := plan{Limits: classify.Limits{Passes: m.Passes, Tol: m.Tol}, atoms: m.Atoms}
	return begin(ctx, m, train, run, p, func(t *task) (learner, error) {
		return newLEDLState(m, t.span(), t.Groups, t.groups), nil
	})
}

// ledlState is the iterate of LEDL.
type ledlState struct {
	LEDL
	partition
	X, H, Q *mat.Dense // d×N; C×N: the labels, and these times √K_c

	D, W, A *mat.Dense // d×K, C×K, C×K
	S, Z, U *mat.Dense // K×N: the codes, their copy and its multiplier
	G       *mat.Dense // K×K: DᵀD + λWᵀW + ωAᵀA
	moments            // of S
	J       float64
}

// moments are the products of codes S that J and the updates of D, W and A need.
type moments struct {
	F          *mat.Dense // SSᵀ, K×K
	XS, HS, QS *mat.Dense // XSᵀ, d×K, HSᵀ and QSᵀ, C×K
}

// newLEDLState starts from the first samples of each class, whose columns of W and A are
// those of the class, and from codes that are zero.
func newLEDLState(m LEDL, x *mat.Dense, samples, atoms []int) *ledlState {
	_, n := x.Dims()
	classes, k := len(atoms)-1, atoms[len(atoms)-1]
	zero := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
	s := &ledlState{
		LEDL: m, partition: partition{atoms, samples}, X: x, H: labels(samples), Q: labels(samples),
		D: firstSamples(x, samples, atoms), W: labels(atoms), A: labels(atoms), S: zero(k, n), Z: zero(k, n), U: zero(k, n),
	}
	for c := range classes {
		row := lin.Block(s.Q, c, c+1, 0, n)
		lin.Set(row, math.Sqrt(float64(atoms[c+1]-atoms[c])), row)
	}
	s.renew()
	return s
}

// renew computes what follows from D, W, A and S.
func (s *ledlState) renew() {
	s.G, s.moments = s.gram(), s.of(s.S)
	s.J = s.cost(s.S, s.moments)
}

// gram returns DᵀD + λWᵀW + ωAᵀA.
func (s *ledlState) gram() *mat.Dense {
	k, _ := s.S.Dims()
	g := mat.NewDense(k, k, nil)
	lin.AtA(g, 1, s.D)
	lin.AddAtA(g, s.Lambda, s.W)
	lin.AddAtA(g, s.Omega, s.A)
	lin.Mirror(g)
	return g
}

// of returns the moments of the codes c, K×N.
func (s *ledlState) of(c *mat.Dense) moments {
	k, _ := c.Dims()
	f := mat.NewDense(k, k, nil)
	symmetric(f, c)
	return moments{f, combine(s.X, c), combine(s.H, c), combine(s.Q, c)}
}

func (s *ledlState) Largest() float64           { return lin.MaxAbs(s.S) }
func (s *ledlState) codes() (*mat.Dense, error) { return s.S, nil }

func (s *ledlState) variables() []variable {
	return []variable{
		dictionaryOf(s.D), codesOf("S", s.S), weightsOf(s.W),
		{"A", classify.ClassAxis, classify.AtomAxis, s.A},
		codesOf("Z", s.Z), codesOf("U", s.U),
	}
}

func (s *ledlState) restart(given map[string]*mat.Dense) error {
	if given["Z"] == nil {
		lin.Set(s.Z, 1, s.S)
	}
	s.renew()
	return nil
}

func (s *ledlState) parts(out classify.Outcome) (classify.Parts, error) {
	return classify.Parts{D: s.D, Groups: s.atoms, Coder: s.coder(), Rule: classify.Linear{W: s.W}, Outcome: out}, nil
}

// Step makes one pass and returns the part of J by which it fell.
func (s *ledlState) Step() (float64, error) {
	before := s.J
	if err := s.updateS(); err != nil {
		return math.NaN(), err
	}
	for _, m := range [][2]*mat.Dense{{s.D, s.XS}, {s.W, s.HS}, {s.A, s.QS}} {
		updateAtoms(m[0], m[1], s.F)
	}
	s.G = s.gram()
	s.J = s.cost(s.S, s.moments)
	return lowered(before, s.J), nil
}

// updateS lowers J in S by steps of the method of multipliers on S = Z [admm]:
//
//	S = (DᵀD + λWᵀW + ωAᵀA + ρI)⁻¹ [DᵀX + λWᵀH + ωAᵀQ + ρ(Z − U)],  Z = soft(S + U, ε/ρ),  U ← U + S − Z
//
// Z becomes S. Should J not be less, S stays.
func (s *ledlState) updateS() error {
	k, n := s.S.Dims()
	b, v, g := mat.NewDense(k, n, nil), mat.NewDense(k, n, nil), mat.DenseCopyOf(s.G)
	lin.AddDiag(g, s.Rho)
	lin.AtB(b, 1, s.D, s.X)
	lin.AddAtB(b, s.Lambda, s.W, s.H)
	lin.AddAtB(b, s.Omega, s.A, s.Q)
	var spd lin.SPD
	if err := spd.Factor(g); err != nil {
		return fmt.Errorf("codes: %w", err)
	}
	for range s.Steps {
		lin.Set(v, 1, b)
		lin.Add(v, s.Rho, s.Z)
		lin.Add(v, -s.Rho, s.U)
		spd.Solve(v)
		split(v, s.Z, s.U, s.Epsilon/s.Rho, 1)
	}
	if m := s.of(s.Z); s.cost(s.Z, m) < s.J {
		lin.Set(s.S, 1, s.Z)
		s.moments = m
	}
	return nil
}

// unused is a proximal weight that leaves atoms where they are that no code uses.
const unused = 1e-9

// updateAtoms lowers ‖Y − MS‖² in the columns of M, r×K, each on its ball, with P = YSᵀ and
// F = SSᵀ.
func updateAtoms(m, p, f *mat.Dense) {
	r, k := m.Dims()
	mt, t := mat.NewDense(k, r, nil), mat.NewDense(k, r, nil)
	lin.Transpose(mt, m)
	lin.Transpose(t, p)
	lin.Add(t, unused, mt)
	round(mt, t, f, unused)
	lin.Transpose(m, mt)
}

// cost returns J of the codes c, K×N, whose moments are m: ‖Y − MS‖² = ‖Y‖² − 2⟨M, YSᵀ⟩ + ⟨MᵀM, SSᵀ⟩.
func (s *ledlState) cost(c *mat.Dense, m moments) float64 {
	sum := inner(s.G, m.F) + 2*s.Epsilon*absSum(c)
	sum += lin.SquaredNorm(s.X) - 2*inner(s.D, m.XS)
	sum += s.Lambda * (lin.SquaredNorm(s.H) - 2*inner(s.W, m.HS))
	return sum + s.Omega*(lin.SquaredNorm(s.Q)-2*inner(s.A, m.QS))
}

// Objective returns the terms of J.
func (s *ledlState) Objective() []classify.Term {
	return []classify.Term{
		{Name: "reconstruction", Value: squaredError(s.X, s.D, s.S)},
		{Name: "classification", Value: s.Lambda * squaredError(s.H, s.W, s.S)},
		{Name: "consistency", Value: s.Omega * squaredError(s.Q, s.A, s.S)},
		{Name: "sparsity", Value: 2 * s.Epsilon * absSum(s.S)},
	}
}
