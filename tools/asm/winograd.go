package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The transforms of the Winograd convolution F(4×4, 3×3) with the points 0, ±a,
// ±b and ∞. winTile.points has a, b, a², b², a²b², a²+b², a³, b³.

// points loads the constants with these indices into the registers from first.
func (t args) points(v vector, first int, index ...int) []reg.VecPhysical {
	p := t.load("points")
	c := make([]reg.VecPhysical, len(index))
	for i, n := range index {
		c[i] = v.reg(first + i)
		v.broadcast(operand.Mem{Base: p, Disp: 4 * n}, c[i])
	}
	return c
}

// winogradIn writes the kernel that transforms a 6×6 patch of the input, vecs
// vectors of channels: Bᵀ·d·B.
func winogradIn(v vector) {
	name := v.name("winogradIn")
	t := kernel(name, winTile)
	c := t.points(v, 9, 0, 1, 2, 3, 4, 5)
	a, b, aa, bb, aabb, sum := c[0], c[1], c[2], c[3], c[4], c[5]
	d := []reg.VecPhysical{v.reg(0), v.reg(1), v.reg(2), v.reg(3), v.reg(4), v.reg(5)}
	x, y, z := v.reg(6), v.reg(7), v.reg(8)
	transform := func() []reg.VecPhysical {
		VFMADD213PS(d[4], aabb, d[0])
		VFNMADD231PS(sum, d[2], d[0])
		v.fma(aabb, d[1], d[5])
		VFNMADD231PS(sum, d[3], d[5])
		VMOVAPS(d[4], x)
		VFNMADD231PS(bb, d[2], x)
		VMOVAPS(d[3], y)
		VFNMADD231PS(bb, d[1], y)
		VMOVAPS(x, z)
		v.fma(a, y, x)
		VFNMADD231PS(a, y, z)
		VFNMADD231PS(aa, d[2], d[4])
		VFNMADD231PS(aa, d[1], d[3])
		VMOVAPS(d[4], d[2])
		v.fma(b, d[3], d[2])
		VFNMADD231PS(b, d[3], d[4])
		return []reg.VecPhysical{d[0], x, z, d[2], d[4], d[5]}
	}
	w := int(v.w)
	p := GP64()
	rows := newStrided(p, t.load("row"), 6)
	Label("vector")
	MOVQ(t.at("a"), p)
	tmp, n := t.load("tmp"), GP64()
	MOVQ(operand.U32(6), n)
	Label("column")
	for i := range 6 {
		v.load(rows.at(i), d[i])
	}
	for i, r := range transform() {
		v.store(r, operand.Mem{Base: tmp, Disp: 6 * i * w})
	}
	ADDQ(t.at("step"), p)
	ADDQ(operand.U8(w), tmp)
	DECQ(n)
	JNZ(operand.LabelRef("column"))
	MOVQ(t.at("tmp"), tmp)
	f, fstep := t.load("f"), t.load("fstep")
	MOVQ(operand.U32(6), n)
	Label("row")
	for j := range 6 {
		v.load(operand.Mem{Base: tmp, Disp: j * w}, d[j])
	}
	for _, r := range transform() {
		v.store(r, operand.Mem{Base: f})
		ADDQ(fstep, f)
	}
	ADDQ(operand.U32(6*w), tmp)
	DECQ(n)
	JNZ(operand.LabelRef("row"))
	output{v: v, args: t}.nextVector("a", "f")
}

// winogradOut writes the kernel that transforms 6×6 sums to 4×4 pixels of the
// output, vecs vectors of channels: Aᵀ·m·A.
func winogradOut(v vector) {
	name := v.name("winogradOut")
	t := kernel(name, winTile)
	c := t.points(v, 8, 0, 1, 2, 3, 6, 7)
	a, b, aa, bb, aaa, bbb := c[0], c[1], c[2], c[3], c[4], c[5]
	m := []reg.VecPhysical{v.reg(0), v.reg(1), v.reg(2), v.reg(3), v.reg(4), v.reg(5)}
	x, y := v.reg(6), v.reg(7)
	transform := func() []reg.VecPhysical {
		VADDPS(m[2], m[1], x)
		VSUBPS(m[2], m[1], m[2])
		VADDPS(m[4], m[3], y)
		VSUBPS(m[4], m[3], m[4])
		v.add(x, m[0])
		v.add(y, m[0])
		VMULPS(a, m[2], m[1])
		v.fma(b, m[4], m[1])
		VMULPS(aa, x, m[3])
		v.fma(bb, y, m[3])
		v.fma(aaa, m[2], m[5])
		v.fma(bbb, m[4], m[5])
		return []reg.VecPhysical{m[0], m[1], m[3], m[5]}
	}
	w := int(v.w)
	fstep := t.load("fstep")
	step := GP64()
	LEAQ(operand.Mem{Base: fstep, Index: fstep, Scale: 2}, step)
	ADDQ(step, step)
	p := GP64()
	rows := newStrided(p, step, 6)
	Label("vector")
	MOVQ(t.at("f"), p)
	tmp, n := t.load("tmp"), GP64()
	MOVQ(operand.U32(6), n)
	Label("column")
	for i := range 6 {
		v.load(rows.at(i), m[i])
	}
	for i, r := range transform() {
		v.store(r, operand.Mem{Base: tmp, Disp: 6 * i * w})
	}
	ADDQ(fstep, p)
	ADDQ(operand.U8(w), tmp)
	DECQ(n)
	JNZ(operand.LabelRef("column"))
	MOVQ(t.at("tmp"), tmp)
	MOVQ(operand.U32(4), n)
	o := output{v: v, args: t, c: t.load("c"), r: t.load("r"), free: []reg.VecPhysical{x, y, m[2]}}
	Label("row")
	for j := range 6 {
		v.load(operand.Mem{Base: tmp, Disp: j * w}, m[j])
	}
	bias := t.load("bias")
	for _, r := range transform() {
		v.add(operand.Mem{Base: bias}, r)
		o.x = append(o.x, []reg.VecPhysical{r})
	}
	o.finish()
	ADDQ(t.at("crow"), o.c)
	TESTQ(o.r, o.r)
	JZ(operand.LabelRef("next"))
	ADDQ(t.at("rrow"), o.r)
	Label("next")
	ADDQ(operand.U32(6*w), tmp)
	DECQ(n)
	JNZ(operand.LabelRef("row"))
	o.nextVector("f", "c", "bias", "slopes")
}
