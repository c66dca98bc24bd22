package blas

import "unsafe"

type float interface{ float32 | float64 }

// Ways in which a kernel treats C.
const (
	store = 0 // C = alpha·AB
	add   = 1 // C += alpha·AB
	begin = 2 // the sum starts at C; with store and alpha = 1, C = C + AB in order
)

type (
	// A gemmKernel multiplies k > 0 columns of A by as many rows of B into a tile
	// of C. last is the number of columns in the last vector.
	gemmKernel[T float] func(k int, alpha T, a *T, rsa, csa int, b *T, rsb int, c *T, rsc, mode, last int)
	// A trsmKernel solves L·X = B in place; d has the reciprocals of L's diagonal.
	trsmKernel[T float] func(t *T, rst, cst int, d *T, b *T, rsb, last int)
	// A transposeKernel transposes blocks > 0 squares side by side in src into
	// squares below each other in dst.
	transposeKernel[T float] func(blocks int, src *T, rss int, dst *T, rsd int)
)

// A machine is the kernels of one Backend for one element type.
type machine[T float] struct {
	mr, nr int                 // rows and columns of the full tile; mr divides nr
	wide   int                 // vectors in nr columns
	lanes  int                 // elements in a vector
	masked bool                // the kernels of wide vectors take any last
	gemm   [4][6]gemmKernel[T] // by log2 of the rows, vectors-1
	trsm   [4][6]trsmKernel[T]
	square int // side of the squares of transpose
	trans  transposeKernel[T]
	copy   func(k int, src *T, rss int, dst *T) // k > 0 rows of nr elements
	peak   func(n int)                          // n rounds of mr·nr multiply-adds
	plain  bool                                 // no assembly: the four fields above are not set

	// Level 1, n > 0 elements; nil for float32.
	dot    func(n int, x, y *T) T
	axpy   func(n int, alpha T, x, y *T)
	maxAbs func(n int, x *T) T // NaN left out
	level2 bool                // sums of these: gonum has no assembly here

	products stock[product[T]]
	solves   stock[solve[T]]
	chols    stock[cholesky[T]]
	panels   arena[T] // packed operands
	bits     arena[T] // what one part needs
}

// A view is a matrix in memory: element (i, j) is i·rs + j·cs after p.
type view[T float] struct {
	p      *T
	rs, cs int
}

func (v view[T]) at(i, j int) *T { return after(v.p, i*v.rs+j*v.cs) }

// sub is the view that starts at (i, j).
func (v view[T]) sub(i, j int) view[T] { return view[T]{v.at(i, j), v.rs, v.cs} }

func (v view[T]) t() view[T] { return view[T]{v.p, v.cs, v.rs} }

// row is the columns j0 ≤ j < j1 of row i of a view with cs = 1.
func (v view[T]) row(i, j0, j1 int) []T { return unsafe.Slice(v.at(i, j0), j1-j0) }

// after is the element i elements after p.
func after[T float](p *T, i int) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(p), i*int(unsafe.Sizeof(*p))))
}

// matrix is the view of a row-major matrix or of its transpose. a is not empty.
func matrix[T float](trans bool, a []T, lda int) view[T] {
	if trans {
		return view[T]{unsafe.SliceData(a), 1, lda}
	}
	return view[T]{unsafe.SliceData(a), lda, 1}
}

// vectors is the number of vectors of the widest kernel for the first cols
// columns, and how many columns it does.
func (m *machine[T]) vectors(cols int) (vecs, done int) {
	if cols >= m.nr {
		return m.wide, m.nr
	}
	vecs = (cols + m.lanes - 1) / m.lanes
	if vecs == m.wide && !m.masked {
		return vecs - 1, (vecs - 1) * m.lanes
	}
	return vecs, cols
}

// height is the index of the highest kernel of at most rows rows.
func (m *machine[T]) height(rows int) int {
	h := 0
	for 2<<h <= min(rows, m.mr) {
		h++
	}
	return h
}

// tile multiplies rows ≤ mr rows of A, k columns wide, by cols ≤ nr columns of
// b into c; b and c have unit column stride.
func (m *machine[T]) tile(rows, cols, k int, alpha T, a view[T], b *T, rsb int, c *T, rsc, mode int) {
	if rows == m.mr && cols == m.nr {
		m.gemm[m.height(rows)][m.wide-1](k, alpha, a.p, a.rs, a.cs, b, rsb, c, rsc, mode, m.lanes)
		return
	}
	for i := 0; i < rows; {
		h := m.height(rows - i)
		for j := 0; j < cols; {
			v, done := m.vectors(cols - j)
			m.gemm[h][v-1](k, alpha, after(a.p, i*a.rs), a.rs, a.cs, after(b, j), rsb,
				after(c, i*rsc+j), rsc, mode, done-(v-1)*m.lanes)
			j += done
		}
		i += 1 << h
	}
}
