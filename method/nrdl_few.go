package method

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// fewCoder returns the coder of queries for K atoms and N samples, and whether the atoms are
// to have norm 1. Where samples are left out of D, what is learned is badly conditioned: the
// exact non-negative codes have several times as many coefficients, whose sum is several
// times the norm of the query. A small ridge, which weighs all atoms alike, keeps them small.
func (m NRDL) fewCoder(k, n int) (c coding.Coder, unit bool) {
	exact, ok := m.coder().(coding.NonNegative)
	if !ok || k >= n || exact.Solver != coding.Exact || exact.L2 > 0 || m.FewL2 == 0 {
		return m.coder(), false
	}
	exact.L2 = m.FewL2
	return exact, true
}

// units returns the norms of the atoms, for which D·diag(1/norm), diag(norm)·S and
// W·diag(1/norm) have the same DS and WS; nil where they are to stay as they are.
func (s *nrdlState) units() (norms []float64) {
	_, n := s.X.Dims()
	_, k := s.D.Dims()
	if _, unit := s.fewCoder(k, n); !unit {
		return nil
	}
	norms = make([]float64, k)
	lin.SquaredColumnNorms(norms, s.D)
	for i, v := range norms {
		if norms[i] = math.Sqrt(v); v == 0 {
			norms[i] = 1
		}
	}
	return norms
}

// overColumns returns a with its columns divided by norms; a itself if there are none.
func overColumns(a *mat.Dense, norms []float64) *mat.Dense {
	if norms == nil {
		return a
	}
	a = mat.DenseCopyOf(a)
	for i := range a.RawMatrix().Rows {
		row := a.RawRowView(i)
		for k, v := range norms {
			row[k] /= v
		}
	}
	return a
}
