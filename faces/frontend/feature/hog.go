package feature

import (
	"cmp"
	"math"
)

// HOG is the histogram of oriented gradients [hog]: every pixel adds the length
// of its gradient to the two bins nearest to its angle, modulo π, and to the
// four nearest cells, bilinearly; bin b is centred at (b + ½)·π/Bins. Blocks of
// 2×2 neighbouring cells, one beginning at every cell, are brought to unit
// length, clipped, and brought to unit length again (L2-hys); an image of a
// single cell in a direction has blocks of one. The vector has the blocks in
// column-major order, in each the cells in the same order, and of those the
// bins.
type HOG struct {
	Cell float64 `json:"cell" help:"side of a cell, in pixels"`
	Bins int     `json:"bins" help:"of the angles from 0 to π"`
	Clip float64 `json:"clip" help:"what a number of a block of unit length is at most"`
}

// DefaultHOG has the parameters of Dalal and Triggs.
var DefaultHOG = HOG{Cell: 8, Bins: 9, Clip: 0.2}

// Name implements Feature.
func (HOG) Name() string { return "hog" }

// Validate implements Feature.
func (h HOG) Validate() error {
	return cmp.Or(checkCell("hog", h.Cell), within("hog", "bins", float64(h.Bins), 2, 64), within("hog", "clip", h.Clip, 0.01, 1))
}

// blocks returns how many cells and how many blocks a side of n pixels has, and
// how many cells a block has along it.
func (h HOG) blocks(n int) (cells, blocks, side int) {
	cells = cellsOf(n, h.Cell)
	side = min(2, cells)
	return cells, cells - side + 1, side
}

// Len implements Feature.
func (h HOG) Len(height, width int) int {
	_, down, tall := h.blocks(height)
	_, right, wide := h.blocks(width)
	return down * right * tall * wide * h.Bins
}

// Over implements Feature.
func (h HOG) Over(height, width int) (Extractor, error) {
	if err := cmp.Or(fits(h, height, width), cellFits("hog", h.Cell, height, width)); err != nil {
		return nil, err
	}
	slots := h.Bins + 2
	g := &gradientHistograms{
		HOG: h, height: height, width: width, slots: slots,
		rows: pixelPooling(height, h.Cell).times(slots),
		cols: pixelPooling(width, h.Cell),
	}
	g.scratch.size = 4*height + g.rows.cells*slots + g.rows.cells*g.cols.cells*(slots+1)
	return guard(g, h, height, width), nil
}

// gradientHistograms computes HOG. Histograms have a slot more at either end,
// for the last and the first bin, so that neighbours in the circle of bins are
// neighbours in memory: slot t is bin t − 1.
type gradientHistograms struct {
	HOG
	height, width, slots int
	rows, cols           *pooling
	scratch              buffers
}

func (g *gradientHistograms) extract(dst, pix []float64) bool {
	buffer := g.scratch.get()
	defer g.scratch.put(buffer)
	rest := *buffer
	cut := func(n int) []float64 {
		s := rest[:n:n]
		rest = rest[n:]
		return s
	}
	right, down, length, angle := cut(g.height), cut(g.height), cut(g.height), cut(g.height)
	cells := g.rows.cells * g.cols.cells
	column := cut(g.rows.cells * g.slots) // the histograms of one column of pixels
	all := cut(cells * g.slots)
	clear(all)
	for j := range g.width {
		gradient(right, down, pix, g.height, g.width, j)
		polar(length, angle, right, down, float64(g.Bins), 0.5)
		clear(column)
		g.pool(column, length, angle)
		g.addColumn(all, column, g.cols.lo[j], g.cols.wLo[j])
		g.addColumn(all, column, g.cols.hi[j], g.cols.wHi[j])
	}
	energy := cut(cells)
	for c := range cells {
		h := all[c*g.slots:][:g.slots]
		h[g.Bins] += h[0]
		h[1] += h[g.Bins+1]
		var sum float64
		for _, v := range h[1 : g.Bins+1] {
			sum += v * v
		}
		energy[c] = sum
	}
	return g.normalise(dst, all, energy)
}

// pool adds the gradients of a column of pixels to the histograms of the cells
// along it. An angle between t and t + 1 counts for the slots t and t + 1.
func (g *gradientHistograms) pool(column, length, angle []float64) {
	n := len(length)
	angle, lo, hi, wLo, wHi := angle[:n], g.rows.lo[:n], g.rows.hi[:n], g.rows.wLo[:n], g.rows.wHi[:n]
	for i, l := range length {
		t := int(angle[i])
		second := l * (angle[i] - float64(t))
		first := l - second
		a := column[lo[i]+t:][:2]
		a[0] += wLo[i] * first
		a[1] += wLo[i] * second
		b := column[hi[i]+t:][:2]
		b[0] += wHi[i] * first
		b[1] += wHi[i] * second
	}
}

func (g *gradientHistograms) addColumn(all, column []float64, cell int, weight float64) {
	if weight == 0 {
		return
	}
	h := all[cell*len(column):][:len(column)]
	for i, v := range column {
		h[i] += weight * v
	}
}

// normalise writes the blocks of the histograms of all cells, of which energy
// are the squared lengths, to dst. A block that is nothing beside the longest
// one is zero.
func (g *gradientHistograms) normalise(dst, all, energy []float64) bool {
	_, blocksDown, tall := g.blocks(g.height)
	_, blocksRight, wide := g.blocks(g.width)
	square := func(k, l int) (sum float64) {
		for q := l; q < l+wide; q++ {
			for p := k; p < k+tall; p++ {
				sum += energy[q*g.rows.cells+p]
			}
		}
		return sum
	}
	var largest float64
	for l := range blocksRight {
		for k := range blocksDown {
			largest = max(largest, square(k, l))
		}
	}
	if largest < minNorm {
		return false
	}
	filled, at := 0, 0
	for l := range blocksRight {
		for k := range blocksDown {
			block := dst[at:at]
			for q := l; q < l+wide; q++ {
				for p := k; p < k+tall; p++ {
					block = append(block, all[(q*g.rows.cells+p)*g.slots+1:][:g.Bins]...)
				}
			}
			at += len(block)
			if s := square(k, l); s <= flat*flat*largest {
				clear(block)
			} else {
				hysteresis(block, s, g.Clip)
				filled++
			}
		}
	}
	scale(dst, 1/math.Sqrt(float64(filled)))
	return true
}

// hysteresis brings a block v with the squared length square to unit length,
// clips it and brings it to unit length again.
func hysteresis(v []float64, square, clip float64) {
	to := 1 / math.Sqrt(square)
	var clipped float64
	for i, x := range v {
		x = min(x*to, clip)
		v[i] = x
		clipped += x * x
	}
	scale(v, 1/math.Sqrt(clipped))
}
