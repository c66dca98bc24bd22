package network

import "nrdl.example/nrdl/internal/blas"

// between adds a step that makes an image of one image, item by item, with so many units
// of work beside those of copying it.
func (p *planner) between(c *call, units int, f func(dst, src blas.Image)) {
	from := p.image(c.inputs[0], 0)
	to := p.newImage(c.outputs[0], p.border(c.outputs[0]))
	m := p.slots[to].image
	p.step(units+32*m.H*m.W+p.sizes(to), func(s *state, lo, hi int) {
		for i := lo; i < hi; i++ {
			clearBorder(s.images[to][i])
			f(s.images[to][i], s.images[from][i])
		}
	}, []int{to}, []int{from})
}

func (p *planner) pooling(c *call, l pooling) {
	p.between(c, c.work, func(dst, src blas.Image) {
		if l.largest {
			blas.MaxPool(dst, src, l.spec)
		} else {
			blas.AveragePool(dst, src, l.spec)
		}
	})
}

func (p *planner) padding(c *call, l padding) {
	p.between(c, 0, func(dst, src blas.Image) {
		for y := range dst.H {
			clear(dst.Row(y))
		}
		place(dst, src, l.begin[2], l.begin[3], l.begin[1])
	})
}

func (p *planner) enlarging(c *call, l enlarging) {
	p.between(c, 0, func(dst, src blas.Image) {
		n := src.C
		for y, from := range l.rows {
			d, s := dst.Row(y), src.Row(from)
			for x, at := range l.columns {
				copy(d[x*n:][:n], s[at*n:])
			}
		}
	})
}

func (p *planner) joining(c *call) {
	var from []int
	for _, v := range c.inputs {
		from = append(from, p.image(v, 0))
	}
	to := p.newImage(c.outputs[0], p.border(c.outputs[0]))
	m := p.slots[to].image
	p.step(16*len(from)*m.H*m.W+p.sizes(to), func(s *state, lo, hi int) {
		for i := lo; i < hi; i++ {
			dst, first := s.images[to][i], 0
			clearBorder(dst)
			for _, at := range from {
				src := s.images[at][i]
				place(dst, src, 0, 0, first)
				first += src.C
			}
		}
	}, []int{to}, from)
}
