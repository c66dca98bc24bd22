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

// DPL learns a pair of dictionaries for each class [dpl]: P_k, which codes
// samples by a product, and D_k, which rebuilds them from their codes. P_k has
// little response to samples of other classes, X̄_k:
//
//	J = Σ_k ‖X_k − D_kA_k‖² + τ‖P_kX_k − A_k‖² + λ‖P_kX̄_k‖² + γ‖P_k‖²   s.t. ‖d_i‖ ≤ 1
//
// A query has the code P_k·y for each class; the class is the one that rebuilds
// it best.
type DPL struct {
	Tau    float64 `json:"tau" help:"τ > 0, weight of ‖P_kX_k − A_k‖²" eq:"[dpl]"`
	Lambda float64 `json:"lambda" help:"λ > 0, weight of the codes of other classes" eq:"[dpl]"`
	Gamma  float64 `json:"gamma" help:"γ > 0, weight of ‖P_k‖²" eq:"[dpl]"`
	Atoms  int     `json:"atoms" help:"m, atoms per class; 0 takes as many as its training images"`
	Passes int     `json:"passes" help:"at most so many passes"`
	Tol    float64 `json:"tol" help:"converged when a pass lowers J by less than this part of it"`
	Sweeps int     `json:"sweeps" help:"how often a pass renews each atom of D_k"`
}

// DefaultDPL has the weights and the passes of the authors' program.
var DefaultDPL = registerIterative(DPL{Tau: 0.05, Lambda: 0.003, Gamma: 1e-4, Passes: 20, Sweeps: 10})

func (DPL) Name() string { return "dpl" }

func (m DPL) Traits() classify.Traits {
	return classify.Traits{
		Predecessor: "lrsdl",
		Description: "a pair of dictionaries per class, one that codes by a product and one that rebuilds; the class with the least residual",
		Formulation: `min_{D,P,A}  Σ_k (‖X_k − D_kA_k‖² + τ‖P_kX_k − A_k‖² + λ‖P_kX̄_k‖² + γ‖P_k‖²)   s.t. ‖d_i‖ ≤ 1
class: min_c ‖y − D_cP_c·y‖`,
		Memory: m.holds, Start: "DS",
		Ranges: []Range{
			decades("tau", 1e-3, 1),
			decades("lambda", 1e-4, 0.1),
			decades("gamma", 1e-5, 0.1),
		},
		Presets: map[string][]Value{
			"orl": preset(validated, "gamma=0.0003"),
			"gt":  preset(validated, "gamma=0.003"),
		},
	}
}

func (m DPL) Validate() error {
	return cmp.Or(weights("tol", m.Tol), aboveZero("tau", m.Tau, "lambda", m.Lambda, "gamma", m.Gamma),
		counts(0, "atoms", m.Atoms), counts(1, "passes", m.Passes, "sweeps", m.Sweeps))
}

func (m DPL) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m DPL) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	p := plan{Limits: classify.Limits{Passes: m.Passes, Tol: m.Tol}, atoms: m.Atoms}
	return begin(ctx, m, train, run, p, func(t *task) (learner, error) {
		return newDPLState(m, t.x, t.Groups, t.groups)
	})
}

// dplState is the iterate of DPL. All that it needs of the samples are their
// inner products: D_k = X_kF_k throughout, and by
//
//	P_k = τA_kX_kᵀM_k⁻¹,  M_k = τX_kX_kᵀ + λX̄_kX̄_kᵀ + γI
//
// P_k is in the span of all samples. M_k is M₀ = λXXᵀ + γI but for a term of
// the rank of X_k, so that with N = (λXᵀX + γI)⁻¹ and its rows N_k of class k
//
//	X_kᵀM_k⁻¹ = V_kN_kXᵀ,   V_k = (I + (τ − λ)R_k)⁻¹,   R_k = X_kᵀM₀⁻¹X_k = (N·XᵀX)_kk
//
// and one factorisation serves all classes.
type dplState struct {
	DPL
	partition
	X *mat.Dense // d×N

	N *mat.Dense // N×N: (λXᵀX + γI)⁻¹
	J float64    // the objective, +Inf before the first pass

	pairs []dplPair
}

// A dplPair is what dplState has of class k, with n samples and m atoms.
type dplPair struct {
	DPL
	G *mat.Dense // n×n: X_kᵀX_k
	V *mat.Dense // n×n: (I + (τ − λ)R_k)⁻¹
	E *mat.Dense // n×n: X_kᵀM_k⁻¹X_k = V_kR_k

	F *mat.Dense // n×m: D_k = X_kF_k
	A *mat.Dense // m×n
	C *mat.Dense // m×n: P_k = τCX_kᵀM_k⁻¹, the A of which P_k was made
	j float64    // its part of J
}

// newDPLState starts from the first samples of each class as D, and from codes
// that are those of P = 0.
func newDPLState(m DPL, x *mat.Dense, samples, atoms []int) (*dplState, error) {
	_, n := x.Dims()
	s := &dplState{
		DPL: m, X: x, partition: partition{atoms, samples}, N: mat.NewDense(n, n, nil),
		J: math.Inf(1), pairs: make([]dplPair, len(samples)-1),
	}
	g, a := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	lin.AtA(g, 1, x)
	lin.Mirror(g) // XᵀX
	lin.Set(a, m.Lambda, g)
	lin.AddDiag(a, m.Gamma) // λXᵀX + γI
	var spd lin.SPD
	if err := spd.Factor(a); err != nil {
		return nil, fmt.Errorf("analysis dictionary: %w", err)
	}
	lin.AddDiag(s.N, 1)
	spd.Solve(s.N)
	errs := make([]error, len(s.pairs))
	parallel.For(len(s.pairs), 1, func(k, _ int) {
		lo, hi := samples[k], samples[k+1]
		p := &s.pairs[k]
		*p = dplPair{DPL: m, G: lin.Block(g, lo, hi, lo, hi)}
		errs[k] = p.start(lin.Block(s.N, lo, hi, lo, hi), atoms[k+1]-atoms[k])
	})
	return s, cmp.Or(errs...)
}

// start prepares the class, whose block of N is inverse, and its m atoms.
func (p *dplPair) start(inverse *mat.Dense, m int) error {
	n, _ := p.G.Dims()
	zero := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
	p.V, p.E, p.F, p.A, p.C = zero(n, n), zero(n, n), zero(n, m), zero(m, n), zero(m, n)
	lin.Set(p.E, -p.Gamma/p.Lambda, inverse)
	lin.AddDiag(p.E, 1/p.Lambda) // R_k = (I − γN_kk)/λ
	a := zero(n, n)
	lin.Set(a, p.Tau-p.Lambda, p.E)
	lin.AddDiag(a, 1) // I + (τ − λ)R_k
	var spd lin.SPD
	if err := spd.Factor(a); err != nil {
		return fmt.Errorf("analysis dictionary: %w", err)
	}
	lin.AddDiag(p.V, 1)
	spd.Solve(p.V)      // (I + (τ − λ)R_k)⁻¹
	spd.Solve(p.E)      // V_kR_k
	lin.AddDiag(p.F, 1) // the first samples
	return p.updateA()
}

func (s *dplState) Largest() (v float64) {
	for i := range s.pairs {
		v = max(v, lin.MaxAbs(s.pairs[i].F), lin.MaxAbs(s.pairs[i].A))
	}
	return v
}

// Step makes one pass and returns the part of J by which it fell.
func (s *dplState) Step() (float64, error) {
	errs := make([]error, len(s.pairs))
	parallel.For(len(s.pairs), 1, func(k, _ int) {
		p := &s.pairs[k]
		p.updateP()
		p.updateD()
		errs[k] = p.updateA()
	})
	before := s.J
	s.J = 0
	for i := range s.pairs {
		s.J += s.pairs[i].j
	}
	return lowered(before, s.J), cmp.Or(errs...)
}

// variables has D, the codes, Pᵀ, d×K, and that of which D and P are made: F with D = XFᵀ,
// and the codes C of the last P.
func (s *dplState) variables() []variable {
	d, p := s.dictionaries()
	analysis := dictionaryOf(p)
	analysis.name = "P"
	codes, _ := s.codes()
	var f, c []*mat.Dense
	for _, p := range s.pairs {
		f, c = append(f, mat.DenseCopyOf(p.F.T())), append(c, p.C)
	}
	return []variable{dictionaryOf(d), codesOf("S", codes), analysis, codesOf("F", blockDiagonal(f)), codesOf("C", blockDiagonal(c))}
}

// restart takes what was given of F, A and C. F follows from a D without it by least
// squares, and A from F where there are no codes.
func (s *dplState) restart(given map[string]*mat.Dense) error {
	f, codes, last := given["F"], given["S"], given["C"]
	s.J = 0
	for c := range s.pairs {
		p := &s.pairs[c]
		a0, a1, j0, j1 := s.block(c)
		switch d := given["D"]; {
		case f != nil:
			p.F.Copy(lin.Block(f, a0, a1, j0, j1).T())
		case d != nil:
			lin.AtB(p.F, 1, lin.Cols(s.X, j0, j1), lin.Cols(d, a0, a1)) // X_kᵀD_k
			var spd lin.SPD
			if err := solve(&spd, mat.DenseCopyOf(p.G), p.F); err != nil {
				return fmt.Errorf("start from D: %w", err)
			}
		}
		if last != nil {
			p.C.Copy(lin.Block(last, a0, a1, j0, j1))
		}
		if codes != nil {
			p.A.Copy(lin.Block(codes, a0, a1, j0, j1))
			p.measure()
		} else if err := p.updateA(); err != nil {
			return err
		}
		s.J += p.j
	}
	if last == nil {
		s.J = math.Inf(1) // P is not known
	}
	return nil
}

func (s *dplState) parts(out classify.Outcome) (classify.Parts, error) {
	d, analysis := s.dictionaries()
	return classify.Parts{
		D: d, Groups: s.atoms,
		Coder: coding.Analysis{P: analysis}, Rule: classify.Residual{}, Outcome: out,
	}, nil
}

func (s *dplState) codes() (*mat.Dense, error) {
	var all []*mat.Dense
	for _, p := range s.pairs {
		all = append(all, p.A)
	}
	return blockDiagonal(all), nil
}

// updateP: P_k = τA_kX_kᵀM_k⁻¹   [dpl, (10)]
func (p *dplPair) updateP() { lin.Set(p.C, 1, p.A) }

// updateD renews the atoms one after the other, each by the minimiser of
// ‖X_k − D_kA_k‖² given all others [dpl, (11)]:
//
//	d_i = v/max(S_ii, ‖v‖),  v = (X_kA_kᵀ − D_kS)_i + S_ii·d_i,  S = A_kA_kᵀ
//
// An atom that no code uses stays.
func (p *dplPair) updateD() {
	m, n := p.A.Dims()
	s, at, ft, gram := mat.NewDense(m, m, nil), p.A, mat.NewDense(m, n, nil), mat.NewVecDense(n, nil)
	lin.AAt(s, 1, p.A)
	lin.Mirror(s) // A_kA_kᵀ
	ft.Copy(p.F.T())
	v := mat.NewVecDense(n, nil)
	for range p.Sweeps {
		for i := range m {
			use := s.At(i, i)
			if use <= 0 {
				continue
			}
			v.MulVec(ft.T(), s.RowView(i))
			v.SubVec(at.RowView(i), v)
			v.AddScaledVec(v, use, ft.RowView(i)) // (A_kᵀ − F_kS)_i + S_ii·f_i
			gram.MulVec(p.G, v)
			norm := math.Sqrt(max(0, mat.Dot(v, gram))) // ‖X_k·v‖
			ft.RowView(i).(*mat.VecDense).ScaleVec(1/max(use, norm), v)
		}
	}
	p.F.Copy(ft.T())
}

// updateA: A_k = (D_kᵀD_k + τI)⁻¹(τP_kX_k + D_kᵀX_k)   [dpl, (8)], and J
func (p *dplPair) updateA() error {
	m, n := p.A.Dims()
	dx, a := mat.NewDense(m, n, nil), mat.NewDense(m, m, nil)
	lin.AtB(dx, 1, p.F, p.G)           // D_kᵀX_k
	lin.AB(a, 1, dx, p.F)              // D_kᵀD_k
	lin.AddDiag(a, p.Tau)              // D_kᵀD_k + τI
	lin.AB(p.A, p.Tau*p.Tau, p.C, p.E) // τP_kX_k
	lin.Add(p.A, 1, dx)                // τP_kX_k + D_kᵀX_k
	var spd lin.SPD
	if err := spd.Factor(a); err != nil {
		return fmt.Errorf("codes: %w", err)
	}
	spd.Solve(p.A)
	p.measure()
	return nil
}

// measure: the part of J
func (p *dplPair) measure() {
	p.j = 0
	for _, v := range p.terms() {
		p.j += v
	}
}

// terms are the parts of J. Since M_k − τX_kX_kᵀ = λX̄_kX̄_kᵀ + γI,
//
//	λ‖P_kX̄_k‖² + γ‖P_k‖² = τ²·tr(C(E_k − τE_k²)Cᵀ)
func (p *dplPair) terms() [3]float64 {
	m, n := p.A.Dims()
	rest, px, pxx := mat.NewDense(n, n, nil), mat.NewDense(m, n, nil), mat.NewDense(m, n, nil)
	lin.AB(rest, -1, p.F, p.A)
	lin.AddDiag(rest, 1) // X_k − D_kA_k = X_k(I − F_kA_k)
	var gram mat.Dense
	gram.Mul(p.G, rest)
	lin.AB(px, p.Tau, p.C, p.E) // P_kX_k
	lin.AB(pxx, p.Tau, px, p.E) // τP_kX_kE_k
	var others float64
	for i := range m {
		for j, v := range p.C.RawRowView(i) {
			others += p.Tau * v * (px.At(i, j) - pxx.At(i, j))
		}
	}
	return [3]float64{inner(rest, &gram), p.Tau * squaredDifference(px, p.A), others}
}

// inner: ⟨A, B⟩
func inner(a, b *mat.Dense) (sum float64) {
	m, _ := a.Dims()
	for i := range m {
		sum += mat.Dot(mat.NewVecDense(len(a.RawRowView(i)), a.RawRowView(i)), mat.NewVecDense(len(b.RawRowView(i)), b.RawRowView(i)))
	}
	return sum
}

// Objective returns the terms of J.
func (s *dplState) Objective() []classify.Term {
	var sum [3]float64
	for i := range s.pairs {
		for j, v := range s.pairs[i].terms() {
			sum[j] += v
		}
	}
	return []classify.Term{
		{Name: "reconstruction", Value: sum[0]},
		{Name: "codes", Value: sum[1]},
		{Name: "others", Value: sum[2]},
	}
}

// dictionaries returns D and Pᵀ, d×K.
func (s *dplState) dictionaries() (d, p *mat.Dense) {
	rows, n := s.X.Dims()
	k := s.atoms[len(s.atoms)-1]
	d, p = mat.NewDense(rows, k, nil), mat.NewDense(rows, k, nil)
	q := mat.NewDense(k, n, nil) // P = QXᵀ
	for c, pair := range s.pairs {
		a0, a1, j0, j1 := s.atoms[c], s.atoms[c+1], s.samples[c], s.samples[c+1]
		lin.AB(lin.Cols(d, a0, a1), 1, lin.Cols(s.X, j0, j1), pair.F) // D_k = X_kF_k
		var cv mat.Dense
		cv.Mul(pair.C, pair.V)
		lin.AB(lin.Block(q, a0, a1, 0, n), s.Tau, &cv, lin.Block(s.N, j0, j1, 0, n)) // τCV_kN_k
	}
	lin.ABt(p, 1, s.X, q)
	return d, p
}

// holds bounds the numbers that a fit holds beside the samples.
func (m DPL) holds(s Size) float64 {
	n := float64(s.Samples)
	return 4*n*n + 4*atomsOf(m.Atoms, s)*n/float64(s.Classes) // XᵀX, λXᵀX + γI, its factor and its inverse
}
