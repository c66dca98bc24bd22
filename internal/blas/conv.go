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

// A Conv is a convolution of images of one size, with its weights packed. It
// is safe for concurrent use.
type Conv struct {
	spec          ConvSpec
	h, w          int
	outH, outW    int
	weights, bias []float32
	act           Activation
}

// NewConv packs the weights, in the order Out × In/Groups × KernelH × KernelW,
// for the Backend in use and chooses the algorithm for h×w inputs. bias may be
// nil. It keeps act.Slopes, and neither weights nor bias. It panics if a size is
// wrong.
func NewConv(s ConvSpec, h, w int, weights, bias []float32, act Activation) *Conv {
	check(s.In <= 0 || s.Out <= 0 || s.Groups <= 0 || s.In%s.Groups != 0 || s.Out%s.Groups != 0, "bad channels of a convolution")
	check(s.KernelH <= 0 || s.KernelW <= 0 || s.StrideH <= 0 || s.StrideW <= 0 || s.DilationH <= 0 || s.DilationW <= 0, "bad kernel of a convolution")
	check(min(s.Top, s.Left, s.Bottom, s.Right) < 0, "negative padding")
	check(len(weights) != s.Out*s.In/s.Groups*s.KernelH*s.KernelW, "wrong number of weights")
	check(bias != nil && len(bias) != s.Out, "wrong number of biases")
	check(act.Kind == PRelu && len(act.Slopes) != 1 && len(act.Slopes) != s.Out, "wrong number of slopes")
	c := &Conv{spec: s, h: h, w: w, act: act}
	c.outH, c.outW = s.OutSize(h, w)
	check(c.outH <= 0 || c.outW <= 0, "the kernel is larger than the image")
	c.weights = append([]float32(nil), weights...)
	c.bias = make([]float32, s.Out)
	copy(c.bias, bias)
	return c
}

// OutSize is the height and width of the output.
func (c *Conv) OutSize() (h, w int) { return c.outH, c.outW }

// Border is the border that the inputs need at least.
func (c *Conv) Border() int {
	s := c.spec
	below := (c.outH-1)*s.StrideH + (s.KernelH-1)*s.DilationH - s.Top - (c.h - 1)
	right := (c.outW-1)*s.StrideW + (s.KernelW-1)*s.DilationW - s.Left - (c.w - 1)
	return max(s.Top, s.Left, below, right, 0)
}

// Flops is the number of floating-point operations of the convolution of one
// image by its definition, two to a multiply-add.
func (c *Conv) Flops() int {
	s := c.spec
	return 2 * c.outH * c.outW * s.Out * s.In / s.Groups * s.KernelH * s.KernelW
}

// Scratch is the number of floats of scratch that Run needs.
func (c *Conv) Scratch() int { return 0 }

// Run convolves each src into the dst beside it and adds residual, which is nil
// or images of dst's shape, before the activation. It reads the border of src,
// Border() wide or wider, and leaves that of dst as it is. residual may be dst;
// src must not. It runs on one thread and allocates nothing. A result depends on
// its own image alone.
func (c *Conv) Run(dst, src, residual []Image, scratch []float32) {
	check(len(dst) != len(src) || residual != nil && len(residual) != len(src), "different numbers of images")
	check(len(scratch) < c.Scratch(), "insufficient scratch")
	s := c.spec
	for i, x := range src {
		x.shaped(c.h, c.w, s.In, "src")
		check(x.Border < c.Border(), "the border is smaller than the padding")
		dst[i].shaped(c.outH, c.outW, s.Out, "dst")
		if residual != nil {
			residual[i].shaped(c.outH, c.outW, s.Out, "residual")
		}
	}
	in, out := s.In/s.Groups, s.Out/s.Groups
	for i, x := range src {
		for y := range c.outH {
			for xx := range c.outW {
				for o := range s.Out {
					sum := c.bias[o]
					for k := range in {
						for ky := range s.KernelH {
							for kx := range s.KernelW {
								sum += c.weights[((o*in+k)*s.KernelH+ky)*s.KernelW+kx] *
									x.Data[x.index(y*s.StrideH+ky*s.DilationH-s.Top, xx*s.StrideW+kx*s.DilationW-s.Left)+o/out*in+k]
							}
						}
					}
					if residual != nil {
						sum += residual[i].Data[residual[i].index(y, xx)+o]
					}
					dst[i].Data[dst[i].index(y, xx)+o] = c.act.apply(sum, o)
				}
			}
		}
	}
}
