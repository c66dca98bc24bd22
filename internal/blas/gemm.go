package blas

// Blocking. kc alone decides bits: k is cut by it, whatever the path.
const (
	kcMax = 384  // rows of B in a block: a sliver of A stays in the L1 cache
	mcMax = 1536 // rows of A packed at a time
	ncMax = 2304 // columns of B packed at a time
	tileM = 256  // rows of a part: its slivers of A stay in the L2 cache
	tileV = 24   // vectors of columns of a part
)

// Sizes from which packing, and threads, gain more than they cost.
const (
	packVolume     = 256 * 256 * 256
	parallelVolume = 96 * 96 * 96 // multiply-adds
	parallelMemory = 1 << 18      // or elements of A, B and C
)

// A triangle is the part of C that is computed.
type triangle int

const (
	full triangle = iota
	upper
	lower
)

// A product is one call: C = alpha·AB + C, or without the last term if fresh.
// A is m×k, B k×n, and C, with unit column stride, m×n.
type product[T float] struct {
	mc      *machine[T]
	m, n, k int
	alpha   T
	a, b, c view[T]
	fresh   bool
	tri     triangle
	nt      int
	rank    bool // B = Aᵀ: the packed B serves as A too

	// The block at work.
	phase      phase
	is, js, ps int // its origin
	mb, nb, kb int // its size
	mode       int
	tm, tn     int // size of a part
	abuf, bbuf *T
}

// A phase is what the parts of a call do. It is no func: a method of a generic
// type as a value is allocated.
type phase int

const (
	packing phase = iota
	computing
	direct
)

func (g *product[T]) part(i int) {
	switch g.phase {
	case packing:
		g.pack(i)
	case computing:
		g.compute(i)
	case direct:
		g.computeDirect(i)
	}
}

func ceil(a, b int) int { return (a + b - 1) / b }

// even is the size of the blocks if n is cut into as few as limit allows, as
// even as multiples of unit can be.
func even(n, limit, unit int) int {
	return ceil(ceil(n, ceil(n, limit)), unit) * unit
}

// multiply computes C = alpha·AB + beta·C on the triangle tri of C.
func (m *machine[T]) multiply(nt, rows, cols, k int, alpha T, a, b view[T], beta T, c view[T], tri triangle) {
	if rows == 0 || cols == 0 {
		return
	}
	none := alpha == 0 || k == 0
	if beta != 1 && (beta != 0 || none) {
		scale(rows, cols, beta, c, tri)
	}
	if none {
		return
	}
	g := m.products.get()
	*g = product[T]{mc: m, m: rows, n: cols, k: k, alpha: alpha, a: a, b: b, c: c, fresh: beta == 0, tri: tri}
	g.run(nt)
	m.products.put(g)
}

// scale multiplies the triangle tri of c by beta; zero overwrites even NaN.
func scale[T float](rows, cols int, beta T, c view[T], tri triangle) {
	for i := range rows {
		j0, j1 := tri.columns(i, 0, cols)
		if j0 >= j1 {
			continue
		}
		row := c.row(i, j0, j1)
		if beta == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= beta
		}
	}
}

// columns is the part of the columns j0 ≤ j < j1 of row i that is in t.
func (t triangle) columns(i, j0, j1 int) (int, int) {
	switch t {
	case upper:
		return max(j0, i), j1
	case lower:
		return j0, min(j1, i+1)
	}
	return j0, j1
}

// misses reports whether no element of the block is in t.
func (t triangle) misses(i, j, rows, cols int) bool {
	return t == upper && j+cols <= i || t == lower && j >= i+rows
}

// within reports whether the whole block is in t.
func (t triangle) within(i, j, rows, cols int) bool {
	return t == full || t == upper && j >= i+rows-1 || t == lower && j+cols-1 <= i
}

func (g *product[T]) run(nt int) {
	g.nt = nt
	if g.m*g.n*g.k < parallelVolume && g.m*g.k+g.k*g.n+g.m*g.n < parallelMemory {
		g.nt = 1
	}
	g.kb = ceil(g.k, ceil(g.k, kcMax))
	if g.unpacked() {
		g.direct()
		return
	}
	g.packed()
}

// depth sets the depth of the block that starts at ps and the way to store it.
func (g *product[T]) depth(ps, kc int) {
	g.ps, g.kb = ps, min(kc, g.k-ps)
	g.mode = add
	if ps == 0 && g.fresh {
		g.mode = store
	}
}

// packed multiplies block by block, all operands packed.
func (g *product[T]) packed() {
	mc := g.mc
	mb, nb, kb := even(g.m, mcMax, mc.mr), even(g.n, ncMax, mc.nr), g.kb
	g.rank = g.tri != full && nb >= g.n && g.a == g.b.t()
	bs := mc.panels.get(min(nb, ceil(g.n, mc.nr)*mc.nr) * kb)
	g.bbuf = &bs.buf[0]
	var as *scratch[T]
	if !g.rank {
		as = mc.panels.get(min(mb, ceil(g.m, mc.mr)*mc.mr) * kb)
		g.abuf = &as.buf[0]
	}
	for g.js = 0; g.js < g.n; g.js += nb {
		g.nb = min(nb, g.n-g.js)
		for ps := 0; ps < g.k; ps += kb {
			g.depth(ps, kb)
			for g.is = 0; g.is < g.m; g.is += mb {
				g.mb = min(mb, g.m-g.is)
				g.block()
			}
		}
	}
	mc.panels.put(bs)
	if as != nil {
		mc.panels.put(as)
	}
}

// block packs and multiplies one block.
func (g *product[T]) block() {
	parts := 0
	if g.is == 0 {
		parts += ceil(g.nb, g.mc.nr)
	}
	if !g.rank {
		parts += ceil(g.mb, packRows*g.mc.mr)
	}
	g.phase = packing
	parallel(g.nt, parts, g)
	g.cut()
	g.phase = computing
	parallel(g.nt, ceil(g.mb, g.tm)*ceil(g.nb, g.tn), g)
}

// cut chooses the size of the parts: small enough for the threads to end at
// about the same time.
func (g *product[T]) cut() {
	g.tm, g.tn = tileM, tileV*g.mc.lanes
	if g.nt == 1 {
		return
	}
	for ceil(g.mb, g.tm)*ceil(g.nb, g.tn) < 8*g.nt && (g.tm > 4*g.mc.mr || g.tn > g.mc.nr) {
		if g.tm > 4*g.mc.mr && (g.tm >= g.tn || g.tn <= g.mc.nr) {
			g.tm = ceil(g.tm/2, g.mc.mr) * g.mc.mr
		} else {
			g.tn = ceil(g.tn/2, g.mc.nr) * g.mc.nr
		}
	}
}

const packRows = 8 // slivers of A that are packed together

// pack packs panel i of B or, after those, some slivers of A.
func (g *product[T]) pack(i int) {
	mc := g.mc
	if g.is == 0 {
		if j := i * mc.nr; j < g.nb {
			mc.packB(after(g.bbuf, j*g.kb), g.b.sub(g.ps, g.js+j), g.kb, min(mc.nr, g.nb-j))
			return
		}
		i -= ceil(g.nb, mc.nr)
	}
	step := packRows * mc.mr
	for r := i * step; r < min((i+1)*step, g.mb); r += mc.mr {
		mc.packA(after(g.abuf, r*g.kb), g.a.sub(g.is+r, g.ps), min(mc.mr, g.mb-r), g.kb)
	}
}

// sliver is the packed rows of A from row i of the block.
func (g *product[T]) sliver(i int) view[T] {
	mc := g.mc
	if g.rank {
		i += g.is
		return view[T]{after(g.bbuf, i/mc.nr*mc.nr*g.kb+i%mc.nr), 1, mc.nr}
	}
	return mc.slivered(after(g.abuf, i*g.kb), g.a, g.kb)
}

// compute multiplies part i of the block.
func (g *product[T]) compute(i int) {
	across := ceil(g.mb, g.tm)
	i0, j0 := i%across*g.tm, i/across*g.tn
	i1, j1 := min(i0+g.tm, g.mb), min(j0+g.tn, g.nb)
	g.tiles(i0, i1, j0, j1)
}

// tiles multiplies rows i0 ≤ i < i1 and columns j0 ≤ j < j1 of the block.
func (g *product[T]) tiles(i0, i1, j0, j1 int) {
	mc := g.mc
	if g.tri.misses(g.is+i0, g.js+j0, i1-i0, j1-j0) {
		return
	}
	s := mc.bits.get(mc.mr * mc.nr)
	for i := i0; i < i1; i += mc.mr {
		a := g.sliver(i)
		rows := min(mc.mr, i1-i)
		for j := j0; j < j1; j += mc.nr {
			g.tile(g.is+i, g.js+j, rows, min(mc.nr, j1-j), a, after(g.bbuf, j*g.kb), mc.nr, s)
		}
	}
	mc.bits.put(s)
}

// tile multiplies one tile of C, at (i, j). One that the edge of the triangle
// crosses goes by way of s: a kernel writes all of a tile.
func (g *product[T]) tile(i, j, rows, cols int, a view[T], b *T, rsb int, s *scratch[T]) {
	mc := g.mc
	if g.tri.within(i, j, rows, cols) {
		mc.tile(rows, cols, g.kb, g.alpha, a, b, rsb, g.c.at(i, j), g.c.rs, g.mode)
		return
	}
	if g.tri.misses(i, j, rows, cols) {
		return
	}
	g.exchange(i, j, rows, cols, s, true)
	mc.tile(rows, cols, g.kb, g.alpha, a, b, rsb, &s.buf[0], mc.nr, g.mode)
	g.exchange(i, j, rows, cols, s, false)
}

// exchange copies the triangle's part of a tile of C to s, or from it.
func (g *product[T]) exchange(i, j, rows, cols int, s *scratch[T], to bool) {
	for r := range rows {
		j0, j1 := g.tri.columns(i+r, j, j+cols)
		if j0 >= j1 {
			continue
		}
		c, t := g.c.row(i+r, j0, j1), s.buf[r*g.mc.nr+j0-j:]
		if to {
			copy(t, c)
		} else {
			copy(c, t)
		}
	}
}
