package network

import "nrdl.example/nrdl/internal/blas"

// clearBorder makes the border of an image zero: its memory has held others.
func clearBorder(m blas.Image) {
	if m.Border == 0 {
		return
	}
	side := m.Border * m.C
	pitch := (m.W + 2*m.Border) * m.C
	above := m.Border*pitch + side
	clear(m.Data[:above])
	for y := range m.H {
		end := above + y*pitch + m.W*m.C
		clear(m.Data[end : end+2*side])
	}
	clear(m.Data[above+m.H*pitch-side : m.Len()])
}

// pack makes an image of the planes of its channels.
func pack(dst blas.Image, src, scale, shift []float32) {
	c, n := dst.C, dst.H*dst.W
	for y := range dst.H {
		row := dst.Row(y)
		for ch := range c {
			a, b := scale[ch%len(scale)], shift[ch%len(shift)]
			for x, v := range src[ch*n+y*dst.W:][:dst.W] {
				row[x*c+ch] = v*a + b
			}
		}
	}
}

// unpack makes planes of an image.
func unpack(dst []float32, src blas.Image) {
	c, n := src.C, src.H*src.W
	for y := range src.H {
		row := src.Row(y)
		for ch := range c {
			d := dst[ch*n+y*src.W:][:src.W]
			for x := range d {
				d[x] = row[x*c+ch]
			}
		}
	}
}
