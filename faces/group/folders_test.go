package group_test

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/draw"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/group"
	"nrdl.example/nrdl/faces/synthetic"
)

// together writes a photograph of two drawn people, the second one smaller.
func together(t *testing.T, path string, first, second *image.Gray) {
	t.Helper()
	const side, small = 240, 160
	img := image.NewGray(image.Rect(0, 0, side+small, side))
	draw.Draw(img, img.Rect, image.NewUniform(color.Gray{Y: 128}), image.Point{}, draw.Src)
	draw.Draw(img, first.Rect, first, image.Point{}, draw.Src)
	draw.CatmullRom.Scale(img, image.Rect(side, 0, side+small, small), second, second.Rect, draw.Src, nil)
	save(t, path, img)
}

func save(t *testing.T, path string, img image.Image) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}

// Who takes the largest face of each photograph in the folder of a group gets the faces of
// the group, of photographs with several faces too.
func TestFoldersHaveTheFacesOfTheirGroups(t *testing.T) {
	const side = 240
	d := synthetic.Default
	d.People, d.PerPerson, d.Input = 2, 3, dataset.Size{Height: side, Width: side}
	d.Seed = 6
	set, err := d.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	grey := func(person, i int) *image.Gray {
		img := image.NewGray(image.Rect(0, 0, side, side))
		for k := range side * side {
			img.SetGray(k/side, k%side, color.Gray{Y: uint8(set.X.At(k, set.Groups[person]+i))})
		}
		return img
	}
	t.Chdir(t.TempDir())
	var paths []string
	for _, name := range []string{"a/1.png", "b/1.png", "c.png"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		together(t, name, grey(0, len(paths)), grey(1, len(paths)))
		paths = append(paths, name)
	}
	cascade, err := face.OpenSearch("cascade") // which finds all faces of these drawings
	if err != nil {
		t.Fatal(err)
	}
	p, err := group.InPhotographs(t.Context(), paths, frontend.Embedding, cascade, group.Default, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Groups) != 2 || len(p.Faces) != 6 {
		t.Fatalf("%d faces in %d groups", len(p.Faces), len(p.Groups))
	}
	var files []string
	for range 2 { // again, nothing changes
		if err := p.WriteFolders(t.Context(), "groups", advice.Go, t.Logf); err != nil {
			t.Fatal(err)
		}
		if files, err = filepath.Glob("groups/*/*"); err != nil {
			t.Fatal(err)
		}
		var people []string
		for _, f := range files {
			people = append(people, filepath.Base(filepath.Dir(f)))
		}
		if want := slices.Concat(slices.Repeat([]string{p.Folder(0)}, 3), slices.Repeat([]string{p.Folder(1)}, 3)); !slices.Equal(people, want) {
			t.Fatalf("%q", files)
		}
	}
	compared(t, files)
	cut := 0
	for _, f := range p.Faces {
		if (f.Cutout == nil) != f.Largest {
			t.Errorf("face %d of photograph %d: %d bytes", f.Number, f.Photograph, len(f.Cutout))
		}
		if f.Cutout != nil {
			cut++
		}
	}
	if cut != 3 {
		t.Errorf("%d faces are cut out", cut)
	}
	page, err := os.ReadFile("groups/index.html")
	if err != nil || !strings.Contains(string(page), advice.Go.Action(group.Training("groups"))) ||
		strings.Count(string(page), "data:image/jpeg") != 6 {
		t.Errorf("the page: %v", err)
	}
}

// compared wants the largest faces of files to come into the same groups again, by
// folder.
func compared(t *testing.T, files []string) {
	t.Helper()
	p, err := group.InPhotographs(t.Context(), files, frontend.Embedding, nil, group.Default, nil)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]int{}
	for g, members := range p.Groups {
		for _, f := range members.Faces {
			if !p.Faces[f].Largest {
				continue
			}
			folder := filepath.Dir(files[p.Faces[f].Photograph])
			if of[folder] == 0 {
				of[folder] = g + 1
			}
			if of[folder] != g+1 {
				t.Errorf("the largest face of %s is of another person", files[p.Faces[f].Photograph])
			}
		}
	}
	if len(of) != 2 || of[filepath.Dir(files[0])] == of[filepath.Dir(files[len(files)-1])] {
		t.Errorf("groups of the folders: %v", of)
	}
}
