package network_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"nrdl.example/nrdl/faces/network"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/kit/packed"
	"nrdl.example/nrdl/internal/kit/testing/onnxfile"
	"nrdl.example/nrdl/internal/testing/lacking"
)

func small() []byte { return onnxfile.IResNet(1, 16, 5, []int{2, 1}, []int{8, 12}) }

func open(t *testing.T, data []byte, axes ...network.Axis) *network.Network {
	t.Helper()
	n, err := network.Open(t.Context(), data, axes...)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func run(t *testing.T, n *network.Network, inputs ...[]float32) [][]float32 {
	t.Helper()
	out, err := n.Run(context.Background(), nil, inputs...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func random(n int) []float32 {
	r := rand.New(rand.NewPCG(7, 7))
	x := make([]float32, n)
	for k := range x {
		x[k] = float32(r.NormFloat64())
	}
	return x
}

func TestInfo(t *testing.T) {
	n := open(t, small())
	if in := n.Inputs(); len(in) != 1 || in[0].Name != "in" || !slices.Equal(in[0].Shape, []int{1, 3, 16, 16}) || in[0].Len() != 768 {
		t.Errorf("inputs %v", in)
	}
	if out := n.Outputs(); len(out) != 1 || out[0].Name != "out" || !slices.Equal(out[0].Shape, []int{1, 5}) {
		t.Errorf("outputs %v", out)
	}
}

func TestMetadata(t *testing.T) {
	var g onnxfile.Graph
	g.Input("x", onnxfile.Float32, 1, 2)
	g.Nodes("Relu", []string{"x"}, []string{"y"})
	g.Output("y", onnxfile.Float32, 1, 2)
	g.Meta("alignment", "arcface")
	if m := open(t, g.Bytes(13)).Metadata(); len(m) != 1 || m["alignment"] != "arcface" {
		t.Errorf("%v", m)
	}
}

// The results of an item have the same bits in any batch, on any number of
// threads, and in concurrent runs.
func TestRunBatchesAndThreadsConcurrently(t *testing.T) {
	n := open(t, small())
	const items = 19
	x := random(items * 768)
	var want []float32
	for k := range items {
		want = append(want, run(t, n, x[k*768:][:768])[0]...)
	}
	defer blas.SetThreads(blas.SetThreads(0))
	for threads := 1; threads <= 3; threads++ {
		blas.SetThreads(threads)
		var wg sync.WaitGroup
		for batch := 2; batch <= items; batch += 5 {
			wg.Go(func() {
				out, err := n.Run(context.Background(), nil, x[:batch*768])
				if err != nil || !slices.Equal(out[0], want[:batch*5]) {
					t.Errorf("batch %d on %d threads: other results (%v)", batch, threads, err)
				}
			})
		}
		wg.Wait()
	}
}

// raced is whether the race detector is on, under which pools forget.
var raced bool

func TestRunAllocatesNothingAFace(t *testing.T) {
	if raced {
		t.Skip("pools forget under the race detector")
	}
	n := open(t, small())
	x := random(32 * 768)
	defer blas.SetThreads(blas.SetThreads(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	out := run(t, n, x)
	for _, items := range []int{1, 32} {
		allocations := testing.AllocsPerRun(10, func() {
			var err error
			if out, err = n.Run(context.Background(), out, x[:items*768]); err != nil {
				t.Fatal(err)
			}
		})
		if allocations > 8 { // of the call itself
			t.Errorf("%d items: %v allocations", items, allocations)
		}
	}
}

func TestRunIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := open(t, small()).Run(ctx, nil, random(3*768)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestRunRefusesWrongInputs(t *testing.T) {
	n := open(t, small())
	for _, inputs := range [][][]float32{{}, {random(767)}, {random(768), random(768)}} {
		if _, err := n.Run(context.Background(), nil, inputs...); err == nil {
			t.Errorf("%d inputs: no error", len(inputs))
		}
	}
	if out := run(t, n, nil); len(out[0]) != 0 {
		t.Errorf("%d results of an empty batch", len(out[0]))
	}
}

// Two outputs of different sizes come in the order of the file.
func TestTwoOutputs(t *testing.T) {
	var g onnxfile.Graph
	g.Input("x", onnxfile.Float32, 1, 2, 2, 2)
	g.Nodes("GlobalAveragePool", []string{"x"}, []string{"mean"})
	g.Nodes("Transpose", []string{"x"}, []string{"pixels"}, onnxfile.Attr{Name: "perm", Value: []int{0, 2, 3, 1}})
	g.Output("pixels", onnxfile.Float32, 1, 2, 2, 2)
	g.Output("mean", onnxfile.Float32, 1, 2, 1, 1)
	n := open(t, g.Bytes(13))
	x := []float32{1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 8, 8, 8, 8}
	out := run(t, n, x)
	if !slices.Equal(out[0], []float32{1, 5, 2, 6, 3, 7, 4, 8, 0, 8, 0, 8, 0, 8, 0, 8}) || !slices.Equal(out[1], []float32{2.5, 6.5, 0, 8}) {
		t.Errorf("%v", out)
	}
	// The memory of the caller is used again.
	again, err := n.Run(context.Background(), out, x)
	if err != nil || &again[0][0] != &out[0][0] || &again[1][0] != &out[1][0] {
		t.Error("new memory")
	}
}

// Height and width of a detector are given when it is opened.
func TestOpenAxes(t *testing.T) {
	var g onnxfile.Graph
	g.Input("image", onnxfile.Float32, "batch", 1, "height", "")
	g.Nodes("MaxPool", []string{"image"}, []string{"y"}, onnxfile.Attr{Name: "kernel_shape", Value: []int{2, 2}})
	g.Output("y", onnxfile.Float32, "batch", 1, "h", "w")
	height, width := network.Axis{Name: "height", Size: 3}, network.Axis{Name: "image:3", Size: 4}
	n := open(t, g.Bytes(13), height, width)
	if s := n.Outputs()[0].Shape; !slices.Equal(s, []int{1, 1, 2, 3}) {
		t.Errorf("shape %v", s)
	}
	for _, c := range []struct {
		axes []network.Axis
		name string
	}{{nil, `"height"`}, {[]network.Axis{height}, `"image:3"`}, {[]network.Axis{{Name: "height", Size: -1}, width}, `"height"`}} {
		if _, err := network.Open(t.Context(), g.Bytes(13), c.axes...); err == nil || !strings.Contains(err.Error(), c.name) {
			t.Errorf("%v: %v", c.axes, err)
		}
	}
}

// halves writes x as float16 that has it exactly.
func halves(x ...float32) (raw []byte) {
	for _, v := range x {
		b := math.Float32bits(v)
		raw = binary.LittleEndian.AppendUint16(raw, uint16(b>>16&0x8000|(b>>23&255-112)<<10|b>>13&1023))
	}
	return raw
}

// Weights of float16 and of 8 bits with scale and zero point, and shapes of
// int64 that are computed from others, are done away with when a file is read.
func TestOpenFoldsWeights(t *testing.T) {
	for _, c := range []struct {
		kind int
		raw  []byte
	}{{onnxfile.Float16, halves(0.5, -2)}, {onnxfile.Uint8, []byte{11, 6}}, {onnxfile.Int8, []byte{11, 6}}} {
		var g onnxfile.Graph
		g.Input("x", onnxfile.Float32, "N", 2, 1, 2)
		g.Add(onnxfile.NewTensor("stored", c.kind, c.raw, 2, 1))
		w := g.Node("Cast", []string{"stored"}, onnxfile.Attr{Name: "to", Value: 1})
		if c.kind != onnxfile.Float16 {
			g.Add(onnxfile.NewTensor("zero", c.kind, []byte{10}))
			w = g.Node("DequantizeLinear", []string{"stored", g.Floats([]float32{0.5}), "zero"})
		}
		shape := g.Node("Concat", []string{
			g.Node("Gather", []string{g.Node("Shape", []string{"x"}), g.Ints(0)}), g.Ints(-1), g.Ints(2),
		}, onnxfile.Attr{Name: "axis", Value: 0})
		y := g.Node("Reshape", []string{g.Node("Transpose", []string{"x"}, onnxfile.Attr{Name: "perm", Value: []int{0, 3, 2, 1}}), shape})
		g.Nodes("MatMul", []string{y, w}, []string{"y"})
		g.Output("y", onnxfile.Float32, "N", 2, 1)
		n := open(t, g.Bytes(13))
		// Channels 1, 2 and 3, 4: pixels (1, 3) and (2, 4), times (0.5, −2).
		if out := run(t, n, []float32{1, 2, 3, 4}); !slices.Equal(out[0], []float32{-5.5, -7}) {
			t.Errorf("type %d: %v", c.kind, out[0])
		}
	}
}

// Old files give a slope a channel without axes for height and width.
func TestOldSlopes(t *testing.T) {
	var g onnxfile.Graph
	g.Input("x", onnxfile.Float32, 1, 2, 1, 3)
	g.Nodes("PRelu", []string{"x", g.Floats([]float32{2, 3}, 2)}, []string{"y"})
	g.Output("y", onnxfile.Float32, 1, 2, 1, 3)
	if out := run(t, open(t, g.Bytes(9)), []float32{-1, 0, 1, -1, 0, 1}); !slices.Equal(out[0], []float32{-2, 0, 1, -3, 0, 1}) {
		t.Errorf("%v", out[0])
	}
}

// A hostile or unsupported file is refused with an error that says what and
// where, before memory is taken.
func TestOpenRefuses(t *testing.T) {
	node := func(op string, in []string, attrs ...onnxfile.Attr) func(*onnxfile.Graph) {
		return func(g *onnxfile.Graph) {
			g.Nodes(op, in, []string{"y"}, attrs...)
			g.Output("y", onnxfile.Float32, 1)
		}
	}
	attr := func(name string, value any) onnxfile.Attr { return onnxfile.Attr{Name: name, Value: value} }
	cases := []struct {
		name, want string
		make       func(*onnxfile.Graph)
	}{
		{"no outputs", "no outputs", func(*onnxfile.Graph) {}},
		{"operator", `"GRU_y" (GRU): the operator is not supported`, node("GRU", []string{"x"})},
		{"training", `(BatchNormalization)`, node("BatchNormalization", []string{"x"}, attr("training_mode", 1))},
		{"cycle", `nothing before it computes its input "z"`, func(g *onnxfile.Graph) {
			g.Nodes("Relu", []string{"z"}, []string{"y"})
			g.Nodes("Relu", []string{"y"}, []string{"z"})
			g.Output("z", onnxfile.Float32, 1)
		}},
		{"itself", `nothing before it computes its input "y"`, node("Relu", []string{"y"})},
		{"same name", `two tensors are called "x"`, func(g *onnxfile.Graph) { g.Nodes("Relu", []string{"x"}, []string{"x"}) }},
		{"unknown output", `nothing computes output "y"`, func(g *onnxfile.Graph) { g.Output("y", onnxfile.Float32, 1) }},
		{"NaN", `tensor "w" holds NaN`, func(g *onnxfile.Graph) {
			g.Add(onnxfile.FloatTensor("w", []float32{1, float32(math.NaN())}, 2))
			node("Add", []string{"x", "w"})(g)
		}},
		{"short tensor", `tensor "w" has 8 bytes`, func(g *onnxfile.Graph) { g.Add(onnxfile.NewTensor("w", 1, make([]byte, 8), 3)) }},
		{"huge tensor", "at most", func(g *onnxfile.Graph) { g.Add(onnxfile.NewTensor("w", 1, nil, 50000, 50000)) }},
		{"huge axis", "axis of length", func(g *onnxfile.Graph) { g.Add(onnxfile.NewTensor("w", 1, nil, 1<<62, 4, 0)) }},
		{"negative axis", "axis of length", func(g *onnxfile.Graph) { g.Add(onnxfile.NewTensor("w", 1, nil, -1)) }},
		{
			"huge constant", "too much memory for the size of the file",
			func(g *onnxfile.Graph) { node("ConstantOfShape", []string{g.Ints(8000, 8000)})(g) },
		},
		{"10 GB", "at most", func(g *onnxfile.Graph) { node("ConstantOfShape", []string{g.Ints(50000, 50000)})(g) }},
		{"doubling", "too much memory for the size of the file", func(g *onnxfile.Graph) {
			x := g.Ints(1, 1, 1, 1)
			for range 40 {
				x = g.Node("Concat", []string{x, x}, attr("axis", 0))
			}
			g.Output(x, onnxfile.Int64, 1)
		}},
		{"huge resize", "Resize", func(g *onnxfile.Graph) { node("Resize", []string{"x", "", g.Floats([]float32{1, 1e9}, 2)})(g) }},
		{"huge pads", "Pad", func(g *onnxfile.Graph) { node("Pad", []string{"x", g.Ints(0, 1<<40, 0, 1<<40)})(g) }},
		{"huge expand", "Expand", func(g *onnxfile.Graph) { node("Expand", []string{"x", g.Ints(1<<20, 1<<20, 1<<20, 8)})(g) }},
		{"open shape", "input 1 is not constant", func(g *onnxfile.Graph) {
			g.Nodes("Cast", []string{"x"}, []string{"s"}, attr("to", 7))
			node("Reshape", []string{"x", "s"})(g)
		}},
		{"attribute type", "attribute axis has type 3", node("Softmax", []string{"x"}, attr("axis", "1"))},
		{"axis", "axis 2 of 2", node("Softmax", []string{"x"}, attr("axis", 2))},
		{"missing input", "input 1 is missing", node("MatMul", []string{"x"})},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var g onnxfile.Graph
			g.Input("x", onnxfile.Float32, 1, 8)
			c.make(&g)
			data := g.Bytes(13)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := network.Open(t.Context(), data)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; it does not say %q", err, c.want)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
				t.Errorf("%d MB were taken", took>>20)
			}
		})
	}
}

// External data is refused, and no file is opened.
func TestOpenRefusesExternalData(t *testing.T) {
	external := onnxfile.NewTensor("w", onnxfile.Float32, nil, 2)
	external = append(external, 0x70, 1) // data_location: EXTERNAL
	var g onnxfile.Graph
	g.Add(external)
	if _, err := network.Open(t.Context(), g.Bytes(13)); err == nil || !strings.Contains(err.Error(), "external data") {
		t.Errorf("%v", err)
	}
}

func TestOpenRefusesOtherFiles(t *testing.T) {
	data := small()
	for _, bad := range [][]byte{nil, []byte("no network"), data[:len(data)/2], data[:len(data)-40]} {
		if _, err := network.Open(t.Context(), bad); err == nil {
			t.Errorf("%d bytes: no error", len(bad))
		}
	}
}

// The built-in network agrees with onnxruntime and face-api on a face.
func TestReferenceFace(t *testing.T) {
	const reference = "../../../shared/prototypes/network/"
	in, err := os.ReadFile(reference + "ref_in.f32")
	if err != nil {
		lacking.Skip(t, "no reference face")
	}
	out, err := os.ReadFile(reference + "ref_out.f32")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../frontend/embedding/weights/dlib.onnx.zst")
	if err != nil {
		t.Fatal(err)
	}
	n, err := network.Open(t.Context(), packed.Bytes(data))
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, n, float32s(in))
	for k, want := range float32s(out) {
		if d := math.Abs(float64(got[0][k] - want)); d > 1e-5 {
			t.Errorf("number %d: %g, not %g", k, got[0][k], want)
		}
	}
}

func float32s(b []byte) []float32 {
	x := make([]float32, len(b)/4)
	for k := range x {
		x[k] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:]))
	}
	return x
}

// No case of the conformance suite has LpNormalization.
func TestLpNormalization(t *testing.T) {
	for p, want := range map[int][]float32{1: {3. / 7, -4. / 7, 0, 0}, 2: {0.6, -0.8, 0, 0}} {
		var g onnxfile.Graph
		g.Input("x", onnxfile.Float32, 1, 2, 2)
		g.Nodes("LpNormalization", []string{"x"}, []string{"y"}, onnxfile.Attr{Name: "p", Value: p})
		g.Output("y", onnxfile.Float32, 1, 2, 2)
		if out := run(t, open(t, g.Bytes(13)), []float32{3, -4, 0, 0}); !slices.Equal(out[0], want) {
			t.Errorf("p = %d: %v", p, out[0])
		}
	}
}

// Open takes no memory for the results of a run.
func TestOpenTakesLittleMemory(t *testing.T) {
	var g onnxfile.Graph
	g.Input("x", onnxfile.Float32, 1, 1<<25)
	g.Nodes("Relu", []string{g.Node("Mul", []string{"x", g.Floats([]float32{2})})}, []string{"y"})
	g.Output("y", onnxfile.Float32, 1, 1<<25)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	open(t, g.Bytes(13))
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d kB were taken", took>>10)
	}
}
