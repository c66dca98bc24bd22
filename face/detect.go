package face

import (
	"context"

	"nrdl.example/nrdl/dataset"
)

// Detect says whether faces are detected in images.
type Detect string

// The values.
const (
	Auto   Detect = "auto"   // in photographs, but not in face crops (see Photographs)
	Always Detect = "always" // in all images
	Never  Detect = "never"  // images are used as they are
)

// Detects lists the values of Detect.
var Detects = []string{string(Auto), string(Always), string(Never)}

// A Detector finds the faces in the images of a data set: its method Faces is a value
// for dataset.Options.Faces. If only Frame is set, it finds the largest face in each
// photograph, and uses face crops as they are.
type Detector struct {
	Options
	Frame dataset.Frame // of the crops; without eyes, those of Embedder or dataset.DefaultEyes

	// Embedder makes vectors of the faces in photographs; nil for none.
	Embedder dataset.Embedder

	reader *Reader
}

// Faces returns a Reader for the images in files, and the Frame of the vectors that it
// makes. The Reader is nil if the images are used as they are. With Auto, a Frame with a
// Crop and without eyes means that the images are face crops.
func (d *Detector) Faces(ctx context.Context, files []string) (dataset.Reader, dataset.Frame, error) {
	in := d.Frame
	switch {
	case d.Detect == Never:
		return nil, dataset.Frame{}, nil
	case d.Detect == Always || !in.Eyes.IsZero():
	case in.Crop != 0:
		return nil, dataset.Frame{}, nil
	default:
		if photographs, err := DefaultFinder.Photographs(ctx, files); err != nil || !photographs {
			return nil, dataset.Frame{}, err
		}
	}
	if d.Embedder != nil {
		made := d.Embedder.Frame()
		if !in.Eyes.IsZero() {
			made.Eyes = in.Eyes
		}
		made.Crop = in.Crop
		in = made
	}
	if in.Eyes.IsZero() {
		in.Eyes = dataset.DefaultEyes
	}
	if in.Size == (dataset.Size{}) && d.Embedder == nil {
		in.Size = dataset.DefaultSize
	}
	cut := Cut{Frame: in, Embedder: d.Embedder, Search: d.Search}
	d.reader = &Reader{Limits: cut.limits(), Which: d.Which, Cut: cut}
	if d.Which == "" {
		d.reader.Which = Largest
	}
	return d.reader, in, nil
}

// Tally returns the counts of the photographs read; zero if images were used as
// they are.
func (d *Detector) Tally() Tally {
	if d.reader == nil {
		return Tally{}
	}
	return d.reader.Tally()
}
