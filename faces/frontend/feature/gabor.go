package feature

import (
	"cmp"
	"math"
)

// Gabor describes an image by the mean magnitude, in cells, of its responses to a bank of
// Gabor wavelets [gabor]. The wavelets are waves under a round Gaussian. They have
// Orientations directions and Scales wavelengths, from Wavelength in steps of √2; the standard
// deviation s of the Gaussian is Width wavelengths:
//
//	ψ(x) = exp(−‖x‖²/2s²)·exp(i·k·x),   ‖k‖ = 2π/wavelength,   s = Width·wavelength
//
// The Gaussian is cut off at 3s and has the sum 1. The image is reflected at its borders. ψ is
// a product of two factors, one for each axis. The mean is subtracted from the factor of the
// axis along which the wave is shorter, so that an even image has no response.
//
// Responses change slowly. So they are computed at every n-th pixel of rows and columns, where
// n is the whole number below s and half a cell, at least 1. A response counts in the four
// nearest cells, with bilinear weights. The vector is ordered by scale, then by orientation,
// then by cell in column-major order; it is brought to unit length as a whole.
type Gabor struct {
	Cell         float64 `json:"cell" help:"side of a cell, in pixels"`
	Scales       int     `json:"scales" help:"wavelengths"`
	Orientations int     `json:"orientations" help:"directions of the waves from 0 to π"`
	Wavelength   float64 `json:"wavelength" help:"the shortest, in pixels"`
	Width        float64 `json:"width" help:"standard deviation of the Gaussian, in wavelengths"`
}

// DefaultGabor has 5 scales and 8 orientations as [gabor], and waves of one
// octave's bandwidth, which are about as wide as the cells.
var DefaultGabor = Gabor{Cell: 8, Scales: 5, Orientations: 8, Wavelength: 4, Width: 0.56}

// waveletReach is where the wavelets end, in standard deviations.
const waveletReach = 3

// Name implements Feature.
func (Gabor) Name() string { return "gabor" }

// Validate implements Feature.
func (g Gabor) Validate() error {
	return cmp.Or(checkCell("gabor", g.Cell), within("gabor", "scales", float64(g.Scales), 1, 8),
		within("gabor", "orientations", float64(g.Orientations), 1, 16),
		within("gabor", "wavelength", g.Wavelength, 2, 32), within("gabor", "width", g.Width, 0.25, 1))
}

// Len implements Feature.
func (g Gabor) Len(height, width int) int {
	return g.Scales * g.Orientations * cellsOf(height, g.Cell) * cellsOf(width, g.Cell)
}

// Over implements Feature.
func (g Gabor) Over(height, width int) (Extractor, error) {
	if err := cmp.Or(fits(g, height, width), cellFits("gabor", g.Cell, height, width)); err != nil {
		return nil, err
	}
	bank := &waveletBank{height: height, width: width}
	for v := range g.Scales {
		s := g.newScale(height, width, g.Wavelength*math.Pow(2, float64(v)/2))
		bank.scales = append(bank.scales, s)
		n := len(s.rowsAt)
		bank.scratch.size = max(bank.scratch.size, height*width+len(s.rowReflections)+2*n*width+3*n)
	}
	return guard(bank, g, height, width), nil
}

// A waveletScale is the wavelets of one length.
type waveletScale struct {
	step                           int   // responses are taken at every so many pixels
	rowsAt, colsAt                 []int // where
	rows, cols                     *pooling
	rowReflections, colReflections []int // reflections of both sides
	wavelets                       []wavelet
}

// A wavelet is a real and an imaginary filter along each axis: its response is
// that of their complex product.
type wavelet struct{ downRe, downIm, rightRe, rightIm []float64 }

func (g Gabor) newScale(height, width int, wavelength float64) waveletScale {
	sigma := g.Width * wavelength
	envelope := gaussian(sigma, waveletReach)
	step := max(1, int(min(sigma, g.Cell/2)))
	s := waveletScale{
		step: step, rowsAt: places(height, step), colsAt: places(width, step),
		rowReflections: reflection(height, len(envelope)/2), colReflections: reflection(width, len(envelope)/2),
	}
	s.rows = newPooling(centres(s.rowsAt), height, g.Cell)
	s.cols = newPooling(centres(s.colsAt), width, g.Cell)
	for o := range g.Orientations {
		sin, cos := math.Sincos(math.Pi * float64(o) / float64(g.Orientations))
		k := 2 * math.Pi / wavelength
		var w wavelet
		w.downRe, w.downIm = wave(envelope, k*sin, sin > math.Abs(cos))
		w.rightRe, w.rightIm = wave(envelope, k*cos, sin <= math.Abs(cos))
		s.wavelets = append(s.wavelets, w)
	}
	return s
}

// places are every step-th position of a side of n, as far from one end as from
// the other, or nearer to the first by one.
func places(n, step int) []int {
	var at []int
	for i := (n - 1) % step / 2; i < n; i += step {
		at = append(at, i)
	}
	return at
}

// centres are those of the pixels at these positions.
func centres(at []int) []float64 {
	x := make([]float64, len(at))
	for i, p := range at {
		x[i] = float64(p) + 0.5
	}
	return x
}

// wave gives the real and the imaginary part of envelope·exp(i·k·x), less its
// mean under the envelope if it is to have none.
func wave(envelope []float64, k float64, noMean bool) (re, im []float64) {
	re, im = make([]float64, len(envelope)), make([]float64, len(envelope))
	var mean float64
	for t, e := range envelope {
		sin, cos := math.Sincos(k * float64(t-len(envelope)/2))
		re[t], im[t] = e*cos, e*sin
		mean += re[t] // the sine has none
	}
	if noMean {
		for t, e := range envelope {
			re[t] -= mean * e // the envelope has the sum 1
		}
	}
	return re, im
}

// waveletBank computes Gabor.
type waveletBank struct {
	height, width int
	scales        []waveletScale
	scratch       buffers
}

func (b *waveletBank) extract(dst, pix []float64) bool {
	buffer := b.scratch.get()
	defer b.scratch.put(buffer)
	image, rest := (*buffer)[:len(pix)], (*buffer)[len(pix):]
	for i, v := range pix {
		image[i] = v - pix[0] // so that an even image gives exact zeros
	}
	clear(dst)
	at := 0
	for _, s := range b.scales {
		cells := s.rows.cells * s.cols.cells
		for _, w := range s.wavelets {
			s.respond(dst[at:][:cells], image, rest, w, b.height)
			at += cells
		}
	}
	return unit(dst)
}

// respond adds the magnitudes of the response to w to the means of the cells.
func (s *waveletScale) respond(cells, image, scratch []float64, w wavelet, height int) {
	n, width := len(s.rowsAt), len(image)/height
	cut := func(n int) []float64 {
		part := scratch[:n]
		scratch = scratch[n:]
		return part
	}
	padded, re, im := cut(len(s.rowReflections)), cut(n*width), cut(n*width)
	for j := range width {
		extend(padded, image[j*height:][:height], s.rowReflections)
		along(re[j*n:][:n], padded, w.downRe, s.rowsAt[0], s.step)
		along(im[j*n:][:n], padded, w.downIm, s.rowsAt[0], s.step)
	}
	x, y, more := cut(n), cut(n), cut(n)
	for l, j := range s.colsAt {
		from := s.colReflections[j:]
		across(x, re, w.rightRe, from)
		across(more, im, w.rightIm, from)
		subtract(x, more) // Re·Re − Im·Im
		across(y, re, w.rightIm, from)
		across(more, im, w.rightRe, from)
		for i, v := range more {
			re, im := x[i], y[i]+v // Re·Im + Im·Re
			x[i] = math.Sqrt(re*re + im*im)
		}
		s.pool(cells, x, l)
	}
}

func subtract(a, b []float64) {
	for i, v := range b {
		a[i] -= v
	}
}

// pool adds the magnitudes in one column of places to the means of the cells.
func (s *waveletScale) pool(cells, magnitudes []float64, l int) {
	add := func(cell int, weight float64) {
		column := cells[cell*s.rows.cells:][:s.rows.cells]
		weight /= s.cols.cellWeight[cell]
		for i, v := range magnitudes {
			lo, hi := s.rows.lo[i], s.rows.hi[i]
			column[lo] += weight * v * s.rows.wLo[i] / s.rows.cellWeight[lo]
			column[hi] += weight * v * s.rows.wHi[i] / s.rows.cellWeight[hi]
		}
	}
	add(s.cols.lo[l], s.cols.wLo[l])
	add(s.cols.hi[l], s.cols.wHi[l])
}
