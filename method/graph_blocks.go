package method

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// A blockGraph is the sampleGraph of newGraph without its N×N matrix. A product with
// L computes M again, a block of it at a time. solve needs few such products:
//
//	M = FᵀF + diag(e) + E
//
// F, m×N, is of low rank [nystrom], and e makes the diagonal exact. J·E is small, and
// nearly a combination of the last products of this kind, since J changes slowly from
// pass to pass. The error of (14) that remains is measured in some columns; a column costs
// N weights. J·E is computed only if that error is too large.
type blockGraph struct {
	x       *mat.Dense // d×N, kept
	squared bool
	tol     float64
	norm, z []float64  // ‖x_u‖²; row sums of M; len N
	block   *mat.Dense // of M
	low     *lowRankGraph

	sample   []int          // the columns in which the error is measured
	history  []graphProduct // the last ones, the oldest first
	spd      lin.SPD        // of their weights
	products int            // made by solve so far
}

// A graphProduct is J·E of an earlier J.
type graphProduct struct {
	je, columns *mat.Dense // C×N; its columns of the sample
	weight      []float64  // of each row, when J·E of the next J is estimated from the last products
}

// The blocks of M are graphBlock×graphBlock, its form of low rank is exact for
// graphLandmarks samples, and the error is measured in as many others.
const (
	graphBlock     = 512
	graphLandmarks = 256
)

// The largest measured error, times errorMargin, is at most tol: columns that are not
// measured may have a larger one. A product makes it some hundred times smaller.
const (
	errorMargin  = 4
	roundsLimit  = 50
	keptProducts = 3
	minGraphTol  = 1e-11
)

// newBlockGraph weighs the edges of the samples x, d×N, as newGraph does. It keeps
// x and, beside it, a block and landmarks×N numbers. The error is that of x which is
// not finite.
func newBlockGraph(x *mat.Dense, squared bool, tol float64, block, landmarks int) (*blockGraph, error) {
	_, n := x.Dims()
	block, landmarks = min(block, n), min(landmarks, n)
	g := &blockGraph{
		x: x, squared: squared, tol: max(tol, minGraphTol), norm: make([]float64, n), z: make([]float64, n),
		block: mat.NewDense(block, block, nil), sample: make([]int, min(block, landmarks)),
		history: make([]graphProduct, 0, keptProducts),
	}
	lin.SquaredColumnNorms(g.norm, x)
	ones, sums := mat.NewDense(1, n, nil), mat.NewDense(1, n, g.z)
	for j := range n {
		ones.Set(0, j, 1)
	}
	g.addProduct(sums, 1, ones)
	for i := range g.sample { // between two landmarks
		g.sample[i] = (2*i + 1) * n / (2 * len(g.sample))
	}
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

// solve implements sampleGraph; j is written only. A row of ones spans the null space
// of L: its part is solved exactly, by 1/μ, and the rest among the rows whose sum is 0.
func (g *blockGraph) solve(j, b *mat.Dense, γ, μ float64) error {
	c, _ := b.Dims()
	means := make([]float64, c)
	for i := range means {
		means[i] = center(b.RawRowView(i)) / μ
	}
	if err := g.low.factor(γ, μ); err != nil {
		return err
	}
	seen, left := mat.NewDense(c, len(g.sample), nil), mat.NewDense(c, len(g.sample), nil)
	for round := range roundsLimit {
		lin.Set(j, 1, b)
		g.extrapolate(j, γ, false)
		g.low.solve(j)
		g.measure(seen, j)
		if g.within(left, seen, γ) {
			for i, mean := range means {
				row := j.RawRowView(i)
				for u := range row {
					row[u] += mean
				}
			}
			return nil
		}
		if err := g.fit(seen); err != nil {
			return err
		}
		if !g.within(left, seen, γ) || round%2 == 1 {
			g.multiply(j)
		}
	}
	return fmt.Errorf("no element is within %g of the solution after %d rounds", g.tol, roundsLimit)
}

// extrapolate adds f times what the last products say about J·E to dst: all of it, or the
// columns of the sample.
func (g *blockGraph) extrapolate(dst *mat.Dense, f float64, sample bool) {
	for _, p := range g.history {
		from := p.je
		if sample {
			from = p.columns
		}
		for i, w := range p.weight {
			to := dst.RawRowView(i)
			for u, v := range from.RawRowView(i) {
				to[u] += f * w * v
			}
		}
	}
}

// fit chooses the weights of the last products with which they are, row by row, nearest
// to J·E in the columns of the sample, which are seen.
func (g *blockGraph) fit(seen *mat.Dense) error {
	c, _ := seen.Dims()
	k := len(g.history)
	gram, right := mat.NewDense(max(1, k), max(1, k), nil), mat.NewDense(max(1, k), 1, nil)
	for i := range min(c, k*c) {
		for a, p := range g.history {
			row := p.columns.RawRowView(i)
			for b, q := range g.history {
				gram.Set(a, b, dot(row, q.columns.RawRowView(i)))
			}
			right.Set(a, 0, dot(row, seen.RawRowView(i)))
		}
		if _, err := g.spd.FactorOrRidge(gram); err != nil {
			return err
		}
		g.spd.Solve(right)
		for a, p := range g.history {
			p.weight[i] = right.At(a, 0)
		}
	}
	return nil
}

// multiply computes J·E, which takes the place of the oldest of the last products.
func (g *blockGraph) multiply(j *mat.Dense) {
	c, n := j.Dims()
	var p graphProduct
	if len(g.history) == cap(g.history) {
		p = g.history[0]
		copy(g.history, g.history[1:])
		g.history = g.history[:len(g.history)-1]
	} else {
		p = graphProduct{mat.NewDense(c, n, nil), mat.NewDense(c, len(g.sample), nil), make([]float64, c)}
	}
	p.je.Zero()
	g.addProduct(p.je, 1, j)
	g.low.subtract(p.je, j, nil)
	lin.Gather(p.columns, p.je, g.sample)
	for _, q := range g.history {
		clear(q.weight)
	}
	for i := range p.weight {
		p.weight[i] = 1
	}
	g.history = append(g.history, p)
	g.products++
}

// measure writes the columns of J·E in the sample into e. The rest of j is J.
func (g *blockGraph) measure(e, j *mat.Dense) {
	_, n := j.Dims()
	size, _ := g.block.Dims()
	e.Zero()
	x, from := lin.Select(g.x, g.sample), func(i int) int { return g.sample[i] }
	for lo := 0; lo < n; lo += size {
		hi := min(n, lo+size)
		m := lin.Block(g.block, 0, len(g.sample), 0, hi-lo)
		g.weights(m, x, from, lo, hi)
		lin.AddABt(e, 1, lin.Cols(j, lo, hi), m)
	}
	g.low.subtract(e, j, g.sample)
}

// within is whether no element of J in the columns of the sample is moved by more than a
// part of tol by what the last products leave of J·E, which is seen. It writes that to left.
func (g *blockGraph) within(left, seen *mat.Dense, γ float64) bool {
	left.Copy(seen)
	g.extrapolate(left, -1, true)
	c, _ := left.Dims()
	for i := range c {
		for s, v := range left.RawRowView(i) {
			if !(errorMargin*γ*math.Abs(v)*g.low.d[g.sample[s]] <= g.tol) {
				return false
			}
		}
	}
	return true
}
