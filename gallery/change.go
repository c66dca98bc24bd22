package gallery

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/gallery/index"
	"nrdl.example/nrdl/internal/natural"
)

// Merge adds the images in more to those of e, as the function Merge does.
func (e *Enrolled) Merge(more *dataset.Images) (*Enrolled, MergeReport, error) {
	if e.Faces != nil && (e.hasIDs || more.IDs == nil) {
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

// merge is Merge after the removal of a person, "" for nobody. It reads only the people of
// more and those with faces equal to theirs. It is nil if the index cannot keep a face.
func (e *Enrolled) merge(more *dataset.Images, removed string) (*Enrolled, MergeReport, error) {
	d, _ := e.Faces.Dims()
	if err := mergeable(e.Frame, d, more); err != nil {
		return nil, MergeReport{}, err
	}
	x, c := e.Faces, &change{base: e.Faces}
	var err error
	if removed != "" {
		c.removed = []string{removed}
		if x, err = x.Without(removed); err != nil {
			return nil, MergeReport{}, err
		}
	}
	affected := map[string]index.Ref{}
	for _, name := range more.Classes {
		if r, found := x.Find(name); found {
			affected[name] = r
		}
	}
	var faces []float32
	for j := range more.Len() {
		faces = append(faces, singles(mat.Col(nil, j, more.X))...)
	}
	places, err := x.Equal(faces)
	if err != nil {
		return nil, MergeReport{}, err
	}
	for _, p := range slices.Concat(places...) {
		affected[x.Name(p.Ref)] = p.Ref
	}
	people, err := e.withIndex(x).people(slices.Collect(maps.Values(affected)))
	if err != nil {
		return nil, MergeReport{}, err
	}
	sortPeople(people)
	all, report, err := Merge(e.imagesOf(people), more)
	if err != nil || !searchable(all) {
		return nil, MergeReport{}, err
	}
	c.changed = slices.DeleteFunc(peopleOf(all), func(p *index.Person) bool { return !slices.Contains(more.Classes, p.Name) })
	if x, err = x.With(c.changed...); err != nil {
		return nil, MergeReport{}, err
	}
	t := *e
	t.hasQuality, t.header.Matrix = all.Quality != nil, false
	merged := t.withIndex(x)
	merged.change = c
	return merged, report, nil
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
	t := e.withIndex(x)
	t.change = &change{e.Faces, changed, removed}
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

// Rename returns e with another name for a person, as the function Rename does.
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
