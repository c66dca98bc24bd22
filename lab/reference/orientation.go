package reference

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/dataset"
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

// scale compares the values of the images that are in both.
func (c *comparison) scale() {
	type change struct{ gain, offset float64 }
	var changes []change
	var of []int
	for j, r := range c.partner {
		if r < 0 {
			continue
		}
		a, b := c.prints[j], c.there.prints[r]
		if b.lo == b.hi {
			continue // no contrast to compare
		}
		gain := (a.hi - a.lo) / (b.hi - b.lo)
		changes = append(changes, change{gain, a.lo - gain*b.lo})
		of = append(of, j)
	}
	if len(changes) == 0 {
		return
	}
	usual := slices.Clone(changes)
	slices.SortFunc(usual, func(a, b change) int { return cmp.Or(cmp.Compare(a.gain, b.gain), cmp.Compare(a.offset, b.offset)) })
	u := usual[len(usual)/2]
	close := func(x, y float64) bool { return math.Abs(x-y) <= 1e-5*(math.Abs(y)+u.gain) }
	var others []string
	for i, ch := range changes {
		if !close(ch.gain, u.gain) || math.Abs(ch.offset-u.offset) > 1e-3*u.gain {
			p, n := c.here.place(of[i])
			others = append(others, fmt.Sprintf("image %d of person %d", n, p))
		}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range c.here.prints {
		low, high = min(low, p.lo), max(high, p.hi)
	}
	switch {
	case 2*len(others) > len(changes):
		c.say("each image has a scale of its own, as if it was normalised: values from %.3g to %.3g", low, high)
		return
	case !close(u.gain, 1) || math.Abs(u.offset) > 1e-3*u.gain:
		c.say("another scale of values, from %.3g to %.3g: those of the database times %.4g%s", low, high, u.gain, plus(u.offset, u.gain))
	}
	if len(others) > 0 {
		c.say("%s brighter, darker or of other contrast: %s", images(len(others), "is", "are"), some(others))
	}
}

// plus formats an offset; "" for a rounding error.
func plus(offset, gain float64) string {
	if math.Abs(offset) <= 1e-3*gain {
		return ""
	}
	return fmt.Sprintf(" plus %.4g", offset)
}

// looks is called if no image has the pixels of an image of the database. It counts the
// images that look like the image at the same position there.
func (c *comparison) looks() {
	if c.here.Size == (dataset.Size{}) || c.there.Size == (dataset.Size{}) {
		c.say("no image has the same values")
		return
	}
	alike := 0
	for j := range min(len(c.prints), len(c.there.prints)) {
		if c.prints[j].looksLike(&c.there.prints[j]) {
			alike++
		}
	}
	n := len(c.there.prints)
	switch {
	case 2*alike > n:
		c.say("no image has the same pixels, but %d of %d look the same at the same place: probably the same photographs, resized, compressed or cropped by another program", alike, n)
	default:
		c.say("no image has the same pixels, and %d of %d look the same at the same place: another crop, other photographs or another order", alike, n)
	}
}
