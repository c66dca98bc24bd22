package blas

import (
	"math"
	"runtime"
	"unsafe"
)

// The kernels in plain Go. All sums of products are made by multiplyAdd, six at
// a time, and each in order: the compiler for amd64 keeps six sums and what they
// need in registers, but not eight.

const (
	goRows = 2
	goCols = 3
)

// multiplyAdd adds k products to each of s: of the elements csa bytes apart from
// a0 and a1 on with those rsb bytes apart from b0, b1 and b2 on. Where there are
// fewer, the caller repeats a pointer and ignores the sum.
func multiplyAdd[T float](k int, a0, a1 *T, csa int, b0, b1, b2 *T, rsb int, s *[goRows * goCols]T) {
	s00, s01, s02, s10, s11, s12 := s[0], s[1], s[2], s[3], s[4], s[5]
	i, j := 0, 0 // no pointer moves: none may point past the end of its memory
	for range k {
		x0, x1 := *atBytes(a0, i), *atBytes(a1, i)
		y0, y1, y2 := *atBytes(b0, j), *atBytes(b1, j), *atBytes(b2, j)
		s00 += x0 * y0
		s01 += x0 * y1
		s02 += x0 * y2
		s10 += x1 * y0
		s11 += x1 * y1
		s12 += x1 * y2
		i += csa
		j += rsb
	}
	s[0], s[1], s[2], s[3], s[4], s[5] = s00, s01, s02, s10, s11, s12
}

func atBytes[T float](p *T, n int) *T { return (*T)(unsafe.Add(unsafe.Pointer(p), n)) }

var goDoubles, goSingles = goMachine[float64](), goMachine[float32]()

func init() {
	goDoubles.dot, goDoubles.axpy, goDoubles.maxAbs = dotGo, axpyGo, maxAbsGo
	goDoubles.level2 = runtime.GOARCH != "amd64"
}

func goMachine[T float]() *machine[T] {
	m := &machine[T]{mr: goRows, nr: 4 * goCols, wide: 4, lanes: goCols, masked: true, plain: true}
	for h := range 2 {
		for v := range m.wide {
			m.gemm[h][v], m.trsm[h][v] = gemmGo[T](1<<h, v*goCols), trsmGo[T](1<<h, v*goCols)
		}
	}
	return m
}

// gemmGo is the kernel of rows rows and of whole+last columns.
func gemmGo[T float](rows, whole int) gemmKernel[T] {
	return func(k int, alpha T, a *T, rsa, csa int, b *T, rsb int, c *T, rsc, mode, last int) {
		size := int(unsafe.Sizeof(alpha))
		below := after(a, (rows-1)*rsa)
		for j := 0; j < whole+last; j += goCols {
			cols := min(goCols, whole+last-j)
			var s [goRows * goCols]T
			if mode&begin != 0 {
				for i := range rows * cols {
					s[i/cols*goCols+i%cols] = *after(c, i/cols*rsc+j+i%cols)
				}
			}
			y := after(b, j)
			multiplyAdd(k, a, below, csa*size, y, after(y, min(1, cols-1)), after(y, cols-1), rsb*size, &s)
			for i := range rows {
				for l, sum := range s[i*goCols:][:cols] {
					p := after(c, i*rsc+j+l)
					if mode&add != 0 {
						*p += alpha * sum
					} else {
						*p = alpha * sum
					}
				}
			}
		}
	}
}

// trsmGo is the kernel of rows rows and of whole+last columns.
func trsmGo[T float](rows, whole int) trsmKernel[T] {
	return func(t *T, rst, _ int, d *T, b *T, rsb, last int) {
		x, f := unsafe.Slice(b, whole+last), *d
		for j := range x {
			x[j] *= f
		}
		if rows == 1 {
			return
		}
		y, l, f := unsafe.Slice(after(b, rsb), len(x)), *after(t, rst), *after(d, 1)
		for j, v := range x {
			y[j] = (y[j] - l*v) * f
		}
	}
}

// dotGo sums four elements in parallel.
func dotGo(n int, x, y *float64) float64 {
	u, v := unsafe.Slice(x, n), unsafe.Slice(y, n)
	var s0, s1, s2, s3 float64
	for len(u) >= 4 && len(v) >= 4 {
		s0 += u[0] * v[0]
		s1 += u[1] * v[1]
		s2 += u[2] * v[2]
		s3 += u[3] * v[3]
		u, v = u[4:], v[4:]
	}
	for i := range min(len(u), len(v)) {
		s0 += u[i] * v[i]
	}
	return (s0 + s1) + (s2 + s3)
}

func axpyGo(n int, alpha float64, x, y *float64) {
	v := unsafe.Slice(y, n)
	for i, u := range unsafe.Slice(x, n) {
		v[i] += alpha * u
	}
}

func maxAbsGo(n int, x *float64) (largest float64) {
	for _, v := range unsafe.Slice(x, n) {
		if v = math.Abs(v); v > largest {
			largest = v
		}
	}
	return largest
}

// goImages are the kernels in Go, four channels at a time.
var goImages = imageKernels{
	lanes:       goLanes,
	conv:        [][]func(*byte){{convGo1, convGo(2), convGo(3)}},
	depth:       windowKernels{[]func(*byte){depthGo}, []func(*byte){depthGo}},
	sum:         windowKernels{[]func(*byte){sumGo}, []func(*byte){sumGo}},
	max:         windowKernels{[]func(*byte){maxGo}, []func(*byte){maxGo}},
	winogradIn:  winogradInGo,
	winogradOut: winogradOutGo,
}

const goLanes = 4

type quad = [goLanes]float32

func quadAt(p *float32, i int) *quad { return (*quad)(unsafe.Pointer(after(p, i))) }

func tileOf(p *byte) *convTile { return (*convTile)(unsafe.Pointer(p)) }

// convGo1 is the kernel of one pixel: four channels at a time.
func convGo1(p *byte) {
	t := tileOf(p)
	s := *quadAt(t.bias, 0)
	for y := range t.ny {
		for x := range t.nx {
			a := afterBytes(t.a, y*t.dy+x*t.dx)
			b := after(t.b, (y*t.nx+x)*t.k*goLanes)
			quadSums(t.k, [goLanes]*float32{a, a, a, a}, floatBytes, b, goLanes*floatBytes, &s)
		}
	}
	for ch, sum := range s[:t.last] {
		t.finish(stretch{c: t.c, r: t.r}, 0, ch, sum)
	}
}

// convGo is the kernel of pixels pixels, two channels at a time.
func convGo(pixels int) func(*byte) {
	return func(p *byte) {
		t := tileOf(p)
		for ch := 0; ch < t.last; ch += goRows {
			var s [goRows * goCols]float32
			for i := range s {
				s[i] = *after(t.bias, ch+i/goCols)
			}
			b := after(t.b, ch) // filled up to whole vectors
			for y := range t.ny {
				for x := range t.nx {
					a := afterBytes(t.a, y*t.dy+x*t.dx)
					b := afterBytes(b, (y*t.nx+x)*t.k*goLanes*floatBytes)
					multiplyAdd(t.k, b, after(b, 1), goLanes*floatBytes,
						a, afterBytes(a, min(1, pixels-1)*t.step), afterBytes(a, (pixels-1)*t.step), floatBytes, &s)
				}
			}
			for i, sum := range s {
				if c, p := ch+i/goCols, i%goCols; c < t.last && p < pixels {
					t.finish(stretch{c: t.c, r: t.r}, p, c, sum)
				}
			}
		}
	}
}

// quads calls f for the channels of a window, n ≤ 4 at a time, with the places of
// their first pixels; those that are not there are the last one's.
func (t *convTile) quads(f func(ch, n int, x [goLanes]*float32)) {
	channels := (t.vecs-1)*goLanes + t.last
	for ch := 0; ch < channels; ch += goLanes {
		n := min(goLanes, channels-ch)
		a := after(t.a, ch)
		f(ch, n, [goLanes]*float32{a, after(a, min(1, n-1)), after(a, min(2, n-1)), after(a, n-1)})
	}
}

// quadSums adds n products to each of s: of the elements step bytes apart from x
// on with those wstep bytes apart from w on.
func quadSums(n int, x [goLanes]*float32, step int, w *float32, wstep int, s *quad) {
	s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
	i, j := 0, 0
	for range n {
		v := (*quad)(unsafe.Pointer(atBytes(w, j)))
		s0 += *atBytes(x[0], i) * v[0]
		s1 += *atBytes(x[1], i) * v[1]
		s2 += *atBytes(x[2], i) * v[2]
		s3 += *atBytes(x[3], i) * v[3]
		i += step
		j += wstep
	}
	s[0], s[1], s[2], s[3] = s0, s1, s2, s3
}

// sums adds the pixels of a window to s; the weights of a pixel are wstep bytes
// after those of the one before it.
func (t *convTile) sums(x [goLanes]*float32, w *float32, wstep int, s *quad) {
	for y := range t.ny {
		row := x
		for l := range row {
			row[l] = atBytes(x[l], y*t.dy)
		}
		quadSums(t.nx, row, t.dx, atBytes(w, y*t.nx*wstep), wstep, s)
	}
}

func depthGo(p *byte) {
	t := tileOf(p)
	t.quads(func(ch, n int, x [goLanes]*float32) {
		s := *quadAt(t.bias, ch)
		t.sums(x, after(t.b, ch*t.ny*t.nx), goLanes*floatBytes, &s)
		for i, sum := range s[:n] {
			t.finish(stretch{c: t.c, r: t.r}, 0, ch+i, sum)
		}
	})
}

func sumGo(p *byte) {
	t := tileOf(p)
	ones := quad{1, 1, 1, 1}
	t.quads(func(ch, n int, x [goLanes]*float32) {
		s := t.start()
		t.sums(x, &ones[0], 0, &s)
		for i, sum := range s[:n] {
			*after(t.c, ch+i) = sum * t.limits[0]
		}
	})
}

func maxGo(p *byte) {
	t := tileOf(p)
	t.quads(func(ch, n int, x [goLanes]*float32) {
		s := t.start()
		for y := range t.ny {
			for i := range t.nx {
				for l, a := range x {
					s[l] = max(s[l], *atBytes(a, y*t.dy+i*t.dx))
				}
			}
		}
		copy(unsafe.Slice(after(t.c, ch), n), s[:])
	})
}

// start is where sums and maxima begin.
func (t *convTile) start() quad {
	return quad{t.limits[1], t.limits[1], t.limits[1], t.limits[1]}
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
