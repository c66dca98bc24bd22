package main

// The transforms of the Winograd convolution F(4×4, 3×3) with the points 0, ±a,
// ±b and ∞. winTile.points has a, b, a², b², a²b², a²+b², a³, b³, which fill two
// registers.

// A constant is an element of a register.
type constant struct{ register, element int }

// points loads the constants into the registers 30 and 31.
func (t object) points() (c []constant) {
	t.loads(t.get("points"), []int{30, 31})
	for i := range 8 {
		c = append(c, constant{30 + i/4, i % 4})
	}
	return c
}

// plus adds c·n to d, minus subtracts it, and times sets d.
func (a *assembler) plus(c constant, n, d int)  { a.fmaBy(f32, c.register, c.element, n, d) }
func (a *assembler) minus(c constant, n, d int) { a.fmsBy(f32, c.register, c.element, n, d) }
func (a *assembler) times(c constant, n, d int) { a.mulBy(f32, c.register, c.element, n, d) }

// winogradIn writes the kernel that transforms a 6×6 patch of the input, vecs
// vectors of channels: Bᵀ·d·B.
func (a *assembler) winogradIn() {
	t := a.kernel(f32.name("winogradIn"), winTile)
	c := t.points()
	pa, pb, aa, bb, aabb, sum := c[0], c[1], c[2], c[3], c[4], c[5]
	d := series(0, 6)
	x, y, z, first, fourth := 6, 7, 8, 9, 10
	transform := func() []int {
		a.move(d[4], first)
		a.plus(aabb, d[0], first)
		a.minus(sum, d[2], first)
		a.plus(aabb, d[1], d[5])
		a.minus(sum, d[3], d[5])
		a.move(d[4], x)
		a.minus(bb, d[2], x)
		a.move(d[3], y)
		a.minus(bb, d[1], y)
		a.move(x, z)
		a.plus(pa, y, x)
		a.minus(pa, y, z)
		a.minus(aa, d[2], d[4])
		a.minus(aa, d[1], d[3])
		a.move(d[4], fourth)
		a.plus(pb, d[3], fourth)
		a.minus(pb, d[3], d[4])
		return []int{first, x, z, fourth, d[4], d[5]}
	}
	p, row := a.reg(), t.get("row")
	rows := a.strided(p, row, 6)
	step, fstep := t.get("step"), t.get("fstep")
	tmp, n, f := a.reg(), a.reg(), a.reg()
	o := t.output(nil, nil, false)
	a.label("vector")
	t.set("a", p)
	t.set("tmp", tmp)
	a.ins(integer, "MOVD $6, %s", n)
	a.repeat("column", n, 0, func() {
		for i := range d {
			a.loadAt(rows, i, d[i])
		}
		for i, r := range transform() {
			a.ins(save, "FMOVQ F%d, %d(%s)", r, 6*16*i, tmp)
		}
		a.ins(integer, "ADD %s, %s", step, p)
		a.ins(integer, "ADD $16, %s", tmp)
	})
	t.set("tmp", tmp)
	t.set("f", f)
	a.ins(integer, "MOVD $6, %s", n)
	a.repeat("row", n, 0, func() {
		a.loads(tmp, d)
		for _, r := range transform() {
			a.ins(save, "FMOVQ F%d, (%s)", r, f)
			a.ins(integer, "ADD %s, %s", fstep, f)
		}
		a.ins(integer, "ADD $%d, %s", 6*16, tmp)
	})
	o.nextVector("a", "f")
}

// winogradOut writes the kernel that transforms 6×6 sums to 4×4 pixels of the
// output, vecs vectors of channels: Aᵀ·m·A.
func (a *assembler) winogradOut() {
	t := a.kernel(f32.name("winogradOut"), winTile)
	c := t.points()
	pa, pb, aa, bb, aaa, bbb := c[0], c[1], c[2], c[3], c[6], c[7]
	m := series(0, 6)
	x, y := 6, 7
	transform := func() []int {
		a.add(f32, m[1], m[2], x)
		a.sub(f32, m[2], m[1], m[2])
		a.add(f32, m[3], m[4], y)
		a.sub(f32, m[4], m[3], m[4])
		a.add(f32, x, m[0], m[0])
		a.add(f32, y, m[0], m[0])
		a.times(pa, m[2], m[1])
		a.plus(pb, m[4], m[1])
		a.times(aa, x, m[3])
		a.plus(bb, y, m[3])
		a.plus(aaa, m[2], m[5])
		a.plus(bbb, m[4], m[5])
		return []int{m[0], m[1], m[3], m[5]}
	}
	p, step, fstep := a.reg(), a.reg(), t.get("fstep")
	a.ins(integer, "ADD %s, %s, %s", fstep, fstep, step)
	a.ins(integer, "ADD %s, %s", fstep, step)
	a.ins(integer, "ADD %s, %s", step, step)
	rows := a.strided(p, step, 6)
	tmp, n, bias := a.reg(), a.reg(), a.reg()
	o := t.output([][]int{{m[0]}, {m[1]}, {m[3]}, {m[5]}}, []int{x, y, m[2]}, false)
	a.label("vector")
	t.set("f", p)
	t.set("tmp", tmp)
	a.ins(integer, "MOVD $6, %s", n)
	a.repeat("column", n, 0, func() {
		for i := range m {
			a.loadAt(rows, i, m[i])
		}
		for i, r := range transform() {
			a.ins(save, "FMOVQ F%d, %d(%s)", r, 6*16*i, tmp)
		}
		a.ins(integer, "ADD %s, %s", fstep, p)
		a.ins(integer, "ADD $16, %s", tmp)
	})
	t.set("tmp", tmp)
	t.set("c", o.c)
	t.set("r", o.r)
	t.set("bias", bias)
	a.ins(integer, "MOVD $4, %s", n)
	a.label("row")
	a.loads(tmp, m)
	a.ins(load, "FMOVQ (%s), F%d", bias, x+2)
	for _, r := range transform() {
		a.add(f32, x+2, r, r)
	}
	o.finish()
	t.set("crow", o.s)
	a.ins(integer, "ADD %s, %s", o.s, o.c)
	a.ins(integer, "CBZ %s, next", o.r)
	t.set("rrow", o.s)
	a.ins(integer, "ADD %s, %s", o.s, o.r)
	a.label("next")
	a.ins(integer, "ADD $%d, %s", 6*16, tmp)
	a.ins(integer, "SUBS $1, %s", n)
	a.ins(integer, "BNE row")
	o.nextVector("f", "c", "bias", "slopes")
}
