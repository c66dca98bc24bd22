package network

import (
	"slices"

	"nrdl.example/nrdl/internal/blas"
)

// A fusion is a convolution with what is fused into it.
type fusion struct {
	spec          blas.ConvSpec
	weights, bias []float32
	scaled        bool // weights are a copy, and no longer those of the file
	residual      *value
	act           blas.Activation
	plain         bool // nothing but a scale and a shift so far
	output        *value
}

// maxChannels is the most channels for which a step without weights of the file
// is given weights, one or two a channel.
const maxChannels = 1 << 16

// fused adds a call that starts a convolution, or that is one of a pixel with
// itself: a scale and a shift for each channel, a sum, an activation.
func (p *planner) fused(c *call) bool {
	m, ok := imageOf(c.outputs[0])
	if !ok {
		return false
	}
	f := &fusion{output: c.outputs[0]}
	var src *value
	var size blas.Image
	switch l := c.layer.(type) {
	case convolution:
		if len(c.inputs[0].shape) != 4 || c.inputs[0].constant || !c.inputs[1].constant || c.optional(2) != nil && !c.inputs[2].constant {
			return false
		}
		src = c.inputs[0]
		size, _ = imageOf(src)
		p.take(l.spec.Out, 4)
		f.spec, f.weights, f.bias = l.spec, c.inputs[1].f, make([]float32, l.spec.Out)
		if b := c.optional(2); b != nil {
			copy(f.bias, b.f)
		}
	case product:
		src = c.inputs[0]
		size = blas.Image{H: 1, W: 1, C: l.inputs}
		f.weights, f.bias = l.weights, slices.Clone(l.bias)
		f.spec = pointwise(l.inputs, l.outputs, 1)
	default:
		src, size = c.firstImage(), m
		if src == nil || m.C > maxChannels {
			return false
		}
		f.spec = pointwise(m.C, m.C, m.C)
		p.spend(4 * m.C)
		p.take(m.C, 8)
		f.weights, f.bias, f.plain = slices.Repeat([]float32{1}, m.C), make([]float32, m.C), true
		f.output = src
		if !p.extend(f, c) {
			return false
		}
	}
	for f.act.Kind == blas.None {
		next := p.only(f.output)
		if next == nil || !p.extend(f, next) {
			break
		}
		p.done[next] = true
	}
	p.convolution(src, size, f)
	return true
}

// pointwise is a convolution of single pixels.
func pointwise(in, out, groups int) blas.ConvSpec {
	return blas.ConvSpec{In: in, Out: out, Groups: groups, KernelH: 1, KernelW: 1, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}
}

// firstImage is the first input that is an image as the output is, or nil.
func (c *call) firstImage() *value {
	for _, v := range c.inputs {
		if v != nil && !v.constant && slices.Equal(v.shape, c.outputs[0].shape) {
			return v
		}
	}
	return nil
}

// extend makes c part of f, if it can be.
func (p *planner) extend(f *fusion, c *call) bool {
	x := f.output
	if !slices.Equal(c.outputs[0].shape, x.shape) {
		return false
	}
	if scale, shift, ok := c.affine(x); ok {
		if f.residual != nil {
			return false
		}
		per := len(f.weights) / f.spec.Out
		p.spend(4 * len(f.weights))
		if !f.scaled {
			p.take(len(f.weights), 4)
			f.weights, f.scaled = slices.Clone(f.weights), true
		}
		for k := range f.weights {
			f.weights[k] *= scale[k/per%len(scale)]
		}
		for o := range f.bias {
			f.bias[o] = f.bias[o]*scale[o%len(scale)] + shift[o%len(shift)]
		}
		f.output = c.outputs[0]
		return true
	}
	switch l := c.layer.(type) {
	case slopes:
		f.act = blas.Activation{Kind: blas.PRelu, Slopes: l.s}
	case clipping:
		f.act = blas.Activation{Kind: blas.Clip, Min: l.min, Max: l.max}
	default:
		other := c.addend(x)
		switch {
		case c.op == "Relu":
			f.act = blas.Activation{Kind: blas.Relu}
		case other != nil && f.residual == nil && p.there(other):
			f.residual = other
		default:
			return false
		}
	}
	f.plain, f.output = false, c.outputs[0]
	return true
}

// addend is the other image of a sum with x, or nil.
func (c *call) addend(x *value) *value {
	if (c.op != "Add" && c.op != "Sum") || len(c.inputs) != 2 {
		return nil
	}
	other := c.inputs[0]
	if other == x {
		other = c.inputs[1]
	}
	if other.constant || !slices.Equal(other.shape, x.shape) {
		return nil
	}
	return other
}

// affine is a call that scales and shifts each channel of x by constants, one or
// one a channel.
func (c *call) affine(x *value) (scale, shift []float32, ok bool) {
	if a, ok := c.layer.(affine); ok {
		return a.scale, a.shift, c.inputs[0] == x
	}
	if len(c.inputs) != 2 || !slices.Contains([]string{"Add", "Sub", "Mul", "Div"}, c.op) {
		return nil, nil, false
	}
	left := c.inputs[1] == x
	k := c.inputs[1]
	if left {
		k = c.inputs[0]
	}
	v, ok := perChannel(k.shape, k, x.shape)
	if !ok || left && c.op == "Div" {
		return nil, nil, false
	}
	c.spend(8 * len(v))
	one, zero := slices.Repeat([]float32{1}, len(v)), make([]float32, len(v))
	negative := func(v []float32) []float32 {
		n := make([]float32, len(v))
		for k := range v {
			n[k] = -v[k]
		}
		return n
	}
	switch c.op {
	case "Add":
		return one, v, true
	case "Mul":
		return v, zero, true
	case "Sub":
		if left {
			return negative(one), v, true
		}
		return one, negative(v), true
	}
	for k := range v {
		if v[k] == 0 {
			return nil, nil, false
		}
		one[k] = 1 / v[k]
	}
	return one, zero, true
}

// convolution adds the step of a fusion. size is that of its input.
func (p *planner) convolution(src *value, size blas.Image, f *fusion) {
	border := p.border(f.output)
	if _, image := p.images[src]; f.plain && !image && p.alias[src] == nil && size.H*size.W > 1 {
		p.pack(src, f.output, border, f.weights, f.bias)
		return
	}
	var from int
	if at, ok := p.whole(src); ok && size.H*size.W == 1 && size.C > 1 && f.spec.Groups == 1 {
		// The graph flattens the image channel by channel before it multiplies. The weights are reordered
		// instead, so that the image stays as it is.
		m := p.slots[at].image
		p.spend(4 * len(f.weights))
		p.take(len(f.weights), 4)
		f.weights = reordered(f.weights, f.spec.Out, m)
		s := p.slots[at]
		s.image = blas.Image{H: 1, W: 1, C: size.C}
		from = p.slot(s)
	} else {
		from = p.image(src, convolution{f.spec, size.H, size.W}.border())
	}
	residual := -1
	if f.residual != nil {
		residual = p.image(f.residual, 0)
	}
	to := p.newImage(f.output, border)
	packed, units := cost(f.spec, size.H, size.W)
	p.spend(times(packUnits, packed))
	p.take(packed, 4)
	var conv *blas.Conv
	p.convs = append(p.convs, func() *blas.Conv {
		conv = blas.NewConv(f.spec, size.H, size.W, f.weights, f.bias, f.act)
		f.weights = nil
		return conv
	})
	in := []int{from}
	if residual >= 0 {
		in = append(in, residual)
	}
	s := p.step(units+p.sizes(append(in, to)...)/8, func(s *state, lo, hi int) {
		for i := lo; i < hi; i++ {
			clearBorder(s.images[to][i])
		}
		var r []blas.Image
		if residual >= 0 {
			r = s.images[residual][lo:hi]
		}
		conv.Run(s.images[to][lo:hi], s.images[from][lo:hi], r, s.scratch, s.threads/int(running.Load()))
	}, []int{to}, in)
	s.joint = len(f.weights) >= togetherFrom
}

// cost is how many floats the packed weights of a convolution have at most, and the units
// of work of one image of h×w pixels.
func cost(s blas.ConvSpec, h, w int) (packed, units int) {
	const lanes = 16 // of the widest kernels
	vectors := func(n int) int { return (n + lanes - 1) / lanes }
	oh, ow := s.OutSize(h, w)
	taps, in, out := times(s.KernelH, s.KernelW), s.In/s.Groups, s.Out/s.Groups
	if s.Groups == s.In && s.In == s.Out { // depthwise
		n := times(vectors(s.Out), taps)
		return times(n, lanes), times(oh, ow, 24+n)
	}
	packed = times(s.Groups, vectors(out), lanes, taps, in)
	units = times(oh, ow, 12+6*s.Groups+packed/fastProducts) + packed/4 // which are read once
	if s.KernelH == 3 && s.KernelW == 3 {
		packed = times(4, packed) // for Winograd's algorithm
	}
	return packed, units
}
