package nrdl

import (
	"context"
	"fmt"

	"nrdl/dataset"
	"nrdl/face"
	"nrdl/internal/hint"
)

// ReadOptions say how a data set is read. The zero value is ready to use.
type ReadOptions struct {
	// Frame says what part of an image is kept, and its size. Zero means
	// DefaultFrame for image files, and the size of the images in .mat and .npz
	// files.
	Frame  dataset.Frame
	Detect face.Options
	Observer
}

// Read reads labelled faces, as dataset.Open does: a folder with one folder of
// images per person, a list, a .mat or a .npz file. It finds and aligns the
// faces in photographs; face crops are used as they are.
func Read(ctx context.Context, path string, o ReadOptions) (*dataset.Images, error) {
	if o.Frame.Size == (dataset.Size{}) && !dataset.IsMatrix(path) {
		o.Frame.Size = DefaultFrame.Size
	}
	d := &face.Detector{Options: o.Detect, Frame: o.Frame}
	images, err := dataset.Open(ctx, path, dataset.Options{
		Frame:    o.Frame,
		Faces:    o.tellingFaces(d),
		Warn:     func(s string) { o.warn(fmt.Errorf("%s", s)) },
		Progress: o.progress("reading " + path),
	})
	if err != nil {
		return nil, err
	}
	t := d.Tally()
	o.warnOfSeveral(t.Several, o.Detect.Which, fmt.Sprintf("all are taken, %d in all", t.Faces))
	return images, nil
}

// tellingFaces is d.Faces, and tells where it takes images for photographs.
func (o Observer) tellingFaces(d *face.Detector) func(context.Context, []string) (dataset.Reader, dataset.Eyes, error) {
	return func(ctx context.Context, files []string) (dataset.Reader, dataset.Eyes, error) {
		reader, eyes, err := d.Faces(ctx, files)
		auto := d.Detect == "" || d.Detect == face.Auto
		if reader != nil && auto && d.Frame.Eyes.IsZero() {
			o.tell(fmt.Sprintf("these are photographs: faces are detected and aligned (pupil distance %v of the width, at %v of the height); --detect never uses the images as they are", eyes.Distance, eyes.Height))
		}
		if err == nil && reader == nil && auto && d.Frame.Crop == 0 && large(files) {
			o.warn(hint.Add(fmt.Errorf("most images have no detectable face, or the face fills the image: they are used as they are, as face crops"),
				"--detect always searches them for faces; --detect never uses them as crops without this warning"))
		}
		return reader, eyes, err
	}
}

// large reports whether the first of files is larger than crops of faces are.
func large(files []string) bool {
	const crop = 200 // pixels
	if len(files) == 0 {
		return false
	}
	img, err := dataset.ReadGrey(files[0])
	return err == nil && min(img.Rect.Dx(), img.Rect.Dy()) >= crop
}

// warnOfSeveral tells of so many photographs with several faces, and what becomes of
// them; all says it where all are meant.
func (o Observer) warnOfSeveral(several int, which face.Which, all string) {
	if several == 0 {
		return
	}
	what := "none is taken"
	switch which {
	case face.Largest, "":
		what = "the largest is taken"
	case face.All:
		what = all
	}
	n := "1 photograph"
	if several > 1 {
		n = fmt.Sprintf("%d photographs", several)
	}
	o.warn(fmt.Errorf("%s with several faces: %s", n, what))
}
