package feature

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
)

// The naive twins follow the definitions pixel by pixel, cell by cell.

// A photo is an image for them: at takes row and column.
type photo struct {
	pix           []float64
	height, width int
}

func (p photo) at(i, j int) float64 { return p.pix[j*p.height+i] }

// clamped is the pixel nearest to (i, j).
func (p photo) clamped(i, j int) float64 {
	return p.at(min(max(i, 0), p.height-1), min(max(j, 0), p.width-1))
}

// mirrored reflects the image beyond its borders.
func (p photo) mirrored(i, j int) float64 {
	return p.at(mirror(i, p.height), mirror(j, p.width))
}

func mirror(i, n int) int {
	for i < 0 || i >= n {
		if i < 0 {
			i = -1 - i
		} else {
			i = 2*n - 1 - i
		}
	}
	return i
}

// between interpolates bilinearly.
func (p photo) between(y, x float64) float64 {
	i, j := math.Floor(y), math.Floor(x)
	fy, fx := y-i, x-j
	a, b := int(i), int(j)
	return (1-fy)*(1-fx)*p.clamped(a, b) + (1-fy)*fx*p.clamped(a, b+1) +
		fy*(1-fx)*p.clamped(a+1, b) + fy*fx*p.clamped(a+1, b+1)
}

func (p photo) gradient(i, j int) (right, down float64) {
	difference := func(k, n int, at func(int) float64) float64 {
		lo, hi := max(k-1, 0), min(k+1, n-1)
		if lo == hi {
			return 0
		}
		return (at(hi) - at(lo)) / float64(hi-lo)
	}
	return difference(j, p.width, func(j int) float64 { return p.at(i, j) }),
		difference(i, p.height, func(i int) float64 { return p.at(i, j) })
}

// largestGradient is its length.
func (p photo) largestGradient() (largest float64) {
	for j := range p.width {
		for i := range p.height {
			largest = max(largest, math.Hypot(p.gradient(i, j)))
		}
	}
	return largest
}

// triangle is how much a pixel at x, in pixels from the border of a side of n
// with m cells, counts for cell k.
func triangle(x float64, k, m, n int) float64 {
	pitch := float64(n) / float64(m)
	return max(0, 1-math.Abs(x-(float64(k)+0.5)*pitch)/pitch)
}

func normalised(v []float64) []float64 {
	var sum float64
	for _, x := range v {
		sum += x * x
	}
	if sum == 0 {
		return v
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x / math.Sqrt(sum)
	}
	return out
}

func (p photo) feature(f Feature) []float64 {
	switch f := f.(type) {
	case Pixels:
		return normalised(p.pix)
	case IGO:
		return p.igo()
	case HOG:
		return p.hog(f)
	case LBP:
		return p.lbp(f)
	case Gabor:
		return p.gabor(f)
	}
	panic("no twin")
}

func (p photo) igo() []float64 {
	n := len(p.pix)
	v := make([]float64, 2*n)
	minGradient := flat * p.largestGradient()
	for j := range p.width {
		for i := range p.height {
			right, down := p.gradient(i, j)
			if math.Hypot(right, down) > minGradient {
				sin, cos := math.Sincos(math.Atan2(down, right))
				v[j*p.height+i], v[n+j*p.height+i] = cos, sin
			}
		}
	}
	return normalised(v)
}

// histogram is that of cell (k, l) of m×n.
func (p photo) histogram(bins, k, l, m, n int) []float64 {
	h := make([]float64, bins)
	for j := range p.width {
		for i := range p.height {
			right, down := p.gradient(i, j)
			angle := math.Mod(math.Atan2(down, right)+math.Pi, math.Pi) / math.Pi * float64(bins)
			w := math.Hypot(right, down) * triangle(float64(i)+0.5, k, m, p.height) * triangle(float64(j)+0.5, l, n, p.width)
			for b := range h {
				away := math.Abs(angle - float64(b) - 0.5)
				away = min(away, float64(bins)-away)
				h[b] += w * max(0, 1-away)
			}
		}
	}
	return h
}

func (p photo) hog(f HOG) (v []float64) {
	m, n := cellsOf(p.height, f.Cell), cellsOf(p.width, f.Cell)
	for l := range n - min(2, n) + 1 {
		for k := range m - min(2, m) + 1 {
			var block []float64
			for q := range min(2, n) {
				for r := range min(2, m) {
					block = append(block, p.histogram(f.Bins, k+r, l+q, m, n)...)
				}
			}
			block = normalised(block)
			for i := range block {
				block[i] = min(block[i], f.Clip)
			}
			v = append(v, normalised(block)...)
		}
	}
	return normalised(v)
}

// pattern is bit p for the neighbour at p·45° counted from the right upwards.
func (p photo) pattern(i, j int, radius float64) (bits [8]bool) {
	d := radius * math.Sqrt(0.5)
	for b, o := range [8][2]float64{{0, radius}, {-d, d}, {-radius, 0}, {-d, -d}, {0, -radius}, {d, -d}, {radius, 0}, {d, d}} {
		bits[b] = p.between(float64(i)+o[0], float64(j)+o[1]) >= p.at(i, j)-neighbourSlack
	}
	return bits
}

// code looks for the pattern among the 58 uniform ones.
func code(bits [8]bool) int {
	for n := 0; n <= 8; n++ {
		for r := range 8 {
			var uniform [8]bool
			for k := range n {
				uniform[(8-r+k)%8] = true
			}
			switch {
			case uniform == bits && n == 0:
				return 0
			case uniform == bits && n == 8:
				return 57
			case uniform == bits:
				return 1 + 8*(n-1) + r
			}
		}
	}
	return 58
}

func (p photo) lbp(f LBP) []float64 {
	m, n := cellsOf(p.height, f.Cell), cellsOf(p.width, f.Cell)
	v := make([]float64, 0, m*n*59)
	codes, darker := make([]int, len(p.pix)), false
	for at := range codes {
		codes[at] = code(p.pattern(at%p.height, at/p.height, f.Radius))
		darker = darker || codes[at] != 57
	}
	for l := range n {
		for k := range m {
			h, sum := make([]float64, 59), 0.0
			for j := range p.width {
				for i := range p.height {
					w := triangle(float64(i)+0.5, k, m, p.height) * triangle(float64(j)+0.5, l, n, p.width)
					h[codes[j*p.height+i]] += w
					sum += w
				}
			}
			for _, x := range h {
				v = append(v, math.Sqrt(x/sum))
			}
		}
	}
	if !darker {
		clear(v)
	}
	return normalised(v)
}

func (p photo) gabor(f Gabor) (v []float64) {
	m, n := cellsOf(p.height, f.Cell), cellsOf(p.width, f.Cell)
	for s := range f.Scales {
		wavelength := f.Wavelength * math.Pow(math.Sqrt2, float64(s))
		sigma := f.Width * wavelength
		step := max(1, int(math.Floor(min(sigma, f.Cell/2))))
		for o := range f.Orientations {
			kernel, r := naiveWavelet(sigma, 2*math.Pi/wavelength, math.Pi*float64(o)/float64(f.Orientations))
			sums, weights := make([]float64, m*n), make([]float64, m*n)
			for j := (p.width - 1) % step / 2; j < p.width; j += step {
				for i := (p.height - 1) % step / 2; i < p.height; i += step {
					var response complex128
					for b := -r; b <= r; b++ {
						for a := -r; a <= r; a++ {
							response += kernel[a+r][b+r] * complex(p.mirrored(i+a, j+b), 0)
						}
					}
					for c := range sums {
						w := triangle(float64(i)+0.5, c%m, m, p.height) * triangle(float64(j)+0.5, c/m, n, p.width)
						sums[c] += w * cmplx.Abs(response)
						weights[c] += w
					}
				}
			}
			for c := range sums {
				v = append(v, sums[c]/weights[c])
			}
		}
	}
	return normalised(v)
}

// naiveWavelet is a Gabor wavelet of 2r + 1 rows and columns.
func naiveWavelet(sigma, k, angle float64) (kernel [][]complex128, r int) {
	r = int(math.Floor(3*sigma + 0.5))
	envelope := func(x int) float64 { return math.Exp(-float64(x*x) / (2 * sigma * sigma)) }
	var whole float64
	for x := -r; x <= r; x++ {
		whole += envelope(x)
	}
	factor := func(k float64, noMean bool) []complex128 {
		var mean complex128
		var w []complex128
		for x := -r; x <= r; x++ {
			w = append(w, complex(envelope(x)/whole, 0)*cmplx.Exp(complex(0, k*float64(x))))
			mean += w[len(w)-1]
		}
		for x := -r; x <= r && noMean; x++ {
			w[x+r] -= mean * complex(envelope(x)/whole, 0)
		}
		return w
	}
	sin, cos := math.Sincos(angle)
	steep := sin > math.Abs(cos)
	down, right := factor(k*sin, steep), factor(k*cos, !steep)
	for _, a := range down {
		var row []complex128
		for _, b := range right {
			row = append(row, a*b)
		}
		kernel = append(kernel, row)
	}
	return kernel, r
}

func (p photo) step(s Step) []float64 {
	switch s := s.(type) {
	case Equalise:
		return p.equalise()
	case LCN:
		v := p.minus(p.blurred(s.Sigma))
		variance := photo{p.map1(func(i int) float64 { return v[i] * v[i] }), p.height, p.width}.blurred(s.Sigma)
		return p.map1(func(i int) float64 { return v[i] / math.Sqrt(variance[i]+s.Floor) })
	case TanTriggs:
		return p.tanTriggs(s)
	case Despeckle:
		return p.despeckle()
	}
	panic("no twin")
}

func (p photo) map1(f func(i int) float64) []float64 {
	v := make([]float64, len(p.pix))
	for i := range v {
		v[i] = f(i)
	}
	return v
}

func (p photo) minus(v []float64) []float64 {
	return p.map1(func(i int) float64 { return p.pix[i] - v[i] })
}

// blurred convolves with a Gaussian in two dimensions.
func (p photo) blurred(sigma float64) []float64 {
	r := int(math.Floor(4*sigma + 0.5))
	return p.map1(func(at int) float64 {
		var sum, weight float64
		for b := -r; b <= r; b++ {
			for a := -r; a <= r; a++ {
				w := math.Exp(-float64(a*a+b*b) / (2 * sigma * sigma))
				sum += w * p.mirrored(at%p.height+a, at/p.height+b)
				weight += w
			}
		}
		return sum / weight
	})
}

func (p photo) equalise() []float64 {
	grey := func(i int) float64 { return math.Round(min(max(p.pix[i], 0), 255)) }
	upTo := func(g float64) (n float64) {
		for i := range p.pix {
			if grey(i) <= g {
				n++
			}
		}
		return n
	}
	darkest := 255.0
	for i := range p.pix {
		darkest = min(darkest, grey(i))
	}
	return p.map1(func(i int) float64 {
		if upTo(darkest) == float64(len(p.pix)) {
			return 0
		}
		return 255 * (upTo(grey(i)) - upTo(darkest)) / (float64(len(p.pix)) - upTo(darkest))
	})
}

func (p photo) tanTriggs(s TanTriggs) []float64 {
	powers := photo{p.map1(func(i int) float64 { return math.Pow(max(p.pix[i], 0), s.Gamma) }), p.height, p.width}
	narrow, wide := powers.blurred(s.Inner), powers.blurred(s.Outer)
	v := p.map1(func(i int) float64 { return narrow[i] - wide[i] })
	for _, limit := range []float64{math.Inf(1), s.Tau} {
		var mean float64
		for _, x := range v {
			mean += math.Pow(min(limit, math.Abs(x)), s.Alpha) / float64(len(v))
		}
		for i := range v {
			v[i] /= math.Pow(mean, 1/s.Alpha)
		}
	}
	return p.map1(func(i int) float64 { return s.Tau * math.Tanh(v[i]/s.Tau) })
}

func (p photo) despeckle() []float64 {
	return p.map1(func(at int) float64 {
		if v := p.pix[at]; v != 0 && v != 255 {
			return v
		}
		var around []float64
		for b := -1; b <= 1; b++ {
			for a := -1; a <= 1; a++ {
				around = append(around, p.clamped(at%p.height+a, at/p.height+b))
			}
		}
		slices.Sort(around)
		return around[4]
	})
}

// noise is an image of whole grey values that have nothing to do with each
// other, with a few black and white ones.
func noise(rng *rand.Rand, height, width int) []float64 {
	pix := make([]float64, height*width)
	for i := range pix {
		pix[i] = min(max(float64(rng.IntN(300)-20), 0), 255)
	}
	return pix
}

// drawn is a smooth image with edges, in fractions of grey values.
func drawn(rng *rand.Rand, height, width int) []float64 {
	pix := make([]float64, height*width)
	a, b, c := rng.Float64(), rng.Float64(), rng.Float64()
	for j := range width {
		for i := range height {
			y, x := float64(i)/float64(height), float64(j)/float64(width)
			v := 120 + 60*math.Sin(5*x+7*a)*math.Cos(6*y*b+x) + 10*rng.Float64()
			if math.Hypot(y-a, x-c) < 0.25 {
				v += 40
			}
			pix[j*height+i] = v
		}
	}
	return pix
}
