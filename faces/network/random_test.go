package network

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/kit/testing/onnxfile"
)

// A maker makes random graphs, mostly of nodes that fit, to get deep.
type maker struct {
	*rand.Rand
	onnxfile.Graph
	names  []string
	values map[string]*tensor // type and shape of what has a name
	opset  int
	count  int
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func (m *maker) rarely(n int) bool { return m.IntN(n) == 0 }

func (m *maker) name() string {
	m.count++
	return fmt.Sprint("v", m.count)
}

// length is that of an axis.
func (m *maker) length() int {
	if m.rarely(150) {
		return pick(m.Rand, 0, 0, 0, 64, 1000, 1<<16, 1<<20, 1<<26, 1<<31, 1<<40, 1<<62, -1, math.MinInt64)
	}
	return 1 + m.IntN(5)
}

func (m *maker) dims() []int {
	dims := make([]int, pick(m.Rand, 0, 1, 2, 2, 3, 4, 4, 4, 4, 5))
	if m.rarely(200) {
		dims = make([]int, 9+m.IntN(8))
	}
	for k := range dims {
		dims[k] = m.length()
	}
	if len(dims) > 0 && m.rarely(2) {
		dims[0] = 1
	}
	return dims
}

// number is an argument or attribute: mostly small, or at the edge of something.
func (m *maker) number() int {
	if m.rarely(30) {
		n := pick(m.Rand, 1<<10, 1<<16, 1<<20, 1<<26, 1<<31, 1<<32, 1<<33, 1<<61, 1<<62, math.MaxInt64)
		return pick(m.Rand, n, -n, n-1, n+1)
	}
	return pick(m.Rand, -2, -1, 0, 0, 1, 1, 1, 2, 2, 3, 4)
}

func (m *maker) list(n int) []int {
	if m.rarely(20) {
		n = m.IntN(9)
	}
	list := make([]int, n)
	for k := range list {
		list[k] = m.number()
	}
	if n > 1 && m.rarely(4) {
		list[n-1] = list[0]
	}
	return list
}

// kind is a type of elements.
func (m *maker) kind() int {
	if m.rarely(200) {
		return pick(m.Rand, 0, 8, 14, 16, 99, -1)
	}
	return pick(m.Rand, 1, 1, 1, 1, 1, 1, 6, 7, 9, 2, 3, 10, 11, 4, 5, 12, 13)
}

// constant adds a tensor and returns its name.
func (m *maker) constant(kind int, dims ...int) string {
	size, n := max(1, dtype(kind).bytes()), 1
	for _, d := range dims {
		if d < 0 || d > 1<<12 || n*d > 1<<14 {
			n = m.IntN(9) // fewer than it says
			break
		}
		n *= d
	}
	if m.rarely(300) {
		n += m.IntN(3)
	}
	raw := make([]byte, n*size)
	for k := range n {
		switch v := 2 * m.NormFloat64(); {
		case kind == 1 && m.rarely(2000):
			v = pick(m.Rand, math.NaN(), math.Inf(1), 1e38, 1e-40)
			fallthrough
		case kind == 1:
			b := math.Float32bits(float32(v))
			copy(raw[4*k:], []byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)})
		case kind == 11:
			b := math.Float64bits(v)
			for i := range 8 {
				raw[8*k+i] = byte(b >> (8 * i))
			}
		default:
			raw[size*k] = byte(m.IntN(3))
		}
	}
	name := m.name()
	t := onnxfile.NewTensor(name, kind, raw, dims...)
	if m.rarely(500) {
		t = append(t, 0x70, 1) // external data
	}
	m.Add(t)
	m.know(name, dtype(kind), dims)
	return name
}

func (m *maker) know(name string, d dtype, shape []int) {
	m.names = append(m.names, name)
	m.values[name] = &tensor{dtype: d, shape: shape}
}

// ints adds a constant of integers.
func (m *maker) ints(list ...int) string {
	name := m.name()
	m.Add(onnxfile.IntTensor(name, list...))
	return name
}

// value is the name of a tensor, often of a wanted type and one of the last.
func (m *maker) value(want types) string {
	for range 6 {
		name := m.names[len(m.names)-1-min(m.IntN(len(m.names)), m.IntN(len(m.names)))]
		if want.has(m.values[name].dtype) {
			return name
		}
	}
	if m.rarely(2) {
		return m.constant(m.kind(), m.dims()...)
	}
	return pick(m.Rand, m.names...)
}

// attributes are those that operators look at, with the kind of their values.
var attributes = map[string]string{
	"alpha": "f", "allowzero": "i", "antialias": "i", "auto_pad": "s", "axes": "l", "axis": "i",
	"beta": "f", "broadcast": "i", "ceil_mode": "i",
	"coordinate_transformation_mode": "s", "count_include_pad": "i", "dilations": "l", "end": "i", "epsilon": "f", "group": "i",
	"keepdims": "i", "kernel_shape": "l", "max": "f", "min": "f", "mode": "s", "nearest_mode": "s",
	"noop_with_empty_axes": "i", "output_padding": "l",
	"output_shape": "l", "p": "i", "pads": "l", "paddings": "l", "perm": "l", "scales": "F", "shape": "l",
	"split": "l", "start": "i", "starts": "l", "ends": "l",
	"strides": "l", "to": "i", "training_mode": "i", "transA": "i", "transB": "i", "value": "f",
	"value_float": "f", "value_floats": "F", "value_int": "i", "value_ints": "l",
}

// usual are the attributes that fit an operator.
var usual = map[string][]string{
	"AveragePool":        {"kernel_shape", "strides", "pads", "dilations", "ceil_mode", "count_include_pad", "auto_pad"},
	"MaxPool":            {"kernel_shape", "strides", "pads", "dilations", "ceil_mode", "auto_pad"},
	"BatchNormalization": {"epsilon"}, "Cast": {"to"}, "Concat": {"axis"}, "Constant": {"value"},
	"ConstantOfShape": {"value"}, "Flatten": {"axis"}, "Gather": {"axis"}, "LeakyRelu": {"alpha"},
	"Conv":             {"strides", "pads", "dilations", "auto_pad", "group"},
	"ConvTranspose":    {"strides", "pads", "dilations", "auto_pad", "group", "output_padding", "output_shape"},
	"DequantizeLinear": {"axis"}, "Gemm": {"alpha", "beta", "transA", "transB"}, "LpNormalization": {"axis", "p"},
	"Pad": {"mode", "pads", "value"}, "Reshape": {"shape", "allowzero"}, "Shape": {"start", "end"},
	"Resize": {"mode", "nearest_mode", "coordinate_transformation_mode", "axes"}, "Upsample": {"mode", "scales"},
	"Softmax": {"axis"}, "Slice": {"starts", "ends", "axes"}, "Split": {"axis", "split"},
	"Squeeze": {"axes"}, "Unsqueeze": {"axes"}, "Transpose": {"perm"}, "Clip": {"min", "max"},
	"ReduceMean": {"axes", "keepdims"}, "ReduceSum": {"keepdims", "noop_with_empty_axes"}, "ReduceL2": {"axes", "keepdims"},
}

// attr is an attribute for a node whose first input has so many axes.
func (m *maker) attr(name string, axes int) onnxfile.Attr {
	kind := attributes[name]
	if m.rarely(50) {
		kind = pick(m.Rand, "i", "f", "s", "l", "F", "t")
	}
	a := onnxfile.Attr{Name: name}
	switch kind {
	case "i":
		a.Value = m.number()
		if name == "to" {
			a.Value = m.kind()
		}
	case "f":
		a.Value = pick(m.Rand, 0, 1, -1, 0.5, float32(math.NaN()), float32(math.Inf(1)))
		if name == "value" {
			a.Value = onnxfile.NewTensor("", pick(m.Rand, 1, 1, 7, 9), make([]byte, 8)[:pick(m.Rand, 4, 4, 8, 1)], make([]int, m.IntN(2))...)
		}
	case "F":
		a.Value = []float32{1, pick(m.Rand, float32(1), 2), pick(m.Rand, float32(2), 0.5, 1e9), 2}
	case "t":
		a.Value = onnxfile.FloatTensor("", []float32{1, 2}, 2)
	case "s":
		a.Value = pick(m.Rand, "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER", "nearest", "linear", "floor",
			"ceil", "half_pixel", "asymmetric", "align_corners", "reflect", "edge", "constant", "x")
	default:
		n := axes
		switch name {
		case "kernel_shape", "strides", "dilations", "output_padding":
			n = max(0, axes-2)
		case "pads":
			n = max(0, 2*axes-4)
		case "axes":
			n = m.IntN(3)
		}
		list := m.list(n)
		if name == "perm" && !m.rarely(5) {
			list = m.Perm(axes)
		}
		a.Value = list
	}
	return a
}

// arguments are the inputs of a node.
func (m *maker) arguments(op string, in []types) (names []string) {
	first := ""
	for k, want := range in {
		name := m.value(want)
		if k == 0 {
			first = name
		}
		shape := m.values[first].shape
		channels := 1
		if len(shape) > 1 {
			channels = shape[1]
		}
		switch {
		case m.rarely(25):
			name = pick(m.Rand, "", "", first, "later")
		case k == 0 || m.rarely(8):
		case op == "Conv" && k == 1 && len(shape) > 2:
			group := pick(m.Rand, channels, 1)
			name = m.constant(1,
				append([]int{1 + m.IntN(6), max(1, channels/max(1, group))}, slices.Repeat([]int{pick(m.Rand, 1, 2, 3)}, len(shape)-2)...)...)
		case op == "ConvTranspose" && k == 1:
			name = m.constant(1, channels, 1+m.IntN(3), 2, 2)
		case op == "BatchNormalization" || op == "PRelu" && m.rarely(2):
			name = m.constant(1, channels)
		case (op == "Gemm" || op == "MatMul") && k == 1 && len(shape) > 0:
			name = m.constant(1, shape[len(shape)-1], 1+m.IntN(5))
		case op == "Gather" && k == 1:
			name = m.ints(m.list(1 + m.IntN(3))...)
		case op == "Reshape" && k == 1:
			name = m.ints(pick(m.Rand, []int{0, -1}, []int{-1}, []int{1, -1}, []int{1, 1, -1, 1}, m.list(3))...)
		case op == "Expand" && k == 1, op == "Slice" && k == 2, op == "Slice" && k == 4:
			name = m.ints(m.list(pick(m.Rand, len(shape), 2))...)
		case (op == "Resize" || op == "Upsample") && want == floats:
			name = m.Floats(slices.Repeat([]float32{pick(m.Rand, float32(1), 2, 0.5, 1.3, 1e4)}, len(shape)), len(shape))
		case op == "Pad" && k == 1:
			name = m.ints(m.list(2 * len(shape))...)
		case want == integers:
			name = m.ints(m.list(pick(m.Rand, 1, 1, 2, len(shape)))...)
		case op == "Clip", op == "Pad", op == "Dropout":
			name = pick(m.Rand, "", m.constant(pick(m.Rand, 1, 1, 9)))
		case m.rarely(3): // broadcast
			name = m.constant(int(m.values[first].dtype), pick(m.Rand, nil, []int{1}, shape)...)
		}
		names = append(names, name)
	}
	return names
}

// node adds a node, and reads the graph so far.
func (m *maker) node(t *testing.T, ops []string) {
	before := *m
	op := pick(m.Rand, ops...)
	o := operators[op]
	in := o.inputs[:max(o.minInputs, min(len(o.inputs), len(o.inputs)-m.IntN(3)+m.IntN(3)))]
	if variadic[op] {
		in = slices.Repeat(o.inputs, 1+m.IntN(3))
	}
	if m.rarely(100) {
		in = append(slices.Clone(in), anything)
	}
	arguments := m.arguments(op, in)
	axes := 0
	if len(arguments) > 0 && m.values[arguments[0]] != nil {
		axes = len(m.values[arguments[0]].shape)
	}
	var attrs []onnxfile.Attr
	for _, name := range usual[op] {
		if m.rarely(2) || name == "kernel_shape" || name == "to" {
			attrs = append(attrs, m.attr(name, axes))
		}
	}
	if m.rarely(20) {
		name := pick(m.Rand, slices.Sorted(maps.Keys(attributes))...)
		attrs = append(attrs, m.attr(name, axes))
	}
	out := []string{m.name()}
	if op == "Split" || m.rarely(40) {
		out = append(out, pick(m.Rand, "", m.name(), m.name(), "x"))
	}
	if m.rarely(100) {
		op = pick(m.Rand, "If", "Loop", "GRU", "", "x.Relu")
	}
	m.Nodes(op, arguments, out, attrs...)
	file := *m
	file.Output(out[0], 1, "N", 1)
	g, _, err := read(t.Context(), file.Bytes(m.opset), nil)
	switch {
	case err == nil:
		m.know(out[0], g.outputs[0].dtype, g.outputs[0].shape)
	case !m.rarely(30): // another node; only what no operator reads stays
		count := m.count
		m.Graph, m.names, m.count = before.Graph, before.names, count
	}
}

// A randomFile is a random graph, by its number.
func randomFile(t *testing.T, seed uint64) []byte {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 32)), values: map[string]*tensor{}}
	m.opset = pick(m.Rand, 6, 7, 9, 10, 11, 11, 13, 13, 13, 15, 18, 24)
	ops := slices.Sorted(maps.Keys(operators))
	for range pick(m.Rand, 1, 1, 1, 2) {
		name, dims, kind := m.name(), m.dims(), m.kind()
		if !m.rarely(4) {
			dims, kind = []int{1, 1 + m.IntN(5), 1 + m.IntN(7), 1 + m.IntN(7)}[:pick(m.Rand, 4, 4, 2, 3)], 1
		}
		axes := make([]any, len(dims))
		for k, d := range dims {
			axes[k] = d
		}
		if len(axes) > 0 && m.rarely(2) {
			axes[0] = "N"
		}
		m.Input(name, kind, axes...)
		m.know(name, dtype(kind), dims)
	}
	for range m.IntN(3) {
		m.constant(m.kind(), m.dims()...)
	}
	for range 1 + m.IntN(12) {
		m.node(t, ops)
	}
	if m.rarely(300) { // a long chain
		op := pick(m.Rand, "Relu", "Neg", "Exp", "Identity", "Sigmoid", "Transpose", "Flatten", "Dropout")
		for range pick(m.Rand, 100, 2000, 17000) {
			out := m.name()
			m.Nodes(op, []string{m.names[len(m.names)-1]}, []string{out})
			m.know(out, 1, nil)
		}
	}
	m.Output(m.names[len(m.names)-1], 1, "N", 1)
	for range m.IntN(3) {
		m.Output(pick(m.Rand, m.names...), 1)
	}
	data := m.Bytes(m.opset)
	if m.rarely(10) { // damaged
		for range 1 + m.IntN(4) {
			data[m.IntN(len(data))] = byte(m.Uint32())
		}
	}
	if m.rarely(50) { // a sparse tensor
		sparse := protowire.AppendBytes(protowire.AppendTag(nil, 15, protowire.BytesType), nil)
		data = protowire.AppendBytes(protowire.AppendTag(data, 7, protowire.BytesType), sparse)
	}
	return data
}

// allocations is the bytes that were taken so far in all.
func allocations() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// No graph panics, hangs or takes a GiB, whatever it says, and of those that are accepted
// 10,000 give the same as planned and call by call. NRDL_LONG=1 reads 100,000 graphs.
func TestRandomGraphs(t *testing.T) {
	n := 2000
	if os.Getenv("NRDL_LONG") != "" {
		n = 100_000
	}
	if testing.Short() {
		n = 200
	}
	accepted, compared := 0, 0
	var largest uint64
	var longest time.Duration
	covered := map[string]bool{}
	seed := uint64(0)
	defer blas.SetThreads(blas.SetThreads(1)) // a panic of another thread names no graph
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("graph %d panics: %v\n%s", seed, r, debug.Stack())
		}
	}()
	for ; seed < uint64(n); seed++ {
		data := randomFile(t, seed)
		before, start := allocations(), time.Now()
		net, err := Open(t.Context(), data)
		took := time.Since(start)
		if err == nil {
			accepted++
			inputs := someItems(net)
			start = time.Now()
			if _, err := net.Run(t.Context(), nil, inputs...); err != nil {
				t.Errorf("graph %d: %v", seed, err)
			}
			took += time.Since(start)
		}
		largest, longest = max(largest, allocations()-before), max(longest, took)
		if took := allocations() - before; took > 1<<30 {
			t.Errorf("graph %d takes %d MiB", seed, took>>20)
		}
		if err != nil {
			continue
		}
		g, _, err := read(t.Context(), data, nil)
		if err != nil {
			t.Fatalf("graph %d: %v", seed, err)
		}
		work := 0
		for _, c := range g.calls {
			work += c.units
			covered[c.op] = true
		}
		if work < 1<<22 && compared < 10_000 && !t.Failed() {
			t.Run(fmt.Sprint(seed), func(t *testing.T) { twins(t, g) })
			compared++
		}
	}
	t.Logf("%d of %d graphs accepted, %d compared; at most %v and %d MiB; %d operators", accepted, n,
		compared, longest, largest>>20, len(covered))
	computed := []string{"Constant", "ConstantOfShape", "Shape", "Size"} // when a file is read
	for op := range operators {
		if !covered[op] && n > 10_000 && !slices.Contains(computed, op) {
			t.Errorf("%s is in no graph that runs", op)
		}
	}
}

// someItems are inputs of two items, or of one where it is large, or none where it is empty.
func someItems(n *Network) (inputs [][]float32) {
	items := 2
	for _, in := range n.Inputs() {
		if in.Len() > 1<<16 {
			items = min(items, 1)
		}
		if in.Len() == 0 {
			items = 0
		}
	}
	for _, in := range n.Inputs() {
		x := make([]float32, items*in.Len())
		for k := range x {
			x[k] = sines[k%len(sines)]
		}
		inputs = append(inputs, x)
	}
	return inputs
}

// sines are values from −1 to 1.
var sines = func() (x [1 << 10]float32) {
	for k := range x {
		x[k] = float32(math.Sin(float64(k)))
	}
	return x
}()
