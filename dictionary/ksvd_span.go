package dictionary

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// outside is the part of a unit atom outside the span of the samples that is
// rounding.
const outside = 1e-13

// Compress returns the samples x, d×N, and the atoms d0, d×K, of norm 1 or 0, in
// the coordinates of a space that holds them, where these are fewer than d, and
// expand, which takes atoms back; else x and d0 themselves. Inner products, and
// so every update of K-SVD, are the same in both. Learn does this of its own
// accord, but cannot where rows that are no combination of the others, such as
// labels, are stacked below.
func Compress(x, d0 *mat.Dense) (xs, ds *mat.Dense, expand func(atoms *mat.Dense) *mat.Dense) {
	d, n := x.Dims()
	_, k := d0.Dims()
	same := func(atoms *mat.Dense) *mat.Dense { return atoms }
	if n >= d {
		return x, d0, same
	}
	both := mat.NewDense(d, n+k, nil)
	lin.Set(lin.Cols(both, 0, n), 1, x)
	lin.Set(lin.Cols(both, n, n+k), 1, d0)
	qr := lin.FactorQR(both)
	r := qr.R()
	rows, _ := r.Dims()
	size := n // of the coordinates: the atoms may lie in the span of the samples
	for i := n; i < rows && size == n; i++ {
		for _, v := range r.RawRowView(i)[n:] {
			if math.Abs(v) > outside {
				size = rows
			}
		}
	}
	if size == d {
		return x, d0, same
	}
	return mat.DenseCopyOf(lin.Block(r, 0, size, 0, n)), mat.DenseCopyOf(lin.Block(r, 0, size, n, n+k)), qr.Q
}
