package engine

import (
	"context"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/internal/kit/npz"
	"nrdl.example/nrdl/internal/parallel"
)

// photographs are image files, beside the images that are arrays of a frame: uint8, height×width
// or height×width×3. Those come after the files.
type photographs struct {
	Files   []string     `json:"files"`
	Detect  *face.Detect `json:"detect"`  // never: an image is an aligned face; else faces are searched for
	Faces   face.Which   `json:"faces"`   // which of several; "" is the largest
	Network string       `json:"network"` // a built-in network, or its file; "" is the default
	Twice   bool         `json:"twice"`   // faces of a photograph can get one name
	Words   []string     `json:"words"`   // what the network takes, as frontend.ParseNetwork reads it
}

// count is the number of images of f.
func (f *incoming) count() int { return len(f.Files) + len(f.arrays) }

// photo returns image j, and its name for errors.
func (f *incoming) photo(ctx context.Context, j int) (photo *dataset.Photo, name string, err error) {
	if j < len(f.Files) {
		data, err := dataset.ReadFile(f.Files[j])
		if err != nil {
			return nil, f.Files[j], err
		}
		photo, err = dataset.DecodeColour(ctx, data, f.Files[j])
		return photo, f.Files[j], err
	}
	a := f.arrays[j-len(f.Files)]
	img, err := picture(a)
	if err != nil {
		return nil, a.Word(), err
	}
	return dataset.NewPhoto(img), a.Word(), nil
}

// picture returns the image that is in a.
func picture(a npz.Array) (image.Image, error) {
	planes := 1
	if len(a.Shape) == 3 {
		planes = a.Shape[2]
	}
	if a.Type != "u1" || a.Fortran || len(a.Shape) < 2 || len(a.Shape) > 3 || planes != 1 && planes != 3 || len(a.Data) == 0 {
		return nil, fmt.Errorf("%s (%v %s) is no image: an image is uint8, height×width or height×width×3, in C order", a.Word(), a.Shape, a.Kind)
	}
	box := image.Rect(0, 0, a.Shape[1], a.Shape[0])
	if planes == 1 {
		return &image.Gray{Pix: a.Data, Stride: box.Dx(), Rect: box}, nil
	}
	img := image.NewNRGBA(box)
	for i := range len(a.Data) / 3 {
		copy(img.Pix[4*i:], a.Data[3*i:3*i+3])
		img.Pix[4*i+3] = 255
	}
	return img, nil
}

// A seenImage is the answer for one image.
type seenImage struct {
	Faces   []results.Detection `json:"faces"`
	Reason  string              `json:"reason,omitempty"` // why there is no vector
	Used    int                 `json:"used"`             // vectors
	vectors [][]float64
}

// each calls do with every image of f, on all processors, and returns the first error.
func (f *incoming) each(ctx context.Context, do func(photo *dataset.Photo, to *seenImage) error) ([]seenImage, error) {
	all, failed := make([]seenImage, f.count()), make([]error, f.count())
	parallel.For(f.count(), 1, func(j, _ int) {
		if ctx.Err() != nil {
			return
		}
		all[j].Faces = []results.Detection{}
		photo, name, err := f.photo(ctx, j)
		if err != nil { // it names the image
			failed[j] = err
		} else if err = do(photo, &all[j]); err != nil {
			failed[j] = fmt.Errorf("%s: %w", name, err)
		}
	})
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return all, context.Cause(ctx)
}

// embed answers with the vector of one face of each image; NaN where there is none.
func (s *session) embed(ctx context.Context, f *incoming) (*answer, error) {
	in, err := f.network()
	if err != nil {
		return nil, err
	}
	detect := face.Options{Which: f.Faces}
	if f.Detect != nil {
		detect.Detect = *f.Detect
	}
	if err := detect.Validate(); err != nil {
		return nil, err
	}
	cut := face.Cut{Frame: in.Embedder.Frame(), Embedder: in.Embedder}
	all, err := f.each(ctx, func(photo *dataset.Photo, to *seenImage) (err error) {
		var seen []face.Seen
		if detect.Detect == face.Never {
			seen, err = face.Whole(ctx, photo, cut)
		} else {
			seen, err = face.In(ctx, photo, detect.Which, cut)
		}
		to.take(seen, detect.Which == face.All || detect.Which == face.Every)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s needs files, or arrays that are images", f.Verb)
	}
	none := slices.Repeat([]float64{math.NaN()}, in.Len())
	var rows []float64
	for _, one := range all {
		for _, v := range one.vectors {
			rows = append(rows, v...)
		}
		if one.vectors == nil {
			rows = append(rows, none...)
		}
	}
	return &answer{map[string]any{"images": all}, []npz.Array{npz.Float64("vectors", []int{len(rows) / in.Len(), in.Len()}, rows)}}, nil
}

// network is the input that makes vectors of faces.
func (f *incoming) network() (frontend.Pipeline, error) {
	text := "embedding"
	if f.Network != "" {
		text += ":" + f.Network
	}
	return frontend.Parse(strings.Join(append([]string{text}, f.Words...), " "))
}

// vectorsFrame is the frame of the faces that have the vectors x.
func (f *incoming) vectorsFrame(x *mat.Dense) (dataset.Frame, error) {
	in, err := f.network()
	if d, _ := x.Dims(); err == nil && (f.Image != nil || d != in.Len()) {
		err = fmt.Errorf("samples of %d numbers are no vectors of this network, which have %d", d, in.Len())
	}
	if err != nil {
		return dataset.Frame{}, err
	}
	return in.Embedder.Frame(), nil
}

// take keeps the vector of the first face of seen that can be used, or of every such face. Of every,
// Faces are those with a vector.
func (one *seenImage) take(seen []face.Seen, every bool) {
	one.Reason = face.ErrNoFace.Error()
	for _, s := range seen {
		if s.Face != nil && !(every && s.Reason != nil) {
			one.Faces = append(one.Faces, results.NewDetection(s.Face))
		}
		switch {
		case s.Reason != nil && one.vectors == nil:
			one.Reason = s.Reason.Error()
		case s.Reason == nil && (every || one.vectors == nil):
			one.vectors, one.Reason = append(one.vectors, s.Values), ""
		}
	}
	one.Used = len(one.vectors)
}

// detect answers with the faces of each image, the largest first.
func (s *session) detect(ctx context.Context, f *incoming) (*answer, error) {
	all, err := f.each(ctx, func(photo *dataset.Photo, to *seenImage) error {
		faces, err := face.DefaultSearch.Find(ctx, photo)
		for i := range faces {
			to.Faces = append(to.Faces, results.NewDetection(&faces[i]))
		}
		return err
	})
	return &answer{header: map[string]any{"images": all}}, err
}
