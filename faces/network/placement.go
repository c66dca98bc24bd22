package network

import (
	"slices"

	"nrdl.example/nrdl/internal/blas"
)

// imageOf is a value as an image of one item: height, width, channels. A row of
// numbers is an image of one pixel.
func imageOf(v *value) (m blas.Image, ok bool) {
	s := v.shape
	switch {
	case v.constant || !v.dtype.float() || slices.Contains(s, 0):
		return m, false
	case len(s) == 4 && s[0] == 1:
		return blas.Image{C: s[1], H: s[2], W: s[3]}, true
	case len(s) == 2 && s[0] == 1:
		return blas.Image{C: s[1], H: 1, W: 1}, true
	}
	return m, false
}

// border is what the convolutions that read a value need.
func (p *planner) border(v *value) (border int) {
	p.spend(16 * len(p.users[v]))
	for _, c := range p.users[v] {
		if l, ok := c.layer.(convolution); ok && c.inputs[0] == v {
			border = max(border, l.border())
		}
	}
	return border
}

// border is as blas.Conv has it.
func (l convolution) border() int {
	s := l.spec
	h, w := s.OutSize(l.h, l.w)
	return max(s.Top, s.Left, (h-1)*s.StrideH+(s.KernelH-1)*s.DilationH-s.Top-(l.h-1),
		(w-1)*s.StrideW+(s.KernelW-1)*s.DilationW-s.Left-(l.w-1), 0)
}

// newFlat is a new slot for a value as the graph has it.
func (p *planner) newFlat(v *value) int {
	s := slot{value: v, shape: v.shape, buffer: -1}
	if v.dtype.float() && !v.constant {
		s.buffer = p.buffer(v.len())
	}
	at := p.ownSlot(s)
	p.flats[v] = at
	return at
}

// newImage is a new slot for a value as an image.
func (p *planner) newImage(v *value, border int) int {
	m, _ := imageOf(v)
	m.Border = border
	must(times(m.H+2*border, m.W+2*border, m.C) <= maxState/4,
		"its result, with the border that its padding needs, takes more memory than %d bytes", maxState)
	at := p.ownSlot(slot{value: v, image: m, buffer: p.buffer(m.Len())})
	p.images[v] = at
	return at
}

// flat is a slot that holds v as the graph has it.
func (p *planner) flat(v *value) int {
	if at, ok := p.flats[v]; ok {
		return at
	}
	if v.constant {
		return p.newFlat(v)
	}
	if from := p.alias[v]; from != nil { // the same elements in another shape
		s := p.slots[p.flat(from)]
		s.shape, s.value = v.shape, v
		p.flats[v] = p.slot(s)
		return p.flats[v]
	}
	at := p.images[v]
	s := p.slots[at]
	if m := s.image; m.Border == 0 && (m.H*m.W == 1 || m.C == 1) { // the same order
		s.shape, s.image = v.shape, blas.Image{}
		p.flats[v] = p.slot(s)
		return p.flats[v]
	}
	to := p.newFlat(v)
	p.step(4*p.sizes(at), func(s *state, lo, hi int) {
		for i := lo; i < hi; i++ {
			unpack(s.tensors[to][i].f, s.images[at][i])
		}
	}, []int{to}, []int{at})
	return to
}

// image is a slot that holds v as an image with a border at least as wide.
func (p *planner) image(v *value, border int) int {
	p.spend(64)
	at, ok := p.images[v]
	if ok && p.slots[at].image.Border >= border {
		return at
	}
	if from := p.alias[v]; !ok && from != nil && slices.Equal(from.shape, v.shape) {
		return p.image(from, border)
	}
	if ok { // the border is too narrow
		to := p.newImage(v, border)
		p.step(p.sizes(to), func(s *state, lo, hi int) {
			for i := lo; i < hi; i++ {
				src, dst := s.images[at][i], s.images[to][i]
				clearBorder(dst)
				place(dst, src, 0, 0, 0)
			}
		}, []int{to}, []int{at})
		return to
	}
	m, _ := imageOf(v)
	from := p.flat(v)
	if p.slots[from].buffer >= 0 && border == 0 && (m.H*m.W == 1 || m.C == 1) {
		s := p.slots[from]
		s.image, s.shape = m, nil
		p.images[v] = p.slot(s)
		return p.images[v]
	}
	return p.pack(v, v, border, nil, nil)
}

// pack makes an image of a value that lies as the graph has it, scaled and
// shifted where scale is not nil; to is the value that the image is then.
func (p *planner) pack(v, to *value, border int, scale, shift []float32) int {
	from := p.flat(v)
	at := p.newImage(to, border)
	if scale == nil {
		scale, shift = []float32{1}, []float32{0}
	}
	p.step(4*p.sizes(at), func(s *state, lo, hi int) {
		for i := lo; i < hi; i++ {
			clearBorder(s.images[at][i])
			pack(s.images[at][i], s.tensors[from][i].f, scale, shift)
		}
	}, []int{at}, []int{from})
	return at
}

// laidOut is the value v whose elements are those of an image in its order.
func (p *planner) laidOut(at int, v *value) {
	if s := p.slots[at]; s.image.Border == 0 {
		s.value, s.shape, s.image = v, v.shape, blas.Image{}
		p.flats[v] = p.slot(s)
		return
	}
	to := p.newFlat(v)
	p.step(p.sizes(to), func(s *state, lo, hi int) {
		for i := lo; i < hi; i++ {
			m, dst := s.images[at][i], s.tensors[to][i].f
			for y := range m.H {
				dst = dst[copy(dst, m.Row(y)):]
			}
		}
	}, []int{to}, []int{at})
}

// whole is an image without border that v is another shape of.
func (p *planner) whole(v *value) (at int, ok bool) {
	for p.alias[v] != nil {
		p.spend(64)
		if _, flat := p.flats[v]; flat {
			return 0, false
		}
		v = p.alias[v]
	}
	if _, flat := p.flats[v]; flat {
		return 0, false
	}
	at, ok = p.images[v]
	return at, ok && p.slots[at].image.Border == 0
}

// reordered is weights, outputs × channels × height × width, as outputs ×
// height × width × channels.
func reordered(weights []float32, outs int, m blas.Image) []float32 {
	n, pixels := len(weights)/outs, m.H*m.W
	w := make([]float32, len(weights))
	for o := range outs {
		for k := range n {
			w[o*n+k] = weights[o*n+k%m.C*pixels+k/m.C]
		}
	}
	return w
}
