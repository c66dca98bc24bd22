package main

import "fmt"

// wide is the number of vectors of the full tile.
const wide = 6

// gemm writes the kernel of the product: a tile of C of rows rows and vecs
// vectors, accumulated over k in order. An element of A is loaded once, into a
// register, and multiplies the vectors of B from there.
func (a *assembler) gemm(v vec, rows, vecs int) {
	T := v.goType()
	a.text(fmt.Sprintf("%s%dx%d", v.name("gemm"), rows, vecs), "",
		param{"k", "int"}, param{"alpha", T}, param{"a", "*" + T}, param{"rsa", "int"}, param{"csa", "int"},
		param{"b", "*" + T}, param{"rsb", "int"}, param{"c", "*" + T}, param{"rsc", "int"}, param{"mode", "int"}, param{"last", "int"})
	k, ap := a.arg("k"), a.arg("a")
	rsa, csa := a.bytes(v, "rsa"), a.bytes(v, "csa")
	b, rsb := a.arg("b"), a.bytes(v, "rsb")
	c, rsc := a.arg("c"), a.bytes(v, "rsc")
	mode, last := a.arg("mode"), a.arg("last")
	p := a.reg()
	s := a.strided(ap, rsa, rows)
	x, y := rectangle(0, rows, vecs), series(rows*vecs, vecs)
	elements := series((rows+1)*vecs, min(rows, 32-(rows+1)*vecs))
	a.ins(integer, "MOVD %s, %s", c, p)
	for range rows {
		a.ins(integer, "PRFM (%s), PSTL1KEEP", p)
		if vecs > 4 {
			a.ins(integer, "PRFM 64(%s), PSTL1KEEP", p)
		}
		a.ins(integer, "ADD %s, %s", rsc, p)
	}
	a.ins(integer, "CMP $%d, %s", v.lanes(), last)
	a.ins(integer, "BNE rest")

	body := func(r *rest) {
		at := func(name string) string {
			if r != nil {
				return "rest_" + name
			}
			return name
		}
		each := func(f func(x []int)) {
			a.ins(integer, "MOVD %s, %s", c, p)
			for i := range x {
				f(x[i])
				if i < rows-1 {
					a.ins(integer, "ADD %s, %s", rsc, p)
				}
			}
		}
		a.ins(integer, "TBZ $1, %s, %s", mode, at("zero"))
		each(func(x []int) { a.loadRow(r, p, x) }) // mode 2: the sum starts at C
		a.ins(integer, "B %s", at("loop"))
		a.label(at("zero"))
		for i := range rows * vecs {
			a.zero(i)
		}
		a.repeat(at("loop"), k, rows*vecs, func() {
			a.loadRow(r, b, y)
			for i, sums := range x {
				e := elements[i%len(elements)]
				a.loadOne(v, s.row(i), e)
				for j, sum := range sums {
					a.fmaBy(v, e, 0, y[j], sum)
				}
			}
			a.ins(integer, "ADD %s, %s", csa, ap)
			a.ins(integer, "ADD %s, %s", rsb, b)
		})
		f := elements[0]
		a.loadOne(v, fmt.Sprintf("alpha+%d(FP)", a.args["alpha"]), f)
		a.ins(integer, "TBZ $0, %s, %s", mode, at("store"))
		each(func(x []int) { // mode 1: add to C
			a.loadRow(r, p, y)
			for j := range x {
				a.fmaBy(v, f, 0, x[j], y[j])
			}
			a.storeRow(r, y, p)
		})
		a.ins(integer, "RET")
		a.label(at("store"))
		each(func(x []int) {
			for _, sum := range x {
				a.mulBy(v, f, 0, sum, sum)
			}
			a.storeRow(r, x, p)
		})
		a.ins(integer, "RET")
	}
	body(nil)
	a.label("rest")
	r := a.rest(v, last)
	body(&r)
}

// trsm writes the kernel of the triangular solve: rows rows of B, forward.
func (a *assembler) trsm(v vec, rows, vecs int) {
	T := v.goType()
	a.text(fmt.Sprintf("%s%dx%d", v.name("trsm"), rows, vecs), "",
		param{"t", "*" + T}, param{"rst", "int"}, param{"cst", "int"}, param{"d", "*" + T}, param{"b", "*" + T},
		param{"rsb", "int"}, param{"last", "int"})
	t := a.arg("t")
	l := a.strided(t, a.bytes(v, "rst"), rows)
	cst, d := a.bytes(v, "cst"), a.arg("d")
	b, rsb := a.arg("b"), a.bytes(v, "rsb")
	last, p := a.arg("last"), a.reg()
	x, e := rectangle(0, rows, vecs), rows*vecs
	a.ins(integer, "CMP $%d, %s", v.lanes(), last)
	a.ins(integer, "BNE rest")
	body := func(r *rest) {
		each := func(f func(x []int)) {
			a.ins(integer, "MOVD %s, %s", b, p)
			for i := range x {
				f(x[i])
				if i < rows-1 {
					a.ins(integer, "ADD %s, %s", rsb, p)
				}
			}
		}
		each(func(x []int) { a.loadRow(r, p, x) })
		for i := range rows {
			a.loadOne(v, fmt.Sprintf("%d(%s)", i*int(v), d), e)
			for _, z := range x[i] {
				a.mulBy(v, e, 0, z, z)
			}
			for below := i + 1; below < rows; below++ {
				a.loadOne(v, l.row(below), e)
				for j, z := range x[below] {
					a.fmsBy(v, e, 0, x[i][j], z)
				}
			}
			if i < rows-1 {
				a.ins(integer, "ADD %s, %s", cst, t)
			}
		}
		each(func(x []int) { a.storeRow(r, x, p) })
		a.ins(integer, "RET")
	}
	body(nil)
	a.label("rest")
	r := a.rest(v, last)
	body(&r)
}

// peak writes a loop of independent multiply-adds in the shape of the full tile,
// with nothing to load: the rate that a kernel cannot exceed.
func (a *assembler) peak(v vec, rows int) {
	n := rows * wide
	a.text(v.name("peak"), "", param{"n", "int"})
	rounds := a.arg("n")
	for i := range n + 1 {
		a.zero(i)
	}
	a.repeat("loop", rounds, n, func() {
		for i := range n {
			a.fma(v, n, n, i)
		}
	})
	a.ins(integer, "RET")
}

// copyRows writes a kernel that packs rows as wide as the full tile.
func (a *assembler) copyRows(v vec) {
	T := v.goType()
	a.text(v.name("copy"), "",
		param{"k", "int"}, param{"src", "*" + T}, param{"rss", "int"}, param{"dst", "*" + T})
	k, src, rss, dst := a.arg("k"), a.arg("src"), a.bytes(v, "rss"), a.arg("dst")
	a.repeat("loop", k, 0, func() {
		a.loads(src, series(0, wide))
		a.stores(series(0, wide), dst)
		a.ins(integer, "ADD %s, %s", rss, src)
		a.ins(integer, "ADD $%d, %s", 16*wide, dst)
	})
	a.ins(integer, "RET")
}

// transpose writes a kernel that turns lanes rows of src into as many columns.
func (a *assembler) transpose(v vec) {
	T, w := v.goType(), v.lanes()
	a.text(v.name("transpose"), "",
		param{"blocks", "int"}, param{"src", "*" + T}, param{"rss", "int"}, param{"dst", "*" + T}, param{"rsd", "int"})
	n, sp, dp := a.arg("blocks"), a.arg("src"), a.arg("dst")
	src := a.strided(sp, a.bytes(v, "rss"), w)
	dst := a.strided(dp, a.bytes(v, "rsd"), w)
	down := a.reg()
	a.ins(integer, "LSL $%d, %s, %s", map[vec]int{f32: 2, f64: 1}[v], dst.offsets[1], down)
	shuffle := func(kind string, m, n, d int) {
		a.ins(vector, "V%s V%d.%s, V%d.%s, V%d.%s", kind[:4], m, kind[5:], n, kind[5:], d, kind[5:])
	}
	a.repeat("loop", n, 0, func() {
		for i := range w {
			a.loadAt(src, i, i)
		}
		x := []int{4, 5}
		if v == f64 {
			shuffle("TRN1 D2", 1, 0, 4)
			shuffle("TRN2 D2", 1, 0, 5)
		} else {
			for i := 0; i < 4; i += 2 { // pairs of rows
				shuffle("TRN1 S4", i+1, i, 4+i)
				shuffle("TRN2 S4", i+1, i, 5+i)
			}
			shuffle("TRN1 D2", 6, 4, 0)
			shuffle("TRN1 D2", 7, 5, 1)
			shuffle("TRN2 D2", 6, 4, 2)
			shuffle("TRN2 D2", 7, 5, 3)
			x = []int{0, 1, 2, 3}
		}
		for i, r := range x {
			a.storeAt(r, dst, i)
		}
		a.ins(integer, "ADD $16, %s", sp)
		a.ins(integer, "ADD %s, %s", down, dp)
	})
	a.ins(integer, "RET")
}

// pause writes the wait of a spinning worker.
func (a *assembler) pause() {
	a.text("pause", "", param{"n", "int"})
	n := a.arg("n")
	a.repeat("loop", n, 0, func() { a.ins(integer, "YIELD") })
	a.ins(integer, "RET")
}
