package gallery

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"

	"gonum.org/v1/gonum/mat"
	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery/index"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// Enrolled are the images that a Gallery keeps. They are immutable: a change returns new ones.
// Vectors of a network are in an index, which can be searched; a change does not copy the
// people who stay.
type Enrolled struct {
	Frame dataset.Frame
	Faces *index.Index // vectors of a network; nil for other images

	header     dataset.Images // what the images have beside those of the people
	hasIDs     bool           // images have IDs
	hasQuality bool           // images have a Quality
	list       func() *listing
	images     func() (*dataset.Images, error)
	change     *change // that made these; nil for none
}

// A listing has the people in natural order.
type listing struct {
	names  []string
	groups []int       // len C+1, as in classify.Samples
	refs   []index.Ref // of Faces
}

// infos is how many numbers of quality a face in an index has.
const infos = 5

// Enrolling returns images as a gallery keeps them; nil for nil. Vectors of a network go
// into an index if they are of unit norm and in single precision.
func Enrolling(images *dataset.Images) *Enrolled {
	if images == nil {
		return nil
	}
	if searchable(images) {
		d, _ := images.X.Dims()
		if x, err := index.New(d, infos).With(peopleOf(images)...); err == nil {
			return Indexed(x, images)
		}
	}
	return outsideIndex(images)
}

// outsideIndex has the images themselves.
func outsideIndex(images *dataset.Images) *Enrolled {
	e := header(images)
	e.list = func() *listing { return &listing{names: images.Classes, groups: images.Groups} }
	e.images = func() (*dataset.Images, error) { return images, nil }
	return e
}

// header has what all images share.
func header(images *dataset.Images) *Enrolled {
	e := &Enrolled{Frame: images.Frame, header: *images, hasIDs: images.IDs != nil, hasQuality: images.Quality != nil}
	e.header.Samples, e.header.Quality = classify.Samples{Grid: images.Grid}, nil
	return e
}

// Indexed returns Enrolled with the faces in x. The further numbers of a face in x are its
// quality. It takes from images the properties that all images share, and not the samples.
func Indexed(x *index.Index, images *dataset.Images) *Enrolled {
	return header(images).withIndex(x)
}

// withIndex is e with the faces of x.
func (e *Enrolled) withIndex(x *index.Index) *Enrolled {
	t := *e
	t.Faces, t.change = x, nil
	t.list = sync.OnceValue(func() *listing {
		l := &listing{refs: x.People(), groups: []int{0}}
		for c, r := range l.refs {
			l.names, l.groups = append(l.names, x.Name(r)), append(l.groups, l.groups[c]+x.Faces(r))
		}
		return l
	})
	t.images = sync.OnceValues(func() (*dataset.Images, error) {
		people, err := t.people(t.list().refs)
		return t.imagesOf(people), err
	})
	return &t
}

// withIDs is e, in an index, with an ID for each face.
func (e *Enrolled) withIDs() (*Enrolled, error) {
	if e.hasIDs {
		return e, nil
	}
	people, err := e.people(e.list().refs)
	if err != nil {
		return nil, err
	}
	for _, p := range people {
		for j := range p.IDs {
			p.IDs[j] = inventedID(p.Name, j)
		}
	}
	d, _ := e.Faces.Dims()
	x, err := index.New(d, infos).With(people...)
	t := *e
	t.hasIDs = true
	return t.withIndex(x), err
}

// searchable reports whether images can be in an index, which keeps their values and their order.
func searchable(images *dataset.Images) bool {
	if images.Frame.Embedding.IsZero() || images.NoFace != nil || !unit(images.X) {
		return false
	}
	for c := range images.Classes[1:] {
		if natural.Compare(images.Classes[c], images.Classes[c+1]) >= 0 {
			return false
		}
	}
	d, _ := images.X.Dims()
	for i := range d {
		for _, v := range images.X.RawRowView(i) {
			if v != float64(float32(v)) { // or NaN
				return false
			}
		}
	}
	return true
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

// peopleOf are the people of images.
func peopleOf(images *dataset.Images) []*index.Person {
	d, _ := images.X.Dims()
	all := make([]*index.Person, len(images.Classes))
	parallel.For(len(all), 64, func(from, to int) {
		for c := from; c < to; c++ {
			lo, hi := images.Groups[c], images.Groups[c+1]
			p := &index.Person{
				Name: images.Classes[c], IDs: make([]string, hi-lo), Info: make([]float64, 0, infos*(hi-lo)),
				Vectors: make([]float32, 0, (hi-lo)*d),
			}
			for j := lo; j < hi; j++ {
				for i := range d {
					p.Vectors = append(p.Vectors, float32(images.X.At(i, j)))
				}
				var q dataset.Quality
				if images.Quality != nil {
					q = images.Quality[j]
				}
				if images.IDs != nil {
					p.IDs[j-lo] = images.IDs[j]
				}
				p.Info = append(p.Info, q.Eyes, q.Sharpness, q.Exposure, q.Angle, q.Detection)
			}
			all[c] = p
		}
	})
	return all
}

// qualitiesOf are those of a person with such Info.
func qualitiesOf(info []float64) (all []dataset.Quality) {
	for ; len(info) > 0; info = info[infos:] {
		all = append(all, dataset.Quality{Eyes: info[0], Sharpness: info[1], Exposure: info[2], Angle: info[3], Detection: info[4]})
	}
	return all
}

// people reads those of refs.
func (e *Enrolled) people(refs []index.Ref) ([]*index.Person, error) {
	all := make([]*index.Person, len(refs))
	for i, r := range refs {
		var err error
		if all[i], err = e.Faces.Person(r); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// imagesOf are the faces of people, who are in natural order.
func (e *Enrolled) imagesOf(people []*index.Person) *dataset.Images {
	s := *e.Common()
	s.Groups = []int{0}
	for c, p := range people {
		s.Classes, s.Groups = append(s.Classes, p.Name), append(s.Groups, s.Groups[c]+len(p.IDs))
		if e.hasIDs {
			s.IDs = append(s.IDs, p.IDs...)
		}
		if e.hasQuality {
			s.Quality = append(s.Quality, qualitiesOf(p.Info)...)
		}
	}
	if len(people) == 0 {
		return &s
	}
	d, _ := e.Faces.Dims()
	n := s.Groups[len(people)]
	s.X = mat.NewDense(d, n, nil)
	parallel.For(len(people), 64, func(from, to int) {
		for c := from; c < to; c++ {
			setFaces(lin.Cols(s.X, s.Groups[c], s.Groups[c+1]), people[c])
		}
	})
	return &s
}

// setFaces sets the columns of x, d×k, to the faces of p.
func setFaces(x *mat.Dense, p *index.Person) {
	d, k := x.Dims()
	for i := range d {
		row := x.RawRowView(i)
		for j := range k {
			row[j] = float64(p.Vectors[j*d+i])
		}
	}
}

// facesOf are the faces of p as columns.
func facesOf(p *index.Person) *mat.Dense {
	x := mat.NewDense(len(p.Vectors)/len(p.IDs), len(p.IDs), nil)
	setFaces(x, p)
	return x
}

// Len returns the numbers of people and of images.
func (e *Enrolled) Len() (people, images int) {
	if e.Faces != nil {
		return e.Faces.Len()
	}
	l := e.list()
	return len(l.names), l.groups[len(l.names)]
}

// dims is the number of values of an image.
func (e *Enrolled) dims() int {
	if e.Faces != nil {
		d, _ := e.Faces.Dims()
		return d
	}
	d, _ := e.Images().X.Dims()
	return d
}

// Names returns the names of the people in natural order.
func (e *Enrolled) Names() []string { return e.list().names }

// Groups returns the number of the first image of each person, and at last the number of all
// images, as in classify.Samples.
func (e *Enrolled) Groups() []int { return e.list().groups }

// Images returns the images, which must not be changed. Those in an index are put together
// at the first call; nil if their file cannot be read.
func (e *Enrolled) Images() *dataset.Images {
	images, err := e.images()
	if err != nil {
		return nil
	}
	return images
}

// Common returns the properties that all images share (frame, white level, and whether there
// are IDs and qualities), without samples. Indexed takes them.
func (e *Enrolled) Common() *dataset.Images {
	s := e.header
	s.Frame = e.Frame
	if e.hasIDs {
		s.IDs = []string{}
	}
	if e.hasQuality {
		s.Quality = []dataset.Quality{}
	}
	return &s
}

// Count returns the number of images of a person.
func (e *Enrolled) Count(name string) int {
	if e.Faces != nil {
		if r, found := e.Faces.Find(name); found {
			return e.Faces.Faces(r)
		}
		return 0
	}
	c := slices.Index(e.Names(), name)
	if c < 0 {
		return 0
	}
	return e.Groups()[c+1] - e.Groups()[c]
}

// ID returns the ID of image j; "" without IDs.
func (e *Enrolled) ID(j int) string {
	if e.Faces == nil {
		return e.Images().ID(j)
	}
	l := e.list()
	c := sort.SearchInts(l.groups, j+1) - 1
	return e.Faces.IDs(l.refs[c])[j-l.groups[c]]
}

// qualities are those of person c; nil if not known, or if the file of the index cannot be
// read.
func (e *Enrolled) qualities(c int) []dataset.Quality {
	l := e.list()
	switch {
	case !e.hasQuality:
		return nil
	case e.Faces == nil:
		return e.Images().Quality[l.groups[c]:l.groups[c+1]]
	}
	info, err := e.Faces.Info(l.refs[c])
	if err != nil {
		return nil
	}
	return qualitiesOf(info)
}

// A Duplicate is the result of a search for a stored image with the same values.
type Duplicate struct {
	Exists bool
	ID     string // of the first one; "" without IDs
}

// Duplicates returns for each of images whether an image with equal values is kept, as
// Merge compares them.
func (e *Enrolled) Duplicates(images *dataset.Images) ([]Duplicate, error) {
	d, n := images.X.Dims()
	if e.dims() != d || !e.Frame.Same(images.Frame) {
		return nil, fmt.Errorf("compare images of %v with enrolled ones of %v", images.Frame, e.Frame)
	}
	all := make([]Duplicate, n)
	for j := range all {
		value := keptValues(images, j, &e.header)
		if e.Faces == nil {
			if k := columnOf(e.Images().X, value); k >= 0 {
				all[j] = Duplicate{true, e.ID(k)}
			}
			continue
		}
		places, err := e.Faces.Equal(singles(value))
		if err != nil {
			return nil, err
		}
		if len(places[0]) > 0 {
			p := slices.MinFunc(places[0], func(a, b index.Place) int {
				if a.Ref != b.Ref {
					return natural.Compare(e.Faces.Name(a.Ref), e.Faces.Name(b.Ref))
				}
				return a.Face - b.Face
			})
			all[j] = Duplicate{true, e.Faces.IDs(p.Ref)[p.Face]}
		}
	}
	return all, nil
}

// keptValues are those of image j of s in the units of to, as Keep keeps them.
func keptValues(s *dataset.Images, j int, to *dataset.Images) []float64 {
	values, factor := mat.Col(nil, j, s.X), s.Scale()/to.Scale()
	for i := range values {
		if factor != 1 {
			values[i] *= factor
		}
		if s.AreFaces() {
			values[i] = float64(float32(values[i]))
		}
	}
	return values
}

// columnOf returns the first column of x with these values, or -1.
func columnOf(x *mat.Dense, value []float64) int {
	for j, v := range x.RawRowView(0) {
		if v == value[0] && slices.Equal(mat.Col(nil, j, x), value) {
			return j
		}
	}
	return -1
}
