package group

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/internal/parallel"
)

// A Face is a face in a photograph.
type Face struct {
	Photograph int             // which
	Box        image.Rectangle // in pixels of the upright photograph
	Thumb      *image.RGBA     // the aligned face, for people to look at
	Number     int             // among the faces of the photograph, from 1
	Largest    bool            // of the photograph
	Cutout     []byte          // JPEG in which this face is the largest; nil for the largest, and if there is none
}

// Photographs are photographs with their faces in groups.
type Photographs struct {
	Paths  []string
	Errors []error // of each photograph: why it has no faces here; nil if it has
	Broken []bool  // of each photograph: it could not be read
	Faces  []Face  // of all photographs, in their order, the largest of each first
	Groups []Group // of the indices of Faces, as Faces returns them
}

// InPhotographs finds the faces in the image files at paths and groups them by the vectors
// of the network of in. Detector finds the faces; nil for face.DefaultSearch. A file that
// cannot be read and a photograph without a usable face have an error in the result.
// Progress is called after each file, never by two goroutines at once; may be nil.
func InPhotographs(ctx context.Context, paths []string, in frontend.Pipeline, detector *face.Search,
	o Options, progress func(done, total int),
) (*Photographs, error) {
	if in.Embedder == nil {
		return nil, advice.Add(fmt.Errorf("group: input %v has no network", in), "leave out %v, or name a network: %v",
			advice.Input, advice.Input.To("embedding:FILE.onnx"))
	}
	in.Frame = in.Embedder.Frame() // a preset says nothing of the pupils
	l := in.Law()
	if l == nil {
		return nil, advice.Add(fmt.Errorf("group: how similar network %s finds different people was not measured", in.Embedding.Name),
			"measure it: %v; or leave out %v: the built-in network is measured", advice.MeasureNetwork, advice.Input)
	}
	p := &Photographs{Paths: paths, Errors: make([]error, len(paths)), Broken: make([]bool, len(paths))}
	seen := make([][]looked, len(paths))
	parallel.Each(ctx, len(paths), progress, func(i int) {
		seen[i], p.Broken[i], p.Errors[i] = look(ctx, paths[i], face.Cut{Frame: in.Frame, Embedder: in.Embedder, Search: detector, Thumbs: true})
	})
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	var of []int
	var vectors [][]float64
	for i, faces := range seen {
		for _, f := range faces {
			f.Photograph = i
			p.Faces = append(p.Faces, f.Face)
			of, vectors = append(of, i), append(vectors, f.values)
		}
	}
	if len(vectors) == 0 {
		return p, nil
	}
	x := mat.NewDense(len(vectors[0]), len(vectors), nil)
	for j, v := range vectors {
		x.SetCol(j, v)
	}
	var err error
	p.Groups, err = Faces(ctx, x, of, l, o)
	return p, err
}

// A looked is a usable face in a photograph.
type looked struct {
	Face
	values []float64
}

// look finds the usable faces in the image file at path, which is broken if it cannot be read.
func look(ctx context.Context, path string, cut face.Cut) (all []looked, broken bool, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, false, err
	}
	data, ctx, done, err := dataset.Load(ctx, path, 0)
	if err != nil {
		return nil, true, err
	}
	defer done()
	photo, err := dataset.DecodeColour(ctx, data, path)
	if err != nil {
		return nil, true, err
	}
	seen, err := face.In(ctx, photo, face.All, cut)
	if err != nil {
		return nil, false, err
	}
	why := fmt.Errorf("%s: %w", path, face.ErrNoFace)
	for i, s := range seen {
		if s.Reason != nil {
			why = fmt.Errorf("%s: %w", path, s.Reason)
			continue
		}
		f := Face{Box: s.Face.Box, Thumb: s.Thumb, Number: i + 1, Largest: i == 0}
		if !f.Largest {
			if f.Cutout, err = cutout(ctx, photo, s.Face.Pupils); err != nil {
				return nil, false, err
			}
		}
		all = append(all, looked{f, s.Values})
	}
	if len(all) == 0 {
		return nil, false, why
	}
	return all, false, nil
}

// The share of the width of a cutout between the pupils: the first with which the face is
// found again as the largest. The height is that of photographs of one face.
var cutoutDistances = []float64{0.2, 0.27, 0.35}

const (
	cutoutHeight  = 0.45 // of the pupils
	largestCutout = 1024 // side, in pixels
	cutoutQuality = 95   // of JPEG
)

// cutout returns the part of photo about the face with these pupils as a JPEG in which it
// is the largest face; nil if there is none.
func cutout(ctx context.Context, photo *dataset.Photo, pupils [2]face.Point) ([]byte, error) {
	apart := math.Hypot(pupils[1].X-pupils[0].X, pupils[1].Y-pupils[0].Y)
	for _, distance := range cutoutDistances {
		side := int(min(largestCutout, math.Ceil(apart/distance)))
		in := dataset.Frame{Size: dataset.Size{Height: side, Width: side}, Eyes: dataset.Eyes{Distance: distance, Height: cutoutHeight}}
		var b bytes.Buffer
		if err := jpeg.Encode(&b, face.Picture(photo, pupils, in), &jpeg.Options{Quality: cutoutQuality}); err != nil {
			return nil, err
		}
		again, err := dataset.DecodeColour(ctx, b.Bytes(), "cutout")
		if err != nil {
			return nil, err
		}
		found := face.DefaultFinder.Find(again.Grey)
		if len(found) > 0 && face.DefaultLimits.Refusal(found[0]) == nil && central(found[0], float64(side), distance) {
			return b.Bytes(), nil
		}
	}
	return nil, nil
}

// central reports whether f, in a cutout of this side, is the face that was cut out.
func central(f face.Face, side, distance float64) bool {
	const off = 0.3 // of the pupil distance
	for i, x := range []float64{(1 - distance) / 2, (1 + distance) / 2} {
		if math.Hypot(f.Pupils[i].X-x*side, f.Pupils[i].Y-cutoutHeight*side) > off*distance*side {
			return false
		}
	}
	return true
}
