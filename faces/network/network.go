// Package network runs neural networks that turn an image into an embedding, or
// into the boxes of a detector. It reads them from ONNX files, checks them, and
// runs them in float32 on the processor.
//
//	n, err := network.Open(ctx, data) // the content of an ONNX file
//	…
//	out, err := n.Run(ctx, nil, pixels) // out[0]: one embedding per face
//
// The operators that are supported, and what is refused, are in doc/network.md.
//
// Experimental: this package may change in any version.
package network

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// A Network is a neural network that was read from an ONNX file. It does not
// change, and is safe for concurrent use.
type Network struct {
	inputs   []Info
	outputs  []Info
	plan     *plan
	metadata map[string]string
	work     int

	normalisation Normalisation
}

// An Info describes an input or output.
type Info struct {
	Name string
	// Shape is that of one item of a batch, first axis slowest: 1×3×112×112 for
	// a colour image, 1×128 for an embedding.
	Shape []int
}

// Len is the number of elements of one item.
func (i Info) Len() int { return elements(i.Shape) }

// An Axis sets the length of an axis that the file leaves open, such as the height of a
// detector's image. Name is the name of the axis in the file. If it has none, Name is the
// input and the number of the axis, counted from 0: "image:2".
type Axis struct {
	Name string
	Size int
}

// Open reads a network from an ONNX file's bytes. axes are the axes that the
// file leaves open, without the first, which is that of the batch.
//
// A file that is damaged, asks for more memory than a face network needs, holds
// NaN, or has an operator that is not supported is refused; the error names the
// node or tensor. A network whose run would take much longer than that of a face network
// is refused too: doc/network.md has the bounds. Open keeps nothing of data, and ends
// early, with ctx's error, when ctx is done.
func Open(ctx context.Context, data []byte, axes ...Axis) (*Network, error) {
	g, p, err := read(ctx, data, axes)
	if err != nil {
		return nil, fmt.Errorf("reading an ONNX network: %w", err)
	}
	return &Network{
		inputs: describe(g.inputs), outputs: describe(g.outputs), plan: p,
		metadata: g.metadata, work: g.work(), normalisation: g.normalisation(),
	}, nil
}

// read reads, checks and plans a file.
func read(ctx context.Context, data []byte, axes []Axis) (g *graph, p *plan, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refusal:
			err = r.error
		default:
			panic(r)
		}
	}()
	sizes := map[string]int{}
	for _, a := range axes {
		sizes[a.Name] = a.Size
	}
	b := newBudget(ctx, len(data))
	b.look()
	m := readModel(data)
	b.look()
	var shapes [][]int
	for _, a := range m.arguments() {
		shapes = append(shapes, a.shape(sizes))
	}
	must(len(shapes) > 0, "the graph has no inputs")
	g = build(m, shapes, b)
	return g, newPlan(g, b), nil
}

// Inputs describes the inputs.
func (n *Network) Inputs() []Info { return slices.Clone(n.inputs) }

// Outputs describes the outputs.
func (n *Network) Outputs() []Info { return slices.Clone(n.outputs) }

func describe(values []*value) (infos []Info) {
	for _, v := range values {
		infos = append(infos, Info{v.name, slices.Clone(v.shape)})
	}
	return infos
}

// Metadata returns the metadata of the file (metadata_props), by name.
func (n *Network) Metadata() map[string]string { return maps.Clone(n.metadata) }

// Work returns the number of multiply-adds of one item, in convolutions and matrix
// products, by their definition.
func (n *Network) Work() int { return n.work }

func (g *graph) work() (n int) {
	for _, c := range g.calls {
		if slices.Contains([]string{"Conv", "ConvTranspose", "Gemm", "MatMul"}, c.op) {
			n += c.work
		}
	}
	return n
}

// Run computes the outputs of a batch of items. inputs has one slice for each
// input: the items one after another, each in the order of its shape, as ONNX
// has it (the red, green and blue plane of an image, each row by row). All
// inputs have the same number of items. The result has one slice for each
// output, again the items one after another.
//
// Output k is written into outputs[k] if that is large enough, and into new memory
// otherwise. So outputs may be nil, or the result of an earlier call:
//
//	out, err = n.Run(ctx, out, pixels)
//
// Inputs of another type are converted to it, toward zero to an integer, and
// outputs to float32. Items are divided among as many threads as linear algebra
// may use. The result of an item depends on neither the other items nor the
// threads. Run ends early, with ctx's error, when ctx is done.
func (n *Network) Run(ctx context.Context, outputs [][]float32, inputs ...[]float32) ([][]float32, error) {
	if len(inputs) != len(n.inputs) {
		return nil, fmt.Errorf("the network has %d inputs, not %d", len(n.inputs), len(inputs))
	}
	items := -1
	for k, v := range n.inputs {
		size := v.Len()
		if size == 0 || len(inputs[k])%size != 0 || items >= 0 && len(inputs[k]) != items*size {
			return nil, fmt.Errorf("input %q of shape %v: %d numbers are no whole number of items, or not as many items as before",
				v.Name, v.Shape, len(inputs[k]))
		}
		items = len(inputs[k]) / size
	}
	outputs = slices.Grow(outputs[:0], len(n.outputs))[:len(n.outputs)]
	for k, v := range n.outputs {
		outputs[k] = slices.Grow(outputs[k][:0], items*v.Len())[:items*v.Len()]
	}
	return outputs, n.plan.runAll(ctx, outputs, inputs, items)
}
