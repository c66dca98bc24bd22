package method

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// sdrerdlState is the iterate of SDRERDL; a name that ends in m is that of the
// mirror images, marked ′ in the equations.
type sdrerdlState struct {
	SDRERDL
	alternation            // of X, d×2N: [X X′], and Codes, K×2N: [S S′]
	S, Sm       *mat.Dense // K×N: the two parts of Codes
}

func newSDRERDLState(m SDRERDL, t *task) (*sdrerdlState, error) {
	a, err := m.start(t, withMirrorImages(t.x, t.Grid))
	if err != nil {
		return nil, err
	}
	n := t.Len()
	return &sdrerdlState{SDRERDL: m, alternation: a, S: lin.Cols(a.Codes, 0, n), Sm: lin.Cols(a.Codes, n, 2*n)}, nil
}

func (s *sdrerdlState) Largest() float64           { return max(lin.MaxAbs(s.D), lin.MaxAbs(s.Codes)) }
func (s *sdrerdlState) codes() (*mat.Dense, error) { return s.scaled(s.S), nil }

// Step makes one pass and returns ‖D − D_last‖/‖D_last‖. Every update is the
// minimiser over its variable, so that the problem falls from pass to pass.
func (s *sdrerdlState) Step() (float64, error) {
	return s.pass(update{"S", s.updateS}, update{"S′", s.updateSm}, update{"D", s.updateD})
}

func (s *sdrerdlState) variables() []variable {
	return []variable{dictionaryOf(s.D), codesOf("S", s.S), codesOf("Sm", s.Sm)}
}

func (s *sdrerdlState) parts(out classify.Outcome) (classify.Parts, error) {
	return s.AlternatingLearning.parts(&s.alternation, s.S, out)
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
	return s.renewD()
}

// Objective gives the terms of the problem with their weights, and the norms
// of D, S and S′.
func (s *sdrerdlState) Objective() []classify.Term {
	_, n := s.S.Dims()
	return []classify.Term{
		{Name: "reconstruction", Value: squaredError(lin.Cols(s.X, 0, n), s.D, s.S)},
		{Name: "mirror", Value: s.Tau * squaredError(lin.Cols(s.X, n, 2*n), s.D, s.Sm)},
		{Name: "agreement", Value: s.Eta * squaredDifference(s.S, s.Sm)},
		{Name: "codes", Value: s.Lambda * lin.SquaredNorm(s.Codes)},
		{Name: "atoms", Value: s.Nu * lin.SquaredNorm(s.D)},
		{Name: "normD", Value: math.Sqrt(lin.SquaredNorm(s.D)), Info: true},
		{Name: "normS", Value: math.Sqrt(lin.SquaredNorm(s.S)), Info: true},
		{Name: "normSm", Value: math.Sqrt(lin.SquaredNorm(s.Sm)), Info: true},
	}
}
