package network

import (
	"math"
	"slices"
)

// A product marks x·w + bias, with constant weights as a 1×1 convolution has
// them, outputs × inputs.
type product struct {
	weights         []float32
	bias            []float32
	inputs, outputs int
}

// multiply is the product of matrices m×k and k×n at given offsets and strides. Four
// columns are computed at a time, each in the order of k.
func multiply(o, a, b []float32, m, n, k, am, ak, bk, bn int, alpha float64) {
	for y := range m {
		x := 0
		for ; x+4 <= n; x += 4 {
			var s0, s1, s2, s3 float64
			at := x * bn
			for j := range k {
				v := float64(a[y*am+j*ak])
				s0 += v * float64(b[at])
				s1 += v * float64(b[at+bn])
				s2 += v * float64(b[at+2*bn])
				s3 += v * float64(b[at+3*bn])
				at += bk
			}
			out := o[y*n+x:][:4]
			out[0], out[1], out[2], out[3] = float32(alpha*s0), float32(alpha*s1), float32(alpha*s2), float32(alpha*s3)
		}
		for ; x < n; x++ {
			sum := 0.0
			for j := range k {
				sum += float64(a[y*am+j*ak]) * float64(b[j*bk+x*bn])
			}
			o[y*n+x] = float32(alpha * sum)
		}
	}
}

func (c *call) gemm() {
	a, b, bias := c.x(0), c.x(1), c.optional(2)
	c.one()
	must(len(a.shape) == 2 && len(b.shape) == 2, "matrices of shape %v and %v", a.shape, b.shape)
	must(c.int("broadcast", 1) == 1 || c.opset >= 7, "a product without broadcasting")
	m, k, am, ak := a.shape[0], a.shape[1], a.shape[1], 1
	if c.int("transA", 0) != 0 {
		m, k, am, ak = k, m, 1, a.shape[1]
	}
	k2, n, bk, bn := b.shape[0], b.shape[1], b.shape[1], 1
	if c.int("transB", 0) != 0 {
		k2, n, bk, bn = n, k2, 1, b.shape[1]
	}
	must(k == k2, "matrices of shape %v and %v", a.shape, b.shape)
	c.gives(0, a.dtype, []int{m, n})
	c.work = times(m, n, k)
	c.units = c.work + 16*c.outputs[0].len()
	alpha, beta := float64(c.float("alpha", 1)), float64(c.float("beta", 1))
	var sb []int
	if bias != nil {
		must(slices.Equal(broadcast(bias.shape, c.outputs[0].shape), c.outputs[0].shape), "a bias of shape %v", bias.shape)
		sb = spread(bias.shape, c.outputs[0].shape)
	}
	if m == 1 && ak == 1 && b.constant && (bias == nil || bias.constant) && n > 0 && k > 0 && !a.constant {
		p := product{inputs: k, outputs: n, weights: c.transposed(b.f, k, n, bk, bn, float32(alpha)), bias: make([]float32, n)}
		for j := range n {
			if bias != nil {
				p.bias[j] = float32(beta) * bias.f[j*sb[1]]
			}
		}
		c.layer = p
	}
	c.run = func(o, i []*tensor) {
		multiply(o[0].f, i[0].f, i[1].f, m, n, k, am, ak, bk, bn, alpha)
		if bias != nil {
			x := 0
			each(o[0].shape, sb, sb, func(at, _ int) {
				o[0].f[x] += float32(beta * float64(i[2].f[at]))
				x++
			})
		}
	}
}

// transposed is alpha·b as outputs × inputs.
func (c *call) transposed(b []float32, k, n, bk, bn int, alpha float32) []float32 {
	if bk == 1 && bn == k && alpha == 1 {
		return b
	}
	c.spend(times(4, n, k))
	c.take(times(n, k), 4)
	w := make([]float32, 0, n*k)
	for x := range n {
		for j := range k {
			w = append(w, alpha*b[j*bk+x*bn])
		}
	}
	return w
}

func (c *call) matMul() {
	a, b := c.x(0), c.x(1)
	c.one()
	must(len(b.shape) > 0, "a scalar")
	// A vector is a matrix of one row on the left, of one column on the right.
	as, bs := a.shape, b.shape
	if len(as) == 1 {
		as = []int{1, as[0]}
	}
	if len(bs) == 1 {
		bs = []int{bs[0], 1}
	}
	la, lb := len(as)-2, len(bs)-2
	m, k, n := as[la], as[la+1], bs[lb+1]
	must(k == bs[lb], "matrices of shape %v and %v", a.shape, b.shape)
	many := broadcast(as[:la], bs[:lb])
	shape := slices.Clone(many)
	if len(a.shape) > 1 {
		shape = append(shape, m)
	}
	if len(b.shape) > 1 {
		shape = append(shape, n)
	}
	c.gives(0, a.dtype, shape)
	c.work = times(c.outputs[0].len(), k)
	c.units = c.work + 16*max(c.outputs[0].len(), elements(many))
	sa, sb := spread(as[:la], many), spread(bs[:lb], many)
	if la == 0 && m == 1 && lb == 0 && len(b.shape) == 2 && b.constant && !a.constant && n > 0 && k > 0 {
		c.layer = product{inputs: k, outputs: n, weights: c.transposed(b.f, k, n, n, 1, 1), bias: make([]float32, n)}
	}
	c.run = func(o, i []*tensor) {
		at := 0
		each(many, sa, sb, func(x, y int) {
			multiply(o[0].f[at:], i[0].f[x*m*k:], i[1].f[y*k*n:], m, n, k, k, 1, n, 1, 1)
			at += m * n
		})
	}
}

// along calls f for each line of x along an axis, which has n elements, and
// inner elements from one to the next.
func along(outer, n, inner int, f func(first int)) {
	for o := range outer {
		for i := range inner {
			f(o*n*inner + i)
		}
	}
}

func (c *call) softmax() {
	x := c.x(0)
	c.one()
	c.gives(0, x.dtype, x.shape)
	a := axisOf(c.int("axis", map[bool]int{true: -1, false: 1}[c.opset >= 13]), max(1, len(x.shape)))
	outer, n, inner := 1, x.len(), 1
	if len(x.shape) > 0 {
		outer, n, inner = elements(x.shape[:a]), x.shape[a], elements(x.shape[a+1:])
	}
	if c.opset < 13 { // over all axes from a on
		n, inner = n*inner, 1
	}
	c.run = func(o, i []*tensor) {
		x, y := i[0].f, o[0].f
		along(outer, n, inner, func(first int) {
			largest, sum := math.Inf(-1), 0.0
			for k := range n {
				largest = max(largest, float64(x[first+k*inner]))
			}
			for k := range n {
				sum += math.Exp(float64(x[first+k*inner]) - largest)
			}
			for k := range n {
				y[first+k*inner] = float32(math.Exp(float64(x[first+k*inner])-largest) / sum)
			}
		})
	}
}

func (c *call) lpNormalization() {
	x := c.x(0)
	c.one()
	p := c.int("p", 2)
	must(p == 1 || p == 2, "p = %d", p)
	a := axisOf(c.int("axis", -1), len(x.shape))
	c.gives(0, x.dtype, x.shape)
	outer, n, inner := elements(x.shape[:a]), x.shape[a], elements(x.shape[a+1:])
	c.run = func(o, i []*tensor) {
		x, y := i[0].f, o[0].f
		along(outer, n, inner, func(first int) {
			sum := 0.0
			for k := range n {
				v := math.Abs(float64(x[first+k*inner]))
				if p == 2 {
					v *= v
				}
				sum += v
			}
			if p == 2 {
				sum = math.Sqrt(sum)
			}
			if sum == 0 { // as onnxruntime: zeros stay zeros
				sum = 1
			}
			for k := range n {
				y[first+k*inner] = float32(float64(x[first+k*inner]) / sum)
			}
		})
	}
}

// dequantize is (x − zero point)·scale, one of each a tensor or an index of an
// axis.
func (c *call) dequantize() {
	x, scale, zero := c.x(0), c.x(1), c.optional(2)
	c.one()
	must(c.int("block_size", 0) == 0, "quantisation by blocks is not supported")
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
			if x.dtype == uint8s { // the usual one, which the loop below reads slowly
				for k, v := range x.b[lo : lo+inner] {
					o[lo+k] = float32((float64(v) - z) * s)
				}
				continue
			}
			for k := lo; k < lo+inner; k++ {
				o[k] = float32((x.at(k) - z) * s)
			}
		}
	}
}
