// Package large recognises people in galleries of more faces than a gallery.Model codes for
// every face: it finds a shortlist of people by an exact search, and the method codes the
// face over the faces of these people only. The threshold keeps its FPIR when people are
// added or removed.
package large

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/gallery/index"
	"nrdl.example/nrdl/internal/parallel"
	"nrdl.example/nrdl/openset"
)

// Faces is the number of faces from which on a gallery is large. Up to it every face is
// coded over all.
const Faces = 10000

// Shortlist is the number of people over whose faces a face is coded.
const Shortlist = 64

// A Gallery names faces as a gallery.Model does. It is immutable and safe for concurrent
// use: a change returns a new one.
type Gallery struct {
	template *gallery.Model // of people who do not exist: pipeline, method, seed
	by       classify.Method
	faces    *index.Index

	how         *openset.Options // nil: everybody is named
	held        *held            // nil: not calibrated
	calibration *openset.Grown   // nil: everybody is named

	whole func() (*gallery.Model, error)
}

// Suits reports whether m, which by trained, can become a Gallery: it keeps vectors of a
// network, and the method learns nothing but what a few faces tell.
func Suits(m *gallery.Model, by classify.Method) bool {
	e := m.Enrolled
	return e != nil && !e.Frame.Embedding.IsZero() && m.Projection.IsZero() && m.Parts().Trained.Status == classify.ClosedForm
}

// New returns a Gallery of the people of images with the pipeline of m, which by trained, and
// without a threshold. It is an error if a vector is not of unit norm.
func New(ctx context.Context, m *gallery.Model, by classify.Method, images *dataset.Images) (*Gallery, error) {
	template, err := templateOf(ctx, m, by)
	if err != nil {
		return nil, err
	}
	people, err := peopleOf(images)
	if err != nil {
		return nil, err
	}
	d, _ := images.X.Dims()
	faces, err := index.New(d, infos).With(people...)
	if err != nil {
		return nil, err
	}
	return Restore(template, by, faces, nil)
}

// templateOf is m with two people who do not exist, so that it has nobody's face.
func templateOf(ctx context.Context, m *gallery.Model, by classify.Method) (*gallery.Model, error) {
	d := m.Frame.Len()
	x := mat.NewDense(d, 2, nil)
	for j := range 2 {
		x.Set(min(j, d-1), j, 1)
	}
	images, err := dataset.NewImages(x, nobodies, []string{nobodies[0] + "/1", nobodies[1] + "/1"}, nil, m.Enrolled.Frame)
	if err != nil {
		return nil, err
	}
	t, err := gallery.Learn(ctx, images, m.Pipeline, by, classify.Run{Seed: m.Parts().Seed})
	if err != nil {
		return nil, err
	}
	t.Search = m.Search
	return t, nil
}

// nobodies are the people of a template.
var nobodies = []string{"nobody 1", "nobody 2"}

// infos is how many numbers of quality a face has.
const infos = 5

// peopleOf are the people of images, with values in single precision.
func peopleOf(images *dataset.Images) ([]*index.Person, error) {
	if images.NoFace != nil {
		images = images.Faces()
	}
	if err := dataset.CheckNames(images.Classes); err != nil {
		return nil, err
	}
	d, _ := images.X.Dims()
	all := make([]*index.Person, len(images.Classes))
	parallel.For(len(all), 64, func(from, to int) {
		for c := from; c < to; c++ {
			lo, hi := images.Groups[c], images.Groups[c+1]
			p := &index.Person{Name: images.Classes[c], Vectors: make([]float32, 0, (hi-lo)*d)}
			for j := lo; j < hi; j++ {
				for i := range d {
					p.Vectors = append(p.Vectors, float32(images.X.At(i, j)))
				}
				id := fmt.Sprintf("%s/%04d", p.Name, j-lo+1)
				if images.IDs != nil {
					id = images.IDs[j]
				}
				var q dataset.Quality
				if images.Quality != nil {
					q = images.Quality[j]
				}
				p.IDs, p.Info = append(p.IDs, id), append(p.Info, q.Eyes, q.Sharpness, q.Exposure, q.Angle, q.Detection)
			}
			all[c] = p
		}
	})
	return all, nil
}

// images are the faces of people.
func (g *Gallery) images(people []*index.Person) (*dataset.Images, error) {
	people = slices.Clone(people)
	slices.SortFunc(people, func(a, b *index.Person) int { return natural.Compare(a.Name, b.Name) })
	d, _ := g.faces.Dims()
	s := dataset.Unlabelled(nil, g.template.Enrolled.Frame)
	s.Groups = []int{0}
	for _, p := range people {
		s.Classes, s.IDs = append(s.Classes, p.Name), append(s.IDs, p.IDs...)
		s.Groups = append(s.Groups, len(s.IDs))
		for j := range p.IDs {
			q := p.Info[j*infos:]
			s.Quality = append(s.Quality, dataset.Quality{Eyes: q[0], Sharpness: q[1], Exposure: q[2], Angle: q[3], Detection: q[4]})
		}
	}
	s.X = mat.NewDense(d, len(s.IDs), nil)
	j, n, data := 0, len(s.IDs), s.X.RawMatrix().Data
	for _, p := range people {
		for k := range p.IDs {
			for i, v := range p.Vectors[k*d : (k+1)*d] {
				data[i*n+j] = float64(v)
			}
			j++
		}
	}
	return s, s.Validate()
}

// model learns a model of some people.
func (g *Gallery) model(ctx context.Context, people []*index.Person) (*gallery.Model, error) {
	images, err := g.images(people)
	if err != nil {
		return nil, err
	}
	if s := g.separable(); s != nil {
		return g.joined(images, s)
	}
	m, err := gallery.Learn(ctx, images, g.template.Pipeline, g.by, classify.Run{Seed: g.template.Parts().Seed})
	if err != nil {
		return nil, err
	}
	m.Search = g.template.Search
	return m, nil
}

// joined is model for a method that learns person by person.
func (g *Gallery) joined(images *dataset.Images, s classify.Separable) (*gallery.Model, error) {
	if err := dataset.CheckNames(images.Classes); err != nil {
		return nil, err
	}
	d, _ := images.X.Dims()
	atoms := mat.NewDense(d, len(images.Classes), nil)
	for c := range images.Classes {
		atoms.SetCol(c, s.Atom(images.X.Slice(0, d, images.Groups[c], images.Groups[c+1]).(*mat.Dense)))
	}
	c, err := s.Join(atoms, images.Classes, classify.Run{Seed: g.template.Parts().Seed})
	if err != nil {
		return nil, err
	}
	return &gallery.Model{Model: &frontend.Model{Fitted: g.template.Fitted, Classifier: c}, Enrolled: gallery.Enrolling(images), Search: g.template.Search}, nil
}

// Template returns a Model with the pipeline and the method of g, of people who do not
// exist.
func (g *Gallery) Template() *gallery.Model { return g.template }

// Model returns the Template with the threshold of g, and with g as its Crowd.
func (g *Gallery) Model() *gallery.Model {
	m := *g.template
	m.Crowd = g
	if m.Calibration = g.Calibration(); m.Calibration == nil {
		m.OpenSet = g.how
	}
	return &m
}

// Len returns the number of people and of faces.
func (g *Gallery) Len() (people, faces int) { return g.faces.Len() }

// Names returns the names of the people in natural order.
func (g *Gallery) Names() []string {
	refs := g.faces.People()
	names := make([]string, len(refs))
	for i, r := range refs {
		names[i] = g.faces.Name(r)
	}
	return names
}

// CountOf counts the faces of a person.
func (g *Gallery) CountOf(name string) int {
	r, found := g.faces.Find(name)
	if !found {
		return 0
	}
	return g.faces.Faces(r)
}

// Calibration returns the calibration at the present number of people; nil if everybody is
// named. Its margins are evidences.
func (g *Gallery) Calibration() *openset.Calibration {
	if g.calibration == nil {
		return nil
	}
	return &g.calibration.Calibration
}

// Grown returns the calibration with which g decides; nil if everybody is named.
func (g *Gallery) Grown() *openset.Grown { return g.calibration }

// How returns how g is calibrated; nil if everybody is named.
func (g *Gallery) How() *openset.Options { return g.how }

// MostWhole is the largest number of faces for which Whole returns a Model.
const MostWhole = 100000

// Whole returns a Model of all faces, for what only a Model does. It takes eight bytes for
// each number of each face, and more. It is made at the first call. It is an error if there
// are more than MostWhole faces.
func (g *Gallery) Whole() (*gallery.Model, error) {
	if _, n := g.faces.Len(); n > MostWhole {
		return nil, fmt.Errorf("there are %d faces, and this compares all with each other: %d are the most", n, MostWhole)
	}
	return g.whole()
}

func (g *Gallery) makeWhole() (*gallery.Model, error) {
	var people []*index.Person
	for _, r := range g.faces.People() {
		p, err := g.faces.Person(r)
		if err != nil {
			return nil, err
		}
		people = append(people, p)
	}
	m, err := g.model(context.Background(), people)
	if err != nil {
		return nil, err
	}
	m = m.Divide(g.by)
	if g.how != nil && m.Impostors() != nil {
		m.Calibration, err = m.Calibrate(context.Background(), g.by, *g.how, nil, nil)
	}
	return m, err
}

// A Face is the result of identifying a face.
type Face struct {
	gallery.Face                // Class and Scores are those of the people of Of
	Of           *gallery.Model // of the shortlist; nil for an image without a face
}

// Identify returns a result for each of images. An image without a face gets no name. The
// result does not depend on the other images or on the number of threads.
func (g *Gallery) Identify(ctx context.Context, images *dataset.Images) ([]Face, error) {
	queries, seen := g.queries(images)
	hits, err := g.faces.Nearest(ctx, queries, Shortlist)
	if err != nil {
		return nil, err
	}
	faces := make([]Face, images.Len())
	var failed sync.Map
	parallel.For(len(hits), 1, func(i, _ int) {
		f, err := g.identify(ctx, images.Select([]int{seen[i]}), hits[i])
		if err != nil {
			failed.Store(i, err)
			return
		}
		faces[seen[i]] = f
	})
	for i := range hits {
		if err, ok := failed.Load(i); ok {
			return nil, err.(error)
		}
	}
	for j := range faces {
		if faces[j].Of == nil {
			faces[j].Class, faces[j].Decision = -1, openset.Nobody
		}
	}
	return faces, context.Cause(ctx)
}

// queries are those of images that show a face, at unit norm, and where they are.
func (g *Gallery) queries(images *dataset.Images) (rows []float32, seen []int) {
	x := classify.Unit(images.X)
	for j := range images.Len() {
		column := mat.Col(nil, j, x)
		if images.NoFace != nil && images.NoFace[j] || !slices.ContainsFunc(column, func(v float64) bool { return v != 0 }) {
			continue
		}
		seen = append(seen, j)
		for _, v := range column {
			rows = append(rows, float32(v))
		}
	}
	return rows, seen
}

// people reads those of hits, who have names that a person can have.
func (g *Gallery) people(hits []index.Hit) ([]*index.Person, error) {
	all := make([]*index.Person, len(hits))
	for i, h := range hits {
		p, err := g.faces.Person(h.Ref)
		if err != nil {
			return nil, err
		}
		all[i] = p
	}
	return all, nil
}

// identify is Identify for one image with a face.
func (g *Gallery) identify(ctx context.Context, image *dataset.Images, hits []index.Hit) (Face, error) {
	people, err := g.people(hits)
	if err != nil {
		return Face{}, err
	}
	m, err := g.model(ctx, people)
	if err != nil {
		return Face{}, err
	}
	f, score, err := g.judge(ctx, m, image)
	if err != nil {
		return Face{}, err
	}
	f.Decisive, f.Decision = score, openset.Decision{Known: true, Probability: math.NaN()}
	if c := g.calibration; c != nil {
		f.Decisive = c.Evidence(score)
		f.Decision = c.Decide(f.Decisive)
	}
	return Face{f, m}, nil
}

// judge returns what m, of a shortlist, says of a face, and the score that decides: the
// largest cosine if scores are cosines, made comparable between people with few and with
// many photographs, and else the margin.
func (g *Gallery) judge(ctx context.Context, m *gallery.Model, image *dataset.Images) (f gallery.Face, score float64, err error) {
	said, err := m.Recognise(ctx, image)
	if err != nil {
		return f, 0, err
	}
	f.Recognition = said[0]
	if f.Class < 0 {
		return f, 0, errors.New("recognise: a face without features")
	}
	m.Decide(&f.Recognition)
	if _, cosines := m.Parts().Rule.(classify.Cosine); cosines {
		return f, f.Largest, nil
	}
	return f, f.Margin, nil
}
