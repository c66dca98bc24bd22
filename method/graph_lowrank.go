package method

import (
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// A lowRankGraph preconditions γL + μI by M of low rank: exact for m samples, the
// landmarks, and for the others an interpolation between them [nystrom],
//
//	M̃ = FᵀF,   F = R⁻ᵀM_l,   RᵀR = M_ll
//
// where M_l, m×N, are the rows of M of the landmarks. M is positive definite, as
// 1/(1+r) is a mixture of the kernels exp(−t·r), and so are M − M̃, with γ ≥ 0 and
// μ > 0 the matrix P = E − γM̃, and the system of m equations that solves it:
//
//	P⁻¹ = E⁻¹ + γE⁻¹Fᵀ(I − γFE⁻¹Fᵀ)⁻¹FE⁻¹,   E = γZ + μI
type lowRankGraph struct {
	f     *mat.Dense // F, m×N
	z, e  []float64  // the diagonals of Z and of E⁻¹, len N
	γ     float64
	small *mat.Dense // I − γFE⁻¹Fᵀ, m×m
	spd   lin.SPD    // of it
	part  *mat.Dense // columns of FE⁻¹, m×graphBlock
	t     *mat.Dense // C×m
}

// newLowRankGraph spreads the landmarks evenly over the samples of g, so that
// all classes have some where the samples are in the order of their classes.
func newLowRankGraph(g *blockGraph, landmarks int) (*lowRankGraph, error) {
	_, n := g.x.Dims()
	m := min(landmarks, n)
	at := make([]int, m)
	for i := range at {
		at[i] = i * n / m
	}
	l := &lowRankGraph{
		f: mat.NewDense(m, n, nil), z: g.z, e: make([]float64, n),
		small: mat.NewDense(m, m, nil), part: mat.NewDense(m, min(n, graphBlock), nil),
	}
	g.weights(l.f, lin.Select(g.x, at), func(i int) int { return at[i] }, 0, n)
	if _, err := l.spd.FactorOrRidge(lin.Select(l.f, at)); err != nil {
		return nil, err
	}
	l.spd.SolveRt(l.f)
	return l, nil
}

// leastShift is the least μ of the preconditioner, as a part of the mean of γZ:
// where μ is smaller, the row of ones makes P nearly singular, and that row is
// left out of the iteration.
const leastShift = 1e-3

// factor prepares solve for these γ and μ.
func (l *lowRankGraph) factor(γ, μ float64) error {
	_, n := l.f.Dims()
	var mean float64
	for _, z := range l.z {
		mean += z / float64(n)
	}
	l.γ = γ
	for u, z := range l.z {
		l.e[u] = 1 / (γ*z + max(μ, leastShift*γ*mean))
	}
	l.small.Zero()
	lin.AddDiag(l.small, 1)
	_, size := l.part.Dims()
	for lo := 0; lo < n; lo += size {
		hi := min(n, lo+size)
		f, part := lin.Cols(l.f, lo, hi), lin.Cols(l.part, 0, hi-lo)
		lin.Set(part, 1, f)
		scaleColumns(part, l.e[lo:hi])
		lin.AddABt(l.small, -γ, part, f) // I − γFE⁻¹Fᵀ
	}
	_, err := l.spd.FactorOrRidge(l.small)
	return err
}

// solve writes r·P⁻¹ into s, both C×N.
func (l *lowRankGraph) solve(s, r *mat.Dense) {
	if c, _ := r.Dims(); l.t == nil {
		m, _ := l.f.Dims()
		l.t = mat.NewDense(c, m, nil)
	}
	lin.Set(s, 1, r)
	scaleColumns(s, l.e)        // rE⁻¹
	lin.ABt(l.t, 1, s, l.f)     // rE⁻¹Fᵀ
	l.spd.SolveRight(l.t)       // rE⁻¹Fᵀ(I − γFE⁻¹Fᵀ)⁻¹
	lin.Set(s, 1, r)            // r
	lin.AddAB(s, l.γ, l.t, l.f) // r + γrE⁻¹Fᵀ(I − γFE⁻¹Fᵀ)⁻¹F
	scaleColumns(s, l.e)
}

// scaleColumns multiplies column u of a by f_u.
func scaleColumns(a *mat.Dense, f []float64) {
	m, _ := a.Dims()
	for i := range m {
		row := a.RawRowView(i)
		for u, v := range f {
			row[u] *= v
		}
	}
}
