package method

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// nrdlState is the iterate of NRDL; its fields are the symbols of [nrdl].
type nrdlState struct {
	NRDL
	t   *task
	ctx context.Context // looked at between updates, which take long where N is large
	X   *mat.Dense      // d×N, the samples or their coordinates in their span
	partition

	D, S, W *mat.Dense  // d×K, K×N, C×K
	P, J    *mat.Dense  // C×N copies of WS, (8)
	C1, C2  *mat.Dense  // C×N multipliers, (9)
	L       sampleGraph // of (5)
	μ       float64
	lastMu  float64 // μ of the last pass

	WS, T *mat.Dense // C×N: W·S; the targets of (11) and (12)
	R     *mat.Dense // d×N: D(Q⊙S)
	G, V  *mat.Dense // K×K: normal equations of (11); of (12) and (15)
	PP, A *mat.Dense // C×C: Σ_j P_jP_jᵀ; normal equations of (13)
	spd   lin.SPD    // of the K×K systems
	ε     float64    // of the factor that (12) left in spd

	proximity float64 // of FactorProximal
	coded     bool    // S at the start is the caller's
	spdP      lin.SPD // of the C×C systems of (13)
}

// Step makes one pass in the order of the published program and returns the
// residual of (18).
func (s *nrdlState) Step() (float64, error) {
	updates := []struct {
		equation string
		update   func() error
	}{{"(11)", s.updateS}, {"(12)", s.updateW}, {"(13)", s.updateP}, {"(14)", s.updateJ}, {"(15)", s.updateD}}
	for _, u := range updates {
		if err := context.Cause(s.ctx); err != nil {
			return math.NaN(), err
		}
		if err := u.update(); err != nil {
			return math.NaN(), fmt.Errorf("equation %s: %w", u.equation, err)
		}
	}
	s.updateMultipliers()
	if v := max(lin.MaxAbs(s.D), lin.MaxAbs(s.W)); !(v < classify.DivergenceBound) {
		return v, fmt.Errorf("%w: D or W holds %.3g", classify.ErrDiverged, v)
	}
	return max(lin.MaxAbsDiff(s.WS, s.P), lin.MaxAbsDiff(s.WS, s.J)), nil // (18)
}

// Largest returns 0, which leaves out the test for divergence of classify.Iterate: Step tests
// D and W itself.
func (s *nrdlState) Largest() float64 { return 0 }

func (s *nrdlState) variables() []variable {
	all := []variable{dictionaryOf(s.D), codesOf("S", s.S), weightsOf(s.W)}
	for _, v := range []struct {
		name string
		m    *mat.Dense
	}{{"P", s.P}, {"J", s.J}, {"C1", s.C1}, {"C2", s.C2}} {
		all = append(all, variable{v.name, classify.ClassAxis, classify.SampleAxis, v.m})
	}
	return append(all, number("mu", s.μ), number("growth", s.Growth), number("proximity", s.proximity))
}

// restart makes P, J, C₁ and C₂ follow from the S and W that were given, unless they were
// given too.
func (s *nrdlState) restart(given map[string]*mat.Dense) error {
	s.coded = lin.MaxAbs(s.S) > 0
	lin.AB(s.WS, 1, s.W, s.S)
	if given["P"] == nil {
		s.standStill()
		return nil
	}
	s.μ, s.Growth, s.proximity = given["mu"].At(0, 0), given["growth"].At(0, 0), given["proximity"].At(0, 0)
	return nil
}

func (s *nrdlState) parts(out classify.Outcome) (classify.Parts, error) {
	_, n := s.X.Dims()
	_, k := s.D.Dims()
	p := classify.Parts{D: s.D, Groups: s.atoms, Coder: s.coderFor(k, n), Outcome: out}
	w := s.W
	if s.refits(k, n) {
		var err error
		if w, err = s.refit(s.ctx, p.Coder); err != nil {
			return classify.Parts{}, fmt.Errorf("fitting W to the codes of the samples: %w", err)
		}
	}
	p.Rule = classify.Linear{W: w}
	return p, nil
}

func (s *nrdlState) codes() (*mat.Dense, error) { return s.S, nil }

// updateS: S = max(0, [G + εI]⁻¹ [Dᵀ(X+λR) + WᵀT + εS]),
// G = (λ+1)DᵀD + (α+2μ)WᵀW,  R = D(Q⊙S)   (11)
//
// R is frozen at the last S, so that this is not the exact minimiser of (10).
// ε is 0, and this is (11) as derived, where G is well conditioned. Where G is
// singular or nearly so (images that are alike, more atoms than features) (11)
// has many solutions, nearly all far from any non-negative one. The proximal
// term ε‖S − S_last‖² chooses one that is near the last codes.
func (s *nrdlState) updateS() error {
	lin.AtA(s.G, s.Lambda+1, s.D)       // (λ+1)DᵀD
	lin.AddAtA(s.G, s.Alpha+2*s.μ, s.W) // (λ+1)DᵀD + (α+2μ)WᵀW
	ε, err := s.spd.FactorProximal(s.G, s.proximity)
	if err != nil {
		return err
	}
	s.ownClass(s.R)             // R
	lin.Set(s.R, s.Lambda, s.R) // λR
	lin.Add(s.R, 1, s.X)        // X + λR
	s.targets()                 // T
	if ε > 0 && s.lastMu == 0 && !s.coded {
		s.matchS()
	}
	lin.Set(s.S, ε, s.S)         // εS
	lin.AddAtB(s.S, 1, s.D, s.R) // Dᵀ(X + λR) + εS
	lin.AddAtB(s.S, 1, s.W, s.T) // Dᵀ(X + λR) + WᵀT + εS
	s.spd.Solve(s.S)
	if !s.Signed {
		lin.Clamp(s.S, 0)
	}
	return nil
}

// sameMatch is how close to the best match of a sample, as a part of it, other
// atoms count as matching as well.
const sameMatch = 1e-9

// matchS sets S to the best codes of a single atom: with D₀ = X, to identity.
// Of atoms that match alike it takes the one that fewest samples have, so that
// each of two copies has an atom of its own.
func (s *nrdlState) matchS() {
	lin.AtB(s.S, 1, s.D, s.X)
	k, n := s.S.Dims()
	code, match, norm := make([]float64, k), make([]float64, k), make([]float64, k)
	users := make([]int, k)
	lin.SquaredColumnNorms(norm, s.D)
	for j := range n {
		for a, c := range mat.Col(code, j, s.S) {
			s.S.Set(a, j, 0)
			match[a] = 0
			if c > 0 && norm[a] > 0 {
				match[a] = c * c / norm[a]
			}
		}
		at, enough := -1, (1-sameMatch)*slices.Max(match)
		for a, m := range match {
			if m > 0 && m >= enough && (at < 0 || users[a] < users[at]) {
				at = a
			}
		}
		if at >= 0 {
			s.S.Set(at, j, code[at]/norm[at])
			users[at]++
		}
	}
}

// ownClass writes D(Q⊙S) into r, d×N: Q⊙S is block diagonal.
func (s *nrdlState) ownClass(r *mat.Dense) {
	for c := range s.classes() {
		a0, a1, j0, j1 := s.block(c)
		lin.AB(lin.Cols(r, j0, j1), 1, lin.Cols(s.D, a0, a1), lin.Block(s.S, a0, a1, j0, j1))
	}
}

// targets: T = αH + μP − C₁ + μJ − C₂   (11), (12)
func (s *nrdlState) targets() {
	lin.Set(s.T, s.μ, s.P)
	lin.Add(s.T, -1, s.C1)
	lin.Add(s.T, s.μ, s.J)
	lin.Add(s.T, -1, s.C2)
	s.addH(s.T, s.Alpha)
}

// addH adds f·H to a, C×N.
func (s *nrdlState) addH(a *mat.Dense, f float64) {
	for c := range s.classes() {
		row := a.RawRowView(c)
		for j := s.samples[c]; j < s.samples[c+1]; j++ {
			row[j] += f
		}
	}
}

// updateW: W = [T Sᵀ/(α+2μ) + εW] [SSᵀ + εI]⁻¹   (12), ε as in (11)
func (s *nrdlState) updateW() error {
	lin.AAt(s.V, 1, s.S) // SSᵀ, kept for (15)
	var err error
	if s.ε, err = s.spd.FactorProximal(s.V, s.proximity); err != nil {
		return err
	}
	lin.Set(s.W, s.ε, s.W)                       // εW
	lin.AddABt(s.W, 1/(s.Alpha+2*s.μ), s.T, s.S) // TSᵀ/(α+2μ) + εW
	s.spd.SolveRight(s.W)
	lin.AB(s.WS, 1, s.W, s.S)
	return nil
}

// updateP: P_i = (β Σ_{j≠i} P_jP_jᵀ + μI)⁻¹ (μWS_i + C₁ᵢ), class after class   (13)
func (s *nrdlState) updateP() error {
	lin.AAt(s.PP, 1, s.P) // Σ_j P_jP_jᵀ
	for i := range s.classes() {
		if err := context.Cause(s.ctx); err != nil { // a system of C×C for each of C classes
			return err
		}
		if err := s.updatePi(i); err != nil {
			return err
		}
	}
	return nil
}

// updatePi renews P_i and Σ_j P_jP_jᵀ. It is the exact minimiser of (9) in P_i
// for β/2 in the place of β: (4) counts every pair of classes twice.
func (s *nrdlState) updatePi(i int) error {
	j0, j1 := s.samples[i], s.samples[i+1]
	pi := lin.Cols(s.P, j0, j1)
	lin.AddAAt(s.PP, -1, pi)   // Σ_{j≠i} P_jP_jᵀ
	lin.Set(s.A, s.Beta, s.PP) // β Σ_{j≠i} P_jP_jᵀ
	lin.AddDiag(s.A, s.μ)      // β Σ_{j≠i} P_jP_jᵀ + μI
	if _, err := s.spdP.FactorOrRidge(s.A); err != nil {
		return err
	}
	lin.Set(pi, s.μ, lin.Cols(s.WS, j0, j1)) // μWS_i
	lin.Add(pi, 1, lin.Cols(s.C1, j0, j1))   // μWS_i + C₁ᵢ
	s.spdP.Solve(pi)
	lin.AddAAt(s.PP, 1, pi)
	return nil
}

// updateJ: J = (μWS + C₂)(γL + μI)⁻¹   (14)
func (s *nrdlState) updateJ() error {
	lin.Set(s.T, s.μ, s.WS) // μWS
	lin.Add(s.T, 1, s.C2)   // μWS + C₂
	return s.L.solve(s.J, s.T, s.Gamma, s.μ)
}

// updateD: D = [XSᵀ + εD] [SSᵀ + λ(A⊙S)(A⊙S)ᵀ + εI]⁻¹   (15), ε as in (11)
//
// Where λ = 0 the inverse is that of (12), whose factor spd still holds.
func (s *nrdlState) updateD() error {
	if s.Lambda > 0 {
		lin.Set(s.G, 1, s.V) // SSᵀ
		s.offClass(s.G)      // (A⊙S)(A⊙S)ᵀ
		lin.Add(s.V, s.Lambda, s.G)
		var err error
		if s.ε, err = s.spd.FactorProximal(s.V, s.proximity); err != nil {
			return err
		}
	}
	lin.Set(s.D, s.ε, s.D)       // εD
	lin.AddABt(s.D, 1, s.X, s.S) // XSᵀ + εD
	s.spd.SolveRight(s.D)
	return nil
}

// offClass turns the upper triangle of g = SSᵀ into that of (A⊙S)(A⊙S)ᵀ.
// Rows a, b of it sum over the samples of neither a's nor b's class:
//
//	(A⊙S)(A⊙S)ᵀ = SSᵀ − BSᵀ − SBᵀ + BBᵀ,   B = Q⊙S
func (s *nrdlState) offClass(g *mat.Dense) {
	k, _ := s.S.Dims()
	for c := range s.classes() {
		a0, a1, j0, j1 := s.block(c)
		own := lin.Block(s.S, a0, a1, j0, j1) // S_cc
		lin.AddABt(lin.Block(g, a0, a1, a0, k), -1, own, lin.Block(s.S, a0, k, j0, j1))
		if a0 > 0 {
			lin.AddABt(lin.Block(g, 0, a0, a0, a1), -1, lin.Block(s.S, 0, a0, j0, j1), own)
		}
	}
}

// updateMultipliers: C₁ += μ(WS − P), C₂ += μ(WS − J)   (16), (17); then μ grows
func (s *nrdlState) updateMultipliers() {
	lin.Add(s.C1, s.μ, s.WS)
	lin.Add(s.C1, -s.μ, s.P)
	lin.Add(s.C2, s.μ, s.WS)
	lin.Add(s.C2, -s.μ, s.J)
	s.lastMu, s.μ = s.μ, min(s.Growth*s.μ, s.MuMax)
}

// Objective gives μ of the last pass, the terms of (7) with their weights as printed, and
// the norms of D, W and S.
// The incoherence has the weight β of (7); the passes minimise it with β/2 (updateP).
func (s *nrdlState) Objective() []classify.Term {
	return []classify.Term{
		{Name: "mu", Value: s.lastMu, Info: true},
		{Name: "reconstruction", Value: s.reconstruction()},
		{Name: "offclass", Value: s.Lambda * s.offclass()},
		{Name: "classification", Value: s.Alpha * s.classification()},
		{Name: "incoherence", Value: s.Beta * s.incoherence()},
		{Name: "graph", Value: s.Gamma * quadratic(s.L, s.WS)},
		{Name: "normD", Value: math.Sqrt(lin.SquaredNorm(s.D)), Info: true},
		{Name: "normW", Value: math.Sqrt(lin.SquaredNorm(s.W)), Info: true},
		{Name: "normS", Value: math.Sqrt(lin.SquaredNorm(s.S)), Info: true},
	}
}

// reconstruction: ‖X − DS‖²
func (s *nrdlState) reconstruction() float64 {
	e := mat.DenseCopyOf(s.X)
	lin.AddAB(e, -1, s.D, s.S)
	return lin.SquaredNorm(e)
}

// offclass: ‖D(A⊙S)‖²
func (s *nrdlState) offclass() float64 {
	d, n := s.X.Dims()
	k, _ := s.S.Dims()
	e := mat.NewDense(d, n, nil)
	for c := range s.classes() {
		a0, a1, j0, j1 := s.block(c)
		ec := lin.Cols(e, j0, j1)
		if a0 > 0 {
			lin.AddAB(ec, 1, lin.Cols(s.D, 0, a0), lin.Block(s.S, 0, a0, j0, j1))
		}
		if a1 < k {
			lin.AddAB(ec, 1, lin.Cols(s.D, a1, k), lin.Block(s.S, a1, k, j0, j1))
		}
	}
	return lin.SquaredNorm(e)
}

// classification: ‖H − WS‖²
func (s *nrdlState) classification() float64 {
	e := mat.DenseCopyOf(s.WS)
	s.addH(e, -1)
	return lin.SquaredNorm(e)
}

// incoherence: Σ_i Σ_{j≠i} ‖(WS_i)ᵀ(WS_j)‖², twice the sum over j > i
func (s *nrdlState) incoherence() float64 {
	_, n := s.WS.Dims()
	if n > denseLimit {
		return s.incoherenceOfMany()
	}
	var sum float64
	for c := range len(s.samples) - 2 {
		j0, j1 := s.samples[c], s.samples[c+1]
		e := mat.NewDense(j1-j0, n-j1, nil)
		lin.AtB(e, 1, lin.Cols(s.WS, j0, j1), lin.Cols(s.WS, j1, n))
		sum += 2 * lin.SquaredNorm(e)
	}
	return sum
}

// incoherenceOfMany is incoherence without the products of all pairs of samples:
// Σ_i ⟨G_i, Σ_{j≠i} G_j⟩,  G_i = WS_i(WS_i)ᵀ
func (s *nrdlState) incoherenceOfMany() float64 {
	c, _ := s.WS.Dims()
	all, own := mat.NewDense(c, c, nil), mat.NewDense(c, c, nil)
	symmetric(all, s.WS)
	var sum float64
	for i := range s.classes() {
		symmetric(own, lin.Cols(s.WS, s.samples[i], s.samples[i+1]))
		for k := range c {
			g := own.RawRowView(k)
			for l, v := range all.RawRowView(k) {
				sum += g[l] * (v - g[l])
			}
		}
	}
	return sum
}
