package face

import (
	"context"

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
// dataset.Options. The zero Detector, with a Frame, finds the largest face in
// each photograph and takes crops as they are.
type Detector struct {
	Options
	Frame dataset.Frame // that images are brought to; without eyes they are put where dataset.DefaultEyes says

	reader *Reader
}

// Faces returns what makes samples of the images in files, and where it puts the
// eyes; a nil Reader where they are taken as they are. Who says by the Crop of
// Frame what part of images is the face has no photographs.
func (d *Detector) Faces(ctx context.Context, files []string) (dataset.Reader, dataset.Eyes, error) {
	in := d.Frame
	switch {
	case d.Detect == Never:
		return nil, dataset.Eyes{}, nil
	case d.Detect == Always || !in.Eyes.IsZero():
	case in.Crop != 0:
		return nil, dataset.Eyes{}, nil
	default:
		if photographs, err := DefaultFinder.Photographs(ctx, files); err != nil || !photographs {
			return nil, dataset.Eyes{}, err
		}
	}
	if in.Eyes.IsZero() {
		in.Eyes = dataset.DefaultEyes
	}
	if in.Size == (dataset.Size{}) {
		in.Size = dataset.DefaultSize
	}
	d.reader = &Reader{Finder: DefaultFinder, Limits: DefaultLimits, Which: d.Which, Frame: in}
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
