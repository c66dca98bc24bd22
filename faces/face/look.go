package face

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
)

// ErrSeveral is the warning of photographs of a person that show other people too.
var ErrSeveral = errors.New("several faces")

// ErrNoFace is returned for a photograph without faces.
var ErrNoFace = advice.Add(errors.New("no face found"), "let the face look into the camera, upright, and fill more of the photograph")

// ErrBlank is the reason why a black or constant image is rejected.
var ErrBlank = errors.New("the image is blank")

// Options say whether faces are detected, and which of several are used. The
// zero value detects faces in photographs and uses the largest.
type Options struct {
	Detect Detect `json:"detect,omitempty"` // "" is Auto
	Which  Which  `json:"which,omitempty"`  // "" is Largest

	Search *Search `json:"-"` // finds the faces; nil for that of the model, or DefaultSearch

	// Twice says that several faces of a photograph can get one name, as in a collage.
	Twice bool `json:"-"`

	// At, if not nil, is where the face of each photograph is that is read, whatever Which says.
	At *Place `json:"-"`
}

// Validate reports an unknown choice.
func (o Options) Validate() error {
	if o.Detect != "" && o.Detect != Auto && o.Detect != Always && o.Detect != Never {
		return advice.Unknown("choice of detection", string(o.Detect), Detects)
	}
	if o.Which != "" {
		return o.Which.Validate()
	}
	return nil
}

// A Seen is a face that was found in a photograph, or an image that is used as a face
// as it is.
type Seen struct {
	Face    *Face     // nil for the image itself
	Values  []float64 // what a Cut makes of it; nil if rejected
	Reason  error     // why it is rejected, or nil
	Total   int       // number of faces in the photograph; 0 for an image that is taken as it is
	Smaller int       // number of faces in the background of the photograph that are left out

	Thumb *image.RGBA // for people to look at; nil unless the Cut asks for it
	Turn  *float64    // of the head, as by Search.Turn; nil if not known, or unless the Cut asks for it
}

// Others is the number of other faces in the photograph, those in the background too.
func (s Seen) Others() int { return max(0, s.Total-1) + s.Smaller }

// In returns the faces in photo that which selects, with the vectors that cut makes of
// them, the largest face first. The error is that of ctx, or of a network.
func In(ctx context.Context, photo *dataset.Photo, which Which, cut Cut) ([]Seen, error) {
	return in(ctx, photo, which, cut, cut.limits())
}

func in(ctx context.Context, photo *dataset.Photo, which Which, cut Cut, limits Limits) ([]Seen, error) {
	search := cut.search()
	found, behind, err := search.FindAll(ctx, photo)
	if err != nil {
		return nil, err
	}
	if which == Every || cut.At != nil {
		found, behind = append(found, behind...), nil
	}
	if cut.At != nil {
		if found, err = search.at(ctx, photo, found, cut.At); err != nil {
			return nil, err
		}
	}
	seen := which.chosen(search.ordered(which, found, photo.Grey.Rect), limits)
	var used []Face
	for i := range seen {
		s := &seen[i]
		s.Smaller, s.Thumb = len(behind), cut.thumb(photo, s.Face)
		if s.Reason != nil {
			continue
		}
		if err := cut.cover(ctx, photo, s.Face); err != nil {
			return nil, err
		}
		used = append(used, *s.Face)
	}
	values, err := cut.faces(ctx, photo, used)
	if err != nil {
		return nil, err
	}
	for i := range seen {
		s := &seen[i]
		if s.Reason != nil {
			continue
		}
		s.Values, values = values[0], values[1:]
		if cut.Turns {
			turn, ok, err := search.Turn(ctx, photo, *s.Face)
			if err != nil {
				return nil, err
			}
			if ok {
				s.Turn = &turn
			}
		}
	}
	return seen, nil
}

// chosen returns the faces of found that w selects. Refused says which of them cannot be
// used.
func (w Which) chosen(found []Face, limits Limits) []Seen {
	of := len(found)
	if of > 1 && w != All && w != Every && w != Refuse {
		found = found[:1]
	}
	seen := make([]Seen, len(found))
	for i := range found {
		refused := limits.Refusal(found[i])
		if of > 1 && w == Refuse {
			refused = fmt.Errorf("one of %d faces", of)
		}
		seen[i] = Seen{Face: &found[i], Reason: refused, Total: of}
	}
	return seen
}

// Whole returns the whole of photo as one face, without detection.
func Whole(ctx context.Context, photo *dataset.Photo, cut Cut) ([]Seen, error) {
	if cut.Embedder != nil {
		return cut.whole(ctx, photo)
	}
	seen := whole(dataset.Sample(photo.Image(), cut.Frame))
	if cut.Thumbs {
		seen[0].Thumb = Reduced(photo, ThumbSide)
	}
	return seen, nil
}

// whole returns the image with these values as one face.
func whole(values []float64) []Seen {
	if dataset.Blank(values) {
		return []Seen{{Reason: ErrBlank}}
	}
	return []Seen{{Values: values}}
}

// whole returns all of photo as one face, by the network of c.
func (c Cut) whole(ctx context.Context, photo *dataset.Photo) ([]Seen, error) {
	v, err := photo.Embed(ctx, c.Frame, c.Embedder)
	if err != nil {
		return nil, err
	}
	seen := []Seen{{Values: v}}
	if slices.Equal(v, make([]float64, len(v))) {
		seen = []Seen{{Reason: ErrBlank}}
	}
	if c.Thumbs {
		seen[0].Thumb = Reduced(photo, ThumbSide)
	}
	return seen, nil
}

// Decode returns the faces in the bytes of an image file, and the size of the
// upright photograph. If detect is false, the image is used as it is, and the
// size is zero. Name stands for the image in errors.
func Decode(ctx context.Context, data []byte, name string, detect bool, which Which, cut Cut) ([]Seen, image.Point, error) {
	ctx, done := dataset.Reserve(ctx, data)
	defer done()
	if !detect && cut.Embedder == nil {
		v, err := dataset.DecodeImage(ctx, data, name, dataset.Frame{Size: cut.Frame.Size, Crop: cut.Frame.Crop})
		if err != nil {
			return nil, image.Point{}, err
		}
		seen := whole(v)
		if !cut.Thumbs && cut.Photo == nil {
			return seen, image.Point{}, nil
		}
		photo, err := dataset.DecodeColour(ctx, data, name)
		if err == nil && cut.Thumbs {
			seen[0].Thumb = Reduced(photo, ThumbSide)
		}
		if err == nil && cut.Photo != nil {
			err = cut.Photo(photo)
		}
		return seen, image.Point{}, err
	}
	photo, err := dataset.DecodeColour(ctx, data, name)
	if err != nil {
		return nil, image.Point{}, err
	}
	if cut.Photo != nil {
		if err := cut.Photo(photo); err != nil {
			return nil, image.Point{}, err
		}
	}
	if !detect {
		seen, err := cut.whole(ctx, photo)
		return seen, image.Point{}, err
	}
	seen, err := In(ctx, photo, which, cut)
	return seen, photo.Grey.Rect.Size(), err
}

// Mistaken returns an error if f uses images as they are but files look like
// photographs. It checks a few of them and ignores unreadable ones.
func Mistaken(ctx context.Context, f dataset.Frame, files []string) error {
	if !f.Eyes.IsZero() || f.Crop != 0 {
		return nil
	}
	if content, err := DefaultContent.Of(ctx, files[:min(DefaultContent.Glance, len(files))]); err != nil || content != Photographs {
		return nil
	}
	return advice.Add(errors.New("these look like photographs, but the model was trained on face crops: the images are used as they are"),
		"cut out the faces, or train on photographs: %v", advice.Train.With(advice.Detect.To(Always)))
}
