package gallery

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery/index"
	"nrdl.example/nrdl/internal/parallel"
	"nrdl.example/nrdl/openset"
)

// A Face is the result of identifying a face.
type Face struct {
	frontend.Recognition // Class and Scores are those of the people of Among
	openset.Decision
	DecisionScore float64  // the margin that decides, of openset.Calibration
	Gallery       *Gallery // the gallery, or that of the shortlist; nil for an image without a face of a gallery that shortlists
}

// Identify returns a result for each of the images. An image without a face
// gets no name. The result does not depend on the other images or on the number of threads.
func (g *Gallery) Identify(ctx context.Context, images *dataset.Images) ([]Face, error) {
	return g.identify(ctx, images, (*frontend.Model).Recognise)
}

// IdentifyCoded is Identify that keeps each face's sample and code, for its
// explanation.
func (g *Gallery) IdentifyCoded(ctx context.Context, images *dataset.Images) ([]Face, error) {
	return g.identify(ctx, images, (*frontend.Model).RecogniseCoded)
}

type recognise func(*frontend.Model, context.Context, *dataset.Images) ([]frontend.Recognition, error)

func (g *Gallery) identify(ctx context.Context, images *dataset.Images, by recognise) ([]Face, error) {
	if err := g.ready(ctx); err != nil {
		return nil, fmt.Errorf("identify: %w", err)
	}
	if images == nil || images.X == nil {
		return nil, errors.New("identify: there are no images")
	}
	if g.Shortlists() {
		return g.identifyByShortlists(ctx, images, by)
	}
	all, err := by(g.Model, ctx, images)
	if err != nil {
		return nil, err
	}
	faces := make([]Face, len(all))
	for j, r := range all {
		faces[j].Decision, faces[j].DecisionScore = g.Decide(&r)
		faces[j].Recognition, faces[j].Gallery = r, g
	}
	return faces, nil
}

// identifyByShortlists identifies each image by a classifier of its shortlist.
func (g *Gallery) identifyByShortlists(ctx context.Context, images *dataset.Images, by recognise) ([]Face, error) {
	x := classify.Unit(images.X)
	var queries []float32
	var seen []int // the images that show a face
	for j := range images.Len() {
		column := mat.Col(nil, j, x)
		if !images.Faceless(j) && slices.ContainsFunc(column, func(v float64) bool { return v != 0 }) {
			seen, queries = append(seen, j), append(queries, singles(column)...)
		}
	}
	d, _ := g.Enrolled.Faces.Dims()
	hits, err := g.Enrolled.Faces.Nearest(ctx, queries, g.Numbers().maxPeople(g.shared.Coder, d))
	if err != nil {
		return nil, err
	}
	faces, failed := make([]Face, images.Len()), make([]error, len(seen))
	for j := range faces {
		faces[j].Class, faces[j].Decision = -1, openset.Nobody
	}
	parallel.For(len(seen), 1, func(i, _ int) {
		among, err := g.shortlistOf(ctx, hits[i])
		var one []Face
		if err == nil {
			one, err = among.identify(ctx, images.Select([]int{seen[i]}), by)
		}
		if failed[i] = err; err == nil {
			faces[seen[i]] = one[0]
		}
	})
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return faces, context.Cause(ctx)
}

// away is the least ratio between the atoms K of a ridge code and the d numbers of a face, or its
// inverse. The code of unweighted least squares multiplies the variance of the noise by K/(d−K),
// or by d/(K−d) where K > d [ridgeless]: by one at a ratio of two, and without a
// limit at K = d. A weight as small as CRC's changes little of it.
const away = 2

// maxPeople is the largest number of people on a shortlist for the coder c of faces of d numbers.
func (s *Settings) maxPeople(c coding.Coder, d int) int {
	if _, is := c.(coding.Ridge); is {
		return max(s.Shortlist, away*d)
	}
	return s.Shortlist
}

// maxCompared is maxPeople for g if it is more than Shortlist; else 0.
func (g *Gallery) maxCompared() int {
	d, _ := g.Enrolled.Faces.Dims()
	if n := g.Numbers().maxPeople(g.shared.Coder, d); n > g.Numbers().Shortlist {
		return n
	}
	return 0
}

// shorten returns those of refs, the nearest first, who are on the shortlist: Shortlist people,
// and for a ridge code others, until they have few faces or many for its numbers.
func (g *Gallery) shorten(refs []index.Ref) []index.Ref {
	d, _ := g.Enrolled.Faces.Dims()
	_, ridge := g.shared.Coder.(coding.Ridge)
	faces := 0
	for i, r := range refs {
		if i >= g.Numbers().Shortlist && (!ridge || away*faces <= d || faces >= away*d) {
			return refs[:i]
		}
		faces += g.Enrolled.Faces.Faces(r)
	}
	return refs
}

// shortlistOf returns the gallery of the people in hits.
func (g *Gallery) shortlistOf(ctx context.Context, hits []index.Hit) (*Gallery, error) {
	refs := make([]index.Ref, len(hits))
	for i, h := range hits {
		refs[i] = h.Ref
	}
	people, err := g.Enrolled.people(g.shorten(refs))
	if err != nil {
		return nil, err
	}
	return g.sub(ctx, people)
}

// sub returns a gallery of these people, who may have other faces than in g, with the
// threshold of g.
func (g *Gallery) sub(ctx context.Context, people []*index.Person) (*Gallery, error) {
	people = slices.Clone(people)
	sortPeople(people)
	images := g.Enrolled.imagesOf(people)
	if err := dataset.CheckNames(images.Classes); err != nil {
		return nil, err
	}
	t := &Gallery{
		Method: g.Method, Calibration: g.Calibration, Search: g.Search, Settings: g.Settings,
		partial: true, Enrolled: outsideIndex(images),
	}
	var err error
	t.Model, err = frontend.Learn(ctx, images, g.Pipeline, g.Method, classify.Run{Seed: g.shared.Seed})
	return t, err
}

// maxWhole is the largest number of faces for which Whole fits a classifier.
const maxWhole = 100000

// Whole returns a gallery with the faces of g and a classifier over all of them; g itself
// unless it shortlists. The classifier is fitted at the first call, and takes more than eight
// bytes of memory for each number of each face. It is an error if there are more than 100,000
// faces.
func (g *Gallery) Whole() (*Gallery, error) {
	if !g.Shortlists() {
		return g, nil
	}
	if _, n := g.Enrolled.Len(); n > maxWhole {
		return nil, fmt.Errorf("there are %d faces, and this compares all with each other: %d are the most", n, maxWhole)
	}
	return g.whole()
}

func (g *Gallery) fitWhole() (*Gallery, error) {
	ctx := context.Background()
	t := *g
	t.ShortlistAbove = math.MaxInt
	w, err := t.Refit(ctx, g.Enrolled, classify.Run{Seed: g.shared.Seed})
	if o := g.Options(); err == nil && o != nil && w.Impostors() != nil {
		w, err = w.Calibrate(ctx, *o, nil, nil)
	}
	return w, err
}

// Transform returns the codes of images over all faces.
func (g *Gallery) Transform(ctx context.Context, images *dataset.Images) (*mat.Dense, error) {
	if err := g.ready(ctx); err != nil {
		return nil, fmt.Errorf("transform: %w", err)
	}
	w, err := g.Whole()
	if err != nil {
		return nil, err
	}
	return w.Model.Transform(ctx, images)
}

// Margins returns the DecisionScore of each of images that shows a face.
func (g *Gallery) Margins(ctx context.Context, images *dataset.Images) ([]float64, error) {
	faces, err := g.Identify(ctx, images)
	if err != nil {
		return nil, err
	}
	var margins []float64
	for _, f := range faces {
		if f.Class >= 0 {
			margins = append(margins, f.DecisionScore)
		}
	}
	return margins, nil
}
