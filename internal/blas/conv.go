package blas

import "unsafe"

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
}

// NewConv packs the weights, in the order Out × In/Groups × KernelH × KernelW,
// for the Backend in use and chooses the algorithm for h×w inputs. bias may be
// nil. It keeps none of the slices. It panics if a size is wrong.
func NewConv(s ConvSpec, h, w int, weights, bias []float32, act Activation) *Conv {
	check(s.In <= 0 || s.Out <= 0 || s.Groups <= 0 || s.In%s.Groups != 0 || s.Out%s.Groups != 0, "bad channels of a convolution")
	check(s.KernelH <= 0 || s.KernelW <= 0 || s.StrideH <= 0 || s.StrideW <= 0 || s.DilationH <= 0 || s.DilationW <= 0, "bad kernel of a convolution")
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
	switch {
	case s.depthwise():
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
		for i := range out {
			if p := i*stride + k*dilation - pad; p >= 0 && p < size {
				return true
			}
		}
		return false
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
// image by its definition, two to a multiply-add, without the rows and columns
// of the kernel that see padding alone.
func (c *Conv) Flops() int {
	s := c.spec
	return 2 * c.outH * c.outW * s.Out * (s.In / s.Groups) * s.KernelH * s.KernelW
}

// Scratch is the number of floats of scratch that Run needs.
func (c *Conv) Scratch() int {
	if c.wino != nil {
		return c.wino.scratch(c)
	}
	return 0
}

// Run convolves each src into the dst beside it and adds residual, which is nil
// or images of dst's shape, before the activation. It reads the border of src,
// Border() wide or wider, and leaves that of dst as it is. residual may be dst;
// src may be dst only if the kernel is 1×1, the convolution depthwise and the
// stride 1. It runs on one thread and allocates nothing. A result depends on its
// own image alone.
func (c *Conv) Run(dst, src, residual []Image, scratch []float32) {
	check(len(dst) != len(src) || residual != nil && len(residual) != len(src), "different numbers of images")
	check(len(scratch) < c.Scratch(), "insufficient scratch")
	border := c.Border()
	for i, x := range src {
		x.shaped(c.h, c.w, c.spec.In, "src")
		check(x.Border < border, "the border is smaller than the padding")
		dst[i].shaped(c.outH, c.outW, c.spec.Out, "dst")
		if residual != nil {
			residual[i].shaped(c.outH, c.outW, c.spec.Out, "residual")
		}
	}
	if len(src) == 0 {
		return
	}
	r := convRuns.get()
	r.c, r.dst, r.src, r.residual = c, dst, src, residual
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

// A convTile is the argument of the kernels of a convolution; package main in
// asm knows its fields by name. Steps are in bytes.
type convTile struct {
	a      *float32 // the first element of the first pixel
	step   int      // from pixel to pixel
	ny, dy int      // rows of the kernel
	nx, dx int      // columns of the kernel, or one for all that lie side by side
	k      int      // elements that lie side by side
	b      *float32 // weights
	bias   *float32
	c      *float32 // the output
	cstep  int
	r      *float32 // the residual, or nil
	rstep  int
	act    int // an ActivationKind
	slopes *float32
	limits [2]float32
	last   int // elements in the last vector of channels
	vecs   int // vectors of channels, of a kernel that combines windows; spoilt
}

func (t *convTile) arg() *byte { return (*byte)(unsafe.Pointer(t)) }

// A convRun is one call of Run.
type convRun struct {
	c                  *Conv
	dst, src, residual []Image
	cut                cut
	tile               convTile
	wino               winTile
}

var convRuns stock[convRun]

const floatBytes = 4

// A cut is how the output of a call is cut into stretches.
type cut int

const (
	byRow   cut = iota // a row of an image
	byImage            // a whole image: input and output are without borders
	byBatch            // the pixels of all images, of one pixel each
)

// A stretch is output pixels as far apart as their inputs are.
type stretch struct {
	a, c, r *float32
	pixels  int
}

// direct sums the products one after the other.
func (r *convRun) direct() {
	c, s, t := r.c, r.c.spec, &r.tile
	pitch, in := r.src[0].pitch(), s.In/s.Groups
	t.ny, t.dy = s.KernelH, s.DilationH*pitch*floatBytes
	t.nx, t.dx, t.k = s.KernelW, s.DilationW*s.In*floatBytes, in
	if s.Groups == 1 && s.DilationW == 1 {
		t.nx, t.k = 1, s.KernelW*in
	}
	t.step, t.cstep, t.rstep = s.StrideW*s.In*floatBytes, s.Out*floatBytes, s.Out*floatBytes
	n, bytes := r.cutUp()
	block := max(1, max(blockBytes, len(c.weights)*floatBytes/4)/bytes)
	for y := 0; y < n; y += block {
		r.block(y, min(y+block, n))
	}
}

// blockBytes of the input are convolved with all weights before the next: they
// stay in the L2 cache. Where there are more weights than that, the blocks are
// larger, for the weights to be read less often.
const blockBytes = 256 << 10

// cutUp chooses the cut. It returns the number of stretches and the bytes of
// input that are new in each.
func (r *convRun) cutUp() (n, bytes int) {
	c, s, t := r.c, r.c.spec, &r.tile
	x, z := r.src[0], r.dst[0]
	bordered := x.Border + z.Border
	if r.residual != nil {
		bordered += r.residual[0].Border
	}
	switch {
	case c.h*c.w == 1 && c.outH*c.outW == 1 && len(r.src) > 1 && r.evenly():
		r.cut = byBatch
		t.step, t.cstep = apart(r.src[0], r.src[1]), apart(r.dst[0], r.dst[1])
		if r.residual != nil {
			t.rstep = apart(r.residual[0], r.residual[1])
		}
		return ceil(len(r.src), r.pixels()), r.pixels() * s.In * floatBytes
	case bordered == 0 && s.KernelH*s.KernelW == 1 && s.StrideH*s.StrideW == 1 && c.outH == c.h && c.outW == c.w:
		r.cut = byImage
		return len(r.src), x.Len() * floatBytes
	}
	r.cut = byRow
	return len(r.src) * c.outH, x.pitch() * s.StrideH * floatBytes
}

// apart is the distance in bytes from the first pixel of x to that of y.
func apart(x, y Image) int {
	return int(uintptr(unsafe.Pointer(y.at(0, 0))) - uintptr(unsafe.Pointer(x.at(0, 0))))
}

// evenly reports whether the first pixels of the images are the same distance
// apart, as those of images in one piece of memory are.
func (r *convRun) evenly() bool {
	for _, images := range [][]Image{r.src, r.dst, r.residual} {
		for i := 2; i < len(images); i++ {
			if apart(images[i-1], images[i]) != apart(images[0], images[1]) {
				return false
			}
		}
	}
	return true
}

// pixels is the number of pixels of the largest tile.
func (r *convRun) pixels() int { return len(r.c.k.conv[0]) }

// stretch is the i-th one.
func (r *convRun) stretch(i int) stretch {
	c, s := r.c, r.c.spec
	y, pixels := 0, c.outW
	switch r.cut {
	case byRow:
		i, y = i/c.outH, i%c.outH
	case byImage:
		pixels = c.outH * c.outW
	case byBatch:
		i *= r.pixels()
		pixels = min(r.pixels(), len(r.src)-i)
	}
	t := stretch{a: r.src[i].at(y*s.StrideH-s.Top, -s.Left), c: r.dst[i].at(y, 0), pixels: pixels}
	if r.residual != nil {
		t.r = r.residual[i].at(y, 0)
	}
	return t
}

// block convolves the stretches from first to before end.
func (r *convRun) block(first, end int) {
	c, s, t := r.c, r.c.spec, &r.tile
	in, out, padded := s.In/s.Groups, c.groupOut(), c.padded()
	depth := s.KernelH * s.KernelW * in
	for g := range s.Groups {
		for j := 0; j < out; {
			vecs := c.k.vecs(out - j)
			t.b = &c.weights[(g*padded+j)*depth]
			r.panel(g*padded + j)
			t.last = min(c.k.lanes, out-j-(vecs-1)*c.k.lanes)
			kernels := c.k.conv[vecs-1]
			for i := first; i < end; i++ {
				x := r.stretch(i)
				x.a, x.c = after(x.a, g*in), after(x.c, g*out+j)
				if x.r != nil {
					x.r = after(x.r, g*out+j)
				}
				t.run(x, kernels)
			}
			j += vecs * c.k.lanes
		}
	}
}

// panel sets the bias and the slopes to those from channel o.
func (r *convRun) panel(o int) {
	r.tile.bias = &r.c.bias[o]
	if r.c.slopes != nil {
		r.tile.slopes = &r.c.slopes[o]
	}
}

// run convolves the pixels of a stretch in as few tiles as there can be, as
// even as they can be: kernels are by the number of pixels.
func (t *convTile) run(x stretch, kernels []func(*byte)) {
	for tiles := ceil(x.pixels, len(kernels)); ; tiles-- {
		n := ceil(x.pixels, tiles)
		t.a, t.c, t.r = x.a, x.c, x.r
		kernels[n-1](t.arg())
		if tiles == 1 {
			return
		}
		x.skip(n, t)
	}
}

// skip moves x to its pixel n. There must be one: a pointer past the end of its
// memory is a fault of the garbage collector.
func (x *stretch) skip(n int, t *convTile) {
	x.pixels -= n
	x.a, x.c = afterBytes(x.a, n*t.step), afterBytes(x.c, n*t.cstep)
	if x.r != nil {
		x.r = afterBytes(x.r, n*t.rstep)
	}
}

func afterBytes(p *float32, n int) *float32 { return (*float32)(unsafe.Add(unsafe.Pointer(p), n)) }
