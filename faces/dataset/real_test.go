package dataset

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/internal/testing/realdata"
)

// TestRealSets opens the field's databases; the counts are those that their
// publishers give.
func TestRealSets(t *testing.T) {
	for name, want := range map[string]struct{ images, people, min, max, height, width int }{
		"orl_56x46": {400, 40, 10, 10, 56, 46}, "gt_50x40": {750, 50, 15, 15, 50, 40}, "pie_32x32": {11554, 68, 164, 170, 32, 32},
		"yaleb_32x32": {2414, 38, 59, 64, 32, 32}, "lfw86_32x32": {1251, 86, 11, 20, 32, 32},
	} {
		if want.images > 2000 && os.Getenv("NRDL_LONG") == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			set, warnings := opened(t, realdata.Path(t, "sets", name+".mat"), Size{})
			info := Describe(set)
			got := []int{info.Images, info.People, info.MinImages, info.MaxImages, info.Frame.Height, info.Frame.Width}
			if !slices.Equal(got, []int{want.images, want.people, want.min, want.max, want.height, want.width}) {
				t.Errorf("%v, want %v", got, want)
			}
			if len(warnings) > 0 || len(set.IDs) != want.images || info.Lowest < 0 || info.Highest > 255 {
				t.Errorf("warnings %q, %d IDs, values %v … %v", warnings, len(set.IDs), info.Lowest, info.Highest)
			}
			t.Logf("people %v …, blank %v, constant %v, duplicates %d, conflicts %v",
				set.Classes[:3], info.Blank, info.Constant, len(info.Duplicates), info.Conflicts)
		})
	}
}

// TestRealORL brings the original photographs to the size of the published
// samples, which another program made: the same images in the same order.
func TestRealORL(t *testing.T) {
	want, _ := opened(t, realdata.Path(t, "sets", "orl_56x46.mat"), Size{})
	got, warnings := opened(t, realdata.Path(t, "orl_faces"), Size{Height: 56, Width: 46})
	if len(warnings) > 0 || !slices.Equal(got.Classes, want.Classes) || !slices.Equal(got.IDs, want.IDs) {
		t.Fatalf("warnings %q, people %v, want %v", warnings, got.Classes, want.Classes)
	}
	smallest := 1.0
	for j := range got.IDs {
		smallest = min(smallest, stat.Correlation(mat.Col(nil, j, got.X), mat.Col(nil, j, want.X), nil))
	}
	if smallest < 0.99 || math.IsNaN(smallest) {
		t.Errorf("an image correlates by %v", smallest)
	}
	train, test, err := mustSplit(t, "first:6").Apply(got, 1)
	if err != nil || len(train) != 240 || len(test) != 160 {
		t.Errorf("%d train, %d test, error %v", len(train), len(test), err)
	}
}

// Without NRDL_LONG the first three photographs of each person of the smaller database are read.
func TestRealPhotos(t *testing.T) {
	for name, want := range map[string]struct{ people, images int }{"gt_db": {13, 195}, "lfw86": {86, 1251}} {
		dir := realdata.Path(t, "photos", name)
		if os.Getenv("NRDL_LONG") == "" {
			if name == "lfw86" {
				continue
			}
			dir, want.images = firstThree(t, dir), 3*want.people
		}
		set, warnings := opened(t, dir, Size{})
		if len(set.Classes) != want.people || len(set.IDs) != want.images || len(warnings) > 0 {
			t.Errorf("%s: %d people, %d images, warnings %q", name, len(set.Classes), len(set.IDs), warnings)
		}
	}
}

// firstThree is a folder with links to the photographs 01.jpg to 03.jpg of each person in dir.
func firstThree(t *testing.T, dir string) string {
	links := t.TempDir()
	paths, err := filepath.Glob(filepath.Join(dir, "*", "0[1-3].jpg"))
	for _, path := range paths {
		person := filepath.Join(links, filepath.Base(filepath.Dir(path)))
		err = errors.Join(err, os.MkdirAll(person, 0o777), os.Symlink(path, filepath.Join(person, filepath.Base(path))))
	}
	if err != nil {
		t.Fatal(err)
	}
	return links
}
