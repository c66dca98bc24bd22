package face

import (
	"context"

	"nrdl"
	"nrdl/dataset"
)

// Detect says whether faces are looked for in images.
type Detect string

// The choices.
const (
	Auto   Detect = "auto"   // in photographs, as Photographs tells them from crops of faces
	Always Detect = "always" // in all images
	Never  Detect = "never"  // images are taken as they are
)

// Detects lists them.
var Detects = []string{string(Auto), string(Always), string(Never)}

// A Detector finds the faces in the images of a data set: its Faces is that of
// dataset.Options. The zero Detector, with an Input, finds the largest face in
// each photograph and takes crops as they are.
type Detector struct {
	Detect Detect     // "" is Auto
	Which  Which      // "" is Largest
	Input  nrdl.Input // that images are brought to; without eyes they are put where nrdl.DefaultEyes says

	reader *Reader
}

// Faces returns what makes samples of the images in files, and where it puts the
// eyes; a nil Reader where they are taken as they are. Who says by the Crop of
// Input what part of images is the face has no photographs.
func (d *Detector) Faces(ctx context.Context, files []string) (dataset.Reader, nrdl.Eyes, error) {
	in := d.Input.Images()
	switch {
	case d.Detect == Never:
		return nil, nrdl.Eyes{}, nil
	case d.Detect == Always || !in.Eyes.IsZero():
	case in.Crop != 0:
		return nil, nrdl.Eyes{}, nil
	default:
		if photographs, err := DefaultFinder.Photographs(ctx, files); err != nil || !photographs {
			return nil, nrdl.Eyes{}, err
		}
	}
	if in.Eyes.IsZero() {
		in.Eyes = nrdl.DefaultEyes
	}
	if in.Size == (nrdl.Size{}) {
		in.Size = nrdl.DefaultSize
	}
	d.reader = &Reader{Finder: DefaultFinder, Limits: DefaultLimits, Which: d.Which, Input: in}
	if d.Which == "" {
		d.reader.Which = Largest
	}
	return d.reader, in.Eyes, nil
}

// Tally returns the counts of the photographs that were read; zero where images
// were taken as they are.
func (d *Detector) Tally() Tally {
	if d.reader == nil {
		return Tally{}
	}
	return d.reader.Tally()
}
