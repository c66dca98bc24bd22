package network

import (
	"maps"
	"math"
	"slices"
)

// operators are all that are supported, by their names in ONNX. TestConformance
// runs each on its cases of the official suite.
var operators map[string]operator

func init() {
	operators = map[string]operator{
		"AveragePool":        func(c *call) { c.pool(false) },
		"BatchNormalization": (*call).batchNormalization,
		"Cast":               (*call).cast,
		"Clip":               (*call).clip,
		"Concat":             (*call).concat,
		"Constant":           (*call).constantNode,
		"ConstantOfShape":    (*call).constantOfShape,
		"Conv":               (*call).conv,
		"ConvTranspose":      (*call).convTranspose,
		"DequantizeLinear":   (*call).dequantize,
		"Dropout":            (*call).dropout,
		"Expand":             (*call).expand,
		"Flatten":            (*call).flatten,
		"Gather":             (*call).gather,
		"Gemm":               (*call).gemm,
		"GlobalAveragePool":  func(c *call) { c.globalPool(false) },
		"GlobalMaxPool":      func(c *call) { c.globalPool(true) },
		"Identity":           func(c *call) { c.sameElements(c.x(0).shape) },
		"LeakyRelu":          (*call).leakyRelu,
		"LpNormalization":    (*call).lpNormalization,
		"MatMul":             (*call).matMul,
		"MaxPool":            func(c *call) { c.pool(true) },
		"PRelu":              (*call).pRelu,
		"Pad":                (*call).pad,
		"Pow":                (*call).pow,
		"Reshape":            (*call).reshape,
		"Resize":             (*call).resize,
		"Shape":              (*call).shapeOf,
		"Size":               func(c *call) { c.isConstant(nil, []int{c.x(0).len()}) },
		"Slice":              (*call).slice,
		"Softmax":            (*call).softmax,
		"Split":              (*call).split,
		"Squeeze":            (*call).squeeze,
		"Transpose":          (*call).transpose,
		"Unsqueeze":          (*call).unsqueeze,
		"Upsample":           (*call).resize,
		"Where":              (*call).where,
	}
	for name, f := range unary {
		operators[name] = func(c *call) { c.unary(f) }
	}
	for name, f := range pairwise {
		operators[name] = func(c *call) { c.binary(f, c.x(0).dtype) }
	}
	for name, f := range comparisons {
		operators[name] = func(c *call) {
			c.binary(func(a, b float64) float64 {
				if f(a, b) {
					return 1
				}
				return 0
			}, bools)
		}
	}
	for name, r := range reductions {
		operators[name] = func(c *call) { c.reduce(r) }
	}
}

// Operators are the names of the operators that are supported, sorted.
func Operators() []string { return slices.Sorted(maps.Keys(operators)) }

var unary = map[string]func(float64) float64{
	"Abs":        math.Abs,
	"Ceil":       math.Ceil,
	"Exp":        math.Exp,
	"Floor":      math.Floor,
	"HardSwish":  func(x float64) float64 { return x * min(max(x/6+0.5, 0), 1) },
	"Log":        math.Log,
	"Neg":        func(x float64) float64 { return -x },
	"Not":        func(x float64) float64 { return 1 - x },
	"Reciprocal": func(x float64) float64 { return 1 / x },
	"Relu":       func(x float64) float64 { return max(x, 0) },
	"Sigmoid":    func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"Softplus":   func(x float64) float64 { return math.Log1p(math.Exp(-math.Abs(x))) + max(x, 0) },
	"Sqrt":       math.Sqrt,
	"Tanh":       math.Tanh,
}

// pairwise operators on integers round toward zero, as ONNX wants it of Div.
var pairwise = map[string]func(a, b float64) float64{
	"Add": func(a, b float64) float64 { return a + b },
	"Div": func(a, b float64) float64 { return a / b },
	"Max": func(a, b float64) float64 { return max(a, b) },
	"Min": func(a, b float64) float64 { return min(a, b) },
	"Mul": func(a, b float64) float64 { return a * b },
	"Sub": func(a, b float64) float64 { return a - b },
	"Sum": func(a, b float64) float64 { return a + b },
}

var comparisons = map[string]func(a, b float64) bool{
	"And":            func(a, b float64) bool { return a != 0 && b != 0 },
	"Equal":          func(a, b float64) bool { return a == b },
	"Greater":        func(a, b float64) bool { return a > b },
	"GreaterOrEqual": func(a, b float64) bool { return a >= b },
	"Less":           func(a, b float64) bool { return a < b },
	"LessOrEqual":    func(a, b float64) bool { return a <= b },
	"Or":             func(a, b float64) bool { return a != 0 || b != 0 },
}

// A reduction adds up in float64: start, one step an element, and the end for n
// elements.
type reduction struct {
	start float64
	step  func(sum, x float64) float64
	end   func(sum, n float64) float64
}

func total(sum, _ float64) float64 { return sum }

var reductions = map[string]reduction{
	"ReduceL1":        {0, func(s, x float64) float64 { return s + math.Abs(x) }, total},
	"ReduceL2":        {0, func(s, x float64) float64 { return s + x*x }, func(s, _ float64) float64 { return math.Sqrt(s) }},
	"ReduceMax":       {math.Inf(-1), func(s, x float64) float64 { return max(s, x) }, total},
	"ReduceMean":      {0, func(s, x float64) float64 { return s + x }, func(s, n float64) float64 { return s / n }},
	"ReduceMin":       {math.Inf(1), func(s, x float64) float64 { return min(s, x) }, total},
	"ReduceProd":      {1, func(s, x float64) float64 { return s * x }, total},
	"ReduceSum":       {0, func(s, x float64) float64 { return s + x }, total},
	"ReduceSumSquare": {0, func(s, x float64) float64 { return s + x*x }, total},
}

func (c *call) unary(f func(float64) float64) {
	x := c.x(0)
	c.one()
	c.gives(0, x.dtype, x.shape)
	c.layer = elementwise{f}
	c.run = func(out, in []*tensor) {
		for k := range out[0].len() {
			out[0].set(k, f(in[0].at(k)))
		}
	}
}

// elementwise marks a call whose output depends on the input's element alone.
type elementwise struct{ f func(float64) float64 }

// binary is f over two inputs, or over all of them from left to right.
func (c *call) binary(f func(a, b float64) float64, d dtype) {
	must(c.int("broadcast", 0) == 0, "broadcasting along an axis is not supported")
	c.one()
	shape := c.x(0).shape
	for k := range c.in {
		must(c.x(k).dtype == c.x(0).dtype, "types %v and %v", c.x(0).dtype, c.x(k).dtype)
		shape = broadcast(shape, c.x(k).shape)
	}
	c.gives(0, d, shape)
	if len(c.in) == 1 {
		c.sameElements(shape)
		return
	}
	var steps [][]int
	for _, v := range c.in {
		steps = append(steps, spread(v.shape, shape))
	}
	scalar := len(c.in) == 2 && slices.Equal(c.in[0].shape, shape) && c.in[1].len() == 1
	c.run = func(out, in []*tensor) {
		o, a := out[0], in[0]
		if scalar && o.f != nil { // what dequantised weights go through
			s := in[1].at(0)
			for k, v := range a.f {
				o.f[k] = float32(f(float64(v), s))
			}
			return
		}
		k := 0
		each(shape, steps[0], steps[1], func(i, j int) {
			o.set(k, f(a.at(i), in[1].at(j)))
			k++
		})
		for m := 2; m < len(in); m++ {
			k = 0
			each(shape, steps[m], steps[m], func(i, _ int) {
				o.set(k, f(o.at(k), in[m].at(i)))
				k++
			})
		}
	}
}

// pow has the type of its base; the exponent may have another.
func (c *call) pow() {
	x, e := c.x(0), c.x(1)
	c.one()
	shape := broadcast(x.shape, e.shape)
	c.gives(0, x.dtype, shape)
	sx, se := spread(x.shape, shape), spread(e.shape, shape)
	c.run = func(out, in []*tensor) {
		k := 0
		each(shape, sx, se, func(i, j int) {
			out[0].set(k, math.Pow(in[0].at(i), in[1].at(j)))
			k++
		})
	}
}

// leakyRelu is PRelu of one slope.
func (c *call) leakyRelu() {
	slope := c.float("alpha", 0.01)
	c.unary(func(x float64) float64 { return min(x, 0)*float64(slope) + max(x, 0) })
	c.layer = slopes{[]float32{slope}}
}

// slopes marks a PRelu: one slope, or one a channel.
type slopes struct{ s []float32 }

// pRelu takes the slopes as ONNX says, or, if these do not go together and
// there is one a channel, a channel, as older files mean them.
func (c *call) pRelu() {
	x, s := c.x(0), c.x(1)
	c.one()
	c.gives(0, x.dtype, x.shape)
	shape := s.shape
	if len(shape) == 1 && len(x.shape) > 2 && shape[0] == x.shape[1] && shape[0] != x.shape[len(x.shape)-1] {
		shape = append(slices.Clone(shape), slices.Repeat([]int{1}, len(x.shape)-2)...)
	}
	must(slices.Equal(broadcast(x.shape, shape), x.shape), "slopes of shape %v for %v", s.shape, x.shape)
	own, ss := strides(x.shape), spread(shape, x.shape)
	if v, ok := perChannel(shape, s, x.shape); ok {
		c.layer = slopes{v}
	}
	c.run = func(out, in []*tensor) {
		each(x.shape, own, ss, func(i, j int) {
			v := in[0].at(i)
			if v < 0 {
				v *= in[1].at(j)
			}
			out[0].set(i, v)
		})
	}
}

// perChannel is a constant that has one element, or one a channel of an image
// of shape N×C×H×W or of rows of shape N×C.
func perChannel(shape []int, v *value, image []int) ([]float32, bool) {
	if !v.constant || v.f == nil || len(image) != 4 && len(image) != 2 {
		return nil, false
	}
	if len(v.f) == 1 {
		return v.f, true
	}
	at := len(shape) - len(image) + 1
	return v.f, at >= 0 && len(v.f) == image[1] && shape[at] == image[1]
}

// A clipping marks a Clip.
type clipping struct{ min, max float32 }

func (c *call) clip() {
	x := c.x(0)
	c.one()
	c.gives(0, x.dtype, x.shape)
	lo, hi := math.Inf(-1), math.Inf(1)
	if c.opset < 11 {
		lo, hi = float64(c.float("min", -math.MaxFloat32)), float64(c.float("max", math.MaxFloat32))
	}
	if v := c.fixed(1); v != nil {
		must(v.len() == 1, "the minimum has shape %v", v.shape)
		lo = v.at(0)
	}
	if v := c.fixed(2); v != nil {
		must(v.len() == 1, "the maximum has shape %v", v.shape)
		hi = v.at(0)
	}
	c.layer = clipping{float32(lo), float32(hi)}
	c.run = func(out, in []*tensor) {
		for k := range out[0].len() {
			out[0].set(k, min(max(in[0].at(k), lo), hi))
		}
	}
}

func (c *call) where() {
	p, a, b := c.x(0), c.x(1), c.x(2)
	c.one()
	must(a.dtype == b.dtype, "types %v and %v", a.dtype, b.dtype)
	shape := broadcast(broadcast(p.shape, a.shape), b.shape)
	c.gives(0, a.dtype, shape)
	sp, sa, sb := spread(p.shape, shape), spread(a.shape, shape), spread(b.shape, shape)
	own := strides(shape)
	c.run = func(out, in []*tensor) {
		o := out[0]
		each(shape, own, sa, func(k, i int) { o.set(k, in[1].at(i)) })
		k := 0
		each(shape, sp, sb, func(i, j int) {
			if in[0].at(i) == 0 {
				o.set(k, in[2].at(j))
			}
			k++
		})
	}
}

func (c *call) cast() {
	x := c.x(0)
	c.one()
	d := dtype(c.int("to", 0))
	must(d.known(), "a cast to %v", d)
	c.gives(0, d, x.shape)
	c.run = func(out, in []*tensor) {
		o, x := out[0], in[0]
		for k := range o.len() {
			switch {
			case x.i != nil && o.i != nil:
				o.i[k] = d.wrap(x.i[k])
			case o.f != nil:
				o.f[k] = d.round(float32(x.at(k)))
			default:
				o.set(k, x.at(k))
			}
		}
	}
}

// dequantize is (x − zero point)·scale, one of each a tensor or an index of an
// axis.
func (c *call) dequantize() {
	x, scale, zero := c.x(0), c.x(1), c.optional(2)
	c.one()
	must(c.int("block_size", 0) == 0, "quantisation by blocks is not supported")
	must(scale.dtype.float() && !x.dtype.float(), "types %v and %v", x.dtype, scale.dtype)
	must(zero == nil || slices.Equal(zero.shape, scale.shape), "shapes of scale and zero point differ")
	c.gives(0, scale.dtype, x.shape)
	// The scale of element k is number k/inner%n.
	n, inner := scale.len(), 1
	if n > 1 || len(scale.shape) == 1 && len(x.shape) > 0 {
		a := axisOf(c.int("axis", 1), len(x.shape))
		must(len(scale.shape) == 1 && n == x.shape[a] || n == 1, "%d scales for an axis of length %d", n, x.shape[a])
		for _, s := range x.shape[a+1:] {
			inner *= s
		}
	}
	must(n > 0, "no scale")
	if n == 1 {
		inner = max(1, x.len())
	}
	c.run = func(out, in []*tensor) {
		o, x, z := out[0].f, in[0], 0.0
		for lo := 0; lo < len(o); lo += inner {
			j := lo / inner % n
			if zero != nil {
				z = in[2].at(j)
			}
			s := in[1].at(j)
			for k := lo; k < lo+inner; k++ {
				o[k] = float32((x.at(k) - z) * s)
			}
		}
	}
}

// reduce is a reduction over axes, of which none means all.
func (c *call) reduce(r reduction) {
	x := c.x(0)
	c.one()
	axes := c.ints("axes")
	if v := c.fixed(1); v != nil {
		axes = v.integers()
	}
	if len(axes) == 0 && c.int("noop_with_empty_axes", 0) != 0 {
		c.sameElements(x.shape)
		return
	}
	reduced := make([]bool, len(x.shape))
	for _, a := range axes {
		reduced[axisOf(a, len(x.shape))] = true
	}
	// The input is walked over the kept axes, and for each over the reduced.
	var shape, outer, inner, so, si []int
	for a, s := range strides(x.shape) {
		switch {
		case len(axes) == 0 || reduced[a]:
			inner, si = append(inner, x.shape[a]), append(si, s)
			if c.int("keepdims", 1) != 0 {
				shape = append(shape, 1)
			}
		default:
			outer, so = append(outer, x.shape[a]), append(so, s)
			shape = append(shape, x.shape[a])
		}
	}
	n := elements(inner)
	must(n > 0, "nothing to reduce in shape %v", x.shape)
	c.gives(0, x.dtype, shape)
	if c.op == "ReduceMean" && len(x.shape) == 4 && slices.Equal(inner, x.shape[2:]) && len(outer) == 2 && reduced[2] && reduced[3] {
		c.layer = globalPooling{}
	}
	c.run = func(out, in []*tensor) {
		k := 0
		each(outer, so, so, func(base, _ int) {
			sum := r.start
			each(inner, si, si, func(i, _ int) { sum = r.step(sum, in[0].at(base+i)) })
			out[0].set(k, r.end(sum, float64(n)))
			k++
		})
	}
}

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
	if v := c.optional(2); v != nil {
		must(v.constant && v.at(0) == 0, "training is not supported")
	}
	x := c.x(0)
	out := c.out
	c.out = out[:1]
	c.sameElements(x.shape)
	c.out = out
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
	o := c.out[0]
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
	o := c.out[0]
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
	must(c.fixed(0) != nil, "input 0 is missing")
	c.one()
	fill := &tensor{dtype: float32s, f: []float32{0}}
	if a, ok := c.get("value", isTensor); ok {
		fill = a.t
		must(fill != nil && fill.len() == 1, "value is not one element")
	}
	c.gives(0, fill.dtype, c.in[0].integers())
	c.run = func(out, _ []*tensor) {
		w := window{shape: out[0].shape, dst: strides(out[0].shape), src: make([]int, len(out[0].shape))}
		w.copy(out[0], fill)
	}
}

func (c *call) reshape() {
	x := c.x(0)
	want := c.ints("shape")
	if v := c.fixed(1); v != nil {
		want = v.integers()
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
	if v := c.fixed(input); v != nil {
		return v.integers(), true
	}
	_, ok := c.attr["axes"]
	return c.ints("axes"), ok
}

func (c *call) squeeze() {
	x := c.x(0)
	axes, some := c.axes(1)
	drop := make([]bool, len(x.shape))
	for _, a := range axes {
		drop[axisOf(a, len(drop))] = true
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
	for _, a := range axes {
		a = axisOf(a, n)
		must(!fresh[a], "axis %d twice", a)
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
	seen := make([]bool, len(order))
	own := strides(x.shape)
	var shape, src []int
	for _, a := range order {
		a = axisOf(a, len(order))
		must(!seen[a], "axis %d twice", a)
		seen[a] = true
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
	must(c.fixed(1) != nil, "input 1 is missing")
	c.one()
	want := c.in[1].integers()
	must(len(want) <= maxRank, "a shape of %d axes", len(want))
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
	for k := range c.in {
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
	for k, v := range c.in {
		w = append(w, window{shape: v.shape, to: at * dst[a], dst: dst, src: strides(v.shape)})
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
	if v := c.fixed(1); v != nil {
		sizes = v.integers()
	}
	if sizes == nil {
		n := len(c.out)
		part := (x.shape[a] + n - 1) / n
		for k := range n {
			sizes = append(sizes, max(0, min(part, x.shape[a]-k*part)))
		}
	}
	must(len(sizes) == len(c.out), "%d sizes for %d outputs", len(sizes), len(c.out))
	src, at := strides(x.shape), 0
	var to []int
	var w []window
	for k, n := range sizes {
		must(n >= 0 && n <= x.shape[a]-at, "sizes %v of an axis of length %d", sizes, x.shape[a])
		shape := slices.Clone(x.shape)
		shape[a] = n
		c.gives(k, x.dtype, shape)
		w = append(w, window{shape: shape, from: at * src[a], dst: strides(shape), src: src})
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
		if v := c.fixed(k + 1); v != nil {
			lists[k] = v.integers()
		}
	}
	starts, ends, axes, steps := lists[0], lists[1], lists[2], lists[3]
	must(len(starts) == len(ends), "%d starts and %d ends", len(starts), len(ends))
	shape, src, at := slices.Clone(x.shape), strides(x.shape), 0
	own := strides(x.shape)
	for k := range starts {
		a, step := k, 1
		if axes != nil {
			must(len(axes) == len(starts), "%d starts and %d axes", len(starts), len(axes))
			a = axes[k]
		}
		if steps != nil {
			must(len(steps) == len(starts), "%d starts and %d steps", len(starts), len(steps))
			step = steps[k]
		}
		a = axisOf(a, len(shape))
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
	c.windows([]int{0}, []int{0}, []window{{shape: shape, from: at, dst: strides(shape), src: src}})
}

func (c *call) gather() {
	x, index := c.x(0), c.fixed(1)
	must(index != nil, "input 1 is missing")
	c.one()
	a := axisOf(c.int("axis", 0), len(x.shape))
	must(len(x.shape)-1+len(index.shape) <= maxRank, "too many axes")
	c.gives(0, x.dtype, slices.Concat(x.shape[:a], index.shape, x.shape[a+1:]))
	// Each index is a slice of x.
	slice := slices.Clone(x.shape)
	slice[a] = 1
	dst, src := strides(slice), strides(x.shape)
	inner := elements(x.shape[a+1:])
	n := index.len()
	must(n <= maxWindows, "%d indices; at most %d are supported", n, maxWindows)
	// Along the axes before a, a step in the output passes all n indices.
	for d := range a {
		dst[d] *= n
	}
	var w []window
	for k, v := range index.integers() {
		if v < 0 {
			v += x.shape[a]
		}
		must(v >= 0 && v < x.shape[a], "index %d of an axis of length %d", v, x.shape[a])
		w = append(w, window{shape: slice, to: k * inner, from: v * src[a], dst: dst, src: src})
	}
	c.windows(make([]int, len(w)), make([]int, len(w)), w)
}
