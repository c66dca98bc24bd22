package large

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/gallery/index"
)

// Enrol returns g with more people, or faces of its people, as gallery.Merge merges them,
// but that it does not look for equal faces of other people.
func (g *Gallery) Enrol(ctx context.Context, more *dataset.Images) (*Gallery, gallery.MergeReport, error) {
	var report gallery.MergeReport
	frame := g.template.Enrolled.Frame
	if !frame.Same(more.Frame) {
		return nil, report, fmt.Errorf("merge: images of %v, and others of %v", frame, more.Frame)
	}
	var there []*index.Person
	for _, name := range more.Classes {
		if r, found := g.faces.Find(name); found {
			p, err := g.faces.Person(r)
			if err != nil {
				return nil, report, err
			}
			there = append(there, p)
		}
	}
	all := more
	if len(there) > 0 {
		before, err := g.images(there)
		if err == nil {
			all, report, err = gallery.Merge(before, more)
		}
		if err != nil || report.Added == 0 {
			return g, report, err
		}
	} else {
		report.Added = more.Len()
	}
	people, err := peopleOf(all)
	if err != nil {
		return nil, gallery.MergeReport{}, err
	}
	next, err := g.with(ctx, people, nil)
	return next, report, err
}

// with is g with these people, and without those of these names.
func (g *Gallery) with(ctx context.Context, people []*index.Person, gone []string) (*Gallery, error) {
	t := *g
	var err error
	if t.faces, err = g.faces.Without(gone...); err == nil {
		t.faces, err = t.faces.With(people...)
	}
	if err != nil {
		return nil, err
	}
	if n, _ := t.faces.Len(); n < classify.LeastClasses {
		return nil, fmt.Errorf("%d people would be left, and recognition needs two", n)
	}
	if err := t.follow(ctx, people, gone); err != nil {
		return nil, err
	}
	return t.decided()
}

// Without returns g without these people, or without the faces with these IDs, which have
// a slash. Who has no face any more is not enrolled.
func (g *Gallery) Without(ctx context.Context, names ...string) (*Gallery, error) {
	var gone []string
	ids := map[string]map[string]bool{} // by person
	for _, name := range names {
		person, _, isID := strings.Cut(name, "/")
		if _, found := g.faces.Find(person); !found {
			if isID {
				return nil, fmt.Errorf("no image is called %q", name)
			}
			return nil, advice.Unknown("person", name, g.Names())
		}
		if isID {
			if ids[person] == nil {
				ids[person] = map[string]bool{}
			}
			ids[person][name] = true
		} else if !slices.Contains(gone, name) {
			gone = append(gone, name)
		}
	}
	var changed []*index.Person
	for person, faces := range ids {
		if slices.Contains(gone, person) {
			continue
		}
		r, _ := g.faces.Find(person)
		p, err := g.faces.Person(r)
		if err != nil {
			return nil, err
		}
		for id := range faces {
			if !slices.Contains(p.IDs, id) {
				return nil, fmt.Errorf("no image is called %q", id)
			}
		}
		if p = without(p, faces); len(p.IDs) == 0 {
			gone = append(gone, person)
		} else {
			changed = append(changed, p)
		}
	}
	slices.SortFunc(changed, func(a, b *index.Person) int { return strings.Compare(a.Name, b.Name) })
	return g.with(ctx, changed, gone)
}

// without is p without the faces with these IDs.
func without(p *index.Person, ids map[string]bool) *index.Person {
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

// Rename returns g with another name for a person, as gallery.Rename.
func (g *Gallery) Rename(ctx context.Context, from, to string) (*Gallery, gallery.MergeReport, error) {
	var report gallery.MergeReport
	r, found := g.faces.Find(from)
	if !found {
		return nil, report, advice.Unknown("person", from, g.Names())
	}
	p, err := g.faces.Person(r)
	if err != nil {
		return nil, report, err
	}
	all, err := g.images([]*index.Person{p})
	if err != nil {
		return nil, report, err
	}
	if all, report, err = gallery.Rename(all, from, to); err != nil {
		return nil, report, err
	}
	report.Added = all.Len()
	if r, found := g.faces.Find(to); found && to != from {
		other, err := g.faces.Person(r)
		if err != nil {
			return nil, report, err
		}
		before, err := g.images([]*index.Person{other})
		if err == nil {
			all, report, err = gallery.Merge(before, all)
		}
		if err != nil {
			return nil, report, err
		}
	}
	people, err := peopleOf(all)
	if err != nil {
		return nil, report, err
	}
	next, err := g.with(ctx, people, []string{from})
	return next, report, err
}
