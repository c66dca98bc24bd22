package method

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// DefaultNRDLRefit is NRDL whose W is fitted again, with few atoms and with all samples as atoms. Its
// two weights, which are not of the paper, were chosen by validation inside the training parts of the
// five databases (doc/adr/0091-refitted-classifier.md).
var DefaultNRDLRefit = registerIterative(refitted(DefaultNRDL))

func refitted(m NRDL) NRDL {
	m.Whole, m.FewL2, m.Refit = true, 10, 0.4
	return m
}

// refits reports whether W over k atoms is fitted again to the codes of n samples.
func (m NRDL) refits(k, n int) bool { return m.Refit > 0 && !m.Signed && (m.Whole || k < n) }

// refit: W₂ = HZᵀ(ZZᵀ + λI)⁻¹,  λ = refit·‖Z‖²/N, the minimiser of ‖H − WZ‖² + λ‖W‖²
//
// Z, K×N, holds the codes of the training samples as the coder c of queries codes them. S, to
// which the iteration fits W, is a solution of (11) whose negative elements are 0: no query has
// such a code.
func (s *nrdlState) refit(ctx context.Context, c coding.Coder) (*mat.Dense, error) {
	over, err := c.Over(coding.Basis{D: s.D, Groups: s.atoms})
	if err != nil {
		return nil, err
	}
	k, n := s.S.Dims()
	z, g, w := mat.NewDense(k, n, nil), mat.NewDense(k, k, nil), mat.NewDense(len(s.t.Classes), k, nil)
	if err := over.Code(ctx, z, s.X); err != nil {
		return nil, err
	}
	lin.AAt(g, 1, z)                                      // ZZᵀ
	lin.AddDiag(g, s.Refit*lin.SquaredNorm(z)/float64(n)) // ZZᵀ + λI
	var spd lin.SPD
	if _, err := spd.FactorOrRidge(g); err != nil {
		return nil, err
	}
	h := mat.NewDense(len(s.t.Classes), n, nil)
	s.addH(h, 1)
	lin.ABt(w, 1, h, z) // HZᵀ
	spd.SolveRight(w)
	return w, nil
}
