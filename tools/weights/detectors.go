package main

import (
	"fmt"
	"log"
	"math"
	"slices"

	"nrdl.example/nrdl/internal/kit/testing/onnxfile"
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
	inputs := []string{x, n.dequantised(name, turned(f.filters.weights, shape), f.filters, scales, dims...)}
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

// ssd is the detector SSD MobileNet v1. Its input is RGB, 0 … 255, of any size. Its
// outputs are, for each prior, the encoded box (y, x, height, width) and the score.
// What a box is relative to is in the file as formula and not as table: package face
// has it, and this function checks it against the table.
func (w weights) ssd() []byte {
	w.checkPriors()
	n := &network{weights: w}
	x := n.normalised("image", 1/127.5, 127.5, 127.5, 127.5)
	six := func(x string) string {
		return n.node("Clip", x+"/clip", []string{x, "zero", "six"})
	}
	n.floats("zero", []float32{0})
	n.floats("six", []float32{6})
	pointwise := func(x, name string, stride int) string {
		f := folded{filters: w[name+"_pointwise/weights"], shift: w[name+"_pointwise/convolution_bn_offset"].floats}
		return six(n.convolved(x, name+"_pointwise", f, stride))
	}
	x = pointwise(x, "MobilenetV1/Conv2d_0", 2)
	var conv11 string
	for layer := 1; layer <= 13; layer++ {
		name := fmt.Sprintf("MobilenetV1/Conv2d_%d", layer)
		stride := 1
		if slices.Contains([]int{2, 4, 6, 12}, layer) {
			stride = 2
		}
		x = six(n.convolved(x, name+"_depthwise", w.normalisation(name+"_depthwise"), stride))
		x = pointwise(x, name, 1)
		if layer == 11 {
			conv11 = x
		}
	}
	levels := []string{conv11, x}
	for layer := 0; layer < 8; layer += 2 {
		x = pointwise(x, fmt.Sprintf("Prediction/Conv2d_%d", layer), 1)
		x = pointwise(x, fmt.Sprintf("Prediction/Conv2d_%d", layer+1), 2)
		levels = append(levels, x)
	}
	var boxes, scores []string
	n.integers("as boxes", 0, -1, 4)
	n.integers("as scores", 0, -1, 1)
	for i, x := range levels {
		name := fmt.Sprintf("Prediction/BoxPredictor_%d/", i)
		head := func(kind, as string, filters *tensor, bias []float32) string {
			y := n.convolved(x, name+kind, folded{filters: filters, shift: bias}, 1)
			y = n.node("Transpose", y+"/last", []string{y}, many("perm", 0, 2, 3, 1))
			return n.node("Reshape", y+"/list", []string{y, as})
		}
		kind := name + "BoxEncodingPredictor"
		boxes = append(boxes, head("BoxEncodingPredictor", "as boxes", w[kind+"/weights"], w[kind+"/biases"].floats))
		kind = name + "ClassPredictor"
		filters, bias := ofFaces(w[kind+"/weights"], w[kind+"/biases"].floats)
		scores = append(scores, head("ClassPredictor", "as scores", filters, bias))
	}
	n.node("Concat", "boxes", boxes, one("axis", 1))
	n.node("Sigmoid", "scores", []string{n.node("Concat", "logits", scores, one("axis", 1))})
	return n.model("SSD MobileNet v1 of faces", value("image", 1, 3, "height", "width"),
		[]end{value("boxes", 1, "priors", 4), value("scores", 1, "priors", 1)}, [][2]string{{"preset", "ssd"}, {"source", npmPackage}})
}

// ofFaces keeps of three classes that of faces, the second.
func ofFaces(filters *tensor, bias []float32) (*tensor, []float32) {
	const classes, faces = 3, 1
	in, out := filters.shape[2], filters.shape[3]
	kept := &tensor{shape: []int{1, 1, in, out / classes}, scale: filters.scale, minimum: filters.minimum}
	for i := range in {
		for o := faces; o < out; o += classes {
			kept.weights = append(kept.weights, filters.weights[i*out+o])
		}
	}
	var some []float32
	for o := faces; o < out; o += classes {
		some = append(some, bias[o])
	}
	return kept, some
}

// normalisation folds batch normalisation into a depthwise convolution.
func (w weights) normalisation(name string) folded {
	const epsilon = 0.0010000000474974513
	f := folded{filters: w[name+"/depthwise_weights"], depthwise: true}
	batch := func(what string) []float32 { return w[name+"/BatchNorm/"+what].floats }
	for c, gamma := range batch("gamma") {
		factor := float64(gamma) / math.Sqrt(float64(batch("moving_variance")[c])+epsilon)
		f.factor = append(f.factor, float32(factor))
		f.shift = append(f.shift, float32(float64(batch("beta")[c])-factor*float64(batch("moving_mean")[c])))
	}
	return f
}

// checkPriors ends the program unless the table of the package, corners from 0 to 1 at
// 512 pixels, has the priors of the formula.
func (w weights) checkPriors() {
	const side, near = 512, 1e-4
	scales := []float64{0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1}
	table, at := w["Output/extra_dim"].floats, 0
	for level, scale := range scales[:6] {
		cells := side / 16 >> level
		shapes := [][2]float64{{scale, 1}, {math.Sqrt(scale * scales[level+1]), 1}, {scale, 2}, {scale, 0.5}, {scale, 3}, {scale, 1. / 3}}
		if level == 0 {
			shapes = [][2]float64{{0.1, 1}, {scale, 2}, {scale, 0.5}}
		}
		for cell := range cells * cells {
			y, x := (float64(cell/cells)+0.5)/float64(cells), (float64(cell%cells)+0.5)/float64(cells)
			for _, s := range shapes {
				h, w := s[0]/math.Sqrt(s[1]), s[0]*math.Sqrt(s[1])
				for i, v := range []float64{y - h/2, x - w/2, y + h/2, x + w/2} {
					if math.Abs(float64(table[at+i])-v) > near {
						log.Fatalf("prior %d is not that of the formula", at/4)
					}
				}
				at += 4
			}
		}
	}
	if at != len(table) {
		log.Fatalf("%d priors, not %d", len(table)/4, at/4)
	}
}

// tiny is face-api's tiny face detector, which is Tiny YOLO v2 with separable
// convolutions. Its input is RGB, 0 … 255, of any size. Its output has, for each cell of
// 32 pixels and each of 5 anchors, the encoded box (x, y, width, height) and the logit.
func (w weights) tiny() []byte {
	n := &network{weights: w}
	leaky := func(x string) string {
		return n.node("LeakyRelu", x+"/leaky", []string{x}, one("alpha", float32(0.1)))
	}
	half := func(x string, stride int) string {
		return n.node("MaxPool", x+"/pool", []string{x}, square("kernel_shape", 2), square("strides", stride), one("auto_pad", "SAME_UPPER"))
	}
	x := n.normalised("image", 1./255, 117.001, 114.697, 97.404)
	first := folded{filters: w["conv0/filters"], shift: w["conv0/bias"].floats}
	x = half(leaky(n.convolved(x, "conv0", first, 1, allSides("pads", 0))), 2)
	for layer := 1; layer <= 5; layer++ {
		stride := 2
		if layer == 5 {
			stride = 1
		}
		x = half(leaky(n.separable(x, fmt.Sprintf("conv%d", layer), 1)), stride)
	}
	x = n.convolved(x, "conv8", folded{filters: w["conv8/filters"], shift: w["conv8/bias"].floats}, 1)
	n.node("Transpose", "cells", []string{x}, many("perm", 0, 2, 3, 1))
	return n.model("tiny face detector", value("image", 1, 3, "height", "width"),
		[]end{value("cells", 1, "rows", "columns", 25)}, [][2]string{{"preset", "tiny"}, {"source", npmPackage}})
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
	return n.model("68 landmarks of a face", value("face", 1, 3, side, side), []end{value("landmarks", 1, 2*points)},
		[][2]string{{"source", npmPackage}})
}
