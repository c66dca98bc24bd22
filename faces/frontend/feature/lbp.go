package feature

import (
	"cmp"
	"math"
	"math/bits"
)

// LBP is the histogram of local binary patterns [lbp]: each of the 8 neighbours
// of a pixel on a circle, interpolated bilinearly, gives a bit that says
// whether it is at least as bright, and the cells (pooled bilinearly) count the
// 59 codes that patterns have: 58 for those with at most two changes around
// the circle, one for all others. The counts of a cell are divided by their
// sum, the square root is taken and the whole brought to unit length. The
// vector has the cells in column-major order, of each the codes.
//
// Beyond the border the image has the value of the nearest pixel. An image
// without a single neighbour that is darker has nothing to count: its feature
// is zero, not that of an even face.
type LBP struct {
	Cell   float64 `json:"cell" help:"side of a cell, in pixels"`
	Radius float64 `json:"radius" help:"of the circle, in pixels"`
}

// DefaultLBP looks at the next pixels.
var DefaultLBP = LBP{Cell: 8, Radius: 1}

// neighbourSlack is how much darker than the centre, in grey values, a
// neighbour may be that counts as as bright: more than interpolation errs by in
// an even region, less than a difference of grey values. It belongs to the
// definition of the codes.
const neighbourSlack = 1e-3

const (
	neighbours = 8
	codes      = neighbours*(neighbours-1) + 3
	allBright  = 1<<neighbours - 1 // the pattern of an even region
)

// Name implements Feature.
func (LBP) Name() string { return "lbp" }

// Validate implements Feature.
func (b LBP) Validate() error {
	return cmp.Or(checkCell("lbp", b.Cell), within("lbp", "radius", b.Radius, 0.5, 64))
}

// Len implements Feature.
func (b LBP) Len(height, width int) int {
	return cellsOf(height, b.Cell) * cellsOf(width, b.Cell) * codes
}

// Over implements Feature.
func (b LBP) Over(height, width int) (Extractor, error) {
	if err := cmp.Or(fits(b, height, width), cellFits("lbp", b.Cell, height, width)); err != nil {
		return nil, err
	}
	if limit := float64(min(height, width)) / 2; b.Radius > limit {
		return nil, beyond("lbp", "radius", b.Radius, limit, height, width)
	}
	pad := int(math.Ceil(b.Radius)) + 1
	diagonal := b.Radius * math.Sqrt2 / 2
	p := &patternHistograms{
		height: height, width: width, pad: pad, paddedHeight: height + 2*pad,
		rows: pixelPooling(height, b.Cell).times(codes),
		cols: pixelPooling(width, b.Cell),
		far:  newShift(b.Radius), diagonal: newShift(diagonal),
		back: newShift(-b.Radius), nearBack: newShift(-diagonal),
	}
	p.images.size = p.paddedHeight * (width + 2*pad)
	p.lines.size = 4 * p.paddedHeight
	p.patterns.size = height
	return guard(p, b, height, width), nil
}

// codeOf has the code of every pattern, bit p of which is that of the neighbour
// at the angle p·π/4 counted from the right upwards: 0 for no bit, 57 for all,
// 1 + 8·(n − 1) + r for n bits that begin r places before the first neighbour,
// and 58 for those that are not uniform.
var codeOf = func() (table [1 << neighbours]uint8) {
	for pattern := range table {
		p := uint8(pattern)
		n := bits.OnesCount8(p)
		starts := p &^ bits.RotateLeft8(p, 1) // bits whose predecessor is not set
		switch {
		case n == 0:
			table[p] = 0
		case n == neighbours:
			table[p] = codes - 2
		case bits.OnesCount8(starts) == 1:
			first := bits.TrailingZeros8(starts)
			table[p] = uint8(1 + neighbours*(n-1) + (neighbours-first)%neighbours)
		default:
			table[p] = codes - 1
		}
	}
	return table
}()

// A shift is a distance along an axis, for linear interpolation: the value at
// i + shift is w0·x[i+pixels] + w1·x[i+pixels+1].
type shift struct {
	pixels int
	w0, w1 float64
}

func newShift(distance float64) shift {
	floor := math.Floor(distance)
	return shift{int(floor), 1 - (distance - floor), distance - floor}
}

// patternHistograms computes LBP.
type patternHistograms struct {
	height, width     int
	rows, cols        *pooling
	pad, paddedHeight int // pixels that are added at each border; the height with them

	far, diagonal  shift // the radius and its part along an axis of a diagonal
	back, nearBack shift // the same backwards

	images   buffers // the image with its border
	lines    buffers // see patternsOf
	patterns recycled[uint8]
}

func (p *patternHistograms) extract(dst, pix []float64) bool {
	image, lines, patterns := p.images.get(), p.lines.get(), p.patterns.get()
	defer p.images.put(image)
	defer p.lines.put(lines)
	defer p.patterns.put(patterns)
	p.surround(*image, pix)
	clear(dst)
	every := uint8(allBright)
	for j := range p.width {
		every &= p.patternsOf(*patterns, *image, *lines, j)
		p.count(dst, *patterns, j)
	}
	if every == allBright {
		return false
	}
	cells := p.rows.cells * p.cols.cells
	for c := range cells {
		count := p.rows.cellWeight[c%p.rows.cells] * p.cols.cellWeight[c/p.rows.cells]
		to := 1 / (count * float64(cells))
		for i, v := range dst[c*codes:][:codes] {
			dst[c*codes+i] = math.Sqrt(v * to)
		}
	}
	return true
}

// surround copies pix into the middle of image and repeats its border around.
func (p *patternHistograms) surround(image, pix []float64) {
	for j := range p.width + 2*p.pad {
		from := pix[min(max(j-p.pad, 0), p.width-1)*p.height:][:p.height]
		to := image[j*p.paddedHeight:][:p.paddedHeight]
		for i := range p.pad {
			to[i], to[p.paddedHeight-1-i] = from[0], from[p.height-1]
		}
		copy(to[p.pad:], from)
	}
}

// patternsOf sets patterns to those of the pixels in column j; it returns the
// bits that all of them have. Lines has room for four columns of image.
func (p *patternHistograms) patternsOf(patterns []uint8, image, lines []float64, j int) uint8 {
	column := func(j int) []float64 { return image[(j+p.pad)*p.paddedHeight:][:p.paddedHeight] }
	between := func(k int, s shift) []float64 {
		line := lines[k*p.paddedHeight:][:p.paddedHeight]
		a, b := column(j+s.pixels), column(j+s.pixels+1)
		a, b = a[:len(line)], b[:len(line)]
		for i := range line {
			line[i] = s.w0*a[i] + s.w1*b[i]
		}
		return line
	}
	// Columns of the image at the radius and at the diagonal, to both sides.
	right, left := between(0, p.far), between(1, p.back)
	upRight, upLeft := between(2, p.diagonal), between(3, p.nearBack)

	n := len(patterns)
	own := column(j)
	at := func(line []float64, by int) []float64 { return line[p.pad+by:][:n] }
	centre, e, w := at(own, 0), at(right, 0), at(left, 0)
	n0, n1, s0, s1 := at(own, p.back.pixels), at(own, p.back.pixels+1), at(own, p.far.pixels), at(own, p.far.pixels+1)
	ne0, ne1 := at(upRight, p.nearBack.pixels), at(upRight, p.nearBack.pixels+1)
	nw0, nw1 := at(upLeft, p.nearBack.pixels), at(upLeft, p.nearBack.pixels+1)
	se0, se1 := at(upRight, p.diagonal.pixels), at(upRight, p.diagonal.pixels+1)
	sw0, sw1 := at(upLeft, p.diagonal.pixels), at(upLeft, p.diagonal.pixels+1)
	up, down, upDiagonal, downDiagonal := p.back, p.far, p.nearBack, p.diagonal
	every := uint8(allBright)
	for i, c := range centre {
		c -= neighbourSlack
		var pattern uint8
		pattern |= bit(e[i] >= c)
		pattern |= bit(upDiagonal.w0*ne0[i]+upDiagonal.w1*ne1[i] >= c) << 1
		pattern |= bit(up.w0*n0[i]+up.w1*n1[i] >= c) << 2
		pattern |= bit(upDiagonal.w0*nw0[i]+upDiagonal.w1*nw1[i] >= c) << 3
		pattern |= bit(w[i] >= c) << 4
		pattern |= bit(downDiagonal.w0*sw0[i]+downDiagonal.w1*sw1[i] >= c) << 5
		pattern |= bit(down.w0*s0[i]+down.w1*s1[i] >= c) << 6
		pattern |= bit(downDiagonal.w0*se0[i]+downDiagonal.w1*se1[i] >= c) << 7
		patterns[i] = pattern
		every &= pattern
	}
	return every
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// count adds the codes of the pixels in column j to the cells in dst.
func (p *patternHistograms) count(dst []float64, patterns []uint8, j int) {
	n := len(patterns)
	lo, hi, wLo, wHi := p.rows.lo[:n], p.rows.hi[:n], p.rows.wLo[:n], p.rows.wHi[:n]
	column := p.rows.cells * codes
	left, right := dst[p.cols.lo[j]*column:][:column], dst[p.cols.hi[j]*column:][:column]
	wLeft, wRight := p.cols.wLo[j], p.cols.wHi[j]
	for i, pattern := range patterns {
		code := int(codeOf[pattern])
		a, b := lo[i]+code, hi[i]+code
		left[a] += wLeft * wLo[i]
		left[b] += wLeft * wHi[i]
		right[a] += wRight * wLo[i]
		right[b] += wRight * wHi[i]
	}
}
