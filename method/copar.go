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
	"nrdl.example/nrdl/internal/parallel"
)

// COPAR separates what samples of all classes have in common, which the atoms D₀
// represent, from what is particular to a class, D_i [copar]:
//
//	J = Σ_i (‖X_i − DS_i‖² + ‖X_i − D₀S_i^0 − D_iS_i^i‖² + Σ_{j≠i,0} ‖S_i^j‖²)
//	    + λ‖S‖₁ + η Σ_i Σ_{j≠i} ‖D_iᵀD_j‖²   s.t. ‖d_k‖ ≤ 1
//
// where D = [D_1 … D_C D₀], S_i are the codes of the samples of class i, and S_i^j
// their rows for D_j; 0 is among the i and j of the last sum.
//
// A query is coded over all of D under λ‖s‖₁; the class has the least
// ‖y − D₀s_0 − D_cs_c‖: the global classifier of the paper. Its local one codes a query
// over [D_c D₀] for each class, and takes the class with the least
// ‖y − D_cs_c − D₀s_0‖² + λ(‖s_c‖₁ + ‖s_0‖₁).
type COPAR struct {
	Lambda float64 `json:"lambda" help:"λ > 0, weight of ‖S‖₁" eq:"[copar]"`
	Eta    float64 `json:"eta" help:"η ≥ 0, weight of the incoherence" eq:"[copar]"`
	Atoms  int     `json:"atoms" help:"m, atoms per class; 0 takes as many as its training images"`
	Common int     `json:"common" help:"m₀ ≥ 1, common atoms; more than there are samples is as many"`
	Passes int     `json:"passes" help:"at most so many passes; 0: 1000, but 10 without a tolerance where every image is an atom, as published"`
	Tol    float64 `json:"tol" help:"converged when a pass lowers J by less than this part of it"`
	Steps  int     `json:"steps" help:"steps that the codes, and the atoms of a class, make in a pass"`
	Rho    float64 `json:"rho" help:"ρ > 0, penalty of the splitting of the codes" eq:"[admm]"`
	Rule   string  `json:"rule" omitted:"global" choices:"global,local" help:"global: a query is coded over all atoms; local: over those of each class and the common ones, and the class has the least cost" eq:"[copar] 4"`
}

// DefaultCOPAR has the penalty of FDDL.
var DefaultCOPAR = registerIterative(COPAR{Lambda: 0.005, Eta: 1e-3, Common: 5, Tol: 3e-5, Steps: 7, Rho: 1, Rule: globalRule})

func (COPAR) Name() string { return "copar" }

func (m COPAR) Traits() classify.Traits {
	return classify.Traits{
		Predecessor: "dlsi",
		Description: "sparse codes over atoms of the classes and atoms common to all; the class with the least residual",
		Formulation: `min_{D,S}  Σ_i (‖X_i − DS_i‖² + ‖X_i − D₀S_i^0 − D_iS_i^i‖² + Σ_{j≠i,0} ‖S_i^j‖²)
           + λ‖S‖₁ + η Σ_i Σ_{j≠i} ‖D_iᵀD_j‖²   s.t. ‖d_k‖ ≤ 1
class: min_c ‖y − D₀·s_0 − D_c·s_c‖,  s = argmin ‖y − Ds‖² + λ‖s‖₁`,
		Memory: m.holds, Start: "DS",
		Ranges: []Range{decades("lambda", 1e-3, 0.1), decades("eta", 1e-6, 0.1), {Path: "common", Low: 1, High: 20}},
	}
}

func (m COPAR) Validate() error {
	return cmp.Or(weights("eta", m.Eta, "tol", m.Tol), aboveZero("lambda", m.Lambda, "rho", m.Rho),
		counts(0, "atoms", m.Atoms, "passes", m.Passes), counts(1, "common", m.Common, "steps", m.Steps), m.ruleIsKnown(), m.coder().Validate())
}

// coder codes queries: λ weighs against ‖y − Ds‖², that of the coder against half
// of it.
func (m COPAR) coder() coding.Lasso {
	return coding.Lasso{Lambda: m.Lambda / 2, Gap: coding.DefaultLasso.Gap}
}

func (m COPAR) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m COPAR) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	m.Common = min(m.Common, train.Len())
	p := plan{Limits: classify.Limits{Passes: m.Passes, Tol: m.Tol}, whole: 10, atoms: m.Atoms, common: m.Common}
	return begin(ctx, m, train, run, p, func(t *task) (learner, error) {
		return newCOPARState(m, t.span(), t.Groups, t.groups), nil
	})
}

// coparState is the iterate of COPAR.
type coparState struct {
	COPAR
	partition
	X *mat.Dense // d×N

	D, S *mat.Dense // d×K, K×N
	J    float64    // the objective at D and S

	Z, U *mat.Dense // K×N: the copy of S and its multiplier, kept from pass to pass
	V    *mat.Dense // K×N: the right-hand side of a step, then its solution
	B    *mat.Dense // K×N: of class i, DᵀX_i, and twice that in the rows of D_i and D₀
	G    *mat.Dense // K×K: DᵀD
	R    *mat.Dense // K×K: (DᵀD + Λ + ρI)⁻¹, Λ the diagonal with 1 for atoms of classes and 0 for common ones
	W    *mat.Dense // d×d: DDᵀ but for the class that is renewed
}

// newCOPARState starts from the first samples of each class, and from commonAtoms;
// codes are zero.
func newCOPARState(m COPAR, x *mat.Dense, samples, atoms []int) *coparState {
	d, n := x.Dims()
	own := atoms[len(atoms)-1]
	k := own + m.Common
	zero := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
	s := &coparState{
		COPAR: m, X: x, partition: partition{atoms, samples},
		D: zero(d, k), S: zero(k, n), Z: zero(k, n), U: zero(k, n), V: zero(k, n), B: zero(k, n),
		G: zero(k, k), R: zero(k, k), W: zero(d, d),
	}
	lin.Set(lin.Cols(s.D, 0, own), 1, firstSamples(x, samples, atoms))
	commonAtoms(lin.Cols(s.D, own, k), x)
	s.J = s.objective(s.S)
	return s
}

// commonAtoms writes the first common atoms into d, d×m₀: sums of the samples with
// weights that are cosines of their number, from slow to fast, at unit norm. The
// first is the mean.
func commonAtoms(d, x *mat.Dense) {
	rows, m := d.Dims()
	_, n := x.Dims()
	weights := mat.NewDense(n, m, nil)
	weights.Apply(func(j, k int, _ float64) float64 {
		return math.Cos(math.Pi * (float64(j) + 0.5) * float64(k) / float64(n))
	}, weights)
	sums := mat.NewDense(rows, m, nil)
	lin.AB(sums, 1, x, weights)
	lin.Set(d, 1, classify.Unit(sums))
}

// groups are those of all atoms, the common ones as the last group.
func (s *coparState) groups() []int {
	_, k := s.D.Dims()
	return append(append([]int(nil), s.atoms...), k)
}

// shared are the rows of the atoms of class c and of D₀, which the second term has.
func (s *coparState) shared(c int) (rows []int) {
	_, k := s.D.Dims()
	for i := s.atoms[c]; i < s.atoms[c+1]; i++ {
		rows = append(rows, i)
	}
	for i := s.atoms[len(s.atoms)-1]; i < k; i++ {
		rows = append(rows, i)
	}
	return rows
}

func (s *coparState) Largest() float64 { return lin.MaxAbs(s.S) }

// Step makes one pass and returns the part of J by which it fell.
func (s *coparState) Step() (float64, error) {
	before := s.J
	if err := s.updateS(); err != nil {
		return math.NaN(), err
	}
	s.updateD()
	s.J = s.objective(s.S)
	return lowered(before, s.J), nil
}

func (s *coparState) variables() []variable {
	return []variable{dictionaryOf(s.D), codesOf("S", s.S), codesOf("Z", s.Z), codesOf("U", s.U)}
}

func (s *coparState) restart(given map[string]*mat.Dense) error {
	if given["Z"] == nil {
		lin.Set(s.Z, 1, s.S)
	}
	s.J = s.objective(s.S)
	return nil
}

func (s *coparState) parts(out classify.Outcome) (classify.Parts, error) {
	if s.Rule == localRule {
		rows, groups := s.withCommon()
		coder := coding.ClassLasso{Lambda: s.Lambda / 2, Gap: coding.DefaultLasso.Gap}
		return classify.Parts{D: lin.Select(s.D, rows), Groups: groups, Coder: coder, Rule: classify.Cost{}, Outcome: out}, nil
	}
	return classify.Parts{D: s.D, Groups: s.atoms, Coder: s.coder(), Rule: classify.Residual{}, Outcome: out}, nil
}

// updateS lowers J in S by steps of the method of multipliers on S = Z [admm]: for
// the samples of class i
//
//	S_i = (DᵀD + Λ + E_iM_iE_iᵀ + ρI)⁻¹ [B_i + ρ(Z_i − U_i)]
//	Z = soft(S + U, λ/(2ρ)),  U ← U + S − Z
//
// where E_i takes the rows of D_i and D₀, and M_i = [D_i D₀]ᵀ[D_i D₀] − diag(I, 0)
// corrects what Λ has of the codes of the own class. With R = (DᵀD + Λ + ρI)⁻¹ one
// product serves all classes, and by Woodbury
//
//	S_i = V_i − RE_i(I + M_iE_iᵀRE_i)⁻¹M_iE_iᵀV_i,  V = R[B + ρ(Z − U)]
//
// Z becomes S. Should J not be less, S stays.
func (s *coparState) updateS() error {
	if err := s.prepare(); err != nil {
		return err
	}
	corrections := make([]*mat.Dense, s.classes()) // (I + M_iE_iᵀRE_i)⁻¹M_i
	errs := make([]error, len(corrections))
	parallel.For(len(corrections), 1, func(c, _ int) { corrections[c], errs[c] = s.correction(c) })
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	k, n := s.S.Dims()
	right := mat.NewDense(k, n, nil)
	for range s.Steps {
		lin.Set(right, 1, s.B)
		lin.Add(right, s.Rho, s.Z)
		lin.Add(right, -s.Rho, s.U)
		lin.AB(s.V, 1, s.R, right) // R[B + ρ(Z − U)]
		parallel.For(len(corrections), 1, func(c, _ int) { s.correct(c, corrections[c]) })
		split(s.V, s.Z, s.U, s.Lambda/(2*s.Rho), 1)
	}
	if s.objective(s.Z) < s.J {
		lin.Set(s.S, 1, s.Z)
	}
	return nil
}

// prepare computes what depends on D: G, R and B.
func (s *coparState) prepare() error {
	symmetricOf(s.G, s.D)
	k, _ := s.G.Dims()
	a := mat.DenseCopyOf(s.G)
	own := s.atoms[len(s.atoms)-1]
	for i := range k {
		v := s.Rho
		if i < own {
			v++
		}
		a.Set(i, i, a.At(i, i)+v) // DᵀD + Λ + ρI
	}
	var spd lin.SPD
	if err := spd.Factor(a); err != nil {
		return fmt.Errorf("codes: %w", err)
	}
	s.R.Zero()
	lin.AddDiag(s.R, 1)
	spd.Solve(s.R)
	lin.AtB(s.B, 1, s.D, s.X)
	_, n := s.S.Dims()
	for c := range s.classes() {
		block := lin.Block(s.B, s.atoms[c], s.atoms[c+1], s.samples[c], s.samples[c+1])
		lin.Set(block, 2, block)
	}
	common := lin.Block(s.B, own, k, 0, n)
	lin.Set(common, 2, common)
	return nil
}

// symmetricOf: dst = DᵀD
func symmetricOf(dst, d *mat.Dense) {
	lin.AtA(dst, 1, d)
	lin.Mirror(dst)
}

// correction: (I + M_iE_iᵀRE_i)⁻¹M_i, by a solution with LU since it is not symmetric
func (s *coparState) correction(c int) (*mat.Dense, error) {
	rows := s.shared(c)
	n, own := len(rows), s.atoms[c+1]-s.atoms[c]
	m, r := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i, a := range rows {
		for j, b := range rows {
			m.Set(i, j, s.G.At(a, b))
			r.Set(i, j, s.R.At(a, b))
		}
		if i < own {
			m.Set(i, i, m.At(i, i)-1)
		}
	}
	var a, out mat.Dense
	a.Mul(m, r)
	lin.AddDiag(&a, 1)
	if err := out.Solve(&a, m); err != nil {
		return nil, fmt.Errorf("codes of class %d: %w", c, err)
	}
	return &out, nil
}

// correct: V_i ← V_i − RE_i·correction·E_iᵀV_i
func (s *coparState) correct(c int, correction *mat.Dense) {
	lo, hi := s.samples[c], s.samples[c+1]
	rows := s.shared(c)
	v := lin.Cols(s.V, lo, hi)
	own := selectRows(v, rows)
	var t mat.Dense
	t.Mul(correction, own)
	lin.AddAB(v, -1, lin.Select(s.R, rows), &t)
}

// updateD lowers J in the atoms of one class after the other, and in those of D₀
// last. With E₁ = X − Σ_{j≠i} D_jS^j and, of the samples that the second term has
// with D_i, E₂ = X − D₀S^0 for class i or X_c − D_cS_c^c of all classes c for D₀, it
// is the ballProblem of
//
//	F = S^iS^iᵀ + S^i_∗S^i_∗ᵀ,  E = E₁S^iᵀ + E₂S^i_∗ᵀ,  W = Σ_{j≠i} D_jD_jᵀ
//
// where ∗ are the samples of class i, or all samples for D₀.
func (s *coparState) updateD() {
	symmetric(s.W, s.D) // DDᵀ
	d, n := s.X.Dims()
	own := s.atoms[len(s.atoms)-1]
	rest := mat.DenseCopyOf(s.X)
	lin.AddAB(rest, -1, s.D, s.S) // X − DS
	groups := s.groups()
	common, s0 := lin.Cols(s.D, own, groups[len(groups)-1]), lin.Block(s.S, own, groups[len(groups)-1], 0, n)
	for i, lo := range groups[:len(groups)-1] {
		hi := groups[i+1]
		di, si := lin.Cols(s.D, lo, hi), lin.Block(s.S, lo, hi, 0, n)
		m := hi - lo
		p := ballProblem{E: mat.NewDense(d, m, nil), F: mat.NewDense(m, m, nil), W: s.W, η: s.Eta}
		lin.AddAB(rest, 1, di, si) // E₁
		lin.ABt(p.E, 1, rest, si)
		symmetric(p.F, si)
		if i < len(s.samples)-1 {
			j0, j1 := s.samples[i], s.samples[i+1]
			sii, e := lin.Cols(si, j0, j1), mat.DenseCopyOf(lin.Cols(s.X, j0, j1))
			lin.AddAB(e, -1, common, lin.Cols(s0, j0, j1)) // X_i − D₀S_i^0
			lin.AddABt(p.E, 1, e, sii)
			lin.AddABt(p.F, 1, sii, sii)
		} else {
			lin.AddABt(p.E, 1, s.withoutOwn(), si)
			lin.Set(p.F, 2, p.F)
		}
		lin.AddABt(s.W, -1, di, di)
		p.solve(di, s.Steps)
		lin.AddABt(s.W, 1, di, di)
		lin.AddAB(rest, -1, di, si)
	}
}

// withoutOwn: X_c − D_cS_c^c of all classes, d×N
func (s *coparState) withoutOwn() *mat.Dense {
	e := mat.DenseCopyOf(s.X)
	for c := range s.classes() {
		a0, a1, j0, j1 := s.block(c)
		lin.AddAB(lin.Cols(e, j0, j1), -1, lin.Cols(s.D, a0, a1), lin.Block(s.S, a0, a1, j0, j1))
	}
	return e
}

// objective returns J of the codes x, K×N.
func (s *coparState) objective(x *mat.Dense) float64 {
	of := *s
	of.S = x
	return classify.Total(of.Objective())
}

// Objective returns the terms of J.
func (s *coparState) Objective() []classify.Term {
	_, n := s.X.Dims()
	k, _ := s.S.Dims()
	first := s.atoms[len(s.atoms)-1]
	own := s.withoutOwn()
	lin.AddAB(own, -1, lin.Cols(s.D, first, k), lin.Block(s.S, first, k, 0, n)) // X_c − D₀S_c^0 − D_cS_c^c
	cross := lin.SquaredNorm(lin.Block(s.S, 0, first, 0, n))
	for c := range s.classes() {
		cross -= lin.SquaredNorm(lin.Block(s.S, s.atoms[c], s.atoms[c+1], s.samples[c], s.samples[c+1]))
	}
	return []classify.Term{
		{Name: "reconstruction", Value: squaredError(s.X, s.D, s.S)},
		{Name: "own", Value: lin.SquaredNorm(own)},
		{Name: "cross", Value: cross},
		{Name: "sparsity", Value: s.Lambda * absSum(s.S)},
		{Name: "incoherence", Value: s.Eta * incoherence(s.D, s.atoms)},
	}
}

// holds bounds the numbers that a fit holds beside the samples.
func (m COPAR) holds(s Size) float64 {
	n, k := float64(s.Samples), atomsOf(m.Atoms, s)+float64(m.Common)
	return 6*k*n + 4*k*k // S, Z, U, V, B and a right-hand side
}
