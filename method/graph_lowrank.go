package method

import (
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// A lowRankGraph is what a blockGraph knows of M without a product. It is exact for m
// samples, the landmarks, and for the others an interpolation between them [nystrom],
//
//	F = R⁻ᵀM_l,   RᵀR = M_ll
//
// where M_l, m×N, are the rows of M of the landmarks. Among the rows J with J·1 = 0 the
// system without E has the matrix
//
//	P = D − γF_cᵀF_c,   D = γ(Z − diag(e)) + μI,   F_c = F − f1ᵀ
//
// with f the mean of F's columns, and
//
//	P⁻¹ = D⁻¹ + γD⁻¹F_cᵀ(I − γF_cD⁻¹F_cᵀ)⁻¹F_cD⁻¹
type lowRankGraph struct {
	f       *mat.Dense // F_c, m×N
	mean    *mat.Dense // f, m×1
	z, e, d []float64  // the diagonals of Z, of M − FᵀF and of D⁻¹, len N
	γ       float64
	small   *mat.Dense // I − γF_cD⁻¹F_cᵀ, m×m
	spd     lin.SPD    // of it
	part    *mat.Dense // columns of F_cD⁻¹, m×graphBlock
	ones    *mat.Dense // 1ᵀP⁻¹, 1×N
}

// newLowRankGraph spreads the landmarks evenly over the samples of g, so that
// all classes have some where the samples are in the order of their classes.
func newLowRankGraph(g *blockGraph, m int) (*lowRankGraph, error) {
	_, n := g.x.Dims()
	at := make([]int, m)
	for i := range at {
		at[i] = i * n / m
	}
	l := &lowRankGraph{
		f: mat.NewDense(m, n, nil), mean: mat.NewDense(m, 1, nil), z: g.z, e: make([]float64, n), d: make([]float64, n),
		small: mat.NewDense(m, m, nil), part: mat.NewDense(m, min(n, graphBlock), nil), ones: mat.NewDense(1, n, nil),
	}
	g.weights(l.f, lin.Select(g.x, at), func(i int) int { return at[i] }, 0, n)
	if _, err := l.spd.FactorOrRidge(lin.Select(l.f, at)); err != nil {
		return nil, err
	}
	l.spd.SolveRt(l.f)
	lin.SquaredColumnNorms(l.e, l.f)
	for u, s := range l.e {
		l.e[u] = 1 - s
	}
	for i := range m {
		l.mean.Set(i, 0, center(l.f.RawRowView(i)))
	}
	return l, nil
}

// factor prepares solve for these γ and μ.
func (l *lowRankGraph) factor(γ, μ float64) error {
	l.γ = γ
	for u, z := range l.z {
		l.d[u] = 1 / (γ*(z-l.e[u]) + μ)
	}
	l.small.Zero()
	lin.AddDiag(l.small, 1)
	l.parts(func(lo, hi int, part *mat.Dense) {
		lin.AddABt(l.small, -γ, part, lin.Cols(l.f, lo, hi)) // I − γF_cD⁻¹F_cᵀ
	})
	if _, err := l.spd.FactorOrRidge(l.small); err != nil {
		return err
	}
	for u := range l.d {
		l.ones.Set(0, u, 1)
	}
	l.invert(l.ones)
	return nil
}

// parts calls f for the columns lo to hi of F_cD⁻¹, part by part.
func (l *lowRankGraph) parts(f func(lo, hi int, part *mat.Dense)) {
	_, n := l.f.Dims()
	_, size := l.part.Dims()
	for lo := 0; lo < n; lo += size {
		hi := min(n, lo+size)
		part := lin.Cols(l.part, 0, hi-lo)
		lin.Set(part, 1, lin.Cols(l.f, lo, hi))
		scaleColumns(part, l.d[lo:hi])
		f(lo, hi, part)
	}
}

// invert makes r, of N columns, r·P⁻¹.
func (l *lowRankGraph) invert(r *mat.Dense) {
	c, _ := r.Dims()
	m, _ := l.f.Dims()
	t := mat.NewDense(c, m, nil)
	scaleColumns(r, l.d)
	lin.ABt(t, 1, r, l.f)
	l.spd.SolveRight(t) // rD⁻¹F_cᵀ(I − γF_cD⁻¹F_cᵀ)⁻¹
	l.parts(func(lo, hi int, part *mat.Dense) { lin.AddAB(lin.Cols(r, lo, hi), l.γ, t, part) })
}

// solve makes j, C×N, the J with J·1 = 0 and (J·P − j)ᵀ = 1νᵀ for some ν.
func (l *lowRankGraph) solve(j *mat.Dense) {
	l.invert(j)
	c, _ := j.Dims()
	one := l.ones.RawRowView(0)
	var all float64
	for _, v := range one {
		all += v
	}
	for i := range c {
		row := j.RawRowView(i)
		var sum float64
		for _, v := range row {
			sum += v
		}
		for u, v := range one {
			row[u] -= sum / all * v
		}
	}
}

// subtract takes the columns of J(FᵀF + diag(e)) from je: those in at, or all if at is
// nil. J·1 = 0.
func (l *lowRankGraph) subtract(je, j *mat.Dense, at []int) {
	c, _ := j.Dims()
	m, _ := l.f.Dims()
	t, f := mat.NewDense(c, m, nil), l.f
	lin.ABt(t, 1, j, l.f) // JF_cᵀ = JFᵀ
	if at != nil {
		f = lin.Select(l.f, at)
	}
	lin.AddAB(je, -1, t, f)
	for i := range c {
		from, to, along := j.RawRowView(i), je.RawRowView(i), mat.Dot(t.RowView(i), l.mean.ColView(0))
		for k := range to {
			u := k
			if at != nil {
				u = at[k]
			}
			to[k] -= along + from[u]*l.e[u]
		}
	}
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
