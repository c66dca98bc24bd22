package gallery

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"
	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/gallery/index"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// Enrolled are the images that a Gallery keeps. They are immutable. Vectors of a network
// are in an index: they can be searched, and a change shares the people who stay.
type Enrolled struct {
	Frame dataset.Frame
	Faces *index.Index // vectors of a network; nil for other images

	header dataset.Images // what the images have beside those of the people
	ids    bool           // images have IDs
	rated  bool           // images have a Quality
	list   func() *listing
	images func() (*dataset.Images, error)
	last   *change // that made these; nil for none
}

// A listing has the people in natural order.
type listing struct {
	names  []string
	groups []int       // len C+1, as in classify.Samples
	refs   []index.Ref // of Faces
}

// A change says how Enrolled follow from others.
type change struct {
	from    *index.Index
	changed []*index.Person // who are new or have other faces
	removed []string
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
	return &Enrolled{
		Frame: images.Frame, ids: images.IDs != nil, rated: images.Quality != nil,
		list:   func() *listing { return &listing{names: images.Classes, groups: images.Groups} },
		images: func() (*dataset.Images, error) { return images, nil },
	}
}

// Indexed returns the faces in x, whose numbers are those of the Quality of images. Images
// says what they have in common; its samples are not used.
func Indexed(x *index.Index, images *dataset.Images) *Enrolled {
	e := &Enrolled{Frame: images.Frame, header: *images, ids: images.IDs != nil, rated: images.Quality != nil}
	e.header.Samples, e.header.Quality = classify.Samples{Grid: images.Grid}, nil
	return e.with(x)
}

// with is e with the faces of x.
func (e *Enrolled) with(x *index.Index) *Enrolled {
	t := *e
	t.Faces, t.last = x, nil
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
	if e.ids {
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
	t.ids = true
	return t.with(x), err
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
			p := &index.Person{Name: images.Classes[c], IDs: make([]string, hi-lo), Info: make([]float64, 0, infos*(hi-lo)), Vectors: make([]float32, 0, (hi-lo)*d)}
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
	s := e.header
	s.Groups = []int{0}
	for c, p := range people {
		s.Classes, s.Groups = append(s.Classes, p.Name), append(s.Groups, s.Groups[c]+len(p.IDs))
		if e.ids {
			s.IDs = append(s.IDs, p.IDs...)
		}
		if e.rated {
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

// Names returns the names of the people in natural order.
func (e *Enrolled) Names() []string { return e.list().names }

// Groups returns where the images of the people are, as in classify.Samples.
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

// Common is what the images have in common, as Indexed takes it.
func (e *Enrolled) Common() *dataset.Images {
	s := e.header
	s.Frame = e.Frame
	if e.ids {
		s.IDs = []string{}
	}
	if e.rated {
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

// qualities are those of person c; nil if not known.
func (e *Enrolled) qualities(c int) []dataset.Quality {
	l := e.list()
	switch {
	case !e.rated:
		return nil
	case e.Faces == nil:
		return e.Images().Quality[l.groups[c]:l.groups[c+1]]
	}
	return qualitiesOf(e.Faces.Info(l.refs[c]))
}

// Merge adds the images in more to those of e, as the function Merge does.
func (e *Enrolled) Merge(more *dataset.Images) (*Enrolled, MergeReport, error) {
	if e.Faces != nil && (e.ids || more.IDs == nil) {
		if all, report, err := e.merge(more, ""); all != nil || err != nil {
			return all, report, err
		}
	}
	images, err := e.images()
	if err != nil {
		return nil, MergeReport{}, err
	}
	all, report, err := Merge(images, more)
	return Enrolling(all), report, err
}

// merge is Merge after the removal of a person, "" for nobody, and looks at the people of
// more, and of the others at those with equal faces only. It is nil if a new face cannot be
// in the index.
func (e *Enrolled) merge(more *dataset.Images, removed string) (*Enrolled, MergeReport, error) {
	d, _ := e.Faces.Dims()
	if err := mergeable(e.Frame, d, more); err != nil {
		return nil, MergeReport{}, err
	}
	x, t := e.Faces, *e
	var gone []string
	if removed != "" {
		var err error
		gone = []string{removed}
		if x, err = x.Without(removed); err != nil {
			return nil, MergeReport{}, err
		}
	}
	m := &merger{
		first: &e.header, ids: e.ids, quality: e.rated || more.Quality != nil,
		people: map[string][]entry{}, touched: map[string]bool{},
	}
	read := func(r index.Ref) error {
		p, err := x.Person(r)
		if err == nil {
			m.people[p.Name] = entriesOf(p)
		}
		return err
	}
	for _, name := range more.Classes {
		if r, found := x.Find(name); found {
			if err := read(r); err != nil {
				return nil, MergeReport{}, err
			}
		}
	}
	for j := range more.Groups[len(more.Classes)] {
		m.add(more, j)
	}
	var changed []*index.Person
	var added []float32
	for _, name := range more.Classes {
		if !m.touched[name] {
			continue
		}
		p := m.person(name)
		if x := facesOf(p); !unit(x) || slices.ContainsFunc(m.people[name], entry.isDouble) {
			return nil, MergeReport{}, nil
		}
		changed = append(changed, p)
		for _, e := range m.people[name] {
			if e.added {
				added = append(added, singles(e.pixels)...)
			}
		}
	}
	places, err := x.Equal(added)
	if err != nil {
		return nil, MergeReport{}, err
	}
	for _, p := range slices.Concat(places...) {
		if name := x.Name(p.Ref); m.people[name] == nil {
			if err := read(p.Ref); err != nil {
				return nil, MergeReport{}, err
			}
		}
	}
	m.twice()
	if x, err = x.With(changed...); err != nil {
		return nil, MergeReport{}, err
	}
	t.rated, t.header.Matrix = m.quality, false
	all := t.with(x)
	all.last = &change{e.Faces, changed, gone}
	return all, m.MergeReport, nil
}

// isDouble reports whether e has values that single precision would change.
func (e entry) isDouble() bool {
	return slices.ContainsFunc(e.pixels, func(v float64) bool { return v != float64(float32(v)) })
}

func singles(values []float64) []float32 {
	all := make([]float32, len(values))
	for i, v := range values {
		all[i] = float32(v)
	}
	return all
}

// entriesOf are the faces of p.
func entriesOf(p *index.Person) []entry {
	all, d := make([]entry, len(p.IDs)), len(p.Vectors)/len(p.IDs)
	for j, q := range qualitiesOf(p.Info) {
		all[j] = entry{id: p.IDs[j], quality: q, pixels: make([]float64, d)}
		for i, v := range p.Vectors[j*d : (j+1)*d] {
			all[j].pixels[i] = float64(v)
		}
	}
	return all
}

// person is the person of this name, whose images become sorted.
func (m *merger) person(name string) *index.Person {
	sortEntries(m.people[name])
	p := &index.Person{Name: name}
	for _, e := range m.people[name] {
		q := e.quality
		p.IDs, p.Vectors = append(p.IDs, e.id), append(p.Vectors, singles(e.pixels)...)
		p.Info = append(p.Info, q.Eyes, q.Sharpness, q.Exposure, q.Angle, q.Detection)
	}
	return p
}

// Without removes people by name, as the function Without does, or single images by ID; an
// ID has a slash.
func (e *Enrolled) Without(names ...string) (*Enrolled, error) {
	ids := map[string]bool{}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		if strings.Contains(name, "/") {
			ids[name] = true
		}
		return ids[name]
	})
	slices.Sort(names)
	names = slices.Compact(names)
	if e.Faces != nil {
		return e.without(names, ids)
	}
	rest, err := e.images()
	if err == nil && len(names) > 0 {
		rest, err = Without(rest, names...)
	}
	if err != nil {
		return nil, err
	}
	var keep []int
	for j := range rest.Len() {
		if id := rest.ID(j); ids[id] {
			delete(ids, id)
		} else {
			keep = append(keep, j)
		}
	}
	if len(keep) == 0 {
		return nil, errNobody
	}
	return Enrolling(rest.Select(keep)), missing(ids)
}

// without is Without for an index.
func (e *Enrolled) without(names []string, ids map[string]bool) (*Enrolled, error) {
	for _, name := range names {
		if _, found := e.Faces.Find(name); !found {
			return nil, advice.Unknown("person", name, e.Names())
		}
	}
	removed := slices.Clone(names)
	var changed []*index.Person
	take := func(r index.Ref) error { // the faces with ids out of the person
		all := e.Faces.IDs(r)
		if slices.Contains(removed, e.Faces.Name(r)) || !slices.ContainsFunc(all, func(id string) bool { return ids[id] }) {
			return nil
		}
		p, err := e.Faces.Person(r)
		if err != nil {
			return err
		}
		if p = withoutFaces(p, ids); len(p.IDs) == 0 {
			removed = append(removed, p.Name)
		} else {
			changed = append(changed, p)
		}
		for _, id := range all {
			delete(ids, id)
		}
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) { // most IDs start with the name
		person, _, _ := strings.Cut(id, "/")
		if r, found := e.Faces.Find(person); found {
			if err := take(r); err != nil {
				return nil, err
			}
		}
	}
	for _, r := range e.Faces.People() {
		if len(ids) == 0 {
			break
		}
		if err := take(r); err != nil {
			return nil, err
		}
	}
	if err := missing(ids); err != nil {
		return nil, err
	}
	slices.SortFunc(changed, func(a, b *index.Person) int { return strings.Compare(a.Name, b.Name) })
	x, err := e.Faces.Without(removed...)
	if err == nil {
		x, err = x.With(changed...)
	}
	if err != nil {
		return nil, err
	}
	if n, _ := x.Len(); n == 0 {
		return nil, errNobody
	}
	t := e.with(x)
	t.last = &change{e.Faces, changed, removed}
	return t, nil
}

// withoutFaces is p without the faces with these IDs.
func withoutFaces(p *index.Person, ids map[string]bool) *index.Person {
	k := len(p.IDs)
	d, info := len(p.Vectors)/k, len(p.Info)/k
	rest := &index.Person{Name: p.Name}
	for j, id := range p.IDs {
		if !ids[id] {
			rest.IDs = append(rest.IDs, id)
			rest.Info = append(rest.Info, p.Info[j*info:(j+1)*info]...)
			rest.Vectors = append(rest.Vectors, p.Vectors[j*d:(j+1)*d]...)
		}
	}
	return rest
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
	if e.Faces == nil {
		all, report, err := Rename(e.Images(), from, to)
		return Enrolling(all), report, err
	}
	r, found := e.Faces.Find(from)
	if !found {
		return nil, MergeReport{}, advice.Unknown("person", from, e.Names())
	}
	people, err := e.people([]index.Ref{r})
	if err != nil {
		return nil, MergeReport{}, err
	}
	one := e.imagesOf(people)
	if err := rename(one, to); err != nil {
		return nil, MergeReport{}, err
	}
	return e.merge(one, from)
}

// A Duplicate says whether an image is one that is kept.
type Duplicate struct {
	Found bool
	ID    string // of the first one; "" without IDs
}

// Duplicates returns for each of images whether an image with equal values is kept, as
// Merge compares them.
func (e *Enrolled) Duplicates(images *dataset.Images) ([]Duplicate, error) {
	d, n := images.X.Dims()
	kept := &e.header
	ds := 0
	if e.Faces != nil {
		ds, _ = e.Faces.Dims()
	} else {
		kept = e.Images()
		ds, _ = kept.X.Dims()
	}
	if ds != d || !e.Frame.Same(images.Frame) {
		return nil, fmt.Errorf("compare images of %v with enrolled ones of %v", images.Frame, e.Frame)
	}
	all, factor := make([]Duplicate, n), images.Scale()/kept.Scale()
	value := make([]float64, d)
	for j := range all {
		for i := range value {
			value[i] = images.X.At(i, j)
			if factor != 1 {
				value[i] *= factor
			}
			if images.AreFaces() {
				value[i] = float64(float32(value[i])) // as Keep keeps them
			}
		}
		if e.Faces == nil {
			if k := columnOf(kept.X, value); k >= 0 {
				all[j] = Duplicate{true, kept.ID(k)}
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

// columnOf returns the first column of x with these values, or -1.
func columnOf(x *mat.Dense, value []float64) int {
	for j, v := range x.RawRowView(0) {
		if v == value[0] && slices.Equal(mat.Col(nil, j, x), value) {
			return j
		}
	}
	return -1
}
