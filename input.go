package nrdl

import (
	"fmt"
	"math"
	"strings"

	"nrdl/feature"
	"nrdl/internal/hint"
	"nrdl/projection"
)

// An Input says how a face becomes a sample, stage by stage. It is kept with
// the model, so that learning and recognition see faces the same way.
//
//	crop → Size → Photometric → Features → Projection → unit length
//
// An Input of a Size alone takes the grey pixels in column-major order, the
// field's convention: a sample reshapes to [Height Width] in MATLAB. The zero
// Input stands for samples that are not made from images, as the vectors of
// another program; only a projection may follow those.
type Input struct {
	Size                         // that images are brought to
	Crop        float64          `json:"crop,omitempty"`        // share of an image's height and width, about its centre, that is kept; 0 is all
	Photometric feature.StepList `json:"photometric,omitempty"` // against light and noise, one after the other
	Features    feature.Features `json:"features,omitempty"`    // side by side; none are the pixels
	Mirror      bool             `json:"mirror,omitempty"`      // the mirror images of the training faces are learnt from too

	// Projection is fit on the training samples.
	Projection projection.Choice `json:"projection,omitzero"`
}

// IsZero reports whether in says nothing.
func (in Input) IsZero() bool { return in.String() == Input{}.String() }

// Images returns the Input of the images that in makes samples of.
func (in Input) Images() Input { return Input{Size: in.Size, Crop: in.Crop} }

// samples returns the part of in that needs no training: how a column of a Set
// becomes a sample before it is projected.
func (in Input) samples() Input {
	in.Mirror, in.Projection = false, projection.Choice{}
	if in.Size == (Size{}) {
		in.Crop = 0
	}
	return in
}

// ArePixels reports whether samples are the grey values of images, which can
// be shown.
func (in Input) ArePixels() bool {
	return in.Size != (Size{}) && len(in.Photometric) == 0 && in.Projection.IsZero() && in.onlyPixels()
}

func (in Input) onlyPixels() bool {
	return len(in.Features) == 0 || len(in.Features) == 1 && in.Features[0].Name() == feature.Pixels{}.Name()
}

// Shown returns the size of the images that the samples are, and the zero Size
// where they are something else.
func (in Input) Shown() Size {
	if in.ArePixels() {
		return in.Size
	}
	return Size{}
}

// Len returns the number of features of a sample before it is projected, d; 0
// where it is not known.
func (in Input) Len() int {
	if in.Size == (Size{}) || len(in.Features) == 0 {
		return in.Size.Len()
	}
	return in.Features.Len(in.Height, in.Width)
}

// Planes returns of how many images of the Size a sample consists, pixel by
// pixel; 0 where it does not keep their grid.
func (in Input) Planes() int {
	switch {
	case in.Size == (Size{}) || !in.Projection.IsZero():
		return 0
	case len(in.Features) == 0:
		return 1
	}
	return in.Features.Planes(in.Height, in.Width)
}

// Validate reports the first stage that is unknown or impossible.
func (in Input) Validate() error {
	if err := in.Size.Validate(); err != nil {
		return err
	}
	if !(in.Crop >= 0 && in.Crop <= 1) || math.IsNaN(in.Crop) {
		return hint.Add(fmt.Errorf("crop = %v is not a share between 0 and 1", in.Crop), "0.5 keeps the middle half of the height and of the width")
	}
	if err := in.Projection.Validate(); err != nil {
		return err
	}
	if in.Size == (Size{}) {
		if len(in.Photometric)+len(in.Features) > 0 || in.Mirror {
			return fmt.Errorf("input %v without a size: photometric steps, features and mirror images need images", in)
		}
		return nil
	}
	_, err := in.maker()
	return err
}

// String describes the stages, as in "32x32 igo+lbp:cell=5.34 mirror fisher".
func (in Input) String() string {
	var words []string
	if in.Size != (Size{}) {
		words = append(words, in.Size.String())
	}
	if in.Crop != 0 && in.Crop != 1 {
		words = append(words, fmt.Sprintf("crop=%v", in.Crop))
	}
	if len(in.Photometric) > 0 {
		words = append(words, in.Photometric.String())
	}
	switch {
	case len(in.Features) > 0:
		words = append(words, in.Features.String())
	case in.Size != (Size{}):
		words = append(words, "pixels")
	default:
		words = append(words, "vectors")
	}
	if in.Mirror {
		words = append(words, "mirror")
	}
	if !in.Projection.IsZero() {
		words = append(words, in.Projection.String())
	}
	return strings.Join(words, " ")
}
