// Package explain shows why a model recognises a face, as a page or a picture:
// the face as the model sees it, its reconstruction, the atoms with the largest
// weights, and the margin between the two most likely people.
//
// Experimental: this package may change in any version.
package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/kit/picture"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/openset"
)

// A Page explains the faces of a photograph.
type Page struct {
	Title string // the name of the photograph
	Model *gallery.Gallery
	Faces []Face // one or more
	Show
}

// A Face is one of the faces of a photograph.
type Face struct {
	Title string // which one; "" if it is the only one
	*Explanation
}

// Show says how much is shown of each face.
type Show struct {
	Atoms  int // number of atoms shown, those with the largest weights
	People int // number of people whose scores are shown, best first

	// Photograph returns the enrolled photograph with an ID of the model, nil if there is
	// none. The ID may be of unknown origin. A nil function shows no photographs.
	Photograph func(id string) image.Image
}

// photographsIn returns a function for Show.Photograph that reads from the folder that the
// model was trained on. Warn gets the error of a file that is not an image.
func photographsIn(ctx context.Context, folder string, warn func(error)) func(id string) image.Image {
	return func(id string) image.Image {
		data, err := readEnrolled(folder, id)
		if err != nil {
			return nil
		}
		img, err := dataset.DecodePhoto(ctx, data, id)
		if err != nil {
			warn(err)
			return nil
		}
		return img
	}
}

// readEnrolled reads the photograph with this ID, of unknown origin, from folder: no file
// outside it is read.
func readEnrolled(folder, id string) ([]byte, error) {
	_, below, _ := strings.Cut(id, "/") // the file, if the person is no folder: dataset.Naming
	var missing error
	for _, at := range []string{id, below} {
		name, err := filepath.Localize(at)
		if err != nil {
			return nil, err
		}
		data, err := dataset.ReadFile(filepath.Join(folder, name))
		if !errors.Is(err, fs.ErrNotExist) {
			return data, err
		}
		missing = cmp.Or(missing, err)
	}
	return nil, missing
}

// DefaultShow fits on a screen.
var DefaultShow = Show{Atoms: 10, People: 12}

// validate reports a page that cannot be drawn.
func (p *Page) validate() error {
	in := p.Model.Pipeline
	switch {
	case in.Size == (dataset.Size{}) && in.Embedding.IsZero():
		return errors.New("explain: the model was trained on vectors, or on images of an unknown size")
	case len(p.Faces) == 0:
		return errors.New("explain: no face")
	case p.Atoms < 1 || p.People < 2:
		return fmt.Errorf("explain: %d atoms and the scores of %d people cannot be shown", p.Atoms, p.People)
	}
	for i := range p.Faces {
		if e := p.Faces[i].Explanation; len(e.Image) != in.Size.Len() || in.Embedding.IsZero() != (e.Similarities == nil) {
			return fmt.Errorf("explain: face %d has no image", i+1)
		}
	}
	return nil
}

// A section has the texts, pictures and charts of one face.
type section struct {
	Title    string
	Sentence string // the verdict, or the reasons if there is no threshold
	Reasons  string
	Unknown  bool
	Rows     []row
	Charts   []chart
	Further  []chart // for those who ask for the numbers
	Facts    []fact
}

// A row of pictures has a title and says what they are.
type row struct {
	Title, Caption string
	Pictures       []figure
}

// A fact is a term and what is so.
type fact struct{ Term, Text string }

// sections returns a section for each face.
func (p *Page) sections() ([]section, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	var all []section
	for i := range p.Faces {
		f := newView(partsOf(p.Model), p.Faces[i].Explanation)
		s := section{
			Title: p.Faces[i].Title, Sentence: f.verdict(), Reasons: f.reasons(), Unknown: !f.Known,
			Charts: []chart{f.chart(p.People)}, Facts: f.facts(),
		}
		if s.Sentence == "" {
			s.Sentence, s.Reasons = s.Reasons, ""
		}
		rows := []func() (row, error){f.rebuilt, func() (row, error) { return f.atoms(p.Atoms) }, f.mask, f.votes}
		if f.Similarities != nil {
			rows = []func() (row, error){f.occluded, func() (row, error) { return f.photographs(p.Photograph) }}
			charts, further := f.similarities(p.People)
			s.Charts, s.Further = append(s.Charts, charts...), further
		}
		for _, make := range rows {
			r, err := make()
			if err != nil {
				return nil, fmt.Errorf("explain: %w", err)
			}
			if r.Title != "" {
				s.Rows = append(s.Rows, r)
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// parts are those of a model.
type parts struct {
	classify.Parts
	Pipeline    frontend.Pipeline
	Enrolled    *dataset.Images
	Calibration *openset.Calibration
	Settings    *gallery.Settings
	promise     string // which strangers get a name; "" without a calibration
	useless     bool   // hardly any enrolled face reaches the threshold
}

func partsOf(m *gallery.Gallery) parts {
	return parts{m.Parts(), m.Pipeline, m.Images(), m.Calibration, m.Numbers(), m.Promise(), m.Usable() != nil}
}

// A view is a face with its explanation and what all its pictures and texts need.
type view struct {
	*Explanation
	p     parts
	order []int // the classes, best first
}

func newView(p parts, e *Explanation) *view {
	return &view{e, p, descending(e.Scores)}
}

// linear reports whether a linear classifier makes the scores.
func (f *view) linear() bool {
	_, ok := f.p.Rule.(classify.Linear)
	return ok
}

func (f *view) name(class int) string { return f.p.Classes[class] }

// alone reports whether there is one person only, and so no rival.
func (f *view) alone() bool { return len(f.order) < classify.MinClasses }

// rival is the class with the second score, if there is one.
func (f *view) rival() int { return f.order[1] }

// isPicture reports whether a sample is an image: grey values, or what
// photometric steps make of them.
func (f *view) isPicture() bool {
	in := f.p.Pipeline
	in.Photometric = nil
	return in.ArePixels()
}

// fromImages reports whether all atoms of the code are enrolled images.
func (f *view) fromImages() bool {
	for i := range f.Atoms {
		if !f.Atoms[i].IsEnrolled() {
			return false
		}
	}
	return len(f.Atoms) > 0 && f.enrolledImages()
}

// enrolledImages reports whether the model keeps images, and not only samples.
func (f *view) enrolledImages() bool {
	return f.p.Enrolled != nil && f.p.Enrolled.Frame.Same(f.p.Pipeline.Frame)
}

// facts are the model and what the code of the face is like.
func (f *view) facts() []fact {
	d, k := f.p.D.Dims()
	facts := []fact{
		{"Model", fmt.Sprintf("%s: %s, %s of %d features", f.p.Method, legible.People(len(f.p.Classes)), legible.Count(k, "atom"), d)},
		{"Input", f.p.Pipeline.String()},
		{"Coder and rule", f.p.Coder.Name() + ", " + f.p.Rule.Name()},
	}
	if f.Similarities != nil {
		return append(facts, f.strangers()...)
	}
	if !f.Separate {
		facts = append(facts, fact{"Atoms with a weight", fmt.Sprintf("%d of %d", len(f.Atoms), k)})
	}
	if !f.Separate && f.Blocks == nil {
		facts = append(facts, fact{"‖y − D·s‖, over all atoms", decimals(f.All.Distance, 3)})
	}
	if f.Blocks == nil {
		facts = append(
			facts,
			fact{"‖y − D_c·s_c‖, over those of " + f.name(f.Class), decimals(f.Guess.Distance, 3)},
			fact{"over those of " + f.name(f.rival()), decimals(f.Distances[f.rival()], 3)},
		)
	}
	return append(facts, f.strangers()...)
}

// strangers says what the threshold means.
func (f *view) strangers() (all []fact) {
	if f.Similarities != nil {
		if counted := f.counted(); counted != "" {
			all = append(all, fact{"Similarity", counted})
		}
	}
	if f.p.promise != "" {
		all = append(all, fact{"Strangers", f.p.promise})
	}
	return all
}

// decimals writes v with so many, and a minus sign unless all digits are 0.
func decimals(v float64, n int) string {
	text, negative := strings.CutPrefix(fmt.Sprintf("%.*f", n, v), "-")
	if negative && strings.Trim(text, "0.") != "" {
		return "−" + text
	}
	return text
}

// percent writes a share.
func percent(share float64) string {
	switch {
	case share > 0.995 && share < 1:
		return "more than 99 %"
	case share < 0.005 && share > 0:
		return "less than 1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// image turns grey values, column after column, into a picture.
func (f *view) image(values []float64) (figure, error) {
	return f.drawn(mat.NewDense(len(values), 1, values), 0, picture.Grey)
}

func (f *view) drawn(x *mat.Dense, j int, r picture.Range) (figure, error) {
	img, err := picture.Sample(x, j, picture.Size(f.p.Pipeline.Size), r)
	return figure{img: img}, err
}
