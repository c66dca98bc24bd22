package face

import (
	"image"
	"math"

	"nrdl.example/nrdl/faces/dataset"
)

// Crop returns the aligned crop of the face with these pupils in img, which is
// upright: in.Size.Len() integer grey values from 0 to 255, column by column. A
// similarity transform puts the pupils at in.Eyes; the central share in.Crop is
// resized to in.Size. There is one resampling, by Catmull-Rom with antialiasing.
// Outside the photograph, its edge pixels are repeated. Crop panics if in has no size
// or no eyes, or if the pupils coincide.
func Crop(img *image.Gray, pupils [2]Point, in dataset.Frame) []float64 {
	if img.Rect.Empty() {
		panic("face: nothing to crop")
	}
	h, w := float64(in.Height), float64(in.Width)
	to := aligned(pupils, in)
	from, to := blocks(img, to, h, w)

	out := make([]float64, in.Size.Len())
	for x := range in.Width {
		for y := range in.Height {
			v := from.catmullRom(to, float64(x)+0.5, float64(y)+0.5)
			out[x*in.Height+y] = max(0, min(255, math.Round(v)))
		}
	}
	return out
}

// aligned returns the similarity from the crop to the photograph with these pupils.
func aligned(pupils [2]Point, in dataset.Frame) similarity {
	apart := pupils[0].to(pupils[1])
	if in.Size == (dataset.Size{}) || in.Eyes.IsZero() || !(apart > 0) {
		panic("face: nothing to crop")
	}
	crop := in.Crop
	if crop == 0 {
		crop = 1
	}
	h, w := float64(in.Height), float64(in.Width)
	scale := crop * apart / (in.Eyes.Distance * w) // pixels of the photograph for one of the crop
	angle := math.Atan2(pupils[1].Y-pupils[0].Y, pupils[1].X-pupils[0].X)
	return about(w/2, h/2+(in.Eyes.Height-0.5)*h/crop, scale, angle, middle(pupils))
}

// Where more than maxTaps pixels become one, whole blocks of them are averaged
// first, so that fewTaps of the averages become one: the kernel, as wide as
// several of them, hardly tells, and the effort is bounded.
const maxTaps, fewTaps = 8, 4

// blocks returns img, or the means of blocks of its part that to reaches from
// the h×w crop, and to in its pixels.
func blocks(img *image.Gray, to similarity, h, w float64) (view, similarity) {
	factor := blockFactor(to)
	part := img.Rect
	if factor > 1 {
		part = reached(to, h, w, img.Rect)
	}
	v := reduced(img, part, factor)
	return v, v.back.inverse().after(to)
}

// blockFactor is the side of the blocks; 1 for none.
func blockFactor(to similarity) float64 {
	if scale := to.scale(); scale > maxTaps {
		return math.Floor(scale / fewTaps)
	}
	return 1
}

// reached returns the part of a photograph that to reaches from the h×w crop; all of
// it where that is nothing.
func reached(to similarity, h, w float64, photograph image.Rectangle) image.Rectangle {
	scale := to.scale()
	reach := math.Hypot(h, w)*scale + 2*support*max(scale, 1)
	if near := (window{Point: to.at(w/2, h/2), side: reach}).box(photograph); !near.Empty() {
		return near
	}
	return photograph
}

// support is half the width of the kernel.
const support = 2

// catmullRom returns the value of v about to.at(x, y): the mean of its pixels
// weighted by the kernel along the rows and the columns of the crop.
func (v view) catmullRom(to similarity, x, y float64) float64 {
	centre, scale := to.at(x, y), to.scale()
	stretch := max(1, scale)
	cos, sin := to.a/scale, to.b/scale
	reach := support * stretch * (math.Abs(cos) + math.Abs(sin))
	width, height := v.Rect.Dx(), v.Rect.Dy()
	var sum, weights float64
	for r := math.Ceil(centre.Y - reach - 0.5); r+0.5 <= centre.Y+reach; r++ {
		row := v.Pix[max(0, min(height-1, int(r)))*v.Stride:]
		dy := (r + 0.5 - centre.Y) / stretch
		for c := math.Ceil(centre.X - reach - 0.5); c+0.5 <= centre.X+reach; c++ {
			dx := (c + 0.5 - centre.X) / stretch
			weight := kernel(cos*dx+sin*dy) * kernel(cos*dy-sin*dx)
			sum += weight * float64(row[max(0, min(width-1, int(c)))])
			weights += weight
		}
	}
	return sum / weights
}

// kernel is the cubic convolution kernel with B = 0 and C = 1/2, as package
// dataset resamples. It is written out because draw.CatmullRom.At is not inlined,
// and a crop would take half as long again.
func kernel(t float64) float64 {
	switch t = math.Abs(t); {
	case t < 1:
		return (1.5*t-2.5)*t*t + 1
	case t < support:
		return ((-0.5*t+2.5)*t-4)*t + 2
	}
	return 0
}
