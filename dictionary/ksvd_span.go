package dictionary

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"nrdl/internal/lin"
)

// A span is the orthonormal basis U of a space that holds samples and atoms:
// their inner products, and so every update of K-SVD, are the same in its
// coordinates, and a pass costs so many operations less as these are fewer.
type span struct {
	qr  *mat.Dense // reflectors of U, d×(N+K); nil where U is the identity
	tau []float64
}

// spanned returns a basis of the span of the samples x, d×N, and the atoms d0,
// d×K, with the coordinates of both, copies; or x and d0 themselves where the
// coordinates are not fewer than d.
func spanned(x, d0 *mat.Dense) (u span, xs, ds *mat.Dense) {
	d, n := x.Dims()
	_, k := d0.Dims()
	if n >= d {
		return span{}, x, d0
	}
	qr, tau := mat.NewDense(d, n+k, nil), make([]float64, min(d, n+k))
	lin.Set(lin.Cols(qr, 0, n), 1, x)
	lin.Set(lin.Cols(qr, n, n+k), 1, d0)
	factor(qr, tau)
	size := n // of the coordinates: the atoms may lie in the span of the samples
	for i := n; i < min(d, n+k); i++ {
		for _, v := range qr.RawRowView(i)[max(i, n):] {
			if math.Abs(v) > outside {
				size = min(d, n+k)
			}
		}
	}
	if size == d {
		return span{}, x, d0
	}
	r := mat.NewDense(size, n+k, nil)
	for i := range size {
		copy(r.RawRowView(i)[i:], qr.RawRowView(i)[i:])
	}
	return span{qr, tau}, mat.DenseCopyOf(lin.Cols(r, 0, n)), mat.DenseCopyOf(lin.Cols(r, n, n+k))
}

// outside is the part of a unit atom outside the span of the samples that is
// rounding.
const outside = 1e-13

func factor(a *mat.Dense, tau []float64) {
	work := make([]float64, 1)
	lapack64.Geqrf(a.RawMatrix(), tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Geqrf(a.RawMatrix(), tau, work, len(work))
}

// expand returns U·D, d×K, for atoms in the coordinates of the span, size×K;
// the atoms themselves where U is the identity.
func (u span) expand(atoms *mat.Dense) *mat.Dense {
	if u.qr == nil {
		return atoms
	}
	size, k := atoms.Dims()
	d, _ := u.qr.Dims()
	out := mat.NewDense(d, k, nil)
	lin.Set(lin.Block(out, 0, size, 0, k), 1, atoms)
	work := make([]float64, 1)
	q := u.qr.RawMatrix()
	q.Cols = len(u.tau)
	lapack64.Ormqr(blas.Left, blas.NoTrans, q, u.tau, out.RawMatrix(), work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Ormqr(blas.Left, blas.NoTrans, q, u.tau, out.RawMatrix(), work, len(work))
	return out
}

// Compress returns the samples x, d×N, and the atoms d0, d×K, of norm 1 or 0, in
// the coordinates of a space that holds them, or themselves where these are not
// fewer than d; and expand, which takes atoms back, or
// returns them as they are. Inner products are the same
// in both. Learn does this of its own accord, but cannot where rows that are no
// combination of the others, such as labels, are stacked below.
func Compress(x, d0 *mat.Dense) (xs, ds *mat.Dense, expand func(atoms *mat.Dense) *mat.Dense) {
	u, xs, ds := spanned(x, d0)
	return xs, ds, u.expand
}
