package lin

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// A QR is the factorisation A = Q·R of a matrix, d×n, with QᵀQ = I. With
// m = min(d, n), R is m×n; Q, d×m, is never formed.
type QR struct {
	a   *mat.Dense // R in the upper triangle, the reflectors of Q below, d×n
	tau []float64  // len m
}

// FactorQR factors a, which it leaves as it is.
func FactorQR(a *mat.Dense) *QR {
	d, n := a.Dims()
	q := &QR{mat.DenseCopyOf(a), make([]float64, min(d, n))}
	work := make([]float64, 1)
	lapack64.Geqrf(q.a.RawMatrix(), q.tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Geqrf(q.a.RawMatrix(), q.tau, work, len(work))
	return q
}

// R returns R, m×n.
func (q *QR) R() *mat.Dense {
	_, n := q.a.Dims()
	r := mat.NewDense(len(q.tau), n, nil)
	for i := range q.tau {
		copy(r.RawRowView(i)[i:], q.a.RawRowView(i)[i:])
	}
	return r
}

// Q returns Q·C, d×k, for c, p×k: of the first p columns of Q.
func (q *QR) Q(c *mat.Dense) *mat.Dense {
	p, k := c.Dims()
	d, _ := q.a.Dims()
	out := mat.NewDense(d, k, nil)
	Set(Block(out, 0, p, 0, k), 1, c)
	a := q.a.RawMatrix()
	a.Cols = len(q.tau)
	work := make([]float64, 1)
	lapack64.Ormqr(blas.Left, blas.NoTrans, a, q.tau, out.RawMatrix(), work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Ormqr(blas.Left, blas.NoTrans, a, q.tau, out.RawMatrix(), work, len(work))
	return out
}
