package face

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"

	"nrdl.example/nrdl/faces/dataset"
)

// A Box is a rectangle of a photograph, in pixels. It may reach beyond the edges.
type Box struct{ Left, Top, Right, Bottom float64 }

func (b Box) width() float64  { return b.Right - b.Left }
func (b Box) height() float64 { return b.Bottom - b.Top }
func (b Box) centre() Point   { return Point{(b.Left + b.Right) / 2, (b.Top + b.Bottom) / 2} }

// grown is b with so much more on each side.
func (b Box) grown(by float64) Box { return Box{b.Left - by, b.Top - by, b.Right + by, b.Bottom + by} }

// overlap returns the intersection over the union.
func (b Box) overlap(o Box) float64 {
	both := max(0, min(b.Right, o.Right)-max(b.Left, o.Left)) * max(0, min(b.Bottom, o.Bottom)-max(b.Top, o.Top))
	if both == 0 {
		return 0
	}
	return both / (b.width()*b.height() + o.width()*o.height() - both)
}

// A Detection is a face that a BoxDetector found.
type Detection struct {
	Box       Box
	Score     float64 // from 0 to 1 for a network
	Angle     float64 // of the face, radians, clockwise; the box itself is upright
	Landmarks []Point // the eyes, the tip of the nose and the corners of the mouth, left before right; nil if the detector has none
}

// A BoxDetector finds faces in a photograph, the one with the highest score first.
type BoxDetector interface {
	Detect(ctx context.Context, photo *dataset.Photo) ([]Detection, error)
}

// suppressed returns the detections, surest first, without those that overlap a
// surer one by more than limit.
func suppressed(all []Detection, limit float64) []Detection {
	slices.SortStableFunc(all, func(a, b Detection) int { return cmp.Compare(b.Score, a.Score) })
	var kept []Detection
	for _, d := range all {
		if !slices.ContainsFunc(kept, func(k Detection) bool { return k.Box.overlap(d.Box) > limit }) {
			kept = append(kept, d)
		}
	}
	return kept
}

// channels are the red, green and blue values of a photograph or a part of it.
type channels [3]view

// grey reports whether the three are one.
func (c channels) grey() bool { return c[0].Gray == c[1].Gray }

// coloursOf returns the part r of photo, each pixel standing for factor×factor. The
// light is the mean of these pixels, and the hue that of their middle: colours vary
// slowly, and averaging them takes as long as decoding the file. Pixels that show nothing
// of need may stay black.
func coloursOf(photo *dataset.Photo, r image.Rectangle, factor float64, need image.Rectangle) channels {
	grey := reducedWithin(photo.Grey, r, factor, need)
	if !photo.Coloured() {
		return channels{grey, grey, grey}
	}
	w, h := grey.Rect.Dx(), grey.Rect.Dy()
	var c channels
	for i := range c {
		c[i] = view{image.NewGray(grey.Rect), grey.back}
	}
	at := photo.Colours()
	last := photo.Grey.Rect.Max.Sub(image.Pt(1, 1))
	to := grey.back.inverse()
	corner, end := to.at(float64(need.Min.X), float64(need.Min.Y)), to.at(float64(need.Max.X), float64(need.Max.Y))
	left, right := max(0, int(corner.X)-1), min(w, int(end.X)+2)
	columns := make([]int, w)
	for x := range columns {
		columns[x] = min(int(grey.back.at(float64(x)+0.5, 0).X), last.X)
	}
	for y := max(0, int(corner.Y)-1); y < min(h, int(end.Y)+2); y++ {
		py := min(int(grey.back.at(0, float64(y)+0.5).Y), last.Y)
		row := photo.Grey.Pix[py*photo.Grey.Stride:]
		for x := left; x < right; x++ {
			px := columns[x]
			red, green, blue := at(px, py)
			lighter := int(grey.Pix[y*grey.Stride+x]) - int(row[px])
			i := y*w + x
			c[0].Pix[i] = byte(max(0, min(math.MaxUint8, int(red)+lighter)))
			c[1].Pix[i] = byte(max(0, min(math.MaxUint8, int(green)+lighter)))
			c[2].Pix[i] = byte(max(0, min(math.MaxUint8, int(blue)+lighter)))
		}
	}
	return c
}

// input returns the h×w image whose point p is that at to.at(p) in the photograph, as
// three planes of numbers from 0 to 255. Outside the photograph is fill.
func (c channels) input(to similarity, w, h int, fill float32) []float32 {
	to = c[0].back.inverse().after(to)
	n := w * h
	planes := make([]float32, 3*n)
	width, height, stride := c[0].Rect.Dx(), c[0].Rect.Dy(), c[0].Stride
	grey := c.grey()
	for y := range h {
		for x := range w {
			p := to.at(float64(x)+0.5, float64(y)+0.5)
			i := y*w + x
			if p.X < 0 || p.Y < 0 || p.X >= float64(width) || p.Y >= float64(height) {
				planes[i], planes[n+i], planes[2*n+i] = fill, fill, fill
				continue
			}
			px, py := within(p.X-0.5, float64(width-1)), within(p.Y-0.5, float64(height-1))
			x0, y0 := int(px), int(py)
			b := between{first: y0*stride + x0, x: float32(px - float64(x0)), y: float32(py - float64(y0))}
			b.second, b.step = b.first+min(1, width-1-x0), stride*min(1, height-1-y0)
			planes[i] = b.of(c[0].Pix)
			if !grey {
				planes[n+i], planes[2*n+i] = b.of(c[1].Pix), b.of(c[2].Pix)
			}
		}
	}
	if grey {
		copy(planes[n:], planes[:n])
		copy(planes[2*n:], planes[:n])
	}
	return planes
}

// A between is a place between four pixels of an image.
type between struct {
	first, second, step int     // the upper pixels, and the step to the lower ones
	x, y                float32 // to the right of at and below
}

// of is the value there by bilinear interpolation.
func (b between) of(pix []byte) float32 {
	top := float32(pix[b.first])*(1-b.x) + float32(pix[b.second])*b.x
	bottom := float32(pix[b.first+b.step])*(1-b.x) + float32(pix[b.second+b.step])*b.x
	return top*(1-b.y) + bottom*b.y
}

// lit returns c, brighter if the photograph is dark.
func (c channels) lit(o LightOptions) channels {
	var counts [256]int
	green, n := c[1], c[1].Rect.Dx()*c[1].Rect.Dy()
	for y := range green.Rect.Dy() {
		for _, v := range green.Pix[y*green.Stride:][:green.Rect.Dx()] {
			counts[v]++
		}
	}
	level, below := 0, counts[0]
	for below < int(o.Share*float64(n)) {
		level++
		below += counts[level]
	}
	if level >= o.Dark || level == 0 {
		return c
	}
	gain := min(o.MaxFactor, o.Light/float64(level))
	lighter := func(v view) view {
		m := image.NewGray(v.Rect)
		for y := range v.Rect.Dy() {
			for x, g := range v.Pix[y*v.Stride:][:v.Rect.Dx()] {
				m.Pix[y*m.Stride+x] = byte(min(255, gain*float64(g)))
			}
		}
		return view{m, v.back}
	}
	if c.grey() {
		g := lighter(c[0])
		return channels{g, g, g}
	}
	return channels{lighter(c[0]), lighter(c[1]), lighter(c[2])}
}

func boxOf(r image.Rectangle) Box {
	return Box{float64(r.Min.X), float64(r.Min.Y), float64(r.Max.X), float64(r.Max.Y)}
}
