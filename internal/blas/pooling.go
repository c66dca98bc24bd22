package blas

import "math"

// A PoolSpec is the shape of a two-dimensional pooling, as ONNX has it. Pixels
// of the padding are not there: the largest of a window is that of its pixels
// inside the image, and so is the average unless CountPad.
type PoolSpec struct {
	KernelH, KernelW         int
	StrideH, StrideW         int
	DilationH, DilationW     int
	Top, Left, Bottom, Right int
	CountPad                 bool // the average divides by the whole window
}

// GlobalPool is the pooling of all pixels of an h×w image into one.
func GlobalPool(h, w int) PoolSpec {
	return PoolSpec{KernelH: h, KernelW: w, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}
}

// OutSize is the height and width of the output for h×w inputs. With ceil_mode
// dst may have one row and one column more.
func (p PoolSpec) OutSize(h, w int) (outH, outW int) {
	return (h+p.Top+p.Bottom-p.DilationH*(p.KernelH-1)-1)/p.StrideH + 1,
		(w+p.Left+p.Right-p.DilationW*(p.KernelW-1)-1)/p.StrideW + 1
}

// MaxPool computes the largest value of each window, for each pixel of dst,
// whose size decides how many windows there are. dst may have more channels than
// src; those stay as they are. src needs no border. A NaN may be lost.
func MaxPool(dst, src Image, p PoolSpec) { poolImage(dst, src, p, true) }

// AveragePool computes the mean of each window as MaxPool does the largest value.
func AveragePool(dst, src Image, p PoolSpec) { poolImage(dst, src, p, false) }

// span is the pixels of a window along one axis: those inside the image, from
// first to before end, and how many are inside the padding too.
type span struct{ first, end, count int }

// window is the span of window i: of kernel pixels dilation apart.
func window(i, kernel, stride, dilation, pad, padEnd, size int) span {
	at := i*stride - pad
	before := func(end int) int { return min(max(0, ceil(end-at, dilation)), kernel) } // its pixels there
	s := span{first: before(0), end: before(size), count: before(size + padEnd)}
	s.end = max(s.first, s.end)
	return s
}

func poolImage(dst, src Image, p PoolSpec, largest bool) {
	check(min(p.KernelH, p.KernelW, p.StrideH, p.StrideW, p.DilationH, p.DilationW) <= 0, "bad kernel of a pooling")
	check(min(p.Top, p.Left, p.Bottom, p.Right) < 0, "negative padding")
	src.shaped(src.H, src.W, src.C, "src")
	dst.shaped(dst.H, dst.W, max(dst.C, src.C), "dst")
	k := imagesFor(Current())
	kernels := k.sum
	start := float32(0)
	if largest {
		kernels, start = k.max, float32(math.Inf(-1))
	}
	r := convRuns.get()
	t := &r.tile
	t.step, t.cstep = p.StrideW*src.C*floatBytes, dst.C*floatBytes
	t.dy, t.dx = p.DilationH*src.pitch()*floatBytes, p.DilationW*src.C*floatBytes
	for y := range dst.H {
		rows := window(y, p.KernelH, p.StrideH, p.DilationH, p.Top, p.Bottom, src.H)
		for x := 0; x < dst.W; {
			cols := window(x, p.KernelW, p.StrideW, p.DilationW, p.Left, p.Right, src.W)
			n := 1
			for x+n < dst.W && cols == window(x+n, p.KernelW, p.StrideW, p.DilationW, p.Left, p.Right, src.W) {
				n++
			}
			t.ny, t.nx = rows.end-rows.first, cols.end-cols.first
			check(t.ny == 0 || t.nx == 0, "a window of the pooling is outside of the image")
			count := t.ny * t.nx
			if p.CountPad {
				count = rows.count * cols.count
			}
			t.limits = [2]float32{1 / float32(count), start}
			t.windows(stretch{
				a: src.at(y*p.StrideH-p.Top+rows.first*p.DilationH, x*p.StrideW-p.Left+cols.first*p.DilationW),
				c: dst.at(y, x), pixels: n,
			}, src.C, k.lanes, kernels)
			x += n
		}
	}
	convRuns.put(r)
}
