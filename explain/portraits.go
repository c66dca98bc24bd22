package explain

import (
	"bytes"
	"cmp"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"strconv"
	"strings"
	"sync"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/internal/page"
	"nrdl.example/nrdl/internal/parallel"
)

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
func Portraits(ctx context.Context, m *gallery.Gallery, folder string, detector *face.Search, progress func(done, total int)) ([]*Portrait, error) {
	all := make([]*Portrait, m.Images().Len())
	var mu sync.Mutex
	done := 0
	parallel.For(len(all), 1, func(lo, hi int) {
		for j := lo; j < hi && ctx.Err() == nil; j++ {
			all[j] = portrait(ctx, m, folder, cmp.Or(detector, m.Search), m.Images().ID(j))
			mu.Lock()
			if done++; progress != nil {
				progress(done, len(all))
			}
			mu.Unlock()
		}
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
	seen, _, err := face.Decode(ctx, data, id, !m.Frame.Eyes.IsZero(), face.All, face.Cut{Frame: little, Network: !m.Embedding.IsZero(), Search: detector, Thumbs: true, Turns: true})
	if err != nil {
		return nil
	}
	for _, s := range seen {
		if s.Refused != nil || s.Thumb == nil {
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
