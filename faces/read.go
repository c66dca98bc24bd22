package faces

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/gallery/file"
)

// ReadOptions say how a data set is read. The zero value is ready to use.
type ReadOptions struct {
	// Frame is the part of an image that is used, and its size. Without a size, faces that
	// are found become vectors of the built-in network; image files without have the Frame
	// of frontend.Faces96, and .mat and .npz files their own size.
	Frame  dataset.Frame
	Detect face.Options
	// Embedder makes vectors of all images; nil: as Frame says.
	Embedder *embedding.Embedder
	// Names says where in the paths of a folder the names of the people are.
	Names dataset.Naming
	// Tags says that the names are those of tags of photographs; "": those of folders. See
	// package tags.
	Tags dataset.TagSource
	// Skip are patterns of files and folders that are left out: dataset.Options.Skip.
	Skip []string
	// Arrays says which arrays of a .mat or .npz file are read, and whether without labels.
	Arrays dataset.Arrays
	Observer

	// choose leaves in what was read the face of each photograph that is meant; nil: Detect says it.
	choose func(context.Context, []dataset.File, []readFile) error
}

// Read reads labelled faces, as dataset.Open does: a folder with one folder of images
// per person, a list, a .mat or a .npz file. It finds and aligns the faces in photographs
// and in crops of faces, and makes vectors of them; images in which no faces can be found
// are used as they are. In a folder that package group made, it searches for faces unless
// o.Detect is set.
//
// An image that cannot be read is left out with a warning. It is an error if o.Warn is
// nil then, or if nobody is left. It is also an error if the images are
// as large as photographs and most show no face, unless o.Detect is set.
func Read(ctx context.Context, path string, o ReadOptions) (*dataset.Images, error) {
	if err := cmp.Or(noContext(ctx), o.Detect.Validate()); err != nil {
		return nil, err
	}
	if o.Tags != "" {
		return readTagged(ctx, path, o)
	}
	if dataset.Grouped(path) && (o.Detect.Detect == "" || o.Detect.Detect == face.Auto) {
		o.Detect.Detect = face.Always // as who made the groups did
	}
	if err := file.Misplaced(path, "a data set"); err != nil {
		return nil, err
	}
	d := &face.Detector{Options: o.Detect, Frame: o.Frame}
	options := dataset.Options{Names: o.Names, Skip: o.Skip, Arrays: o.Arrays, Progress: o.progress("reading " + path)}
	if o.Warn != nil {
		options.Warn = func(s string) { o.warn(fmt.Errorf("%s", s)) }
	}
	switch e := o.embedder(); {
	case e != nil:
		d.Embedder, d.Required, options.Embedder = e, true, e
	case o.Frame.Size == (dataset.Size{}) && !dataset.IsMatrix(path):
		d.Embedder = embedding.Default()
		o.Frame.Size = defaultFrame.Size
	}
	options.Frame, options.Faces = o.Frame, o.tellingFaces(d)
	images, err := dataset.Open(ctx, path, options)
	if err != nil {
		return nil, err
	}
	t := d.Tally()
	o.warnOfSeveral(t.Several, o.Detect.Which, fmt.Sprintf("all are taken, %d in all", t.Faces))
	return images, nil
}

// embedder is o.Embedder, or the network that o.Frame asks for if it is built in; nil
// for none.
func (o ReadOptions) embedder() *embedding.Embedder {
	if o.Embedder != nil || o.Frame.Embedding.IsZero() {
		return o.Embedder
	}
	e, _ := embedding.Restore(o.Frame, nil, nil) // its error is that of cut
	return e
}

// cut is how faces are cut out.
func (o ReadOptions) cut() (face.Cut, error) {
	switch e := o.embedder(); {
	case e != nil:
		f := e.Frame()
		f.Eyes, f.Crop = o.Frame.Eyes, o.Frame.Crop
		return face.Cut{Frame: f, Embedder: e, Search: o.Detect.Search, At: o.Detect.At}, nil
	case !o.Frame.Embedding.IsZero():
		_, err := embedding.Restore(o.Frame, nil, nil)
		return face.Cut{}, err
	}
	return face.Cut{Frame: o.Frame, Search: o.Detect.Search, At: o.Detect.At}, nil
}

// tellingFaces is d.Faces with a message on what the images are taken for. Large images
// without faces are an error: they would make a model that recognises nobody.
func (o Observer) tellingFaces(d *face.Detector) func(context.Context, []string) (dataset.Reader, dataset.Frame, error) {
	return func(ctx context.Context, files []string) (dataset.Reader, dataset.Frame, error) {
		reader, frame, err := d.Faces(ctx, files)
		auto := d.Detect == "" || d.Detect == face.Auto
		if reader != nil && auto && d.Frame.Eyes.IsZero() && d.Content() == face.Crops {
			o.tell("these are crops of faces: a face is searched for in each; to use the images as they are: %v", advice.Detect.To(face.Never))
		}
		if err == nil && reader == nil && auto && d.Frame.Crop == 0 && largeFirst(ctx, files) {
			return nil, frame, advice.Add(errors.New("most of the images show no face that can be found, or the face fills the image"),
				"give photographs of faces; if these are crops of faces: %v uses them as they are; %v searches each of them",
				advice.Detect.To(face.Never), advice.Detect.To(face.Always))
		}
		if err == nil && d.Content() == face.Unfound && d.Embedder != nil {
			o.tell("no face is found in most of the images, or they are smaller than 80 pixels: features of their grey values " +
				"(faces96) are used, and not the network, which would recognise far more faces")
		}
		return reader, frame, err
	}
}

// largeFirst reports whether the first of files is larger than crops of faces are.
func largeFirst(ctx context.Context, files []string) bool {
	const crop = 200 // pixels
	if len(files) == 0 {
		return false
	}
	img, err := dataset.ReadGrey(ctx, files[0])
	return err == nil && min(img.Rect.Dx(), img.Rect.Dy()) >= crop
}

// warnOfSeveral warns that so many photographs have several faces, and says which of them
// are used; all are the words for all of them.
func (o Observer) warnOfSeveral(several int, which face.Which, all string) {
	if several == 0 {
		return
	}
	what := "none is taken"
	switch which {
	case face.Largest, "":
		what = "the largest is taken"
	case face.Agreeing:
		what = "the one that agrees with the other photographs of the person is taken, or else the largest"
	case face.Central:
		what = "the one that is large and near the middle is taken"
	case face.All, face.Every:
		what = all
	}
	n := "1 photograph"
	if several > 1 {
		n = fmt.Sprintf("%d photographs", several)
	}
	o.warn(fmt.Errorf("%s with %w: %s", n, face.ErrSeveral, what))
}
