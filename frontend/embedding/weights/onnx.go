package main

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A message is a protocol buffer being written: the fields of onnx.proto that the
// network needs.
type message []byte

func (m *message) bytes(field protowire.Number, b []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), b)
}

func (m *message) text(field protowire.Number, s string) { m.bytes(field, []byte(s)) }

func (m *message) number(field protowire.Number, v int) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(v))
}

// Types of elements and of attributes in onnx.proto.
const (
	floatType, uint8Type, int64Type = 1, 2, 7

	floatAttribute, intAttribute, textAttribute, intsAttribute = 1, 2, 3, 7
)

// A graph is a GraphProto being written.
type graph struct {
	nodes, tensors message
}

// tensor adds an initialiser and returns its name.
func (g *graph) tensor(name string, kind int, raw []byte, dims ...int) string {
	var t message
	for _, d := range dims {
		t.number(1, d)
	}
	t.number(2, kind)
	t.text(8, name)
	t.bytes(9, raw)
	g.tensors.bytes(5, t)
	return name
}

func (g *graph) floats(name string, values []float32, dims ...int) string {
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return g.tensor(name, floatType, raw, dims...)
}

func (g *graph) integers(name string, values ...int) string {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return g.tensor(name, int64Type, raw, len(values))
}

// An attribute of a node is an AttributeProto.
type attribute message

// attributeOf returns the attribute to which set gives its value.
func attributeOf(name string, kind int, set func(a *message)) attribute {
	var a message
	a.text(1, name)
	set(&a)
	a.number(20, kind)
	return attribute(a)
}

func one(name string, v int) attribute {
	return attributeOf(name, intAttribute, func(a *message) { a.number(3, v) })
}

func many(name string, list ...int) attribute {
	return attributeOf(name, intsAttribute, func(a *message) {
		for _, v := range list {
			a.number(8, v)
		}
	})
}

func word(name, v string) attribute {
	return attributeOf(name, textAttribute, func(a *message) { a.text(4, v) })
}

func decimal(name string, v float32) attribute {
	return attributeOf(name, floatAttribute, func(a *message) {
		*a = protowire.AppendFixed32(protowire.AppendTag(*a, 2, protowire.Fixed32Type), math.Float32bits(v))
	})
}

func square(name string, v int) attribute   { return many(name, v, v) }
func allSides(name string, v int) attribute { return many(name, v, v, v, v) }

// node adds a node named after what it makes, and returns that.
func (g *graph) node(operator, out string, inputs []string, attributes ...attribute) string {
	var n message
	for _, in := range inputs {
		n.text(1, in)
	}
	n.text(2, out)
	n.text(3, out)
	n.text(4, operator)
	for _, a := range attributes {
		n.bytes(5, a)
	}
	g.nodes.bytes(1, n)
	return out
}

// value is a ValueInfoProto of floats. An axis is a length, or the name of one that
// is open.
func value(name string, axes ...any) message {
	var shape, tensor, kind, v message
	for _, axis := range axes {
		var dim message
		switch d := axis.(type) {
		case int:
			dim.number(1, d)
		case string:
			dim.text(2, d)
		}
		shape.bytes(1, dim)
	}
	tensor.number(1, floatType)
	tensor.bytes(2, shape)
	kind.bytes(1, tensor)
	v.text(1, name)
	v.bytes(2, kind)
	return v
}

// model is the ModelProto of g.
func (g *graph) model(name string, in message, out []message, metadata [][2]string) []byte {
	const version, opset = 7, 13 // as of ONNX 1.8
	var body, operators, m message
	body = append(body, g.nodes...)
	body.text(2, name)
	body = append(body, g.tensors...)
	body.bytes(11, in)
	for _, o := range out {
		body.bytes(12, o)
	}
	operators.text(1, "")
	operators.number(2, opset)
	m.number(1, version)
	m.text(2, "nrdl")
	m.bytes(7, body)
	m.bytes(8, operators)
	for _, p := range metadata {
		var entry message
		entry.text(1, p[0])
		entry.text(2, p[1])
		m.bytes(14, entry)
	}
	return m
}
