package reference_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/testing/realdata"
	"nrdl.example/nrdl/lab/reference"
)

// An image of a set that a test changes: its person, from 1, and its pixels.
type image struct {
	person int
	pixels []float64
}

func taken(set *dataset.Images) (all []image) {
	for j := range set.Len() {
		all = append(all, image{set.ClassOf(j) + 1, mat.Col(nil, j, set.X)})
	}
	return all
}

// put makes a set of images, in their order. People have numbers for names.
func put(t *testing.T, all []image, size dataset.Size) *dataset.Images {
	t.Helper()
	x := mat.NewDense(len(all[0].pixels), len(all), nil)
	var labels []string
	for j, im := range all {
		x.SetCol(j, im.pixels)
		labels = append(labels, string(rune('a'+im.person/26))+string(rune('a'+im.person%26)))
	}
	set, err := dataset.NewImages(x, labels, nil, nil, dataset.Frame{Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// changes are what users do to a set without noticing, and what Check says of it.
var changes = []struct {
	name string
	do   func(all []image, size dataset.Size) ([]image, dataset.Size)
	says []string // a part of each difference
}{
	{"nothing", func(all []image, s dataset.Size) ([]image, dataset.Size) { return all, s }, nil},
	{"row by row", func(all []image, s dataset.Size) ([]image, dataset.Size) { return rows(all, s), s }, []string{"the same, but transposed"}},
	{"transposed, sides exchanged", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		return rows(all, s), dataset.Size{Height: s.Width, Width: s.Height}
	}, []string{"the images are ", "the same, but transposed"}},
	{"upside down", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		return each(all, func(v []float64) {
			for x := range s.Width {
				slices.Reverse(v[x*s.Height : (x+1)*s.Height])
			}
		}), s
	}, []string{"the pixels of at least one image"}},
	{"no size", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		return all,
			dataset.Size{}
	}, []string{"the images are vectors of "}},
	{"0 to 1", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		return each(all, func(v []float64) {
			for i := range v {
				v[i] /= 255
			}
		}), s
	}, []string{"the same, but for their order"}},
	{"0 to 1 in single precision", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		return each(all, func(v []float64) {
			for i := range v {
				v[i] = float64(float32(v[i] / 255))
			}
		}), s
	}, []string{"the same, but for their order"}},
	{"-1 to 1", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		return each(all, func(v []float64) {
			for i := range v {
				v[i] = v[i]/127.5 - 1
			}
		}), s
	}, []string{"the same, but for their order"}},
	{"unit length", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		return each(all, func(v []float64) {
			norm := 0.0
			for _, x := range v {
				norm += x * x
			}
			for i := range v {
				v[i] /= max(math.Sqrt(norm), 1)
			}
		}), s
	}, []string{"the same, but for their order"}},
	{"one brighter", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		return one(all, 7, func(v []float64) {
			for i := range v {
				v[i] += 1
			}
		}), s
	}, []string{"the same, but for their order"}},
	{"one pixel", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		return one(all, 7, func(v []float64) {
			if v[30]++; v[30] > 255 {
				v[30] = 254
			}
		}), s
	}, []string{"the pixels of at least one image"}},
	{"one replaced", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		return one(all, 7, func(v []float64) {
			for i := range v {
				v[i] = float64(i % 251)
			}
		}), s
	}, []string{"the pixels of at least one image"}},
	{"one missing", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		return slices.Delete(all, 7, 8),
			s
	}, []string{" images, not "}},
	{"one twice", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		return slices.Insert(all, 8, all[7]),
			s
	}, []string{" images, not "}},
	{"one under another person", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		all[6].person = 1
		return all, s
	}, []string{"the people have other numbers of images", "the same, but for their order"}},
	{"one instead of another", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		all[8].pixels = all[7].pixels
		return all, s
	}, []string{"the pixels of at least one image"}},
	{"wrong labels", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		all[7].pixels, all[12].pixels = all[12].pixels, all[7].pixels
		return all, s
	}, []string{"the same, but for their order"}},
	{"people in another order", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		last := all[len(all)-1].person
		for j := range all {
			all[j].person = last + 1 - all[j].person
		}
		return all, s
	}, []string{"the same, but for their order"}},
	{"images of a person in another order", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		all[6], all[7] = all[7], all[6]
		return all, s
	}, []string{"the same, but for their order"}},
	{"another size", func(all []image, s dataset.Size) ([]image, dataset.Size) {
		small := dataset.Size{Height: s.Height / 2, Width: s.Width / 2}
		for j, im := range all {
			v := make([]float64, small.Len())
			for x := range small.Width {
				for y := range small.Height {
					for _, from := range []int{0, 1, s.Height, s.Height + 1} {
						v[x*small.Height+y] += im.pixels[2*x*s.Height+2*y+from] / 4
					}
				}
			}
			all[j].pixels = v
		}
		return all, small
	}, []string{"the images are "}},
}

func each(all []image, do func([]float64)) []image {
	for _, im := range all {
		do(im.pixels)
	}
	return all
}

func one(all []image, j int, do func([]float64)) []image {
	do(all[j].pixels)
	return all
}

func rows(all []image, s dataset.Size) []image {
	for j, im := range all {
		v := make([]float64, s.Len())
		for x := range s.Width {
			for y := range s.Height {
				v[y*s.Width+x] = im.pixels[x*s.Height+y]
			}
		}
		all[j].pixels = v
	}
	return all
}

func TestCheckDrawn(t *testing.T) {
	faces := synthetic.Default
	faces.People, faces.PerPerson, faces.Input = 8, 6, dataset.Size{Height: 24, Width: 20}
	set, err := faces.Draw(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	set.X.Apply(func(_, _ int, v float64) float64 { return math.Round(v) }, set.X)
	testChanges(t, set, reference.Of("drawn", set))
}

func testChanges(t *testing.T, set *dataset.Images, db *reference.Database) {
	t.Helper()
	for _, c := range changes {
		all, size := c.do(taken(set), set.Frame.Size)
		r, err := reference.Check(put(t, all, size), db)
		if err != nil {
			t.Fatal(err)
		}
		if r.Same != (c.says == nil) || len(r.Differences) != len(c.says) {
			t.Errorf("%s: %q", c.name, r.Differences)
			continue
		}
		for i, part := range c.says {
			if !strings.Contains(r.Differences[i], part) {
				t.Errorf("%s: %q lacks %q", c.name, r.Differences[i], part)
			}
		}
	}
}

// The files of the databases are those that the package knows, each of them is
// recognised, also by a single image, and what is done to a copy is found.
func TestRealDatabases(t *testing.T) {
	for _, db := range reference.Databases() {
		if db.Name != "orl" && db.Name != "gt" && os.Getenv("NRDL_LONG") == "" {
			continue
		}
		set, err := dataset.Open(context.Background(), realdata.Path(t, filepath.FromSlash(db.File)), dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := reference.Check(set, nil)
		if err != nil || !r.Same || r.Database.Name != db.Name {
			t.Errorf("%s: %+v, error %v", db.Name, r, err)
		}
		if of := reference.Of(db.Name, set); of.Sorted != db.Sorted {
			t.Errorf("%s: databases.json has another hash than go generate would write", db.Name)
		}
		if found := reference.Recognise(set); found == nil || found.Name != db.Name {
			t.Errorf("%s is recognised as %v", db.Name, found)
		}
		if db.Name != "gt" {
			continue
		}
		if found := reference.Recognise(set.Select([]int{0, 20})); found != nil {
			t.Errorf("two images are recognised as %s", found.Name)
		}
		few := put(t, taken(set)[:8*15], set.Frame.Size)
		var kept []image
		for j, im := range taken(few) {
			if j%15 < 6 {
				kept = append(kept, im)
			}
		}
		few = put(t, kept, set.Frame.Size)
		testChanges(t, few, reference.Of("gt", few))
	}
}

// A folder of the original photographs is ORL, resized by another program.
func TestRealOriginals(t *testing.T) {
	r, err := reference.CheckFile(t.Context(), realdata.Path(t, "orl_faces"), "", nil)
	if err != nil || r.Same || r.Database.Name != "orl" || !slices.Equal(r.Differences, []string{"the pixels of at least one image"}) {
		t.Errorf("%+v, error %v", r, err)
	}
}

// A set that lacks images of AR says so.
func TestAR(t *testing.T) {
	ar, err := reference.Named("ar")
	if err != nil {
		t.Fatal(err)
	}
	var all []image
	for j := range 14 * 99 {
		all = append(all, image{j / 14, []float64{1, float64(j)}})
	}
	r, err := reference.Check(put(t, all, dataset.Size{}), ar)
	if err != nil || r.Same || !slices.Contains(r.Differences, "99 people, not 100") ||
		!slices.Contains(r.Differences, "1386 images, not 1399") {
		t.Errorf("%+v, error %v", r, err)
	}
}

func TestUnlike(t *testing.T) {
	faces := synthetic.Default
	faces.People, faces.PerPerson, faces.Input = 3, 2, dataset.Size{Height: 9, Width: 7}
	set, err := faces.Draw(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reference.Check(set, nil); err == nil || !strings.Contains(err.Error(), "any of the five databases") {
		t.Errorf("error %v", err)
	}
	if _, err := reference.Named("orll"); err == nil {
		t.Error("orll is a database")
	}
	if len(reference.Databases()) != 5 {
		t.Errorf("%d databases", len(reference.Databases()))
	}
}
