package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const attrRodata = attr.RODATA | attr.NOPTR

// strided addresses base + i·stride, i < 8, without a multiplication.
type strided struct {
	base           reg.Register
	s1, s3, s5, s7 reg.Register
}

// newStrided makes the odd multiples of the stride that rows rows need. The
// stride is in bytes.
func newStrided(base, stride reg.Register, rows int) strided {
	s := strided{base: base, s1: stride}
	if rows > 2 {
		r := GP64()
		LEAQ(operand.Mem{Base: stride, Index: stride, Scale: 2}, r)
		s.s3 = r
	}
	if rows > 4 {
		r5, r7 := GP64(), GP64()
		LEAQ(operand.Mem{Base: stride, Index: stride, Scale: 4}, r5)
		LEAQ(operand.Mem{Base: s.s3, Index: stride, Scale: 4}, r7)
		s.s5, s.s7 = r5, r7
	}
	return s
}

func (s strided) at(i int) operand.Mem {
	switch i {
	case 0:
		return operand.Mem{Base: s.base}
	case 1, 2, 4:
		return operand.Mem{Base: s.base, Index: s.s1, Scale: uint8(i)}
	case 3, 6:
		return operand.Mem{Base: s.base, Index: s.s3, Scale: uint8(i / 3)}
	case 5:
		return operand.Mem{Base: s.base, Index: s.s5, Scale: 1}
	case 7:
		return operand.Mem{Base: s.base, Index: s.s7, Scale: 1}
	}
	panic("strided: row")
}

// stride loads a stride argument and makes it bytes.
func (v vector) stride(arg string) reg.GPVirtual {
	r := Load(Param(arg), GP64()).(reg.GPVirtual)
	SHLQ(operand.U8(v.shift()), r)
	return r
}

// tile is a rows×vecs block of vector registers that stands for a block of C.
type tile struct {
	v          vector
	rows, vecs int
	last       mask // of the last vector of each row
}

func (t tile) reg(i, j int) reg.VecPhysical { return t.v.reg(i*t.vecs + j) }

// free is the i-th register after the tile.
func (t tile) free(i int) reg.VecPhysical { return t.v.reg(t.rows*t.vecs + i) }

func (t tile) mask(j int) mask {
	if j == t.vecs-1 {
		return t.last
	}
	return mask{v: t.v}
}

// each calls f with each vector of the tile and its place in memory, which
// starts at c and has rows ld bytes apart.
func (t tile) each(c, ld reg.Register, f func(x reg.VecPhysical, m operand.Mem, k mask)) {
	p := GP64()
	MOVQ(c, p)
	for i := range t.rows {
		for j := range t.vecs {
			f(t.reg(i, j), operand.Mem{Base: p, Disp: j * int(t.v.w)}, t.mask(j))
		}
		if i < t.rows-1 {
			ADDQ(ld, p)
		}
	}
}

// newTile makes a tile and the mask of its last vector. A full-width tile of
// Y registers has no register left for a mask: its columns must be all there.
func newTile(v vector, rows, vecs int) tile {
	t := tile{v: v, rows: rows, vecs: vecs, last: mask{v: v}}
	if v.w == zmm || vecs < 3 {
		last := Load(Param("last"), GP64()).(reg.GPVirtual)
		var y reg.VecPhysical
		if v.w == ymm {
			y = v.reg(15)
		}
		t.last = v.firstLanes(last, y)
	}
	return t
}

// gemm writes the kernel of the product: a tile of C of rows rows and vecs
// vectors, accumulated over k in order.
func gemm(v vector, rows, vecs int) {
	name := fmt.Sprintf("%s%dx%d", v.name("gemm"), rows, vecs)
	T := v.goType()
	TEXT(name, attr.NOSPLIT,
		fmt.Sprintf("func(k int, alpha %s, a *%s, rsa, csa int, b *%s, rsb int, c *%s, rsc int, mode, last int)", T, T, T, T))
	t := newTile(v, rows, vecs)
	k := Load(Param("k"), GP64())
	ap := Load(Param("a"), GP64())
	a := newStrided(ap, v.stride("rsa"), rows)
	csa := v.stride("csa")
	b, rsb := Load(Param("b"), GP64()), v.stride("rsb")
	c, rsc := Load(Param("c"), GP64()), v.stride("rsc")
	mode := Load(Param("mode"), GP64())
	alpha, err := Param("alpha").Resolve()
	if err != nil {
		panic(err)
	}

	t.each(c, rsc, func(_ reg.VecPhysical, m operand.Mem, _ mask) { PREFETCHT0(m) })
	TESTQ(operand.U32(2), mode)
	JZ(operand.LabelRef("zero"))
	Comment("mode 2: continue from C")
	t.each(c, rsc, func(x reg.VecPhysical, m operand.Mem, k mask) { k.load(m, x) })
	JMP(operand.LabelRef("loop"))
	Label("zero")
	for i := range rows * vecs {
		v.zero(v.reg(i))
	}
	Label("loop")
	for j := range vecs {
		t.mask(j).load(operand.Mem{Base: b, Disp: j * int(v.w)}, t.free(j))
	}
	for i := range rows {
		x := t.free(vecs)
		if v.w == zmm {
			x = t.free(vecs + i%5)
		}
		v.broadcast(a.at(i), x)
		for j := range vecs {
			v.fma(t.free(j), x, t.reg(i, j))
		}
	}
	ADDQ(csa, ap)
	ADDQ(rsb, b)
	DECQ(k)
	JNZ(operand.LabelRef("loop"))

	f, old := t.free(0), t.free(1)
	v.broadcast(alpha.Addr, f)
	TESTQ(operand.U32(1), mode)
	JZ(operand.LabelRef("store"))
	Comment("mode 1: add to C")
	t.each(c, rsc, func(x reg.VecPhysical, m operand.Mem, k mask) {
		k.load(m, old)
		v.fma(x, f, old)
		k.store(old, m)
	})
	VZEROUPPER()
	RET()
	Label("store")
	t.each(c, rsc, func(x reg.VecPhysical, m operand.Mem, k mask) {
		v.mul(f, x)
		k.store(x, m)
	})
	VZEROUPPER()
	RET()
}

// trsm writes the kernel of the triangular solve: rows rows of B, forward.
func trsm(v vector, rows, vecs int) {
	name := fmt.Sprintf("%s%dx%d", v.name("trsm"), rows, vecs)
	T := v.goType()
	TEXT(name, attr.NOSPLIT, fmt.Sprintf("func(t *%s, rst, cst int, d *%s, b *%s, rsb int, last int)", T, T, T))
	t := newTile(v, rows, vecs)
	tp := Load(Param("t"), GP64())
	l := newStrided(tp, v.stride("rst"), rows)
	cst := v.stride("cst")
	d := Load(Param("d"), GP64())
	b, rsb := Load(Param("b"), GP64()), v.stride("rsb")
	x := t.free(0)
	t.each(b, rsb, func(x reg.VecPhysical, m operand.Mem, k mask) { k.load(m, x) })
	for i := range rows {
		v.broadcast(operand.Mem{Base: d, Disp: i * int(v.t)}, x)
		for j := range vecs {
			v.mul(x, t.reg(i, j))
		}
		for r := i + 1; r < rows; r++ {
			v.broadcast(l.at(r), x)
			for j := range vecs {
				v.fnma(x, t.reg(i, j), t.reg(r, j))
			}
		}
		if i < rows-1 {
			ADDQ(cst, tp)
		}
	}
	t.each(b, rsb, func(x reg.VecPhysical, m operand.Mem, k mask) { k.store(x, m) })
	VZEROUPPER()
	RET()
}

// peak writes a loop of independent multiply-adds in the shape of the full
// tile, with nothing to load: the rate that a kernel cannot exceed.
func peak(v vector, rows int) {
	name := v.name("peak")
	TEXT(name, attr.NOSPLIT, "func(n int)")
	n := Load(Param("n"), GP64())
	for i := range rows*3 + 1 {
		v.zero(v.reg(i))
	}
	x := v.reg(rows * 3)
	Label("loop")
	for i := range rows * 3 {
		v.fma(x, x, v.reg(i))
	}
	DECQ(n)
	JNZ(operand.LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// pause writes the wait of a spinning worker.
func pause() {
	TEXT("pause", attr.NOSPLIT, "func(n int)")
	n := Load(Param("n"), GP64())
	Label("loop")
	PAUSE()
	DECQ(n)
	JNZ(operand.LabelRef("loop"))
	RET()
}
