package method

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl/classify"
	"nrdl/internal/lin"
)

// lcleState is the iterate of LCLE; its fields are the symbols of [lcle].
type lcleState struct {
	LCLE
	X     *mat.Dense // d×N
	atoms []int      // groups of the columns of D, the rows of S and V

	D, S, V *mat.Dense // d×K, K×N, K×N
	L       *atomGraph // Laplacian L_a of the atoms at the start of the pass

	DX   *mat.Dense // K×N: DᵀX
	C    *mat.Dense // K×N: D = XCᵀ
	G, A *mat.Dense // K×K: DᵀD; the system that is solved
	Last *mat.Dense // d×K: D of the pass before
	spd  lin.SPD
}

// newLCLEState starts from the class-wise D₀ and the sparse codes S₀ over it.
// The columns of x, the samples of t at unit norm, are replaced by their
// coordinates in their own span where that is shorter.
func newLCLEState(ctx context.Context, m LCLE, x *mat.Dense, t *classify.Samples) (*lcleState, error) {
	x, _ = compress(x)
	d0, atoms, err := classwise(ctx, m.Init, x, t, m.Atoms)
	if err != nil {
		return nil, err
	}
	over, err := m.Coder.Over(d0, atoms)
	if err != nil {
		return nil, err
	}
	d, n := x.Dims()
	_, k := d0.Dims()
	zero := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
	s := &lcleState{
		LCLE: m, X: x, atoms: atoms, D: d0, S: zero(k, n), V: zero(k, n),
		DX: zero(k, n), C: zero(k, n), G: zero(k, k), A: zero(k, k), Last: zero(d, k),
	}
	if err := over.Code(ctx, s.S, x); err != nil {
		return nil, fmt.Errorf("codes S₀: %w", err)
	}
	s.multiplyD()
	return s, nil
}

// Largest implements classify.Bounded.
func (s *lcleState) Largest() float64 { return max(lin.MaxAbs(s.D), lin.MaxAbs(s.S), lin.MaxAbs(s.V)) }

// Step makes one pass and returns ‖D − D_last‖/‖D_last‖. Every update is the
// minimiser over its variable, so that the problem falls within a pass; between
// passes the graph changes it.
func (s *lcleState) Step() (float64, error) {
	s.L = newAtomGraph(s.G, s.Neighbours)
	lin.Set(s.Last, 1, s.D)
	err := inTurn([]update{{"V", s.updateV}, {"D", s.updateD}, {"S", s.updateS}})
	return relativeChange(s.D, s.Last), err
}

// updateV: V = (DᵀD + βU + γI)⁻¹(DᵀX + γS)
func (s *lcleState) updateV() error {
	lin.Set(s.V, 1, s.DX)      // DᵀX
	lin.Add(s.V, s.Gamma, s.S) // DᵀX + γS
	lin.Set(s.A, 1, s.G)       // DᵀD
	s.addU(s.A, s.Beta)        // DᵀD + βU
	lin.AddDiag(s.A, s.Gamma)  // DᵀD + βU + γI
	return solve(&s.spd, s.A, s.V)
}

// updateD: D = X(S+V)ᵀ(SSᵀ + VVᵀ)⁻¹
func (s *lcleState) updateD() error {
	lin.Set(s.C, 1, s.S)    // S
	lin.Add(s.C, 1, s.V)    // S + V
	lin.AAt(s.A, 1, s.S)    // SSᵀ
	lin.AddAAt(s.A, 1, s.V) // SSᵀ + VVᵀ
	if err := solve(&s.spd, s.A, s.C); err != nil {
		return err
	}
	lin.ABt(s.D, 1, s.X, s.C)
	s.multiplyD()
	return nil
}

// updateS: S = (DᵀD + αL_a + γI)⁻¹(DᵀX + γV)
func (s *lcleState) updateS() error {
	lin.Set(s.S, 1, s.DX)      // DᵀX
	lin.Add(s.S, s.Gamma, s.V) // DᵀX + γV
	lin.Set(s.A, 1, s.G)       // DᵀD
	s.L.addTo(s.A, s.Alpha)    // DᵀD + αL_a
	lin.AddDiag(s.A, s.Gamma)  // DᵀD + αL_a + γI
	return solve(&s.spd, s.A, s.S)
}

// multiplyD: G = DᵀD, its upper triangle, and DᵀX, which the updates of two
// passes share.
func (s *lcleState) multiplyD() {
	lin.AtA(s.G, 1, s.D)
	lin.AtB(s.DX, 1, s.D, s.X)
}

// addU adds f·U to the upper triangle of a.
func (s *lcleState) addU(a *mat.Dense, f float64) {
	for c := range len(s.atoms) - 1 {
		lo, hi := s.atoms[c], s.atoms[c+1]
		for i := lo; i < hi; i++ {
			row := a.RawRowView(i)
			for j := i; j < hi; j++ {
				row[j] += f / float64(hi-lo)
			}
		}
	}
}

// Objective gives the terms of the problem with their weights, and the norms
// of D, S and V.
func (s *lcleState) Objective() []classify.Term {
	return []classify.Term{
		{Name: "reconstruction", Value: squaredError(s.X, s.D, s.S)},
		{Name: "auxiliary", Value: squaredError(s.X, s.D, s.V)},
		{Name: "locality", Value: s.Alpha * s.L.quadratic(s.S)},
		{Name: "label", Value: s.Beta * s.label()},
		{Name: "agreement", Value: s.Gamma * squaredDifference(s.S, s.V)},
		{Name: "normD", Value: math.Sqrt(lin.SquaredNorm(s.D))},
		{Name: "normS", Value: math.Sqrt(lin.SquaredNorm(s.S))},
		{Name: "normV", Value: math.Sqrt(lin.SquaredNorm(s.V))},
	}
}

// label: tr(VᵀUV) = Σ_c ‖Σ_{k∈c} v^k‖²/K_c, v^k the rows of V
func (s *lcleState) label() float64 {
	_, n := s.V.Dims()
	var total float64
	for c := range len(s.atoms) - 1 {
		lo, hi := s.atoms[c], s.atoms[c+1]
		sum := mat.NewDense(1, n, nil)
		for k := lo; k < hi; k++ {
			lin.Add(sum, 1, lin.Block(s.V, k, k+1, 0, n))
		}
		total += lin.SquaredNorm(sum) / float64(hi-lo)
	}
	return total
}

// An update renews one variable of an iterate, given the others.
type update struct {
	of    string
	renew func() error
}

// inTurn makes the updates one after the other.
func inTurn(updates []update) error {
	for _, u := range updates {
		if err := u.renew(); err != nil {
			return fmt.Errorf("update of %s: %w", u.of, err)
		}
	}
	return nil
}

// solve: B ← A⁻¹B, with the least ridge where A is singular
func solve(spd *lin.SPD, a, b *mat.Dense) error {
	if _, err := spd.FactorOrRidge(a); err != nil {
		return err
	}
	spd.Solve(b)
	return nil
}

// combine returns XCᵀ, d×K: the dictionary of the coefficients c, K×N, for
// samples x that have not been compressed.
func combine(x, c *mat.Dense) *mat.Dense {
	rows, _ := x.Dims()
	k, _ := c.Dims()
	d := mat.NewDense(rows, k, nil)
	lin.ABt(d, 1, x, c)
	return d
}

// squaredError: ‖X − DS‖²
func squaredError(x, d, s *mat.Dense) float64 {
	e := mat.DenseCopyOf(x)
	lin.AddAB(e, -1, d, s)
	return lin.SquaredNorm(e)
}

// squaredDifference: ‖A − B‖²
func squaredDifference(a, b *mat.Dense) float64 {
	e := mat.DenseCopyOf(a)
	lin.Add(e, -1, b)
	return lin.SquaredNorm(e)
}

// relativeChange: ‖D − D_last‖/‖D_last‖
func relativeChange(d, last *mat.Dense) float64 {
	return math.Sqrt(squaredDifference(d, last) / lin.SquaredNorm(last))
}
