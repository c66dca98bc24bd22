package nrdl

import (
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/draw"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/internal/testing/realdata"
)

// Photographs from the web show others beside the person, who are often larger. Train takes, in half of
// the photographs of each person, the one who agrees with the other photographs, and says so for each;
// the model then names the people in further such photographs, and nobody wrongly.
func TestBystanders(t *testing.T) {
	const people, learned = 5, 4
	all, others := folders(t, "lfw86", learned+3), folders(t, "lfw_several", 1)
	chosen, named, wrong, of, beside := 0, 0, 0, 0, 0
	for draw := range 3 {
		dir := t.TempDir()
		var probes []string
		for i, person := range all[draw*people:][:people] {
			name := fmt.Sprint("p", i)
			for k := range learned + 3 {
				path := filepath.Join(dir, "learned", name, fmt.Sprint(k, ".jpg"))
				if k >= learned {
					path = filepath.Join(dir, name+" "+fmt.Sprint(k)+".jpg")
					probes = append(probes, path)
				}
				other := ""
				if k%2 == 0 {
					other = others[(draw*people+i)*7+k][0]
				}
				if k < learned && other != "" {
					beside++
				}
				writeBeside(t, path, person[k], other)
			}
		}
		var said []string
		o := ReadOptions{Detect: face.Options{Which: face.Agreeing}, Observer: Observer{Warn: func(err error) { said = append(said, err.Error()) }}}
		images, err := Read(t.Context(), filepath.Join(dir, "learned"), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range said {
			if strings.Contains(s, "agrees with the other photographs of the person") && strings.Contains(s, ".jpg") {
				chosen++
			}
		}
		r, err := Train(t.Context(), images, Defaults(images))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range probes {
			person, _, _ := strings.Cut(filepath.Base(path), " ")
			of++
			photo := readImage(t, path)
			faces, err := r.Identify(t.Context(), photo)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range faces {
				switch f.Name {
				case person:
					named++
				case "":
				default:
					wrong++
				}
			}
		}
	}
	t.Logf("%d of %d people beside larger ones are taken; %d of %d photographs named, %d faces wrongly", chosen, beside, named, of, wrong)
	if chosen < beside*9/10 || 100*named < 92*of || wrong > 0 {
		t.Errorf("%d of %d people beside larger ones are taken; %d of %d photographs named, %d faces wrongly", chosen, beside, named, of, wrong)
	}
}

// folders returns the photographs of each person in a folder who has so many, in order.
func folders(t *testing.T, folder string, least int) (people [][]string) {
	files, err := dataset.ImageFiles(realdata.Path(t, "photos", folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if n := len(people); n > 0 && filepath.Dir(people[n-1][0]) == filepath.Dir(file) {
			people[n-1] = append(people[n-1], file)
		} else {
			people = append(people, []string{file})
		}
	}
	return slices.DeleteFunc(people, func(p []string) bool { return len(p) < least })
}

// writeBeside writes the photograph of a person as a file, with another, larger, to its right.
func writeBeside(t *testing.T, path, person, other string) {
	const large = 325 // pixels; photographs of LFW have 250
	m := image.NewRGBA(image.Rect(0, 0, 250, 250))
	if other != "" {
		m = image.NewRGBA(image.Rect(0, 0, 250+large, large))
		from := readImage(t, other)
		draw.CatmullRom.Scale(m, image.Rect(250, 0, 250+large, large), from, from.Bounds(), draw.Src, nil)
	}
	draw.Draw(m, image.Rect(0, 0, 250, 250), readImage(t, person), image.Point{}, draw.Src)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(f, m, &jpeg.Options{Quality: 92}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func readImage(t *testing.T, path string) image.Image {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := jpeg.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
