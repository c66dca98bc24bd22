package faces

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/gallery/file"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// A Recogniser names the faces in photographs. It is immutable and safe for
// concurrent use: a change returns a new one.
type Recogniser struct {
	m      *gallery.Gallery
	detect face.Options
	Observer
	facts *knowledge // nil for none
}

// withModel returns r with another model.
func (r *Recogniser) withModel(m *gallery.Gallery) *Recogniser {
	t := *r
	t.m = m
	return &t
}

// errEmpty is what the methods of the zero Recogniser return.
var errEmpty = errors.New("the Recogniser is empty: Train or Open makes one")

var noContext = classify.NoContext

// Unknown is the name reported for a face that matches nobody.
const Unknown = dataset.Unknown

// Train trains a Recogniser on labelled images. It keeps the images, unless o.Forget is set,
// and the detector that found their faces (o.Detect.Search). If no threshold can be estimated,
// for example from two people, it warns that no face will be unknown; without o.Warn that is
// an error. Enrol, Remove and Rename do the same. It is an error if o.Forget is set and the
// result would shortlist.
func Train(ctx context.Context, images *dataset.Images, o Options) (*Recogniser, error) {
	if images == nil || images.Len() == 0 {
		return nil, errors.New("train: no images")
	}
	if err := cmp.Or(noContext(ctx), images.Validate()); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	if o.OpenSet != nil {
		if err := o.OpenSet.Validate(); err != nil {
			return nil, fmt.Errorf("train: %w", err)
		}
	}
	if err := o.Gallery.Validate(); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	in := o.Pipeline.ForImages(images.Frame)
	if o.Method == nil {
		o.Method = defaultMethod(in)
	}
	m, err := gallery.Learn(ctx, images, in, o.Method, classify.Run{Seed: o.Seed, Watch: o.Watch}, o.ShortlistAbove)
	if err != nil {
		return nil, err
	}
	if o.Forget && m.Shortlists() { // calibration would take long
		_, err := m.Forget()
		return nil, fmt.Errorf("train: %w", err)
	}
	m.Search, m.Settings = o.search(images), o.Gallery
	o.warnAboutFit(m)
	r, err := (&Recogniser{m: m, detect: o.Detect, Observer: o.Observer}).withThreshold(ctx, m, o.OpenSet)
	if err != nil || !o.Forget {
		return r, err
	}
	return r.Forget()
}

// search is the detector that a model of images keeps; nil for the default one, and where
// the images were used as they are.
func (o Options) search(images *dataset.Images) *face.Search {
	if by := o.Detect.Search; by != nil && by != face.DefaultSearch && !images.Frame.Eyes.IsZero() {
		return by
	}
	return nil
}

// withThreshold returns r with m, and with a threshold as how asks for, unless m has one; nil for
// none.
func (r *Recogniser) withThreshold(ctx context.Context, m *gallery.Gallery, how *openset.Options) (*Recogniser, error) {
	if how == nil || m.Calibration != nil {
		return r.withModel(m), nil
	}
	c, err := m.Calibrate(ctx, *how, nil, r.progress("calibrating"))
	switch {
	case err == nil:
		return r.withModel(c), nil
	case context.Cause(ctx) != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, openset.ErrNoStrangers):
		err = advice.Add(errors.New("the model names everybody: two people are too few to estimate a threshold"),
			"to enable unknown, give photographs of other people: %v", calibrateByStrangers)
	case errors.Is(err, openset.ErrNoMargins):
		err = advice.Add(fmt.Errorf("the model names everybody: no threshold can be estimated: %w", err),
			"the method does not tell the people apart: look for images that are alike, or choose other features or another method")
	default: // as of a parameter that fewer faces do not allow
		err = fmt.Errorf("the model names everybody: it could not be calibrated: %w", err)
	}
	if err := r.namesEverybody(err); err != nil {
		return nil, err
	}
	t := *m
	t.OpenSet = how
	return r.withModel(&t), nil
}

// namesEverybody warns of err, for which a model names everybody. Where there is no Warn it
// is returned, as strangers would get names without anybody knowing.
func (o Observer) namesEverybody(err error) error {
	if err == nil || o.Warn == nil {
		return err
	}
	o.Warn(err)
	return nil
}

// solved is a residual that more passes do not make smaller: rounding errors.
const solved = 1e-12

// warnAboutFit warns of a fit that is not what it should be.
func (o Observer) warnAboutFit(m *gallery.Gallery) {
	p := m.Shared()
	if p.Outcome.Status == classify.Exhausted && p.Outcome.Residual > solved {
		o.warn(fmt.Errorf("the residual is %.1e: raise passes, or tol", p.Outcome.Residual))
	}
	_, linear := p.Rule.(classify.Linear)
	if c, ok := p.Coder.(coding.NonNegative); !ok || c.Solver != coding.Exact || !linear || p.D == nil {
		return
	}
	if d, k := p.D.Dims(); k > d {
		o.warn(advice.Add(fmt.Errorf("%d atoms for %d features: exact non-negative codes may recognise badly there", k, d),
			"compare with %v, fewer atoms per person (%v), or a larger %v", advice.Parameter.To("coder.solver=admm"),
			advice.Parameter.To("atoms=N"), advice.Size))
	}
}

// Open reads a Recogniser from the model file at path, which may be untrusted:
// a damaged or hostile file is an error. A model that was trained by a method of another
// module identifies without it, unless it shortlists (Options.ShortlistAbove): such a model
// fits the method to the people of each shortlist, so without it Open returns an error. That
// method has to be among methods for Survey, Enrol, Rename, Remove and Calibrate, which train
// again.
func Open(path string, methods ...classify.Method) (*Recogniser, error) {
	m, err := file.Open(path, file.Options{Folders: networkFolders(path), Methods: methods})
	if f := (*fs.PathError)(nil); errors.As(err, &f) && f.Op == "open" && f.Path == path {
		err = fmt.Errorf("read model: %w", err)
		if errors.Is(err, fs.ErrNotExist) {
			err = advice.Add(err, "train it first: %v", advice.Train.With(advice.Model.To(path)))
			if near := modelNear(path); near != "" {
				err = advice.Add(err, "did you mean %s?", near)
			}
		}
		return nil, err
	}
	if err != nil {
		return nil, openError(path, err)
	}
	return Of(m), nil
}

// Of returns a Recogniser of the model m, which must not be changed. The zero options of With are its own.
func Of(m *gallery.Gallery) *Recogniser { return &Recogniser{m: m} }

// modelNear is the regular file whose path is that at path with ".nrdl", or without it, or "".
func modelNear(path string) string {
	near, cut := strings.CutSuffix(filepath.Clean(path), ".nrdl")
	if !cut {
		near += ".nrdl"
	}
	if info, err := os.Stat(near); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return near
}

// openError is err with what to do about the file at path, where err does not say it.
func openError(path string, err error) error {
	own := advice.Text(err) != ""
	err = fmt.Errorf("read model %s: %w", path, err)
	info, other := os.Stat(path)
	switch {
	case own:
		return err
	case other == nil && info.IsDir() && modelNear(path) != "":
		return advice.Add(err, "did you mean %s?", modelNear(path))
	case other == nil && info.IsDir() || dataset.IsImage(path) || dataset.IsMatrix(path):
		return advice.Add(err, "the model comes first, then the images; to make one: %v", advice.Train.With(advice.Model.To("people.nrdl")))
	}
	return advice.Add(err, "train it again: %v", advice.Train.With(advice.Model.To(path)))
}

// networksVariable names folders with the networks that models have by reference.
const networksVariable = "NRDL_NETWORKS"

// networkFolders returns the folders in which the networks of the model at path are looked for:
// its own, and those that networksVariable names.
func networkFolders(path string) []string {
	return append([]string{filepath.Dir(path)}, filepath.SplitList(os.Getenv(networksVariable))...)
}

// Save writes r to a model file at path, whole or not at all. Equal Recognisers give equal
// bytes, unless they shortlist (Options.ShortlistAbove). If r shortlists and was made from the
// model in the file, Save appends the changes, which takes milliseconds. People who were
// removed then stay in the file, unused, until it is written whole: by Write, or by a Save when
// they are most of it.
func (r *Recogniser) Save(ctx context.Context, path string) error {
	if r.m == nil {
		return errEmpty
	}
	if err := noContext(ctx); err != nil {
		return err
	}
	return file.Save(ctx, path, r.m)
}

// Write writes r as a model file to w.
func (r *Recogniser) Write(w io.Writer) error {
	if r.m == nil {
		return errEmpty
	}
	return file.Write(w, r.m)
}

// With returns r with other detection options and another Observer. Without detect.Search,
// faces are found by the detector of the model. It is an
// error to ask for detection if r was trained on crops without eye alignment.
func (r *Recogniser) With(detect face.Options, o Observer) (*Recogniser, error) {
	if r.m == nil {
		return nil, errEmpty
	}
	if err := detect.Validate(); err != nil {
		return nil, err
	}
	if detect.Detect == face.Always && r.m.Frame.Eyes.IsZero() {
		return nil, advice.Add(errors.New("this model was trained on crops without eye alignment: faces cannot be searched for"),
			"train it again on photographs: %v", advice.Train.With(advice.Detect.To(face.Always)))
	}
	t := *r
	t.detect, t.Observer = detect, o
	return &t, nil
}

// detects reports whether r looks for faces in images.
func (r *Recogniser) detects() bool {
	return r.detect.Detect != face.Never && !r.m.Frame.Eyes.IsZero()
}

// Model returns the model inside r: pipeline, classifier, stored faces and
// threshold. It must not be changed.
func (r *Recogniser) Model() *gallery.Gallery { return r.m }

// People returns the enrolled people, in the order of the classes.
func (r *Recogniser) People() []*gallery.Person {
	if r.m == nil {
		return nil
	}
	return r.m.People()
}

// Survey is People. With holdOut it also measures by cross-validation how well each person is
// recognised, and the notes name the images whose labels look wrong. A Recogniser that
// shortlists (Options.ShortlistAbove) names none, as all faces would have to be compared with
// each other.
func (r *Recogniser) Survey(ctx context.Context, holdOut bool) (*gallery.Survey, error) {
	if _, err := r.method(); err != nil {
		return nil, err
	}
	if err := noContext(ctx); err != nil {
		return nil, err
	}
	return r.m.Survey(ctx, holdOut, r.progress("holding faces out"))
}

// method is the one that r was trained with.
func (r *Recogniser) method() (classify.Method, error) {
	switch {
	case r.m == nil:
		return nil, errEmpty
	case r.m.Method == nil:
		return method.Of(r.m.Classifier) // which is not known
	}
	return r.m.Method, nil
}
