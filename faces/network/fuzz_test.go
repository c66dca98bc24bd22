package network

import (
	"math"
	"math/rand/v2"
	"testing"

	"nrdl.example/nrdl/internal/kit/testing/onnxfile"
)

// detector is a small network with what detectors have: an enlarged image joined
// to another, a depthwise layer, pooling with ceil_mode, pads, and two outputs.
func detector() []byte {
	var g onnxfile.Graph
	attr := func(name string, value any) onnxfile.Attr { return onnxfile.Attr{Name: name, Value: value} }
	weights := func(dims ...int) string {
		n := 1
		for _, d := range dims {
			n *= d
		}
		w := make([]float32, n)
		for k := range w {
			w[k] = float32(math.Sin(float64(3*k+1))) / 2
		}
		return g.Floats(w, dims...)
	}
	g.Input("x", onnxfile.Float32, "N", 3, 9, 11)
	x := g.Node("Mul", []string{g.Node("Sub", []string{"x", weights(3, 1, 1)}), weights(1)})
	x = g.Node("LeakyRelu", []string{g.Node("Conv", []string{x, weights(6, 3, 3, 3), weights(6)}, attr("auto_pad", "SAME_UPPER"))},
		attr("alpha", float32(0.1)))
	low := g.Node("MaxPool", []string{x}, attr("kernel_shape", []int{2, 2}), attr("strides", []int{2, 2}), attr("ceil_mode", 1))
	low = g.Node("Conv", []string{low, weights(6, 1, 5, 5)}, attr("pads", []int{2, 2, 2, 2}), attr("group", 6))
	low = g.Node("Clip", []string{g.Node("BatchNormalization", []string{
		low, weights(6), weights(6),
		weights(6), g.Floats([]float32{1, 2, 3, 1, 2, 3}, 6),
	}), g.Floats([]float32{0}), g.Floats([]float32{6})})
	high := g.Node("Resize", []string{low, "", g.Floats([]float32{1, 1, 2, 2}, 4)},
		attr("coordinate_transformation_mode", "asymmetric"), attr("nearest_mode", "floor"))
	high = g.Node("Slice", []string{high, g.Ints(0, 0), g.Ints(9, 11), g.Ints(2, 3)})
	y := g.Node("Concat", []string{x, high}, attr("axis", 1))
	y = g.Node("Add", []string{y, g.Node("Pad", []string{x, g.Ints(0, 4, 0, 0, 0, 2, 0, 0)})})
	y = g.Node("Conv", []string{y, weights(4, 12, 1, 1), weights(4)})
	boxes := g.Node("Reshape", []string{g.Node("Transpose", []string{y}, attr("perm", []int{0, 2, 3, 1})), g.Ints(0, -1, 4)})
	g.Nodes("Sigmoid", []string{boxes}, []string{"boxes"})
	norm := g.Node("ReduceL2", []string{g.Node("ReduceMean", []string{y}, attr("axes", []int{2, 3}), attr("keepdims", 0))},
		attr("axes", []int{1}))
	flat := g.Node("Flatten", []string{g.Node("AveragePool", []string{low}, attr("kernel_shape", []int{2, 2}),
		attr("pads", []int{1, 0, 1, 0}), attr("count_include_pad", 1))})
	g.Nodes("Div", []string{g.Node("Gemm", []string{flat, weights(180, 7), weights(7)}), norm}, []string{"scores"})
	g.Output("boxes", onnxfile.Float32, "N", 99, 4)
	g.Output("scores", onnxfile.Float32, "N", 7)
	return g.Bytes(12)
}

// least and most bound the numbers of a graph that is compared. Outside, the products of
// three constants leave float32, or sums do in one order and not in another.
const lower, upper = 1e-12, 1e30

// inRange is whether float32 keeps its precision in every order of the operations: no
// number is NaN or above most, and no constant is near zero and not zero.
func inRange(values []*tensor, constants bool) bool {
	for _, x := range values {
		for _, v := range x.f {
			if a := math.Abs(float64(v)); !(a <= upper) || constants && a < lower && a != 0 {
				return false
			}
		}
	}
	return true
}

// slack says how far rounding may take each output: ten times what it changes where every
// result of every call is off by some units in its last place. It is false where numbers
// leave the range of float32.
func slack(g *graph, inputs, want []*tensor) ([]float64, bool) {
	off := make([]float64, len(want))
	random := rand.New(rand.NewPCG(1, 1))
	for range 4 {
		fits := true
		got := g.interpret(inputs, func(out []*tensor) {
			fits = fits && inRange(out, false)
			for _, x := range out {
				for k, v := range x.f {
					x.f[k] = v + float32((2*random.Float64()-1)*(1e-6*math.Abs(float64(v))+1e-37))
				}
			}
		})
		if !fits {
			return nil, false
		}
		for k, w := range want {
			for e := range w.len() {
				off[k] = max(off[k], 10*math.Abs(got[k].at(e)-w.at(e)))
			}
		}
	}
	return off, true
}

// twins compares a plan with its graph, call by call, where float32 allows it. It returns
// the largest error that it allowed, as a part of the largest number of that output.
func twins(t *testing.T, g *graph) (allowed float64) {
	var inputs []*tensor
	for _, v := range g.inputs {
		x := &tensor{dtype: v.dtype, shape: v.shape}
		x.allocate()
		for e := range x.len() {
			x.set(e, 3*math.Sin(float64(e)))
		}
		inputs = append(inputs, x)
	}
	got := planned(g, newBudget(t.Context(), 0), inputs)
	for _, v := range g.values {
		if v.constant && !inRange([]*tensor{{f: v.f}}, true) {
			return math.Inf(1)
		}
	}
	exact := true
	want := g.interpret(inputs, func(out []*tensor) { exact = exact && inRange(out, false) })
	off, fits := slack(g, inputs, want)
	if !exact || !fits {
		return math.Inf(1)
	}
	for k, w := range want {
		scale := 0.0
		for e := range w.len() {
			scale = max(scale, math.Abs(w.at(e)))
		}
		allowed = max(allowed, off[k]/scale)
		for e := range w.len() {
			if d := math.Abs(w.at(e) - got[k].at(e)); !(d <= 1e-5*scale+off[k]) {
				t.Fatalf("output %d, element %d: %g, not %g", k, e, got[k].at(e), w.at(e))
			}
		}
	}
	return allowed
}

// stretched is an enlarged image whose channels are moved too: 1.2 times 4 of them are 4,
// and the last is the third.
func stretched() []byte {
	var g onnxfile.Graph
	g.Input("x", onnxfile.Float32, "N", 4, 2, 3)
	x := g.Node("Conv", []string{"x", g.Floats([]float32{1, 2, 3, 4}, 4, 1, 1, 1)}, onnxfile.Attr{Name: "group", Value: 4})
	g.Nodes("Resize", []string{x, "", g.Floats([]float32{1, 1.2, 2, 2}, 4)}, []string{"y"},
		onnxfile.Attr{Name: "coordinate_transformation_mode", Value: "asymmetric"}, onnxfile.Attr{Name: "nearest_mode", Value: "floor"})
	g.Output("y", onnxfile.Float32, "N", 4, 4, 6)
	return g.Bytes(13)
}

// A plan gives what its graph gives call by call.
func TestPlan(t *testing.T) {
	for _, data := range [][]byte{
		detector(), stretched(), onnxfile.IResNet(1, 16, 5, []int{2, 1}, []int{8, 12}),
		onnxfile.IResNet(2, 14, 3, []int{1, 2}, []int{5, 3}),
	} {
		g, p, err := read(t.Context(), data, nil)
		if err != nil {
			t.Fatal(err)
		}
		if allowed := twins(t, g); !(allowed < 1e-4) {
			t.Fatalf("an error of %g of the largest number would pass", allowed)
		}
		for _, s := range p.steps {
			if s.call != nil {
				t.Logf("call %v runs as it stands", s.call.node)
			}
		}
	}
}

// No file makes Open panic or take much memory, and a network that is accepted
// gives the same as planned and call by call.
func FuzzOpen(f *testing.F) {
	f.Add(detector())
	f.Add(onnxfile.IResNet(3, 4, 2, []int{1}, []int{2}))
	var g onnxfile.Graph
	g.Input("x", onnxfile.Float32, "N", 2, 3)
	g.Nodes("Softmax", []string{g.Node("MatMul", []string{"x", g.Floats([]float32{1, 2, 3}, 3, 1)})}, []string{"y"})
	g.Output("y", onnxfile.Float32, "N", 2, 1)
	f.Add(g.Bytes(13))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		g, p, err := read(t.Context(), data, nil)
		if err != nil {
			return
		}
		work := p.arena
		for _, c := range g.calls {
			work += c.units
		}
		if work < 1<<22 {
			twins(t, g)
		}
	})
}
