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
	whole := s.Out / c.k.lanes
	for i := range len(r.src) * c.outH {
		x := r.stretch(i)
		if whole > 0 {
			t.b, t.vecs = &c.weights[0], whole
			r.panel(0)
			t.windows(x, c.k.depth)
		}
		if rest := s.Out % c.k.lanes; rest > 0 {
			o := whole * c.k.lanes
			t.b, t.vecs, t.last = &c.weights[o*s.KernelH*s.KernelW], 1, rest
			r.panel(o)
			x.a, x.c = after(x.a, o), after(x.c, o)
			if x.r != nil {
				x.r = after(x.r, o)
			}
			t.restWindows(x, c.k.lanes)
		}
	}
}

// windows is run for kernels that combine windows: they spoil some fields.
func (t *convTile) windows(x stretch, kernels []func(*byte)) {
	start := *t
	for tiles := ceil(x.pixels, len(kernels)); ; tiles-- {
		n := ceil(x.pixels, tiles)
		t.a, t.c, t.r = x.a, x.c, x.r
		kernels[n-1](t.arg())
		*t = start
		if tiles == 1 {
			return
		}
		x.skip(n, t)
	}
}

// restWindows convolves the channels after the last whole vector.
func (t *convTile) restWindows(x stretch, lanes int) {
	for p := range x.pixels {
		for ch := range t.last {
			sum := *after(t.bias, ch)
			for y := range t.ny {
				for xx := range t.nx {
					a := afterBytes(x.a, p*t.step+y*t.dy+xx*t.dx)
					sum += *after(t.b, (y*t.nx+xx)*lanes+ch) * *after(a, ch)
				}
			}
			t.finish(x, p, ch, sum)
		}
	}
}

// finish adds the residual, applies the activation and stores channel ch of
// pixel p.
func (t *convTile) finish(x stretch, p, ch int, sum float32) {
	if x.r != nil {
		sum += *after(afterBytes(x.r, p*t.rstep), ch)
	}
	a := Activation{Kind: ActivationKind(t.act), Min: t.limits[0], Max: t.limits[1]}
	slope := float32(0)
	if t.slopes != nil {
		slope = *after(t.slopes, ch)
	}
	*after(afterBytes(x.c, p*t.cstep), ch) = a.value(sum, slope)
}
