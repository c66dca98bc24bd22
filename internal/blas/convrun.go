package blas

import "unsafe"

// A convTile is the argument of the kernels of a convolution; package main in
// asm knows its fields by name. Steps are in bytes.
type convTile struct {
	a      *float32 // the first element of the first pixel
	step   int      // from pixel to pixel
	ny, dy int      // rows of the kernel
	nx, dx int      // columns of the kernel, or one for all that lie side by side
	k      int      // elements that lie side by side
	b      *float32 // weights
	bias   *float32
	c      *float32 // the output
	cstep  int
	r      *float32 // the residual, or nil
	rstep  int
	act    int // an ActivationKind
	slopes *float32
	limits [2]float32
	last   int // elements in the last vector of channels
	vecs   int // vectors of channels, of a kernel that combines windows; spoilt
}

func (t *convTile) arg() *byte { return (*byte)(unsafe.Pointer(t)) }

// A convRun is one call of Run.
type convRun struct {
	c                  *Conv
	dst, src, residual []Image
	threads            int
	cut                cut
	pieces             int // of an image, by image
	block              int // stretches that are convolved with all weights before the next
	stretches, panels  int
	tile               convTile
	wino               winTile
	tiles              winTiles
}

var convRuns stock[convRun]

// A convPart is a loop of a convRun that is cut for threads. Each part has a copy of the run.
type convPart struct {
	r        *convRun
	body     func(r *convRun, lo, hi int)
	n, parts int
}

var convParts stock[convPart]

// split calls body for 0 ≤ i < n in parts, which may be those of several threads. body spoils r.
func (r *convRun) split(n int, body func(r *convRun, lo, hi int)) {
	if r.threads <= 1 || n == 1 {
		body(r, 0, n)
		return
	}
	p := convParts.get()
	each := min(partsPerThread, max(1, len(r.src)*r.c.work/r.threads/partWork))
	*p = convPart{r, body, n, min(n, each*r.threads)}
	parallel(r.threads, p.parts, p)
	convParts.put(p)
}

// A thread has several parts where there is work for them, as another program may delay it.
const (
	partsPerThread = 4
	partWork       = 1 << 20 // multiply-adds
)

func (p *convPart) part(i int) {
	own := convRuns.get()
	*own = *p.r
	own.threads = 1
	p.body(own, i*p.n/p.parts, (i+1)*p.n/p.parts)
	convRuns.put(own)
}

const floatBytes = 4

// A cut is how the output of a call is cut into stretches.
type cut int

const (
	byRow   cut = iota // a row of an image
	byImage            // a piece of an image: input and output are without borders
	byBatch            // the pixels of all images, of one pixel each
)

// A stretch is output pixels as far apart as their inputs are.
type stretch struct {
	a, c, r *float32
	pixels  int
}

// direct sums the products one after the other.
func (r *convRun) direct() {
	c, s, t := r.c, r.c.spec, &r.tile
	pitch, in := r.src[0].pitch(), s.In/s.Groups
	t.ny, t.dy = s.KernelH, s.DilationH*pitch*floatBytes
	t.nx, t.dx, t.k = s.KernelW, s.DilationW*s.In*floatBytes, in
	if s.Groups == 1 && s.DilationW == 1 {
		t.nx, t.k = 1, s.KernelW*in
	}
	t.step, t.cstep, t.rstep = s.StrideW*s.In*floatBytes, s.Out*floatBytes, s.Out*floatBytes
	n, bytes := r.cutUp()
	r.block = max(1, max(blockBytes, len(c.weights)*floatBytes/4)/bytes)
	r.stretches, r.panels = n, s.Groups*ceil(c.groupOut(), c.panel())
	if n >= partsPerThread*r.threads && n*bytes >= len(c.weights)*floatBytes {
		r.split(n, func(r *convRun, lo, hi int) { r.convolve(lo, hi, 0, r.panels) })
		return
	}
	r.split(r.panels, func(r *convRun, lo, hi int) { r.convolve(0, r.stretches, lo, hi) })
}

// panel is the number of columns of the widest panel.
func (c *Conv) panel() int { return len(c.k.conv) * c.k.lanes }

// blockBytes of the input are convolved with all weights before the next: they
// stay in the L2 cache. Where there are more weights than that, the blocks are
// larger, for the weights to be read less often.
const blockBytes = 256 << 10

// cutUp chooses the cut. It returns the number of stretches and the bytes of
// input that are new in each.
func (r *convRun) cutUp() (n, bytes int) {
	c, s, t := r.c, r.c.spec, &r.tile
	x, z := r.src[0], r.dst[0]
	bordered := x.Border + z.Border
	if r.residual != nil {
		bordered += r.residual[0].Border
	}
	switch {
	case c.h*c.w == 1 && c.outH*c.outW == 1 && len(r.src) > 1 && r.evenly():
		r.cut = byBatch
		t.step, t.cstep = apart(r.src[0], r.src[1]), apart(r.dst[0], r.dst[1])
		if r.residual != nil {
			t.rstep = apart(r.residual[0], r.residual[1])
		}
		return ceil(len(r.src), r.pixels()), r.pixels() * s.In * floatBytes
	case bordered == 0 && s.KernelH*s.KernelW == 1 && s.StrideH*s.StrideW == 1 && c.outH == c.h && c.outW == c.w:
		r.cut, r.pieces = byImage, 1
		if r.threads > 1 {
			r.pieces = min(partsPerThread*r.threads, ceil(c.outH*c.outW, r.pixels()))
		}
		return len(r.src) * r.pieces, x.Len() / r.pieces * floatBytes
	}
	r.cut = byRow
	return len(r.src) * c.outH, x.pitch() * s.StrideH * floatBytes
}

// apart is the distance in bytes from the first pixel of x to that of y.
func apart(x, y Image) int {
	return int(uintptr(unsafe.Pointer(y.at(0, 0))) - uintptr(unsafe.Pointer(x.at(0, 0))))
}

// evenly reports whether the first pixels of the images are the same distance
// apart, as those of images in one piece of memory are.
func (r *convRun) evenly() bool {
	for _, images := range [][]Image{r.src, r.dst, r.residual} {
		for i := 2; i < len(images); i++ {
			if apart(images[i-1], images[i]) != apart(images[0], images[1]) {
				return false
			}
		}
	}
	return true
}

// pixels is the number of pixels of the largest tile.
func (r *convRun) pixels() int { return len(r.c.k.conv[0]) }

// stretch is the i-th one.
func (r *convRun) stretch(i int) stretch {
	c, s := r.c, r.c.spec
	y, x, pixels := 0, 0, c.outW
	switch r.cut {
	case byRow:
		i, y = i/c.outH, i%c.outH
	case byImage:
		n, piece := c.outH*c.outW, i%r.pieces
		i, x = i/r.pieces, piece*n/r.pieces
		pixels = (piece+1)*n/r.pieces - x
	case byBatch:
		i *= r.pixels()
		pixels = min(r.pixels(), len(r.src)-i)
	}
	t := stretch{a: r.src[i].at(y*s.StrideH-s.Top, x-s.Left), c: r.dst[i].at(y, x), pixels: pixels}
	if r.residual != nil {
		t.r = r.residual[i].at(y, x)
	}
	return t
}

// next is stretch i, which follows x.
func (r *convRun) next(x stretch, i int) stretch {
	if r.cut != byRow || i%r.c.outH == 0 {
		return r.stretch(i)
	}
	x.a, x.c = after(x.a, r.src[0].pitch()*r.c.spec.StrideH), after(x.c, r.dst[0].pitch())
	if x.r != nil {
		x.r = after(x.r, r.residual[0].pitch())
	}
	return x
}

// from is x from these channels of the input and of the output on.
func (x stretch) from(in, out int) stretch {
	x.a, x.c = after(x.a, in), after(x.c, out)
	if x.r != nil {
		x.r = after(x.r, out)
	}
	return x
}

// convolve convolves the stretches from first to before end with the panels from lo to
// before hi.
func (r *convRun) convolve(first, end, lo, hi int) {
	c, s, t := r.c, r.c.spec, &r.tile
	in, out, padded := s.In/s.Groups, c.groupOut(), c.padded()
	depth, across := s.KernelH*s.KernelW*in, ceil(out, c.panel())
	for ; first < end; first += r.block {
		for p := lo; p < hi; p++ {
			g, j := p/across, p%across*c.panel()
			vecs := c.k.vecs(out - j)
			t.b = &c.weights[(g*padded+j)*depth]
			r.panel(g*padded + j)
			t.last = min(c.k.lanes, out-j-(vecs-1)*c.k.lanes)
			kernels := c.k.conv[vecs-1]
			x := r.stretch(first)
			for i := first; ; {
				t.run(x.from(g*in, g*out+j), kernels)
				if i++; i == min(first+r.block, end) {
					break
				}
				x = r.next(x, i)
			}
		}
	}
}

// panel sets the bias and the slopes to those from channel o.
func (r *convRun) panel(o int) {
	r.tile.bias = &r.c.bias[o]
	if r.c.slopes != nil {
		r.tile.slopes = &r.c.slopes[o]
	}
}

// run convolves the pixels of a stretch in as few tiles as there can be, as
// even as they can be: kernels are by the number of pixels.
func (t *convTile) run(x stretch, kernels []func(*byte)) {
	for tiles := ceil(x.pixels, len(kernels)); ; tiles-- {
		n := ceil(x.pixels, tiles)
		t.a, t.c, t.r = x.a, x.c, x.r
		kernels[n-1](t.arg())
		if tiles == 1 {
			return
		}
		x.skip(n, t)
	}
}

// skip moves x to its pixel n. There must be one: a pointer past the end of its
// memory is a fault of the garbage collector.
func (x *stretch) skip(n int, t *convTile) {
	x.pixels -= n
	x.a, x.c = afterBytes(x.a, n*t.step), afterBytes(x.c, n*t.cstep)
	if x.r != nil {
		x.r = afterBytes(x.r, n*t.rstep)
	}
}

func afterBytes(p *float32, n int) *float32 { return (*float32)(unsafe.Add(unsafe.Pointer(p), n)) }
