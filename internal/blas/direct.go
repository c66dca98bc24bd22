package blas

import "unsafe"

// unpacked reports whether to multiply with A read where it is: small
// products, and those with a side so short that a packed operand would be used
// but once.
func (g *product[T]) unpacked() bool {
	mc := g.mc
	if g.m <= 2*mc.mr || g.n <= mc.nr {
		return true
	}
	volume := g.m * g.n * g.k
	if g.a.cs != 1 && mc.mr*int(unsafe.Sizeof(g.alpha)) < cacheLine && aliases[T](g.a.cs) {
		return volume <= 32*32*32 // the rest of a line is evicted before its turn
	}
	return volume <= packVolume
}

const cacheLine = 64

// aliases reports whether elements the stride apart share few sets of the L1
// cache.
func aliases[T float](stride int) bool {
	bytes := stride * int(unsafe.Sizeof(*new(T)))
	return bytes != 0 && bytes%2048 == 0
}

// direct multiplies with A, and B if that is no worse, read where they are.
func (g *product[T]) direct() {
	mc := g.mc
	kc := g.kb
	g.mb, g.nb = g.m, g.n
	g.tm, g.tn = g.m, g.n
	if g.nt > 1 {
		// Whole columns, but several parts for each thread.
		panels := ceil(g.n, mc.nr)
		g.tn = mc.nr
		g.tm = even(g.m, max(g.m/ceil(8*g.nt, panels), 4*mc.mr), mc.mr)
	}
	g.phase = direct
	for ps := 0; ps < g.k; ps += kc {
		g.depth(ps, kc)
		parallel(g.nt, ceil(g.m, g.tm)*ceil(g.n, g.tn), g)
	}
}

// computeDirect multiplies part i.
func (g *product[T]) computeDirect(i int) {
	mc := g.mc
	across := ceil(g.mb, g.tm)
	i0, j0 := i%across*g.tm, i/across*g.tn
	i1, j1 := min(i0+g.tm, g.mb), min(j0+g.tn, g.nb)
	if g.tri.misses(i0, j0, i1-i0, j1-j0) {
		return
	}
	size := mc.mr * mc.nr
	packs := g.b.cs != 1 || aliases[T](g.b.rs) && i1-i0 >= 4*mc.mr
	if packs {
		size += mc.nr * g.kb
	}
	s := mc.bits.get(size)
	for j := j0; j < j1; j += mc.nr {
		cols := min(mc.nr, j1-j)
		b := g.b.sub(g.ps, j)
		if packs {
			p := view[T]{&s.buf[mc.mr*mc.nr], mc.nr, 1}
			mc.packB(p.p, b, g.kb, cols)
			b = p
		}
		for i := i0; i < i1; i += mc.mr {
			g.tile(i, j, min(mc.mr, i1-i), cols, g.a.sub(i, g.ps), b.p, b.rs, s)
		}
	}
	mc.bits.put(s)
}

// packDepthwise orders the weights as the kernels read them: vector of
// channels, kernel row, kernel column, channel.
func (c *Conv) packDepthwise(weights []float32) []float32 {
	s, lanes := c.spec, c.k.lanes
	taps := s.KernelH * s.KernelW
	packed := Floats(ceil(s.Out, lanes) * lanes * taps)
	for o := range s.Out {
		for tap := range taps {
			packed[(o/lanes*taps+tap)*lanes+o%lanes] = weights[o*taps+tap]
		}
	}
	return packed
}

// depthwise convolves each channel by itself.
func (r *convRun) depthwise() {
	c, s, t := r.c, r.c.spec, &r.tile
	pitch := r.src[0].pitch()
	t.ny, t.dy = s.KernelH, s.DilationH*pitch*floatBytes
	t.nx, t.dx = s.KernelW, s.DilationW*s.In*floatBytes
	t.step, t.cstep, t.rstep = s.StrideW*s.In*floatBytes, s.Out*floatBytes, s.Out*floatBytes
	r.cut = byRow
	r.split(len(r.src)*c.outH, func(r *convRun, lo, hi int) {
		for i := lo; i < hi; i++ {
			r.tile.b = &r.c.weights[0]
			r.panel(0)
			r.tile.windows(r.stretch(i), r.c.spec.Out, r.c.k.lanes, r.c.k.depth)
		}
	})
}

// windows combines the windows of a stretch. It spoils t.
func (t *convTile) windows(x stretch, channels, lanes int, k windowKernels) {
	whole := channels / lanes * lanes
	rest := *t
	if whole > 0 {
		t.vecs, t.last = whole/lanes, lanes
		t.tiles(x, k.whole)
	}
	if whole == channels {
		return
	}
	*t = rest
	t.vecs, t.last = 1, channels-whole
	if t.b != nil {
		t.b, t.bias = after(t.b, whole*t.ny*t.nx), after(t.bias, whole)
	}
	if t.slopes != nil {
		t.slopes = after(t.slopes, whole)
	}
	x.a, x.c = after(x.a, whole), after(x.c, whole)
	if x.r != nil {
		x.r = after(x.r, whole)
	}
	t.tiles(x, k.remainder)
}

// tiles is run for kernels that combine windows: they spoil some fields.
func (t *convTile) tiles(x stretch, kernels []func(*byte)) {
	start := *t
	for n := ceil(x.pixels, len(kernels)); ; n-- {
		pixels := ceil(x.pixels, n)
		t.a, t.c, t.r = x.a, x.c, x.r
		kernels[pixels-1](t.arg())
		*t = start
		if n == 1 {
			return
		}
		x.skip(pixels, t)
	}
}
