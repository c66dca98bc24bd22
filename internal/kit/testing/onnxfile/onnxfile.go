// Package onnxfile writes ONNX files: the network that is built in, and those of tests and
// measurements.
package onnxfile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Types of elements.
const (
	Float32 = 1
	Uint8   = 2
	Int8    = 3
	Int32   = 6
	Int64   = 7
	Float16 = 10
)

// A message is a protocol buffer that is being written.
type message []byte

func (m *message) bytes(field protowire.Number, b []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), b)
}

func (m *message) text(field protowire.Number, s string) { m.bytes(field, []byte(s)) }

func (m *message) number(field protowire.Number, v int) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(v))
}

func (m *message) float(field protowire.Number, v float32) {
	*m = protowire.AppendFixed32(protowire.AppendTag(*m, field, protowire.Fixed32Type), math.Float32bits(v))
}

// A Graph is a network that is being written. Names of tensors are free.
type Graph struct {
	Name     string // of the network
	ByOutput bool   // a node has the name of its first output, otherwise OPERATOR_OUTPUT

	nodes, tensors, ends, metadata message // ends: inputs and outputs
	count                          int
}

// An Attr is an attribute of a node: an int, float32, string, []int, []float32
// or Tensor.
type Attr struct {
	Name  string
	Value any
}

// A Tensor is a TensorProto.
type Tensor []byte

// NewTensor is a tensor of little-endian elements. It is written as it is given,
// right or wrong.
func NewTensor(name string, kind int, raw []byte, dims ...int) Tensor {
	var t message
	for _, d := range dims {
		t.number(1, d)
	}
	t.number(2, kind)
	t.text(8, name)
	t.bytes(9, raw)
	return Tensor(t)
}

// FloatTensor is a tensor of float32.
func FloatTensor(name string, values []float32, dims ...int) Tensor {
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return NewTensor(name, Float32, raw, dims...)
}

// unused is a name that no tensor has.
func (g *Graph) unused() string {
	g.count++
	return fmt.Sprintf("t%d", g.count)
}

// Add adds a constant.
func (g *Graph) Add(t Tensor) { g.tensors.bytes(5, t) }

// Floats adds a constant and returns its name.
func (g *Graph) Floats(values []float32, dims ...int) string {
	name := g.unused()
	g.Add(FloatTensor(name, values, dims...))
	return name
}

// IntTensor is a tensor of int64 with one axis.
func IntTensor(name string, values ...int) Tensor {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return NewTensor(name, Int64, raw, len(values))
}

// Ints adds a constant of int64 with one axis and returns its name.
func (g *Graph) Ints(values ...int) string {
	name := g.unused()
	g.Add(IntTensor(name, values...))
	return name
}

// Node adds a node of one output and returns that output's name.
func (g *Graph) Node(op string, in []string, attrs ...Attr) string {
	out := g.unused()
	g.Nodes(op, in, []string{out}, attrs...)
	return out
}

// Nodes adds a node of any outputs.
func (g *Graph) Nodes(op string, in, out []string, attrs ...Attr) {
	var n message
	for _, s := range in {
		n.text(1, s)
	}
	for _, s := range out {
		n.text(2, s)
	}
	name := op + "_" + out[0]
	if g.ByOutput {
		name = out[0]
	}
	n.text(3, name)
	n.text(4, op)
	for _, a := range attrs {
		var m message
		m.text(1, a.Name)
		switch v := a.Value.(type) {
		case float32:
			m.float(2, v)
			m.number(20, 1)
		case int:
			m.number(3, v)
			m.number(20, 2)
		case string:
			m.text(4, v)
			m.number(20, 3)
		case Tensor:
			m.bytes(5, v)
			m.number(20, 4)
		case []float32:
			for _, x := range v {
				m.float(7, x)
			}
			m.number(20, 6)
		case []int:
			for _, x := range v {
				m.number(8, x)
			}
			m.number(20, 7)
		default:
			panic(fmt.Sprintf("onnxfile: attribute %s has type %T", a.Name, v))
		}
		n.bytes(5, m)
	}
	g.nodes.bytes(1, n)
}

// Input adds an input; an axis is a length, or the name of one that is open.
func (g *Graph) Input(name string, kind int, axes ...any) { g.ends.bytes(11, value(name, kind, axes)) }

// Output adds an output, as Input does an input.
func (g *Graph) Output(name string, kind int, axes ...any) {
	g.ends.bytes(12, value(name, kind, axes))
}

func value(name string, kind int, axes []any) message {
	var shape, tensor, typ, v message
	for _, a := range axes {
		var dim message
		switch a := a.(type) {
		case int:
			dim.number(1, a)
		case string:
			dim.text(2, a)
		}
		shape.bytes(1, dim)
	}
	tensor.number(1, kind)
	tensor.bytes(2, shape)
	typ.bytes(1, tensor)
	v.text(1, name)
	v.bytes(2, typ)
	return v
}

// Meta adds an entry of the metadata.
func (g *Graph) Meta(key, value string) {
	var m message
	m.text(1, key)
	m.text(2, value)
	g.metadata.bytes(14, m)
}

// Parts are the fields of the graph that are its nodes, tensors, inputs and outputs.
func (g *Graph) Parts() []byte { return slices.Concat(g.nodes, g.tensors, g.ends) }

// Metadata are the fields of the file that are its metadata.
func (g *Graph) Metadata() []byte { return g.metadata }

// Bytes is the file, for an operator set.
func (g *Graph) Bytes(opset int) []byte {
	var operators, m message
	operators.text(1, "")
	operators.number(2, opset)
	m.number(1, 7) // the version of the format, of ONNX 1.8
	m.text(2, "nrdl")
	graph := slices.Clone(g.nodes)
	graph.text(2, cmp.Or(g.Name, "network"))
	graph = append(append(graph, g.tensors...), g.ends...)
	m.bytes(7, graph)
	m.bytes(8, operators)
	return append(m, g.metadata...)
}
