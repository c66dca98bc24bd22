package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// convTile names the fields of blas.convTile, eight bytes each, in order.
var convTile = fields{
	"a", "step", "ny", "dy", "nx", "dx", "k", "b", "bias",
	"c", "cstep", "r", "rstep", "act", "slopes", "limits", "last", "vecs",
}

// winTile names the fields of blas.winTile.
var winTile = fields{
	"a", "row", "step", "f", "fstep", "tmp", "points", "bias",
	"c", "crow", "cstep", "r", "rrow", "rstep", "act", "slopes", "limits", "vecs",
}

// fields are the names of the fields of a struct, eight bytes each.
type fields []string

// An args is the argument of a kernel: a pointer to a struct.
type args struct {
	p reg.Register
	f fields
}

// kernel begins a kernel whose argument is a pointer to a struct.
func kernel(name string, f fields) args {
	TEXT(name, attr.NOSPLIT, "func(t *byte)")
	return args{Load(Param("t"), GP64()), f}
}

func (a args) at(field string) operand.Mem {
	for i, f := range a.f {
		if f == field {
			return operand.Mem{Base: a.p, Disp: 8 * i}
		}
	}
	panic("no field " + field)
}

// load loads a field into a new register.
func (a args) load(field string) reg.GPVirtual {
	r := GP64()
	MOVQ(a.at(field), r)
	return r
}

func (v vector) add(m operand.Op, x reg.VecPhysical) { VADDPS(m, x, x) }

// An output is rows×vecs registers that become as many vectors of an image.
type output struct {
	v      vector
	args   args
	x      [][]reg.VecPhysical
	free   []reg.VecPhysical // three more registers
	masked bool              // the last vector of a row has args.last lanes
	c, r   reg.Register      // where they go, and the residual or 0
}

// lastLanes makes the mask of the last vector; y is the register that it may use.
func (o output) lastLanes(y reg.VecPhysical) mask {
	return o.v.firstLanes(o.args.load("last"), y)
}

// each calls f for each register with its vector in memory: those of row i
// follow p + i·step.
func (o output) each(p reg.Register, step string, last mask, f func(x reg.VecPhysical, m operand.Mem, k mask)) {
	q, s := GP64(), o.args.load(step)
	MOVQ(p, q)
	for i, row := range o.x {
		for j, x := range row {
			k := mask{v: o.v}
			if j == len(row)-1 {
				k = last
			}
			f(x, operand.Mem{Base: q, Disp: j * int(o.v.w)}, k)
		}
		if i < len(o.x)-1 {
			ADDQ(s, q)
		}
	}
}

func (o output) all(f func(j int, x reg.VecPhysical)) {
	for _, row := range o.x {
		for j, x := range row {
			f(j, x)
		}
	}
}

// finish adds the residual, applies the activation and stores.
func (o output) finish() {
	v := o.v
	TESTQ(o.r, o.r)
	JZ(operand.LabelRef("activate"))
	if o.masked {
		o.each(o.r, "rstep", o.lastLanes(o.free[2]), func(x reg.VecPhysical, m operand.Mem, k mask) {
			k.load(m, o.free[0])
			v.add(o.free[0], x)
		})
	} else {
		o.each(o.r, "rstep", mask{v: v}, func(x reg.VecPhysical, m operand.Mem, _ mask) { v.add(m, x) })
	}
	Label("activate")
	act := o.args.load("act")
	CMPQ(act, operand.U8(1))
	JLT(operand.LabelRef("store"))
	JEQ(operand.LabelRef("relu"))
	CMPQ(act, operand.U8(2))
	JEQ(operand.LabelRef("prelu"))
	Comment("clip")
	lo, hi := o.free[0], o.free[1]
	limits := o.args.at("limits")
	v.broadcast(limits, lo)
	v.broadcast(limits.Offset(4), hi)
	o.all(func(_ int, x reg.VecPhysical) {
		VMAXPS(x, lo, x) // of a NaN and a number, the first operand here
		VMINPS(x, hi, x)
	})
	JMP(operand.LabelRef("store"))
	Label("prelu")
	zero, slope, below := o.free[0], o.free[1], o.free[2]
	v.zero(zero)
	s := o.args.load("slopes")
	for j := range o.x[0] {
		v.load(operand.Mem{Base: s, Disp: j * int(v.w)}, slope)
		for _, row := range o.x {
			VMINPS(row[j], zero, below)
			VMAXPS(row[j], zero, row[j])
			v.fma(slope, below, row[j])
		}
	}
	JMP(operand.LabelRef("store"))
	Label("relu")
	v.zero(zero)
	o.all(func(_ int, x reg.VecPhysical) { VMAXPS(x, zero, x) })
	Label("store")
	if o.masked {
		last := o.args.load("last")
		CMPQ(last, operand.U8(v.lanes()))
		JNE(operand.LabelRef("partial"))
	}
	store := func(x reg.VecPhysical, m operand.Mem, k mask) { k.store(x, m) }
	o.each(o.c, "cstep", mask{v: v}, store)
	if o.masked {
		JMP(operand.LabelRef("stored"))
		Label("partial")
		o.each(o.c, "cstep", o.lastLanes(o.free[2]), store)
		Label("stored")
	}
}

// nextVector ends a loop over vectors of channels and the kernel. It moves the
// fields to the next vector if there is one: a pointer past the end of its memory
// would be a fault of the garbage collector.
func (o output) nextVector(fields ...string) {
	w := operand.U32(int(o.v.w))
	DECQ(o.args.at("vecs"))
	JZ(operand.LabelRef("done"))
	for _, f := range fields {
		ADDQ(w, o.args.at(f))
	}
	r := o.args.load("r")
	TESTQ(r, r)
	JZ(operand.LabelRef("vector"))
	ADDQ(w, o.args.at("r"))
	JMP(operand.LabelRef("vector"))
	Label("done")
	VZEROUPPER()
	RET()
}

// rectangle makes a rows×vecs block of the first registers.
func (v vector) rectangle(rows, vecs int) [][]reg.VecPhysical {
	x := make([][]reg.VecPhysical, rows)
	for i := range x {
		for j := range vecs {
			x[i] = append(x[i], v.reg(i*vecs+j))
		}
	}
	return x
}

// conv writes the kernel of the convolution: rows pixels, vecs vectors of
// channels, summed in order from the bias.
func conv(v vector, rows, vecs int) {
	name := fmt.Sprintf("%s%dx%d", v.name("conv"), rows, vecs)
	t := kernel(name, convTile)
	x := v.rectangle(rows, vecs)
	free := func(i int) reg.VecPhysical { return v.reg(rows*vecs + i) }

	bias := t.load("bias")
	for j := range vecs {
		m := operand.Mem{Base: bias, Disp: j * int(v.w)}
		v.load(m, x[0][j])
		for i := 1; i < rows; i++ {
			VMOVAPS(x[0][j], x[i][j])
		}
	}
	p, high := GP64(), GP64() // the first pixel, the ninth
	a := newStrided(p, t.load("step"), min(rows, 8))
	a8 := a
	a8.base = high
	b := t.load("b")
	yp, ny := t.load("a"), t.load("ny")
	Label("y")
	xp, nx := GP64(), t.load("nx")
	MOVQ(yp, xp)
	Label("x")
	MOVQ(xp, p)
	if rows > 8 {
		LEAQ(operand.Mem{Base: p, Index: a.s1, Scale: 8}, high)
	}
	k := t.load("k")
	Label("k")
	for j := range vecs {
		v.load(operand.Mem{Base: b, Disp: j * int(v.w)}, free(j))
	}
	for i := range rows {
		m := a.at(i % 8)
		if i >= 8 {
			m = a8.at(i % 8)
		}
		y := free(vecs)
		if v.w == zmm {
			y = free(vecs + i%2)
		}
		v.broadcast(m, y)
		for j := range vecs {
			v.fma(free(j), y, x[i][j])
		}
	}
	ADDQ(operand.U8(4), p)
	if rows > 8 {
		ADDQ(operand.U8(4), high)
	}
	ADDQ(operand.U32(vecs*int(v.w)), b)
	DECQ(k)
	JNZ(operand.LabelRef("k"))
	ADDQ(t.at("dx"), xp)
	DECQ(nx)
	JNZ(operand.LabelRef("x"))
	ADDQ(t.at("dy"), yp)
	DECQ(ny)
	JNZ(operand.LabelRef("y"))
	output{
		v: v, args: t, x: x, masked: true, c: t.load("c"), r: t.load("r"),
		free: []reg.VecPhysical{free(0), free(1), free(2)},
	}.finish()
	VZEROUPPER()
	RET()
}

// window writes a kernel that combines the pixels of rows windows, channel by
// channel. A depthwise convolution weights them; the sum is multiplied by the
// first of limits; sum and maximum start at the second. With 0 rows it does one
// window and, of one vector, the first last channels.
func window(v vector, routine string, rows int) {
	name := fmt.Sprintf("%s%d", v.name(routine), rows)
	t := kernel(name, convTile)
	masked := rows == 0
	rows = max(rows, 1)
	x := v.rectangle(rows, 1)
	free := []reg.VecPhysical{v.reg(rows), v.reg(rows + 1), v.reg(rows + 2)}
	lanes := mask{v: v}
	if masked {
		var y reg.VecPhysical
		if v.w == ymm {
			y = v.reg(15)
		}
		lanes = v.firstLanes(t.load("last"), y)
	}
	p := GP64()
	a := newStrided(p, t.load("step"), rows)
	b := t.load("b")
	Label("vector")
	if routine == "depth" {
		v.load(operand.Mem{Base: t.load("bias")}, x[0][0])
	} else {
		v.broadcast(t.at("limits").Offset(4), x[0][0])
	}
	for i := 1; i < rows; i++ {
		VMOVAPS(x[0][0], x[i][0])
	}
	yp, ny := t.load("a"), t.load("ny")
	Label("y")
	nx := t.load("nx")
	MOVQ(yp, p)
	Label("x")
	if routine == "depth" {
		v.load(operand.Mem{Base: b}, free[0])
		ADDQ(operand.U8(int(v.w)), b)
	}
	for i := range rows {
		pixel := operand.Op(a.at(i))
		if masked || routine == "most" {
			lanes.load(a.at(i), free[1])
			pixel = free[1]
		}
		switch routine {
		case "depth":
			v.fma(pixel, free[0], x[i][0])
		case "sum":
			v.add(pixel, x[i][0])
		case "most":
			VMAXPS(pixel, x[i][0], x[i][0])
		}
	}
	ADDQ(t.at("dx"), p)
	DECQ(nx)
	JNZ(operand.LabelRef("x"))
	ADDQ(t.at("dy"), yp)
	DECQ(ny)
	JNZ(operand.LabelRef("y"))
	if routine == "sum" {
		v.broadcast(t.at("limits"), free[0])
		for i := range rows {
			v.mul(free[0], x[i][0])
		}
	}
	o := output{v: v, args: t, x: x, masked: masked, c: t.load("c"), r: t.load("r"), free: free}
	if routine == "depth" {
		o.finish()
		o.nextVector("a", "c", "bias", "slopes")
		return
	}
	o.each(o.c, "cstep", lanes, func(x reg.VecPhysical, m operand.Mem, k mask) { k.store(x, m) })
	o.nextVector("a", "c")
}
