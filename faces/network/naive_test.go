package network

// interpret computes the outputs for one item call by call: the naive twin of a
// plan. It hands after, if there is one, the outputs of each call.
func (g *graph) interpret(inputs []*tensor, after func(out []*tensor)) (outputs []*tensor) {
	values := make([]*tensor, len(g.values))
	for id, v := range g.values {
		values[id] = &tensor{dtype: v.dtype, shape: v.shape, f: v.f, i: v.i, b: v.b}
		if !v.constant {
			values[id].allocate()
		}
	}
	for k, v := range g.inputs {
		values[v.id] = inputs[k]
	}
	at := func(list []*value) []*tensor {
		ts := make([]*tensor, len(list))
		for k, v := range list {
			if v != nil {
				ts[k] = values[v.id]
			}
		}
		return ts
	}
	for _, c := range g.calls {
		c.run(at(c.outputs), at(c.inputs))
		if after != nil {
			after(at(c.outputs))
		}
	}
	return at(g.outputs)
}
