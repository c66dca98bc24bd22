package lin

import "gonum.org/v1/gonum/mat"

// Cols views the columns lo ≤ j < hi of a; it shares a's elements.
func Cols(a *mat.Dense, lo, hi int) *mat.Dense {
	m, _ := a.Dims()
	return a.Slice(0, m, lo, hi).(*mat.Dense)
}

// Block views the rows i0 ≤ i < i1 and columns j0 ≤ j < j1 of a.
func Block(a *mat.Dense, i0, i1, j0, j1 int) *mat.Dense {
	return a.Slice(i0, i1, j0, j1).(*mat.Dense)
}
