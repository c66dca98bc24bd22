package frontend

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/projection"
)

// ForImages returns in, with its unset eyes, crop, size and embedding taken from f, the frame
// with which images were read.
func (in Pipeline) ForImages(f dataset.Frame) Pipeline {
	switch {
	case in.Size == (dataset.Size{}) && in.Embedding.IsZero(), in.Embedding == f.Embedding && !f.Embedding.IsZero():
		in.Frame = f
	default:
		if in.Eyes.IsZero() {
			in.Eyes = f.Eyes
		}
		if in.Crop == 0 {
			in.Crop = f.Crop
		}
	}
	if in.Embedder == nil && !in.Embedding.IsZero() {
		in.Embedder, _ = embedding.Restore(in.Frame, nil, nil) // nil where it is not built in
	}
	return in
}

var errNoImages = errors.New("there are no images")

// Samples returns the samples of images before the projection. If in takes the
// pixels as they are, the result shares memory with images. It is an error,
// before any work, if in cannot make samples of images.
func (in Pipeline) Samples(images *dataset.Images) (*classify.Samples, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	if images == nil {
		return nil, errNoImages
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
			return nil, advice.Add(err, "bring the images to %v when they are read", in.Frame)
		}
		return nil, err
	}
	return in.maker()
}

// A Fitted pipeline makes samples of images. Its projection, if any, was fit to
// the training images. It is immutable and safe for concurrent use.
type Fitted struct {
	Pipeline
	Basis *projection.Fitted // nil if Pipeline has no projection
}

// Validate reports a projection that was not fit or does not match the
// pipeline.
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

// Features returns the number of features of a sample; 0 if not known.
func (f *Fitted) Features() int {
	if f.Basis != nil {
		_, p := f.Basis.Dims()
		return p
	}
	return f.Len()
}

// Takes returns the number of features of a sample before the projection; 0 if
// not known.
func (f *Fitted) Takes() int {
	if f.Basis != nil {
		d, _ := f.Basis.Dims()
		return d
	}
	return f.Len()
}

// Project applies the projection to x, d×n samples in any scale. Without a
// projection it returns x itself.
func (f *Fitted) Project(x *mat.Dense) *mat.Dense {
	if f.Basis == nil {
		return x
	}
	return f.Basis.Apply(classify.Unit(x))
}

// Each calls use with the samples of images in batches: x has those of the columns
// lo ≤ j < hi. If f has no stages before its projection, images may also be vectors of
// the same length. Images that do not suit f are an error before any work. The memory
// does not grow with the number of images.
func (f *Fitted) Each(images *dataset.Images, use func(lo, hi int, x *mat.Dense) error) error {
	if images == nil || images.X == nil {
		return errNoImages
	}
	_, n := images.X.Dims()
	var makes *maker
	switch {
	case f.Size == (dataset.Size{}) && f.Embedding.IsZero() && images.AreImages():
		err := fmt.Errorf("the samples are images of %v, and the model was trained on vectors: in which order these have pixels nothing says",
			images.Frame.Size)
		return advice.Add(err, "give vectors, in the order of those that the model was trained on, or train it on images")
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

// Suits returns nil if in can make samples of images, or else an error with the reason.
func (in Pipeline) Suits(images *dataset.Images) error {
	needs := in.Mirror || in.Shift != 0 || in.Zoom != 0 || len(in.Photometric)+len(in.Features) > 0
	if !images.AreImages() && needs {
		return advice.Add(fmt.Errorf("the samples are vectors, and %v needs images of a known size", in),
			"only %v may follow vectors; a file of images has height and width", advice.Projection)
	}
	return in.Validate()
}
