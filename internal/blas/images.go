package blas

import "unsafe"

// imageKernels are the kernels for images of one Backend. The argument of the
// first four points to a convTile, that of the others to a winTile. They spoil
// vecs and, if there is more than one vector, the pointers.
type imageKernels struct {
	lanes       int
	conv        [][]func(*byte) // by vectors-1, pixels-1
	depth       []func(*byte)   // depthwise convolution, by pixels-1
	sum, most   []func(*byte)   // pooling: the sum times limits[0], or the largest; both start at limits[1]
	winogradIn  func(*byte)
	winogradOut func(*byte)
}

// goImages are the kernels in Go, four channels at a time: the compiler keeps
// four sums of two pixels in registers.
var goImages = imageKernels{
	lanes:       goLanes,
	conv:        [][]func(*byte){{convGo1, convGo2}},
	depth:       []func(*byte){depthGo},
	sum:         []func(*byte){sumGo},
	most:        []func(*byte){mostGo},
	winogradIn:  winogradInGo,
	winogradOut: winogradOutGo,
}

const goLanes = 4

type quad = [goLanes]float32

func quadAt(p *float32, n int) *quad { return (*quad)(unsafe.Add(unsafe.Pointer(p), n)) }

func tileOf(p *byte) *convTile { return (*convTile)(unsafe.Pointer(p)) }

func convGo1(p *byte) {
	t := tileOf(p)
	b := unsafe.Slice(t.b, t.ny*t.nx*t.k*goLanes)
	s := *quadAt(t.bias, 0)
	s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
	for y := range t.ny {
		for x := range t.nx {
			for _, v := range unsafe.Slice(afterBytes(t.a, y*t.dy+x*t.dx), t.k) {
				w := (*quad)(b)
				s0 += v * w[0]
				s1 += v * w[1]
				s2 += v * w[2]
				s3 += v * w[3]
				b = b[goLanes:]
			}
		}
	}
	t.finishQuad(0, quad{s0, s1, s2, s3})
}

func convGo2(p *byte) {
	t := tileOf(p)
	b := unsafe.Slice(t.b, t.ny*t.nx*t.k*goLanes)
	s := *quadAt(t.bias, 0)
	s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
	r0, r1, r2, r3 := s[0], s[1], s[2], s[3]
	for y := range t.ny {
		for x := range t.nx {
			a := afterBytes(t.a, y*t.dy+x*t.dx)
			u := unsafe.Slice(afterBytes(a, t.step), t.k)
			for i, v := range unsafe.Slice(a, t.k) {
				w := (*quad)(b)
				s0 += v * w[0]
				s1 += v * w[1]
				s2 += v * w[2]
				s3 += v * w[3]
				v = u[i]
				r0 += v * w[0]
				r1 += v * w[1]
				r2 += v * w[2]
				r3 += v * w[3]
				b = b[goLanes:]
			}
		}
	}
	t.finishQuad(0, quad{s0, s1, s2, s3})
	t.finishQuad(1, quad{r0, r1, r2, r3})
}

// finishQuad finishes the channels of pixel p that there are.
func (t *convTile) finishQuad(p int, s quad) {
	for ch, x := range s[:t.last] {
		t.finish(stretch{c: t.c, r: t.r}, p, ch, x)
	}
}

// eachVector calls f for each vector of channels.
func (t *convTile) eachVector(f func(offset int)) {
	for v := range t.vecs {
		f(v * goLanes)
	}
}

// combine calls f for each pixel of the window of the channels from ch, with
// its number.
func (t *convTile) combine(ch int, f func(tap int, x *quad)) {
	for y := range t.ny {
		for x := range t.nx {
			f(y*t.nx+x, quadAt(after(t.a, ch), y*t.dy+x*t.dx))
		}
	}
}

func depthGo(p *byte) {
	t := tileOf(p)
	t.eachVector(func(ch int) {
		s := *quadAt(after(t.bias, ch), 0)
		w := unsafe.Slice(after(t.b, ch*t.ny*t.nx), t.ny*t.nx*goLanes)
		t.combine(ch, func(tap int, x *quad) {
			for i := range s {
				s[i] += x[i] * w[tap*goLanes+i]
			}
		})
		for i, x := range s {
			t.finish(stretch{c: t.c, r: t.r}, 0, ch+i, x)
		}
	})
}

func sumGo(p *byte) {
	t := tileOf(p)
	t.eachVector(func(ch int) {
		s := quad{t.limits[1], t.limits[1], t.limits[1], t.limits[1]}
		t.combine(ch, func(_ int, x *quad) {
			for i := range s {
				s[i] += x[i]
			}
		})
		for i := range s {
			*after(t.c, ch+i) = s[i] * t.limits[0]
		}
	})
}

func mostGo(p *byte) {
	t := tileOf(p)
	t.eachVector(func(ch int) {
		s := quad{t.limits[1], t.limits[1], t.limits[1], t.limits[1]}
		t.combine(ch, func(_ int, x *quad) {
			for i := range s {
				s[i] = max(s[i], x[i])
			}
		})
		copy(unsafe.Slice(after(t.c, ch), goLanes), s[:])
	})
}

func winTileOf(p *byte) *winTile { return (*winTile)(unsafe.Pointer(p)) }

// winogradInGo is Bᵀ·d·B.
func winogradInGo(p *byte) {
	t := winTileOf(p)
	for ch := range t.vecs * goLanes {
		var d [patch][patch]float32
		for j := range patch {
			var v [patch]float32
			for i := range patch {
				v[i] = *after(afterBytes(t.a, i*t.row+j*t.step), ch)
			}
			for i, x := range transformPatch(v) {
				d[i][j] = x
			}
		}
		for i := range patch {
			for j, x := range transformPatch(d[i]) {
				*after(afterBytes(t.f, (i*patch+j)*t.fstep), ch) = x
			}
		}
	}
}

// transformPatch is Bᵀ·d for one column.
func transformPatch(d [patch]float32) [patch]float32 {
	const a, b = pointA, pointB
	x, y := d[4]-b*b*d[2], d[3]-b*b*d[1]
	u, v := d[4]-a*a*d[2], d[3]-a*a*d[1]
	return [patch]float32{
		a*a*b*b*d[0] + d[4] - (a*a+b*b)*d[2],
		x + a*y, x - a*y, u + b*v, u - b*v,
		d[5] + a*a*b*b*d[1] - (a*a+b*b)*d[3],
	}
}

// winogradOutGo is Aᵀ·m·A.
func winogradOutGo(p *byte) {
	t := winTileOf(p)
	for ch := range t.vecs * goLanes {
		var m [outTile][patch]float32
		for j := range patch {
			var v [patch]float32
			for i := range patch {
				v[i] = *after(afterBytes(t.f, (i*patch+j)*t.fstep), ch)
			}
			for i, x := range transformSums(v) {
				m[i][j] = x
			}
		}
		for i := range outTile {
			row := convTile{cstep: t.cstep, rstep: t.rstep, act: t.act, slopes: t.slopes, limits: t.limits}
			x := stretch{c: afterBytes(t.c, i*t.crow)}
			if t.r != nil {
				x.r = afterBytes(t.r, i*t.rrow)
			}
			for j, sum := range transformSums(m[i]) {
				row.finish(x, j, ch, sum+*after(t.bias, ch))
			}
		}
	}
}

// transformSums is Aᵀ·m for one column.
func transformSums(m [patch]float32) [outTile]float32 {
	const a, b = pointA, pointB
	s, d := m[1]+m[2], m[1]-m[2]
	u, e := m[3]+m[4], m[3]-m[4]
	return [outTile]float32{m[0] + s + u, a*d + b*e, a*a*s + b*b*u, m[5] + a*a*a*d + b*b*b*e}
}
