package nrdl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"nrdl/classify"
	"nrdl/dataset"
	"nrdl/experiment"
	"nrdl/frontend"
	"nrdl/frontend/embedding"
	"nrdl/internal/hint"
	"nrdl/method"
)

// Candidates returns pipelines with methods, from which experiment.Choose and
// experiment.Evaluate choose one for images. If columns is not nil, images are
// these columns of the data set at path. All candidates use the method by; if
// it is nil, each uses one that suits its pipeline. For images of another size
// in a matrix file, if o.Frame sets no size, some candidates resize them to the
// height of frontend.Faces96 and keep the proportions. For faces found in photographs, one
// has the vectors of the network that is built in.
func Candidates(ctx context.Context, path string, images *dataset.Images, columns []int, by classify.Method, o ReadOptions) ([]experiment.Candidate, error) {
	if images == nil || images.Len() == 0 {
		return nil, errors.New("choose an input: no images")
	}
	if !images.AreImages() {
		return nil, hint.Add(fmt.Errorf("--input auto needs images, and the samples are %v", images.Frame),
			"leave out --input; --project fisher may follow any samples")
	}
	all := experiment.Candidates(images.Frame)
	if size := proportional(images.Frame.Size); images.Matrix && o.Frame.Size == (dataset.Size{}) && size != images.Frame.Size {
		o.Frame = dataset.Frame{Size: size, Crop: images.Frame.Crop}
		larger, err := Read(ctx, path, o)
		if err != nil {
			return nil, err
		}
		if columns != nil {
			larger = larger.Select(columns)
		}
		for _, c := range experiment.Candidates(larger.Frame) {
			if len(c.Input.Features) > 1 { // grey values gain nothing by it
				c.Images = larger
				all = append(all, c)
			}
		}
	}
	if !images.Frame.Eyes.IsZero() && !images.Matrix {
		o.Frame, o.Embedder = dataset.Frame{}, embedding.Default()
		vectors, err := Read(ctx, path, o)
		if err != nil {
			return nil, err
		}
		if columns != nil {
			vectors = vectors.Select(columns)
		}
		all = append(all, experiment.Candidate{Input: frontend.Embedding, Method: embeddingMethod, Images: vectors})
	}
	if by != nil {
		for i := range all {
			all[i].Method = by
		}
	}
	seen := map[string]bool{} // with one method, or at a small size, some are the same
	return slices.DeleteFunc(all, func(c experiment.Candidate) bool {
		words := c.Input.String() + ", " + method.Words(c.Method)
		again := seen[words]
		seen[words] = true
		return again
	}), nil
}

// proportional returns the size as high as that of frontend.Faces96 with the
// proportions of size.
func proportional(size dataset.Size) dataset.Size {
	high := defaultFrame.Height
	wide := math.Round(float64(high) * float64(size.Width) / float64(size.Height))
	return dataset.Size{Height: high, Width: int(min(max(wide, 1), dataset.MaxSide))}
}
