package reference

import (
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/dataset"
)

// An orientation is an order in which the pixels of an image may be stored.
type orientation struct {
	description        string
	rows, flipX, flipY bool
}

// The first orientation is that of the database.
var orientations = []orientation{
	{},
	{"transposed: the pixels are stored row by row, not column by column", true, false, false},
	{"mirrored: left and right are exchanged", false, true, false},
	{"upside down", false, false, true},
	{"turned by 180°", false, true, true},
	{"turned by 90°", true, true, false},
	{"turned by 90°", true, false, true},
	{"transposed and turned by 180°", true, true, true},
}

// turn returns the pixels of the upright image of that size, column after column, from v,
// which has the orientation o.
func (o orientation) turn(v []float64, size dataset.Size) []float64 {
	if size.Len() != len(v) {
		return v
	}
	w := make([]float64, len(v))
	for x := range size.Width {
		for y := range size.Height {
			fromX, fromY := x, y
			if o.flipX {
				fromX = size.Width - 1 - x
			}
			if o.flipY {
				fromY = size.Height - 1 - y
			}
			from := fromX*size.Height + fromY
			if o.rows {
				from = fromY*size.Width + fromX
			}
			w[x*size.Height+y] = v[from]
		}
	}
	return w
}

// orientation returns the orientation in which the database has most images of a sample,
// and their number.
func (c *comparison) orientation() (best, most int) {
	known := map[[5]byte]bool{}
	for _, p := range c.there.prints {
		known[p.key] = p.lo < p.hi
	}
	const sample = 64
	step := max(1, len(c.here.prints)/sample)
	for o, how := range orientations {
		n := 0
		for j := 0; j < len(c.here.prints); j += step {
			p := c.here.prints[j]
			if o > 0 {
				p = fingerprintOf(how.turn(mat.Col(nil, j, c.set.X), c.there.Size), dataset.Size{})
			}
			if known[p.key] {
				n++
			}
		}
		if n > most {
			best, most = o, n
		}
		if o == 0 && n > 0 { // symmetric images are no reason to turn all
			return 0, n
		}
	}
	return best, most
}
