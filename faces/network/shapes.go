package network

import "slices"

// axisOf is an axis of a tensor of n axes; negative ones count from the end.
func axisOf(a, n int) int {
	must(a >= -n && a < n, "axis %d of %d", a, n)
	if a < 0 {
		a += n
	}
	return a
}

// sameElements is a call that gives the elements of its first input in another
// shape.
func (c *call) sameElements(shape []int) {
	c.one()
	c.gives(0, c.x(0).dtype, shape)
	must(elements(shape) == c.x(0).len(), "%v elements in shape %v", c.x(0).shape, shape)
	c.layer = renaming{}
	c.run = func(out, in []*tensor) { copyAll(out[0], in[0]) }
}

// renaming marks a call whose output has the elements of its input.
type renaming struct{}

func (c *call) dropout() {
	must(c.single(2, 0) == 0, "training is not supported")
	c.inputs = c.inputs[:1] // the ratio is that of training
	x := c.x(0)
	out := c.outputs
	c.outputs = out[:1]
	c.sameElements(x.shape)
	c.outputs = out
	if len(out) > 1 {
		c.gives(1, bools, x.shape)
		c.layer = nil
		c.run = func(out, in []*tensor) {
			copyAll(out[0], in[0])
			for k := range out[1].len() {
				out[1].set(k, 1)
			}
		}
	}
}

// isConstant makes the output a constant of integers.
func (c *call) isConstant(shape, v []int) {
	c.one()
	c.gives(0, int64s, shape)
	o := c.outputs[0]
	o.constant = true
	o.allocate()
	for k, n := range v {
		o.i[k] = int64(n)
	}
}

func (c *call) shapeOf() {
	s := c.x(0).shape
	from, to := c.int("start", 0), c.int("end", len(s))
	if from < 0 {
		from += len(s)
	}
	if to < 0 {
		to += len(s)
	}
	from, to = min(max(from, 0), len(s)), min(max(to, 0), len(s))
	s = s[from:max(from, to)]
	c.isConstant([]int{len(s)}, s)
}

func (c *call) constantNode() {
	c.one()
	o := c.outputs[0]
	o.constant = true
	switch a := c.attr; {
	case a["value"].t != nil:
		o.tensor = *a["value"].t
	case len(a) == 1 && a["value_int"].kind == isInt:
		o.tensor = tensor{dtype: int64s, i: []int64{int64(a["value_int"].i)}}
	case len(a) == 1 && a["value_float"].kind == isFloat:
		o.tensor = tensor{dtype: float32s, f: []float32{a["value_float"].f}}
	case len(a) == 1 && a["value_ints"].kind == isInts:
		c.isConstant([]int{len(a["value_ints"].ints)}, a["value_ints"].ints)
	case len(a) == 1 && a["value_floats"].kind == isFloats:
		f := a["value_floats"].floats
		o.tensor = tensor{dtype: float32s, shape: []int{len(f)}, f: f}
	default:
		refuse("this kind of constant is not supported")
	}
	constant{o.name, o.tensor}.numbers()
}

func (c *call) constantOfShape() {
	c.one()
	fill := &tensor{dtype: float32s, f: []float32{0}}
	if a, ok := c.get("value", isTensor); ok {
		fill = a.t
		must(fill != nil && fill.len() == 1, "value is not one element")
	}
	c.gives(0, fill.dtype, c.few(0, maxRank))
	c.run = func(out, _ []*tensor) {
		w := window{shape: out[0].shape, dst: strides(out[0].shape), src: make([]int, len(out[0].shape))}
		w.copy(out[0], fill)
	}
}

func (c *call) reshape() {
	x := c.x(0)
	want := c.ints("shape")
	if v := c.few(1, maxRank); v != nil {
		want = v
	}
	must(len(want) <= maxRank, "a shape of %d axes", len(want))
	shape, rest := slices.Clone(want), -1
	known := 1
	for k, s := range want {
		switch {
		case s == 0 && c.int("allowzero", 0) == 0:
			must(k < len(x.shape), "shape %v for %v", want, x.shape)
			shape[k] = x.shape[k]
		case s == -1:
			must(rest < 0, "shape %v", want)
			rest, shape[k] = k, 1
		}
		must(shape[k] >= 0 && shape[k] <= maxElements && known <= maxElements, "shape %v", want)
		known *= shape[k]
	}
	if rest >= 0 {
		must(known > 0 && x.len()%known == 0, "shape %v for %v", want, x.shape)
		shape[rest] = x.len() / known
	}
	c.sameElements(shape)
}

func (c *call) flatten() {
	x := c.x(0)
	a := c.int("axis", 1)
	if a < 0 {
		a += len(x.shape)
	}
	must(a >= 0 && a <= len(x.shape), "axis %d of %d", a, len(x.shape))
	c.sameElements([]int{elements(x.shape[:a]), elements(x.shape[a:])})
}

// axes are those given as an attribute or as a constant input.
func (c *call) axes(input int) ([]int, bool) {
	if v := c.few(input, maxRank); v != nil {
		return v, true
	}
	_, ok := c.attr["axes"]
	return c.ints("axes"), ok
}

// distinct is axes of a tensor of n axes, each named once and counted from 0.
func distinct(axes []int, n int) []int {
	must(len(axes) <= n, "%d axes of %d", len(axes), n)
	out, seen := make([]int, len(axes)), make([]bool, n)
	for k, a := range axes {
		out[k] = axisOf(a, n)
		must(!seen[out[k]], "axis %d twice", out[k])
		seen[out[k]] = true
	}
	return out
}

func (c *call) squeeze() {
	x := c.x(0)
	axes, some := c.axes(1)
	drop := make([]bool, len(x.shape))
	for _, a := range distinct(axes, len(drop)) {
		drop[a] = true
	}
	var shape []int
	for a, s := range x.shape {
		if !some {
			drop[a] = s == 1
		}
		if drop[a] {
			must(s == 1, "axis %d has length %d", a, s)
			continue
		}
		shape = append(shape, s)
	}
	c.sameElements(shape)
}

func (c *call) unsqueeze() {
	x := c.x(0)
	axes, _ := c.axes(1)
	n := len(x.shape) + len(axes)
	must(n <= maxRank, "%d axes", n)
	fresh := make([]bool, n)
	for _, a := range distinct(axes, n) {
		fresh[a] = true
	}
	old := x.shape
	var shape []int
	for a := range n {
		if fresh[a] {
			shape = append(shape, 1)
		} else {
			shape, old = append(shape, old[0]), old[1:]
		}
	}
	c.sameElements(shape)
}

// windows is a call whose output is made of blocks of its inputs.
func (c *call) windows(from []int, to []int, w []window) {
	c.run = func(out, in []*tensor) {
		for k := range w {
			w[k].copy(out[to[k]], in[from[k]])
		}
	}
}

func (c *call) transpose() {
	x := c.x(0)
	c.one()
	order := c.ints("perm")
	if order == nil {
		for a := len(x.shape) - 1; a >= 0; a-- {
			order = append(order, a)
		}
	}
	must(len(order) == len(x.shape), "an order of %d axes for %d", len(order), len(x.shape))
	order = distinct(order, len(x.shape))
	own := strides(x.shape)
	var shape, src []int
	for _, a := range order {
		shape, src = append(shape, x.shape[a]), append(src, own[a])
	}
	c.gives(0, x.dtype, shape)
	c.layer = transposition{order}
	c.windows([]int{0}, []int{0}, []window{{shape: shape, dst: strides(shape), src: src}})
}

// A transposition marks a Transpose.
type transposition struct{ order []int }

func (c *call) expand() {
	x := c.x(0)
	c.one()
	want := c.few(1, maxRank)
	elements(want)
	shape := broadcast(x.shape, want)
	c.gives(0, x.dtype, shape)
	c.windows([]int{0}, []int{0}, []window{{shape: shape, dst: strides(shape), src: spread(x.shape, shape)}})
}

// A joining marks a Concat along an axis.
type joining struct{ axis int }

func (c *call) concat() {
	c.one()
	x := c.x(0)
	a := axisOf(c.int("axis", 1), len(x.shape))
	shape := slices.Clone(x.shape)
	shape[a] = 0
	for k := range c.inputs {
		v := c.x(k)
		must(v.dtype == x.dtype && len(v.shape) == len(shape), "shapes %v and %v", x.shape, v.shape)
		for d, s := range v.shape {
			must(d == a || s == shape[d], "shapes %v and %v", x.shape, v.shape)
		}
		shape[a] += v.shape[a]
		must(shape[a] <= maxElements, "shape %v", shape)
	}
	c.gives(0, x.dtype, shape)
	dst, at := strides(shape), 0
	var from []int
	var w []window
	for k, v := range c.inputs {
		w = append(w, window{shape: v.shape, end: at * dst[a], dst: dst, src: strides(v.shape)})
		from = append(from, k)
		at += v.shape[a]
	}
	c.layer = joining{a}
	c.windows(from, make([]int, len(w)), w)
}

func (c *call) split() {
	x := c.x(0)
	a := axisOf(c.int("axis", 0), len(x.shape))
	sizes := c.ints("split")
	if v := c.few(1, len(c.outputs)); v != nil {
		sizes = v
	}
	if sizes == nil {
		n := len(c.outputs)
		part := (x.shape[a] + n - 1) / n
		for k := range n {
			sizes = append(sizes, max(0, min(part, x.shape[a]-k*part)))
		}
	}
	must(len(sizes) == len(c.outputs), "%d sizes for %d outputs", len(sizes), len(c.outputs))
	src, at := strides(x.shape), 0
	var to []int
	var w []window
	for k, n := range sizes {
		must(n >= 0 && n <= x.shape[a]-at, "sizes %v of an axis of length %d", sizes, x.shape[a])
		shape := slices.Clone(x.shape)
		shape[a] = n
		c.gives(k, x.dtype, shape)
		w = append(w, window{shape: shape, first: at * src[a], dst: strides(shape), src: src})
		to = append(to, k)
		at += n
	}
	must(at == x.shape[a], "sizes %v of an axis of length %d", sizes, x.shape[a])
	c.windows(make([]int, len(w)), to, w)
}

func (c *call) slice() {
	x := c.x(0)
	c.one()
	lists := [4][]int{c.ints("starts"), c.ints("ends"), c.ints("axes"), nil}
	for k := range lists {
		if v := c.few(k+1, maxRank); v != nil {
			lists[k] = v
		}
	}
	starts, ends, axes, steps := lists[0], lists[1], lists[2], lists[3]
	must(len(starts) == len(ends), "%d starts and %d ends", len(starts), len(ends))
	must(len(starts) <= len(x.shape), "%d starts for %d axes", len(starts), len(x.shape))
	if axes == nil {
		for a := range starts {
			axes = append(axes, a)
		}
	}
	must(len(axes) == len(starts), "%d starts and %d axes", len(starts), len(axes))
	shape, src, at := slices.Clone(x.shape), strides(x.shape), 0
	own := strides(x.shape)
	for k, a := range distinct(axes, len(shape)) {
		step := 1
		if steps != nil {
			must(len(steps) == len(starts), "%d starts and %d steps", len(starts), len(steps))
			step = steps[k]
		}
		n := x.shape[a]
		must(step != 0 && step > -maxElements && step < maxElements, "step %d", step)
		// Bounds are cut to those that ONNX gives for each direction.
		bound := func(v, lo, hi int) int {
			if v < 0 {
				v = max(v, -maxElements-1) + n
			}
			return min(max(v, lo), hi)
		}
		var from, count int
		if step > 0 {
			from = bound(starts[k], 0, n)
			count = (bound(ends[k], 0, n) - from + step - 1) / step
		} else {
			from = bound(starts[k], 0, n-1)
			count = (from - bound(ends[k], -1, n-1) - step - 1) / -step
		}
		shape[a] = max(0, count)
		at, src[a] = at+from*own[a], own[a]*step
	}
	c.gives(0, x.dtype, shape)
	c.windows([]int{0}, []int{0}, []window{{shape: shape, first: at, dst: strides(shape), src: src}})
}

func (c *call) gather() {
	x, index := c.x(0), c.fixed(1)
	c.one()
	a := axisOf(c.int("axis", 0), len(x.shape))
	must(len(x.shape)-1+len(index.shape) <= maxRank, "too many axes")
	c.gives(0, x.dtype, slices.Concat(x.shape[:a], index.shape, x.shape[a+1:]))
	length := x.shape[a]
	c.spend(8 * index.len()) // a constant may be the indices of many nodes
	place := func(index *tensor, k int) int {
		v := int(index.at(k))
		if v < 0 {
			v += length
		}
		return v
	}
	for k := range index.len() {
		v := place(&index.tensor, k)
		must(v >= 0 && v < length, "index %.0f of an axis of length %d", index.at(k), length)
	}
	outer, inner, n := elements(x.shape[:a]), elements(x.shape[a+1:]), index.len()
	c.units = times(10, outer, n) + times(2, c.outputs[0].len())
	c.run = func(out, in []*tensor) {
		for o := range outer {
			for k := range n {
				copyPart(out[0], in[0], (o*n+k)*inner, (o*length+place(in[1], k))*inner, inner)
			}
		}
	}
}
