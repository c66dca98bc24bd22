package explain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

// An Embedded is what is known of a face that a network made a vector of: how similar
// it is to the people and to their photographs. Cosines are those of the vectors of the
// network, before a projection.
type Embedded struct {
	// People are the most likely people, the best score first. It and the photographs
	// are nil if the model keeps no vectors.
	People  []Similarity `json:"people,omitempty"`
	Nearest []Photograph `json:"nearest,omitempty"` // the enrolled photographs of the largest cosines, the largest first
	Own     *Photograph  `json:"own,omitempty"`     // the one of the best guess

	// ByScore says that the best score itself decides, a cosine, and not its lead over
	// the second. Threshold is what it, or the lead, must reach; 0 if the model has none.
	ByScore   bool    `json:"by_score"`
	Threshold float64 `json:"threshold,omitzero"`

	Crop      *Crop      `json:"-"`                   // nil if not known
	Occlusion *Occlusion `json:"occlusion,omitempty"` // nil without a Crop
}

// Rounded returns e with each of its numbers as round has it.
func (e *Embedded) Rounded(round func(float64) float64) *Embedded {
	r := *e
	r.Threshold = round(e.Threshold)
	r.People, r.Nearest = slices.Clone(e.People), slices.Clone(e.Nearest)
	for i, p := range r.People {
		r.People[i].Mean, r.People[i].Rebuilt = round(p.Mean), round(p.Rebuilt)
	}
	for i, p := range r.Nearest {
		r.Nearest[i].Cosine = round(p.Cosine)
	}
	if e.Own != nil {
		own := *e.Own
		own.Cosine = round(own.Cosine)
		r.Own = &own
	}
	if e.Occlusion != nil {
		o := *e.Occlusion
		o.Score, o.Falls = round(o.Score), make([][]float64, len(o.Falls))
		for i, row := range e.Occlusion.Falls {
			for _, v := range row {
				o.Falls[i] = append(o.Falls[i], round(v))
			}
		}
		r.Occlusion = &o
	}
	return &r
}

// A Similarity compares a face with the photographs of a person.
type Similarity struct {
	Person      string  `json:"person"`
	Photographs int     `json:"photographs"` // enrolled
	Mean        float64 `json:"mean"`        // cosine with the mean of the photographs
	Rebuilt     float64 `json:"rebuilt"`     // cosine with the linear combination of the photographs that is nearest to the face
}

// A Photograph is an enrolled one.
type Photograph struct {
	ID     string  `json:"id"`
	Person string  `json:"person"`
	Cosine float64 `json:"cosine"`
}

// A Crop is a face in colour, as a network sees it: its red, its green and its blue
// values, from 0 to 255, each row after row.
type Crop struct {
	dataset.Size
	Values []float32
}

// How many people and photographs are compared with a face.
const (
	comparedPeople = 12
	nearestOfAll   = 5
)

// compare fills in e.Embedded from the vector of the face, d×1.
func (e *Explanation) compare(ctx context.Context, m *gallery.Gallery, vector *mat.Dense) error {
	e.Embedded = &Embedded{}
	e.Embedded.decides(m)
	if m.Enrolled == nil {
		return nil
	}
	y, x := classify.Unit(vector), classify.Unit(m.Images().X)
	cosines := mat.NewDense(m.Images().Len(), 1, nil)
	lin.AtB(cosines, 1, x, y)
	e.Embedded.photographs(m, cosines.RawMatrix().Data, e.Class)
	order := classesByScore(e.Scores)
	for _, c := range order[:min(comparedPeople, len(order))] {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		own := lin.Cols(x, m.Images().Groups[c], m.Images().Groups[c+1])
		s, err := similarity(own, y)
		if err != nil {
			return fmt.Errorf("explain: the photographs of %s: %w", m.Images().Classes[c], err)
		}
		s.Person = m.Images().Classes[c]
		e.Embedded.People = append(e.Embedded.People, s)
	}
	return nil
}

// Nearest returns the enrolled photograph of a person that is nearest to the vector of a
// face. There is none if m has no network or keeps no vectors, or no such person.
func Nearest(m *gallery.Gallery, vector []float64, person string) (Photograph, bool) {
	c := -1
	if m != nil && m.Enrolled != nil && !m.Embedding.IsZero() {
		c = slices.Index(m.Enrolled.Names(), person)
	}
	if c < 0 {
		return Photograph{}, false
	}
	lo, hi := m.Enrolled.Groups()[c], m.Enrolled.Groups()[c+1]
	cosines := mat.NewDense(hi-lo, 1, nil)
	lin.AtB(cosines, 1, classify.Unit(lin.Cols(m.Images().X, lo, hi)), classify.Unit(mat.NewDense(len(vector), 1, vector)))
	at := slices.Index(cosines.RawMatrix().Data, mat.Max(cosines))
	return Photograph{m.Images().ID(lo + at), person, cosines.At(at, 0)}, true
}

// photographs fills in the nearest ones, of which these are the cosines.
func (e *Embedded) photographs(m *gallery.Gallery, cosines []float64, class int) {
	order := make([]int, len(cosines))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cosines[b], cosines[a]) })
	for _, j := range order {
		c := m.Images().ClassOf(j)
		p := Photograph{m.Images().ID(j), m.Images().Classes[c], cosines[j]}
		if len(e.Nearest) < nearestOfAll {
			e.Nearest = append(e.Nearest, p)
		}
		if c == class && e.Own == nil {
			e.Own = &p
		}
	}
}

// similarity compares y, d×1, with the columns of x, all of unit norm.
func similarity(x, y *mat.Dense) (Similarity, error) {
	d, n := x.Dims()
	s := Similarity{Photographs: n}
	mean := mat.NewDense(d, 1, nil)
	for i := range d {
		for _, v := range x.RawRowView(i) {
			mean.RawRowView(i)[0] += v
		}
	}
	s.Mean = mat.Dot(classify.Unit(mean).ColView(0), y.ColView(0))
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThin) {
		return s, fmt.Errorf("the singular values of %d vectors were not found", n)
	}
	var u mat.Dense
	svd.UTo(&u)
	const rounding = 1e-6 // of vectors in single precision
	for k := range svd.Rank(rounding) {
		s.Rebuilt = math.Hypot(s.Rebuilt, mat.Dot(u.ColView(k), y.ColView(0)))
	}
	s.Rebuilt = min(1, s.Rebuilt)
	return s, nil
}

// classesByScore are the classes, the best first.
func classesByScore(scores []float64) []int {
	order := make([]int, len(scores))
	for c := range order {
		order[c] = c
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}

// decides fills in what decides whether m names a face.
func (e *Embedded) decides(m *gallery.Gallery) {
	c, l := m.Calibration, m.Impostors()
	e.ByScore = l != nil && (c == nil && m.Enrolled != nil || c != nil && (c.Photographs != nil || c.ByScores))
	switch {
	case c == nil:
	case c.ByScores:
		e.Threshold = c.Score()
	case e.ByScore: // the cosine of this evidence
		few := math.Pow(10, -c.Threshold)
		e.Threshold = l.Cosine(len(l.Cosines), openset.AtLarge(few, c.People))
	default:
		e.Threshold = c.Threshold
	}
}
