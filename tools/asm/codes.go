package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A block of codes has blockRows rows. It is cut into groups of blockDims dimensions:
// a group has the bytes of row 0, then those of row 1, and so on.
const (
	blockRows = 32
	blockDims = 4
	groupSize = blockRows * blockDims
)

// codes writes the kernel of the inner products of a block of codes with so many
// queries.
func codes(w width, queries int) {
	name := fmt.Sprintf("codesY%d", queries)
	if w == zmm {
		name = fmt.Sprintf("codesZ%d", queries)
	}
	TEXT(name, attr.NOSPLIT, "func(groups int, block *uint8, q *int8, dims int, out *int32, ldo int)")
	n, block := Load(Param("groups"), GP64()), Load(Param("block"), GP64())
	q, dims := Load(Param("q"), GP64()), Load(Param("dims"), GP64())
	out, ldo := Load(Param("out"), GP64()), Load(Param("ldo"), GP64())
	SHLQ(operand.U8(2), ldo)
	if w == zmm {
		codesZ(queries, n, block, q, dims, out, ldo)
	} else {
		codesY(n, block, q, out)
	}
	VZEROUPPER()
	RET()
}

// codesZ multiplies unsigned by signed bytes and adds groups of four in one
// instruction (AVX512_VNNI).
func codesZ(queries int, n, block, q, dims, out, ldo reg.Register) {
	v := vector{zmm, f32}
	halves := groupSize / int(zmm)
	row, of := func(h int) reg.VecPhysical { return v.reg(29 + h) }, v.reg(31)
	sum := func(i, h int) reg.VecPhysical { return v.reg(halves*i + h) }
	for i := range queries * halves {
		v.zero(v.reg(i))
	}
	Label("group")
	for h := range halves {
		VMOVDQU8(at(block, h*int(zmm)), row(h))
	}
	p := GP64()
	MOVQ(q, p)
	for i := range queries {
		if i > 0 {
			ADDQ(dims, p)
		}
		VPBROADCASTD(at(p, 0), of)
		for h := range halves {
			VPDPBUSD(of, row(h), sum(i, h))
		}
	}
	ADDQ(operand.U32(groupSize), block)
	ADDQ(operand.U8(blockDims), q)
	DECQ(n)
	JNZ(operand.LabelRef("group"))
	for i := range queries {
		for h := range halves {
			VMOVDQU32(sum(i, h), at(out, h*int(zmm)))
		}
		if i+1 < queries {
			ADDQ(ldo, out)
		}
	}
}

// codesY widens the bytes to words: the instruction of AVX2 that multiplies bytes
// saturates. A sum has two numbers a row.
func codesY(n, block, q, out reg.Register) {
	const sums = groupSize / 16
	v := vector{ymm, f32}
	of, row := v.reg(sums), v.reg(sums+1)
	for i := range sums {
		VPXOR(v.reg(i), v.reg(i), v.reg(i))
	}
	Label("group")
	VPBROADCASTD(at(q, 0), reg.X15)
	VPMOVSXBW(reg.X15, of)
	for i := range sums {
		VPMOVZXBW(at(block, 16*i), row)
		VPMADDWD(of, row, row)
		VPADDD(row, v.reg(i), v.reg(i))
	}
	ADDQ(operand.U32(groupSize), block)
	ADDQ(operand.U8(blockDims), q)
	DECQ(n)
	JNZ(operand.LabelRef("group"))
	for i := 0; i < sums; i += 2 {
		Comment("Rows 0 1 4 5 2 3 6 7, and then in order")
		VPHADDD(v.reg(i+1), v.reg(i), v.reg(i))
		VPERMQ(operand.U8(0xD8), v.reg(i), v.reg(i))
		VMOVDQU(v.reg(i), at(out, i/2*int(ymm)))
	}
}
