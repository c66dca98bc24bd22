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

// MaxPool computes the largest value of each window, for each pixel of dst. dst
// may have more channels than src; those stay as they are.
func MaxPool(dst, src Image, p PoolSpec) { pool(dst, src, p, true) }

// AveragePool computes the mean of each window, for each pixel of dst. dst may
// have more channels than src; those stay as they are.
func AveragePool(dst, src Image, p PoolSpec) { pool(dst, src, p, false) }

func pool(dst, src Image, p PoolSpec, largest bool) {
	src.shaped(src.H, src.W, src.C, "src")
	dst.shaped(dst.H, dst.W, max(dst.C, src.C), "dst")
	for y := range dst.H {
		for x := range dst.W {
			out := dst.Data[dst.index(y, x):][:src.C]
			start := float32(0)
			if largest {
				start = float32(math.Inf(-1))
			}
			for c := range out {
				out[c] = start
			}
			n := 0
			for ky := range p.KernelH {
				for kx := range p.KernelW {
					sy, sx := y*p.StrideH+ky*p.DilationH-p.Top, x*p.StrideW+kx*p.DilationW-p.Left
					if sy < 0 || sx < 0 || sy >= src.H || sx >= src.W {
						continue
					}
					n++
					for c, v := range src.Data[src.index(sy, sx):][:src.C] {
						if !largest {
							out[c] += v
						} else if !(v <= out[c]) {
							out[c] = v
						}
					}
				}
			}
			if largest {
				continue
			}
			if p.CountPad {
				n = p.KernelH * p.KernelW
			}
			for c := range out {
				out[c] /= float32(n)
			}
		}
	}
}
