package method

import (
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

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
