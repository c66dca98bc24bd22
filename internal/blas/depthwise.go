package blas

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
	for i := range len(r.src) * c.outH {
		t.b = &c.weights[0]
		r.panel(0)
		t.windows(r.stretch(i), s.Out, c.k.lanes, c.k.depth)
	}
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
	t.tiles(x, k.rest)
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
