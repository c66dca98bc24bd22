package network

import (
	"math"
	"slices"
)

// Sets of types.
const (
	floats   types = 1<<float32s | 1<<float64s | 1<<float16s
	integers types = 1<<uint8s | 1<<int8s | 1<<uint16s | 1<<int16s | 1<<int32s | 1<<int64s | 1<<uint32s | 1<<uint64s
	truth    types = 1 << bools
	numbers        = floats | integers
	anything       = numbers | truth
)

// An operator is what is known of a kind of node. Types and ranks of its inputs are
// checked before complete is called.
type operator struct {
	in    []types // of the inputs; without least, as many as there are
	least int     // inputs that must be there
	rank  int     // axes that the first input has at least
	units int     // of work for an element of the largest input or output
	// complete checks the rest of a call and completes it. It refuses what is not
	// supported.
	complete func(*call)
}

func of(in ...types) []types { return in }

// variadic operators take any number of inputs, of the last type.
var variadic = map[string]bool{"Concat": true, "Max": true, "Min": true, "Sum": true}

// operators are all that are supported, by their names in ONNX. TestConformance
// runs each on its cases of the official suite.
var operators map[string]operator

func init() {
	operators = map[string]operator{
		"AveragePool":        {of(floats), 1, 3, 4, func(c *call) { c.pool(false) }},
		"BatchNormalization": {of(floats, floats, floats, floats, floats), 5, 1, 20, (*call).batchNormalization},
		"Cast":               {of(anything), 1, 0, 8, (*call).cast},
		"Clip":               {of(numbers, numbers, numbers), 1, 0, 8, (*call).clip},
		"Concat":             {of(anything), 1, 1, 6, (*call).concat},
		"Constant":           {nil, 0, 0, 1, (*call).constantNode},
		"ConstantOfShape":    {of(integers), 1, 0, 6, (*call).constantOfShape},
		"Conv":               {of(floats, floats, floats), 2, 3, 8, (*call).conv},
		"ConvTranspose":      {of(floats, floats, floats), 2, 3, 4, (*call).convTranspose},
		"DequantizeLinear":   {of(integers, floats, integers), 2, 0, 6, (*call).dequantize},
		"Dropout":            {of(anything, floats, truth), 1, 0, 4, (*call).dropout},
		"Expand":             {of(anything, integers), 2, 0, 6, (*call).expand},
		"Flatten":            {of(anything), 1, 0, 1, (*call).flatten},
		"Gather":             {of(anything, integers), 2, 1, 4, (*call).gather},
		"Gemm":               {of(floats, floats, floats), 2, 2, 4, (*call).gemm},
		"GlobalAveragePool":  {of(floats), 1, 3, 4, func(c *call) { c.globalPool(false) }},
		"GlobalMaxPool":      {of(floats), 1, 3, 4, func(c *call) { c.globalPool(true) }},
		"Identity":           {of(anything), 1, 0, 1, func(c *call) { c.sameElements(c.x(0).shape) }},
		"LeakyRelu":          {of(floats), 1, 0, 4, (*call).leakyRelu},
		"LpNormalization":    {of(floats), 1, 1, 16, (*call).lpNormalization},
		"MatMul":             {of(floats, floats), 2, 1, 4, (*call).matMul},
		"MaxPool":            {of(floats | 1<<int8s | 1<<uint8s), 1, 3, 4, func(c *call) { c.pool(true) }},
		"PRelu":              {of(numbers, numbers), 2, 0, 16, (*call).pRelu},
		"Pad":                {of(anything, integers, anything, integers), 1, 0, 20, (*call).pad},
		"Pow":                {of(numbers, numbers), 2, 0, 100, (*call).pow},
		"Reshape":            {of(anything, integers), 1, 0, 1, (*call).reshape},
		"Resize":             {of(anything, floats, floats, integers), 1, 0, 20, (*call).resize},
		"Shape":              {of(anything), 1, 0, 1, (*call).shapeOf},
		"Size":               {of(anything), 1, 0, 1, func(c *call) { c.isConstant(nil, []int{c.x(0).len()}) }},
		"Slice":              {of(anything, integers, integers, integers, integers), 1, 0, 6, (*call).slice},
		"Softmax":            {of(floats), 1, 0, 50, (*call).softmax},
		"Split":              {of(anything, integers), 1, 1, 6, (*call).split},
		"Squeeze":            {of(anything, integers), 1, 0, 1, (*call).squeeze},
		"Transpose":          {of(anything), 1, 0, 6, (*call).transpose},
		"Unsqueeze":          {of(anything, integers), 1, 0, 1, (*call).unsqueeze},
		"Upsample":           {of(anything, floats), 1, 0, 20, (*call).resize},
		"Where":              {of(truth, anything, anything), 3, 0, 20, (*call).where},
	}
	for name, f := range unary {
		operators[name] = operator{of(f.in), 1, 0, f.units, func(c *call) { c.unary(f.f) }}
	}
	for name, f := range pairwise {
		o := operator{of(numbers, numbers), 2, 0, 10, func(c *call) { c.binary(f, c.x(0).dtype) }}
		if variadic[name] {
			o.in, o.least = of(numbers), 1
		}
		operators[name] = o
	}
	for name, f := range comparisons {
		operators[name] = operator{of(f.in, f.in), 2, 0, 10, func(c *call) {
			c.binary(func(a, b float64) float64 {
				if f.f(a, b) {
					return 1
				}
				return 0
			}, bools)
		}}
	}
	for name, r := range reductions {
		operators[name] = operator{of(numbers, integers), 1, 0, 16, func(c *call) { c.reduce(r) }}
	}
}

var unary = map[string]struct {
	in    types
	units int
	f     func(float64) float64
}{
	"Abs":        {numbers, 3, math.Abs},
	"Ceil":       {floats, 3, math.Ceil},
	"Exp":        {floats, 20, math.Exp},
	"Floor":      {floats, 3, math.Floor},
	"HardSwish":  {floats, 8, func(x float64) float64 { return x * min(max(x/6+0.5, 0), 1) }},
	"Log":        {floats, 20, math.Log},
	"Neg":        {numbers, 3, func(x float64) float64 { return -x }},
	"Not":        {truth, 8, func(x float64) float64 { return 1 - x }},
	"Reciprocal": {floats, 3, func(x float64) float64 { return 1 / x }},
	"Relu":       {numbers, 3, func(x float64) float64 { return max(x, 0) }},
	"Sigmoid":    {floats, 24, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
	"Softplus":   {floats, 60, func(x float64) float64 { return math.Log1p(math.Exp(-math.Abs(x))) + max(x, 0) }},
	"Sqrt":       {floats, 3, math.Sqrt},
	"Tanh":       {floats, 40, math.Tanh},
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

var comparisons = map[string]struct {
	in types
	f  func(a, b float64) bool
}{
	"And":            {truth, func(a, b float64) bool { return a != 0 && b != 0 }},
	"Equal":          {anything, func(a, b float64) bool { return a == b }},
	"Greater":        {numbers, func(a, b float64) bool { return a > b }},
	"GreaterOrEqual": {numbers, func(a, b float64) bool { return a >= b }},
	"Less":           {numbers, func(a, b float64) bool { return a < b }},
	"LessOrEqual":    {numbers, func(a, b float64) bool { return a <= b }},
	"Or":             {truth, func(a, b float64) bool { return a != 0 || b != 0 }},
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
	c.run = func(out, in []*tensor) {
		if o := out[0].f; o != nil {
			for k, v := range in[0].f {
				o[k] = float32(f(float64(v)))
			}
			return
		}
		for k := range out[0].len() {
			out[0].set(k, f(in[0].at(k)))
		}
	}
}

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
	two := len(c.in) == 2 && slices.Equal(c.in[0].shape, shape)
	scalar, same := two && c.in[1].len() == 1, two && slices.Equal(c.in[1].shape, shape)
	c.units = times(10, len(c.in)-1, c.out[0].len())
	if d.float() && (scalar || same) {
		c.units = times(3, c.out[0].len())
	}
	c.run = func(out, in []*tensor) {
		o, a := out[0], in[0]
		if scalar && o.f != nil { // what dequantised weights go through
			s := in[1].at(0)
			for k, v := range a.f {
				o.f[k] = float32(f(float64(v), s))
			}
			return
		}
		if same && o.f != nil {
			for k, v := range a.f {
				o.f[k] = float32(f(float64(v), float64(in[1].f[k])))
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
	lo, hi = c.single(1, lo), c.single(2, hi)
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

// reduce is a reduction over axes, of which none means all.
func (c *call) reduce(r reduction) {
	x := c.x(0)
	c.one()
	axes := c.ints("axes")
	if v := c.few(1, maxRank); v != nil {
		axes = v
	}
	if len(axes) == 0 && c.int("noop_with_empty_axes", 0) != 0 {
		c.sameElements(x.shape)
		return
	}
	reduced := make([]bool, len(x.shape))
	for _, a := range distinct(axes, len(x.shape)) {
		reduced[a] = true
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
