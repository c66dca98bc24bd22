package network

import "nrdl.example/nrdl/internal/blas"

// clearBorder makes the border of an image zero: its memory has held others.
func clearBorder(m blas.Image) {
	pitch, from := (m.W+2*m.Border)*m.C, 0
	for y := range m.H {
		row := (m.Border+y)*pitch + m.Border*m.C
		clear(m.Data[from:row])
		from = row + m.W*m.C
	}
	clear(m.Data[from:m.Len()])
}

// place copies src into dst, from row y, column x and channel c of it on.
func place(dst, src blas.Image, y, x, c int) {
	for i := range src.H {
		d, s := dst.Row(y + i)[x*dst.C+c:], src.Row(i)
		if dst.C == src.C {
			copy(d, s)
			continue
		}
		for j := range src.W {
			copy(d[j*dst.C:], s[j*src.C:][:src.C])
		}
	}
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
