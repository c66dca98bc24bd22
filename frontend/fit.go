package frontend

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl/classify"
	"nrdl/dataset"
	"nrdl/frontend/projection"
	"nrdl/internal/hint"
	"nrdl/internal/lin"
)

// ForImages returns in for images that were read so: with their eyes and crop
// where in has none and, where in has no size, with their size.
func (in Pipeline) ForImages(f dataset.Frame) Pipeline {
	if in.Eyes.IsZero() {
		in.Eyes = f.Eyes
	}
	if in.Crop == 0 {
		in.Crop = f.Crop
	}
	if in.Size == (dataset.Size{}) {
		in.Frame = f
	}
	return in
}

// Samples returns the samples that in makes of images, without the projection,
// which Fit fits. Where in takes the pixels as they are, the result shares them.
// Images that in cannot make samples of are an error, before any work.
func (in Pipeline) Samples(images *dataset.Images) (*classify.Samples, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	s := images.Samples
	s.Grid = in.Grid()
	make, err := in.makerFor(images)
	if err != nil || make == nil {
		return &s, err
	}
	s.X = make.all(s.X, images.Scale())
	return &s, nil
}

// makerFor returns what makes samples of images; nil where they are samples as
// they are.
func (in Pipeline) makerFor(images *dataset.Images) (*maker, error) {
	asTheyAre := in.Fixed().ArePixels() || in.Size == (dataset.Size{})
	switch {
	case asTheyAre && images.Frame.Same(in.Frame):
		return nil, nil
	case !images.Frame.Same(in.Frame):
		err := fmt.Errorf("the images are %v: %v cannot be made of them", images.Frame, in.Fixed())
		if images.AreImages() && in.Size != (dataset.Size{}) {
			return nil, hint.Add(err, "bring the images to %v when they are read", in.Frame)
		}
		return nil, err
	}
	return in.maker()
}

// A Fitted pipeline makes samples of images: its projection, if it has one, was
// fit to the training images. It is immutable and safe for concurrent use.
type Fitted struct {
	Pipeline
	Basis *projection.Fitted // nil where Pipeline has no projection
}

// Fit fits in to the training images and returns, with the fitted pipeline, the
// samples that a method learns from: those of images and, where in says so, of
// their mirror images, which follow the images of their person and have "(mirror
// image)" after their ID.
func (in Pipeline) Fit(ctx context.Context, images *dataset.Images) (Fitted, *classify.Samples, error) {
	t, of, err := in.Training(images)
	if err != nil {
		return Fitted{}, nil, err
	}
	return in.FitTo(ctx, t, of)
}

// Training returns the samples that in makes of the training images and their
// copies, before they are projected, and those that the projection is fit to,
// which may be the same.
func (in Pipeline) Training(images *dataset.Images) (samples, of *classify.Samples, err error) {
	if in.Mirror || in.Shift != 0 {
		if !images.AreImages() {
			return nil, nil, fmt.Errorf("there are no mirror or shifted images of %v", images.Frame)
		}
		if _, err := in.makerFor(images); err != nil { // before any work
			return nil, nil, err
		}
	}
	if in.Mirror {
		images = withMirrorImages(images)
	}
	if samples, err = in.Samples(images); err != nil || in.Shift == 0 {
		return samples, samples, err
	}
	of, err = in.Samples(withShifted(images, in.Shift))
	return samples, of, err
}

// FitTo returns in with its projection fit to those of the samples of that are
// not zero, and samples as it projects them.
func (in Pipeline) FitTo(ctx context.Context, samples, of *classify.Samples) (Fitted, *classify.Samples, error) {
	if in.Projection.IsZero() {
		return Fitted{Pipeline: in}, samples, nil
	}
	switch seen := classify.NonZero(of.X); len(seen) {
	case of.Len():
	case 0:
		return Fitted{}, nil, errors.New("every training image is black")
	default:
		of = of.Select(seen)
	}
	basis, err := in.Projection.Fit(ctx, classify.Unit(of.X), of.Groups)
	if err != nil {
		return Fitted{}, nil, err
	}
	if v := lin.MaxAbs(basis.P); !(v <= classify.DivergenceBound) {
		err := fmt.Errorf("the projection %v holds %.3g: the training samples hardly vary", in.Projection, v)
		return Fitted{}, nil, hint.Add(err, "give more and other images of each person, or take a larger ridge")
	}
	t := *samples
	t.X = basis.Apply(classify.Unit(t.X))
	t.Grid, t.Projected = classify.Grid{}, in.Projection.String()
	return Fitted{in, basis}, &t, nil
}

// Validate reports a projection that was not fit, or does not suit the pipeline.
func (f *Fitted) Validate() error {
	if err := f.Pipeline.Validate(); err != nil {
		return err
	}
	switch asked := !f.Projection.IsZero(); {
	case asked && f.Basis == nil:
		return fmt.Errorf("a pipeline of %v, whose projection was not fit", f.Pipeline)
	case !asked && f.Basis != nil:
		return fmt.Errorf("a pipeline of %v, and a projection that was fit", f.Pipeline)
	case f.Basis == nil:
		return nil
	}
	if err := f.Basis.Validate(); err != nil {
		return err
	}
	from, _ := f.Basis.Dims()
	if made := f.Len(); made != 0 && made != from {
		return fmt.Errorf("a pipeline of %v makes %d features, its projection takes %d", f.Pipeline, made, from)
	}
	return nil
}

// Features returns the number of features of a sample; 0 where it is not known.
func (f *Fitted) Features() int {
	if f.Basis != nil {
		_, p := f.Basis.Dims()
		return p
	}
	return f.Len()
}

// Takes returns the number of features of a sample before it is projected; 0
// where it is not known.
func (f *Fitted) Takes() int {
	if f.Basis != nil {
		d, _ := f.Basis.Dims()
		return d
	}
	return f.Len()
}

// Project brings samples, d×n in any scale, into the space of the projection;
// without one it returns x itself.
func (f *Fitted) Project(x *mat.Dense) *mat.Dense {
	if f.Basis == nil {
		return x
	}
	return f.Basis.Apply(classify.Unit(x))
}

// Each hands the samples of images to use, some at a time: those of the columns
// lo ≤ j < hi. Images may also be vectors as long as the images that f takes, and
// the other way round, where f takes the pixels as they are. Anything else is an
// error, before any work. What it holds at a time does not grow with the number of
// images.
func (f *Fitted) Each(images *dataset.Images, use func(lo, hi int, x *mat.Dense) error) error {
	d, n := images.X.Dims()
	var makes *maker
	switch {
	case f.Size == (dataset.Size{}) && images.AreImages() && (f.Takes() == 0 || f.Takes() == d):
		// Vectors of the length of those images.
	case !images.AreImages() && f.Fixed().ArePixels():
		// Whether they are vectors or the pixels of images nothing says.
	default:
		var err error
		if makes, err = f.makerFor(images); err != nil {
			return err
		}
	}
	for lo := 0; lo < n; lo += classify.Batch {
		hi := min(n, lo+classify.Batch)
		x := lin.Cols(images.X, lo, hi)
		if makes != nil {
			x = makes.all(x, images.Scale())
		}
		if want := f.Takes(); want != 0 && x.RawMatrix().Rows != want {
			return fmt.Errorf("a sample has %d features, the model was trained on %d (%v)", x.RawMatrix().Rows, want, f.Pipeline)
		}
		if err := use(lo, hi, f.Project(x)); err != nil {
			return err
		}
	}
	return nil
}

// Suits reports why in cannot make samples of images.
func (in Pipeline) Suits(images *dataset.Images) error {
	needs := in.Mirror || in.Shift != 0 || in.Zoom != 0 || len(in.Photometric)+len(in.Features) > 0
	if !images.AreImages() && needs {
		return hint.Add(fmt.Errorf("the samples are vectors, and %v needs images of a known size", in),
			"only --project may follow vectors; a file of images has height and width")
	}
	return in.Validate()
}
