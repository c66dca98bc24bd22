package gallery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery/index"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"

	"golang.org/x/text/unicode/norm"
)

// A Gallery recognises people by their stored faces, a classifier and a threshold. It is
// immutable and safe for concurrent use: a change returns a new one.
//
// Usually the classifier is fitted to all faces. A gallery shortlists (Shortlists is true, and
// Classifier is nil) if it has more than ShortlistAbove vectors of a network and its method keeps
// nothing but these vectors or the mean of each person. It then finds the people with the nearest faces, and fits a classifier to
// these people for each face that it identifies.
type Gallery struct {
	*frontend.Model
	Method         classify.Method      // that fits the classifier; nil if it is not known, and nothing can be fitted
	Enrolled       *Enrolled            // training images; nil if they are not kept
	Calibration    *openset.Calibration // nil: every face is named
	OpenSet        *openset.Options     // for the threshold of a gallery that has too few people for one; nil otherwise
	Search         *face.Search         // by which the faces were found; nil: face.DefaultSearch, or the images were used as they are
	Data           string               // Hash of the training images that are not kept; "" if not known
	ShortlistAbove int                  // faces; 0 means DefaultShortlistAbove
	Settings       *Settings            // nil: DefaultSettings

	shared  classify.Parts // that the classifiers of all shortlists have in common; zero unless Shortlists
	partial bool           // has the people of a shortlist only, and the threshold of all
	heldOut *heldOut       // faces that stand for strangers; nil unless Shortlists and calibrated
	whole   func() (*Gallery, error)
}

// DefaultShortlistAbove is the largest number of faces for which a gallery codes a face over
// all faces. A gallery with more shortlists.
const DefaultShortlistAbove = 10000

// Learn trains a gallery on the faces in images, which it keeps, without a threshold. With more
// than shortlistAbove faces, it shortlists if the method and the pipeline allow it; 0 means
// DefaultShortlistAbove. A single person is enough for vectors of a network whose impostor
// distribution is known, and a classify.Separable method (OneIsEnough); for others it is an error.
func Learn(ctx context.Context, images *dataset.Images, in frontend.Pipeline, m classify.Method,
	run classify.Run, shortlistAbove int,
) (*Gallery, error) {
	kept, err := Keep(images)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(classify.NoContext(ctx), classify.NoMethod(m)); err != nil {
		return nil, fmt.Errorf("learn: %w", err)
	}
	if shortlistAbove < 0 {
		return nil, fmt.Errorf("learn: ShortlistAbove = %d is negative", shortlistAbove)
	}
	if err := checkPeople(kept.Classes, in, m); err != nil {
		return nil, err
	}
	g := &Gallery{Method: m, Enrolled: Enrolling(kept), ShortlistAbove: shortlistAbove}
	if err := g.shortlist(in, run.Seed); err != nil || g.Model != nil {
		return g, cmp.Or(err, context.Cause(ctx))
	}
	if g.Model, err = frontend.Learn(ctx, kept, in, m, run); err != nil {
		return nil, err
	}
	return g, nil
}

// isLarge reports whether g has more faces than ShortlistAbove, in an index, of several people.
func (g *Gallery) isLarge() bool {
	if g.Enrolled == nil || g.Enrolled.Faces == nil {
		return false
	}
	people, n := g.Enrolled.Len()
	return people >= classify.MinClasses && n > cmp.Or(g.ShortlistAbove, DefaultShortlistAbove)
}

// shortlist gives g the Model of a gallery that shortlists, without a classifier, if g has many
// faces and its method keeps nothing but the samples or the mean of each person; else it leaves g.
func (g *Gallery) shortlist(in frontend.Pipeline, seed uint64) error {
	if !g.isLarge() || !in.Projection.IsZero() || !g.Enrolled.Frame.Same(in.Frame) {
		return nil
	}
	d, _ := g.Enrolled.Faces.Dims()
	people, _ := g.Enrolled.Len()
	t := classify.TraitsOf(g.Method)
	if _, separable := g.Method.(classify.Separable); t.Coder == nil || t.Rule == nil || !t.Samples && !separable ||
		cmp.Or(g.Method.Validate(), method.Suits(g.Method, in.Grid()),
			coding.Check(t.Coder, d, min(people, g.Numbers().maxPeople(t.Coder, d)))) != nil {
		return nil // a fit to all faces tells of an error
	}
	params, err := method.Marshal(g.Method)
	if err != nil {
		return err
	}
	if g.Enrolled, err = g.Enrolled.withIDs(); err != nil {
		return err
	}
	g.setShared(frontend.Fitted{Pipeline: in}, classify.Parts{
		Coder: t.Coder, Rule: t.Rule, Method: g.Method.Name(), Params: params, Seed: seed, Outcome: classify.Outcome{Status: classify.ClosedForm},
	})
	return nil
}

// setShared makes g shortlist, by classifiers that have these parts in common.
func (g *Gallery) setShared(f frontend.Fitted, p classify.Parts) {
	g.Model, g.shared = &frontend.Model{Fitted: f}, p
	g.whole = sync.OnceValues(g.fitWhole)
}

// ready is an error if g is empty, or ctx nil.
func (g *Gallery) ready(ctx context.Context) error {
	if g == nil || g.Model == nil {
		return errEmpty
	}
	return classify.NoContext(ctx)
}

var errEmpty = errors.New("the gallery is empty: Learn makes one, and Open of package file")

// Shortlists reports whether g compares a face with a shortlist of people.
func (g *Gallery) Shortlists() bool { return g.Model != nil && g.Classifier == nil }

// Refit returns what Learn returns for the images of e, with the method and the pipeline of g.
// The result has a threshold only if g and the result both shortlist: that for the target FPIR
// of g and the people of e.
func (g *Gallery) Refit(ctx context.Context, e *Enrolled, run classify.Run) (*Gallery, error) {
	if err := g.ready(ctx); err != nil {
		return nil, err
	}
	if e == nil {
		return nil, ErrForgotten
	}
	t := &Gallery{Method: g.Method, Enrolled: e, Search: g.Search, ShortlistAbove: g.ShortlistAbove, Settings: g.Settings, OpenSet: g.OpenSet}
	if g.Shortlists() && t.isLarge() {
		t.setShared(g.Fitted, g.shared)
		o, err := g.Options(), t.updateThreshold(ctx, g)
		if errors.Is(err, openset.ErrNoStrangers) {
			t.heldOut, t.Calibration, t.OpenSet, err = nil, nil, o, nil
		}
		return t, err
	}
	t.OpenSet = nil
	if err := checkPeople(e.Names(), g.Pipeline, g.Method); err != nil {
		return nil, err
	}
	err := cmp.Or(t.shortlist(g.Pipeline, run.Seed), context.Cause(ctx))
	if err != nil || t.Model != nil {
		return t, err
	}
	if s, ok := g.Method.(classify.Separable); ok && e.Faces != nil && g.Projection.IsZero() {
		t.Model, err = join(e, s, g.Fitted, run)
		return t, cmp.Or(err, context.Cause(ctx))
	}
	images, err := e.images()
	if err != nil {
		return nil, err
	}
	t.Model, err = frontend.Learn(ctx, images, g.Pipeline, g.Method, run)
	return t, err
}

// RefitTask says in a line what Refit does with e.
func (g *Gallery) RefitTask(e *Enrolled) string {
	people, faces := e.Len()
	switch {
	case g.Shortlists():
		return fmt.Sprintf("keeping %d people, %d faces", people, faces)
	case e.Frame.Size != (dataset.Size{}):
		return fmt.Sprintf("training on %s, %d images of %v", legible.People(people), faces, e.Frame.Size)
	}
	return fmt.Sprintf("training on %s, %d faces", legible.People(people), faces)
}

// What index.Rows keeps with the faces: atoms by a method, and means.
type (
	atomKey string
	meanKey struct{}
)

// join returns the model of the people of e. Their atoms are kept with the faces, so that
// those who stay need not be learned again.
func join(e *Enrolled, s classify.Separable, f frontend.Fitted, run classify.Run) (*frontend.Model, error) {
	d, _ := e.Faces.Dims()
	rows, err := e.Faces.Rows(atomKey(s.Name()), d, e.list().refs, func(p *index.Person) []float64 { return s.Atom(facesOf(p)) })
	if err != nil {
		return nil, err
	}
	people, _ := e.Len()
	atoms := mat.NewDense(d, people, nil)
	const together = 8 // numbers of a row, of one line of the cache
	for lo := 0; lo < d; lo += together {
		hi := min(d, lo+together)
		for _, r := range rows {
			r.Each(func(class, row int) {
				for i, v := range r.RawRowView(row)[lo:hi] {
					atoms.RawRowView(lo + i)[class] = v
				}
			})
		}
	}
	c, err := s.Join(atoms, e.Names(), run)
	if err != nil {
		return nil, err
	}
	return &frontend.Model{Fitted: f, Classifier: c}, nil
}

// Parts returns the parts of the classifier, which must not be changed. Where g shortlists, it
// returns the parts that the classifiers of all shortlists have in common, with all people as
// Classes.
func (g *Gallery) Parts() classify.Parts {
	p := g.Shared()
	if p.Classes == nil {
		p.Classes = g.Names()
	}
	return p
}

// Shared returns Parts, but without Classes where g shortlists: reading the names of many
// people takes time.
func (g *Gallery) Shared() classify.Parts {
	if g.Shortlists() {
		return g.shared
	}
	return g.Classifier.Parts()
}

// Names returns the names of the people in the order of the classes.
func (g *Gallery) Names() []string {
	if g.Enrolled != nil {
		return g.Enrolled.Names()
	}
	if g.Model == nil {
		return nil
	}
	return g.Classifier.Parts().Classes
}

// Len returns the number of people.
func (g *Gallery) Len() int {
	if g.Enrolled != nil {
		n, _ := g.Enrolled.Len()
		return n
	}
	return len(g.Names())
}

// Images returns the training images, which must not be changed; nil if they are not
// kept.
func (g *Gallery) Images() *dataset.Images {
	if g.Enrolled == nil {
		return nil
	}
	return g.Enrolled.Images()
}

// Hash returns the dataset.Images.Hash of the training images; "" if it is not known.
func (g *Gallery) Hash() string {
	if g.Data == "" && g.Enrolled != nil && !g.Shortlists() {
		return g.Enrolled.Images().Hash()
	}
	return g.Data
}

// CanonicalName returns name as g spells it, if they differ only in how Unicode writes
// accents (composed or decomposed).
func (g *Gallery) CanonicalName(name string) string {
	if g.Faces(name) > 0 {
		return name
	}
	people := g.Names()
	if slices.Contains(people, name) {
		return name
	}
	plain := norm.NFC.String(name)
	for _, p := range people {
		if norm.NFC.String(p) == plain {
			return p
		}
	}
	return name
}

// ErrForgotten is returned if a gallery does not keep its images.
var ErrForgotten = errors.New("the model does not keep the faces that it was trained on")

// Forget returns g without its images. It is an error if g shortlists, because it then
// identifies faces by comparison with the stored ones.
func (g *Gallery) Forget() (*Gallery, error) {
	if g.Shortlists() {
		_, faces := g.Enrolled.Len()
		return nil, advice.Add(fmt.Errorf("%d faces cannot be forgotten: with more than %d, a face is compared with the nearest of them",
			faces, cmp.Or(g.ShortlistAbove, DefaultShortlistAbove)),
			"leave out %v, or choose a method that learns a dictionary of all faces: %v", advice.Forget,
			advice.Method.To(method.DefaultLCKSVD2.Name()))
	}
	t := *g
	t.Data, t.Enrolled = g.Hash(), nil
	return &t, nil
}

// Validate reports the first inconsistency between the parts of g.
func (g *Gallery) Validate() error {
	if g == nil || g.Model == nil {
		return errEmpty
	}
	if err := g.Settings.Validate(); err != nil {
		return err
	}
	if g.Shortlists() {
		return g.Fitted.Validate()
	}
	if err := g.Model.Validate(); err != nil {
		return err
	}
	people := g.Shared().Classes
	if err := cmp.Or(dataset.CheckNames(people), checkPeople(people, g.Pipeline, g.Method)); err != nil {
		return err
	}
	if g.OpenSet != nil {
		if err := g.OpenSet.Validate(); err != nil {
			return err
		}
		if g.Calibration != nil {
			return errors.New("a calibration, and options for one that is missing")
		}
	}
	if g.Calibration != nil {
		if err := cmp.Or(g.Calibration.Validate(), g.checkLaw()); err != nil {
			return err
		}
	}
	if g.Enrolled == nil {
		return nil
	}
	s, err := g.Enrolled.images()
	if err == nil {
		err = s.Validate()
	}
	if err != nil {
		return fmt.Errorf("enrolled: %w", err)
	}
	if !slices.Equal(s.Classes, people) {
		return fmt.Errorf("enrolled: %d people, the model has %d, or others", len(s.Classes), len(people))
	}
	if !s.Frame.Same(g.Frame) {
		return fmt.Errorf("enrolled: %v are not what %v is made of", s.Frame, g.Pipeline)
	}
	return nil
}
