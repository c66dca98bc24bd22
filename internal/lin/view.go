package lin

import (
	"gonum.org/v1/gonum/mat"

	"nrdl/internal/parallel"
)

// Cols views the columns lo ≤ j < hi of a; it shares a's elements.
func Cols(a *mat.Dense, lo, hi int) *mat.Dense {
	m, _ := a.Dims()
	return a.Slice(0, m, lo, hi).(*mat.Dense)
}

// Block views the rows i0 ≤ i < i1 and columns j0 ≤ j < j1 of a.
func Block(a *mat.Dense, i0, i1, j0, j1 int) *mat.Dense {
	return a.Slice(i0, i1, j0, j1).(*mat.Dense)
}

// Transpose sets dst, n×m, to the transpose of a, m×n. They do not overlap.
func Transpose(dst, a *mat.Dense) {
	const block = 32 // rows and columns that stay in the cache together
	to, from := dst.RawMatrix(), a.RawMatrix()
	if to.Rows != from.Cols || to.Cols != from.Rows {
		panic(mat.ErrShape)
	}
	parallel.For(to.Rows, block, func(lo, hi int) {
		for j0 := 0; j0 < to.Cols; j0 += block {
			for j := j0; j < min(j0+block, to.Cols); j++ {
				for i, v := range from.Data[j*from.Stride+lo : j*from.Stride+hi] {
					to.Data[(lo+i)*to.Stride+j] = v
				}
			}
		}
	})
}
