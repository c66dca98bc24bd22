package service

import (
	"archive/zip"
	"context"
	"errors"
	"image"
	"path"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/service/store"
	"nrdl.example/nrdl/tags"
)

// isSidecar reports whether a file has the name of a sidecar.
func isSidecar(name string) bool { return strings.EqualFold(path.Ext(name), ".xmp") }

// sidecar is the content of the sidecar of the photograph called name; nil if there is none.
func (i *importer) sidecar(name string) ([]byte, string, error) {
	for _, at := range tags.Sidecars(i.place(name)) {
		if f := i.sidecars[at]; f != nil {
			return i.unpack(f)
		}
	}
	return nil, "", nil
}

// place is the path of a file of the zip by which photographs and sidecars belong together:
// receive has put each upload into a folder of its own.
func (i *importer) place(name string) string {
	if i.request.Photos {
		return path.Base(name)
	}
	return name
}

// findSidecars notes the sidecars in z.
func (i *importer) findSidecars(z *zip.Reader) {
	i.sidecars = map[string]*zip.File{}
	for _, f := range z.File {
		if isSidecar(f.Name) {
			i.sidecars[i.place(f.Name)] = f
		}
	}
}

// tag returns the person of each face that was seen in a photograph, "" for nobody, by its face
// tags, and how many people are new. It notes in the result what became of them.
func (i *importer) tag(ctx context.Context, name string, data []byte, seen []found, photo *store.Photo) (people []string, added int, err error) {
	sidecar, why, err := i.sidecar(name)
	if err != nil {
		return nil, 0, err
	}
	p := tags.Parse("the photograph", data, sidecar)
	if p.Stored == (image.Point{}) { // of a format whose header is not read
		p.Stored = image.Pt(photo.Width, photo.Height)
	}
	faces := make([]face.Seen, len(seen))
	for k, s := range seen {
		faces[k] = s.Seen
	}
	names, missing := face.Tagged(p, faces)
	told := TaggedFile{People: []string{}, Without: []string{}, Problem: why}
	for _, r := range missing {
		told.Without = append(told.Without, r.Name)
	}
	people = make([]string, len(names))
	for k, person := range names {
		if person == "" {
			continue
		}
		id, isNew, err := i.called(ctx, person)
		var status huma.StatusError
		if errors.As(err, &status) || err == nil && seen[k].Refused != nil {
			told.Without = append(told.Without, person)
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		if isNew {
			added++
		}
		people[k] = id
		told.People = append(told.People, person)
	}
	if !slices.ContainsFunc(p.Regions, tags.Region.Usable) && len(told.People) == 0 {
		told.Without = append(told.Without, p.Names...)
	}
	for _, problem := range p.Problems {
		told.Problem = problem.Error()
	}
	const most = 500
	if (p.Named() || told.Problem != "") && len(i.result.Tagged) < most {
		told.Name = i.shown(name)
		i.result.Tagged = append(i.result.Tagged, told)
	}
	return people, added, nil
}

// called returns the person with a name, and adds the person if there is none.
func (i *importer) called(ctx context.Context, name string) (id string, added bool, err error) {
	name, err = dataset.TagName(name)
	if err != nil {
		return "", false, unusable(err)
	}
	j := i.steps.j
	if id, err = i.store.PersonByName(ctx, j.Collection, name); err != nil || id != "" {
		return id, false, err
	}
	p, _, err := i.store.CreatePerson(ctx, j.Actor, j.Collection, name, store.Known, false)
	return p.ID, true, err
}
