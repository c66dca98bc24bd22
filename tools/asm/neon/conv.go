package main

import "fmt"

// convTile names the fields of blas.convTile, eight bytes each, in order.
var convTile = []string{
	"a", "step", "ny", "dy", "nx", "dx", "k", "b", "bias",
	"c", "cstep", "r", "rstep", "act", "slopes", "limits", "last", "vecs",
}

// winTile names the fields of blas.winTile.
var winTile = []string{
	"a", "row", "step", "f", "fstep", "tmp", "points", "bias",
	"c", "crow", "cstep", "r", "rrow", "rstep", "act", "slopes", "limits", "vecs",
}

// An object is the argument of a kernel: a pointer to a struct.
type object struct {
	*assembler
	p      string
	fields []string
}

// kernel begins a kernel whose argument is a pointer to a struct.
func (a *assembler) kernel(name string, fields []string) object {
	a.text(name, "", param{"t", "*byte"})
	return object{a, a.arg("t"), fields}
}

// at is the address of a field, or of what is disp bytes after its start.
func (o object) at(field string, disp int) string {
	for i, f := range o.fields {
		if f == field {
			return fmt.Sprintf("%d(%s)", 8*i+disp, o.p)
		}
	}
	panic("no field " + field)
}

// get loads a field into a new register, set into r.
func (o object) get(field string) string {
	r := o.reg()
	o.set(field, r)
	return r
}

func (o object) set(field, r string) { o.ins(load, "MOVD %s, %s", o.at(field, 0), r) }

// An output is rows of registers that become as many vectors of an image.
type output struct {
	object
	x      [][]int
	free   []int // three more registers
	masked bool  // the last vector of a row has the field last in elements
	c, r   string
	q, s   string // scratch
	last   string // the field, if masked; overwritten
}

func (o object) output(x [][]int, free []int, masked bool) output {
	out := output{object: o, x: x, free: free, masked: masked, q: o.reg(), s: o.reg()}
	out.c, out.r = o.get("c"), o.get("r")
	if masked {
		out.last = o.get("last")
	}
	return out
}

// each calls f for the rows, at p and then step, a field, apart.
func (o output) each(p, step string, f func(x []int)) {
	o.ins(integer, "MOVD %s, %s", p, o.q)
	o.set(step, o.s)
	for i, x := range o.x {
		f(x)
		if i < len(o.x)-1 {
			o.ins(integer, "ADD %s, %s", o.s, o.q)
		}
	}
}

func (o output) all(f func(j, x int)) {
	for _, row := range o.x {
		for j, x := range row {
			f(j, x)
		}
	}
}

// either writes f for whole vectors and, if masked, for rows that end in a rest.
func (o output) either(name string, f func(r *rest)) {
	if o.masked {
		o.set("last", o.last)
		o.ins(integer, "CMP $%d, %s", f32.lanes(), o.last)
		o.ins(integer, "BNE %s_rest", name)
	}
	f(nil)
	if o.masked {
		o.ins(integer, "B %s_done", name)
		o.label(name + "_rest")
		free := o.routine.free
		r := o.rest(f32, o.last)
		f(&r)
		o.routine.free = free
		o.label(name + "_done")
	}
}

// finish adds the residual, applies the activation and stores.
func (o output) finish() {
	a := o.assembler
	a.ins(integer, "CBZ %s, activate", o.r)
	o.either("residual", func(r *rest) {
		o.each(o.r, "rstep", func(x []int) {
			for j, sum := range x {
				if r != nil && j == len(x)-1 {
					a.loadRest(*r, o.q, 16*j, o.free[0])
				} else {
					a.ins(load, "FMOVQ %d(%s), F%d", 16*j, o.q, o.free[0])
				}
				a.add(f32, o.free[0], sum, sum)
			}
		})
	})
	a.label("activate")
	o.set("act", o.s)
	a.ins(integer, "CMP $1, %s", o.s)
	a.ins(integer, "BLT store")
	a.ins(integer, "BEQ relu")
	a.ins(integer, "CMP $2, %s", o.s)
	a.ins(integer, "BEQ prelu")
	lo, hi := o.free[0], o.free[1]
	a.broadcast(f32, o.at("limits", 0), lo)
	a.broadcast(f32, o.at("limits", 4), hi)
	o.all(func(_, x int) {
		a.max(f32, lo, x, x) // a NaN stays one
		a.min(f32, hi, x, x)
	})
	a.ins(integer, "B store")
	a.label("prelu")
	zero, slope, below := o.free[0], o.free[1], o.free[2]
	a.zero(zero)
	o.set("slopes", o.s)
	for j := range o.x[0] {
		a.ins(load, "FMOVQ %d(%s), F%d", 16*j, o.s, slope)
		for _, row := range o.x {
			a.min(f32, zero, row[j], below)
			a.max(f32, zero, row[j], row[j])
			a.fma(f32, slope, below, row[j])
		}
	}
	a.ins(integer, "B store")
	a.label("relu")
	a.zero(zero)
	o.all(func(_, x int) { a.max(f32, zero, x, x) })
	a.label("store")
	o.either("stored", func(r *rest) {
		o.each(o.c, "cstep", func(x []int) { a.storeRow(r, x, o.q) })
	})
}

// nextVector ends a loop over vectors of channels, and the kernel. It moves the
// fields to the next vector if there is one: a pointer past the end of its memory
// would be a fault of the garbage collector.
func (o output) nextVector(fields ...string) {
	a := o.assembler
	update := func(field, instruction string) {
		o.set(field, o.s)
		a.ins(integer, instruction, o.s)
		a.ins(save, "MOVD %s, %s", o.s, o.at(field, 0))
	}
	update("vecs", "SUBS $1, %s")
	a.ins(integer, "BEQ done")
	for _, f := range fields {
		update(f, "ADD $16, %s")
	}
	o.set("r", o.s)
	a.ins(integer, "CBZ %s, vector", o.s)
	update("r", "ADD $16, %s")
	a.ins(integer, "B vector")
	a.label("done")
	a.ins(integer, "RET")
}

// conv writes the kernel of the convolution: rows pixels, vecs vectors of
// channels, summed in order from the bias.
func (a *assembler) conv(rows, vecs int) {
	t := a.kernel(fmt.Sprintf("%s%dx%d", f32.name("conv"), rows, vecs), convTile)
	x, y := rectangle(0, rows, vecs), series(rows*vecs, vecs)
	elements := series((rows+1)*vecs, min(rows, 32-(rows+1)*vecs))
	xp := t.get("bias")
	a.loads(xp, x[0])
	for _, row := range x[1:] {
		for j, z := range row {
			a.move(x[0][j], z)
		}
	}
	p := a.reg()
	pixel := a.strided(p, t.get("step"), rows)
	b, k, nx := t.get("b"), a.reg(), a.reg()
	yp, ny := t.get("a"), t.get("ny")
	step := a.reg()
	a.label("y")
	t.set("nx", nx)
	a.ins(integer, "MOVD %s, %s", yp, xp)
	a.label("x")
	a.ins(integer, "MOVD %s, %s", xp, p)
	t.set("k", k)
	a.repeat("k", k, rows*vecs, func() {
		a.loads(b, y)
		a.ins(integer, "ADD $%d, %s", 16*vecs, b)
		for i, sums := range x {
			e := elements[i%len(elements)]
			a.loadOne(f32, pixel.row(i), e)
			for j, sum := range sums {
				a.fmaBy(f32, e, 0, y[j], sum)
			}
		}
		a.ins(integer, "ADD $4, %s", p)
	})
	t.set("dx", step)
	a.ins(integer, "ADD %s, %s", step, xp)
	a.ins(integer, "SUBS $1, %s", nx)
	a.ins(integer, "BNE x")
	t.set("dy", step)
	a.ins(integer, "ADD %s, %s", step, yp)
	a.ins(integer, "SUBS $1, %s", ny)
	a.ins(integer, "BNE y")
	t.output(x, series(rows*vecs, 3), true).finish()
	a.ins(integer, "RET")
}

// window writes a kernel that combines the pixels of rows windows, channel by
// channel. A depthwise convolution weights them; the sum is multiplied by the
// first of limits; sum and maximum start at the second. With 0 rows it does one
// window and, of one vector, the first last channels.
func (a *assembler) window(routine string, rows int) {
	t := a.kernel(fmt.Sprintf("%s%d", f32.name(routine), rows), convTile)
	masked := rows == 0
	rows = max(rows, 1)
	x, free := rectangle(0, rows, 1), series(rows, 3)
	p := a.reg()
	pixel := a.strided(p, t.get("step"), rows)
	b, nx, ny, yp := t.get("b"), a.reg(), a.reg(), a.reg()
	dx, dy := t.get("dx"), t.get("dy")
	var r rest
	if masked {
		// Sums of the lanes that are not there stay finite: these lanes load zeros.
		r = a.rest(f32, t.get("last"))
	}
	a.label("vector")
	if routine == "depth" {
		t.set("bias", nx)
		a.ins(load, "FMOVQ (%s), F0", nx)
	} else {
		a.broadcast(f32, t.at("limits", 4), 0)
	}
	for i := 1; i < rows; i++ {
		a.move(0, i)
	}
	t.set("a", yp)
	t.set("ny", ny)
	a.label("y")
	t.set("nx", nx)
	a.ins(integer, "MOVD %s, %s", yp, p)
	a.repeat("x", nx, rows, func() {
		if routine == "depth" {
			a.ins(load, "FMOVQ (%s), F%d", b, free[0])
			a.ins(integer, "ADD $16, %s", b)
		}
		for i := range rows {
			y := free[1] + i%2
			if masked {
				a.loadRest(r, p, 0, y)
			} else {
				a.loadAt(pixel, i, y)
			}
			switch routine {
			case "depth":
				a.fma(f32, y, free[0], i)
			case "sum":
				a.add(f32, y, i, i)
			case "most":
				a.max(f32, y, i, i)
			}
		}
		a.ins(integer, "ADD %s, %s", dx, p)
	})
	a.ins(integer, "ADD %s, %s", dy, yp)
	a.ins(integer, "SUBS $1, %s", ny)
	a.ins(integer, "BNE y")
	if routine == "sum" {
		a.loadOne(f32, t.at("limits", 0), free[0])
		for i := range rows {
			a.mulBy(f32, free[0], 0, i, i)
		}
	}
	a.routine.free = append(a.routine.free, nx, ny, p)
	o := t.output(x, free, masked)
	if routine == "depth" {
		o.finish()
		o.nextVector("a", "c", "bias", "slopes")
		return
	}
	o.either("stored", func(r *rest) {
		o.each(o.c, "cstep", func(x []int) { a.storeRow(r, x, o.q) })
	})
	o.nextVector("a", "c")
}
