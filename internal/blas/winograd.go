package blas

import "unsafe"

// Winograd's convolution F(4×4, 3×3): 36 products for 16 outputs where the sum
// has 144. A tile of 4×4 outputs depends on a patch of 6×6 inputs d as
//
//	Aᵀ·[(G·g·Gᵀ) ⊙ (Bᵀ·d·B)]·A
//
// with the polynomials of the points 0, ±a, ±b and ∞ in A, B and G. The products
// of all input channels are summed by the tiles of the direct convolution.
const (
	patch    = 6 // side of a patch of the input
	outTile  = 4 // side of a tile of the output
	products = patch * patch
)

// The points: of the pairs with short binary fractions one with a small error.
const pointA, pointB = 0.75, 1.5

// winogradPoints has a, b, a², b², a²b², a²+b², a³, b³.
var winogradPoints = [8]float32{
	pointA, pointB, pointA * pointA, pointB * pointB, pointA * pointA * pointB * pointB,
	pointA*pointA + pointB*pointB, pointA * pointA * pointA, pointB * pointB * pointB,
}

// transformKernel is G·g for one column. Row p of G has 1, p, p² over the
// product of the differences of p to the other points.
func transformKernel(g [3]float64) [patch]float64 {
	const (
		aa, bb = pointA * pointA, pointB * pointB
		a, b   = 1 / (2 * aa * (aa - bb)), 1 / (2 * bb * (bb - aa))
	)
	even, odd := a*(g[0]+aa*g[2]), a*pointA*g[1]
	far, away := b*(g[0]+bb*g[2]), b*pointB*g[1]
	return [patch]float64{g[0] / (aa * bb), even + odd, even - odd, far + away, far - away, g[2]}
}

// A winograd is what a Conv has for this algorithm.
type winograd struct {
	cols, rows int // tiles of an image
	block      int // tiles that are worked on together
}

// winTile is the argument of the kernels; package main in asm knows its fields
// by name. Steps are in bytes.
type winTile struct {
	a         *float32 // the patch of the input
	row, step int      // from row to row, from pixel to pixel
	f         *float32 // the transform of the patch, or the sums
	fstep     int      // from one product to the next
	tmp       *float32 // 36 vectors
	points    *float32
	bias      *float32
	c         *float32 // the tile of the output
	crow      int
	cstep     int
	r         *float32 // the residual, or nil
	rrow      int
	rstep     int
	act       int
	slopes    *float32
	limits    [2]float32
	vecs      int // vectors of channels; spoilt
}

func (t *winTile) arg() *byte { return (*byte)(unsafe.Pointer(t)) }

// suitsWinograd reports whether the algorithm fits and is the faster one.
func (c *Conv) suitsWinograd() bool {
	s := c.spec
	if s.KernelH != 3 || s.KernelW != 3 || s.StrideH != 1 || s.StrideW != 1 || s.DilationH != 1 || s.DilationW != 1 || s.Groups != 1 {
		return false
	}
	if s.In%winogradChannels != 0 || s.Out%winogradChannels != 0 {
		return false // the kernels take whole vectors; every Backend makes the same choice
	}
	tiles := ceil(c.outH, outTile) * ceil(c.outW, outTile)
	cost := tiles*products*s.In*s.Out + weightCost*products*s.In*s.Out + tiles*transformCost*(s.In+s.Out)
	return cost < (c.outH*c.outW+weightCost)*9*s.In*s.Out
}

const winogradChannels = 16

// Costs in multiply-adds, as measured: of reading a weight from memory, of
// transforming a channel of a tile.
const (
	weightCost    = 11
	transformCost = 200
)

// winogradBytes of transforms and sums are worked on together: they stay in the
// L2 cache. Where there are more weights, it is a share of their bytes, for the
// weights to be read less often.
const (
	winogradBytes = 320 << 10
	winogradShare = 8
)

// newWinograd transforms the weights: product, panel, input channel, output
// channel.
func newWinograd(c *Conv, weights []float32) *winograd {
	s := c.spec
	w := &winograd{cols: ceil(c.outW, outTile), rows: ceil(c.outH, outTile)}
	c.weights = Floats(products * s.In * s.Out)
	var panel [products][maxPanel]float32 // of one input channel: c.weights has 36 parts far apart
	c.k.panels(s.Out, func(first, vecs, cols int) {
		n := vecs * c.k.lanes
		for ch := range s.In {
			for j := range cols {
				for f, x := range transformWeights(weights[((first+j)*s.In+ch)*9:][:9]) {
					panel[f][j] = x
				}
			}
			for f := range panel {
				copy(c.weights[(f*s.Out+first)*s.In+ch*n:], panel[f][:n])
			}
		}
	})
	bytes := max(winogradBytes, len(c.weights)*floatBytes/winogradShare)
	w.block = max(1, bytes/(products*(s.In+s.Out)*floatBytes))
	return w
}

// maxPanel is the number of columns of the widest panel.
const maxPanel = 32

// transformWeights is G·g·Gᵀ.
func transformWeights(g []float32) (u [products]float32) {
	var half [3][patch]float64
	for x := range half {
		half[x] = transformKernel([3]float64{float64(g[x]), float64(g[3+x]), float64(g[6+x])})
	}
	for i := range patch {
		for j, v := range transformKernel([3]float64{half[0][i], half[1][i], half[2][i]}) {
			u[i*patch+j] = float32(v)
		}
	}
	return u
}

// The parts of the scratch. The transforms of one product are followed by a
// gap of a cache line, for those of all products not to fall on the same lines
// of the cache.
const gap = 16

func (w *winograd) inStep(c *Conv) int  { return w.block*c.spec.In + gap }
func (w *winograd) outStep(c *Conv) int { return w.block*c.spec.Out + gap }

// scratch is the transforms, the sums, zeros for a bias, and the rest of a cache line.
func (w *winograd) scratch(c *Conv) int {
	return products*(w.inStep(c)+w.outStep(c)) + c.spec.Out + gap
}

// take cuts n floats off the front of scratch.
func take(scratch *[]float32, n int) []float32 {
	x := (*scratch)[:n:n]
	*scratch = (*scratch)[n:]
	return x
}

// winTiles are the tiles that are worked on together, and the parts of the scratch.
type winTiles struct {
	first, n           int
	input, sums, zeros []float32
}

// winograd convolves block by block of tiles, which may be of several images. Threads
// work on a block each, or on the same one where there are fewer blocks.
func (r *convRun) winograd(scratch []float32) {
	w := r.c.wino
	r.wino.points = &winogradPoints[0]
	r.wino.act, r.wino.limits = r.tile.act, r.tile.limits
	n := len(r.src) * w.cols * w.rows
	if blocks := ceil(n, w.block); r.threads > 1 && blocks >= r.threads {
		r.split(blocks, func(r *convRun, lo, hi int) {
			own := winogradMemory.get(r.c.Scratch())
			w := r.c.wino
			r.tileBlocks(lo*w.block, min(hi*w.block, len(r.src)*w.cols*w.rows), own.buf)
			winogradMemory.put(own)
		})
		return
	}
	r.tileBlocks(0, n, scratch)
}

// winogradMemory has scratch and overhangs.
var winogradMemory arena[float32]

// tileBlocks convolves the tiles from first to before end.
func (r *convRun) tileBlocks(first, end int, scratch []float32) {
	c := r.c
	w, s, t := c.wino, c.spec, &r.tiles
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(scratch)))/floatBytes) & (gap - 1)
	scratch = scratch[skip:]
	t.input, t.sums, t.zeros = take(&scratch, products*w.inStep(c)), take(&scratch, products*w.outStep(c)), take(&scratch, s.Out)
	clear(t.zeros)
	for t.first = first; t.first < end; t.first += w.block {
		t.n = min(w.block, end-t.first)
		r.split(t.n, (*convRun).transformsIn)
		r.split(products, (*convRun).multiply)
		r.split(t.n, (*convRun).transformsOut)
	}
}

// multiply sums the products from lo to before hi over the input channels, tiles pixels
// a product.
func (r *convRun) multiply(lo, hi int) {
	c := r.c
	w, s, t := c.wino, c.spec, &r.tile
	act := t.act
	t.act, t.bias, t.last = int(None), &r.tiles.zeros[0], c.k.lanes
	t.ny, t.nx, t.k, t.step, t.cstep = 1, 1, s.In, s.In*floatBytes, s.Out*floatBytes
	for f := lo; f < hi; f++ {
		for j := 0; j < s.Out; {
			vecs := c.k.vecs(s.Out - j)
			t.b = &c.weights[(f*s.Out+j)*s.In]
			x := stretch{a: &r.tiles.input[f*w.inStep(c)], c: &r.tiles.sums[f*w.outStep(c)+j], pixels: r.tiles.n}
			t.run(x, c.k.conv[vecs-1])
			j += vecs * c.k.lanes
		}
	}
	t.act = act
}

// overhang is memory for what sticks out of an image: a patch, a tile and its residual.
type overhang struct{ input, output, residual []float32 }

// withOverhang calls f with an overhang, and with the vectors of a kernel in r.
func (r *convRun) withOverhang(f func(r *convRun, edge overhang)) {
	s, lanes := r.c.spec, r.c.k.lanes
	memory := winogradMemory.get(products*(lanes+s.In) + 2*outTile*outTile*s.Out)
	left := memory.buf
	r.wino.tmp = &take(&left, products*lanes)[0]
	f(r, overhang{take(&left, products*s.In), take(&left, outTile*outTile*s.Out), left})
	winogradMemory.put(memory)
}

// transformsIn transforms the inputs of the tiles from lo to before hi.
func (r *convRun) transformsIn(lo, hi int) {
	r.withOverhang(func(r *convRun, edge overhang) {
		for i := lo; i < hi; i++ {
			r.wino.f, r.wino.fstep = &r.tiles.input[i*r.c.spec.In], r.c.wino.inStep(r.c)*floatBytes
			r.transformIn(r.tiles.first+i, edge)
		}
	})
}

// transformsOut transforms the sums of the tiles from lo to before hi.
func (r *convRun) transformsOut(lo, hi int) {
	r.withOverhang(func(r *convRun, edge overhang) {
		for i := lo; i < hi; i++ {
			r.wino.f, r.wino.fstep = &r.tiles.sums[i*r.c.spec.Out], r.c.wino.outStep(r.c)*floatBytes
			r.transformOut(r.tiles.first+i, edge)
		}
	})
}

// place is the image of a tile and the tile's first output pixel.
func (r *convRun) place(i int) (image, y, x int) {
	w := r.c.wino
	tiles := w.cols * w.rows
	return i / tiles, i % tiles / w.cols * outTile, i % w.cols * outTile
}

func (r *convRun) transformIn(i int, edge overhang) {
	c, t := r.c, &r.wino
	i, y, x := r.place(i)
	m, s := r.src[i], c.spec
	y, x = y-s.Top, x-s.Left
	t.row, t.step = m.pitch()*floatBytes, m.C*floatBytes
	rows, cols := min(patch, m.H+m.Border-y), min(patch, m.W+m.Border-x)
	if rows == patch && cols == patch {
		t.a = m.at(y, x)
	} else {
		clear(edge.input)
		for j := range rows {
			copy(edge.input[j*patch*m.C:], m.Data[m.index(y+j, x):][:cols*m.C])
		}
		t.a, t.row = &edge.input[0], patch*m.C*floatBytes
	}
	t.r, t.vecs = nil, m.C/c.k.lanes
	c.k.winogradIn(t.arg())
}

func (r *convRun) transformOut(i int, edge overhang) {
	c, t := r.c, &r.wino
	i, y, x := r.place(i)
	z := r.dst[i]
	rows, cols := min(outTile, z.H-y), min(outTile, z.W-x)
	inside := rows == outTile && cols == outTile
	t.crow, t.cstep, t.rrow, t.rstep = z.pitch()*floatBytes, z.C*floatBytes, outTile*z.C*floatBytes, z.C*floatBytes
	t.c = z.at(y, x)
	if !inside {
		t.c, t.crow = &edge.output[0], outTile*z.C*floatBytes
	}
	if r.residual != nil {
		m := r.residual[i]
		if inside {
			t.r, t.rrow = m.at(y, x), m.pitch()*floatBytes
		} else {
			for j := range rows {
				copy(edge.residual[j*outTile*m.C:], m.Data[m.index(y+j, x):][:cols*m.C])
			}
			t.r = &edge.residual[0]
		}
	}
	t.bias = &c.bias[0]
	if c.slopes != nil {
		t.slopes = &c.slopes[0]
	}
	t.vecs = z.C / c.k.lanes
	c.k.winogradOut(t.arg())
	if !inside {
		for j := range rows {
			copy(z.Data[z.index(y+j, x):][:cols*z.C], edge.output[j*outTile*z.C:])
		}
	}
}
