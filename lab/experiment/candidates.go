package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/feature"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/projection"
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

// A Candidate is a pipeline with a method.
type Candidate struct {
	Input  frontend.Pipeline `json:"input"`
	Method classify.Method   `json:"-"`

	// Images are the images for Input, with the same columns as the set that is split.
	// If it is nil, they are that set.
	Images *dataset.Images `json:"-"`
}

// A CandidateResult is a Candidate with its result in Choose.
type CandidateResult struct {
	Candidate
	Name   string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Wrong  int             `json:"wrong"`           // number of errors
	N      int             `json:"n"`               // test faces
	Err    string          `json:"error,omitempty"` // why it failed
}

// Rate is the rank-1 rate of t, 0 without faces.
func (t CandidateResult) Rate() float64 {
	if t.N == 0 {
		return 0
	}
	return float64(t.N-t.Wrong) / float64(t.N)
}

// A Choice is the result of Choose: all candidates with their errors, and the best one.
type Choice struct {
	Best    int               `json:"best"`  // index in Results; the first if several are equally good
	Results []CandidateResult `json:"tried"` // what was tried
}

// simplest returns candidates for images with this Frame: grey values, gradient
// orientations (IGO) and frontend.For, with and without a projection, each with a suitable
// rule. The simplest is first, so that it is chosen among equals.
func simplest(images dataset.Frame) []Candidate {
	stopped := method.DefaultRepresentation
	stopped.Coder = coding.NonNegative{Solver: coding.ADMM, Rho: 0.1, Passes: 5}
	stopped.Rule = classify.Residual{}.Name()
	sum := stopped
	sum.Rule = classify.Sum{}.Name()
	preset := frontend.For(images.Size)
	see := func(f feature.Features, mirror bool, p projection.Choice) frontend.Pipeline {
		return frontend.Pipeline{Frame: dataset.Frame{Size: images.Size, Crop: images.Crop}, Features: f, Mirror: mirror, Projection: p}
	}
	none, raw := projection.Choice{}, projection.Choice{Projection: projection.Fisher{Ridge: 1}}
	return []Candidate{
		{Input: see(nil, false, none), Method: sum},
		{Input: see(nil, true, raw), Method: stopped},
		{Input: see(frontend.Lighting.Features, false, none), Method: stopped},
		{Input: see(preset.Features, true, none), Method: sum},
		{Input: see(preset.Features, true, preset.Projection), Method: stopped},
	}
}

// ChoiceFolds is the default number of folds of the training images in Choose.
const ChoiceFolds = 3

// Choose compares all candidates by cross-validation on the training images
// (projections are fit inside the folds too), and chooses the one with the
// fewest errors. A candidate that cannot be trained gets its error; it is an
// error if none can be trained.
func Choose(ctx context.Context, train *dataset.Images, all []Candidate, f Folds) (Choice, error) {
	var c Choice
	best := -1
	for i, of := range all {
		params, err := method.Marshal(of.Method)
		if err != nil {
			return Choice{}, fmt.Errorf("choose an input: %w", err)
		}
		images := train
		if of.Images != nil {
			images, of.Images = of.Images, nil
		}
		t := CandidateResult{Candidate: of, Name: of.Method.Name(), Params: params}
		f.Input = of.Input
		r, err := Validate(ctx, images, of.Method, f, Observer{})
		if cause := context.Cause(ctx); cause != nil {
			return Choice{}, fmt.Errorf("choose an input: %w", cause)
		}
		if err != nil {
			t.Err = err.Error()
		}
		for _, run := range r.Runs {
			t.Wrong, t.N = t.Wrong+run.Wrong, t.N+run.N
		}
		c.Results = append(c.Results, t)
		if err == nil && (best < 0 || t.Wrong < c.Results[best].Wrong) {
			best = i
		}
	}
	switch {
	case len(all) == 0:
		return Choice{}, errors.New("choose an input: of none")
	case best < 0:
		err := fmt.Errorf("choose an input: none can be learned, the first: %s", c.Results[0].Err)
		return Choice{}, advice.Add(err, "name an input, as faces96; choosing needs at least two images of a person")
	}
	c.Best = best
	return c, nil
}
