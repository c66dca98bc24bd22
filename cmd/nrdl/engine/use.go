package engine

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/kit/npz"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

// samples returns the model of f with a classifier over all, and the samples x.
func (s *session) samples(f *incoming) (*gallery.Gallery, *dataset.Images, error) {
	if err := f.only("x"); err != nil {
		return nil, nil, err
	}
	g, err := s.model(f)
	if err == nil {
		g, err = g.Whole()
	}
	if err != nil {
		return nil, nil, err
	}
	images, err := f.images("x", g, s.numbers)
	if err == nil && len(images.X.RawMatrix().Data) <= atOnce/8 {
		s.numbers = images.X.RawMatrix().Data
	}
	return g, images, err
}

// images returns an array of samples for g; it overwrites buffer where that has room for them.
func (f *incoming) images(name string, g *gallery.Gallery, buffer []float64) (*dataset.Images, error) {
	x, err := f.pixels(name, g.Frame.Grid(), buffer)
	if err != nil {
		return nil, err
	}
	images := dataset.Unlabelled(x, g.Frame)
	images.Matrix = true
	if d, _, _ := g.Dims(); g.Pipeline.IsZero() && x.RawMatrix().Rows != d {
		return nil, fmt.Errorf("samples of %d numbers, the model takes %d", x.RawMatrix().Rows, d)
	}
	return images, lin.Finite("sample", x)
}

// predict answers with the class of each sample.
func (s *session) predict(ctx context.Context, f *incoming) (*answer, error) {
	g, images, err := s.samples(f)
	if err != nil {
		return nil, err
	}
	best, err := g.Predict(ctx, images)
	if err != nil {
		return nil, err
	}
	return &answer{arrays: []npz.Array{indices("class", best)}}, nil
}

func indices(name string, all []int) npz.Array {
	list := make([]int64, len(all))
	for i, v := range all {
		list[i] = int64(v)
	}
	return npz.Int64(name, []int{len(list)}, list)
}

// decisionFunction answers with the score of each sample for each class.
func (s *session) decisionFunction(ctx context.Context, f *incoming) (*answer, error) {
	return s.ofSamples(f, "scores", func(g *gallery.Gallery, images *dataset.Images) (*mat.Dense, error) { return g.Scores(ctx, images) })
}

// transform answers with the code of each sample.
func (s *session) transform(ctx context.Context, f *incoming) (*answer, error) {
	return s.ofSamples(f, "codes", func(g *gallery.Gallery, images *dataset.Images) (*mat.Dense, error) { return g.Transform(ctx, images) })
}

func (s *session) ofSamples(f *incoming, name string, of func(*gallery.Gallery, *dataset.Images) (*mat.Dense, error)) (*answer, error) {
	g, images, err := s.samples(f)
	if err != nil {
		return nil, err
	}
	m, err := of(g, images)
	if err != nil {
		return nil, err
	}
	return &answer{arrays: []npz.Array{asRows(name, m)}}, nil
}

// An openSet says which threshold a model gets; nil is the default, or what the model has.
type openSet struct {
	FPIR  *float64 `json:"fpir"`
	Prior *float64 `json:"prior"`
	Folds *int     `json:"folds"`
}

// calibrate answers with the model with another threshold.
func (s *session) calibrate(ctx context.Context, f *incoming) (*answer, error) {
	if err := f.only("strangers"); err != nil {
		return nil, err
	}
	g, err := s.model(f)
	if err != nil {
		return nil, err
	}
	how := openset.Default
	if has := g.Options(); has != nil {
		how = *has
	}
	if f.FPIR != nil {
		how.FPIR = *f.FPIR
	}
	if f.Prior != nil {
		how.Prior = *f.Prior
	}
	if f.Folds != nil {
		how.Folds = *f.Folds
	}
	var strangers *dataset.Images
	if f.arrays.Index("strangers") >= 0 {
		if strangers, err = f.images("strangers", g, nil); err != nil {
			return nil, err
		}
	}
	if g, err = g.Calibrate(ctx, how, strangers, nil); err != nil {
		return nil, err
	}
	a, err := s.made(g)
	if err != nil {
		return nil, err
	}
	a.promises(g)
	return a, nil
}

// promises adds the threshold of g, and what it promises.
func (a *answer) promises(g *gallery.Gallery) {
	a.header["threshold"], a.header["smallest_fpir"] = g.Calibration.Threshold, g.Calibration.SmallestFPIR()
	if promise := g.Promise(); promise != "" {
		a.header["promise"] = promise
	}
	if useless := g.Usable(); useless != nil {
		a.header["warning"] = useless.Error()
	}
}

var errNoThreshold = advice.Add(errors.New("the model has no threshold"), "fit it with keep, then %v", advice.Calibrate)

// openSet answers with the decision for each sample.
func (s *session) openSet(ctx context.Context, f *incoming) (*answer, error) {
	g, images, err := s.samples(f)
	if err != nil {
		return nil, err
	}
	if g.Calibration == nil {
		return nil, errNoThreshold
	}
	if err := f.mayName(g); err != nil {
		return nil, err
	}
	faces, err := g.Identify(ctx, images)
	if err != nil {
		return nil, err
	}
	n := len(faces)
	best, known, margin, probability := make([]int, n), make([]uint8, n), make([]float64, n), make([]float64, n)
	scores := mat.NewDense(n, g.Len(), nil)
	for j := range faces {
		r := &faces[j]
		best[j], margin[j], probability[j] = r.Class, r.DecisionScore, r.Probability
		if r.Known && r.Class >= 0 {
			known[j] = 1
		}
		if r.Scores != nil {
			scores.SetRow(j, r.Scores)
		}
	}
	return &answer{map[string]any{"threshold": g.Calibration.Threshold}, []npz.Array{
		indices("class", best), npz.Uint8("known", []int{n}, known),
		npz.Float64("margin", []int{n}, margin), npz.Float64("probability", []int{n}, probability), plain("scores", scores),
	}}, nil
}

// mayName returns an error if the people of g are too alike for a threshold, unless f forces names.
func (f *incoming) mayName(g *gallery.Gallery) error {
	if err := g.Usable(); err != nil && g.Calibration.TooAlike() && !f.Force {
		return advice.Add(err, "samples of others may help: strangers of %v; force names samples all the same", advice.Calibrate)
	}
	return nil
}
