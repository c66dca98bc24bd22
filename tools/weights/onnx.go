package main

import "nrdl.example/nrdl/internal/kit/testing/onnxfile"

// A graph is a network being written, whose nodes and tensors have the names that they
// are given.
type graph struct{ onnxfile.Graph }

func (g *graph) floats(name string, values []float32, dims ...int) string {
	g.Add(onnxfile.FloatTensor(name, values, dims...))
	return name
}

func (g *graph) bytes(name string, values []byte, dims ...int) string {
	g.Add(onnxfile.NewTensor(name, onnxfile.Uint8, values, dims...))
	return name
}

func (g *graph) integers(name string, values ...int) string {
	g.Add(onnxfile.IntTensor(name, values...))
	return name
}

// node adds a node named after what it makes, and returns that.
func (g *graph) node(operator, out string, inputs []string, attributes ...onnxfile.Attr) string {
	g.ByOutput = true
	g.Nodes(operator, inputs, []string{out}, attributes...)
	return out
}

func one(name string, v any) onnxfile.Attr        { return onnxfile.Attr{Name: name, Value: v} }
func many(name string, list ...int) onnxfile.Attr { return one(name, list) }
func square(name string, v int) onnxfile.Attr     { return many(name, v, v) }
func allSides(name string, v int) onnxfile.Attr   { return many(name, v, v, v, v) }

// An end is an input or an output of floats. An axis is a length, or the name of one that
// is open.
type end struct {
	name string
	axes []any
}

func value(name string, axes ...any) end { return end{name, axes} }

// model is the file of g.
func (g *graph) model(name string, in end, out []end, metadata [][2]string) []byte {
	const opset = 13
	g.Name = name
	g.Input(in.name, onnxfile.Float32, in.axes...)
	for _, o := range out {
		g.Output(o.name, onnxfile.Float32, o.axes...)
	}
	for _, p := range metadata {
		g.Meta(p[0], p[1])
	}
	return g.Bytes(opset)
}
