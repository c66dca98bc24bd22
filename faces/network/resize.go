package network

import (
	"math"
	"slices"
)

// A padding marks a Pad with zeros; begin and end are those of each axis.
type padding struct{ begin, end []int }

func (c *call) pad() {
	x := c.x(0)
	c.one()
	pads := c.ints("pads", c.ints("paddings")...)
	if v := c.few(1, 2*maxRank); v != nil {
		pads = v
	}
	n := len(x.shape)
	axes := make([]int, n)
	for a := range axes {
		axes[a] = a
	}
	if v := c.few(3, maxRank); v != nil {
		axes = v
	}
	must(len(pads) == 2*len(axes), "%d pads for %d axes", len(pads), len(axes))
	begin, end := make([]int, n), make([]int, n)
	for k, a := range distinct(axes, n) {
		begin[a], end[a] = pads[k], pads[len(axes)+k]
	}
	fill := c.single(2, float64(c.float("value", 0)))
	mode := c.string("mode", "constant")
	// from[a] is where each index of axis a comes from; −1 is the fill.
	shape, from := make([]int, n), make([][]int, n)
	for a, size := range x.shape {
		must(max(begin[a], -begin[a], end[a], -end[a]) <= maxElements, "pads %v", pads)
		shape[a] = size + begin[a] + end[a]
		must(shape[a] >= 0 && shape[a] <= maxTable && (mode == "constant" || size > 0), "pads %v for %v", pads, x.shape)
	}
	c.gives(0, x.dtype, shape)
	c.tables(shape, 1)
	for a, size := range x.shape {
		from[a] = make([]int, shape[a])
		for k := range from[a] {
			s := k - begin[a]
			switch mode {
			case "constant":
				if s < 0 || s >= size {
					s = -1
				}
			case "edge":
				s = min(max(s, 0), size-1)
			case "reflect":
				if s < 0 {
					s = -s
				} else if s >= size {
					s = 2*(size-1) - s
				}
				must(s >= 0 && s < size, "pads %v for %v", pads, x.shape)
			default:
				refuse("mode %q", mode)
			}
			from[a][k] = s
		}
	}
	if mode == "constant" && fill == 0 && x.dtype.float() {
		c.layer = padding{begin, end}
	}
	c.gathered(shape, from, fill)
}

// tables takes the work and the memory of n numbers for each index of each axis.
func (c *call) tables(shape []int, n int) {
	for _, size := range shape {
		c.spend(times(10, n, size))
		c.take(size, 8*n)
	}
}

// gathered makes the output from elements of the first input: index k of axis a
// is index from[a][k] there, or the fill where that is −1.
func (c *call) gathered(shape []int, from [][]int, fill float64) {
	own := strides(c.x(0).shape)
	c.run = func(o, i []*tensor) {
		var index [maxRank]int
		for k := range o[0].len() {
			at, outside := 0, false
			for a := range shape {
				s := from[a][index[a]]
				outside = outside || s < 0
				at += s * own[a]
			}
			if outside {
				o[0].set(k, fill)
			} else {
				o[0].set(k, i[0].at(at))
			}
			for a := len(shape) - 1; a >= 0; a-- {
				if index[a]++; index[a] < shape[a] {
					break
				}
				index[a] = 0
			}
		}
	}
}

// A enlarging marks a nearest Resize of images: where each row and column
// comes from.
type enlarging struct{ rows, columns []int }

// resize is Resize and its ancestor Upsample, nearest and linear.
func (c *call) resize() {
	x := c.x(0)
	c.one()
	n := len(x.shape)
	var sizes []int
	scales := c.floats("scales")
	given := c.fixed(1)
	if c.op == "Resize" && c.opset >= 11 {
		given = c.fixed(2)
		if v := c.few(3, maxRank); len(v) > 0 {
			sizes = v
		}
	}
	if given != nil && given.len() > 0 {
		scales = given.f
	}
	must(c.int("antialias", 0) == 0, "antialias is not supported")
	must(c.string("keep_aspect_ratio_policy", "stretch") == "stretch", "only the policy stretch is supported")
	shape, scale := c.resized(sizes, scales)
	c.gives(0, x.dtype, shape)
	transform := "asymmetric"
	if c.op == "Resize" && c.opset >= 11 {
		transform = c.string("coordinate_transformation_mode", "half_pixel")
	}
	rounding := c.string("nearest_mode", "round_prefer_floor")
	if c.op == "Upsample" || c.opset < 11 {
		rounding = "floor"
	}
	mode := c.string("mode", "nearest")
	must(mode == "nearest" || mode == "linear", "mode %q", mode)
	c.tables(shape, 3)
	// Index k of axis a lies between low and high, at share of the way.
	low, high, share := make([][]int, n), make([][]int, n), make([][]float64, n)
	for a := range n {
		low[a], high[a], share[a] = make([]int, shape[a]), make([]int, shape[a]), make([]float64, shape[a])
		for k := range shape[a] {
			at := source(transform, float64(k), scale[a], x.shape[a], shape[a])
			if mode == "nearest" {
				at = nearest(rounding, at)
			}
			at = min(max(at, 0), float64(x.shape[a]-1))
			low[a][k] = int(at)
			high[a][k] = min(low[a][k]+1, x.shape[a]-1)
			share[a][k] = at - math.Floor(at)
		}
	}
	if mode == "nearest" {
		// Near 1 the scale of an axis may keep its length and still move its indices.
		if n == 4 && identity(low[0], x.shape[0]) && identity(low[1], x.shape[1]) {
			c.layer = enlarging{low[2], low[3]}
		}
		c.gathered(shape, low, 0)
		return
	}
	must(x.dtype.float(), "type %v", x.dtype)
	c.linear(shape, low, high, share)
}

// resized is the shape of the result of a Resize, and the scale of each axis.
func (c *call) resized(sizes []int, scales []float32) (shape []int, scale []float64) {
	x := c.x(0)
	n := len(x.shape)
	axes := c.ints("axes")
	if axes == nil {
		for a := range n {
			axes = append(axes, a)
		}
	}
	must(len(sizes) == len(axes) || sizes == nil && len(scales) == len(axes), "%d sizes and %d scales for %d axes",
		len(sizes), len(scales), len(axes))
	shape, scale = slices.Clone(x.shape), slices.Repeat([]float64{1}, n)
	for k, a := range distinct(axes, n) {
		must(x.shape[a] > 0 && x.shape[a] <= maxTable, "input of shape %v", x.shape)
		if sizes != nil {
			shape[a], scale[a] = sizes[k], float64(sizes[k])/float64(x.shape[a])
		} else {
			scale[a] = float64(scales[k])
			must(scale[a] > 0 && scale[a] <= maxElements, "scale %v", scale[a])
			shape[a] = int(min(math.Floor(float64(x.shape[a])*scale[a]), maxElements+1))
		}
		must(shape[a] > 0 && shape[a] <= maxTable, "sizes %v", shape)
	}
	return shape, scale
}

// identity is whether from names each index of an axis of length n once, in order.
func identity(from []int, n int) bool {
	for k, v := range from {
		if v != k {
			return false
		}
	}
	return len(from) == n
}

// source is where index k of an axis of length to lies on its source of length
// from.
func source(transform string, k, scale float64, from, to int) float64 {
	switch transform {
	case "half_pixel":
		return (k+0.5)/scale - 0.5
	case "pytorch_half_pixel":
		if to > 1 {
			return (k+0.5)/scale - 0.5
		}
		return 0
	case "align_corners":
		if to > 1 {
			return k * float64(from-1) / (float64(from)*scale - 1)
		}
		return 0
	case "asymmetric":
		return k / scale
	case "tf_half_pixel_for_nn":
		return (k + 0.5) / scale
	}
	refuse("coordinate_transformation_mode %q", transform)
	return 0
}

func nearest(rounding string, at float64) float64 {
	switch rounding {
	case "round_prefer_floor":
		return math.Ceil(at - 0.5)
	case "round_prefer_ceil":
		return math.Floor(at + 0.5)
	case "floor":
		return math.Floor(at)
	case "ceil":
		return math.Ceil(at)
	}
	refuse("nearest_mode %q", rounding)
	return 0
}

// linear interpolates along all axes at once, of which at most a few differ.
func (c *call) linear(shape []int, low, high [][]int, share [][]float64) {
	own := strides(c.x(0).shape)
	c.units = times(20+4<<len(shape), c.outputs[0].len())
	c.run = func(o, i []*tensor) {
		var index [maxRank]int
		for k := range o[0].len() {
			sum := 0.0
			for corner := range 1 << len(shape) {
				at, weight := 0, 1.0
				for a := range shape {
					s := share[a][index[a]]
					if corner>>a&1 == 0 {
						at, weight = at+low[a][index[a]]*own[a], weight*(1-s)
					} else {
						at, weight = at+high[a][index[a]]*own[a], weight*s
					}
					if weight == 0 {
						break
					}
				}
				if weight != 0 {
					sum += weight * float64(i[0].f[at])
				}
			}
			o[0].f[k] = float32(sum)
			for a := len(shape) - 1; a >= 0; a-- {
				if index[a]++; index[a] < shape[a] {
					break
				}
				index[a] = 0
			}
		}
	}
}
