package network

import "math"

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
	inputs    []types // of the inputs; without least, as many as there are
	minInputs int     // inputs that must be there
	rank      int     // axes that the first input has at least
	units     int     // of work for an element of the largest input or output
	// complete checks the rest of a call and completes it. It refuses what is not
	// supported.
	complete func(*call)
}

func of(in ...types) []types { return in }

// variadic operators take any number of inputs, of the last type.
var variadic = map[string]bool{"Concat": true, "Max": true, "Min": true, "Sum": true}

// operators are all that are supported, by their names in ONNX. TestConformance
// runs each on its cases of the official suite.
var operators = withFamilies(map[string]operator{
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
})

// withFamilies adds the operators that differ only in a function of numbers.
func withFamilies(all map[string]operator) map[string]operator {
	for name, f := range unary {
		all[name] = operator{of(f.inputs), 1, 0, f.units, func(c *call) { c.unary(f.f) }}
	}
	for name, f := range pairwise {
		o := operator{of(numbers, numbers), 2, 0, 10, func(c *call) { c.binary(f, c.x(0).dtype) }}
		if variadic[name] {
			o.inputs, o.minInputs = of(numbers), 1
		}
		all[name] = o
	}
	for name, f := range comparisons {
		all[name] = operator{of(f.inputs, f.inputs), 2, 0, 10, func(c *call) {
			c.binary(func(a, b float64) float64 { return indicator(f.f(a, b)) }, bools)
		}}
	}
	for name, r := range reductions {
		all[name] = operator{of(numbers, integers), 1, 0, 16, func(c *call) { c.reduce(r) }}
	}
	return all
}

// indicator is 1 for true, as ONNX has it of numbers.
func indicator(v bool) float64 {
	if v {
		return 1
	}
	return 0
}

var unary = map[string]struct {
	inputs types
	units  int
	f      func(float64) float64
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
	inputs types
	f      func(a, b float64) bool
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
