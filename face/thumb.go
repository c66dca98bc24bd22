package face

import (
	"image"
	"math"

	"golang.org/x/image/draw"

	"nrdl.example/nrdl/dataset"
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
	return coloured(in.Width, in.Height, func(i, c int) uint8 { return uint8(math.Round(float64(values[c*n+i]))) })
}

// coloured is an image whose pixel i has the value at(i, c) in colour c.
func coloured(width, height int, at func(i, c int) uint8) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		for c := range 3 {
			img.Pix[4*i+c] = at(i, c)
		}
		img.Pix[4*i+3] = math.MaxUint8
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

// wholeThumb is all of photo, with sides of at most ThumbSide.
func wholeThumb(photo *dataset.Photo) *image.RGBA {
	b := photo.Grey.Rect
	channels := photo.Channels(b)
	img := coloured(b.Dx(), b.Dy(), func(i, c int) uint8 { return channels[c].Pix[i/b.Dx()*channels[c].Stride+i%b.Dx()] })
	side := max(b.Dx(), b.Dy())
	if side <= ThumbSide {
		return img
	}
	small := image.NewRGBA(image.Rect(0, 0, max(1, b.Dx()*ThumbSide/side), max(1, b.Dy()*ThumbSide/side)))
	draw.CatmullRom.Scale(small, small.Rect, img, b, draw.Src, nil)
	return small
}
