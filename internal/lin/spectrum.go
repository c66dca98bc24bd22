package lin

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Spectrum returns the eigenvectors V of AᵀA, m×m, and the singular values of a, d×m,
// increasing.
func Spectrum(a *mat.Dense) (v *mat.Dense, σ []float64) {
	_, m := a.Dims()
	gram := mat.NewSymDense(m, nil)
	gram.SymOuterK(1, a.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, true) {
		panic("the eigenvalues of a Gram matrix do not converge") // QL iterations of finite numbers do
	}
	v = &mat.Dense{}
	eigen.VectorsTo(v)
	σ = eigen.Values(nil)
	for i, x := range σ {
		σ[i] = math.Sqrt(max(0, x))
	}
	return v, σ
}
