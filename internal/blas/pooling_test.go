package blas

import (
	"fmt"
	"math"
	"math/rand"
	"testing"
)

// TestPooling compares with the definition over random windows.
func TestPooling(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		defer using(impl)()
		r := rand.New(rand.NewSource(2))
		one := func(n int) int { return 1 + r.Intn(n) }
		for i := range trials(200) {
			src := newImage(r, one(12), one(20), one(40), r.Intn(2), canary)
			p := PoolSpec{
				KernelH: one(min(src.H, 5)), KernelW: one(min(src.W, 5)), StrideH: one(3), StrideW: one(3),
				DilationH: 1, DilationW: 1, CountPad: r.Intn(2) == 0,
			}
			p.Top, p.Left, p.Bottom, p.Right = r.Intn(p.KernelH), r.Intn(p.KernelW), r.Intn(p.KernelH), r.Intn(p.KernelW)
			switch r.Intn(4) {
			case 0:
				p = GlobalPool(src.H, src.W)
			case 1:
				p.DilationH, p.DilationW = one((src.H-1)/p.KernelH+1), one((src.W-1)/p.KernelW+1)
				p.Top, p.Left, p.Bottom, p.Right = 0, 0, 0, 0
			}
			h, w := p.OutSize(src.H, src.W)
			if h <= 0 || w <= 0 {
				continue
			}
			if i%5 == 0 && (h*p.StrideH < src.H+p.Top) && (w*p.StrideW < src.W+p.Left) {
				h, w = h+1, w+1 // as ceil_mode has it
			}
			dst := newImage(r, h, w, src.C, r.Intn(2), canary)
			for _, largest := range []bool{false, true} {
				poolImage(dst, src, p, largest)
				want := naivePool(src, p, h, w, largest)
				scale := make([]float64, len(want))
				for i := range scale {
					scale[i] = 4
				}
				expectImage(t, dst, want, scale, 0x1p-22, canary, fmt.Sprintf("%+v of %d×%d×%d, largest %v", p, src.H, src.W, src.C, largest))
			}
		}
	})
}

func naivePool(src Image, p PoolSpec, h, w int, largest bool) (out []float64) {
	for y := range h {
		for x := range w {
			for c := range src.C {
				peak, sum, n := math.Inf(-1), 0.0, 0
				for ky := range p.KernelH {
					for kx := range p.KernelW {
						sy, sx := y*p.StrideH+ky*p.DilationH-p.Top, x*p.StrideW+kx*p.DilationW-p.Left
						if p.CountPad && sy < src.H+p.Bottom && sx < src.W+p.Right {
							n++
						}
						if sy < 0 || sx < 0 || sy >= src.H || sx >= src.W {
							continue
						}
						if !p.CountPad {
							n++
						}
						v := float64(src.Data[src.index(sy, sx)+c])
						peak, sum = max(peak, v), sum+v
					}
				}
				if largest {
					out = append(out, peak)
				} else {
					out = append(out, sum/float64(n))
				}
			}
		}
	}
	return out
}

// TestPoolingMoreChannels: the channels of dst that src lacks stay as they are.
func TestPoolingMoreChannels(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		defer using(impl)()
		r := rand.New(rand.NewSource(3))
		src, dst := newImage(r, 4, 6, 20, 0, 0), newImage(r, 2, 3, 50, 0, 0)
		old := append([]float32(nil), dst.Data...)
		p := PoolSpec{KernelH: 2, KernelW: 2, StrideH: 2, StrideW: 2, DilationH: 1, DilationW: 1}
		AveragePool(dst, src, p)
		want := naivePool(src, p, 2, 3, false)
		for i, v := range dst.Data {
			if c := i % 50; c >= 20 && v != old[i] {
				t.Errorf("element %d changed", i)
			} else if c < 20 && math.Abs(float64(v)-want[i/50*20+c]) > 1e-6 {
				t.Errorf("element %d is %v, want %v", i, v, want[i/50*20+c])
			}
		}
	})
}
