package network

import (
	"math"
	"slices"

	"nrdl.example/nrdl/internal/blas"
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
	const limit = 1 << 20
	var out, begin, end [2]int
	for a := range n {
		k, s, d := kernel[a], stride[a], dilation[a]
		must(min(k, s, d) >= 1 && max(k, s, d) <= limit, "kernel %v, strides %v, dilations %v", kernel, stride, dilation)
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
		must(min(begin[a], end[a]) >= 0 && max(begin[a], end[a]) <= limit, "pads %v", pads)
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
	must(len(w.shape) == len(x.shape), "weights of shape %v for %v", w.shape, x.shape)
	kernel := c.ints("kernel_shape", w.shape[2:]...)
	must(slices.Equal(kernel, w.shape[2:]), "a kernel of %v and weights of %v", kernel, w.shape)
	p, oh, ow := c.slide(x.shape, kernel, false)
	n, in, out, groups := x.shape[0], x.shape[1], w.shape[0], c.int("group", 1)
	must(groups > 0 && out > 0 && in == groups*w.shape[1] && in > 0 && out%groups == 0,
		"weights of shape %v for %v in %d groups", w.shape, x.shape, groups)
	must(b == nil || b.len() == out, "%v biases", out)
	c.gives(0, x.dtype, images(n, out, oh, ow, x.shape))
	h, wd := plane(x.shape)
	per := w.shape[1]
	c.work = times(c.outputs[0].len(), per, p.KernelH, p.KernelW)
	c.units = times(3, c.work) + 8*c.outputs[0].len()
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
	n, in, groups := x.shape[0], x.shape[1], c.int("group", 1)
	must(groups > 0 && in > 0 && w.shape[0] == in && in%groups == 0, "weights of shape %v for %v in %d groups", w.shape, x.shape, groups)
	per := w.shape[1]
	must(b == nil || b.len() == per*groups, "%d biases", per*groups)
	stride, dilation, pads, extra := c.ints("strides", 1, 1), c.ints("dilations", 1, 1),
		c.ints("pads", 0, 0, 0, 0), c.ints("output_padding", 0, 0)
	want := c.ints("output_shape")
	must(len(stride) == 2 && len(dilation) == 2 && len(pads) == 4 && len(extra) == 2 && (want == nil || len(want) >= 2),
		"strides, dilations or pads of another number of axes")
	size, begin := c.transposedSize(x.shape[2:], w.shape[2:], stride, dilation, pads, extra, want)
	out := per * groups
	c.gives(0, x.dtype, []int{n, out, size[0], size[1]})
	h, wd, kh, kw := x.shape[2], x.shape[3], w.shape[2], w.shape[3]
	c.work = times(x.len(), per, kh, kw)
	c.units = times(8, c.work) + 4*c.outputs[0].len() + 8*x.len()
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

// transposedSize is the size of the output of a ConvTranspose, and where the output begins
// in that without padding.
func (c *call) transposedSize(in, kernel, stride, dilation, pads, extra, want []int) (size, begin [2]int) {
	auto := c.string("auto_pad", "NOTSET")
	for a := range 2 {
		k, s, d := kernel[a], stride[a], dilation[a]
		const limit = 1 << 20
		must(min(k, s, d) >= 1 && max(s, d) <= limit && min(pads[a], pads[2+a], extra[a]) >= 0 && max(pads[a], pads[2+a], extra[a]) <= limit,
			"strides %v, dilations %v, pads %v", stride, dilation, pads)
		must(in[a] > 0, "an input of size %v", in)
		full := (in[a]-1)*s + extra[a] + (k-1)*d + 1
		begin[a], size[a] = pads[a], full-pads[a]-pads[2+a]
		if want != nil {
			size[a] = want[len(want)-2+a]
		} else if auto == "SAME_UPPER" || auto == "SAME_LOWER" {
			size[a] = in[a] * s
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
	return size, begin
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
	c.work = times(c.outputs[0].len(), p.KernelH, p.KernelW)
	c.units = times(4, c.work) + 16*c.outputs[0].len()
	c.spend(oh + ow) // of hitsAll
	// A window that ceil_mode lets reach beyond the padding is cut there, which
	// matters only to an average that counts the padding.
	beyond := (oh-1)*p.StrideH+(p.KernelH-1)*p.DilationH >= h+p.Top+p.Bottom || (ow-1)*p.StrideW+(p.KernelW-1)*p.DilationW >= w+p.Left+p.Right
	if (largest || !p.CountPad || !beyond) && hitsAll(oh, p.KernelH, p.StrideH, p.DilationH, p.Top, h) &&
		hitsAll(ow, p.KernelW, p.StrideW, p.DilationW, p.Left, w) {
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
		must(c.x(k).len() == channels, "%d channels, and input %d has shape %v", channels, k, c.x(k).shape)
	}
	c.gives(0, x.dtype, x.shape)
	epsilon := float64(c.float("epsilon", 1e-5))
	fold := func(i []*tensor, ch int) (scale, shift float64) {
		scale = i[1].at(ch) / math.Sqrt(i[4].at(ch)+epsilon)
		return scale, i[2].at(ch) - i[3].at(ch)*scale
	}
	if !slices.ContainsFunc(c.inputs[1:5], func(v *value) bool { return !v.constant }) {
		var a affine
		c.spend(times(20, channels))
		c.take(channels, 8)
		for ch := range channels {
			in := []*tensor{nil, &c.inputs[1].tensor, &c.inputs[2].tensor, &c.inputs[3].tensor, &c.inputs[4].tensor}
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
