package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transpose writes a kernel that turns w rows of src, blocks·w long, into
// blocks·w rows of dst, w long; shuffle transposes the registers 0..w-1 into
// the registers that it returns.
func transpose(v vector, w int, shuffle func(r func(int) reg.VecPhysical) []reg.VecPhysical) {
	name := v.name("transpose")
	T := v.goType()
	TEXT(name, attr.NOSPLIT, fmt.Sprintf("func(blocks int, src *%s, rss int, dst *%s, rsd int)", T, T))
	n := Load(Param("blocks"), GP64())
	sp, dp := Load(Param("src"), GP64()), Load(Param("dst"), GP64())
	src := newStrided(sp, v.stride("rss"), w)
	dst := newStrided(dp, v.stride("rsd"), w)
	Label("loop")
	for i := range w {
		v.load(src.at(i), v.reg(i))
	}
	for i, x := range shuffle(v.reg) {
		v.store(x, dst.at(i))
	}
	ADDQ(operand.U32(int(v.t)*w), sp)
	LEAQ(operand.Mem{Base: dp, Index: dst.s1, Scale: uint8(min(w, 8))}, dp)
	DECQ(n)
	JNZ(operand.LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func transpose8x8d() {
	transpose(vector{zmm, f64}, 8, func(r func(int) reg.VecPhysical) []reg.VecPhysical {
		for i := 0; i < 8; i += 2 { // pairs of rows
			VUNPCKLPD(r(i+1), r(i), r(8+i))
			VUNPCKHPD(r(i+1), r(i), r(9+i))
		}
		for h := 0; h < 2; h++ { // rows 0..3 and 4..7
			o := 8 + 4*h
			for i := range 2 {
				VSHUFF64X2(operand.U8(0x88), r(o+2+i), r(o+i), r(16+4*h+2*i))
				VSHUFF64X2(operand.U8(0xdd), r(o+2+i), r(o+i), r(17+4*h+2*i))
			}
		}
		out := make([]reg.VecPhysical, 8)
		for i, s := range []struct{ from, imm int }{{0, 0x88}, {2, 0x88}, {1, 0x88}, {3, 0x88}, {0, 0xdd}, {2, 0xdd}, {1, 0xdd}, {3, 0xdd}} {
			VSHUFF64X2(operand.U8(s.imm), r(20+s.from), r(16+s.from), r(i))
			out[i] = r(i)
		}
		return out
	})
}

func transpose4x4d() {
	transpose(vector{ymm, f64}, 4, func(r func(int) reg.VecPhysical) []reg.VecPhysical {
		for i := 0; i < 4; i += 2 {
			VUNPCKLPD(r(i+1), r(i), r(4+i))
			VUNPCKHPD(r(i+1), r(i), r(5+i))
		}
		for i := range 2 {
			VPERM2F128(operand.U8(0x20), r(6+i), r(4+i), r(8+i))
			VPERM2F128(operand.U8(0x31), r(6+i), r(4+i), r(10+i))
		}
		return []reg.VecPhysical{r(8), r(9), r(10), r(11)}
	})
}

func transpose8x8s() {
	transpose(vector{ymm, f32}, 8, func(r func(int) reg.VecPhysical) []reg.VecPhysical {
		for i := 0; i < 8; i += 2 { // pairs of rows into 8..15
			VUNPCKLPS(r(i+1), r(i), r(8+i))
			VUNPCKHPS(r(i+1), r(i), r(9+i))
		}
		for h := 0; h < 2; h++ { // fours of rows into 0..7
			o := 8 + 4*h
			for i := range 2 {
				VSHUFPS(operand.U8(0x44), r(o+2+i), r(o+i), r(4*h+2*i))
				VSHUFPS(operand.U8(0xee), r(o+2+i), r(o+i), r(4*h+2*i+1))
			}
		}
		out := make([]reg.VecPhysical, 8)
		for i := range 4 {
			VPERM2F128(operand.U8(0x20), r(4+i), r(i), r(8+i))
			VPERM2F128(operand.U8(0x31), r(4+i), r(i), r(12+i))
			out[i], out[4+i] = r(8+i), r(12+i)
		}
		return out
	})
}

// copyRows writes a kernel that packs rows of three vectors.
func copyRows(v vector) {
	name := v.name("copy")
	T := v.goType()
	TEXT(name, attr.NOSPLIT, fmt.Sprintf("func(k int, src *%s, rss int, dst *%s)", T, T))
	k := Load(Param("k"), GP64())
	src, dst := Load(Param("src"), GP64()), Load(Param("dst"), GP64())
	stride := v.stride("rss")
	Label("loop")
	for j := range 3 {
		v.load(operand.Mem{Base: src, Disp: j * int(v.w)}, v.reg(j))
	}
	for j := range 3 {
		v.store(v.reg(j), operand.Mem{Base: dst, Disp: j * int(v.w)})
	}
	ADDQ(stride, src)
	ADDQ(operand.U32(3*int(v.w)), dst)
	DECQ(k)
	JNZ(operand.LabelRef("loop"))
	VZEROUPPER()
	RET()
}
