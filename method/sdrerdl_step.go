package method

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl/classify"
	"nrdl/internal/lin"
)

// sdrerdlState is the iterate of SDRERDL; a name that ends in m is that of the
// mirror images, marked ′ in the equations.
type sdrerdlState struct {
	SDRERDL
	XX    *mat.Dense // d×2N: [X X′]
	atoms []int      // groups of the columns of D, the rows of S and S′

	D     *mat.Dense // d×K
	SS    *mat.Dense // K×2N: [S S′]
	S, Sm *mat.Dense // K×N: the two parts of SS

	DX   *mat.Dense // K×2N: Dᵀ[X X′]
	C    *mat.Dense // K×2N: D = [X X′]Cᵀ
	G, A *mat.Dense // K×K: DᵀD; the system that is solved
	Last *mat.Dense // d×K: D of the pass before
	spd  lin.SPD
}

// newSDRERDLState starts from the class-wise D₀ of the images and the sparse
// codes of images and mirror images over it. The columns of both, [X X′], are
// replaced by their coordinates in their own span where that is shorter.
func newSDRERDLState(ctx context.Context, m SDRERDL, both *mat.Dense, t *classify.Samples) (*sdrerdlState, error) {
	xx, _ := compress(both)
	d, n2 := xx.Dims()
	n := n2 / 2
	d0, atoms, err := classwise(ctx, m.Init, lin.Cols(xx, 0, n), t, m.Atoms)
	if err != nil {
		return nil, err
	}
	over, err := m.Coder.Over(d0, atoms)
	if err != nil {
		return nil, err
	}
	_, k := d0.Dims()
	zero := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
	s := &sdrerdlState{
		SDRERDL: m, XX: xx, atoms: atoms, D: d0, SS: zero(k, n2),
		DX: zero(k, n2), C: zero(k, n2), G: zero(k, k), A: zero(k, k), Last: zero(d, k),
	}
	s.S, s.Sm = lin.Cols(s.SS, 0, n), lin.Cols(s.SS, n, n2)
	if err := over.Code(ctx, s.SS, xx); err != nil {
		return nil, fmt.Errorf("codes at the start: %w", err)
	}
	s.multiplyD()
	return s, nil
}

// Largest implements classify.Bounded.
func (s *sdrerdlState) Largest() float64 { return max(lin.MaxAbs(s.D), lin.MaxAbs(s.SS)) }

// Step makes one pass and returns ‖D − D_last‖/‖D_last‖. Every update is the
// minimiser over its variable, so that the problem falls from pass to pass.
func (s *sdrerdlState) Step() (float64, error) {
	lin.Set(s.Last, 1, s.D)
	err := inTurn([]update{{"S", s.updateS}, {"S′", s.updateSm}, {"D", s.updateD}})
	return relativeChange(s.D, s.Last), err
}

// updateS: S = (DᵀD + (η+λ)I)⁻¹(DᵀX + ηS′)
func (s *sdrerdlState) updateS() error {
	_, n := s.S.Dims()
	lin.Set(s.S, 1, lin.Cols(s.DX, 0, n)) // DᵀX
	lin.Add(s.S, s.Eta, s.Sm)             // DᵀX + ηS′
	lin.Set(s.A, 1, s.G)                  // DᵀD
	lin.AddDiag(s.A, s.Eta+s.Lambda)      // DᵀD + (η+λ)I
	return solve(&s.spd, s.A, s.S)
}

// updateSm: S′ = (τDᵀD + (η+λ)I)⁻¹(τDᵀX′ + ηS)
func (s *sdrerdlState) updateSm() error {
	_, n := s.S.Dims()
	lin.Set(s.Sm, s.Tau, lin.Cols(s.DX, n, 2*n)) // τDᵀX′
	lin.Add(s.Sm, s.Eta, s.S)                    // τDᵀX′ + ηS
	lin.Set(s.A, s.Tau, s.G)                     // τDᵀD
	lin.AddDiag(s.A, s.Eta+s.Lambda)             // τDᵀD + (η+λ)I
	return solve(&s.spd, s.A, s.Sm)
}

// updateD: D = (XSᵀ + τX′S′ᵀ)(SSᵀ + τS′S′ᵀ + νI)⁻¹
func (s *sdrerdlState) updateD() error {
	_, n := s.S.Dims()
	lin.Set(lin.Cols(s.C, 0, n), 1, s.S)        // [S …]
	lin.Set(lin.Cols(s.C, n, 2*n), s.Tau, s.Sm) // [S τS′]
	lin.AAt(s.A, 1, s.S)                        // SSᵀ
	lin.AddAAt(s.A, s.Tau, s.Sm)                // SSᵀ + τS′S′ᵀ
	lin.AddDiag(s.A, s.Nu)                      // SSᵀ + τS′S′ᵀ + νI
	if err := solve(&s.spd, s.A, s.C); err != nil {
		return err
	}
	lin.ABt(s.D, 1, s.XX, s.C)
	s.multiplyD()
	return nil
}

// multiplyD: G = DᵀD, its upper triangle, and Dᵀ[X X′].
func (s *sdrerdlState) multiplyD() {
	lin.AtA(s.G, 1, s.D)
	lin.AtB(s.DX, 1, s.D, s.XX)
}

// Objective gives the terms of the problem with their weights, and the norms
// of D, S and S′.
func (s *sdrerdlState) Objective() []classify.Term {
	_, n := s.S.Dims()
	return []classify.Term{
		{Name: "reconstruction", Value: squaredError(lin.Cols(s.XX, 0, n), s.D, s.S)},
		{Name: "mirror", Value: s.Tau * squaredError(lin.Cols(s.XX, n, 2*n), s.D, s.Sm)},
		{Name: "agreement", Value: s.Eta * squaredDifference(s.S, s.Sm)},
		{Name: "codes", Value: s.Lambda * lin.SquaredNorm(s.SS)},
		{Name: "atoms", Value: s.Nu * lin.SquaredNorm(s.D)},
		{Name: "normD", Value: math.Sqrt(lin.SquaredNorm(s.D))},
		{Name: "normS", Value: math.Sqrt(lin.SquaredNorm(s.S))},
		{Name: "normSm", Value: math.Sqrt(lin.SquaredNorm(s.Sm))},
	}
}
