package blas

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"gonum.org/v1/gonum/blas"
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
						for k, v := range src.Data[src.index(sy, sx)+o/outs*in:][:in] {
							add(float64(weights[((o*in+k)*s.KernelH+ky)*s.KernelW+kx]) * float64(v))
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
	return m.fill(r, edge)
}

// fill fills m with standard normal values and its border with edge.
func (m Image) fill(r *rand.Rand, edge float32) Image {
	for i := range m.Data {
		m.Data[i] = edge
	}
	for y := range m.H {
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
	switch r.Intn(7) {
	case 6: // much padding
		s.Top, s.Left, s.Bottom, s.Right = r.Intn(7), r.Intn(7), r.Intn(7), r.Intn(7)
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
// and activations, on every Backend.
func TestConv(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	kinds := map[string]int{}
	for range trials(300) {
		k := newConvCase(r)
		h, w := k.s.OutSize(k.h, k.w)
		border, edge := NewConv(k.s, k.h, k.w, k.weights, k.bias, k.act).Border()+r.Intn(2), r.Intn(3)
		var src, residual []Image
		var want, scale [][]float64
		withResidual, inPlace := r.Intn(2) == 0, r.Intn(2) == 0
		for i := range 1 + r.Intn(2) {
			src = append(src, newImage(r, k.h, k.w, k.s.In, border, 0))
			var b *Image
			if withResidual {
				residual = append(residual, newImage(r, h, w, k.s.Out, edge, canary))
				b = &residual[i]
			}
			v, size := naiveConv(k.s, src[i], k.weights, k.bias, b, k.act)
			want, scale = append(want, v), append(scale, size)
		}
		for _, b := range Available() {
			impl, err := For(b)
			if err != nil {
				t.Fatal(err)
			}
			restore := using(impl)
			c := NewConv(k.s, k.h, k.w, k.weights, k.bias, k.act)
			restore()
			terms := float64(k.s.In / k.s.Groups * k.s.KernelH * k.s.KernelW)
			kind, tolerance := "direct", 0x1p-24*(4+math.Sqrt(terms)) // of the sum of the magnitudes
			switch {
			case c.wino != nil:
				kind, tolerance = "Winograd", 2e-6
			case k.s.depthwise():
				kind = "depthwise"
			}
			kinds[kind]++
			var dst []Image
			add := residual
			for i := range src {
				dst = append(dst, newImage(r, h, w, k.s.Out, edge, canary))
				if withResidual && inPlace {
					copy(dst[i].Data, residual[i].Data)
					add = dst
				}
			}
			c.Run(dst, src, add, guarded[float32](r, c.Scratch()), 1+r.Intn(2))
			name := fmt.Sprintf("%v, %s: %+v of %d×%d, activation %v, residual %v, in place %v", b, kind, k.s,
				k.h, k.w, k.act.Kind, withResidual, inPlace)
			for i, z := range dst {
				expectImage(t, z, want[i], scale[i], tolerance, canary, name)
			}
		}
	}
	if kinds["direct"] == 0 || kinds["Winograd"] == 0 || kinds["depthwise"] == 0 {
		t.Errorf("not all algorithms were tried: %v", kinds)
	}
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

// TestConvBatch: a result has the same bits whatever the batch, the place in
// it, the memory, the borders and the number of threads.
func TestConvBatch(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		defer using(impl)()
		r := rand.New(rand.NewSource(4))
		draws := trials(60)
		if !fullSizes(impl) {
			draws /= 3
		}
		for i := range draws {
			k := newConvCase(r)
			c := NewConv(k.s, k.h, k.w, k.weights, k.bias, k.act)
			const n = 20
			var dst, src, residual []Image
			all := make([]float32, n*c.outH*c.outW*k.s.Out)
			for j := range n {
				z := Image{H: c.outH, W: c.outW, C: k.s.Out}
				z.Data = all[j*z.Len():][:z.Len()]
				dst = append(dst, z)
				src = append(src, NewImage(k.h, k.w, k.s.In, c.Border()).fill(r, 0))
				if i%2 == 0 {
					residual = append(residual, NewImage(c.outH, c.outW, k.s.Out, 0).fill(r, 0))
				}
			}
			scratch := make([]float32, c.Scratch())
			c.Run(dst, src, residual, scratch, 1)
			for j := range n {
				m := NewImage(k.h, k.w, k.s.In, c.Border()+r.Intn(2))
				z := NewImage(c.outH, c.outW, k.s.Out, r.Intn(2))
				for y := range k.h {
					copy(m.Row(y), src[j].Row(y))
				}
				var one []Image
				if residual != nil {
					one = residual[j : j+1]
				}
				c.Run([]Image{z}, []Image{m}, one, scratch, 1+j%3)
				for y := range c.outH {
					for x, v := range z.Row(y) {
						if math.Float32bits(v) != math.Float32bits(dst[j].Row(y)[x]) {
							t.Fatalf("%+v of %d×%d: image %d, row %d, element %d: %v alone, %v in a batch", k.s, k.h, k.w, j, y, x, v, dst[j].Row(y)[x])
						}
					}
				}
			}
		}
	})
}

// TestConvBackends: AVX2 and AVX-512 give the same bits.
func TestConvBackends(t *testing.T) {
	for _, b := range []Backend{AVX2, AVX512} {
		if !available(b) {
			skipBackend(t, b)
		}
	}
	r := rand.New(rand.NewSource(6))
	for range trials(100) {
		k := newConvCase(r)
		var first []float32
		for _, b := range []Backend{AVX2, AVX512} {
			impl, err := For(b)
			if err != nil {
				t.Fatal(err)
			}
			restore := using(impl)
			c := NewConv(k.s, k.h, k.w, k.weights, k.bias, k.act)
			restore()
			src, dst := NewImage(k.h, k.w, k.s.In, c.Border()).fill(rand.New(rand.NewSource(7)), 0), NewImage(c.outH, c.outW, k.s.Out, 0)
			c.Run([]Image{dst}, []Image{src}, nil, make([]float32, c.Scratch()), 1)
			if first == nil {
				first = dst.Data
				continue
			}
			for i, v := range dst.Data {
				if math.Float32bits(v) != math.Float32bits(first[i]) {
					t.Fatalf("%+v of %d×%d: element %d is %v with AVX2 and %v with AVX-512", k.s, k.h, k.w, i, first[i], v)
				}
			}
		}
	}
}

// TestWinogradError: the error of Winograd's algorithm is at most three times
// that of sums in float32.
func TestWinogradError(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		defer using(impl)()
		r := rand.New(rand.NewSource(8))
		s := ConvSpec{
			In: 128, Out: 32, KernelH: 3, KernelW: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1,
			Top: 1, Left: 1, Bottom: 1, Right: 1, Groups: 1,
		}
		weights := normals(r, s.In*s.Out*9, 1/math.Sqrt(float64(s.In*9)))
		c := NewConv(s, 16, 16, weights, nil, Activation{})
		if c.wino == nil {
			t.Fatal("another algorithm")
		}
		src := newImage(r, 16, 16, s.In, 1, 0)
		want, _ := naiveConv(s, src, weights, nil, nil, Activation{})
		deviation := func() (rms float64) {
			dst := NewImage(16, 16, s.Out, 0)
			c.Run([]Image{dst}, []Image{src}, nil, make([]float32, c.Scratch()), 1)
			for i, v := range dst.Data {
				rms += (float64(v) - want[i]) * (float64(v) - want[i])
			}
			return math.Sqrt(rms / float64(len(want)))
		}
		winograd := deviation()
		c.wino, c.weights = nil, c.packDirect(weights)
		direct := deviation()
		t.Logf("root mean square error %.2g, of direct sums %.2g", winograd, direct)
		if winograd > 3*direct {
			t.Errorf("%.2g is more than three times %.2g", winograd, direct)
		}
	})
}

// TestConvPanics: wrong sizes panic before memory is touched.
func TestConvPanics(t *testing.T) {
	good := ConvSpec{
		In: 4, Out: 6, KernelH: 3, KernelW: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1,
		Top: 1, Left: 1, Bottom: 1, Right: 1, Groups: 1,
	}
	weights := make([]float32, 4*6*9)
	c := NewConv(good, 5, 5, weights, nil, Activation{})
	run := func(dst, src Image, residual []Image) func() {
		return func() { c.Run([]Image{dst}, []Image{src}, residual, nil, 1) }
	}
	bad := func(change func(s *ConvSpec)) func() {
		s := good
		change(&s)
		return func() { NewConv(s, 5, 5, weights, nil, Activation{}) }
	}
	src, dst := NewImage(5, 5, 4, 1), NewImage(5, 5, 6, 0)
	short := src
	short.Data = short.Data[1:]
	run(dst, src, nil)()
	for name, f := range map[string]func(){
		"no border":         run(dst, NewImage(5, 5, 4, 0), nil),
		"src too small":     run(dst, NewImage(4, 5, 4, 1), nil),
		"src too short":     run(dst, short, nil),
		"dst of channels":   run(NewImage(5, 5, 5, 0), src, nil),
		"residual":          run(dst, src, []Image{src}),
		"no residual":       run(dst, src, []Image{}),
		"borders":           func() { c.Run([]Image{dst, dst}, []Image{src, NewImage(5, 5, 4, 2)}, nil, nil, 1) },
		"groups":            bad(func(s *ConvSpec) { s.Groups = 3 }),
		"stride 0":          bad(func(s *ConvSpec) { s.StrideW = 0 }),
		"channels":          bad(func(s *ConvSpec) { s.In = 5 }),
		"kernel too large":  bad(func(s *ConvSpec) { s.DilationH = 9 }),
		"negative padding":  bad(func(s *ConvSpec) { s.Top = -1 }),
		"number of biases":  func() { NewConv(good, 5, 5, weights, make([]float32, 5), Activation{}) },
		"number of slopes":  func() { NewConv(good, 5, 5, weights, nil, Activation{Kind: PRelu}) },
		"kernel of pooling": func() { MaxPool(dst, dst, PoolSpec{}) },
	} {
		if outcome(func(blas.Float64) { f() }, nil) == nil {
			t.Errorf("%s: no panic", name)
		}
	}
}

// TestConvNaN: every activation keeps a NaN.
func TestConvNaN(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		defer using(impl)()
		for kind := None; kind <= Clip; kind++ {
			for _, kernel := range []int{1, 3} {
				s := ConvSpec{
					In: 16, Out: 16, KernelH: kernel, KernelW: kernel, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1, Groups: 1,
				}
				for s.Groups = 1; s.Groups <= 16; s.Groups += 15 {
					c := NewConv(s, 6, 6, make([]float32, 16*16/s.Groups*kernel*kernel), nil, Activation{Kind: kind, Slopes: []float32{0.25}})
					src, dst := NewImage(6, 6, 16, 0), NewImage(7-kernel, 7-kernel, 16, 0)
					src.Data[src.index(3, 3)] = float32(math.NaN())
					c.Run([]Image{dst}, []Image{src}, nil, make([]float32, c.Scratch()), 1)
					if v := dst.Data[dst.index(3/kernel, 3/kernel)]; v == v {
						t.Errorf("activation %d, kernel %d, %d groups: a NaN became %v", kind, kernel, s.Groups, v)
					}
				}
			}
		}
	})
}

// TestConvNoAllocation: no call allocates.
func TestConvNoAllocation(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes sync.Pool forget")
	}
	eachBackend(t, func(t *testing.T, impl Implementation) {
		defer using(impl)()
		for _, l := range []layer{
			{"a", 1, 3, 20, 3, 2, 1, 9, false, Relu, false},
			{"b", 1, 32, 32, 3, 1, 1, 9, false, PRelu, true},
			{"c", 1, 20, 20, 3, 1, 1, 9, true, Clip, true},
			{"d", 1, 20, 20, 1, 1, 0, 1, false, None, false},
		} {
			c := l.conv(rand.New(rand.NewSource(5)))
			dst, src, residual := l.images(c, 3, new([3][]float32))
			scratch := make([]float32, c.Scratch())
			call := func() {
				c.Run(dst, src, residual, scratch, 2)
				MaxPool(dst[0], dst[1], PoolSpec{KernelH: 1, KernelW: 1, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1})
			}
			got := math.Inf(1)
			for range 5 {
				got = min(got, testing.AllocsPerRun(trials(20), call))
			}
			if got > 0 {
				t.Errorf("%v: %v allocations a call", l, got)
			}
		}
	})
}

// TestConvInPlace: a depthwise 1×1 convolution may write over its input.
func TestConvInPlace(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		defer using(impl)()
		r := rand.New(rand.NewSource(9))
		for _, channels := range []int{2, 16, 37} {
			s := ConvSpec{
				In: channels, Out: channels, KernelH: 1, KernelW: 1, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1, Groups: channels,
			}
			scale, shift := normals(r, channels, 1), normals(r, channels, 1)
			m, b := newImage(r, 5, 20, channels, 1, canary), newImage(r, 5, 20, channels, 0, canary)
			act := newActivation(r, channels)
			want, size := naiveConv(s, m, scale, shift, &b, act)
			NewConv(s, 5, 20, scale, shift, act).Run([]Image{m}, []Image{m}, []Image{b}, nil, 1)
			expectImage(t, m, want, size, 0x1p-22, canary, "in place")
		}
	})
}

// NewImage makes an image of zeros that starts at a cache line.
func NewImage(h, w, c, border int) Image {
	m := Image{H: h, W: w, C: c, Border: border}
	m.Data = Floats(m.Len())
	return m
}
