package network

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A refusal is why a file is not accepted. Reading and checking raise it with
// refuse, and Open returns it.
type refusal struct{ error }

// refuse ends the reading of a file. Open recovers it.
func refuse(format string, args ...any) { panic(refusal{fmt.Errorf(format, args...)}) }

// must ends the reading of a file unless ok.
func must(ok bool, format string, args ...any) {
	if !ok {
		refuse(format, args...)
	}
}

// A model is what is read of an ONNX ModelProto.
type model struct {
	opset       int
	metadata    map[string]string
	nodes       []*node
	initial     []constant
	inputs      []argument
	outputs     []argument
	initialised map[string]bool
}

// A constant is a named tensor of the file.
type constant struct {
	name string
	tensor
}

// An argument is an input or output of the graph.
type argument struct {
	name  string
	dtype dtype
	axes  []axis
}

// An axis is the length of an axis, or 0 and its name, which may be empty.
type axis struct {
	size int
	name string
}

// A node is one operator of the graph.
type node struct {
	name, op        string
	inputs, outputs []string
	attr            map[string]attribute
}

// An attribute has one of the values that ONNX allows; kind tells which.
type attribute struct {
	kind   int
	i      int
	f      float32
	s      string
	t      *tensor
	ints   []int
	floats []float32
}

// The kinds of attributes, numbered as ONNX has them.
const (
	isFloat, isInt, isString, isTensor = 1, 2, 3, 4
	isFloats, isInts                   = 6, 7
)

// A field is one field of a protocol buffer message.
type field struct {
	number protowire.Number
	wire   protowire.Type
	bytes  []byte // of BytesType
	bits   uint64 // of the others
}

// fields calls f for each field of a message.
func fields(message []byte, f func(field)) {
	for len(message) > 0 {
		number, wire, n := protowire.ConsumeTag(message)
		must(n >= 0, "not an ONNX file: %w", protowire.ParseError(n))
		message = message[n:]
		v := field{number: number, wire: wire}
		switch wire {
		case protowire.VarintType:
			v.bits, n = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var bits uint32
			bits, n = protowire.ConsumeFixed32(message)
			v.bits = uint64(bits)
		case protowire.Fixed64Type:
			v.bits, n = protowire.ConsumeFixed64(message)
		case protowire.BytesType:
			v.bytes, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(number, wire, message)
		}
		must(n >= 0, "not an ONNX file: %w", protowire.ParseError(n))
		message = message[n:]
		f(v)
	}
}

func (v field) wants(wire protowire.Type) {
	must(v.wire == wire, "not an ONNX file: field %d has wire type %d, not %d", v.number, v.wire, wire)
}

func (v field) message() []byte { v.wants(protowire.BytesType); return v.bytes }
func (v field) text() string    { return string(v.message()) }
func (v field) int() int        { v.wants(protowire.VarintType); return int(int64(v.bits)) }

func (v field) float() float32 {
	v.wants(protowire.Fixed32Type)
	return math.Float32frombits(uint32(v.bits))
}

// numbers calls f for each number of a repeated field, packed or not.
func (v field) numbers(wire protowire.Type, f func(bits uint64)) {
	if v.wire != protowire.BytesType {
		v.wants(wire)
		f(v.bits)
		return
	}
	for b := v.bytes; len(b) > 0; {
		var bits uint64
		var n int
		switch wire {
		case protowire.Fixed32Type:
			var short uint32
			short, n = protowire.ConsumeFixed32(b)
			bits = uint64(short)
		case protowire.Fixed64Type:
			bits, n = protowire.ConsumeFixed64(b)
		default:
			bits, n = protowire.ConsumeVarint(b)
		}
		must(n >= 0, "not an ONNX file: %w", protowire.ParseError(n))
		b = b[n:]
		f(bits)
	}
}

func readModel(data []byte) *model {
	must(len(data) <= maxFile, "a file of %d bytes; at most %d are read", len(data), maxFile)
	m := &model{metadata: map[string]string{}, initialised: map[string]bool{}}
	var graph []byte
	fields(data, func(v field) {
		switch v.number {
		case 7:
			graph = v.message()
		case 8: // opset_import
			domain, version := "", 0
			fields(v.message(), func(v field) {
				switch v.number {
				case 1:
					domain = v.text()
				case 2:
					version = v.int()
				}
			})
			if domain == "" || domain == "ai.onnx" {
				m.opset = version
			}
		case 14: // metadata_props
			key, value := "", ""
			fields(v.message(), func(v field) {
				switch v.number {
				case 1:
					key = v.text()
				case 2:
					value = v.text()
				}
			})
			m.metadata[key] = value
		}
	})
	must(graph != nil, "not an ONNX file: it has no graph")
	must(m.opset <= maxOpset, "operator set %d; those up to %d are known", m.opset, maxOpset)
	fields(graph, func(v field) {
		switch v.number {
		case 1:
			must(len(m.nodes) < maxNodes, "more than %d nodes", maxNodes)
			m.nodes = append(m.nodes, readNode(v.message()))
		case 5:
			name, t := readTensor(v.message())
			must(!m.initialised[name], "two tensors are called %.80q", name)
			m.initialised[name] = true
			m.initial = append(m.initial, constant{name, t})
		case 11:
			m.inputs = append(m.inputs, readArgument(v.message()))
		case 12:
			must(len(m.outputs) < maxEnds, "more than %d outputs", maxEnds)
			m.outputs = append(m.outputs, readArgument(v.message()))
		case 15:
			refuse("sparse tensors are not supported")
		}
	})
	return m
}

func readNode(message []byte) *node {
	n := &node{attr: map[string]attribute{}}
	fields(message, func(v field) {
		switch v.number {
		case 1:
			n.inputs = append(n.inputs, v.text())
		case 2:
			n.outputs = append(n.outputs, v.text())
		case 3:
			n.name = v.text()
		case 4:
			n.op = v.text()
		case 5:
			name, a := readAttribute(v.message())
			n.attr[name] = a
		case 7:
			if d := v.text(); d != "" && d != "ai.onnx" {
				n.op = d + "." + n.op
			}
		}
	})
	must(len(n.inputs) <= maxInputs && len(n.outputs) <= maxInputs, "node %s has %d inputs and %d outputs", n, len(n.inputs), len(n.outputs))
	return n
}

// String names a node in messages: many files leave the name empty.
func (n *node) String() string {
	name := n.name
	if name == "" && len(n.outputs) > 0 {
		name = n.outputs[0]
	}
	return fmt.Sprintf("%.80q (%.80s)", name, n.op)
}

func readAttribute(message []byte) (name string, a attribute) {
	fields(message, func(v field) {
		switch v.number {
		case 1:
			name = v.text()
		case 2:
			a.f = v.float()
		case 3:
			a.i = v.int()
		case 4:
			a.s = v.text()
		case 5:
			_, t := readTensor(v.message())
			a.t = &t
		case 7:
			v.numbers(protowire.Fixed32Type, func(bits uint64) { a.floats = append(a.floats, math.Float32frombits(uint32(bits))) })
		case 8:
			v.numbers(protowire.VarintType, func(bits uint64) { a.ints = append(a.ints, int(int64(bits))) })
		case 20:
			a.kind = v.int()
		}
	})
	return name, a
}

// get is an attribute of the given kind, or nothing.
func (n *node) get(name string, kind int) (a attribute, ok bool) {
	a, ok = n.attr[name]
	must(!ok || a.kind == kind || a.kind == 0, "attribute %s has type %d, not %d", name, a.kind, kind)
	return a, ok
}

func (n *node) int(name string, otherwise int) int {
	if a, ok := n.get(name, isInt); ok {
		return a.i
	}
	return otherwise
}

func (n *node) float(name string, otherwise float32) float32 {
	if a, ok := n.get(name, isFloat); ok {
		return a.f
	}
	return otherwise
}

func (n *node) string(name, otherwise string) string {
	if a, ok := n.get(name, isString); ok {
		return a.s
	}
	return otherwise
}

func (n *node) ints(name string, otherwise ...int) []int {
	if a, ok := n.get(name, isInts); ok {
		return a.ints
	}
	return otherwise
}

func (n *node) floats(name string) []float32 {
	a, _ := n.get(name, isFloats)
	return a.floats
}

func readArgument(message []byte) (a argument) {
	fields(message, func(v field) {
		switch v.number {
		case 1:
			a.name = v.text()
		case 2: // TypeProto
			fields(v.message(), func(v field) {
				if v.number != 1 { // not a tensor: a sequence, map or optional
					return
				}
				fields(v.message(), func(v field) {
					switch v.number {
					case 1:
						a.dtype = dtype(v.int())
					case 2:
						fields(v.message(), func(v field) {
							if v.number == 1 {
								a.axes = append(a.axes, readAxis(v.message()))
								must(len(a.axes) <= maxRank, "%.80q has more than %d axes", a.name, maxRank)
							}
						})
					}
				})
			})
		}
	})
	return a
}

func readAxis(message []byte) (x axis) {
	fields(message, func(v field) {
		switch v.number {
		case 1:
			x.size = max(0, v.int())
		case 2:
			x.name = v.text()
		}
	})
	return x
}
