package method

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// lcleState is the iterate of LCLE; its fields are the symbols of [lcle].
type lcleState struct {
	LCLE
	alternation
	S, V *mat.Dense // K×N; S is Codes
	L    *atomGraph // Laplacian L_a of the atoms at the start of the pass
}

func newLCLEState(m LCLE, t *task) (*lcleState, error) {
	a, err := m.start(t, t.x)
	if err != nil {
		return nil, err
	}
	k, n := a.Codes.Dims()
	return &lcleState{LCLE: m, alternation: a, S: a.Codes, V: mat.NewDense(k, n, nil)}, nil
}

func (s *lcleState) Largest() float64           { return max(lin.MaxAbs(s.D), lin.MaxAbs(s.S), lin.MaxAbs(s.V)) }
func (s *lcleState) codes() (*mat.Dense, error) { return s.scaled(s.S), nil }

// Step makes one pass and returns ‖D − D_last‖/‖D_last‖. Every update is the
// minimiser over its variable, so that the problem falls within a pass; between
// passes the graph changes it.
func (s *lcleState) Step() (float64, error) {
	s.L = newAtomGraph(s.G, s.Neighbours)
	return s.pass(update{"V", s.updateV}, update{"D", s.updateD}, update{"S", s.updateS})
}

func (s *lcleState) variables() []variable {
	return []variable{dictionaryOf(s.D), codesOf("S", s.S), codesOf("V", s.V)}
}

func (s *lcleState) parts(out classify.Outcome) (classify.Parts, error) {
	return s.AlternatingLearning.parts(&s.alternation, s.S, out)
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
	return s.renewD()
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

// addU adds f·U to the upper triangle of a.
func (s *lcleState) addU(a *mat.Dense, f float64) {
	for c := range len(s.groups) - 1 {
		lo, hi := s.groups[c], s.groups[c+1]
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
		{Name: "normD", Value: math.Sqrt(lin.SquaredNorm(s.D)), Info: true},
		{Name: "normS", Value: math.Sqrt(lin.SquaredNorm(s.S)), Info: true},
		{Name: "normV", Value: math.Sqrt(lin.SquaredNorm(s.V)), Info: true},
	}
}

// label: tr(VᵀUV) = Σ_c ‖Σ_{k∈c} v^k‖²/K_c, v^k the rows of V
func (s *lcleState) label() float64 {
	_, n := s.V.Dims()
	var total float64
	for c := range len(s.groups) - 1 {
		lo, hi := s.groups[c], s.groups[c+1]
		sum := mat.NewDense(1, n, nil)
		for k := lo; k < hi; k++ {
			lin.Add(sum, 1, lin.Block(s.V, k, k+1, 0, n))
		}
		total += lin.SquaredNorm(sum) / float64(hi-lo)
	}
	return total
}
