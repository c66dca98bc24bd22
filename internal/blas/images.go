package blas

import "unsafe"

// imageKernels are the kernels for images of one Backend. The argument points to
// a convTile, that of Winograd's to a winTile.
type imageKernels struct {
	lanes       int
	conv        [][]func(*byte) // by vectors-1, pixels-1
	depth       windowKernels   // depthwise convolution
	sum, most   windowKernels   // pooling: the sum times limits[0], or the largest; both start at limits[1]
	winogradIn  func(*byte)
	winogradOut func(*byte)
}

// windowKernels combine the pixels of windows: of whole vectors of channels, by
// the number of windows less one, and of the channels after those, one window.
type windowKernels struct{ whole, rest []func(*byte) }

// goImages are the kernels in Go, four channels at a time: the compiler keeps
// four sums of two pixels in registers.
var goImages = imageKernels{
	lanes:       goLanes,
	conv:        [][]func(*byte){{convGo1, convGo2}},
	depth:       windowKernels{[]func(*byte){depthGo}, []func(*byte){depthGo}},
	sum:         windowKernels{[]func(*byte){sumGo}, []func(*byte){sumGo}},
	most:        windowKernels{[]func(*byte){mostGo}, []func(*byte){mostGo}},
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

// combine folds the pixels of a window, channel by channel, and calls done with
// the results. The weight is that of the channel and the pixel, or 1.
func (t *convTile) combine(fold func(sum, x, weight float32) float32, done func(ch int, sum float32)) {
	taps := t.ny * t.nx
	for ch := range (t.vecs-1)*goLanes + t.last {
		sum, weight := t.limits[1], float32(1)
		if t.bias != nil {
			sum = *after(t.bias, ch)
		}
		for y := range t.ny {
			for x := range t.nx {
				if t.b != nil {
					weight = *after(t.b, (ch/goLanes*taps+y*t.nx+x)*goLanes+ch%goLanes)
				}
				sum = fold(sum, *after(afterBytes(t.a, y*t.dy+x*t.dx), ch), weight)
			}
		}
		done(ch, sum)
	}
}

func depthGo(p *byte) {
	t := tileOf(p)
	t.combine(func(sum, x, weight float32) float32 { return sum + x*weight }, func(ch int, sum float32) {
		t.finish(stretch{c: t.c, r: t.r}, 0, ch, sum)
	})
}

func sumGo(p *byte) {
	t := tileOf(p)
	t.combine(func(sum, x, _ float32) float32 { return sum + x }, func(ch int, sum float32) {
		*after(t.c, ch) = sum * t.limits[0]
	})
}

func mostGo(p *byte) {
	t := tileOf(p)
	t.combine(func(most, x, _ float32) float32 { return max(most, x) }, func(ch int, most float32) {
		*after(t.c, ch) = most
	})
}

// finish adds the residual, applies the activation and stores channel ch of
// pixel p.
func (t *convTile) finish(x stretch, p, ch int, sum float32) {
	if x.r != nil {
		sum += *after(afterBytes(x.r, p*t.rstep), ch)
	}
	a := Activation{Kind: ActivationKind(t.act), Min: t.limits[0], Max: t.limits[1]}
	slope := float32(0)
	if t.slopes != nil {
		slope = *after(t.slopes, ch)
	}
	*after(afterBytes(x.c, p*t.cstep), ch) = a.value(sum, slope)
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
