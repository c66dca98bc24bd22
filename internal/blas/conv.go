package blas

// A ConvSpec is the shape of a two-dimensional convolution, as ONNX has it.
type ConvSpec struct {
	In, Out                  int // channels
	KernelH, KernelW         int
	StrideH, StrideW         int
	DilationH, DilationW     int
	Top, Left, Bottom, Right int // padding with zeros
	Groups                   int
}

// OutSize is the height and width of the output for h×w inputs.
func (s ConvSpec) OutSize(h, w int) (outH, outW int) {
	return (h+s.Top+s.Bottom-s.DilationH*(s.KernelH-1)-1)/s.StrideH + 1,
		(w+s.Left+s.Right-s.DilationW*(s.KernelW-1)-1)/s.StrideW + 1
}

// depthwise reports whether each channel is convolved by itself.
func (s ConvSpec) depthwise() bool { return s.Groups == s.In && s.In == s.Out && s.In > 1 }

// A Conv is a convolution of images of one size, with its weights packed. It
// is safe for concurrent use. A fully connected layer is a 1×1 convolution of an
// image of one pixel; a scale and a shift for each channel, a sum of two images
// or an activation alone is a depthwise one.
type Conv struct {
	spec       ConvSpec
	h, w       int
	outH, outW int
	k          *imageKernels
	weights    []float32 // packed
	bias       []float32 // of each group, filled up with zeros to whole vectors
	slopes     []float32 // likewise; nil without PRelu
	act        Activation
	wino       *winograd // nil for a direct convolution
	work       int       // of an image, in multiply-adds
}

// NewConv packs the weights, in the order Out × In/Groups × KernelH × KernelW,
// for the Backend in use and chooses the algorithm for h×w inputs. bias may be
// nil. It keeps none of the slices. It panics if a size is wrong.
func NewConv(s ConvSpec, h, w int, weights, bias []float32, act Activation) *Conv {
	check(s.In <= 0 || s.Out <= 0 || s.Groups <= 0 || s.In%s.Groups != 0 || s.Out%s.Groups != 0, "bad channels of a convolution")
	check(s.KernelH <= 0 || s.KernelW <= 0 || s.StrideH <= 0 || s.StrideW <= 0 || s.DilationH <= 0 || s.DilationW <= 0,
		"bad kernel of a convolution")
	check(min(s.Top, s.Left, s.Bottom, s.Right) < 0, "negative padding")
	check(len(weights) != s.Out*s.In/s.Groups*s.KernelH*s.KernelW, "wrong number of weights")
	check(bias != nil && len(bias) != s.Out, "wrong number of biases")
	check(act.Kind == PRelu && len(act.Slopes) != 1 && len(act.Slopes) != s.Out, "wrong number of slopes")
	c := &Conv{spec: s, h: h, w: w, k: imagesFor(Current()), act: act}
	c.outH, c.outW = s.OutSize(h, w)
	check(c.outH <= 0 || c.outW <= 0, "the kernel is larger than the image")
	c.act.Slopes = nil
	weights = c.trim(weights)
	s = c.spec
	c.bias = c.perChannel(func(o int) float32 {
		if bias == nil {
			return 0
		}
		return bias[o]
	})
	if act.Kind == PRelu {
		c.slopes = c.perChannel(func(o int) float32 { return act.Slopes[o%len(act.Slopes)] })
	}
	c.work = c.outH * c.outW * s.Out * (s.In / s.Groups) * s.KernelH * s.KernelW
	switch {
	case s.depthwise():
		c.work *= depthwiseCost
		c.weights = c.packDepthwise(weights)
	case c.suitsWinograd():
		c.wino = newWinograd(c, weights)
	default:
		c.weights = c.packDirect(weights)
	}
	return c
}

// trim drops the rows and columns at the edges of the kernel that see padding
// alone, as all but the middle of a 3×3 kernel does on an image of one pixel. It
// returns the weights that are left.
func (c *Conv) trim(weights []float32) []float32 {
	s := &c.spec
	y0, y1 := inside(s.KernelH, s.StrideH, s.DilationH, s.Top, c.h, c.outH)
	x0, x1 := inside(s.KernelW, s.StrideW, s.DilationW, s.Left, c.w, c.outW)
	if y1-y0 == s.KernelH && x1-x0 == s.KernelW {
		return weights
	}
	var left []float32
	for i := 0; i < len(weights); i += s.KernelH * s.KernelW {
		for y := y0; y < y1; y++ {
			left = append(left, weights[i+y*s.KernelW+x0:][:x1-x0]...)
		}
	}
	s.KernelH, s.KernelW, s.Top, s.Left = y1-y0, x1-x0, s.Top-y0*s.DilationH, s.Left-x0*s.DilationW
	return left
}

// inside is the part of the kernel along one axis that is in the image for any
// output, and not less than one pixel.
func inside(kernel, stride, dilation, pad, size, out int) (first, end int) {
	sees := func(k int) bool {
		at := k*dilation - pad // of the first output
		i := max(0, ceil(-at, stride))
		return i < out && at+i*stride < size
	}
	end = kernel
	for end > 1 && !sees(end-1) {
		end--
	}
	for first < end-1 && !sees(first) {
		first++
	}
	return first, end
}

// groupOut is the number of output channels of a group.
func (c *Conv) groupOut() int { return c.spec.Out / c.spec.Groups }

// padded is the number of output channels of a group, in whole vectors.
func (c *Conv) padded() int { return ceil(c.groupOut(), c.k.lanes) * c.k.lanes }

// perChannel makes one value a channel; those of a group are filled up with
// zeros to whole vectors, but a depthwise convolution has no gaps.
func (c *Conv) perChannel(f func(o int) float32) []float32 {
	out, padded := c.groupOut(), c.padded()
	if c.spec.depthwise() {
		out, padded = c.spec.Out, ceil(c.spec.Out, c.k.lanes)*c.k.lanes
	}
	x := Floats(c.spec.Out / out * padded)
	for o := range c.spec.Out {
		x[o/out*padded+o%out] = f(o)
	}
	return x
}

// panels calls f for each panel of columns n wide: the vectors in it, and the
// number of columns that are there.
func (k *imageKernels) panels(n int, f func(first, vecs, cols int)) {
	for j := 0; j < n; {
		vecs := k.vecs(n - j)
		f(j, vecs, min(vecs*k.lanes, n-j))
		j += vecs * k.lanes
	}
}

// vecs is the number of vectors of a panel, of n columns that are left.
func (k *imageKernels) vecs(n int) int { return min(len(k.conv), ceil(n, k.lanes)) }

// packDirect orders the weights as the tiles read them: group, panel, kernel
// row, kernel column, input channel, output channel.
func (c *Conv) packDirect(weights []float32) []float32 {
	s := c.spec
	in, out := s.In/s.Groups, c.groupOut()
	taps := s.KernelH * s.KernelW
	packed := Floats(s.Groups * c.padded() * taps * in)
	i := 0
	for g := range s.Groups {
		c.k.panels(out, func(first, vecs, cols int) {
			for tap := range taps {
				for ch := range in {
					for j := range cols {
						packed[i+j] = weights[((g*out+first+j)*in+ch)*taps+tap]
					}
					i += vecs * c.k.lanes
				}
			}
		})
	}
	return packed
}

// Border returns the least width of the border of zeros around the inputs of Run.
func (c *Conv) Border() int {
	s := c.spec
	below := (c.outH-1)*s.StrideH + (s.KernelH-1)*s.DilationH - s.Top - (c.h - 1)
	right := (c.outW-1)*s.StrideW + (s.KernelW-1)*s.DilationW - s.Left - (c.w - 1)
	return max(s.Top, s.Left, below, right, 0)
}

// Scratch is the number of floats of scratch that Run needs.
func (c *Conv) Scratch() int {
	if c.wino != nil {
		return c.wino.scratch(c)
	}
	return 0
}

// Run convolves src[i] into dst[i] for each i, adds residual[i] unless residual is nil,
// and applies the activation. The images of dst have equal borders, and so have those of
// src and of residual. Run reads the border of src, which must be at least Border() wide,
// and does not write the border of dst. residual may be dst; src may be dst only if the
// kernel is 1×1, the convolution depthwise and the stride 1. It runs on at most threads
// threads and allocates nothing. dst[i] depends on src[i] and residual[i] alone.
func (c *Conv) Run(dst, src, residual []Image, scratch []float32, threads int) {
	check(len(dst) != len(src) || residual != nil && len(residual) != len(src), "different numbers of images")
	check(len(scratch) < c.Scratch(), "insufficient scratch")
	border := c.Border()
	for i, x := range src {
		x.shaped(c.h, c.w, c.spec.In, "src")
		check(x.Border < border, "the border is smaller than the padding")
		dst[i].shaped(c.outH, c.outW, c.spec.Out, "dst")
		check(x.Border != src[0].Border || dst[i].Border != dst[0].Border, "images with different borders")
		if residual != nil {
			residual[i].shaped(c.outH, c.outW, c.spec.Out, "residual")
			check(residual[i].Border != residual[0].Border, "images with different borders")
		}
	}
	if len(src) == 0 {
		return
	}
	r := convRuns.get()
	r.c, r.dst, r.src, r.residual, r.threads = c, dst, src, residual, threads
	if len(src)*c.work < worthThreads {
		r.threads = 1
	}
	r.tile.act = int(c.act.Kind)
	r.tile.limits = [2]float32{c.act.Min, c.act.Max}
	switch {
	case c.spec.depthwise():
		r.depthwise()
	case c.wino != nil:
		r.winograd(scratch)
	default:
		r.direct()
	}
	convRuns.put(r)
}

// worthThreads is the work from which on a call is cut for threads: three microseconds. To
// hand a thread its part takes one.
const worthThreads = 1 << 18

// depthwiseCost is what a multiply-add of a depthwise convolution costs, as measured.
const depthwiseCost = 6
