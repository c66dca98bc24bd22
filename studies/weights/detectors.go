package main

import (
	"fmt"

	"nrdl.example/nrdl/internal/testing/onnxfile"
)

// A folded is a convolution with what is folded into its weights: a factor and a shift
// for each output channel.
type folded struct {
	filters       *tensor
	depthwise     bool
	factor, shift []float32 // factor may be nil
}

// convolved adds a convolution whose output has 1/stride of the sides of x, rounded up.
func (n *network) convolved(x, name string, f folded, stride int, more ...onnxfile.Attr) string {
	shape := f.filters.shape
	h, w, in, out := shape[0], shape[1], shape[2], shape[3]
	dims, groups := []int{out, in, h, w}, 1
	if f.depthwise {
		dims, groups, out = []int{in, 1, h, w}, in, in
	}
	scales := make([]float32, out)
	for o := range scales {
		scales[o] = float32(f.filters.scale)
		if f.factor != nil {
			scales[o] = float32(f.filters.scale * float64(f.factor[o]))
		}
	}
	inputs := []string{x, n.dequantised(name, turned(f.filters.quantised, shape), f.filters, scales, dims...)}
	if f.shift != nil {
		inputs = append(inputs, n.floats(name+"/bias", f.shift, out))
	}
	if len(more) == 0 {
		more = []onnxfile.Attr{one("auto_pad", "SAME_UPPER")}
	}
	return n.node("Conv", name, inputs, append(more, many("kernel_shape", h, w), square("strides", stride), one("group", groups))...)
}

// separable adds a depthwise and a pointwise convolution.
func (n *network) separable(x, name string, stride int, more ...onnxfile.Attr) string {
	x = n.convolved(x, name+"/depthwise", folded{filters: n.weights[name+"/depthwise_filter"], depthwise: true}, stride, more...)
	return n.convolved(x, name, folded{filters: n.weights[name+"/pointwise_filter"], shift: n.weights[name+"/bias"].floats}, 1)
}

// normalised adds (x − mean)·scale of the channels.
func (n *network) normalised(x string, scale float32, mean ...float32) string {
	x = n.node("Sub", "centred", []string{x, n.floats("mean", mean, 1, 3, 1, 1)})
	return n.node("Mul", "scaled", []string{x, n.floats("scale", []float32{scale}, 1, 1, 1, 1)})
}

// landmarks is face-api's network of 68 landmarks. Its input is a face of 112×112
// pixels, RGB, 0 … 255; its output has x and y of each landmark, shares of the sides.
func (w weights) landmarks() []byte {
	const side, points = 112, 68
	n := &network{weights: w}
	relu := func(x string) string { return n.node("Relu", x+"/relu", []string{x}) }
	x := n.normalised("face", 1./255, 122.782, 117.001, 104.298)
	for block := range 4 {
		name := fmt.Sprintf("dense%d/conv", block)
		if block == 0 {
			x = relu(n.convolved(x, name+"0", folded{filters: w[name+"0/filters"], shift: w[name+"0/bias"].floats}, 2))
		} else {
			x = relu(n.separable(x, name+"0", 2))
		}
		sum := x
		for layer := 1; layer <= 3; layer++ {
			y := n.separable(x, fmt.Sprint(name, layer), 1)
			sum = n.node("Add", fmt.Sprint(name, layer, "/sum"), []string{y, sum})
			x = relu(sum)
		}
	}
	x = n.node("GlobalAveragePool", "pooled", []string{x})
	x = n.node("Flatten", "flat", []string{x})
	x = n.node("MatMul", "product", []string{x, n.floats("fc", w["fc/weights"].floats, w["fc/weights"].shape...)})
	n.node("Add", "landmarks", []string{x, n.floats("fc/bias", w["fc/bias"].floats, 2*points)})
	return n.model("68 landmarks of a face", value("face", 1, 3, side, side), []end{value("landmarks", 1, 2*points)}, [][2]string{{"source", npmPackage}})
}
