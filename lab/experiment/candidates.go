package experiment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/dataset/bundled"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/method"
)

// A Reader reads the images of a set again: with another frame or, if embed is true, as
// vectors of the built-in network.
type Reader func(ctx context.Context, frame dataset.Frame, embed bool) (*dataset.Images, error)

// Candidates returns pipelines with methods for images, from which Choose or Evaluate
// chooses one. All candidates use the method rule or, if it is nil, one that suits their
// pipeline. Unless sized is set, some candidates resize the images of a matrix file to the
// height of frontend.Faces96 with the same proportions. For faces in photographs, one
// candidate uses vectors of the built-in network. Read reads the images again.
func Candidates(ctx context.Context, images *dataset.Images, rule classify.Method, sized bool, read Reader) ([]Candidate, error) {
	if images == nil || images.Len() == 0 {
		return nil, errors.New("choose an input: no images")
	}
	if !images.AreImages() {
		return nil, advice.Add(fmt.Errorf("choosing an input needs images, and the samples are %v", images.Frame),
			"leave out %v; %v may follow any samples", advice.Input, advice.Projection.To("fisher"))
	}
	all := simplest(images.Frame)
	if size := proportional(images.Frame.Size); images.Matrix && !sized && size != images.Frame.Size {
		larger, err := read(ctx, dataset.Frame{Size: size, Crop: images.Frame.Crop}, false)
		if err != nil {
			return nil, err
		}
		for _, c := range simplest(larger.Frame) {
			if len(c.Input.Features) > 1 { // grey values gain nothing by it
				c.Images = larger
				all = append(all, c)
			}
		}
	}
	if !images.Frame.Eyes.IsZero() && !images.Matrix {
		vectors, err := read(ctx, dataset.Frame{}, true)
		if err != nil {
			return nil, err
		}
		all = append(all, Candidate{Input: frontend.Embedding, Method: method.Mean{}, Images: vectors})
	}
	if rule != nil {
		for i := range all {
			all[i].Method = rule
		}
	}
	seen := map[string]bool{} // with one method, or at a small size, some are the same
	return slices.DeleteFunc(all, func(c Candidate) bool {
		words := c.Input.String() + ", " + method.Words(c.Method)
		again := seen[words]
		seen[words] = true
		return again
	}), nil
}

// proportional returns size scaled to the height of frontend.Faces96.
func proportional(size dataset.Size) dataset.Size {
	high := frontend.Faces96.Frame.Height
	wide := math.Round(float64(high) * float64(size.Width) / float64(size.Height))
	return dataset.Size{Height: high, Width: int(min(max(wide, 1), dataset.MaxSide))}
}

// Only removes all data sets from p but those with these names; case does not matter. It is an
// error if p has none of a name.
func (p *Plan) Only(names []string) error {
	var all []string
	for i := range p.data {
		all = append(all, p.data[i].name)
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(s string) bool { return strings.EqualFold(s, name) }) {
			return advice.Unknown("data set of plan "+p.Name, name, all)
		}
	}
	p.data = slices.DeleteFunc(p.data, func(d plannedData) bool {
		return !slices.ContainsFunc(names, func(s string) bool { return strings.EqualFold(s, d.name) })
	})
	return nil
}

// WithoutMissing removes the data sets that d does not find from p, and returns a sentence
// about each for the user. If d finds none, p stays as it is with one sentence, and Run returns
// the error unless all records are there.
func (p *Plan) WithoutMissing(d *Databases) (missing []string) {
	missed := func(data plannedData) bool {
		if data.synthetic != nil || bundled.Is(data.path) {
			return false
		}
		_, err := os.Stat(d.Find(data.path))
		return errors.Is(err, fs.ErrNotExist)
	}
	for _, data := range p.data {
		if missed(data) {
			missing = append(missing, fmt.Sprintf("data set %s is not there (%s): its runs are left out", data.name, data.path))
		}
	}
	if len(missing) == len(p.data) {
		return []string{"none of the data sets of the plan is there: its runs cannot be made yet"}
	}
	p.data = slices.DeleteFunc(p.data, missed)
	return missing
}
