package face

import (
	"cmp"
	"context"
	"errors"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
)

// Detect says whether faces are detected in images.
type Detect string

// The values.
const (
	Auto   Detect = "auto"   // in photographs and, for a network, in crops, but not in images of the Content Unfound
	Always Detect = "always" // in all images
	Never  Detect = "never"  // images are used as they are
)

// Detects lists the values of Detect.
var Detects = []string{string(Auto), string(Always), string(Never)}

// A Detector finds the faces in the images of a data set: its method Faces is a value
// for dataset.Options.Faces. If only Frame is set, it finds the largest face in each
// image, and uses images in which no faces are found as they are.
type Detector struct {
	Options
	Frame dataset.Frame // of the crops; without eyes, those of Embedder or dataset.DefaultEyes

	// Embedder makes vectors of the faces in photographs; nil for none.
	Embedder dataset.Embedder
	// Required says that images that are not aligned are an error, as Embedder would make
	// vectors of no worth of them.
	Required bool

	content Content
	reader  *Reader
}

// Faces returns a Reader for the images in files, and the Frame of the vectors that it
// makes. The Reader is nil if the images are used as they are. With Auto, a Frame with a
// Crop and without eyes means that the images are aligned.
func (d *Detector) Faces(ctx context.Context, files []string) (dataset.Reader, dataset.Frame, error) {
	in := d.Frame
	switch {
	case d.Detect == Never:
		return nil, dataset.Frame{}, nil
	case d.Detect == Always || !in.Eyes.IsZero():
	case in.Crop != 0:
		return nil, dataset.Frame{}, nil
	default:
		var err error
		if d.content, err = cmp.Or(d.Search, DefaultSearch).Content.Of(ctx, files); err == nil && d.content == Unfound && d.Required {
			err = errUnaligned
		}
		if err != nil || d.content == Unfound || d.content == Crops && d.Embedder == nil {
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

// errUnaligned is the error for images in which no faces are found, for a network.
var errUnaligned = advice.Add(
	errors.New("the network needs aligned faces, and in most of the images no face can be found, or they are smaller than 80 pixels"),
	"%v searches each of them; %v uses them as they are, if they are aligned as the network wants it; or take features "+
		"that need no alignment: %v",
	advice.Detect.To(Always), advice.Detect.To(Never), advice.Input.To("faces96"))

// Content returns what the images show; "" where that did not have to be judged.
func (d *Detector) Content() Content { return d.content }

// Tally returns the counts of the photographs read; zero if images were used as
// they are.
func (d *Detector) Tally() Tally {
	if d.reader == nil {
		return Tally{}
	}
	return d.reader.Tally()
}
