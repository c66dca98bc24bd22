package onnxfile

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// A builder writes networks of random weights.
type builder struct {
	Graph
	r *rand.Rand
}

func newBuilder(seed uint64) *builder { return &builder{r: rand.New(rand.NewPCG(seed, 0))} }

// random are weights of the variance that keeps the values of a layer in scale.
func (b *builder) random(dims ...int) string {
	n, fan := 1, 1
	for k, d := range dims {
		n *= d
		if k > 0 {
			fan *= d
		}
	}
	w := make([]float32, n)
	for k := range w {
		w[k] = float32(b.r.NormFloat64() * math.Sqrt(2/float64(fan)))
	}
	return b.Floats(w, dims...)
}

func (b *builder) conv(x string, in, out, kernel, stride, pad, groups int) string {
	w := b.random(out, in/groups, kernel, kernel)
	bias := b.Floats(make([]float32, out), out)
	return b.Node("Conv", []string{x, w, bias}, Attr{"kernel_shape", []int{kernel, kernel}}, Attr{"strides", []int{stride, stride}},
		Attr{"pads", []int{pad, pad, pad, pad}}, Attr{"group", groups})
}

func (b *builder) prelu(x string, channels int) string {
	return b.Node("PRelu", []string{x, b.Floats(slices.Repeat([]float32{0.25}, channels), channels, 1, 1)})
}

func (b *builder) norm(x string, channels int) string {
	in := []string{x}
	for k := range 4 { // scale, shift, mean, variance
		v := make([]float32, channels)
		for c := range v {
			v[c] = float32(b.r.NormFloat64() / 10)
			if k == 0 || k == 3 {
				v[c] = 1 + v[c]*v[c]
			}
		}
		in = append(in, b.Floats(v, channels))
	}
	return b.Node("BatchNormalization", in)
}

// MobileFaceNet is the network of that name, of inputs 3×112×112 and 128
// outputs, with random weights.
func MobileFaceNet(seed uint64) []byte {
	b := newBuilder(seed)
	b.Input("in", Float32, "batch", 3, 112, 112)
	x := b.prelu(b.conv("in", 3, 64, 3, 2, 1, 1), 64)
	x = b.prelu(b.conv(x, 64, 64, 3, 1, 1, 64), 64)
	in := 64
	bottleneck := func(out, wide, stride int) {
		y := b.prelu(b.conv(x, in, wide, 1, 1, 0, 1), wide)
		y = b.prelu(b.conv(y, wide, wide, 3, stride, 1, wide), wide)
		y = b.conv(y, wide, out, 1, 1, 0, 1)
		if stride == 1 && in == out {
			y = b.Node("Add", []string{y, x})
		}
		x, in = y, out
	}
	bottleneck(64, 128, 2)
	for range 4 {
		bottleneck(64, 128, 1)
	}
	bottleneck(128, 256, 2)
	for range 6 {
		bottleneck(128, 256, 1)
	}
	bottleneck(128, 512, 2)
	for range 2 {
		bottleneck(128, 256, 1)
	}
	x = b.prelu(b.conv(x, 128, 512, 1, 1, 0, 1), 512)
	x = b.conv(b.conv(x, 512, 512, 7, 1, 0, 512), 512, 128, 1, 1, 0, 1)
	b.Nodes("Flatten", []string{x}, []string{"out"})
	b.Output("out", Float32, "batch", 128)
	return b.Bytes(12)
}

// IResNet is the network of ArcFace with the given numbers of blocks at the
// given numbers of channels, of inputs 3×side×side, with random weights; IR-50 has
// 3, 4, 14 and 3 blocks of 64, 128, 256 and 512 channels and a side of 112.
func IResNet(seed uint64, side, outputs int, blocks, channels []int) []byte {
	b := newBuilder(seed)
	b.Input("in", Float32, "batch", 3, side, side)
	in := channels[0]
	x := b.prelu(b.conv("in", 3, in, 3, 1, 1, 1), in)
	for k, out := range channels {
		for i := range blocks[k] {
			stride := 1
			if i == 0 {
				stride = 2
				side = (side + 1) / 2
			}
			y := b.prelu(b.conv(b.norm(x, in), in, out, 3, 1, 1, 1), out)
			y = b.conv(y, out, out, 3, stride, 1, 1)
			if i == 0 {
				x = b.conv(x, in, out, 1, stride, 0, 1)
			}
			x, in = b.Node("Add", []string{y, x}), out
		}
	}
	x = b.Node("Flatten", []string{b.norm(x, in)})
	b.Nodes("Gemm", []string{x, b.random(outputs, in*side*side), b.Floats(make([]float32, outputs), outputs)},
		[]string{"out"}, Attr{"transB", 1})
	b.Output("out", Float32, "batch", outputs)
	return b.Bytes(12)
}

// Means is a network for tests whose three outputs are the means of the channels of an image of
// side×side pixels, with this metadata.
func Means(side int, metadata map[string]string) []byte { return means(3, side, 1, metadata) }

// MeansOf is Means for an image of so many channels.
func MeansOf(channels, side int) []byte { return means(channels, side, 1, nil) }

// MeansTwice is Means with the same output twice.
func MeansTwice(side int) []byte { return means(3, side, 2, nil) }

func means(channels, side, outputs int, metadata map[string]string) []byte {
	const opset = 13
	var g Graph
	g.Input("image", Float32, "batch", channels, side, side)
	for range outputs {
		out := g.Node("ReduceMean", []string{"image"}, Attr{Name: "axes", Value: []int{2, 3}}, Attr{Name: "keepdims", Value: 0})
		g.Output(out, Float32, "batch", channels)
	}
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		g.Meta(key, metadata[key])
	}
	return g.Bytes(opset)
}
