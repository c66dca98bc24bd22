package faces

import (
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/draw"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
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
		var warnings []string
		o := ReadOptions{
			Detect:   face.Options{Which: face.Agreeing},
			Observer: Observer{Warn: func(err error) { warnings = append(warnings, err.Error()) }},
		}
		images, err := Read(t.Context(), filepath.Join(dir, "learned"), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range warnings {
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

// Of several faces in a photograph of a new person, that is taken which is like the other photographs
// of the person; a stranger beside somebody who is known is not.
func TestBystanderOfNewPerson(t *testing.T) {
	all, dir := folders(t, "lfw86", 4), t.TempDir()
	known, zoe, stranger := all[0], all[1], all[2][0]
	for k := range 3 {
		for i, person := range [][]string{known, all[3]} {
			writeBeside(t, filepath.Join(dir, "learned", fmt.Sprint("p", i), fmt.Sprint(k, ".jpg")), person[k], "")
		}
	}
	images, err := Read(t.Context(), filepath.Join(dir, "learned"), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Train(t.Context(), images, Defaults(images))
	if err != nil {
		t.Fatal(err)
	}
	var files []dataset.File
	for i, pair := range [][2]string{{zoe[0], ""}, {zoe[1], ""}, {known[3], stranger}, {zoe[2], stranger}} {
		path := filepath.Join(dir, fmt.Sprint(i, ".jpg"))
		writeBeside(t, path, pair[0], pair[1])
		files = append(files, dataset.File{Path: path, ID: fmt.Sprint(i), Person: "zoe"})
	}
	got, err := r.ReadFiles(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.IDs, []string{"0", "1", "3"}) {
		t.Fatalf("%v are taken", got.IDs)
	}
	var cosine mat.Dense
	cosine.Mul(got.X.T(), got.X)
	if c := cosine.At(2, 0) / math.Sqrt(cosine.At(0, 0)*cosine.At(2, 2)); c < face.DefaultAgree.Like {
		t.Errorf("the cosine of the chosen face is %v", c)
	}
}

// folders returns the photographs of each person in a folder who has so many, in order.
func folders(t *testing.T, folder string, minPhotos int) (people [][]string) {
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
	return slices.DeleteFunc(people, func(p []string) bool { return len(p) < minPhotos })
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
