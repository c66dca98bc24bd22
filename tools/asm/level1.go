package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// unrolled is how many vectors a round of a kernel of level 1 does.
const unrolled = 4

// sweep writes a loop over n > 0 elements: body for unrolled vectors at a time,
// then for one at a time, then for the lanes of a mask, which takes register 15
// of Y registers. i is the vector of the round, disp its offset from ptrs.
func (v vector) sweep(n reg.Register, ptrs []reg.Register, body func(i int, disp int, k mask)) {
	advance := func(vectors int) {
		for _, p := range ptrs {
			ADDQ(operand.U32(vectors*int(v.w)), p)
		}
		SUBQ(operand.U32(vectors*v.lanes()), n)
	}
	Label("rounds")
	CMPQ(n, operand.U32(unrolled*v.lanes()))
	JLT(operand.LabelRef("vectors"))
	for i := range unrolled {
		body(i, i*int(v.w), mask{v: v})
	}
	advance(unrolled)
	JMP(operand.LabelRef("rounds"))
	Label("vectors")
	CMPQ(n, operand.U32(v.lanes()))
	JLT(operand.LabelRef("rest"))
	body(0, 0, mask{v: v})
	advance(1)
	JMP(operand.LabelRef("vectors"))
	Label("rest")
	TESTQ(n, n)
	JZ(operand.LabelRef("done"))
	var y reg.VecPhysical
	if v.w == ymm {
		y = v.reg(15)
	}
	body(0, 0, v.firstLanes(n.(reg.GPVirtual), y))
	Label("done")
}

func at(p reg.Register, disp int) operand.Mem { return operand.Mem{Base: p, Disp: disp} }

// fold combines the lanes of v.reg(0) to one, in X0; v.reg(1) is overwritten.
func (v vector) fold(combine func(...operand.Op)) {
	if v.w == zmm {
		VEXTRACTF64X4(operand.U8(1), reg.Z0, reg.Y1)
		combine(reg.Y1, reg.Y0, reg.Y0)
	}
	VEXTRACTF128(operand.U8(1), reg.Y0, reg.X1)
	combine(reg.X1, reg.X0, reg.X0)
	VPERMILPD(operand.U8(1), reg.X0, reg.X1)
	combine(reg.X1, reg.X0, reg.X0)
}

// dot writes the kernel of the inner product. The lanes of unrolled vectors
// are summed in parallel, and then in pairs: the order depends on n alone.
func dot(v vector) {
	name := v.name("dot")
	TEXT(name, attr.NOSPLIT, "func(n int, x, y *float64) float64")
	n := Load(Param("n"), GP64())
	x, y := Load(Param("x"), GP64()), Load(Param("y"), GP64())
	for i := range unrolled {
		v.zero(v.reg(i))
	}
	v.sweep(n, []reg.Register{x, y}, func(i, disp int, k mask) {
		a, b := v.reg(unrolled+i), v.reg(2*unrolled+i%2)
		k.load(at(x, disp), a)
		k.load(at(y, disp), b)
		v.fma(a, b, v.reg(i))
	})
	VADDPD(v.reg(1), v.reg(0), v.reg(0))
	VADDPD(v.reg(3), v.reg(2), v.reg(2))
	VADDPD(v.reg(2), v.reg(0), v.reg(0))
	v.fold(VADDPD)
	Store(reg.X0, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// axpy writes the kernel of y += alpha·x.
func axpy(v vector) {
	name := v.name("axpy")
	TEXT(name, attr.NOSPLIT, "func(n int, alpha float64, x, y *float64)")
	n := Load(Param("n"), GP64())
	x, y := Load(Param("x"), GP64()), Load(Param("y"), GP64())
	alpha, err := Param("alpha").Resolve()
	if err != nil {
		panic(err)
	}
	f := v.reg(2 * unrolled)
	v.broadcast(alpha.Addr, f)
	v.sweep(n, []reg.Register{x, y}, func(i, disp int, k mask) {
		a, b := v.reg(i), v.reg(unrolled+i)
		k.load(at(x, disp), a)
		k.load(at(y, disp), b)
		v.fma(a, f, b)
		k.store(b, at(y, disp))
	})
	VZEROUPPER()
	RET()
}

// maxAbs writes the kernel of the largest magnitude.
func maxAbs(v vector) {
	name := v.name("maxAbs")
	TEXT(name, attr.NOSPLIT, "func(n int, x *float64) float64")
	n, x := Load(Param("n"), GP64()), Load(Param("x"), GP64())
	magnitude := v.reg(2 * unrolled) // all bits but the sign
	bits := GP64()
	MOVQ(operand.U64(1<<63-1), bits)
	MOVQ(bits, reg.X0)
	VBROADCASTSD(reg.X0, magnitude)
	for i := range unrolled {
		v.zero(v.reg(i))
	}
	v.sweep(n, []reg.Register{x}, func(i, disp int, k mask) {
		a := v.reg(unrolled + i)
		k.load(at(x, disp), a)
		VANDPD(magnitude, a, a)
		VMAXPD(v.reg(i), a, v.reg(i)) // of a NaN and a number, the second: the first operand here
	})
	for i := 1; i < unrolled; i++ {
		VMAXPD(v.reg(i), v.reg(0), v.reg(0))
	}
	v.fold(VMAXPD)
	Store(reg.X0, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
