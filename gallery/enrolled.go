package gallery

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"
	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

// Enrolled are the images that a model keeps. They are immutable. If they are divided
// by person (Model.Divide), a change costs little: the result shares the people who
// are the same.
type Enrolled struct {
	Frame   dataset.Frame
	Classes []string // the names of the people
	Groups  []int    // len C+1, as in classify.Samples

	images func() *dataset.Images
	by     classify.Separable // that made the atoms; nil if the images are not divided
	people []*person          // in natural order of their names
	header dataset.Images     // what the images have beside those of the people
	atoms  *mat.Dense         // of the people, d×C, once they are put together; it must not be changed
	means  *kept              // the means of the people, for this and for those that it becomes
	ids    bool               // images have IDs
	rated  bool               // images have a Quality
}

// A person is an enrolled person.
type person struct {
	name      string
	ids       []string          // nil without IDs
	quality   []dataset.Quality // nil if not known
	x         *mat.Dense        // d×k vectors of unit norm
	sum, mean []float64         // as openset.Means has them
	atom      []float64         // of the dictionary
}

// Enrolling returns images as a model keeps them; nil for nil.
func Enrolling(images *dataset.Images) *Enrolled {
	if images == nil {
		return nil
	}
	return &Enrolled{Frame: images.Frame, Classes: images.Classes, Groups: images.Groups, images: func() *dataset.Images { return images }}
}

// Len returns the number of images, N.
func (e *Enrolled) Len() int { return e.Groups[len(e.Groups)-1] }

// Images returns the images, which must not be changed. Those that are divided are put
// together at the first call.
func (e *Enrolled) Images() *dataset.Images { return e.images() }

// qualities are those of person c; nil if not known.
func (e *Enrolled) qualities(c int) []dataset.Quality {
	lo, hi := e.Groups[c], e.Groups[c+1]
	switch {
	case e.by == nil && e.images().Quality != nil:
		return e.images().Quality[lo:hi]
	case e.by == nil || !e.rated:
		return nil
	}
	return e.people[c].rated()
}

// rated are the qualities of the images of p, zero where they are not known.
func (p *person) rated() []dataset.Quality {
	if p.quality == nil {
		_, k := p.x.Dims()
		return make([]dataset.Quality, k)
	}
	return p.quality
}

// newPerson returns the person with these vectors, d×k, as by learns them; nil if one of
// them is not of unit norm or not in single precision, so that Learn would change it.
func newPerson(name string, ids []string, quality []dataset.Quality, x *mat.Dense, by classify.Separable) *person {
	d, k := x.Dims()
	for i := range d {
		for _, v := range x.RawRowView(i) {
			if v != float64(float32(v)) { // or NaN
				return nil
			}
		}
	}
	if !unit(x) {
		return nil
	}
	sum, mean := openset.Means(x, []int{0, k})
	return &person{name, ids, quality, x, mat.Col(nil, 0, sum), mat.Col(nil, 0, mean), by.Atom(x)}
}

// unit reports whether the columns of x have unit norm, as vectors of a network have
// but for the rounding to single precision.
func unit(x *mat.Dense) bool {
	const rounding = 1e-5
	_, n := x.Dims()
	norms := make([]float64, n)
	lin.SquaredColumnNorms(norms, x)
	return !slices.ContainsFunc(norms, func(v float64) bool { return !(math.Abs(v-1) <= rounding) })
}

// divided is e divided by person; e itself where that is not possible.
func (e *Enrolled) divided(by classify.Separable) *Enrolled {
	s := e.Images()
	if e.by != nil || s.Frame.Embedding.IsZero() || s.NoFace != nil {
		return e
	}
	d, _ := s.X.Dims()
	people := make([]*person, len(s.Classes))
	for c, name := range s.Classes {
		if c > 0 && natural.Compare(s.Classes[c-1], name) >= 0 {
			return e
		}
		lo, hi := s.Groups[c], s.Groups[c+1]
		x := mat.NewDense(d, hi-lo, nil)
		lin.Set(x, 1, lin.Cols(s.X, lo, hi))
		var ids []string
		if s.IDs != nil {
			ids = slices.Clone(s.IDs[lo:hi])
		}
		var quality []dataset.Quality
		if s.Quality != nil {
			quality = slices.Clone(s.Quality[lo:hi])
		}
		if people[c] = newPerson(name, ids, quality, x, by); people[c] == nil {
			return e
		}
	}
	t := &Enrolled{Frame: s.Frame, by: by, header: *s, means: &kept{}, ids: s.IDs != nil, rated: s.Quality != nil}
	t.header.Samples = classify.Samples{Grid: s.Grid}
	t.header.Quality = nil
	return t.with(people)
}

// with is e with other people.
func (e *Enrolled) with(people []*person) *Enrolled {
	t := *e
	t.atoms = nil
	t.people, t.Classes, t.Groups = people, make([]string, len(people)), make([]int, len(people)+1)
	for c, p := range people {
		_, k := p.x.Dims()
		t.Classes[c], t.Groups[c+1] = p.name, t.Groups[c]+k
	}
	t.images = sync.OnceValue(t.together)
	return &t
}

// together puts the images of the people together.
func (e *Enrolled) together() *dataset.Images {
	s := e.header
	s.Classes, s.Groups = e.Classes, e.Groups
	d, _ := e.people[0].x.Dims()
	s.X = mat.NewDense(d, e.Len(), nil)
	for c, p := range e.people {
		lin.Set(lin.Cols(s.X, e.Groups[c], e.Groups[c+1]), 1, p.x)
		if e.ids {
			s.IDs = append(s.IDs, p.ids...)
		}
		if e.rated {
			s.Quality = append(s.Quality, p.rated()...)
		}
	}
	return &s
}

// find returns where in people the person of this name is, or would be.
func find(people []*person, name string) (int, bool) {
	return slices.BinarySearchFunc(people, name, func(p *person, name string) int { return natural.Compare(p.name, name) })
}

// Merge adds the images in more to those of e, as the function Merge does.
func (e *Enrolled) Merge(more *dataset.Images) (*Enrolled, MergeReport, error) {
	if e.by != nil && e.ids == (more.IDs != nil) {
		if err := mergeable(e.Frame, e.people[0].x, more); err != nil {
			return nil, MergeReport{}, err
		}
		if all, report := e.merged(more); all != nil {
			return all, report, nil
		}
	}
	all, report, err := Merge(e.Images(), more)
	return Enrolling(all), report, err
}

// merged is Merge that looks at the people of more, and at the others only for equal
// images. It is nil if a new image would not be kept as it is.
func (e *Enrolled) merged(more *dataset.Images) (*Enrolled, MergeReport) {
	m := &merger{
		first: &e.header, ids: e.ids, quality: e.rated || more.Quality != nil,
		people: map[string][]entry{}, touched: map[string]bool{},
	}
	for _, name := range more.Classes {
		if c, found := find(e.people, name); found {
			m.people[name] = e.people[c].entries()
		}
	}
	for j := range more.Groups[len(more.Classes)] {
		m.add(more, j)
	}
	people := slices.Clone(e.people)
	for name := range m.touched {
		p := m.person(name, e.by)
		if p == nil {
			return nil, MergeReport{}
		}
		c, found := find(people, name)
		if found {
			people[c] = p
		} else {
			people = slices.Insert(people, c, p)
		}
	}
	m.addEqual(e.people)
	m.twice()
	t := *e
	t.rated, t.header.Matrix = m.quality, false
	return t.with(people), m.MergeReport
}

// entries are the images of p.
func (p *person) entries() []entry {
	_, k := p.x.Dims()
	all := make([]entry, k)
	for j, q := range p.rated() {
		all[j] = entry{quality: q, pixels: mat.Col(nil, j, p.x)}
		if p.ids != nil {
			all[j].id = p.ids[j]
		}
	}
	return all
}

// person is the person of this name, whose images become sorted; nil as of newPerson.
func (m *merger) person(name string, by classify.Separable) *person {
	own := m.people[name]
	sortEntries(own)
	x := mat.NewDense(len(own[0].pixels), len(own), nil)
	var ids []string
	var quality []dataset.Quality
	for j, e := range own {
		x.SetCol(j, e.pixels)
		if m.ids {
			ids = append(ids, e.id)
		}
		if m.quality {
			quality = append(quality, e.quality)
		}
	}
	return newPerson(name, ids, quality, x, by)
}

// addEqual adds those images of other people that may equal an image that was added.
func (m *merger) addEqual(people []*person) {
	const cells = 1 << 12
	cell := func(v float64) int { return int(math.Float64bits(v+0) >> 29 % cells) } // the last bits of single precision
	first, near := map[float64]bool{}, [cells]bool{}
	for _, own := range m.people {
		for _, e := range own {
			if e.added {
				v := e.pixels[0]
				first[v], near[cell(v)] = true, true
			}
		}
	}
	var touched []int // of people; few, so that no name is looked up below
	for name := range m.touched {
		if c, found := find(people, name); found {
			touched = append(touched, c)
		}
	}
	for c, p := range people {
		if slices.Contains(touched, c) {
			continue
		}
		for j, v := range p.x.RawRowView(0) {
			if near[cell(v)] && first[v] {
				m.people[p.name] = append(m.people[p.name], p.entries()[j])
			}
		}
	}
}

// Without removes people by name, as the function Without does, or single images by ID; an
// ID has a slash.
func (e *Enrolled) Without(names ...string) (*Enrolled, error) {
	images := map[string]bool{}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		if strings.Contains(name, "/") {
			images[name] = true
		}
		return images[name]
	})
	if e.by == nil {
		rest, err := e.Images(), error(nil)
		if len(names) > 0 {
			rest, err = Without(rest, names...)
		}
		if err != nil {
			return nil, err
		}
		var keep []int
		for j := range rest.Len() {
			if id := rest.ID(j); images[id] {
				delete(images, id)
			} else {
				keep = append(keep, j)
			}
		}
		if len(keep) == 0 {
			return nil, errNobody
		}
		return Enrolling(rest.Select(keep)), missing(images)
	}
	people := slices.Clone(e.people)
	for _, name := range names {
		if _, found := find(e.people, name); !found {
			return nil, advice.Unknown("person", name, e.Classes)
		}
		if c, found := find(people, name); found {
			people = slices.Delete(people, c, c+1)
		}
	}
	kept := people[:0]
	for _, p := range people {
		if p = e.without(p, images); p != nil {
			kept = append(kept, p)
		}
	}
	if len(kept) == 0 {
		return nil, errNobody
	}
	return e.with(kept), missing(images)
}

// without is p without the images with these IDs, which it takes out of ids; nil if none
// is left.
func (e *Enrolled) without(p *person, ids map[string]bool) *person {
	if len(ids) == 0 || !slices.ContainsFunc(p.ids, func(id string) bool { return ids[id] }) {
		return p
	}
	m := &merger{ids: e.ids, quality: e.rated, people: map[string][]entry{}}
	for _, o := range p.entries() {
		if ids[o.id] {
			delete(ids, o.id)
		} else {
			m.people[p.name] = append(m.people[p.name], o)
		}
	}
	if len(m.people[p.name]) == 0 {
		return nil
	}
	return m.person(p.name, e.by)
}

// missing is an error if there are IDs.
func missing(ids map[string]bool) error {
	for id := range ids {
		return fmt.Errorf("no image is called %q", id)
	}
	return nil
}

// Rename is the function Rename of the images of e.
func (e *Enrolled) Rename(from, to string) (*Enrolled, MergeReport, error) {
	c, found := find(e.people, from)
	if !found || len(e.people) == 1 {
		all, report, err := Rename(e.Images(), from, to)
		return Enrolling(all), report, err
	}
	rest, err := e.Without(from)
	if err != nil {
		return nil, MergeReport{}, err
	}
	one := e.with(e.people[c : c+1]).Images()
	if err := rename(one, to); err != nil {
		return nil, MergeReport{}, err
	}
	return rest.Merge(one)
}
