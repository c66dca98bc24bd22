package feature

import "math"

// IGO takes the orientation of the gradient of every pixel [igo]: a plane of
// cos φ, then one of sin φ, φ the angle of the gradient from the direction of
// rows (to the right) to that of columns (downwards). Where there is no
// gradient both are 0. Light that changes slowly over the face changes it
// little.
type IGO struct{}

// flat is the part of the largest gradient of an image up to which one counts
// as none: what rounding makes of an even region has no orientation.
const flat = 1e-9

// Name implements Feature.
func (IGO) Name() string { return "igo" }

// Validate implements Feature.
func (IGO) Validate() error { return nil }

// Len implements Feature.
func (IGO) Len(height, width int) int { return 2 * height * width }

func (IGO) planes() int { return 2 }

// Over implements Feature.
func (g IGO) Over(height, width int) (Extractor, error) {
	if err := fits(g, height, width); err != nil {
		return nil, err
	}
	return guard(orientations{height, width}, g, height, width), nil
}

type orientations struct{ height, width int }

func (o orientations) extract(dst, pix []float64) bool {
	n := o.height * o.width
	right, down := dst[:n], dst[n:][:n]
	for j := range o.width {
		at := j * o.height
		gradient(right[at:at+o.height], down[at:at+o.height], pix, o.height, o.width, j)
	}
	var largest float64 // of the squares
	for i, x := range right {
		y := down[i]
		largest = max(largest, x*x+y*y)
	}
	if largest < minNorm {
		return false
	}
	oriented := 0
	for i, x := range right {
		y := down[i]
		square := x*x + y*y
		if square <= flat*flat*largest {
			right[i], down[i] = 0, 0
			continue
		}
		to := 1 / math.Sqrt(square)
		right[i], down[i] = to*x, to*y
		oriented++
	}
	scale(dst, 1/math.Sqrt(float64(oriented)))
	return true
}

// gradient sets right and down to the derivatives of the image pix in column
// j: central differences, one-sided ones at the border, none across a single
// row or column.
func gradient(right, down, pix []float64, height, width, j int) {
	before, after := max(j-1, 0), min(j+1, width-1)
	over := 1 / float64(max(after-before, 1)) // over how many pixels
	right = right[:height]
	a, b := pix[before*height:][:len(right)], pix[after*height:][:len(right)]
	for i := range right {
		right[i] = over * (b[i] - a[i])
	}
	c, last := pix[j*height:][:height], height-1
	if last == 0 {
		down[0] = 0
		return
	}
	down[0], down[last] = c[1]-c[0], c[last]-c[last-1]
	inner := down[1:last]
	above, below := c[:len(inner)], c[2:][:len(inner)]
	for i := range inner {
		inner[i] = (below[i] - above[i]) / 2
	}
}
