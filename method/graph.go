package method

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// A sampleGraph has the Laplacian L = Z − M of the graph of the samples [nrdl, (5)].
type sampleGraph interface {
	// solve writes b·(γL + μI)⁻¹ into j, both C×N; μ > 0. It may use b up, and
	// start from what j holds.
	solve(j, b *mat.Dense, γ, μ float64) error

	// apply writes a·(γL + μI) into dst, both C×N.
	apply(dst, a *mat.Dense, γ, μ float64)
}

// sampleGraphOf returns L of the samples x, d×N, with the weights of newGraph. It
// solves to rounding where it is stored; a graph of more than denseLimit samples is
// not stored, and solves so that no element of J is further than tol from the solution.
func sampleGraphOf(x *mat.Dense, squared bool, tol float64) (sampleGraph, error) {
	if _, n := x.Dims(); n > denseLimit {
		return newBlockGraph(x, squared, tol, graphBlock, graphLandmarks)
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
		return g.cg.solve(j, b, μ)
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
