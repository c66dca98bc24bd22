package network

import (
	"math"
	"slices"

	"nrdl/internal/blas"
)

// slide is the geometry of a kernel that moves over the last axes of shape, one
// or two, and the size of its output. One axis is treated as the second of two.
func (c *call) slide(shape, kernel []int, ceil bool) (p blas.PoolSpec, h, w int) {
	n := len(shape) - 2
	must(n == 1 || n == 2, "input of shape %v; images of two axes, or signals of one, are supported", shape)
	must(len(kernel) == n, "a kernel of shape %v", kernel)
	stride, dilation := c.ints("strides", 1, 1), c.ints("dilations", 1, 1)
	pads := c.ints("pads", 0, 0, 0, 0)
	must(len(stride) >= n && len(dilation) >= n && len(pads) >= 2*n, "strides %v, dilations %v, pads %v", stride, dilation, pads)
	size := shape[2:]
	const most = 1 << 20
	var out, begin, end [2]int
	for a := range n {
		k, s, d := kernel[a], stride[a], dilation[a]
		must(min(k, s, d) >= 1 && max(k, s, d) <= most, "kernel %v, strides %v, dilations %v", kernel, stride, dilation)
		begin[a], end[a] = pads[a], pads[n+a]
		if len(pads) > 2*n {
			end[a] = pads[2+a]
		}
		reach := d*(k-1) + 1
		auto := c.string("auto_pad", "NOTSET")
		switch auto {
		case "NOTSET":
		case "VALID":
			begin[a], end[a] = 0, 0
		case "SAME_UPPER", "SAME_LOWER":
			pad := max(0, ((size[a]+s-1)/s-1)*s+reach-size[a])
			begin[a] = pad / 2
			if auto == "SAME_LOWER" {
				begin[a] = pad - pad/2
			}
			end[a] = pad - begin[a]
		default:
			refuse("auto_pad %q", auto)
		}
		must(min(begin[a], end[a]) >= 0 && max(begin[a], end[a]) <= most, "pads %v", pads)
		room := size[a] + begin[a] + end[a] - reach
		must(room >= 0, "a kernel of %v does not fit into %v", kernel, size)
		out[a] = room/s + 1
		// With ceil_mode a last window counts that starts in the image.
		if ceil && room%s != 0 && out[a]*s < size[a]+begin[a] {
			out[a]++
		}
	}
	if n == 1 {
		return blas.PoolSpec{
			KernelH: 1, StrideH: 1, DilationH: 1, KernelW: kernel[0], StrideW: stride[0], DilationW: dilation[0],
			Left: begin[0], Right: end[0],
		}, 1, out[0]
	}
	return blas.PoolSpec{
		KernelH: kernel[0], KernelW: kernel[1], StrideH: stride[0], StrideW: stride[1], DilationH: dilation[0], DilationW: dilation[1],
		Top: begin[0], Left: begin[1], Bottom: end[0], Right: end[1],
	}, out[0], out[1]
}

// height and width of the input of slide.
func plane(shape []int) (h, w int) {
	if len(shape) == 3 {
		return 1, shape[2]
	}
	return shape[2], shape[3]
}

// images is the shape of n images of channels channels, of as many axes as like.
func images(n, channels, h, w int, like []int) []int {
	if len(like) == 3 {
		return []int{n, channels, w}
	}
	return []int{n, channels, h, w}
}

// A convolution marks a Conv.
type convolution struct {
	spec blas.ConvSpec
	h, w int // of the input
}

func (c *call) conv() {
	x, w, b := c.x(0), c.x(1), c.optional(2)
	c.one()
	must(len(w.shape) == len(x.shape) && len(w.shape) > 2, "weights of shape %v for %v", w.shape, x.shape)
	must(x.dtype.float() && w.dtype.float(), "types %v and %v", x.dtype, w.dtype)
	kernel := c.ints("kernel_shape", w.shape[2:]...)
	must(slices.Equal(kernel, w.shape[2:]), "a kernel of %v and weights of %v", kernel, w.shape)
	p, oh, ow := c.slide(x.shape, kernel, false)
	n, in, out, groups := x.shape[0], x.shape[1], w.shape[0], c.int("group", 1)
	must(groups > 0 && out > 0 && in == groups*w.shape[1] && in > 0 && out%groups == 0, "weights of shape %v for %v in %d groups", w.shape, x.shape, groups)
	must(b == nil || b.len() == out, "%v biases", out)
	c.gives(0, x.dtype, images(n, out, oh, ow, x.shape))
	h, wd := plane(x.shape)
	per := w.shape[1]
	c.work = c.out[0].len() * per * p.KernelH * p.KernelW
	c.layer = convolution{blas.ConvSpec{
		In: in, Out: out, Groups: groups, KernelH: p.KernelH, KernelW: p.KernelW, StrideH: p.StrideH, StrideW: p.StrideW,
		DilationH: p.DilationH, DilationW: p.DilationW, Top: p.Top, Left: p.Left, Bottom: p.Bottom, Right: p.Right,
	}, h, wd}
	c.run = func(o, i []*tensor) {
		x, weights, k := i[0].f, i[1].f, 0
		for item := range n {
			for ch := range out {
				bias := 0.0
				if b != nil {
					bias = float64(i[2].f[ch])
				}
				first := item*in + ch/(out/groups)*per
				for y := range oh {
					for xx := range ow {
						sum := bias
						for cc := range per {
							for ky := range p.KernelH {
								sy := y*p.StrideH + ky*p.DilationH - p.Top
								if sy < 0 || sy >= h {
									continue
								}
								for kx := range p.KernelW {
									if sx := xx*p.StrideW + kx*p.DilationW - p.Left; sx >= 0 && sx < wd {
										sum += float64(x[((first+cc)*h+sy)*wd+sx]) * float64(weights[((ch*per+cc)*p.KernelH+ky)*p.KernelW+kx])
									}
								}
							}
						}
						o[0].f[k] = float32(sum)
						k++
					}
				}
			}
		}
	}
}

func (c *call) convTranspose() {
	x, w, b := c.x(0), c.x(1), c.optional(2)
	c.one()
	must(len(x.shape) == 4 && len(w.shape) == 4, "input of shape %v, weights of %v; images are supported", x.shape, w.shape)
	must(x.dtype.float() && w.dtype.float(), "types %v and %v", x.dtype, w.dtype)
	n, in, groups := x.shape[0], x.shape[1], c.int("group", 1)
	must(groups > 0 && in > 0 && w.shape[0] == in && in%groups == 0, "weights of shape %v for %v in %d groups", w.shape, x.shape, groups)
	per := w.shape[1]
	must(b == nil || b.len() == per*groups, "%d biases", per*groups)
	stride, dilation, pads, extra := c.ints("strides", 1, 1), c.ints("dilations", 1, 1), c.ints("pads", 0, 0, 0, 0), c.ints("output_padding", 0, 0)
	want := c.ints("output_shape")
	must(len(stride) == 2 && len(dilation) == 2 && len(pads) == 4 && len(extra) == 2 && (want == nil || len(want) >= 2), "strides, dilations or pads of another number of axes")
	var size, begin [2]int
	for a := range 2 {
		k, s, d := w.shape[2+a], stride[a], dilation[a]
		const most = 1 << 20
		must(min(k, s, d) >= 1 && max(s, d) <= most && min(pads[a], pads[2+a], extra[a]) >= 0 && max(pads[a], pads[2+a], extra[a]) <= most, "strides %v, dilations %v, pads %v", stride, dilation, pads)
		must(x.shape[2+a] > 0, "input of shape %v", x.shape)
		full := (x.shape[2+a]-1)*s + extra[a] + (k-1)*d + 1
		auto := c.string("auto_pad", "NOTSET")
		begin[a], size[a] = pads[a], full-pads[a]-pads[2+a]
		if want != nil {
			size[a] = want[len(want)-2+a]
		} else if auto == "SAME_UPPER" || auto == "SAME_LOWER" {
			size[a] = x.shape[2+a] * s
		}
		if want != nil || auto == "SAME_UPPER" || auto == "SAME_LOWER" {
			total := max(0, full-size[a])
			begin[a] = total / 2
			if auto == "SAME_LOWER" || auto == "NOTSET" {
				begin[a] = total - total/2
			}
		}
		must(size[a] > 0 && size[a] <= maxElements, "an output of length %d", size[a])
	}
	out := per * groups
	c.gives(0, x.dtype, []int{n, out, size[0], size[1]})
	h, wd, kh, kw := x.shape[2], x.shape[3], w.shape[2], w.shape[3]
	c.work = x.len() * per * kh * kw
	c.run = func(o, i []*tensor) {
		dst, plane := o[0].f, size[0]*size[1]
		for k := range dst {
			dst[k] = 0
			if b != nil {
				dst[k] = i[2].f[k/plane%out]
			}
		}
		for k, v := range i[0].f {
			xx, y, ch, item := k%wd, k/wd%h, k/(wd*h)%in, k/(wd*h*in)
			for oc := range per {
				to := (item*out + ch/(in/groups)*per + oc) * plane
				for ky := range kh {
					ty := y*stride[0] + ky*dilation[0] - begin[0]
					if ty < 0 || ty >= size[0] {
						continue
					}
					for kx := range kw {
						if tx := xx*stride[1] + kx*dilation[1] - begin[1]; tx >= 0 && tx < size[1] {
							dst[to+ty*size[1]+tx] += v * i[1].f[((ch*per+oc)*kh+ky)*kw+kx]
						}
					}
				}
			}
		}
	}
}

// A pooling marks a MaxPool or AveragePool.
type pooling struct {
	spec    blas.PoolSpec
	largest bool
}

func (c *call) pool(largest bool) {
	x := c.x(0)
	c.one()
	p, oh, ow := c.slide(x.shape, c.ints("kernel_shape"), c.int("ceil_mode", 0) != 0)
	p.CountPad = c.int("count_include_pad", 0) != 0
	c.pooled(x, p, oh, ow, largest)
}

func (c *call) pooled(x *value, p blas.PoolSpec, oh, ow int, largest bool) {
	h, w := plane(x.shape)
	n, channels := x.shape[0], x.shape[1]
	c.gives(0, x.dtype, images(n, channels, oh, ow, x.shape))
	c.work = c.out[0].len() * p.KernelH * p.KernelW
	// A window that ceil_mode lets reach beyond the padding is cut there, which
	// matters only to an average that counts the padding.
	beyond := (oh-1)*p.StrideH+(p.KernelH-1)*p.DilationH >= h+p.Top+p.Bottom || (ow-1)*p.StrideW+(p.KernelW-1)*p.DilationW >= w+p.Left+p.Right
	if (largest || !p.CountPad || !beyond) && hitsAll(oh, p.KernelH, p.StrideH, p.DilationH, p.Top, h) && hitsAll(ow, p.KernelW, p.StrideW, p.DilationW, p.Left, w) {
		c.layer = pooling{p, largest}
	}
	c.run = func(o, i []*tensor) {
		k := 0
		for ch := range n * channels {
			for y := range oh {
				for xx := range ow {
					sum, count := 0.0, 0
					if largest {
						sum = math.Inf(-1)
					}
					for ky := range p.KernelH {
						for kx := range p.KernelW {
							sy, sx := y*p.StrideH+ky*p.DilationH-p.Top, xx*p.StrideW+kx*p.DilationW-p.Left
							inside := sy >= 0 && sx >= 0 && sy < h && sx < w
							if inside || p.CountPad && sy < h+p.Bottom && sx < w+p.Right {
								count++
							}
							if !inside {
								continue
							}
							v := i[0].at((ch*h+sy)*w + sx)
							if largest {
								sum = max(sum, v)
							} else {
								sum += v
							}
						}
					}
					if !largest {
						sum /= float64(max(1, count))
					}
					o[0].set(k, sum)
					k++
				}
			}
		}
	}
}

// hitsAll says whether each of n windows along an axis has a pixel that is not
// padding.
func hitsAll(n, kernel, stride, dilation, pad, size int) bool {
	for k := range n {
		first := k*stride - pad
		if first < 0 { // the first pixel of the window that is not above the image
			j := (-first + dilation - 1) / dilation
			if j >= kernel {
				return false
			}
			first += j * dilation
		}
		if first >= size {
			return false
		}
	}
	return true
}

// globalPooling marks a mean over height and width that is not a pooling.
type globalPooling struct{}

func (c *call) globalPool(largest bool) {
	x := c.x(0)
	c.one()
	must(len(x.shape) == 3 || len(x.shape) == 4, "input of shape %v; images of two axes, or signals of one, are supported", x.shape)
	h, w := plane(x.shape)
	must(h > 0 && w > 0, "input of shape %v", x.shape)
	c.pooled(x, blas.GlobalPool(h, w), 1, 1, largest)
}

// An affine marks scale·x + shift a channel.
type affine struct{ scale, shift []float32 }

func (c *call) batchNormalization() {
	x := c.x(0)
	c.one()
	must(c.int("training_mode", 0) == 0, "training is not supported")
	channels := 1
	if len(x.shape) > 1 {
		channels = x.shape[1]
	}
	for k := 1; k < 5; k++ {
		must(c.x(k).len() == channels && c.x(k).dtype.float(), "%d channels, and input %d has shape %v", channels, k, c.x(k).shape)
	}
	c.gives(0, x.dtype, x.shape)
	epsilon := float64(c.float("epsilon", 1e-5))
	fold := func(i []*tensor, ch int) (scale, shift float64) {
		scale = i[1].at(ch) / math.Sqrt(i[4].at(ch)+epsilon)
		return scale, i[2].at(ch) - i[3].at(ch)*scale
	}
	if !slices.ContainsFunc(c.in[1:5], func(v *value) bool { return !v.constant }) {
		var a affine
		for ch := range channels {
			in := []*tensor{nil, &c.in[1].tensor, &c.in[2].tensor, &c.in[3].tensor, &c.in[4].tensor}
			scale, shift := fold(in, ch)
			a.scale, a.shift = append(a.scale, float32(scale)), append(a.shift, float32(shift))
			must(a.scale[ch] == a.scale[ch] && a.shift[ch] == a.shift[ch], "the scale of channel %d is NaN", ch)
		}
		c.layer = a
	}
	inner := x.len() / max(1, channels)
	if len(x.shape) > 0 {
		inner /= max(1, x.shape[0])
	}
	if len(x.shape) == 1 {
		inner = x.len()
	}
	c.run = func(o, i []*tensor) {
		for k := range o[0].len() {
			scale, shift := fold(i, k/max(1, inner)%channels)
			o[0].f[k] = float32(i[0].at(k)*scale + shift)
		}
	}
}

// A product marks x·w + bias, with constant weights as a 1×1 convolution has
// them, outputs × inputs.
type product struct {
	weights  []float32
	bias     []float32
	in, outs int
}

// multiply is the product of matrices m×k and k×n at given offsets and strides.
func multiply(o, a, b []float32, m, n, k, am, ak, bk, bn int, alpha float64) {
	for y := range m {
		for x := range n {
			sum := 0.0
			for j := range k {
				sum += float64(a[y*am+j*ak]) * float64(b[j*bk+x*bn])
			}
			o[y*n+x] = float32(alpha * sum)
		}
	}
}

func (c *call) gemm() {
	a, b, bias := c.x(0), c.x(1), c.optional(2)
	c.one()
	must(len(a.shape) == 2 && len(b.shape) == 2, "matrices of shape %v and %v", a.shape, b.shape)
	must(a.dtype.float() && b.dtype.float() && (bias == nil || bias.dtype.float()), "types %v and %v", a.dtype, b.dtype)
	must(c.int("broadcast", 1) == 1 || c.opset >= 7, "a product without broadcasting")
	m, k, am, ak := a.shape[0], a.shape[1], a.shape[1], 1
	if c.int("transA", 0) != 0 {
		m, k, am, ak = k, m, 1, a.shape[1]
	}
	k2, n, bk, bn := b.shape[0], b.shape[1], b.shape[1], 1
	if c.int("transB", 0) != 0 {
		k2, n, bk, bn = n, k2, 1, b.shape[1]
	}
	must(k == k2, "matrices of shape %v and %v", a.shape, b.shape)
	c.gives(0, a.dtype, []int{m, n})
	c.work = m * n * k
	alpha, beta := float64(c.float("alpha", 1)), float64(c.float("beta", 1))
	var sb []int
	if bias != nil {
		must(slices.Equal(broadcast(bias.shape, c.out[0].shape), c.out[0].shape), "a bias of shape %v", bias.shape)
		sb = spread(bias.shape, c.out[0].shape)
	}
	if m == 1 && ak == 1 && b.constant && (bias == nil || bias.constant) && n > 0 && k > 0 && !a.constant {
		p := product{in: k, outs: n, weights: transposed(b.f, k, n, bk, bn, float32(alpha)), bias: make([]float32, n)}
		for j := range n {
			if bias != nil {
				p.bias[j] = float32(beta) * bias.f[j*sb[1]]
			}
		}
		c.layer = p
	}
	c.run = func(o, i []*tensor) {
		multiply(o[0].f, i[0].f, i[1].f, m, n, k, am, ak, bk, bn, alpha)
		if bias != nil {
			x := 0
			each(o[0].shape, sb, sb, func(at, _ int) {
				o[0].f[x] += float32(beta * float64(i[2].f[at]))
				x++
			})
		}
	}
}

// transposed is alpha·b as outputs × inputs.
func transposed(b []float32, k, n, bk, bn int, alpha float32) []float32 {
	if bk == 1 && bn == k && alpha == 1 {
		return b
	}
	w := make([]float32, 0, n*k)
	for x := range n {
		for j := range k {
			w = append(w, alpha*b[j*bk+x*bn])
		}
	}
	return w
}

func (c *call) matMul() {
	a, b := c.x(0), c.x(1)
	c.one()
	must(a.dtype.float() && b.dtype.float(), "types %v and %v", a.dtype, b.dtype)
	must(len(a.shape) > 0 && len(b.shape) > 0, "a scalar")
	// A vector is a matrix of one row on the left, of one column on the right.
	as, bs := a.shape, b.shape
	if len(as) == 1 {
		as = []int{1, as[0]}
	}
	if len(bs) == 1 {
		bs = []int{bs[0], 1}
	}
	la, lb := len(as)-2, len(bs)-2
	m, k, n := as[la], as[la+1], bs[lb+1]
	must(k == bs[lb], "matrices of shape %v and %v", a.shape, b.shape)
	many := broadcast(as[:la], bs[:lb])
	shape := slices.Clone(many)
	if len(a.shape) > 1 {
		shape = append(shape, m)
	}
	if len(b.shape) > 1 {
		shape = append(shape, n)
	}
	c.gives(0, a.dtype, shape)
	c.work = c.out[0].len() * k
	sa, sb := spread(as[:la], many), spread(bs[:lb], many)
	if la == 0 && m == 1 && lb == 0 && len(b.shape) == 2 && b.constant && !a.constant && n > 0 && k > 0 {
		c.layer = product{in: k, outs: n, weights: transposed(b.f, k, n, n, 1, 1), bias: make([]float32, n)}
	}
	c.run = func(o, i []*tensor) {
		at := 0
		each(many, sa, sb, func(x, y int) {
			multiply(o[0].f[at:], i[0].f[x*m*k:], i[1].f[y*k*n:], m, n, k, k, 1, n, 1, 1)
			at += m * n
		})
	}
}

// along calls f for each line of x along an axis, which has n elements, and
// inner elements from one to the next.
func along(outer, n, inner int, f func(first int)) {
	for o := range outer {
		for i := range inner {
			f(o*n*inner + i)
		}
	}
}

func (c *call) softmax() {
	x := c.x(0)
	c.one()
	must(x.dtype.float(), "type %v", x.dtype)
	c.gives(0, x.dtype, x.shape)
	a := axisOf(c.int("axis", map[bool]int{true: -1, false: 1}[c.opset >= 13]), max(1, len(x.shape)))
	outer, n, inner := 1, x.len(), 1
	if len(x.shape) > 0 {
		outer, n, inner = elements(x.shape[:a]), x.shape[a], elements(x.shape[a+1:])
	}
	if c.opset < 13 { // over all axes from a on
		n, inner = n*inner, 1
	}
	c.run = func(o, i []*tensor) {
		x, y := i[0].f, o[0].f
		along(outer, n, inner, func(first int) {
			most, sum := math.Inf(-1), 0.0
			for k := range n {
				most = max(most, float64(x[first+k*inner]))
			}
			for k := range n {
				sum += math.Exp(float64(x[first+k*inner]) - most)
			}
			for k := range n {
				y[first+k*inner] = float32(math.Exp(float64(x[first+k*inner])-most) / sum)
			}
		})
	}
}

func (c *call) lpNormalization() {
	x := c.x(0)
	c.one()
	p := c.int("p", 2)
	must(x.dtype.float() && (p == 1 || p == 2), "p = %d of %v", p, x.dtype)
	a := axisOf(c.int("axis", -1), len(x.shape))
	c.gives(0, x.dtype, x.shape)
	outer, n, inner := elements(x.shape[:a]), x.shape[a], elements(x.shape[a+1:])
	c.run = func(o, i []*tensor) {
		x, y := i[0].f, o[0].f
		along(outer, n, inner, func(first int) {
			sum := 0.0
			for k := range n {
				v := math.Abs(float64(x[first+k*inner]))
				if p == 2 {
					v *= v
				}
				sum += v
			}
			if p == 2 {
				sum = math.Sqrt(sum)
			}
			if sum == 0 { // as onnxruntime: zeros stay zeros
				sum = 1
			}
			for k := range n {
				y[first+k*inner] = float32(float64(x[first+k*inner]) / sum)
			}
		})
	}
}

// A padding marks a Pad with zeros; begin and end are those of each axis.
type padding struct{ begin, end []int }

func (c *call) pad() {
	x := c.x(0)
	c.one()
	pads := c.ints("pads", c.ints("paddings")...)
	if v := c.fixed(1); v != nil {
		pads = v.integers()
	}
	n := len(x.shape)
	axes := make([]int, n)
	for a := range axes {
		axes[a] = a
	}
	if v := c.fixed(3); v != nil {
		axes = v.integers()
	}
	must(len(pads) == 2*len(axes), "%d pads for %d axes", len(pads), len(axes))
	begin, end := make([]int, n), make([]int, n)
	for k, a := range axes {
		a = axisOf(a, n)
		begin[a], end[a] = pads[k], pads[len(axes)+k]
	}
	fill := float64(c.float("value", 0))
	if v := c.fixed(2); v != nil {
		must(v.len() == 1, "a value of shape %v", v.shape)
		fill = v.at(0)
	}
	mode := c.string("mode", "constant")
	// from[a] is where each index of axis a comes from; −1 is the fill.
	shape, from := make([]int, n), make([][]int, n)
	for a, size := range x.shape {
		must(max(begin[a], -begin[a], end[a], -end[a]) <= maxElements, "pads %v", pads)
		shape[a] = size + begin[a] + end[a]
		must(shape[a] >= 0 && shape[a] <= maxTable && (mode == "constant" || size > 0), "pads %v for %v", pads, x.shape)
	}
	c.gives(0, x.dtype, shape)
	for a, size := range x.shape {
		from[a] = make([]int, shape[a])
		for k := range from[a] {
			s := k - begin[a]
			switch mode {
			case "constant":
				if s < 0 || s >= size {
					s = -1
				}
			case "edge":
				s = min(max(s, 0), size-1)
			case "reflect":
				if s < 0 {
					s = -s
				} else if s >= size {
					s = 2*(size-1) - s
				}
				must(s >= 0 && s < size, "pads %v for %v", pads, x.shape)
			default:
				refuse("mode %q", mode)
			}
			from[a][k] = s
		}
	}
	if mode == "constant" && fill == 0 && x.dtype.float() {
		c.layer = padding{begin, end}
	}
	c.gathered(shape, from, fill)
}

// gathered makes the output from elements of the first input: index k of axis a
// is index from[a][k] there, or the fill where that is −1.
func (c *call) gathered(shape []int, from [][]int, fill float64) {
	own := strides(c.x(0).shape)
	c.run = func(o, i []*tensor) {
		var index [maxRank]int
		for k := range o[0].len() {
			at, outside := 0, false
			for a := range shape {
				s := from[a][index[a]]
				outside = outside || s < 0
				at += s * own[a]
			}
			if outside {
				o[0].set(k, fill)
			} else {
				o[0].set(k, i[0].at(at))
			}
			for a := len(shape) - 1; a >= 0; a-- {
				if index[a]++; index[a] < shape[a] {
					break
				}
				index[a] = 0
			}
		}
	}
}

// A enlarging marks a nearest Resize of images: where each row and column
// comes from.
type enlarging struct{ rows, columns []int }

// resize is Resize and its ancestor Upsample, nearest and linear.
func (c *call) resize() {
	x := c.x(0)
	c.one()
	n := len(x.shape)
	var sizes []int
	scales := c.floats("scales")
	given := c.fixed(1)
	if c.op == "Resize" && c.opset >= 11 {
		given = c.fixed(2)
		if v := c.fixed(3); v != nil && v.len() > 0 {
			sizes = v.integers()
		}
	}
	if given != nil && given.len() > 0 {
		must(given.dtype.float(), "scales of type %v", given.dtype)
		scales = given.f
	}
	must(c.int("antialias", 0) == 0, "antialias is not supported")
	must(c.string("keep_aspect_ratio_policy", "stretch") == "stretch", "only the policy stretch is supported")
	axes := c.ints("axes")
	if axes == nil {
		for a := range n {
			axes = append(axes, a)
		}
	}
	must(len(sizes) == len(axes) || sizes == nil && len(scales) == len(axes), "%d sizes and %d scales for %d axes", len(sizes), len(scales), len(axes))
	shape, scale := slices.Clone(x.shape), slices.Repeat([]float64{1}, n)
	for k, a := range axes {
		a = axisOf(a, n)
		must(x.shape[a] > 0 && x.shape[a] <= maxTable, "input of shape %v", x.shape)
		if sizes != nil {
			shape[a], scale[a] = sizes[k], float64(sizes[k])/float64(x.shape[a])
		} else {
			scale[a] = float64(scales[k])
			must(scale[a] > 0 && scale[a] <= maxElements, "scale %v", scale[a])
			shape[a] = int(min(math.Floor(float64(x.shape[a])*scale[a]), maxElements+1))
		}
		must(shape[a] > 0 && shape[a] <= maxTable, "sizes %v", shape)
	}
	c.gives(0, x.dtype, shape)
	transform := "asymmetric"
	if c.op == "Resize" && c.opset >= 11 {
		transform = c.string("coordinate_transformation_mode", "half_pixel")
	}
	rounding := c.string("nearest_mode", "round_prefer_floor")
	if c.op == "Upsample" || c.opset < 11 {
		rounding = "floor"
	}
	mode := c.string("mode", "nearest")
	must(mode == "nearest" || mode == "linear", "mode %q", mode)
	// Index k of axis a lies between low and high, at share of the way.
	low, high, share := make([][]int, n), make([][]int, n), make([][]float64, n)
	for a := range n {
		low[a], high[a], share[a] = make([]int, shape[a]), make([]int, shape[a]), make([]float64, shape[a])
		for k := range shape[a] {
			at := source(transform, float64(k), scale[a], x.shape[a], shape[a])
			if mode == "nearest" {
				at = nearest(rounding, at)
			}
			at = min(max(at, 0), float64(x.shape[a]-1))
			low[a][k] = int(at)
			high[a][k] = min(low[a][k]+1, x.shape[a]-1)
			share[a][k] = at - math.Floor(at)
		}
	}
	if mode == "nearest" {
		if n == 4 && shape[0] == x.shape[0] && shape[1] == x.shape[1] {
			c.layer = enlarging{low[2], low[3]}
		}
		c.gathered(shape, low, 0)
		return
	}
	must(x.dtype.float(), "type %v", x.dtype)
	c.linear(shape, low, high, share)
}

// source is where index k of an axis of length to lies on its source of length
// from.
func source(transform string, k, scale float64, from, to int) float64 {
	switch transform {
	case "half_pixel":
		return (k+0.5)/scale - 0.5
	case "pytorch_half_pixel":
		if to > 1 {
			return (k+0.5)/scale - 0.5
		}
		return 0
	case "align_corners":
		if to > 1 {
			return k * float64(from-1) / (float64(from)*scale - 1)
		}
		return 0
	case "asymmetric":
		return k / scale
	case "tf_half_pixel_for_nn":
		return (k + 0.5) / scale
	}
	refuse("coordinate_transformation_mode %q", transform)
	return 0
}

func nearest(rounding string, at float64) float64 {
	switch rounding {
	case "round_prefer_floor":
		return math.Ceil(at - 0.5)
	case "round_prefer_ceil":
		return math.Floor(at + 0.5)
	case "floor":
		return math.Floor(at)
	case "ceil":
		return math.Ceil(at)
	}
	refuse("nearest_mode %q", rounding)
	return 0
}

// linear interpolates along all axes at once, of which at most a few differ.
func (c *call) linear(shape []int, low, high [][]int, share [][]float64) {
	own := strides(c.x(0).shape)
	c.run = func(o, i []*tensor) {
		var index [maxRank]int
		for k := range o[0].len() {
			sum := 0.0
			for corner := range 1 << len(shape) {
				at, weight := 0, 1.0
				for a := range shape {
					s := share[a][index[a]]
					if corner>>a&1 == 0 {
						at, weight = at+low[a][index[a]]*own[a], weight*(1-s)
					} else {
						at, weight = at+high[a][index[a]]*own[a], weight*s
					}
					if weight == 0 {
						break
					}
				}
				if weight != 0 {
					sum += weight * float64(i[0].f[at])
				}
			}
			o[0].f[k] = float32(sum)
			for a := len(shape) - 1; a >= 0; a-- {
				if index[a]++; index[a] < shape[a] {
					break
				}
				index[a] = 0
			}
		}
	}
}
