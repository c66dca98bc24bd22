package face

import (
	"encoding/binary"
	"image"
	"math"
)

// A similarity takes (u, v) to (A·u − B·v + X, B·u + A·v + Y).
type similarity struct{ a, b, x, y float64 }

func (s similarity) at(u, v float64) Point {
	return Point{s.a*u - s.b*v + s.x, s.b*u + s.a*v + s.y}
}

// after returns the similarity that applies t, then s.
func (s similarity) after(t similarity) similarity {
	o := s.at(t.x, t.y)
	return similarity{s.a*t.a - s.b*t.b, s.b*t.a + s.a*t.b, o.X, o.Y}
}

// inverse returns the similarity that takes s back.
func (s similarity) inverse() similarity {
	n := s.a*s.a + s.b*s.b
	t := similarity{a: s.a / n, b: -s.b / n}
	o := t.at(s.x, s.y)
	t.x, t.y = -o.X, -o.Y
	return t
}

func (s similarity) scale() float64 { return math.Hypot(s.a, s.b) }

// about turns by angle (radians) and stretches by scale, and takes (u, v) to p.
func about(u, v, scale, angle float64, p Point) similarity {
	s := similarity{a: scale * math.Cos(angle), b: scale * math.Sin(angle)}
	o := s.at(u, v)
	s.x, s.y = p.X-o.X, p.Y-o.Y
	return s
}

// reachedBy returns the pixels that s reaches from a w×h image, with margin around them.
func reachedBy(s similarity, w, h, margin float64) image.Rectangle {
	var r image.Rectangle
	for _, corner := range [4]Point{{0, 0}, {w, 0}, {0, h}, {w, h}} {
		p := s.at(corner.X, corner.Y)
		r = r.Union(image.Rect(int(math.Floor(p.X-margin)), int(math.Floor(p.Y-margin)), int(math.Ceil(p.X+margin)), int(math.Ceil(p.Y+margin))))
	}
	return r
}

// A view is a photograph, or a part of it, as it is looked at: reduced,
// continued or turned.
type view struct {
	*image.Gray
	back similarity // from the view to the photograph
}

// padded returns v with margin of its sides more on each of them.
func (v view) padded(margin float64) view {
	x, y := math.Round(margin*float64(v.Rect.Dx())), math.Round(margin*float64(v.Rect.Dy()))
	return v.warped(similarity{1, 0, -x, -y}, v.Rect.Dx()+2*int(x), v.Rect.Dy()+2*int(y))
}

// turned returns v turned by −degrees about its centre, so that what was turned
// by degrees is upright.
func (v view) turned(degrees float64) view {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	dx, dy := float64(v.Rect.Dx()), float64(v.Rect.Dy())
	w := math.Round(math.Abs(cos)*dx + math.Abs(sin)*dy)
	h := math.Round(math.Abs(sin)*dx + math.Abs(cos)*dy)
	return v.warped(about(w/2, h/2, 1, degrees*math.Pi/180, Point{dx / 2, dy / 2}), int(w), int(h))
}

// square returns the n×n view whose centre is p in the photograph, upright for
// what is turned by angle there, with scale pixels of the photograph for one.
// Around p, v is at most about as fine.
func (v view) square(n int, scale, angle float64, p Point) view {
	half := float64(n) / 2
	return v.warped(v.back.inverse().after(about(half, half, scale, angle, p)), n, n)
}

// warped returns the w×h view whose point p is that at to.at(p) in v, by
// bilinear interpolation; the edge of v is repeated outside.
func (v view) warped(to similarity, w, h int) view {
	out := image.NewGray(image.Rect(0, 0, w, h))
	width, height := v.Rect.Dx(), v.Rect.Dy()
	products := make([][2]float64, w) // those of to with the middle of each column
	for x := range products {
		u := float64(x) + 0.5
		products[x] = [2]float64{to.a * u, to.b * u}
	}
	for y := range h {
		row := out.Pix[y*out.Stride:][:w]
		down := [2]float64{to.b * (float64(y) + 0.5), to.a * (float64(y) + 0.5)}
		at := func(x int) Point { return Point{products[x][0] - down[0] + to.x, products[x][1] + down[1] + to.y} }
		left, right := to.columnsIn(y, w, Box{2, 2, float64(width - 2), float64(height - 2)})
		for x := 0; x < left; x++ {
			row[x] = v.bilinear(at(x))
		}
		for x := left; x < right; x++ { // where all four pixels are in v
			p := at(x)
			px, py := p.X-0.5, p.Y-0.5
			x0, y0 := int(px), int(py)
			fx, fy := px-float64(x0), py-float64(y0)
			upper := v.Pix[y0*v.Stride+x0:][:v.Stride+2]
			top := float64(upper[0])*(1-fx) + float64(upper[1])*fx
			bottom := float64(upper[v.Stride])*(1-fx) + float64(upper[v.Stride+1])*fx
			row[x] = byte(top*(1-fy) + bottom*fy + 0.5)
		}
		for x := max(left, right); x < w; x++ {
			row[x] = v.bilinear(at(x))
		}
	}
	return view{out, v.back.after(to)}
}

// bilinear returns the grey value of v at p; the edge of v is repeated outside.
func (v view) bilinear(p Point) byte {
	width, height := v.Rect.Dx(), v.Rect.Dy()
	px := within(p.X-0.5, float64(width-1))
	py := within(p.Y-0.5, float64(height-1))
	x0, y0 := int(px), int(py)
	fx, fy := px-float64(x0), py-float64(y0)
	right, below := min(1, width-1-x0), v.Stride*min(1, height-1-y0)
	at := v.Pix[y0*v.Stride+x0:]
	top := float64(at[0])*(1-fx) + float64(at[right])*fx
	bottom := float64(at[below])*(1-fx) + float64(at[below+right])*fx
	return byte(top*(1-fy) + bottom*fy + 0.5)
}

// columnsIn returns the columns, from … to before end, of row y of an image of w columns
// whose middles s takes into box.
func (s similarity) columnsIn(y, w int, box Box) (from, end int) {
	first, last := 0., float64(w)
	limit := func(slope, offset, lower, upper float64) { // lower ≤ slope·u + offset ≤ upper
		const flat = 1e-9
		switch {
		case math.Abs(slope) > flat:
			a, b := (lower-offset)/slope, (upper-offset)/slope
			first, last = max(first, min(a, b)), min(last, max(a, b))
		case offset < lower || offset > upper:
			last = 0
		}
	}
	v := float64(y) + 0.5
	limit(s.a, s.x-s.b*v, box.Left, box.Right)
	limit(s.b, s.y+s.a*v, box.Top, box.Bottom)
	from = min(w, int(math.Ceil(first-0.5)))
	return from, max(from, int(math.Floor(last-0.5))+1)
}

// within returns the number from 0 to limit that is nearest to v. It takes less time
// than min and max, which treat NaN and −0.
func within(v, limit float64) float64 {
	if v < 0 {
		return 0
	}
	if v > limit {
		return limit
	}
	return v
}

// reduced returns the part r of img, each pixel the mean of factor×factor
// pixels; at the right and below, of those that are left. It shares the pixels
// of img where factor is at most 1.
func reduced(img *image.Gray, r image.Rectangle, factor float64) view {
	return reducedWithin(img, r, factor, r)
}

// reducedWithin is reduced, but pixels that show nothing of the part need of img may stay
// black.
func reducedWithin(img *image.Gray, r image.Rectangle, factor float64, need image.Rectangle) view {
	part := img.SubImage(r).(*image.Gray)
	corner := similarity{1, 0, float64(r.Min.X), float64(r.Min.Y)}
	moved := image.Gray{Pix: part.Pix, Stride: part.Stride, Rect: image.Rect(0, 0, r.Dx(), r.Dy())}
	if factor <= 1 {
		return view{&moved, corner}
	}
	across, down := spansOf(r.Dx(), factor), spansOf(r.Dy(), factor)
	out := image.NewGray(image.Rect(0, 0, len(across), len(down)))
	need = need.Sub(r.Min)
	left, right := spansIn(across, need.Min.X, need.Max.X)
	top, bottom := spansIn(down, need.Min.Y, need.Max.Y)
	across = across[left:right]
	sum, means := make([]float32, len(across)), make([]float32, len(across))
	before := make([]uint32, r.Dx()+1)
	last := -1 // the row of which means are: the last row of a span is the first of the next
	for y := top; y < bottom; y++ {
		s := down[y]
		clear(sum)
		for k := s.begin; k <= s.end; k++ {
			if k != last {
				meansOf(means, moved.Pix[k*moved.Stride:][:r.Dx()], across, before)
				last = k
			}
			weight := s.weight(k)
			for x, mean := range means {
				sum[x] += weight * mean
			}
		}
		for x, v := range sum {
			out.Pix[y*out.Stride+left+x] = byte(v + 0.5)
		}
	}
	corner.a = factor
	return view{out, corner}
}

// A span is the pixels from … to of which one is the mean; of the first and the
// last a part counts.
type span struct {
	begin, end         int
	first, inner, last float32 // weights, which sum to 1
}

func (s span) weight(k int) float32 {
	switch k {
	case s.begin:
		return s.first
	case s.end:
		return s.last
	}
	return s.inner
}

// spansOf cuts n pixels into spans of factor pixels, the last of which may be
// shorter.
func spansOf(n int, factor float64) []span {
	const hardly = 1e-6 // of a pixel, makes no span
	spans := make([]span, max(1, int(math.Ceil(float64(n)/factor-hardly))))
	for i := range spans {
		lo, hi := float64(i)*factor, min(float64(n), float64(i+1)*factor)
		s := span{begin: int(lo), end: min(n-1, int(hi)), inner: float32(1 / (hi - lo))}
		s.first = float32(float64(s.begin)+1-lo) * s.inner
		s.last = float32(hi-float64(s.end)) * s.inner
		if s.begin == s.end { // a single pixel is left of the image
			s.first, s.last = 1, 0
		}
		spans[i] = s
	}
	return spans
}

// spansIn returns which of spans show one of the pixels from first to before end.
func spansIn(spans []span, first, end int) (from, before int) {
	for from < len(spans) && spans[from].end < first {
		from++
	}
	before = from
	for before < len(spans) && spans[before].begin < end {
		before++
	}
	return from, before
}

// meansOf sets means to those of row. It overwrites before, which is one longer than the row:
// the sums of all pixels before each, whose differences are the sums of spans.
func meansOf(means []float32, row []byte, across []span, before []uint32) {
	const long = 16 // bytes, from which sumOf is faster
	short := len(across) > 0 && across[0].end-across[0].begin <= long
	if short {
		var sum uint32
		for i, v := range row {
			sum += uint32(v)
			before[i+1] = sum
		}
	}
	for x, s := range across {
		end := max(s.end, s.begin+1)
		var inner uint32
		if short {
			inner = before[end] - before[s.begin+1]
		} else {
			inner = sumOf(row[s.begin+1 : end])
		}
		means[x] = s.first*float32(row[s.begin]) + s.inner*float32(inner) + s.last*float32(row[s.end])
	}
}

// sumOf is the sum of bytes, eight of which it adds at a time.
func sumOf(bytes []byte) (sum uint32) {
	const (
		word  = 8
		pairs = 0x00ff00ff00ff00ff
		ones  = 0x0001000100010001
	)
	for ; len(bytes) >= word; bytes = bytes[word:] {
		v := binary.LittleEndian.Uint64(bytes)
		sum += uint32((v&pairs + v>>8&pairs) * ones >> 48)
	}
	for _, v := range bytes {
		sum += uint32(v)
	}
	return sum
}
