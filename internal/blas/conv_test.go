package blas

import (
	"fmt"
	"math"
	"math/rand"
	"testing"
)

// naiveConv is the definition, in float64; it also returns the sum of the
// magnitudes of the terms of each output, the scale of its rounding error.
func naiveConv(s ConvSpec, src Image, weights, bias []float32, residual *Image, act Activation) (out, scale []float64) {
	h, w := s.OutSize(src.H, src.W)
	in, outs := s.In/s.Groups, s.Out/s.Groups
	for y := range h {
		for x := range w {
			for o := range s.Out {
				var sum, size float64
				add := func(v float64) { sum, size = sum+v, size+math.Abs(v) }
				if bias != nil {
					add(float64(bias[o]))
				}
				for ky := range s.KernelH {
					for kx := range s.KernelW {
						sy, sx := y*s.StrideH+ky*s.DilationH-s.Top, x*s.StrideW+kx*s.DilationW-s.Left
						if sy < 0 || sx < 0 || sy >= src.H || sx >= src.W {
							continue
						}
						for k := range in {
							add(float64(weights[((o*in+k)*s.KernelH+ky)*s.KernelW+kx]) * float64(src.Data[src.index(sy, sx)+o/outs*in+k]))
						}
					}
				}
				if residual != nil {
					add(float64(residual.Data[residual.index(y, x)+o]))
				}
				out, scale = append(out, naiveActivation(act, sum, o)), append(scale, size)
			}
		}
	}
	return out, scale
}

func naiveActivation(act Activation, x float64, c int) float64 {
	switch act.Kind {
	case Relu:
		return max(x, 0)
	case PRelu:
		return max(x, 0) + float64(act.Slopes[c%len(act.Slopes)])*min(x, 0)
	case Clip:
		return min(max(x, float64(act.Min)), float64(act.Max))
	}
	return x
}

// newImage makes an image of standard normal values in a border of zeros, at the
// edge of memory; a border of canaries if nobody may read it.
func newImage(r *rand.Rand, h, w, c, border int, edge float32) Image {
	m := Image{H: h, W: w, C: c, Border: border}
	m.Data = guarded[float32](r, m.Len())
	for i := range m.Data {
		m.Data[i] = edge
	}
	for y := range h {
		for i := range m.Row(y) {
			m.Row(y)[i] = float32(r.NormFloat64())
		}
	}
	return m
}

func normals(r *rand.Rand, n int, scale float64) []float32 {
	x := guarded[float32](r, n)
	for i := range x {
		x[i] = float32(r.NormFloat64() * scale)
	}
	return x
}

// convCase is a random convolution.
type convCase struct {
	s             ConvSpec
	h, w          int
	weights, bias []float32
	act           Activation
}

func newActivation(r *rand.Rand, channels int) Activation {
	act := Activation{Kind: ActivationKind(r.Intn(4)), Min: -0.25, Max: 0.5}
	if act.Kind == PRelu {
		act.Slopes = normals(r, []int{1, channels}[r.Intn(2)], 0.3)
	}
	return act
}

// newConvCase makes the shape that fits for all kinds of algorithms.
func newConvCase(r *rand.Rand) convCase {
	one := func(n int) int { return 1 + r.Intn(n) }
	s := ConvSpec{
		In: one(20), Out: one(40), KernelH: one(4), KernelW: one(4), StrideH: one(2), StrideW: one(3),
		DilationH: one(2), DilationW: one(2), Top: r.Intn(3), Left: r.Intn(3), Bottom: r.Intn(3), Right: r.Intn(3), Groups: 1,
	}
	switch r.Intn(6) {
	case 0: // depthwise
		s.In = one(50)
		s.Out, s.Groups = s.In, s.In
	case 1:
		s.Groups = one(3)
		s.In, s.Out = s.Groups*one(9), s.Groups*one(20)
	case 2: // without dilation
		s.DilationH, s.DilationW = 1, 1
	case 3: // one pixel
		s.KernelH, s.KernelW, s.StrideH, s.StrideW = 1, 1, 1, 1
		s.Top, s.Left, s.Bottom, s.Right = 0, 0, 0, 0
	case 4, 5: // Winograd's
		s.In, s.Out, s.KernelH, s.KernelW, s.StrideH, s.StrideW = 16*one(4), 16*one(4), 3, 3, 1, 1
		s.DilationH, s.DilationW = 1, 1
	}
	h := max(1, s.DilationH*(s.KernelH-1)+1-s.Top-s.Bottom) + r.Intn(14)
	w := max(1, s.DilationW*(s.KernelW-1)+1-s.Left-s.Right) + r.Intn(18)
	in := s.In / s.Groups
	c := convCase{s: s, h: h, w: w, act: newActivation(r, s.Out)}
	c.weights = normals(r, s.Out*in*s.KernelH*s.KernelW, 1/math.Sqrt(float64(in*s.KernelH*s.KernelW)))
	if r.Intn(3) > 0 {
		c.bias = normals(r, s.Out, 1)
	}
	return c
}

// TestConv compares with the definition over random shapes, with residuals
// and activations.
func TestConv(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		defer using(impl)()
		r := rand.New(rand.NewSource(1))
		kinds := map[string]int{}
		for range trials(600) {
			k := newConvCase(r)
			c := NewConv(k.s, k.h, k.w, k.weights, k.bias, k.act)
			name := fmt.Sprintf("%+v of %d×%d, activation %+v", k.s, k.h, k.w, k.act.Kind)
			tolerance := 0x1p-23 * 4 // of the sum of the magnitudes
			switch {
			case c.wino != nil:
				kinds["Winograd"]++
				tolerance = 2e-6
			case k.s.depthwise():
				kinds["depthwise"]++
			default:
				kinds["direct"]++
			}
			n := 1 + r.Intn(3)
			var dst, src, residual []Image
			border, edge, back := c.Border()+r.Intn(2), r.Intn(3), r.Intn(3)
			var want, scale [][]float64
			withResidual, inPlace := r.Intn(2) == 0, r.Intn(2) == 0
			for range n {
				m := newImage(r, k.h, k.w, k.s.In, border, 0)
				z := newImage(r, c.outH, c.outW, k.s.Out, edge, canary)
				var b *Image
				if withResidual {
					if inPlace {
						residual = append(residual, z)
					} else {
						residual = append(residual, newImage(r, c.outH, c.outW, k.s.Out, back, canary))
					}
					b = &residual[len(residual)-1]
				}
				v, size := naiveConv(k.s, m, k.weights, k.bias, b, k.act)
				want, scale = append(want, v), append(scale, size)
				src, dst = append(src, m), append(dst, z)
			}
			c.Run(dst, src, residual, guarded[float32](r, c.Scratch()))
			for i, z := range dst {
				expectImage(t, z, want[i], scale[i], tolerance, canary, name)
			}
		}
		t.Log(kinds)
	})
}

// expectImage fails unless m is want, up to tolerance times scale, and its
// border is full of edge.
func expectImage(t *testing.T, m Image, want, scale []float64, tolerance float64, edge float32, name string) {
	t.Helper()
	i := 0
	for y := -m.Border; y < m.H+m.Border; y++ {
		for x := -m.Border; x < m.W+m.Border; x++ {
			for c, v := range m.Data[m.index(y, x):][:m.C] {
				if y < 0 || x < 0 || y >= m.H || x >= m.W {
					if v != edge {
						t.Fatalf("%s: border (%d, %d, %d) is %v", name, y, x, c, v)
					}
					continue
				}
				if d := math.Abs(float64(v) - want[i]); !(d <= tolerance*(1+scale[i])) && !(math.IsNaN(want[i]) && v != v) {
					t.Fatalf("%s: (%d, %d, %d) is %v, want %v", name, y, x, c, v, want[i])
				}
				i++
			}
		}
	}
}
