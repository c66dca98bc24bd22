package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"nrdl/classify"
	"nrdl/coding"
	"nrdl/dataset"
	"nrdl/frontend"
	"nrdl/frontend/feature"
	"nrdl/frontend/projection"
	"nrdl/internal/hint"
	"nrdl/method"
)

// A Candidate is a way to see faces with a method that learns from them so.
type Candidate struct {
	Input  frontend.Pipeline `json:"input"`
	Method classify.Method   `json:"-"`

	// Images are those that Input is for, column for column the faces of the set
	// that is divided; nil where they are that set.
	Images *dataset.Images `json:"-"`
}

// A Tried is a Candidate and how it did in the folds of Choose.
type Tried struct {
	Candidate
	Name   string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Wrong  int             `json:"wrong"` // faces named wrongly
	N      int             `json:"n"`     // faces judged
	Err    string          `json:"error,omitempty"`
}

// Rate is the share of the faces judged that t names rightly, 0 of none.
func (t Tried) Rate() float64 {
	if t.N == 0 {
		return 0
	}
	return float64(t.N-t.Wrong) / float64(t.N)
}

// A Choice is what Choose found.
type Choice struct {
	Best  int     `json:"best"` // of Tried; the first of equals
	Tried []Tried `json:"tried"`
}

// Candidates are some for images that are read as images says, from the simplest
// on, so that of equals it is chosen: grey values, directions of gradients and
// what frontend.For says, with and without a projection, by the rule that
// suits it.
func Candidates(images dataset.Frame) []Candidate {
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

// Choose judges all by folds of the training images, each in its turn held out
// and never learnt from, projections included, and chooses the one that names
// fewest wrongly. A candidate that cannot be learnt has its error; it is an
// error if none can.
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
		t := Tried{Candidate: of, Name: of.Method.Name(), Params: params}
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
		c.Tried = append(c.Tried, t)
		if err == nil && (best < 0 || t.Wrong < c.Tried[best].Wrong) {
			best = i
		}
	}
	switch {
	case len(all) == 0:
		return Choice{}, errors.New("choose an input: of none")
	case best < 0:
		err := fmt.Errorf("choose an input: none can be learnt, the first: %s", c.Tried[0].Err)
		return Choice{}, hint.Add(err, "name an input, as faces96; choosing needs at least two images of a person")
	}
	c.Best = best
	return c, nil
}
