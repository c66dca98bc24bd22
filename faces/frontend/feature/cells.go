package feature

import "math"

// Cells pool a feature over parts of the image. A side of n pixels is cut into
// m cells of the same length, m the whole number nearest to n/cell, so that
// their length is as near to the one asked for as the image allows: 6 cells of
// 5⅓ pixels for cell = 5.34 and n = 32. A grid that begins at one border
// instead, with centres at (k + ½)·cell, would not be its own mirror image.
//
// Pooling is triangular (bilinear in both directions): a pixel counts for the
// cells whose centre is nearer than the length of one, by 1 − distance/length.
// So pixels next to the border count half, and none changes its cell at once
// when the face moves.

// cellsOf is how many cells a side of n pixels has.
func cellsOf(n int, cell float64) int {
	return max(1, int(math.Round(float64(n)/cell)))
}

// checkCell reports a cell that no image may have.
func checkCell(name string, cell float64) error {
	return within(name, "cell", cell, 1, 1024)
}

// cellFits reports a cell larger than the image.
func cellFits(name string, cell float64, height, width int) error {
	if limit := float64(min(height, width)); cell > limit {
		return beyond(name, "cell", cell, limit, height, width)
	}
	return nil
}

// A pooling says for which cells along a side each position counts, and how
// much. The position i counts for the cells lo[i] and hi[i]; at the border one
// of the two weights is 0 and its cell any.
type pooling struct {
	cells      int
	lo, hi     []int
	wLo, wHi   []float64
	cellWeight []float64 // the sum of the weights of each cell
}

// newPooling pools positions, in pixels from the border of a side of n pixels.
func newPooling(positions []float64, n int, cell float64) *pooling {
	m := cellsOf(n, cell)
	p := &pooling{cells: m, cellWeight: make([]float64, m)}
	add := func(k int, w float64) (int, float64) {
		if k < 0 || k >= m {
			return min(max(k, 0), m-1), 0
		}
		p.cellWeight[k] += w
		return k, w
	}
	for _, x := range positions {
		u := x*float64(m)/float64(n) - 0.5 // in cells from the centre of the first
		k := math.Floor(u)
		lo, wLo := add(int(k), 1-(u-k))
		hi, wHi := add(int(k)+1, u-k)
		p.lo, p.hi = append(p.lo, lo), append(p.hi, hi)
		p.wLo, p.wHi = append(p.wLo, wLo), append(p.wHi, wHi)
	}
	return p
}

// pixelPooling pools the pixels of a side of n, whose centres are at i + ½.
func pixelPooling(n int, cell float64) *pooling {
	centres := make([]float64, n)
	for i := range centres {
		centres[i] = float64(i) + 0.5
	}
	return newPooling(centres, n, cell)
}

// times multiplies the cells by which p counts with stride: they become offsets
// into a slice that has stride numbers for every cell.
func (p *pooling) times(stride int) *pooling {
	for i := range p.lo {
		p.lo[i] *= stride
		p.hi[i] *= stride
	}
	return p
}
