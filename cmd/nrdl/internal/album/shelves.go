package album

import (
	"cmp"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/internal/natural"
)

// A shelf has the photographs of a person, or those with unknown faces, or without a face.
type shelf struct {
	Name    string
	Person  bool
	Caption string
	folder  string
	photos  []*photo
	best    float64 // share of its photograph that the largest face has
	faceOf  *photo
	box     *results.Box
}

// href is the address of a page of s in a page of the folder from.
func (s *shelf) href(from string, number int) template.URL {
	name := indexFile
	if number > 1 {
		name = strconv.Itoa(number) + ".html"
	}
	return address(from, peopleFolder+"/"+s.folder+"/"+name)
}

// address is the relative address of the file at path in a page in a folder, both in the album.
func address(from, path string) template.URL {
	up := ""
	if from != "" {
		up = strings.Repeat("../", 1+strings.Count(from, "/"))
	}
	return template.URL(up + (&url.URL{Path: path}).EscapedPath())
}

// shelves divides photographs, and sorts the people by name.
func shelves(all []*photo) (list []*shelf) {
	people := map[string]*shelf{}
	unknown := &shelf{Name: "Unknown faces", Caption: "Photographs with faces that have no name.", folder: dataset.Unknown}
	faceless := &shelf{Name: "No face", Caption: "Photographs in which no usable face was found.", folder: dataset.NoFaceFolder}
	for _, p := range all {
		if p.Error != "" {
			continue
		}
		seen, stranger := map[string]bool{}, false
		for i, f := range p.Faces {
			if f.Name == nil {
				stranger = stranger || f.Refused == ""
				continue
			}
			s := people[*f.Name]
			if s == nil {
				s = &shelf{Name: *f.Name, Person: true}
				people[*f.Name] = s
			}
			if !seen[s.Name] {
				seen[s.Name] = true
				s.photos = append(s.photos, p)
			}
			s.consider(p, p.Faces[i].Box)
		}
		switch {
		case stranger:
			unknown.photos = append(unknown.photos, p)
		case len(seen) == 0:
			faceless.photos = append(faceless.photos, p)
		}
	}
	var names []string
	for name := range people {
		names = append(names, name)
	}
	slices.SortFunc(names, natural.Compare)
	for i, folder := range dataset.FolderNames(names) {
		s := people[names[i]]
		s.folder = folder
		list = append(list, s)
	}
	for _, s := range []*shelf{unknown, faceless} {
		if len(s.photos) > 0 {
			list = append(list, s)
		}
	}
	for _, s := range list {
		slices.SortStableFunc(s.photos, func(a, b *photo) int {
			return cmp.Or(a.date.Compare(b.date), natural.Compare(a.File, b.File))
		})
	}
	return list
}

// consider takes the face in box as the picture of s if it is the largest so far.
func (s *shelf) consider(p *photo, box *results.Box) {
	share := 0.0
	if box != nil && p.Size != nil {
		share = float64(box.Width*box.Height) / float64(p.Size.Width*p.Size.Height)
	}
	if s.faceOf == nil || share > s.best {
		s.best, s.faceOf, s.box = share, p, box
	}
}
