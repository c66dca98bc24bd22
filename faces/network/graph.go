package network

import (
	"fmt"
	"slices"
)

// A value is a tensor of the graph: its type and shape are known when the file
// is read, and its elements where it is constant.
type value struct {
	tensor
	name     string
	constant bool
	id       int // its place among the values that a run computes
}

// A call is a node whose inputs are known. Its operator gives each output type
// and shape, and run, which computes the outputs; or it makes the outputs
// constant. run must write every element and allocate nothing.
type call struct {
	*node
	opset   int
	inputs  []*value // nil where an optional input is absent
	outputs []*value
	run     func(out, in []*tensor)
	work    int // multiply-adds
	units   int // of work that run takes; 0 until it is known
	layer   any // what the plan needs to know: convolution, pooling, …
	*budget
}

// x is input k, which must be there.
func (c *call) x(k int) *value {
	must(k < len(c.inputs) && c.inputs[k] != nil, "input %d is missing", k)
	return c.inputs[k]
}

// optional is input k, or nil.
func (c *call) optional(k int) *value {
	if k < len(c.inputs) {
		return c.inputs[k]
	}
	return nil
}

// fixed is input k, which must be constant, or nil if it is absent.
func (c *call) fixed(k int) *value {
	v := c.optional(k)
	must(v == nil || v.constant, "input %d is not constant", k)
	return v
}

// few returns the integers of input k, or nil if it is absent. The input must be constant,
// and have no more than limit integers.
func (c *call) few(k, limit int) []int {
	v := c.fixed(k)
	if v == nil {
		return nil
	}
	must(v.len() <= limit, "input %d has %d numbers; at most %d are supported", k, v.len(), limit)
	return v.integers()
}

// single is the one number of input k, which must be constant, or otherwise if it is
// absent.
func (c *call) single(k int, otherwise float64) float64 {
	v := c.fixed(k)
	if v == nil {
		return otherwise
	}
	must(v.len() == 1, "input %d has shape %v, not one element", k, v.shape)
	return v.at(0)
}

// largest is the number of elements of the largest input or output.
func (c *call) largest() (n int) {
	for _, v := range c.inputs {
		if v != nil {
			n = max(n, v.len())
		}
	}
	for _, v := range c.outputs {
		n = max(n, v.len())
	}
	return n
}

// gives sets type and shape of output k.
func (c *call) gives(k int, d dtype, shape []int) {
	must(len(shape) <= maxRank, "a result has %d axes; at most %d are supported", len(shape), maxRank)
	elements(shape)
	c.outputs[k].dtype, c.outputs[k].shape = d, slices.Clone(shape)
}

// one says that the node has one output in use.
func (c *call) one() {
	for k, o := range c.outputs {
		must(k == 0 || o.name == "", "output %d is not supported", k)
	}
}

// A graph is a checked model: the calls that its outputs need, in order, with
// everything constant computed.
type graph struct {
	inputs, outputs []*value
	calls           []*call
	values          []*value // by id
	metadata        map[string]string
}

// build checks a model. shapes are those of the inputs.
func build(m *model, shapes [][]int, b *budget) *graph {
	g := &graph{metadata: m.metadata}
	known := map[string]*value{}
	add := func(v *value) {
		must(known[v.name] == nil, "two tensors are called %.80q", v.name)
		known[v.name] = v
	}
	for _, c := range m.initial {
		c.numbers()
		add(&value{tensor: c.tensor, name: c.name, constant: true})
	}
	for i, a := range m.arguments() {
		v := &value{tensor: tensor{dtype: a.dtype, shape: shapes[i]}, name: a.name}
		elements(v.shape)
		add(v)
		g.inputs = append(g.inputs, v)
	}
	for _, n := range m.nodes {
		c := &call{node: n, opset: m.opset, budget: b}
		c.naming(func() { c.prepare(known) })
		for _, o := range c.outputs {
			if o.name != "" {
				add(o)
			}
		}
		if c.run != nil {
			g.calls = append(g.calls, c)
		}
	}
	must(len(m.outputs) > 0, "the graph has no outputs")
	for _, a := range m.outputs {
		v := known[a.name]
		must(v != nil, "nothing computes output %.80q", a.name)
		g.outputs = append(g.outputs, v)
	}
	g.prune()
	return g
}

// naming calls f, and says which node it is where it is refused.
func (n *node) naming(f func()) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refusal:
			refuse("node %v: %w", n, r.error)
		default:
			panic(r)
		}
	}()
	f()
}

// prepare checks and completes one call, and computes it if its inputs are constant.
func (c *call) prepare(known map[string]*value) {
	op, ok := operators[c.op]
	must(ok, "the operator is not supported")
	c.spend(nodeUnits)
	c.take(len(c.node.inputs)+len(c.node.outputs)+4, 256) // about what a call takes with its steps
	for _, name := range c.node.inputs {
		v := known[name]
		must(v != nil || name == "", "nothing before it computes its input %.80q", name)
		c.inputs = append(c.inputs, v)
	}
	must(len(c.node.outputs) > 0, "it has no outputs")
	for _, name := range c.node.outputs {
		c.outputs = append(c.outputs, &value{name: name})
	}
	op.check(c)
	op.complete(c)
	if c.run == nil {
		return
	}
	if c.units == 0 {
		c.units = times(op.units, c.largest())
	}
	if !slices.ContainsFunc(c.inputs, func(v *value) bool { return v != nil && !v.constant }) {
		c.fold()
	}
}

// check refuses inputs of the wrong number, type or rank.
func (o operator) check(c *call) {
	for k := range o.minInputs {
		c.x(k)
	}
	for k, v := range c.inputs {
		if v == nil {
			continue
		}
		must(k < len(o.inputs) || variadic[c.op], "it has %d inputs; at most %d are supported", len(c.inputs), len(o.inputs))
		in := o.inputs[min(k, len(o.inputs)-1)]
		must(in.has(v.dtype), "input %d has type %v, not %v", k, v.dtype, in)
		must(k > 0 || len(v.shape) >= o.rank, "input 0 has shape %v; at least %d axes are needed", v.shape, o.rank)
	}
}

// fold computes a call whose inputs are constant.
func (c *call) fold() {
	for _, v := range c.outputs {
		c.take(v.len(), v.dtype.held())
	}
	must(c.units <= maxRun, "its constant results take too long to compute")
	c.spend(c.units + callUnits)
	in, out := make([]*tensor, len(c.inputs)), make([]*tensor, len(c.outputs))
	for k, v := range c.inputs {
		if v != nil {
			in[k] = &v.tensor
		}
	}
	for k, v := range c.outputs {
		v.allocate()
		v.constant = true
		out[k] = &v.tensor
	}
	c.run(out, in)
	c.run = nil
}

// prune drops the calls that no output needs and numbers the values.
func (g *graph) prune() {
	needed := map[*value]bool{}
	for _, v := range g.outputs {
		needed[v] = true
	}
	var calls []*call
	for _, c := range slices.Backward(g.calls) {
		if !slices.ContainsFunc(c.outputs, func(v *value) bool { return needed[v] }) {
			continue
		}
		for _, v := range c.inputs {
			needed[v] = true
		}
		calls = append(calls, c)
	}
	slices.Reverse(calls)
	g.calls = calls
	number := func(v *value) {
		if v != nil && (len(g.values) <= v.id || g.values[v.id] != v) {
			v.id = len(g.values)
			g.values = append(g.values, v)
		}
	}
	for _, v := range g.inputs {
		number(v)
	}
	for _, c := range calls {
		for _, v := range c.inputs {
			number(v)
		}
		for _, v := range c.outputs {
			number(v)
		}
	}
	for _, v := range g.outputs {
		number(v)
	}
	for _, v := range g.values {
		if v.constant {
			v.b = slices.Clone(v.b) // which may be the file's
		}
	}
}

// arguments are the inputs that a run is given: older files list the
// initialised tensors too.
func (m *model) arguments() []argument {
	arguments := slices.DeleteFunc(slices.Clone(m.inputs), func(a argument) bool { return m.initialised[a.name] })
	must(len(arguments) <= maxEnds, "the graph has %d inputs; at most %d are supported", len(arguments), maxEnds)
	for _, a := range arguments {
		must(a.dtype.known(), "input %.80q is not a tensor of a type that is supported", a.name)
	}
	return arguments
}

// shape is that of an input: its first axis is that of the batch, and so of
// length 1 here, where the file leaves its length open, gives 1, or where there
// are as many axes as images have. sizes are the lengths of other axes that are
// open, by name.
func (a argument) shape(sizes map[string]int) []int {
	shape := make([]int, len(a.axes))
	for k, x := range a.axes {
		place := fmt.Sprintf("%s:%d", a.name, k)
		size, given := sizes[x.name]
		if !given || x.name == "" {
			size, given = sizes[place]
		}
		switch {
		case k == 0 && (x.size <= 1 || len(a.axes) == 4 || len(a.axes) == 2):
			shape[k] = 1
		case x.size > 0:
			shape[k] = x.size
		case given:
			must(size > 0, "length %d for axis %.80q", size, x.name)
			shape[k] = size
		case x.name != "":
			refuse("input %.80q: the length of axis %.80q is not given", a.name, x.name)
		default:
			refuse("input %.80q: the length of axis %.80q is not given", a.name, place)
		}
	}
	return shape
}

// numbers refuses weights that hold NaN, which would make every result NaN.
func (c constant) numbers() {
	for _, v := range c.f {
		if v != v {
			refuse("tensor %.80q holds NaN", c.name)
		}
	}
}
