package lin

import (
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/parallel"
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

// Gather copies the columns of a into dst, in their order: column columns[j] becomes
// column j. They do not overlap.
func Gather(dst, a *mat.Dense, columns []int) {
	m, _ := a.Dims()
	for i := range m {
		to, from := dst.RawRowView(i), a.RawRowView(i)
		for j, k := range columns {
			to[j] = from[k]
		}
	}
}

// Select returns a copy of the columns of a, in their order.
func Select(a *mat.Dense, columns []int) *mat.Dense {
	m, _ := a.Dims()
	b := mat.NewDense(m, len(columns), nil)
	Gather(b, a, columns)
	return b
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
