package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/dataset"
	"nrdl/face"
	"nrdl/internal/hint"
	"nrdl/internal/parallel"
)

// faceFlags say whether faces are looked for in images, and which of several are
// meant.
type faceFlags struct {
	detect choiceFlag
	which  choiceFlag
}

func (f *faceFlags) register(c *cobra.Command, which face.Which, auto string) {
	f.detect = choiceFlag{string(face.Auto), face.Detects}
	f.which = choiceFlag{string(which), []string{string(face.Largest), string(face.Refuse), string(face.All)}}
	f.detect.register(c, "detect", "whether to search images for faces: auto ("+auto+"), always or never")
	f.which.register(c, "faces", "if there are several faces: largest, all, or refuse (skip the photograph)")
}

// choiceFlag is a flag with a few values.
type choiceFlag struct {
	value   string
	choices []string
}

func (f *choiceFlag) register(c *cobra.Command, name, use string) {
	c.Flags().Var(f, name, use)
	complete(c, name, cobra.FixedCompletions(f.choices, cobra.ShellCompDirectiveNoFileComp))
}

func (f *choiceFlag) String() string { return f.value }

func (f *choiceFlag) Type() string { return "HOW" }

func (f *choiceFlag) Set(text string) error {
	for _, c := range f.choices {
		if text == c {
			f.value = text
			return nil
		}
	}
	return hint.Unknown("value", text, f.choices)
}

// detector finds faces in the images of a data set that are brought to in, as f
// says.
func (f *faceFlags) detector(in nrdl.Input) *face.Detector {
	return &face.Detector{Detect: face.Detect(f.detect.value), Which: face.Which(f.which.value), Input: in}
}

// tellingFaces is d.Faces, and tells where it takes images for photographs.
func (a *app) tellingFaces(d *face.Detector) func(context.Context, []string) (dataset.Reader, nrdl.Eyes, error) {
	return func(ctx context.Context, files []string) (dataset.Reader, nrdl.Eyes, error) {
		reader, eyes, err := d.Faces(ctx, files)
		if reader != nil && d.Detect == face.Auto && d.Input.Eyes.IsZero() {
			a.tell("these are photographs: faces are detected and aligned (pupil distance %v of the width, at %v of the height); --detect never uses the images as they are", eyes.Distance, eyes.Height)
		}
		if err == nil && reader == nil && d.Detect == face.Auto && d.Input.Crop == 0 && large(files) {
			a.warn("most images have no detectable face, or the face fills the image: they are used as they are, as face crops")
			a.tell("nrdl: %s --detect always searches them for faces; --detect never uses them as crops without this warning", a.paint(cyan, "hint:"))
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

// warnOfSeveral tells of the photographs with several faces that d found.
func (a *app) warnOfSeveral(d *face.Detector) {
	switch t := d.Tally(); {
	case t.Several == 0:
	case d.Which == face.Largest:
		a.warn("%s with several faces: the largest is taken", photographs(t.Several))
	case d.Which == face.All:
		a.warn("%s with several faces: all are taken, %d in all", photographs(t.Several), t.Faces)
	default:
		a.warn("%s with several faces: none is taken", photographs(t.Several))
	}
}

func photographs(n int) string {
	if n == 1 {
		return "1 photograph"
	}
	return fmt.Sprintf("%d photographs", n)
}

// A viewer sees images as a model does.
type viewer struct {
	input  nrdl.Input // what the model takes images as, of the sets that it is given
	detect bool
	which  face.Which
}

// newViewer returns the viewer for the images that m takes, as flags say.
func newViewer(m *nrdl.Model, f *faceFlags) (*viewer, error) {
	v := &viewer{input: m.Parts().Input.Images(), which: face.Which(f.which.value)}
	v.detect = face.Detect(f.detect.value) != face.Never && !v.input.Eyes.IsZero()
	if face.Detect(f.detect.value) == face.Always && !v.detect {
		return nil, hint.Add(errors.New("this model was trained on crops without eye alignment: faces cannot be searched for"),
			"train it again on photographs: nrdl train DATA -o MODEL --detect always")
	}
	return v, nil
}

// warnOfPhotographs tells where images that v takes as they are look like
// photographs, of which a few are looked at. Errors are met again where they are
// read.
func (a *app) warnOfPhotographs(ctx context.Context, v *viewer, files []string) {
	const few = 4
	if v.detect || !v.input.Eyes.IsZero() || v.input.Crop != 0 {
		return
	}
	if photographs, err := face.DefaultFinder.Photographs(ctx, files[:min(few, len(files))]); err == nil && photographs {
		a.warn("these look like photographs, but the model was trained on face crops: the images are used as they are")
		a.tell("nrdl: %s cut out the faces, or train on photographs: nrdl train DATA -o MODEL --detect always", a.paint(cyan, "hint:"))
	}
}

// A view is a face in an image, or the image itself where it is taken as it is.
type view struct {
	face    *face.Face // nil for the image itself
	sample  []float64  // as the model's Input takes images; nil where it is refused
	refused error      // why it is not seen well enough
}

// look returns the faces in the bytes of an image file, the largest first; none
// where there are none. An image that is blank is refused with errBlank.
func (v *viewer) look(data []byte, name string) ([]view, error) {
	views, _, err := v.lookAt(data, name)
	return views, err
}

// lookAt is look with the size of the photograph, upright; zero where images are
// taken as they are.
func (v *viewer) lookAt(data []byte, name string) ([]view, image.Point, error) {
	if !v.detect {
		s, err := dataset.DecodeImage(data, name, nrdl.Input{Size: v.input.Size, Crop: v.input.Crop})
		switch {
		case err != nil:
			return nil, image.Point{}, err
		case dataset.Blank(s):
			return []view{{refused: errBlank}}, image.Point{}, nil
		}
		return []view{{sample: s}}, image.Point{}, nil
	}
	img, err := dataset.DecodeGrey(data, name)
	if err != nil {
		return nil, image.Point{}, err
	}
	return v.faces(img), img.Rect.Size(), nil
}

// faces returns the faces in img that are meant.
func (v *viewer) faces(img *image.Gray) []view {
	found := face.DefaultFinder.Find(img)
	switch {
	case len(found) > 1 && v.which == face.Largest:
		found = found[:1]
	case len(found) > 1 && v.which == face.Refuse:
		several := fmt.Errorf("one of %d faces", len(found))
		views := make([]view, len(found))
		for i := range found {
			views[i] = view{face: &found[i], refused: several}
		}
		return views
	}
	views := make([]view, len(found))
	for i := range found {
		views[i] = view{face: &found[i], refused: face.DefaultLimits.Refusal(found[i])}
		if views[i].refused == nil {
			views[i].sample = face.Crop(img, found[i].Pupils, v.input)
		}
	}
	return views
}

// views returns the faces in files, as images of the input of v, with the files
// as IDs; nil where there are none. What cannot be read, and faces that are not
// seen well enough, are left out with a warning.
func (a *app) views(ctx context.Context, v *viewer, files []string, label string) (*nrdl.Set, error) {
	a.warnOfPhotographs(ctx, v, files)
	step, done := a.count(label)
	defer done()
	found := make([][]view, len(files))
	errs := make([]error, len(files))
	var mu sync.Mutex
	finished := 0
	inParallel(ctx, len(files), func(j int) {
		data, err := dataset.ReadFile(files[j])
		if err == nil {
			found[j], err = v.look(data, files[j])
		}
		errs[j] = err
		mu.Lock()
		defer mu.Unlock()
		if finished++; step != nil {
			step(finished, len(files))
		}
	})
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	set := &nrdl.Set{Input: v.input}
	var samples [][]float64
	for j, file := range files {
		if errs[j] != nil {
			a.warn("left out: %v", errs[j])
			continue
		}
		if len(found[j]) == 0 {
			a.warn("left out: %s: no face found", file)
		}
		for _, w := range found[j] {
			if w.refused != nil {
				a.warn("left out: %s: %v", file, w.refused)
				continue
			}
			samples = append(samples, w.sample)
			set.IDs = append(set.IDs, file)
			if w.face != nil {
				set.Quality = append(set.Quality, w.face.Quality)
			}
		}
	}
	if len(samples) == 0 {
		return nil, nil
	}
	set.X = mat.NewDense(len(samples[0]), len(samples), nil)
	for j, s := range samples {
		set.X.SetCol(j, s)
	}
	return set, nil
}

// inParallel does do for 0 ≤ j < n on all processors, until ctx ends.
func inParallel(ctx context.Context, n int, do func(j int)) {
	parallel.For(n, 1, func(j, _ int) {
		if ctx.Err() == nil {
			do(j)
		}
	})
}
