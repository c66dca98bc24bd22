package group_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/group"
	"nrdl.example/nrdl/internal/testing/realdata"
)

// The preset of the network is enough to group photographs: three people of Georgia
// Tech come into three groups.
func TestPhotographsOfThePreset(t *testing.T) {
	var paths, people []string
	for _, person := range []string{"s02", "s04", "s05"} {
		for i := range 3 {
			paths = append(paths, realdata.Path(t, "photos", "gt_db", person, fmt.Sprintf("%02d.jpg", i+1)))
			people = append(people, person)
		}
	}
	p, err := group.InPhotographs(t.Context(), paths, frontend.Embedding, nil, group.Default, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Faces) != len(paths) || len(p.Groups) != 3 {
		t.Errorf("%d faces in %d groups", len(p.Faces), len(p.Groups))
	}
	for _, g := range p.Groups {
		for _, f := range g.Faces {
			if a, b := p.Faces[g.Faces[0]].Photograph, p.Faces[f].Photograph; people[a] != people[b] {
				t.Errorf("%s and %s are in one group", filepath.Base(paths[a]), filepath.Base(paths[b]))
			}
		}
	}
}
