package gallery

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery/index"
	"nrdl.example/nrdl/internal/natural"
)

// A MergeReport says what happened to the images that Merge added.
type MergeReport struct {
	Additions  int
	Duplicates []string    // IDs of images that were there already, with equal pixels
	Renames    [][2]string // old and new ID of images whose ID another image had
	Twice      [][2]string // IDs of equal images of two people: one of the names is wrong
}

// A change is the difference of the Enrolled of two versions of a model.
type change struct {
	base     *index.Index
	people   []*index.Person // who are new or have other faces
	removals []string
}

var errNobody = advice.Add(errors.New("nobody would be left"), "add somebody first: %v", advice.Enrol)

// Merge returns e with the images of more, which have the same Frame; it changes neither. The
// result equals reading one folder with all of them: people, and the images of the people in
// more, are in natural order of their IDs. So the order of merging does not matter, except for
// images with equal IDs: one with equal pixels is left out, others get a number, ann/1~2.jpg.
func (e *Enrolled) Merge(more *dataset.Images) (*Enrolled, MergeReport, error) {
	return e.merge(more, leaving{})
}

// leaving says who and what is removed before a merge.
type leaving struct {
	people       []string
	image, owner string // the ID of an image of this person; "" for none
}

// merge is Merge after the removal of out.
func (e *Enrolled) merge(more *dataset.Images, out leaving) (*Enrolled, MergeReport, error) {
	if err := e.mergeable(more); err != nil {
		return nil, MergeReport{}, err
	}
	affected := slices.Concat(more.Classes, out.people)
	if out.image != "" {
		affected = append(affected, out.owner)
	}
	if e.Faces != nil {
		var faces []float32
		for j := range more.Len() {
			faces = append(faces, singles(mat.Col(nil, j, more.X))...)
		}
		places, err := e.Faces.Equal(faces)
		if err != nil {
			return nil, MergeReport{}, err
		}
		for _, p := range slices.Concat(places...) {
			affected = append(affected, e.Faces.Name(p.Ref))
		}
	}
	some, err := e.imagesOfNames(affected)
	if err != nil {
		return nil, MergeReport{}, err
	}
	m := newMerger(some, more, out)
	for j := range more.Len() {
		m.add(more, j)
	}
	m.findDuplicates()
	all := m.images()
	if e.Faces != nil && (!searchable(all) || m.ids != e.hasIDs) {
		images, err := e.images()
		if err != nil {
			return nil, MergeReport{}, err
		}
		return outsideIndex(images).merge(more, out)
	}
	changed, removed := more.Classes, out.people
	if m.people[out.owner] != nil {
		changed = append(slices.Clone(changed), out.owner)
	} else if out.image != "" {
		removed = append(slices.Clone(removed), out.owner)
	}
	merged, err := e.replace(all, changed, removed)
	return merged, m.MergeReport, err
}

// mergeable reports why more cannot be merged with the images of e.
func (e *Enrolled) mergeable(more *dataset.Images) error {
	if more == nil || more.X == nil || e == nil {
		return errors.New("merge: there are no images")
	}
	if !e.Frame.Same(more.Frame) {
		return fmt.Errorf("merge: images of %v, and others of %v", e.Frame, more.Frame)
	}
	if d, _ := more.X.Dims(); d != e.dims() {
		return fmt.Errorf("merge: images of %d numbers, and others of %d", e.dims(), d)
	}
	if err := cmp.Or(dataset.CheckNames(more.Classes), more.Validate()); err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	return nil
}

// imagesOfNames returns the images of the people of e with these names, and of others where e has no index.
func (e *Enrolled) imagesOfNames(names []string) (*dataset.Images, error) {
	if e.Faces == nil {
		return e.images()
	}
	refs := map[string]index.Ref{}
	for _, name := range names {
		if r, found := e.Faces.Find(name); found {
			refs[name] = r
		}
	}
	people, err := e.people(slices.Collect(maps.Values(refs)))
	if err != nil {
		return nil, err
	}
	sortPeople(people)
	return e.imagesOf(people), nil
}

// replace returns e without the people who are removed, and with the images in some for the people
// who are changed. Some is the changed result of imagesOfNames.
func (e *Enrolled) replace(some *dataset.Images, changed, removed []string) (*Enrolled, error) {
	if e.Faces == nil {
		if some.Len() == 0 {
			return nil, errNobody
		}
		return Enrolling(some), nil
	}
	c := &change{base: e.Faces, removals: removed}
	t := *e
	if some.Len() > 0 {
		t.header.Matrix = some.Matrix
		c.people = slices.DeleteFunc(peopleOf(some), func(p *index.Person) bool { return !slices.Contains(changed, p.Name) })
	}
	x, err := e.Faces.Without(removed...)
	if err == nil {
		x, err = x.With(c.people...)
	}
	if err != nil {
		return nil, err
	}
	if n, _ := x.Len(); n == 0 {
		return nil, errNobody
	}
	t.hasQuality = e.hasQuality || some.Quality != nil
	all := t.withIndex(x)
	all.change = c
	return all, nil
}

func sortPeople(people []*index.Person) {
	slices.SortFunc(people, func(a, b *index.Person) int { return natural.Compare(a.Name, b.Name) })
}

func singles(values []float64) []float32 {
	all := make([]float32, len(values))
	for i, v := range values {
		all[i] = float32(v)
	}
	return all
}

// Without returns e without the people of these names, and without single images by ID. It is an
// error if e does not have one of them.
func (e *Enrolled) Without(names ...string) (*Enrolled, error) {
	removed, ids := []string{}, map[string]bool{}
	for _, name := range names {
		switch {
		case e.Count(name) == 0:
			if _, err := e.Owner(name); err != nil {
				if !strings.Contains(name, "/") {
					err = advice.Unknown("person", name, e.Names())
				}
				return nil, err
			}
			ids[name] = true
		case !slices.Contains(removed, name):
			removed = append(removed, name)
		}
	}
	some, err := e.imagesOfNames(e.owners(ids))
	if err != nil {
		return nil, err
	}
	var keep []int
	changed, left := map[string]bool{}, map[string]bool{}
	for j := range some.Len() {
		name, id := some.Classes[some.ClassOf(j)], some.ID(j)
		switch gone := ids[id]; {
		case gone:
			delete(ids, id)
			changed[name] = true
		case !slices.Contains(removed, name):
			keep = append(keep, j)
			left[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		if !left[name] && !slices.Contains(removed, name) {
			removed = append(removed, name)
		}
	}
	rest := &dataset.Images{}
	if len(keep) > 0 {
		rest = some.Select(keep)
	}
	return e.replace(rest, slices.Collect(maps.Keys(changed)), removed)
}

// owners returns the people who have images with these IDs, and maybe others; nobody where e
// has no index.
func (e *Enrolled) owners(ids map[string]bool) (names []string) {
	if e.Faces == nil {
		return nil
	}
	left := maps.Clone(ids)
	for id := range ids { // most start with the name
		name, _, _ := strings.Cut(id, "/")
		if r, found := e.Faces.Find(name); found && slices.Contains(e.Faces.IDs(r), id) {
			names = append(names, name)
			delete(left, id)
		}
	}
	if len(left) == 0 {
		return names
	}
	for _, r := range e.Faces.People() {
		if slices.ContainsFunc(e.Faces.IDs(r), func(id string) bool { return left[id] }) {
			names = append(names, e.Faces.Name(r))
		}
	}
	return names
}

// An entry is an image of a set that is being put together.
type entry struct {
	id      string
	quality dataset.Quality
	pixels  []float64
	isNew   bool
}

// A merger is Images being put together, in the units of the first.
type merger struct {
	MergeReport
	first   *dataset.Images
	ids     bool // whether images have IDs
	quality bool
	people  map[string][]entry
	changed map[string]bool // people of the second set
}

// newMerger returns a merger of s without out, and of more.
func newMerger(s, more *dataset.Images, out leaving) *merger {
	m := &merger{
		first: s, ids: s.IDs != nil || more.IDs != nil, quality: s.Quality != nil || more.Quality != nil,
		people: map[string][]entry{}, changed: map[string]bool{},
	}
	for j := range s.Len() {
		if name, e := m.entry(s, j); !slices.Contains(out.people, name) && (name != out.owner || e.id != out.image) {
			m.people[name] = append(m.people[name], e)
		}
	}
	return m
}

// entry is image j of s, and whose it is.
func (m *merger) entry(s *dataset.Images, j int) (string, entry) {
	c := s.ClassOf(j)
	e := entry{pixels: keptValues(s, j, m.first)}
	switch {
	case s.IDs != nil:
		e.id = s.IDs[j]
	case m.ids:
		e.id = inventedID(s.Classes[c], j-s.Groups[c])
	}
	if s.Quality != nil {
		e.quality = s.Quality[j]
	}
	return s.Classes[c], e
}

// inventedID is that of image j of a person whose images have none.
func inventedID(person string, j int) string { return fmt.Sprintf("%s/%04d", person, j+1) }

// add takes in image j of s.
func (m *merger) add(s *dataset.Images, j int) {
	name, e := m.entry(s, j)
	m.changed[name] = true
	asked := e.id
	for n := 2; m.ids; n++ {
		i := slices.IndexFunc(m.people[name], func(o entry) bool { return o.id == e.id })
		if i < 0 {
			break
		}
		if slices.Equal(m.people[name][i].pixels, e.pixels) {
			m.Duplicates = append(m.Duplicates, asked)
			return
		}
		ext := path.Ext(asked)
		e.id = fmt.Sprintf("%s~%d%s", strings.TrimSuffix(asked, ext), n, ext)
	}
	if e.id != asked {
		m.Renames = append(m.Renames, [2]string{asked, e.id})
	}
	m.Additions++
	e.isNew = true
	m.people[name] = append(m.people[name], e)
}

// findDuplicates finds the images that were added and that somebody else has too.
func (m *merger) findDuplicates() {
	type place struct {
		name string
		entry
	}
	there := map[[2]float64][]place{}
	for _, name := range slices.SortedFunc(maps.Keys(m.people), natural.Compare) {
		for _, e := range m.people[name] {
			key := [2]float64{e.pixels[0], floats.Sum(e.pixels)}
			for _, o := range there[key] {
				if (e.isNew || o.isNew) && o.name != name && slices.Equal(o.pixels, e.pixels) {
					m.Twice = append(m.Twice, [2]string{o.id, e.id})
				}
			}
			there[key] = append(there[key], place{name, e})
		}
	}
}

// images are what was put together.
func (m *merger) images() *dataset.Images {
	t := dataset.Unlabelled(nil, m.first.Frame)
	t.Groups, t.White = []int{0}, m.first.White
	t.Classes = slices.SortedFunc(maps.Keys(m.people), natural.Compare)
	var all []entry
	for _, name := range t.Classes {
		own := m.people[name]
		if m.changed[name] {
			slices.SortStableFunc(own, func(a, b entry) int { return comparePaths(a.id, b.id) })
		}
		all = append(all, own...)
		t.Groups = append(t.Groups, len(all))
	}
	t.X = mat.NewDense(len(all[0].pixels), len(all), nil)
	for j, e := range all {
		t.X.SetCol(j, e.pixels)
		if m.ids {
			t.IDs = append(t.IDs, e.id)
		}
		if m.quality {
			t.Quality = append(t.Quality, e.quality)
		}
	}
	return t
}

// comparePaths orders paths as a walk through their folders meets them, each in
// natural order.
func comparePaths(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), natural.Compare)
}
