package frontend

import (
	"cmp"
	"fmt"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/frontend/feature"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/projection"
)

// A Pipeline lists the stages that turn a face into a sample. It is stored in
// the model, so that training and recognition process faces in the same way.
//
//	eyes → crop → Size → Photometric → Features (of the inner part too) → Projection → unit length
//	eyes → crop → Embedder → Projection → unit length
//
// A Pipeline with only a Size takes the grey pixels in column-major order, the
// field's convention: in MATLAB, reshape a sample to [Height Width]. The zero
// Pipeline stands for samples that are not made from images, such as vectors of
// another program; only a projection may follow.
type Pipeline struct {
	dataset.Frame // how images are read
	// Embedder makes the vectors that Frame.Embedding describes; nil for none, or if it
	// is not at hand.
	Embedder *embedding.Embedder `json:"-"`
	// Measured is the impostor distribution of a network that is not built in; nil if it was not
	// measured. A model file has it.
	Measured    *openset.Impostors `json:"-"`
	Photometric feature.StepList   `json:"photometric,omitempty"` // against light and noise, applied in this order
	Features    feature.Features   `json:"features,omitempty"`    // concatenated; empty: the pixels
	// adds the features of the central part, this share of height and width, resized to Size; 0: none
	Zoom   float64 `json:"zoom,omitempty"`
	Mirror bool    `json:"mirror,omitempty"` // also train on the mirror images of the training faces

	// Projection is fit to the training samples. If Shift is not 0, it is also fit
	// to the training images shifted by so many pixels along both diagonals, so
	// that it becomes insensitive to small shifts.
	Projection projection.Choice `json:"projection,omitzero"`
	Shift      int               `json:"shift,omitempty"`
}

// IsZero reports whether in sets nothing.
func (in Pipeline) IsZero() bool { return in.String() == Pipeline{}.String() }

// Fixed returns the stages of in that need no training: those before the
// projection.
func (in Pipeline) Fixed() Pipeline {
	in.Mirror, in.Projection, in.Shift = false, projection.Choice{}, 0
	if in.Frame.Len() == 0 {
		in.Eyes, in.Crop = dataset.Eyes{}, 0
	}
	return in
}

// SeesImages reports whether samples are made from images: of a known size, or by a
// network.
func (in Pipeline) SeesImages() bool { return in.Frame.Len() != 0 }

// ArePixels reports whether samples are grey values of images, which can be
// displayed.
func (in Pipeline) ArePixels() bool {
	return in.Size != (dataset.Size{}) && len(in.Photometric) == 0 && in.Zoom == 0 && in.Projection.IsZero() && in.onlyPixels()
}

func (in Pipeline) onlyPixels() bool {
	return len(in.Features) == 0 || len(in.Features) == 1 && in.Features[0].Name() == feature.Pixels{}.Name()
}

// Len returns the number of features of a sample before the projection, d; 0 if
// not known.
func (in Pipeline) Len() int {
	if in.Size == (dataset.Size{}) || len(in.Features) == 0 {
		return in.Frame.Len()
	}
	n := in.Features.Len(in.Height, in.Width)
	if in.Zoom != 0 {
		n *= 2
	}
	return n
}

// Grid returns the pixels of the features of a sample; zero if they have none.
func (in Pipeline) Grid() classify.Grid {
	if n := in.Planes(); n > 0 {
		return classify.Grid{Height: in.Height, Width: in.Width, Planes: n}
	}
	return classify.Grid{}
}

// Planes returns the number of images of the Size that make up a sample; 0 if a
// sample does not consist of pixels.
func (in Pipeline) Planes() int {
	switch {
	case in.Size == (dataset.Size{}) || in.Zoom != 0 || !in.Projection.IsZero():
		return 0
	case len(in.Features) == 0:
		return 1
	}
	return in.Features.Planes(in.Height, in.Width)
}

// Validate reports the first stage that is unknown or impossible.
func (in Pipeline) Validate() error {
	if err := in.Frame.Validate(); err != nil {
		return err
	}
	if e := in.Embedder; e != nil && e.Frame().Embedding != in.Embedding {
		return fmt.Errorf("%v, and the network that makes %v", in.Frame, e.Frame())
	}
	if in.Measured != nil {
		if err := suits(in.Measured, in.Embedding); err != nil {
			return fmt.Errorf("the measurement of network %s: %w", in.Embedding.Name, err)
		}
	}
	if err := cmp.Or(in.Projection.Validate(), in.validateCopies()); err != nil {
		return err
	}
	if in.Size == (dataset.Size{}) {
		if len(in.Photometric)+len(in.Features) > 0 || in.Mirror || in.Zoom != 0 || in.Shift != 0 {
			if !in.Embedding.IsZero() {
				return advice.Add(fmt.Errorf("input %v: only a projection may follow a network", in),
					"mirror=off leaves the mirror image out of the vector")
			}
			return fmt.Errorf("input %v without a size: photometric steps, features, mirror and shifted images need images", in)
		}
		return nil
	}
	_, err := in.maker()
	return err
}

// minZoom bounds how far the inner part is enlarged.
const minZoom = 0.2

// validateCopies reports a zoom or a shift that is impossible.
func (in Pipeline) validateCopies() error {
	limit := (min(in.Height, in.Width) - 1) / 4
	switch {
	case in.Zoom != 0 && !(in.Zoom >= minZoom && in.Zoom < 1):
		return advice.Add(fmt.Errorf("zoom = %v is not a share from %v to less than 1", in.Zoom, minZoom),
			"0.8 adds the features of the middle eight tenths of height and width")
	case in.Zoom != 0 && in.Size != (dataset.Size{}) && in.onlyPixels():
		return advice.Add(fmt.Errorf("zoom = %v without features", in.Zoom), "pixels of the inner part are there already; name features, as hog")
	case in.Shift < 0 || in.Shift > dataset.MaxSide/4:
		return fmt.Errorf("shift = %d is not a number of pixels from 0 to %d", in.Shift, dataset.MaxSide/4)
	case in.Shift != 0 && in.Projection.IsZero():
		return advice.Add(fmt.Errorf("shift = %d without a projection", in.Shift), "only a projection is fit on shifted images, as fisher")
	case in.Size != (dataset.Size{}) && in.Shift > limit:
		return advice.Add(fmt.Errorf("shift = %d is too far for images of %v", in.Shift, in.Size), "the largest is shift=%d", limit)
	}
	return nil
}

// String describes the stages, as in "32x32 igo+lbp:cell=5.34 mirror fisher".
func (in Pipeline) String() string {
	words := in.Frame.Words()
	if len(in.Photometric) > 0 {
		words = append(words, in.Photometric.String())
	}
	switch {
	case len(in.Features) > 0:
		words = append(words, in.Features.String())
	case in.Size != (dataset.Size{}):
		words = append(words, "pixels")
	case in.Embedding.IsZero():
		words = append(words, "vectors")
	}
	if in.Zoom != 0 {
		words = append(words, fmt.Sprintf("zoom=%v", in.Zoom))
	}
	if in.Mirror {
		words = append(words, "mirror")
	}
	if !in.Projection.IsZero() {
		words = append(words, in.Projection.String())
	}
	if in.Shift != 0 {
		words = append(words, fmt.Sprintf("shift=%d", in.Shift))
	}
	return strings.Join(words, " ")
}
