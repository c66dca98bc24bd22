package blas

import (
	"fmt"
	"math"
	"math/rand"
	"testing"
	"time"
)

// A layer is a convolution of one of three face networks, and how often the
// network has it.
type layer struct {
	network         string
	times           int
	in, out, kernel int
	stride, pad     int
	size            int // height and width of the input
	depthwise       bool
	act             ActivationKind
	residual        bool
}

// layers are the distinct layers of dlib's ResNet, MobileFaceNet and IR-50.
var layers = []layer{
	{"dlib", 1, 3, 32, 7, 2, 0, 150, false, Relu, false},
	{"dlib", 3, 32, 32, 3, 1, 1, 35, false, Relu, false},
	{"dlib", 3, 32, 32, 3, 1, 1, 35, false, Relu, true},
	{"dlib", 1, 32, 64, 3, 2, 0, 35, false, Relu, false},
	{"dlib", 3, 64, 64, 3, 1, 1, 17, false, Relu, false},
	{"dlib", 4, 64, 64, 3, 1, 1, 17, false, Relu, true},
	{"dlib", 1, 64, 128, 3, 2, 0, 17, false, Relu, false},
	{"dlib", 2, 128, 128, 3, 1, 1, 8, false, Relu, false},
	{"dlib", 3, 128, 128, 3, 1, 1, 8, false, Relu, true},
	{"dlib", 1, 128, 256, 3, 2, 0, 8, false, Relu, false},
	{"dlib", 1, 256, 256, 3, 1, 1, 3, false, Relu, true},
	{"dlib", 4, 256, 256, 3, 1, 1, 4, false, Relu, true},
	{"dlib", 1, 256, 256, 3, 2, 0, 4, false, Relu, false},
	{"dlib", 1, 256, 256, 3, 1, 1, 1, false, Relu, true},
	{"dlib", 1, 256, 128, 1, 1, 0, 1, false, None, false},

	{"mbf", 1, 3, 64, 3, 2, 1, 112, false, PRelu, false},
	{"mbf", 1, 64, 64, 3, 1, 1, 56, true, PRelu, false},
	{"mbf", 1, 64, 128, 1, 1, 0, 56, false, PRelu, false},
	{"mbf", 1, 128, 128, 3, 2, 1, 56, true, PRelu, false},
	{"mbf", 5, 128, 64, 1, 1, 0, 28, false, None, true},
	{"mbf", 4, 64, 128, 1, 1, 0, 28, false, PRelu, false},
	{"mbf", 4, 128, 128, 3, 1, 1, 28, true, PRelu, false},
	{"mbf", 1, 64, 256, 1, 1, 0, 28, false, PRelu, false},
	{"mbf", 1, 256, 256, 3, 2, 1, 28, true, PRelu, false},
	{"mbf", 7, 256, 128, 1, 1, 0, 14, false, None, true},
	{"mbf", 6, 128, 256, 1, 1, 0, 14, false, PRelu, false},
	{"mbf", 6, 256, 256, 3, 1, 1, 14, true, PRelu, false},
	{"mbf", 1, 128, 512, 1, 1, 0, 14, false, PRelu, false},
	{"mbf", 1, 512, 512, 3, 2, 1, 14, true, PRelu, false},
	{"mbf", 1, 512, 128, 1, 1, 0, 7, false, None, false},
	{"mbf", 2, 128, 256, 1, 1, 0, 7, false, PRelu, false},
	{"mbf", 2, 256, 256, 3, 1, 1, 7, true, PRelu, false},
	{"mbf", 2, 256, 128, 1, 1, 0, 7, false, None, true},
	{"mbf", 1, 128, 512, 1, 1, 0, 7, false, PRelu, false},
	{"mbf", 1, 512, 512, 7, 1, 0, 7, true, None, false},
	{"mbf", 1, 512, 128, 1, 1, 0, 1, false, None, false},

	{"ir50", 1, 3, 64, 3, 1, 1, 112, false, PRelu, false},
	{"ir50", 1, 64, 64, 3, 1, 1, 112, false, PRelu, false},
	{"ir50", 1, 64, 64, 3, 2, 1, 112, false, None, true},
	{"ir50", 1, 64, 64, 1, 2, 0, 112, false, None, false},
	{"ir50", 2, 64, 64, 3, 1, 1, 56, false, PRelu, false},
	{"ir50", 2, 64, 64, 3, 1, 1, 56, false, None, true},
	{"ir50", 1, 64, 128, 3, 1, 1, 56, false, PRelu, false},
	{"ir50", 1, 128, 128, 3, 2, 1, 56, false, None, true},
	{"ir50", 1, 64, 128, 1, 2, 0, 56, false, None, false},
	{"ir50", 3, 128, 128, 3, 1, 1, 28, false, PRelu, false},
	{"ir50", 3, 128, 128, 3, 1, 1, 28, false, None, true},
	{"ir50", 1, 128, 256, 3, 1, 1, 28, false, PRelu, false},
	{"ir50", 1, 256, 256, 3, 2, 1, 28, false, None, true},
	{"ir50", 1, 128, 256, 1, 2, 0, 28, false, None, false},
	{"ir50", 13, 256, 256, 3, 1, 1, 14, false, PRelu, false},
	{"ir50", 13, 256, 256, 3, 1, 1, 14, false, None, true},
	{"ir50", 1, 256, 512, 3, 1, 1, 14, false, PRelu, false},
	{"ir50", 1, 512, 512, 3, 2, 1, 14, false, None, true},
	{"ir50", 1, 256, 512, 1, 2, 0, 14, false, None, false},
	{"ir50", 2, 512, 512, 3, 1, 1, 7, false, PRelu, false},
	{"ir50", 2, 512, 512, 3, 1, 1, 7, false, None, true},
	{"ir50", 1, 25088, 512, 1, 1, 0, 1, false, None, false},
}

func (l layer) String() string {
	kind := ""
	if l.depthwise {
		kind = "dw"
	}
	if l.residual {
		kind += "+"
	}
	return fmt.Sprintf("%s/%dx%dx%dto%d/%dx%dby%d%s", l.network, l.size, l.size, l.in, l.out, l.kernel, l.kernel, l.stride, kind)
}

// conv makes the convolution.
func (l layer) conv(r *rand.Rand) *Conv {
	s := ConvSpec{
		In: l.in, Out: l.out, KernelH: l.kernel, KernelW: l.kernel, StrideH: l.stride, StrideW: l.stride,
		DilationH: 1, DilationW: 1, Top: l.pad, Left: l.pad, Bottom: l.pad, Right: l.pad, Groups: 1,
	}
	if l.depthwise {
		s.Groups = s.In
	}
	fan := s.In / s.Groups * s.KernelH * s.KernelW
	weights := make([]float32, s.Out*fan)
	for i := range weights {
		weights[i] = float32(r.NormFloat64() / math.Sqrt(float64(fan)))
	}
	act := Activation{Kind: l.act}
	if l.act == PRelu {
		act.Slopes = []float32{0.25}
	}
	return NewConv(s, l.size, l.size, weights, nil, act)
}

// flopsOf is the number of floating-point operations of the convolution of one
// image by its definition, two to a multiply-add, without the rows and columns
// of the kernel that see padding alone.
func flopsOf(c *Conv) int {
	s := c.spec
	return 2 * c.outH * c.outW * s.Out * (s.In / s.Groups) * s.KernelH * s.KernelW
}

// images makes the arguments of Run for a batch. Their memory is cut from
// arenas, one after the other if a network's layers use the same arenas.
func (l layer) images(c *Conv, batch int, arenas *[3][]float32) (dst, src, residual []Image) {
	h, w := c.outH, c.outW
	cut := func(arena *[]float32, h, w, c, border int) []Image {
		one := Image{H: h, W: w, C: c, Border: border}
		if len(*arena) < batch*one.Len() {
			*arena = Floats(batch * one.Len())
			for i := range *arena {
				(*arena)[i] = float32(i%7) - 3
			}
		}
		images := make([]Image, batch)
		for i := range images {
			one.Data = (*arena)[i*one.Len():][:one.Len()]
			images[i] = one
		}
		return images
	}
	src, dst = cut(&arenas[0], l.size, l.size, l.in, l.pad), cut(&arenas[1], h, w, l.out, 1)
	if l.residual {
		residual = cut(&arenas[2], h, w, l.out, 1)
	}
	arenas[0], arenas[1] = arenas[1], arenas[0]
	return dst, src, residual
}

// BenchmarkConv measures the layers on one thread: the speed of the fastest
// call by the operations of the definition, that as a share of the fastest
// multiply-adds measured beside it, and the time that the layer takes of a
// network, a face.
func BenchmarkConv(b *testing.B) {
	for _, backend := range Available() {
		for _, batch := range []int{1, 8} {
			b.Run(fmt.Sprintf("%v/batch=%d", backend, batch), func(b *testing.B) {
				impl, err := For(backend)
				if err != nil {
					b.Fatal(err)
				}
				defer using(impl)()
				for _, l := range layers {
					b.Run(l.String(), func(b *testing.B) {
						c := l.conv(rand.New(rand.NewSource(1)))
						dst, src, residual := l.images(c, batch, new([3][]float32))
						scratch := Floats(c.Scratch())
						c.Run(dst, src, residual, scratch, 1)
						peak := 2 * PeakFMA(10*time.Millisecond) // of float32
						shortest := time.Hour
						for b.Loop() {
							start := time.Now()
							c.Run(dst, src, residual, scratch, 1)
							shortest = min(shortest, time.Since(start))
						}
						rate := float64(flopsOf(c)*batch) / float64(shortest)
						b.ReportMetric(rate, "GFLOP/s")
						b.ReportMetric(100*rate/peak, "%peak")
						b.ReportMetric(float64(l.times)*float64(shortest)/1e6/float64(batch), "ms/face")
					})
				}
			})
		}
	}
}

// BenchmarkNetwork runs all convolutions of a network, each with weights of its
// own, one after the other: weights come from memory as they do in the network,
// unlike in BenchmarkConv.
func BenchmarkNetwork(b *testing.B) {
	for _, backend := range Available() {
		for _, network := range []string{"dlib", "mbf", "ir50"} {
			for _, batch := range []int{1, 8} {
				b.Run(fmt.Sprintf("%v/%s/batch=%d", backend, network, batch), func(b *testing.B) {
					impl, err := For(backend)
					if err != nil {
						b.Fatal(err)
					}
					defer using(impl)()
					var calls []func()
					flops := 0
					var scratch []float32
					var arenas [3][]float32
					for _, l := range layers {
						if l.network != network {
							continue
						}
						for i := range l.times {
							c := l.conv(rand.New(rand.NewSource(int64(i))))
							dst, src, residual := l.images(c, batch, &arenas)
							if len(scratch) < c.Scratch() {
								scratch = Floats(c.Scratch())
							}
							flops += flopsOf(c)
							calls = append(calls, func() { c.Run(dst, src, residual, scratch, 1) })
						}
					}
					peak := 2 * PeakFMA(10*time.Millisecond)
					shortest := time.Hour
					for b.Loop() {
						start := time.Now()
						for _, call := range calls {
							call()
						}
						shortest = min(shortest, time.Since(start))
					}
					b.ReportMetric(float64(shortest)/1e6/float64(batch), "ms/face")
					b.ReportMetric(100*float64(flops*batch)/float64(shortest)/peak, "%peak")
				})
			}
		}
	}
}
