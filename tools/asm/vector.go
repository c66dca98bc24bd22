package main

import (
	"fmt"
	"sync"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

type width int

const (
	ymm width = 32 // bytes
	zmm width = 64
)

type elem int

const (
	f32 elem = 4 // bytes
	f64 elem = 8
)

// A vector is a register width with an element type; its methods emit the one
// instruction of that name for it.
type vector struct {
	w width
	t elem
}

func (v vector) lanes() int { return int(v.w) / int(v.t) }

// shift is the log2 of the element's size.
func (v vector) shift() uint64 {
	if v.t == f64 {
		return 3
	}
	return 2
}

// name is "d" or "s", the routine, and the width.
func (v vector) name(routine string) string {
	p, w := "d", "Z"
	if v.t == f32 {
		p = "s"
	}
	if v.w == ymm {
		w = "Y"
	}
	return p + routine + w
}

func (v vector) goType() string { return fmt.Sprintf("float%d", 8*int(v.t)) }

// reg is the i-th vector register. Registers are assigned by hand: the tiles
// use nearly all of them.
func (v vector) reg(i int) reg.VecPhysical {
	if v.w == zmm {
		return [...]reg.VecPhysical{
			reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
			reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
			reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
			reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
		}[i]
	}
	return [...]reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	}[i]
}

func (v vector) zero(x reg.VecPhysical) {
	if v.w == zmm {
		VPXORQ(x, x, x)
		return
	}
	VXORPD(x, x, x)
}

// pick calls the instruction for the element type.
func (v vector) pick(pd, ps func(...operand.Op), ops ...operand.Op) {
	if v.t == f64 {
		pd(ops...)
		return
	}
	ps(ops...)
}

func (v vector) load(m operand.Mem, x reg.VecPhysical)  { v.pick(VMOVUPD, VMOVUPS, m, x) }
func (v vector) store(x reg.VecPhysical, m operand.Mem) { v.pick(VMOVUPD, VMOVUPS, x, m) }

// mul sets y = x·y.
func (v vector) mul(x, y reg.VecPhysical) {
	if v.t == f64 {
		VMULPD(x, y, y)
		return
	}
	VMULPS(x, y, y)
}

// fma adds x·y to z.
func (v vector) fma(x, y operand.Op, z reg.VecPhysical) {
	v.pick(VFMADD231PD, VFMADD231PS, x, y, z)
}

// fnma subtracts x·y from z.
func (v vector) fnma(x, y operand.Op, z reg.VecPhysical) {
	v.pick(VFNMADD231PD, VFNMADD231PS, x, y, z)
}

func (v vector) broadcast(m operand.Mem, x reg.VecPhysical) {
	if v.t == f64 {
		VBROADCASTSD(m, x)
		return
	}
	VBROADCASTSS(m, x)
}

// A mask selects the first lanes of a vector. With Z registers it is an opmask
// register, with Y registers a vector register with the lanes' sign bits.
type mask struct {
	v   vector
	any bool // false: all lanes, nothing to mask
	y   reg.VecPhysical
}

// firstLanes makes the mask of the first n lanes, n in a register that it
// overwrites. y is the register that it may use.
func (v vector) firstLanes(n reg.GPVirtual, y reg.VecPhysical) mask {
	if v.w == zmm {
		one := GP64()
		Comment("K1: the lanes of the last vector")
		MOVQ(operand.U32(1), one)
		SHLXQ(n, one, one)
		DECQ(one)
		KMOVW(one.As32(), reg.K1)
		return mask{v, true, nil}
	}
	table := GP64()
	Comment("The lanes of the last vector: a window on ones followed by zeros")
	LEAQ(laneTable(), table)
	SHLQ(operand.U8(v.shift()), n)
	SUBQ(n, table)
	v.load(operand.Mem{Base: table, Disp: 32}, y)
	return mask{v, true, y}
}

// loadZ loads the lanes of K1 and zeroes the others.
func (v vector) loadZ(m operand.Mem, x reg.VecPhysical) {
	if v.t == f64 {
		VMOVUPD_Z(m, reg.K1, x)
		return
	}
	VMOVUPS_Z(m, reg.K1, x)
}

func (k mask) load(m operand.Mem, x reg.VecPhysical) {
	switch {
	case !k.any:
		k.v.load(m, x)
	case k.v.w == zmm:
		k.v.loadZ(m, x)
	case k.v.t == f64:
		VMASKMOVPD(m, k.y, x)
	default:
		VMASKMOVPS(m, k.y, x)
	}
}

func (k mask) store(x reg.VecPhysical, m operand.Mem) {
	switch {
	case !k.any:
		k.v.store(x, m)
	case k.v.w == zmm:
		k.v.pick(VMOVUPD, VMOVUPS, x, reg.K1, m)
	case k.v.t == f64:
		VMASKMOVPD(x, k.y, m)
	default:
		VMASKMOVPS(x, k.y, m)
	}
}

// laneTable is 32 bytes of ones followed by 32 bytes of zeros.
var laneTable = sync.OnceValue(func() operand.Mem {
	m := GLOBL("lanes", attrRodata)
	for i := range 8 {
		var x uint64
		if i < 4 {
			x = 1<<64 - 1
		}
		DATA(8*i, operand.U64(x))
	}
	return m
})
