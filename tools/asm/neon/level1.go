package main

import "fmt"

// unrolled is how many vectors a round of a kernel of level 1 does.
const unrolled = 8

// sweep writes a loop over n > 0 elements: body for unrolled vectors at a time,
// then for one at a time, then for one element. x are the pointers; load and
// store move what is i vectors after them. It returns with all elements done.
func (a *assembler) sweep(n string, x []string, body func(i int, load func(p, d int), store func(s, p int))) {
	whole := func(i int) {
		body(i,
			func(p, d int) { a.ins(load, "FMOVQ %d(%s), F%d", 16*i, x[p], d) },
			func(s, p int) { a.ins(save, "FMOVQ F%d, %d(%s)", s, 16*i, x[p]) })
	}
	// Both loops count down from n less a round, and leave when it is negative.
	a.ins(integer, "SUBS $%d, %s", 2*unrolled, n)
	a.ins(integer, "BLT few")
	a.label("rounds")
	before := a.count
	for i := range unrolled {
		whole(i)
	}
	advance := func(vectors int) {
		for _, p := range x {
			a.ins(integer, "ADD $%d, %s", 16*vectors, p)
		}
		a.ins(integer, "SUBS $%d, %s", 2*vectors, n)
	}
	advance(unrolled)
	a.ins(integer, "BGE rounds")
	l := loop{name: "rounds", chains: unrolled}
	for c := range l.count {
		l.count[c] = a.count[c] - before[c]
	}
	a.loops = append(a.loops, l)
	a.label("few")
	a.ins(integer, "ADDS $%d, %s", 2*unrolled-2, n)
	a.ins(integer, "BLT one")
	a.label("vectors")
	whole(0)
	advance(1)
	a.ins(integer, "BGE vectors")
	a.label("one")
	a.ins(integer, "TBZ $0, %s, done", n)
	body(0,
		func(p, d int) { a.ins(load, "FMOVD (%s), F%d", x[p], d) },
		func(s, p int) { a.ins(save, "FMOVD F%d, (%s)", s, x[p]) })
	a.label("done")
}

// fold combines the sums in the registers 0 to unrolled-1 in pairs.
func fold(combine func(from, to int)) {
	for step := 1; step < unrolled; step *= 2 {
		for i := 0; i < unrolled; i += 2 * step {
			combine(i+step, i)
		}
	}
}

// dot writes the kernel of the inner product. The lanes of unrolled vectors are
// summed in parallel, and then in pairs: the order depends on n alone.
func (a *assembler) dot() {
	a.text(f64.name("dot"), "float64", append(params("int", "n"), params("*float64", "x", "y")...)...)
	n, x, y := a.arg("n"), a.arg("x"), a.arg("y")
	for i := range unrolled {
		a.zero(i)
	}
	a.sweep(n, []string{x, y}, func(i int, load func(p, d int), _ func(s, p int)) {
		load(0, 8+i)
		load(1, 16+i)
		a.fma(f64, 8+i, 16+i, i)
	})
	fold(func(from, to int) { a.add(f64, from, to, to) })
	a.word(vector, 0x7e70d800, "faddp d0, v0.2d")
	a.ins(save, "FMOVD F0, ret+%d(FP)", a.args["ret"])
	a.ins(integer, "RET")
}

// axpy writes the kernel of y += alpha·x.
func (a *assembler) axpy() {
	a.text(f64.name("axpy"), "",
		append([]param{{"n", "int"}, {"alpha", "float64"}}, params("*float64", "x", "y")...)...)
	n, x, y := a.arg("n"), a.arg("x"), a.arg("y")
	a.loadOne(f64, fmt.Sprintf("alpha+%d(FP)", a.args["alpha"]), 31)
	a.sweep(n, []string{x, y}, func(i int, load func(p, d int), store func(s, p int)) {
		load(0, i)
		load(1, 8+i)
		a.fmaBy(f64, 31, 0, i, 8+i)
		store(8+i, 1)
	})
	a.ins(integer, "RET")
}

// maxAbs writes the kernel of the largest magnitude: a comparison with a NaN is
// false.
func (a *assembler) maxAbs() {
	a.text(f64.name("maxAbs"), "float64", param{"n", "int"}, param{"x", "*float64"})
	n, x := a.arg("n"), a.arg("x")
	for i := range unrolled {
		a.zero(i)
	}
	larger := func(from, mask, to int) {
		a.larger(f64, to, from, mask)
		a.ins(vector, "VBIT V%d.B16, V%d.B16, V%d.B16", mask, from, to)
	}
	a.sweep(n, []string{x}, func(i int, load func(p, d int), _ func(s, p int)) {
		load(0, 8+i)
		larger(8+i, 16+i, i)
	})
	fold(func(from, to int) { larger(from, 16, to) })
	a.ins(vector, "VDUP V0.D[1], V1.D2")
	larger(1, 16, 0)
	a.abs(f64, 0, 0)
	a.ins(save, "FMOVD F0, ret+%d(FP)", a.args["ret"])
	a.ins(integer, "RET")
}
