package output

import (
	"context"
	"errors"
	"image"
	"math"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/results"
)

// Recorded is the result of which o is the JSON form, as far as o has it: of the people only the
// most likely ones, and no pictures. s says what the probabilities are called.
func Recorded(o results.Object, s *gallery.Settings) faces.Result {
	r := faces.Result{Photo: faces.Photo{Name: o.File}, Smaller: o.Smaller}
	if o.Size != nil {
		r.Size = image.Pt(o.Size.Width, o.Size.Height)
	}
	for _, f := range o.Faces {
		one := faces.Face{
			Known: f.Known, Maybe: f.Maybe, LostName: f.Taken, Unborn: f.Unborn, Rival: f.Rival,
			TrainedID: f.Trained, Margin: number(f.Margin), Probability: number(f.Probability),
		}
		for _, c := range f.Top {
			one.Ranking = append(one.Ranking, faces.Candidate{Name: c.Name, Score: c.Score})
		}
		if f.Name != nil {
			one.Name, one.Confidence = *f.Name, s.Confidence(one.Probability)
		}
		if b := f.Box; b != nil {
			one.Box = image.Rect(b.X, b.Y, b.X+b.Width, b.Y+b.Height)
		}
		if f.Pupils != nil {
			one.Detection = &face.Face{Box: one.Box, Pupils: *f.Pupils, Covered: f.Covered}
			if f.Quality != nil {
				one.Detection.Quality = *f.Quality
			}
		}
		switch {
		case f.Refused != "":
			one.Rejection = errors.New(f.Refused)
		case len(one.Ranking) == 0 || one.Known && one.Name == "":
			one.Rejection = errors.New("the results do not say who is likely")
		}
		r.Faces = append(r.Faces, one)
	}
	return r
}

func number(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// AddRecorded adds a result that Recorded has returned, with pictures from the photograph at path.
func (p *Page) AddRecorded(ctx context.Context, r faces.Result, path string) error {
	r.Photo.Name = path
	if len(r.Faces) == 0 {
		return p.Add(r, nil)
	}
	data, ctx, done, err := dataset.Load(ctx, path, 0)
	if err != nil {
		return p.Add(r, err)
	}
	defer done()
	photo, err := dataset.DecodeColour(ctx, data, path)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return p.Add(r, err)
	}
	for i := range r.Faces {
		r.Faces[i].Thumb = face.ThumbOf(photo, r.Faces[i].Detection)
	}
	return p.Add(r, nil)
}
