package frontend

import (
	"fmt"
	"strings"

	"nrdl/classify"
	"nrdl/dataset"
	"nrdl/frontend/feature"
	"nrdl/frontend/projection"
	"nrdl/internal/hint"
)

// A Pipeline says how a face becomes a sample, stage by stage. It is kept with
// the model, so that training and recognition see faces the same way.
//
//	eyes → crop → Size → Photometric → Features (of the inner part too) → Projection → unit length
//
// A Pipeline of a Size alone takes the grey pixels in column-major order, the
// field's convention: a sample reshapes to [Height Width] in MATLAB. The zero
// Pipeline stands for samples that are not made from images, as the vectors of
// another program; only a projection may follow those.
type Pipeline struct {
	dataset.Frame                  // how images are read
	Photometric   feature.StepList `json:"photometric,omitempty"` // against light and noise, one after the other
	Features      feature.Features `json:"features,omitempty"`    // side by side; none are the pixels
	Zoom          float64          `json:"zoom,omitempty"`        // share of height and width, about the centre, whose features, brought to Size, stand beside those of the whole; 0 is none
	Mirror        bool             `json:"mirror,omitempty"`      // the mirror images of the training faces are learnt from too

	// Projection is fit on the training samples and, where Shift is not 0, on
	// those of the images moved by so many pixels along both diagonals too, so
	// that it learns how little where a face lies says of whose it is.
	Projection projection.Choice `json:"projection,omitzero"`
	Shift      int               `json:"shift,omitempty"`
}

// IsZero reports whether in says nothing.
func (in Pipeline) IsZero() bool { return in.String() == Pipeline{}.String() }

// Fixed returns the part of in that needs no training: how an image becomes a
// sample before it is projected.
func (in Pipeline) Fixed() Pipeline {
	in.Mirror, in.Projection, in.Shift = false, projection.Choice{}, 0
	if in.Size == (dataset.Size{}) {
		in.Eyes, in.Crop = dataset.Eyes{}, 0
	}
	return in
}

// SeesImages reports whether samples are made of images of a known size.
func (in Pipeline) SeesImages() bool { return in.Size != (dataset.Size{}) }

// ArePixels reports whether samples are the grey values of images, which can
// be shown.
func (in Pipeline) ArePixels() bool {
	return in.Size != (dataset.Size{}) && len(in.Photometric) == 0 && in.Zoom == 0 && in.Projection.IsZero() && in.onlyPixels()
}

func (in Pipeline) onlyPixels() bool {
	return len(in.Features) == 0 || len(in.Features) == 1 && in.Features[0].Name() == feature.Pixels{}.Name()
}

// Shown returns the size of the images that the samples are, and the zero Size
// where they are something else.
func (in Pipeline) Shown() dataset.Size {
	if in.ArePixels() {
		return in.Size
	}
	return dataset.Size{}
}

// Len returns the number of features of a sample before it is projected, d; 0
// where it is not known.
func (in Pipeline) Len() int {
	if in.Size == (dataset.Size{}) || len(in.Features) == 0 {
		return in.Size.Len()
	}
	n := in.Features.Len(in.Height, in.Width)
	if in.Zoom != 0 {
		n *= 2
	}
	return n
}

// Grid returns the pixels that the features of a sample lie on; zero where they do
// not.
func (in Pipeline) Grid() classify.Grid {
	if n := in.Planes(); n > 0 {
		return classify.Grid{Height: in.Height, Width: in.Width, Planes: n}
	}
	return classify.Grid{}
}

// Planes returns of how many images of the Size a sample consists, pixel by
// pixel; 0 where it does not keep their grid.
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
	if err := in.Projection.Validate(); err != nil {
		return err
	}
	if err := in.validateCopies(); err != nil {
		return err
	}
	if in.Size == (dataset.Size{}) {
		if len(in.Photometric)+len(in.Features) > 0 || in.Mirror || in.Zoom != 0 || in.Shift != 0 {
			return fmt.Errorf("input %v without a size: photometric steps, features, mirror and shifted images need images", in)
		}
		return nil
	}
	_, err := in.maker()
	return err
}

// leastZoom bounds how far the inner part is enlarged.
const leastZoom = 0.2

// validateCopies reports a zoom or a shift that is impossible.
func (in Pipeline) validateCopies() error {
	most := (min(in.Height, in.Width) - 1) / 4
	switch {
	case in.Zoom != 0 && !(in.Zoom >= leastZoom && in.Zoom < 1):
		return hint.Add(fmt.Errorf("zoom = %v is not a share from %v to less than 1", in.Zoom, leastZoom), "0.8 adds the features of the middle eight tenths of height and width")
	case in.Zoom != 0 && in.Size != (dataset.Size{}) && in.onlyPixels():
		return hint.Add(fmt.Errorf("zoom = %v without features", in.Zoom), "pixels of the inner part are there already; name features, as hog")
	case in.Shift < 0 || in.Shift > dataset.MaxSide/4:
		return fmt.Errorf("shift = %d is not a number of pixels from 0 to %d", in.Shift, dataset.MaxSide/4)
	case in.Shift != 0 && in.Projection.IsZero():
		return hint.Add(fmt.Errorf("shift = %d without a projection", in.Shift), "only a projection is fit on shifted images, as fisher")
	case in.Size != (dataset.Size{}) && in.Shift > most:
		return hint.Add(fmt.Errorf("shift = %d is too far for images of %v", in.Shift, in.Size), "the largest is shift=%d", most)
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
	default:
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
