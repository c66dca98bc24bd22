package explain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

// Similarities compares the vector that a network made of a face with those of the enrolled
// people and photographs. Cosines are computed before a projection.
type Similarities struct {
	// People are the most likely people, the best score first. It and the photographs
	// are nil if the model keeps no vectors.
	People  []Similarity `json:"people,omitempty"`
	Nearest []Photograph `json:"nearest,omitempty"` // the enrolled photographs of the largest cosines, the largest first
	Guess   *Photograph  `json:"own,omitempty"`     // the nearest one of the best guess

	// ByScore says that the best score, a cosine, is compared with Threshold; else the best
	// score minus the second is. Threshold is 0 if the model has none.
	ByScore   bool    `json:"by_score"`
	Threshold float64 `json:"threshold,omitzero"`

	Crop      *Crop      `json:"-"`                   // nil if not known
	Occlusion *Occlusion `json:"occlusion,omitempty"` // nil without a Crop
}

// Rounded returns a copy of e with round applied to each number.
func (e *Similarities) Rounded(round func(float64) float64) *Similarities {
	r := *e
	r.Threshold = round(e.Threshold)
	r.People, r.Nearest = slices.Clone(e.People), slices.Clone(e.Nearest)
	for i, p := range r.People {
		r.People[i].Mean, r.People[i].Rebuilt = round(p.Mean), round(p.Rebuilt)
	}
	for i, p := range r.Nearest {
		r.Nearest[i].Cosine = round(p.Cosine)
	}
	if e.Guess != nil {
		own := *e.Guess
		own.Cosine = round(own.Cosine)
		r.Guess = &own
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
	Rebuilt     float64 `json:"rebuilt"`     // cosine with the nearest linear combination of the photographs
}

// A Photograph is an enrolled photograph with its similarity to a face.
type Photograph struct {
	ID     string  `json:"id"` // its file among the photographs of training
	Person string  `json:"person"`
	Cosine float64 `json:"cosine"` // of the two vectors
}

// A Crop is the input of a network for a face: all red values, then all green, then all blue
// ones, row by row, from 0 to 255.
type Crop struct {
	dataset.Size
	Values []float32
}

// How many people and photographs are compared with a face.
const (
	comparedPeople = 12
	nearestOfAll   = 5
)

// compare fills in e.Similarities from the vector of the face, d×1.
func (e *Explanation) compare(ctx context.Context, m *gallery.Gallery, vector *mat.Dense) error {
	e.Similarities = &Similarities{}
	e.Similarities.Threshold, e.Similarities.ByScore = Threshold(m)
	if m.Enrolled == nil {
		return nil
	}
	y, x := classify.Unit(vector), classify.Unit(m.Images().X)
	cosines := mat.NewDense(m.Images().Len(), 1, nil)
	lin.AtB(cosines, 1, x, y)
	e.Similarities.photographs(m, cosines.RawMatrix().Data, e.Class)
	order := descending(e.Scores)
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
		e.Similarities.People = append(e.Similarities.People, s)
	}
	return nil
}

// Nearest returns the enrolled photograph of person with the largest cosine with vector, the
// vector of a face. The second result is false if m does not know the person, or has no
// network or no vectors.
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

// photographs fills in the nearest photographs. Cosines has one value per enrolled image.
func (e *Similarities) photographs(m *gallery.Gallery, cosines []float64, class int) {
	for _, j := range descending(cosines) {
		c := m.Images().ClassOf(j)
		p := Photograph{m.Images().ID(j), m.Images().Classes[c], cosines[j]}
		if len(e.Nearest) < nearestOfAll {
			e.Nearest = append(e.Nearest, p)
		}
		if c == class && e.Guess == nil {
			e.Guess = &p
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

// descending returns the indices of values, that of the largest value first.
func descending(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return order
}

// Threshold returns what decides whether m names a face: the threshold of the best score, a
// cosine, or else of the best score minus the second. It is 0 if the model has none.
func Threshold(m *gallery.Gallery) (threshold float64, cosines bool) {
	c, l := m.Calibration, m.Impostors()
	cosines = l != nil && (c == nil && (m.Enrolled != nil || m.Len() == 1) || c != nil && (c.Photographs != nil || c.ByScores))
	switch {
	case c == nil:
		return 0, cosines
	case c.ByScores:
		return c.Score(), cosines
	case cosines: // the cosine of this evidence
		few := math.Pow(10, -c.Threshold)
		return l.Cosine(len(l.Cosines), openset.AtLarge(few, c.People)), cosines
	}
	return c.Threshold, cosines
}
