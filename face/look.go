package face

import (
	"context"
	"errors"
	"fmt"
	"image"

	"nrdl/dataset"
	"nrdl/internal/hint"
)

// ErrNoFace is why a photograph has no faces to look at.
var ErrNoFace = hint.Add(errors.New("no face found"), "let the face look into the camera, upright, and fill more of the photograph")

// ErrBlank is why a black or constant image has no face to look at.
var ErrBlank = errors.New("the image is blank")

// Options say whether faces are looked for in images, and which of several are
// meant. The zero Options look for them in photographs, and mean the largest.
type Options struct {
	Detect Detect `json:"detect,omitempty"` // "" is Auto
	Which  Which  `json:"which,omitempty"`  // "" is Largest
}

// Validate reports an unknown choice.
func (o Options) Validate() error {
	if o.Detect != "" && o.Detect != Auto && o.Detect != Always && o.Detect != Never {
		return hint.Unknown("choice of detection", string(o.Detect), Detects)
	}
	if o.Which != "" {
		return o.Which.Validate()
	}
	return nil
}

// A Seen face is one in a photograph, or an image that is taken for a face as it
// is.
type Seen struct {
	Face    *Face     // nil for the image itself
	Values  []float64 // grey values of its crop, as dataset.Frame says; nil where it is refused
	Refused error     // why it is not looked at; nil where it is
	Of      int       // how many faces the photograph has; 0 of an image that is taken as it is
}

// In returns the faces in img that are meant, cut out as f says, the largest
// first; none where there are none.
func In(img *image.Gray, which Which, f dataset.Frame) []Seen {
	found := DefaultFinder.Find(img)
	of := len(found)
	switch {
	case len(found) > 1 && which == Refuse:
		several := fmt.Errorf("one of %d faces", len(found))
		seen := make([]Seen, len(found))
		for i := range found {
			seen[i] = Seen{Face: &found[i], Refused: several, Of: of}
		}
		return seen
	case len(found) > 1 && which != All:
		found = found[:1]
	}
	seen := make([]Seen, len(found))
	for i := range found {
		seen[i] = Seen{Face: &found[i], Refused: DefaultLimits.Refusal(found[i]), Of: of}
		if seen[i].Refused == nil {
			seen[i].Values = Crop(img, found[i].Pupils, f)
		}
	}
	return seen
}

// Whole returns the image of these grey values as a face.
func Whole(values []float64) []Seen {
	if dataset.Blank(values) {
		return []Seen{{Refused: ErrBlank}}
	}
	return []Seen{{Values: values}}
}

// Decode returns the faces in the bytes of an image file, and the size of the
// photograph, upright; zero where detect is false and the image is taken as it is.
// Name stands for the image in errors.
func Decode(data []byte, name string, detect bool, which Which, f dataset.Frame) ([]Seen, image.Point, error) {
	if !detect {
		v, err := dataset.DecodeImage(data, name, dataset.Frame{Size: f.Size, Crop: f.Crop})
		if err != nil {
			return nil, image.Point{}, err
		}
		return Whole(v), image.Point{}, nil
	}
	img, err := dataset.DecodeGrey(data, name)
	if err != nil {
		return nil, image.Point{}, err
	}
	return In(img, which, f), img.Rect.Size(), nil
}

// Mistaken reports images that f takes as they are and that look like photographs;
// a few of files are looked at, and those that cannot be read do not count.
func Mistaken(ctx context.Context, f dataset.Frame, files []string) error {
	const few = 4
	if !f.Eyes.IsZero() || f.Crop != 0 {
		return nil
	}
	if photographs, err := DefaultFinder.Photographs(ctx, files[:min(few, len(files))]); err != nil || !photographs {
		return nil
	}
	return hint.Add(errors.New("these look like photographs, but the model was trained on face crops: the images are used as they are"),
		"cut out the faces, or train on photographs: nrdl train DATA -o MODEL --detect always")
}
