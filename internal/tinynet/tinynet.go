// Package tinynet writes small ONNX networks for tests.
package tinynet

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

type message []byte

func (m *message) bytes(field protowire.Number, b []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), b)
}

func (m *message) text(field protowire.Number, s string) { m.bytes(field, []byte(s)) }

func (m *message) number(field protowire.Number, v int) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(v))
}

// Means is a network whose three outputs are the means of the channels of an image of
// side×side pixels, with this metadata.
func Means(side int, metadata map[string]string) []byte { return network(3, side, 1, metadata) }

// Channels is Means for an image of so many channels.
func Channels(channels, side int) []byte { return network(channels, side, 1, nil) }

// TwoOutputs is Means with the same output twice.
func TwoOutputs(side int) []byte { return network(3, side, 2, nil) }

func network(channels, side, outputs int, metadata map[string]string) []byte {
	const float, version, opset = 1, 7, 13
	var graph, operators, m message
	for i := range outputs {
		out := string(rune('a' + i))
		var node, axes, keep message
		node.text(1, "image")
		node.text(2, out)
		node.text(4, "ReduceMean")
		axes.text(1, "axes")
		axes.number(8, 2)
		axes.number(8, 3)
		axes.number(20, 7)
		keep.text(1, "keepdims")
		keep.number(3, 0)
		keep.number(20, 2)
		node.bytes(5, axes)
		node.bytes(5, keep)
		graph.bytes(1, node)
		graph.bytes(12, value(out, float, 1, channels))
	}
	graph.text(2, "means")
	graph.bytes(11, value("image", float, 1, channels, side, side))
	operators.number(2, opset)
	m.number(1, version)
	m.bytes(7, graph)
	m.bytes(8, operators)
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		var entry message
		entry.text(1, key)
		entry.text(2, metadata[key])
		m.bytes(14, entry)
	}
	return m
}

func value(name string, kind int, dims ...int) message {
	var shape, tensor, typed, v message
	for _, d := range dims {
		var dim message
		dim.number(1, d)
		shape.bytes(1, dim)
	}
	tensor.number(1, kind)
	tensor.bytes(2, shape)
	typed.bytes(1, tensor)
	v.text(1, name)
	v.bytes(2, typed)
	return v
}
