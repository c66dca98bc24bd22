package explain

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"slices"
	"strconv"
	"strings"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/kit/page"
	"nrdl.example/nrdl/internal/parallel"
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
		Title: "How the parts of the face vote",
		Caption: fmt.Sprintf("Blue where %s has more votes than anybody else, orange where somebody else has more; the stronger, the surer.",
			f.name(f.Class)),
		Pictures: []figure{over},
	}, err
}

// A Portrait is the picture of an enrolled face, with measures of its light and pose.
type Portrait struct {
	Thumb []byte // JPEG, of Size
	Size  image.Point
	Light float64  // mean grey value of the middle of the face, 0 … 255
	Turn  *float64 // of the head, as by face.Turn; nil if not known
}

// thumbQuality is that of the JPEG of a Portrait.
const thumbQuality = 75

// Portraits finds the enrolled faces of m in the photographs of folder, on which m was
// trained. The result has one Portrait for each face, nil if there is no such file or no
// face in it. Detector may be nil: then that of m is used. No file outside folder is read,
// whatever the model says. Progress is called after each file, never by two goroutines at
// once; it may be nil.
func Portraits(ctx context.Context, m *gallery.Gallery, folder string, detector *face.Search,
	progress func(done, total int),
) ([]*Portrait, error) {
	all := make([]*Portrait, m.Images().Len())
	parallel.Each(ctx, len(all), progress, func(j int) {
		all[j] = portrait(ctx, m, folder, cmp.Or(detector, m.Search), m.Images().ID(j))
	})
	return all, context.Cause(ctx)
}

// PortraitsIn returns a function for Show.Photograph that cuts the faces out of the photographs
// in the folder that m was trained on. Where none is found, it shows the photograph; warn gets
// the error of a file that is not an image.
func PortraitsIn(ctx context.Context, m *gallery.Gallery, folder string, warn func(error)) func(id string) image.Image {
	whole := photographsIn(ctx, folder, warn)
	return func(id string) image.Image {
		if p := portrait(ctx, m, folder, m.Search, id); p != nil {
			if img, err := jpeg.Decode(bytes.NewReader(p.Thumb)); err == nil {
				return img
			}
		}
		return whole(id)
	}
}

// portrait is that of the face with this ID.
func portrait(ctx context.Context, m *gallery.Gallery, folder string, detector *face.Search, id string) *Portrait {
	id, number := numbered(id)
	data, err := readEnrolled(folder, id)
	if err != nil {
		return nil
	}
	little := dataset.Frame{Size: dataset.Size{Height: 8, Width: 8}, Eyes: dataset.DefaultEyes} // only the Thumb counts
	seen, _, err := face.Decode(ctx, data, id, !m.Frame.Eyes.IsZero(), face.All,
		face.Cut{Frame: little, Network: !m.Embedding.IsZero(), Search: detector, Thumbs: true, Turns: true})
	if err != nil {
		return nil
	}
	for _, s := range seen {
		if s.Reason != nil || s.Thumb == nil {
			continue
		}
		if number--; number > 0 {
			continue
		}
		thumb, err := page.JPEG(s.Thumb, thumbQuality)
		if err != nil {
			return nil
		}
		return &Portrait{thumb, s.Thumb.Rect.Size(), light(s.Thumb), s.Turn}
	}
	return nil
}

// PortraitOf returns the Portrait of the face with these pupils in photo, without a Thumb.
func PortraitOf(ctx context.Context, photo *dataset.Photo, pupils [2]face.Point) (*Portrait, error) {
	turn, ok, err := face.DefaultSearch.Turn(ctx, photo, face.Face{Pupils: pupils})
	if err != nil {
		return nil, err
	}
	p := &Portrait{Light: light(face.Thumb(photo, pupils))}
	if ok {
		p.Turn = &turn
	}
	return p, nil
}

// numbered takes the number of the face in a photograph of several off its ID.
func numbered(id string) (string, int) {
	if file, n, ok := strings.Cut(id, "#"); ok {
		if number, err := strconv.Atoi(n); err == nil {
			return file, number
		}
	}
	return id, 1
}

// light is the mean grey value of the middle of img.
func light(img *image.RGBA) float64 {
	b := img.Rect
	middle := image.Rect(b.Dx()/4, b.Dy()/4, b.Dx()-b.Dx()/4, b.Dy()-b.Dy()/4)
	var sum float64
	for y := middle.Min.Y; y < middle.Max.Y; y++ {
		for x := middle.Min.X; x < middle.Max.X; x++ {
			sum += float64(color.GrayModel.Convert(img.RGBAAt(x, y)).(color.Gray).Y)
		}
	}
	return sum / float64(max(1, middle.Dx()*middle.Dy()))
}
