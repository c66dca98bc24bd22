package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/lab/experiment"
)

const facesPlan = `{
	"name": "faces",
	"repeats": 2,
	"datasets": [
		{"name": "ten", "title": "Ten drawn people", "synthetic": {"people": 10, "per_person": 8, "size": "24x20"}, "split": "random:3", "noise": [0, 0.2]},
		{"name": "two", "synthetic": {"people": 2, "per_person": 4, "size": "16x14"}, "split": "random:2"}
	],
	"methods": ["nrdl", "crc"]
}`

// benched makes the runs of facesPlan.
func benched(t *testing.T) (*experiment.Databases, []experiment.Record) {
	t.Helper()
	plan, err := experiment.ParsePlan([]byte(facesPlan), "faces.json")
	if err != nil {
		t.Fatal(err)
	}
	data, path := &experiment.Databases{}, filepath.Join(t.TempDir(), "runs.jsonl")
	if _, err := (&experiment.Bench{Databases: data, Jobs: 2}).Run(t.Context(), plan, path); err != nil {
		t.Fatal(err)
	}
	records, err := experiment.ReadRecordsFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return data, records
}

func TestPictures(t *testing.T) {
	data, records := benched(t)
	o := DefaultPictures
	o.Real, o.Side = false, 24
	made, err := Pictures(t.Context(), data, records, o)
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, p := range made {
		titles = append(titles, p.Title)
		if img, err := png.Decode(bytes.NewReader(p.PNG)); err != nil || img.Bounds().Dx() < 60 {
			t.Errorf("%s: picture of %v (%v)", p.Title, img, err)
		}
		if p.Alt == "" || p.Caption == "" {
			t.Errorf("%s has no words", p.Title)
		}
	}
	for _, want := range []string{
		"Atoms learned from Ten drawn people",
		"Test images of Ten drawn people and their reconstructions",
		"People of Ten drawn people that are confused most",
		"Atoms learned from two",
	} {
		if !slices.Contains(titles, want) {
			t.Errorf("%q is not among %q", want, titles)
		}
	}

	// The order in which runs ended does not matter.
	slices.Reverse(records)
	again, err := Pictures(t.Context(), data, records, o)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(made) {
		t.Errorf("records in another order give other pictures (%v)", err)
	}

	testConfusedWords(t, records, made)
	testMissing(t, records, o, made)
}

// The pairs in words are those with the largest sums over the best method's
// runs, counted here in the most simple way.
func testConfusedWords(t *testing.T, records []experiment.Record, made []Picture) {
	rate := map[string]float64{}
	for _, r := range records {
		if r.Dataset.Name == "ten" && r.Noise == 0 {
			rate[r.Label] += r.Rate
		}
	}
	count, most := map[string]int{}, 0
	for _, r := range records {
		if r.Dataset.Name != "ten" || r.Noise != 0 || slices.ContainsFunc(records, func(o experiment.Record) bool { return rate[o.Label] > rate[r.Label] }) {
			continue
		}
		for _, c := range r.Confusions {
			count[c.Person+" for "+c.TakenFor] += c.N
			most = max(most, count[c.Person+" for "+c.TakenFor])
		}
	}
	for _, p := range made {
		if p.Title != "People of Ten drawn people that are confused most" {
			continue
		}
		_, list, _ := strings.Cut(p.Caption, "these images: ")
		for i, s := range strings.Split(strings.TrimSuffix(list, "."), ", ") {
			name, times, _ := strings.Cut(s, " (")
			if times != fmt.Sprintf("%d×)", count[name]) || i == 0 && count[name] != most {
				t.Errorf("%q, counted %d of at most %d", s, count[name], most)
			}
		}
	}
}

// A data set that cannot be had is an error beside the pictures of the others,
// and a real one is not looked for where no real faces are wanted.
func testMissing(t *testing.T, records []experiment.Record, o PictureOptions, made []Picture) {
	records = slices.Clone(records)
	for i := range records {
		if records[i].Dataset.Name == "two" {
			records[i].Dataset.Drawn, records[i].Dataset.Path = nil, "no such folder"
		}
	}
	made = slices.DeleteFunc(slices.Clone(made), func(p Picture) bool { return !strings.Contains(p.Title, "Ten") })
	got, err := Pictures(t.Context(), &experiment.Databases{}, records, o)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(made) {
		t.Errorf("drawn faces only: %d pictures of %d, %v", len(got), len(made), err)
	}
	o.Real = true
	got, err = Pictures(t.Context(), &experiment.Databases{}, records, o)
	if err == nil || !strings.Contains(err.Error(), "pictures of two") || fmt.Sprint(got) != fmt.Sprint(made) {
		t.Errorf("a missing data set: %d pictures of %d, %v", len(got), len(made), err)
	}
}

func TestLargestCoefficients(t *testing.T) {
	if got := largestOf([]float64{0.1, -3, 0, 2, 2}, 3); !slices.Equal(got, []int{1, 3, 4}) {
		t.Errorf("the largest are at %v", got)
	}
}

func TestImagesAreOfPeopleAllOverTheSet(t *testing.T) {
	set := dataset.Unlabelled(nil, dataset.Frame{})
	set.Classes, set.Groups = make([]string, 5), []int{0, 2, 3, 7, 8, 10}
	for n, want := range map[int][]int{1: {0}, 2: {0, 3}, 5: {0, 2, 3, 7, 8}, 9: {0, 2, 3, 7, 8}} {
		if got := spreadOver(set, n); !slices.Equal(got, want) {
			t.Errorf("%d of 5 people: columns %v, want %v", n, got, want)
		}
	}
}

func TestPicturesStop(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	stop(why)
	records := []experiment.Record{{Method: "nrdl", Status: "converged"}}
	records[0].Dataset.Input.Height, records[0].Dataset.Input.Width = 2, 2
	_, err := pictures(ctx, func(ctx context.Context, _ experiment.Record) (*experiment.Rerun, error) {
		return nil, context.Cause(ctx)
	}, records, DefaultPictures)
	if !errors.Is(err, why) {
		t.Errorf("error %v, want %v", err, why)
	}
}

func TestPicturesOfNothing(t *testing.T) {
	if got, err := Pictures(t.Context(), &experiment.Databases{}, nil, DefaultPictures); got != nil || err != nil {
		t.Errorf("%v, %v of no records", got, err)
	}
}
