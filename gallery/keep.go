package gallery

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/dataset"
)

// Keep returns the images that a gallery stores: those that show a face, with
// their values rounded to single precision, as in a model file. It returns
// images itself if nothing changes. It is an error if no image shows a face.
func Keep(images *dataset.Images) (*dataset.Images, error) {
	if err := dataset.CheckNames(images.Classes); err != nil {
		return nil, err
	}
	kept := images.Faces()
	if kept == nil {
		return nil, errors.New("every training image is black")
	}
	if kept.AreFaces() {
		kept = inSinglePrecision(kept)
	}
	return kept, nil
}

// inSinglePrecision returns s with its values rounded to what a model file
// keeps. It is s itself where they are that already.
func inSinglePrecision(s *dataset.Images) *dataset.Images {
	d, _ := s.X.Dims()
	var x *mat.Dense
	for i := range d {
		for j, v := range s.X.RawRowView(i) {
			r := float64(float32(v))
			if r == v || math.IsInf(r, 0) {
				continue
			}
			if x == nil {
				x = mat.DenseCopyOf(s.X)
			}
			x.Set(i, j, r)
		}
	}
	if x == nil {
		return s
	}
	t := *s
	t.X = x
	return &t
}
