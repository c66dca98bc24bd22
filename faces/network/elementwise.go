package network

import (
	"math"
	"slices"
)

func (c *call) unary(f func(float64) float64) {
	x := c.x(0)
	c.one()
	c.gives(0, x.dtype, x.shape)
	c.run = func(out, in []*tensor) {
		if o := out[0].f; o != nil {
			for k, v := range in[0].f {
				o[k] = float32(f(float64(v)))
			}
			return
		}
		for k := range out[0].len() {
			out[0].set(k, f(in[0].at(k)))
		}
	}
}

// binary is f over two inputs, or over all of them from left to right, of one type.
func (c *call) binary(f func(a, b float64) float64, d dtype) {
	must(c.int("broadcast", 0) == 0, "broadcasting along an axis is not supported")
	for k := range c.inputs {
		must(c.x(k).dtype == c.x(0).dtype, "types %v and %v", c.x(0).dtype, c.x(k).dtype)
	}
	c.elementwise(f, d)
}

// elementwise is binary for inputs of any types.
func (c *call) elementwise(f func(a, b float64) float64, d dtype) {
	c.one()
	shape := c.x(0).shape
	for k := range c.inputs {
		shape = broadcast(shape, c.x(k).shape)
	}
	c.gives(0, d, shape)
	if len(c.inputs) == 1 {
		c.sameElements(shape)
		return
	}
	var steps [][]int
	for _, v := range c.inputs {
		steps = append(steps, spread(v.shape, shape))
	}
	two := len(c.inputs) == 2 && slices.Equal(c.inputs[0].shape, shape)
	scalar, same := two && c.inputs[1].len() == 1, two && slices.Equal(c.inputs[1].shape, shape)
	c.units = times(10, len(c.inputs)-1, c.outputs[0].len())
	if d.float() && (scalar || same) {
		c.units = times(3, c.outputs[0].len())
	}
	c.run = func(out, in []*tensor) {
		o, a := out[0], in[0]
		if scalar && o.f != nil { // what dequantised weights go through
			s := in[1].at(0)
			for k, v := range a.f {
				o.f[k] = float32(f(float64(v), s))
			}
			return
		}
		if same && o.f != nil && in[1].f != nil {
			for k, v := range a.f {
				o.f[k] = float32(f(float64(v), float64(in[1].f[k])))
			}
			return
		}
		k := 0
		each(shape, steps[0], steps[1], func(i, j int) {
			o.set(k, f(a.at(i), in[1].at(j)))
			k++
		})
		for m := 2; m < len(in); m++ {
			k = 0
			each(shape, steps[m], steps[m], func(i, _ int) {
				o.set(k, f(o.at(k), in[m].at(i)))
				k++
			})
		}
	}
}

// pow has the type of its base; the exponent may have another.
func (c *call) pow() {
	c.elementwise(math.Pow, c.x(0).dtype)
	c.units = 0 // those of the table: a power takes longer than the others
}

// leakyRelu is PRelu of one slope.
func (c *call) leakyRelu() {
	slope := c.float("alpha", 0.01)
	c.unary(func(x float64) float64 { return min(x, 0)*float64(slope) + max(x, 0) })
	c.layer = slopes{[]float32{slope}}
}

// slopes marks a PRelu: one slope, or one a channel.
type slopes struct{ s []float32 }

// pRelu takes the slopes as ONNX says, or, if these do not go together and
// there is one a channel, a channel, as older files mean them.
func (c *call) pRelu() {
	x, s := c.x(0), c.x(1)
	c.one()
	c.gives(0, x.dtype, x.shape)
	shape := s.shape
	if len(shape) == 1 && len(x.shape) > 2 && shape[0] == x.shape[1] && shape[0] != x.shape[len(x.shape)-1] {
		shape = append(slices.Clone(shape), slices.Repeat([]int{1}, len(x.shape)-2)...)
	}
	must(slices.Equal(broadcast(x.shape, shape), x.shape), "slopes of shape %v for %v", s.shape, x.shape)
	own, ss := strides(x.shape), spread(shape, x.shape)
	if v, ok := perChannel(shape, s, x.shape); ok {
		c.layer = slopes{v}
	}
	c.run = func(out, in []*tensor) {
		each(x.shape, own, ss, func(i, j int) {
			v := in[0].at(i)
			if v < 0 {
				v *= in[1].at(j)
			}
			out[0].set(i, v)
		})
	}
}

// perChannel is a constant that has one element, or one a channel of an image
// of shape N×C×H×W or of rows of shape N×C.
func perChannel(shape []int, v *value, image []int) ([]float32, bool) {
	if !v.constant || v.f == nil || len(image) != 4 && len(image) != 2 {
		return nil, false
	}
	if len(v.f) == 1 {
		return v.f, true
	}
	at := len(shape) - len(image) + 1
	return v.f, at >= 0 && len(v.f) == image[1] && shape[at] == image[1]
}

// A clipping marks a Clip.
type clipping struct{ min, max float32 }

func (c *call) clip() {
	x := c.x(0)
	c.one()
	c.gives(0, x.dtype, x.shape)
	lo, hi := math.Inf(-1), math.Inf(1)
	if c.opset < 11 {
		lo, hi = float64(c.float("min", -math.MaxFloat32)), float64(c.float("max", math.MaxFloat32))
	}
	lo, hi = c.single(1, lo), c.single(2, hi)
	c.layer = clipping{float32(lo), float32(hi)}
	c.run = func(out, in []*tensor) {
		for k := range out[0].len() {
			out[0].set(k, min(max(in[0].at(k), lo), hi))
		}
	}
}

func (c *call) where() {
	p, a, b := c.x(0), c.x(1), c.x(2)
	c.one()
	must(a.dtype == b.dtype, "types %v and %v", a.dtype, b.dtype)
	shape := broadcast(broadcast(p.shape, a.shape), b.shape)
	c.gives(0, a.dtype, shape)
	sp, sa, sb := spread(p.shape, shape), spread(a.shape, shape), spread(b.shape, shape)
	own := strides(shape)
	c.run = func(out, in []*tensor) {
		o := out[0]
		each(shape, own, sa, func(k, i int) { o.set(k, in[1].at(i)) })
		k := 0
		each(shape, sp, sb, func(i, j int) {
			if in[0].at(i) == 0 {
				o.set(k, in[2].at(j))
			}
			k++
		})
	}
}

func (c *call) cast() {
	x := c.x(0)
	c.one()
	d := dtype(c.int("to", 0))
	must(d.known(), "a cast to %v", d)
	c.gives(0, d, x.shape)
	c.run = func(out, in []*tensor) {
		o, x := out[0], in[0]
		for k := range o.len() {
			switch {
			case x.i != nil && o.i != nil:
				o.i[k] = d.wrap(x.i[k])
			case o.f != nil:
				o.f[k] = d.round(float32(x.at(k)))
			default:
				o.set(k, x.at(k))
			}
		}
	}
}

// reduce is a reduction over axes, of which none means all.
func (c *call) reduce(r reduction) {
	x := c.x(0)
	c.one()
	axes := c.ints("axes")
	if v := c.few(1, maxRank); v != nil {
		axes = v
	}
	if len(axes) == 0 && c.int("noop_with_empty_axes", 0) != 0 {
		c.sameElements(x.shape)
		return
	}
	reduced := make([]bool, len(x.shape))
	for _, a := range distinct(axes, len(x.shape)) {
		reduced[a] = true
	}
	// The input is walked over the kept axes, and for each over the reduced.
	var shape, outer, inner, so, si []int
	for a, s := range strides(x.shape) {
		switch {
		case len(axes) == 0 || reduced[a]:
			inner, si = append(inner, x.shape[a]), append(si, s)
			if c.int("keepdims", 1) != 0 {
				shape = append(shape, 1)
			}
		default:
			outer, so = append(outer, x.shape[a]), append(so, s)
			shape = append(shape, x.shape[a])
		}
	}
	n := elements(inner)
	must(n > 0, "nothing to reduce in shape %v", x.shape)
	c.gives(0, x.dtype, shape)
	if c.op == "ReduceMean" && len(x.shape) == 4 && slices.Equal(inner, x.shape[2:]) && len(outer) == 2 && reduced[2] && reduced[3] {
		c.layer = globalPooling{}
	}
	c.run = func(out, in []*tensor) {
		k := 0
		each(outer, so, so, func(base, _ int) {
			sum := r.start
			each(inner, si, si, func(i, _ int) { sum = r.step(sum, in[0].at(base+i)) })
			out[0].set(k, r.end(sum, float64(n)))
			k++
		})
	}
}
