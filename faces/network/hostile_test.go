package network

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/kit/testing/onnxfile"
)

func attr(name string, value any) onnxfile.Attr { return onnxfile.Attr{Name: name, Value: value} }

// ones adds a constant of float32 and returns its name.
func ones(g *onnxfile.Graph, dims ...int) string {
	n := 1
	for _, d := range dims {
		n *= d
	}
	w := make([]float32, n)
	for k := range w {
		w[k] = 1
	}
	return g.Floats(w, dims...)
}

// whole adds a constant of int32 and returns its name.
func whole(g *onnxfile.Graph, name string, dims ...int) string {
	n := 4
	for _, d := range dims {
		n *= d
	}
	g.Add(onnxfile.NewTensor(name, onnxfile.Int32, make([]byte, n), dims...))
	return name
}

// A hostileFile is a file that is refused for what it says, or runs.
type hostileFile struct {
	name string
	want string // what the error says; "" if the network runs
	make func(g *onnxfile.Graph) (output string)
}

// square is the input of hostile files: an image of 3×8×8.
var square = []any{"N", 3, 8, 8}

var hostileFiles = []hostileFile{
	{"batch normalisation of integers", `(BatchNormalization): input 0 has type int32`, func(g *onnxfile.Graph) string {
		x := g.Node("Cast", []string{"x"}, attr("to", 6))
		return g.Node("BatchNormalization", []string{x, ones(g, 3), ones(g, 3), ones(g, 3), ones(g, 3)})
	}},
	{"integer bias of a convolution", `"Conv_y" (Conv): input 2 has type int32`, func(g *onnxfile.Graph) string {
		g.Nodes("Conv", []string{"x", ones(g, 3, 3, 1, 1), whole(g, "b", 3)}, []string{"y"})
		return "y"
	}},
	{"integer bias of a convolution of one axis", `(Conv): input 2 has type int32`, func(g *onnxfile.Graph) string {
		x := g.Node("Reshape", []string{"x", g.Ints(1, 3, 64)})
		return g.Node("Conv", []string{x, ones(g, 3, 3, 1), whole(g, "b", 3)})
	}},
	{"integer bias of a transposed convolution", `(ConvTranspose): input 2 has type int32`, func(g *onnxfile.Graph) string {
		return g.Node("ConvTranspose", []string{"x", ones(g, 3, 3, 1, 1), whole(g, "b", 3)})
	}},
	{"dropout with an empty training mode", `(Dropout): input 2 has shape [0], not one element`, func(g *onnxfile.Graph) string {
		g.Add(onnxfile.NewTensor("mode", 9, nil, 0))
		return g.Node("Dropout", []string{"x", "", "mode"})
	}},
	{"slice of an axis twice", `(Slice): axis 2 twice`, func(g *onnxfile.Graph) string {
		return g.Node("Slice", []string{"x", g.Ints(7, 7), g.Ints(8, 8), g.Ints(2, -2)})
	}},
	{"pads of an axis twice", `(Pad): axis 2 twice`, func(g *onnxfile.Graph) string {
		return g.Node("Pad", []string{"x", g.Ints(1, 1, 1, 1), "", g.Ints(2, 2)})
	}},
	{"resize of an axis twice", `(Resize): axis 2 twice`, func(g *onnxfile.Graph) string {
		return g.Node("Resize", []string{"x", "", g.Floats([]float32{2, 2}, 2)}, attr("axes", []int{2, -2}))
	}},
	{"sum over an axis twice", `(ReduceSum): axis 2 twice`, func(g *onnxfile.Graph) string {
		return g.Node("ReduceSum", []string{"x", g.Ints(2, 2)})
	}},
	{"squeeze of an axis twice", `(Squeeze): axis 0 twice`, func(g *onnxfile.Graph) string {
		return g.Node("Squeeze", []string{"x", g.Ints(0, -4)})
	}},
	{"too many inputs", `(Relu): it has 2 inputs; at most 1`, func(g *onnxfile.Graph) string {
		return g.Node("Relu", []string{"x", "x"})
	}},
	{"convolution without axes", `(Conv): input 0 has shape [1 192]; at least 3 axes`, func(g *onnxfile.Graph) string {
		return g.Node("Conv", []string{g.Node("Flatten", []string{"x"}), ones(g, 3, 3)})
	}},
	{"borders whose area overflows", `(Conv): `, func(g *onnxfile.Graph) string {
		// (2 + 2·border)²·channels is 2⁶⁴.
		x := g.Node("Slice", []string{"x", g.Ints(0, 0, 0), g.Ints(1, 2, 2), g.Ints(1, 2, 3)})
		x = g.Node("Expand", []string{x, g.Ints(1, 1<<22, 2, 2)})
		p := 1<<20 - 1
		return g.Node("Conv", []string{x, g.Node("ConstantOfShape", []string{g.Ints(1, 1<<22, 1, 1)})},
			attr("pads", []int{p, p, p, p}), attr("strides", []int{p, p}))
	}},
	{"large borders", `(Conv): `, func(g *onnxfile.Graph) string {
		return g.Node("Conv", []string{"x", ones(g, 1, 3, 1, 1)}, attr("pads", []int{5000, 5000, 5000, 5000}), attr("strides", []int{5000, 5000}))
	}},
	{"large kernel of a pooling", `(AveragePool): `, func(g *onnxfile.Graph) string {
		return g.Node("AveragePool", []string{"x"}, attr("kernel_shape", []int{1 << 20, 1 << 10}),
			attr("pads", []int{1 << 19, 1 << 9, 1 << 19, 1 << 9}))
	}},
	{"long kernel of a pooling", `(MaxPool): `, func(g *onnxfile.Graph) string {
		return g.Node("MaxPool", []string{"x"}, attr("kernel_shape", []int{1, 1 << 20}),
			attr("pads", []int{0, 1 << 20, 0, 1 << 20}), attr("strides", []int{1, 1}))
	}},
	{"product of 2³⁶", `(MatMul): `, func(g *onnxfile.Graph) string {
		x := g.Node("Expand", []string{g.Node("Flatten", []string{"x"}), g.Ints(1<<16, 192)})
		x = g.Node("Reshape", []string{x, g.Ints(1<<16, 192)})
		return g.Node("MatMul", []string{x, g.Node("Transpose", []string{g.Node("Slice", []string{x, g.Ints(0), g.Ints(1 << 10)})})})
	}},
	{"2,000 constant poolings", `(AveragePool): `, func(g *onnxfile.Graph) string {
		x := ones(g, 1, 1, 1, 1)
		var y string
		for range 2000 {
			y = g.Node("AveragePool", []string{x}, attr("kernel_shape", []int{128, 128}), attr("pads", []int{71, 71, 71, 71}))
		}
		return g.Node("Add", []string{"x", g.Node("Slice", []string{y, g.Ints(0, 0), g.Ints(1, 1), g.Ints(2, 3)})})
	}},
	{"work that wraps to 0", `(AveragePool): `, func(g *onnxfile.Graph) string {
		whole(g, "filler", 430_000)
		p := (1<<20 + 1<<12 - 2) / 2
		y := g.Node("AveragePool", []string{ones(g, 1, 1, 1, 1)}, attr("kernel_shape", []int{1 << 20, 1 << 20}), attr("pads", []int{p, p, p, p}))
		return g.Node("Add", []string{"x", g.Node("Slice", []string{y, g.Ints(0, 0), g.Ints(1, 1), g.Ints(2, 3)})})
	}},
	{"tables of Gather", "", func(g *onnxfile.Graph) string {
		many := make([]int, 1<<16)
		index := g.Ints(many...)
		for range 100 {
			y := g.Node("Gather", []string{"x", index}, attr("axis", 3))
			g.Nodes("ReduceMean", []string{y}, []string{y + "mean"}, attr("axes", []int{1, 2, 3}))
		}
		return g.Node("Gather", []string{"x", index}, attr("axis", 3))
	}},
	{"tables of Pad", `(Pad): `, func(g *onnxfile.Graph) string {
		none := g.Node("Slice", []string{"x", g.Ints(0), g.Ints(0), g.Ints(1)})
		pads := g.Ints(0, 0, 1<<19, 1<<19, 0, 0, 1<<19, 1<<19)
		for range 100 {
			none = g.Node("Concat", []string{
				none,
				g.Node("Slice", []string{g.Node("Pad", []string{none, pads}), g.Ints(0, 0), g.Ints(8, 8), g.Ints(2, 3)}),
			}, attr("axis", 1))
		}
		return g.Node("Concat", []string{"x", none}, attr("axis", 1))
	}},
	{"tables of Resize", `(Resize): `, func(g *onnxfile.Graph) string {
		none := g.Node("Slice", []string{"x", g.Ints(0), g.Ints(0), g.Ints(1)})
		for range 100 {
			none = g.Node("Concat", []string{none, g.Node("Slice", []string{g.Node("Resize", []string{none, "", "", g.Ints(1<<20, 1<<20)},
				attr("axes", []int{2, 3})), g.Ints(0, 0), g.Ints(8, 8), g.Ints(2, 3)})}, attr("axis", 1))
		}
		return g.Node("Concat", []string{"x", none}, attr("axis", 1))
	}},
	{"weights of many layers", `(Gemm): `, func(g *onnxfile.Graph) string {
		x, w := g.Node("Flatten", []string{"x"}), ones(g, 192, 2000)
		sum := g.Node("Gemm", []string{x, w})
		for range 400 {
			sum = g.Node("Add", []string{sum, g.Node("Gemm", []string{x, w})})
		}
		return sum
	}},
	{"weights of many convolutions", `(Conv): `, func(g *onnxfile.Graph) string {
		w, y := ones(g, 192, 192, 3, 3), g.Node("Reshape", []string{"x", g.Ints(1, 192, 1, 1)})
		for range 200 {
			y = g.Node("Conv", []string{y, w}, attr("pads", []int{1, 1, 1, 1}))
		}
		return y
	}},
	{"dropout of a constant with a ratio that is none", "", func(g *onnxfile.Graph) string {
		x := g.Node("Dropout", []string{ones(g, 1, 3, 8, 8), "x"})
		return g.Node("Sub", []string{x, g.Floats([]float32{1})})
	}},
	{"a chain of 16,000 nodes", `(Relu): `, func(g *onnxfile.Graph) string {
		y := g.Node("Resize", []string{"x", "", g.Floats([]float32{1, 1, 4, 4}, 4)})
		for range 16_000 {
			y = g.Node("Relu", []string{y})
		}
		return y
	}},
	{"16,000 results at once", "", func(g *onnxfile.Graph) string {
		x := g.Node("Flatten", []string{"x"})
		var all []string
		for range 4 {
			var some []string
			for range 4000 {
				some = append(some, g.Node("Exp", []string{x}))
			}
			all = append(all, g.Node("Concat", some, attr("axis", 1)))
		}
		return g.Node("Concat", all, attr("axis", 1))
	}},
}

// bytes is the content of the file.
func (h hostileFile) bytes() []byte {
	var g onnxfile.Graph
	g.Input("x", onnxfile.Float32, square...)
	g.Output(h.make(&g), onnxfile.Float32, "N", 1)
	return g.Bytes(13)
}

// allocated calls f and returns the bytes that it took in all, in use at once or not.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// patience ends a test that hangs. The time of a file is bounded by counting its work,
// and this is far above.
const patience = time.Minute

// opensAndRuns reads a file and runs one item of it. The error is that of Open.
func opensAndRuns(t *testing.T, data []byte) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var failed error
	took := allocated(func() {
		n, err := Open(ctx, data)
		if err != nil {
			failed = err
			return
		}
		var inputs [][]float32
		for _, in := range n.Inputs() {
			x := make([]float32, in.Len())
			for k := range x {
				x[k] = float32(math.Sin(float64(k)))
			}
			inputs = append(inputs, x)
		}
		if _, err := n.Run(ctx, nil, inputs...); err != nil {
			t.Errorf("run: %v", err)
		}
	})
	if took > 1<<30 {
		t.Errorf("%d MiB were taken", took>>20)
	}
	return failed
}

// A file that asks for too much, or for what no operator gives, is refused before it
// costs anything, and the error names the node.
func TestHostileFiles(t *testing.T) {
	for _, h := range hostileFiles {
		t.Run(h.name, func(t *testing.T) {
			data := h.bytes()
			start := time.Now()
			err := opensAndRuns(t, data)
			t.Logf("%d kB, %v: %.200v", len(data)>>10, time.Since(start), err)
			if h.want == "" && err != nil || h.want != "" && (err == nil || !strings.Contains(err.Error(), h.want)) {
				t.Errorf("%.300v; it does not say %q", err, h.want)
			}
		})
	}
}

// A counted context counts how often it is looked at, and is done after some looks.
type counted struct {
	context.Context
	looks *int
	last  int
}

func (c counted) Err() error {
	if *c.looks++; *c.looks > c.last {
		return context.Canceled
	}
	return nil
}

// Reading and running look at their context for each 2²⁸ units of work or less: a quarter
// of a second. They end at the next look after it is done.
func TestLooksAtContext(t *testing.T) {
	look := func(last int) (counted, *int) {
		looks := new(int)
		return counted{t.Context(), looks, last}, looks
	}
	var g onnxfile.Graph
	g.Input("x", onnxfile.Float32, "N", 3, 64, 64)
	y, constant := "x", ones(&g, 1, 3, 64, 64)
	for range 100 {
		y = g.Node("Tanh", []string{y})
		constant = g.Node("Tanh", []string{constant})
	}
	g.Nodes("Add", []string{y, constant}, []string{"y"})
	g.Output("y", onnxfile.Float32, "N", 3, 64, 64)
	data := g.Bytes(13)
	ctx, looks := look(math.MaxInt)
	n, err := Open(ctx, data)
	if err != nil || *looks < 3 {
		t.Fatalf("%v: Open looks %d times at its context", err, *looks)
	}
	for last := range *looks {
		ctx, again := look(last)
		if _, err := Open(ctx, data); !errors.Is(err, context.Canceled) || *again > last+1 {
			t.Errorf("done after %d looks: %v after %d", last, err, *again)
		}
	}
	defer blas.SetThreads(blas.SetThreads(1))
	x := make([]float32, 4*3*64*64) // of four items, which one group has
	ctx, looks = look(math.MaxInt)
	if _, err := n.Run(ctx, nil, x); err != nil || *looks < 4 {
		t.Fatalf("%v: Run looks %d times at its context", err, *looks)
	}
	for last := range *looks {
		ctx, again := look(last)
		if _, err := n.Run(ctx, nil, x); !errors.Is(err, context.Canceled) || *again > last+1 {
			t.Errorf("done after %d looks: %v after %d", last, err, *again)
		}
	}
}
