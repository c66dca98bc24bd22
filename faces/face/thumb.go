package face

import (
	"image"
	"math"

	"golang.org/x/image/draw"

	"nrdl.example/nrdl/faces/dataset"
)

// ThumbSide is the largest side of a Thumb, in pixels.
const ThumbSide = 96

// thumbFrame is the part of a face that a Thumb shows.
var thumbFrame = dataset.Frame{
	Size: dataset.Size{Height: ThumbSide, Width: ThumbSide}, Eyes: dataset.Eyes{Distance: 0.35, Height: 0.4},
}

// Thumb returns a small picture of the face with these pupils, aligned and in colour: a
// square of ThumbSide pixels.
func Thumb(photo *dataset.Photo, pupils [2]Point) *image.RGBA {
	return Picture(photo, pupils, thumbFrame)
}

// Picture returns the crop of the face with these pupils in colour; in is its frame.
func Picture(photo *dataset.Photo, pupils [2]Point, in dataset.Frame) *image.RGBA {
	values := CropColour(photo, pupils, in)
	n := in.Size.Len()
	byteOf := func(v float32) uint8 { return uint8(math.Round(float64(v))) }
	return coloured(in.Width, in.Height, func(i int) (r, g, b uint8) {
		return byteOf(values[i]), byteOf(values[n+i]), byteOf(values[2*n+i])
	})
}

// coloured is an image whose pixel i has the colour at(i).
func coloured(width, height int, at func(i int) (r, g, b uint8)) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		p := img.Pix[4*i:][:4]
		p[0], p[1], p[2] = at(i)
		p[3] = math.MaxUint8
	}
	return img
}

// thumb is the Thumb of f, if c asks for it.
func (c Cut) thumb(photo *dataset.Photo, f *Face) *image.RGBA {
	if !c.Thumbs || !(f.Pupils[0].to(f.Pupils[1]) > 0) {
		return nil
	}
	return Thumb(photo, f.Pupils)
}

// ThumbOf returns the Thumb of f in photo, or all of photo reduced if f is nil. It is nil if f has
// no pupils in photo.
func ThumbOf(photo *dataset.Photo, f *Face) *image.RGBA {
	if f == nil {
		return Reduced(photo, ThumbSide)
	}
	b := photo.Grey.Rect
	for _, p := range f.Pupils {
		if !(p.X >= 0 && p.Y >= 0 && p.X <= float64(b.Dx()) && p.Y <= float64(b.Dy())) {
			return nil
		}
	}
	return Cut{Thumbs: true}.thumb(photo, f)
}

// Reduced returns all of photo in colour, with sides of at most side pixels.
func Reduced(photo *dataset.Photo, side int) *image.RGBA {
	b := photo.Grey.Rect
	long := max(b.Dx(), b.Dy())
	// Means of spread pixels come first: a filter over all of a large photograph takes long.
	step := max(1, long/(2*side))
	const limit = 4 // pixels of a mean in each direction
	spread := (step + limit - 1) / limit
	at := photo.Colours()
	w := max(1, b.Dx()/step)
	img := coloured(w, max(1, b.Dy()/step), func(i int) (r, g, b uint8) {
		var sum [3]int
		n := 0
		for y := i / w * step; y < (i/w+1)*step; y += spread {
			for x := i % w * step; x < (i%w+1)*step; x += spread {
				r, g, b := at(min(x, photo.Grey.Rect.Dx()-1), min(y, photo.Grey.Rect.Dy()-1))
				sum[0], sum[1], sum[2] = sum[0]+int(r), sum[1]+int(g), sum[2]+int(b)
				n++
			}
		}
		return uint8((sum[0] + n/2) / n), uint8((sum[1] + n/2) / n), uint8((sum[2] + n/2) / n)
	})
	if long <= side {
		return img
	}
	small := image.NewRGBA(image.Rect(0, 0, max(1, b.Dx()*side/long), max(1, b.Dy()*side/long)))
	draw.CatmullRom.Scale(small, small.Rect, img, img.Rect, draw.Src, nil)
	return small
}
