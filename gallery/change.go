package gallery

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/gallery/index"
)

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
	for _, name := range more.Classes {
		if r, found := x.Find(name); found {
			if err := m.read(x, r); err != nil {
				return nil, MergeReport{}, err
			}
		}
	}
	for j := range more.Groups[len(more.Classes)] {
		m.add(more, j)
	}
	changed, added := m.changed(more.Classes)
	if changed == nil {
		return nil, MergeReport{}, nil
	}
	places, err := x.Equal(added)
	if err != nil {
		return nil, MergeReport{}, err
	}
	for _, p := range slices.Concat(places...) {
		if name := x.Name(p.Ref); m.people[name] == nil {
			if err := m.read(x, p.Ref); err != nil {
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

// read takes the entries of a person of the index.
func (m *merger) read(x *index.Index, r index.Ref) error {
	p, err := x.Person(r)
	if err == nil {
		m.people[p.Name] = entriesOf(p)
	}
	return err
}

// changed returns the people of the names who have new entries, and the new faces; it is nil where an index
// cannot keep them: a face has not unit length, or a value that single precision would change.
func (m *merger) changed(names []string) (changed []*index.Person, added []float32) {
	changed = []*index.Person{}
	for _, name := range names {
		if !m.touched[name] {
			continue
		}
		p := m.person(name)
		if !unit(facesOf(p)) || slices.ContainsFunc(m.people[name], entry.isDouble) {
			return nil, nil
		}
		changed = append(changed, p)
		for _, e := range m.people[name] {
			if e.added {
				added = append(added, singles(e.pixels)...)
			}
		}
	}
	return changed, added
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
	if len(ids) > 0 {
		for _, r := range e.Faces.People() {
			if err := take(r); err != nil {
				return nil, err
			}
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
