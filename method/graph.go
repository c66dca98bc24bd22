package method

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// A sampleGraph has the Laplacian L = Z − M of the graph of the samples [nrdl, (5)].
type sampleGraph interface {
	// solve writes b·(γL + μI)⁻¹ into j, both C×N; μ > 0. It may use b up, and
	// start from what j holds.
	solve(j, b *mat.Dense, γ, μ float64) error

	// apply writes a·(γL + μI) into dst, both C×N.
	apply(dst, a *mat.Dense, γ, μ float64)
}

// sampleGraphOf returns L of the samples x, d×N, with the weights of newGraph. A
// graph of more than denseLimit samples is not stored. Both forms solve to rounding.
func sampleGraphOf(x *mat.Dense, squared bool) (sampleGraph, error) {
	if _, n := x.Dims(); n > denseLimit {
		return newBlockGraph(x, squared, graphBlock, graphLandmarks)
	}
	return newGraph(x, squared, factorLimit), nil
}

// graph is a sampleGraph that stores M.
type graph struct {
	M      *mat.Dense // N×N weights
	z      []float64  // row sums of M
	system *mat.Dense // N×N: γL + μI, where it is factored
	spd    lin.SPD
	cg     *conjugateGradients // instead of the factorisation
}

// factorLimit is the number of samples up to which (14) is solved by a
// factorisation in every pass, N³/3 flops, and beyond which by conjugate
// gradients, about 15 products of 2CN² each: the latter grow as the graph does.
// Both solve to rounding.
const factorLimit = 2500

// denseLimit is the number of samples up to which M is stored: 2 GiB.
const denseLimit = 1 << 14

// newGraph weighs the edge between samples u and v of x, d×N, by
// 1/(1+‖x_u − x_v‖), or by 1/(1+‖x_u − x_v‖²) if squared. Graphs of more than
// limit samples are solved by conjugate gradients.
func newGraph(x *mat.Dense, squared bool, limit int) *graph {
	_, n := x.Dims()
	g := &graph{M: mat.NewDense(n, n, nil), z: make([]float64, n)}
	lin.AtA(g.M, 1, x)
	norm := make([]float64, n)
	for u := range n {
		norm[u] = g.M.At(u, u)
	}
	for u := range n {
		row := g.M.RawRowView(u)
		row[u] = 1
		for v := u + 1; v < n; v++ {
			row[v] = edgeWeight(norm[u]+norm[v]-2*row[v], squared)
		}
	}
	lin.Mirror(g.M)
	for u := range n {
		for _, w := range g.M.RawRowView(u) {
			g.z[u] += w
		}
	}
	if n > limit {
		g.cg = &conjugateGradients{}
	}
	return g
}

// edgeWeight is M_uv of (5) for ‖x_u − x_v‖², which rounding may make negative.
func edgeWeight(distance float64, squared bool) float64 {
	distance = max(0, distance)
	if !squared {
		distance = math.Sqrt(distance)
	}
	return 1 / (1 + distance)
}

// solve implements sampleGraph. With conjugate gradients j is the first guess, and
// b is used up.
func (g *graph) solve(j, b *mat.Dense, γ, μ float64) error {
	if g.cg != nil {
		g.cg.apply = func(dst, a *mat.Dense) { g.apply(dst, a, γ, μ) }
		return g.cg.solve(j, b, μ, true)
	}
	if g.system == nil {
		n, _ := g.M.Dims()
		g.system = mat.NewDense(n, n, nil)
	}
	lin.Set(g.system, -γ, g.M)
	for u, z := range g.z {
		g.system.Set(u, u, g.system.At(u, u)+γ*z+μ)
	}
	if _, err := g.spd.FactorOrRidge(g.system); err != nil {
		return err
	}
	lin.Set(j, 1, b)
	g.spd.SolveRight(j)
	return nil
}

func (g *graph) apply(dst, a *mat.Dense, γ, μ float64) {
	lin.AB(dst, -γ, a, g.M)
	c, _ := a.Dims()
	for i := range c {
		to, from := dst.RawRowView(i), a.RawRowView(i)
		for u, z := range g.z {
			to[u] += (γ*z + μ) * from[u]
		}
	}
}

// quadratic: tr(Y·L·Yᵀ), y C×N, as half the weighted squared differences would
// give it; summed row by row.
func quadratic(l sampleGraph, y *mat.Dense) float64 {
	c, n := y.Dims()
	ly := mat.NewDense(c, n, nil)
	l.apply(ly, y, 1, 0)
	var sum float64
	for i := range c {
		sum += mat.Dot(ly.RowView(i), y.RowView(i))
	}
	return sum
}

// center subtracts the mean from row and returns it.
func center(row []float64) float64 {
	var mean float64
	for _, v := range row {
		mean += v
	}
	mean /= float64(len(row))
	for u := range row {
		row[u] -= mean
	}
	return mean
}

// A blockGraph is the sampleGraph of newGraph without its N×N matrix: each product
// with L computes M again, a block of it at a time. A system is solved by
// conjugate gradients, preconditioned by M of low rank, so that it takes few
// products.
type blockGraph struct {
	x       *mat.Dense // d×N, kept
	squared bool
	norm, z []float64  // ‖x_u‖²; row sums of M; len N
	block   *mat.Dense // of M
	low     *lowRankGraph

	cg conjugateGradients
}

// The blocks of M are graphBlock×graphBlock, and its form of low rank is exact
// for graphLandmarks samples. Neither changes a result by more than rounding.
const (
	graphBlock     = 512
	graphLandmarks = 256
)

// newBlockGraph weighs the edges of the samples x, d×N, as newGraph does. It keeps
// x and, beside it, a block and landmarks×N numbers. The error is that of x which is
// not finite.
func newBlockGraph(x *mat.Dense, squared bool, block, landmarks int) (*blockGraph, error) {
	_, n := x.Dims()
	block = min(block, n)
	g := &blockGraph{
		x: x, squared: squared, norm: make([]float64, n), z: make([]float64, n),
		block: mat.NewDense(block, block, nil),
	}
	lin.SquaredColumnNorms(g.norm, x)
	ones, sums := mat.NewDense(1, n, nil), mat.NewDense(1, n, g.z)
	for j := range n {
		ones.Set(0, j, 1)
	}
	g.addProduct(sums, 1, ones)
	var err error
	g.low, err = newLowRankGraph(g, landmarks)
	return g, err
}

// weights writes M of the samples x, a row each, and j0 ≤ v < j1 into dst. Column i
// of x is sample from(i), which has the weight 1 with itself.
func (g *blockGraph) weights(dst, x *mat.Dense, from func(i int) int, j0, j1 int) {
	lin.AtB(dst, 1, x, lin.Cols(g.x, j0, j1))
	_, rows := x.Dims()
	parallel.For(rows, 16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row, u := dst.RawRowView(i), from(i)
			for j, v := range g.norm[j0:j1] {
				row[j] = edgeWeight(g.norm[u]+v-2*row[j], g.squared)
			}
			if u >= j0 && u < j1 {
				row[u-j0] = 1
			}
		}
	})
}

// addProduct adds f·A·M to dst, both C×N. As M is symmetric, a block of it serves
// two blocks of the product.
func (g *blockGraph) addProduct(dst *mat.Dense, f float64, a *mat.Dense) {
	_, n := a.Dims()
	size, _ := g.block.Dims()
	for i0 := 0; i0 < n; i0 += size {
		i1 := min(n, i0+size)
		x, from := lin.Cols(g.x, i0, i1), func(i int) int { return i0 + i }
		for j0 := i0; j0 < n; j0 += size {
			j1 := min(n, j0+size)
			m := lin.Block(g.block, 0, i1-i0, 0, j1-j0)
			g.weights(m, x, from, j0, j1)
			lin.AddAB(lin.Cols(dst, j0, j1), f, lin.Cols(a, i0, i1), m)
			if j0 > i0 {
				lin.AddABt(lin.Cols(dst, i0, i1), f, lin.Cols(a, j0, j1), m)
			}
		}
	}
}

func (g *blockGraph) apply(dst, a *mat.Dense, γ, μ float64) {
	c, _ := a.Dims()
	for i := range c {
		to, from := dst.RawRowView(i), a.RawRowView(i)
		for u, z := range g.z {
			to[u] = (γ*z + μ) * from[u]
		}
	}
	if γ != 0 {
		g.addProduct(dst, -γ, a)
	}
}

// solve implements sampleGraph. b is used up.
func (g *blockGraph) solve(j, b *mat.Dense, γ, μ float64) error {
	if err := g.low.factor(γ, μ); err != nil {
		return err
	}
	g.cg.apply, g.cg.precondition = func(dst, a *mat.Dense) { g.apply(dst, a, γ, μ) }, g.low.solve
	return g.cg.solve(j, b, μ, false)
}

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

// minShift is the least μ of the preconditioner, as a part of the mean of γZ:
// where μ is smaller, the row of ones makes P nearly singular, and that row is
// left out of the iteration.
const minShift = 1e-3

// factor prepares solve for these γ and μ.
func (l *lowRankGraph) factor(γ, μ float64) error {
	_, n := l.f.Dims()
	var mean float64
	for _, z := range l.z {
		mean += z / float64(n)
	}
	l.γ = γ
	for u, z := range l.z {
		l.e[u] = 1 / (γ*z + max(μ, minShift*γ*mean))
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
