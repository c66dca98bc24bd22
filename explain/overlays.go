package explain

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
)

// mask is the row of the errors that a robust coder finds; without a title where
// there are none to show.
func (f *view) mask() (row, error) {
	planes := f.p.Pipeline.Planes()
	if f.Errors == nil || planes == 0 {
		return row{}, nil
	}
	pixels := f.p.Pipeline.Size.Len()
	size := make([]float64, pixels) // of the errors of each pixel
	found := 0
	for i := range size {
		for p := range planes {
			size[i] = math.Hypot(size[i], f.Errors[p*pixels+i])
		}
		if size[i] > 0 {
			found++
		}
	}
	largest := slices.Max(size)
	gain := 0.0
	if largest > 0 {
		gain = 1 / largest
	}
	r := row{
		Title:   "What the coder takes for a disturbance",
		Caption: "The errors of the pixels that the atoms are not asked to explain: the whiter, and the redder over the face, the larger.",
	}
	alone, err := f.image(scaled(size, white*gain, 0))
	if err != nil {
		return r, err
	}
	alone.Name, alone.Sub, alone.Alt = "the errors", percent(float64(found)/float64(pixels))+" of the pixels", "The errors of the pixels"
	over, err := f.tinted(func(i int) (color.RGBA, float64) { return red, size[i] * gain })
	over.Name, over.Sub, over.Alt = "over the face", "", "The errors of the pixels, in red over the face"
	r.Pictures = []figure{alone, over}
	return r, err
}

// The colours of what speaks for the likeliest person and for others, and of
// errors.
var (
	blue   = color.RGBA{0, 98, 178, 255}
	orange = color.RGBA{214, 112, 0, 255}
	red    = color.RGBA{220, 20, 40, 255}
)

// tinted is the face with a colour over pixel i, as strong as tint says, 0 … 1.
func (f *view) tinted(tint func(i int) (color.RGBA, float64)) (figure, error) {
	face, err := f.image(f.Image)
	if err != nil {
		return figure{}, err
	}
	grey := face.img.(*image.Gray)
	in := f.p.Pipeline.Size
	img := image.NewRGBA(grey.Bounds())
	for i := range in.Len() {
		x, y := i/in.Height, i%in.Height
		c, a := tint(i)
		img.SetRGBA(x, y, mix(grey.GrayAt(x, y).Y, c, a))
	}
	return figure{img: img}, nil
}

// mix returns grey moved towards c by the share a, 0 … 1.
func mix(grey uint8, c color.RGBA, a float64) color.RGBA {
	v := float64(grey)
	to := func(channel uint8) uint8 { return uint8(math.Round(v + a*(float64(channel)-v))) }
	return color.RGBA{to(c.R), to(c.G), to(c.B), math.MaxUint8}
}

// votes is the row of the parts of the face; without a title where they do not
// vote.
func (f *view) votes() (row, error) {
	if f.Blocks == nil {
		return row{}, nil
	}
	in := f.p.Pipeline.Size
	lead := make([]float64, in.Len()) // of the likeliest person's votes over the most of another's
	times := make([]float64, in.Len())
	for _, b := range f.Blocks {
		others := slices.Clone(b.Votes)
		others[f.Class] = 0
		v := b.Votes[f.Class] - slices.Max(others)
		for i := range b.Side * b.Side {
			at := (b.Left+i/b.Side)*in.Height + b.Top + i%b.Side
			lead[at] += v
			times[at]++
		}
	}
	const strongest = 0.75 // of a tint, so that the face is seen through it
	over, err := f.tinted(func(i int) (color.RGBA, float64) {
		if times[i] == 0 {
			return blue, 0
		}
		v := lead[i] / times[i]
		if v < 0 {
			return orange, strongest * -v
		}
		return blue, strongest * v
	})
	over.Name, over.Sub = "the votes", fmt.Sprintf("%d of %d parts for %s", f.voters(), len(f.Blocks), f.name(f.Class))
	over.Alt = "The votes of the parts of the face: " + over.Sub
	return row{
		Title:    "How the parts of the face vote",
		Caption:  fmt.Sprintf("Blue where %s has more votes than anybody else, orange where somebody else has more; the stronger, the surer.", f.name(f.Class)),
		Pictures: []figure{over},
	}, err
}
