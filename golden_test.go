package nrdl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// goldenFile has what galleries of drawn faces answered before there was one kind of
// gallery; NRDL_GOLDEN=1 writes it again.
const goldenFile = "testdata/galleries.txt"

// A goldenCase is a gallery of drawn faces.
type goldenCase struct {
	name   string
	faces  int
	each   int // faces of a person
	method classify.Method
	above  int  // Options.ShortlistAbove
	long   bool // only with NRDL_LONG=1
	survey bool
}

func (c goldenCase) String() string {
	if c.above > 0 {
		return fmt.Sprintf("%s %d above %d", c.name, c.faces, c.above)
	}
	return fmt.Sprintf("%s %d", c.name, c.faces)
}

func goldenCases() []goldenCase {
	nrdl := method.DefaultNRDL
	nrdl.Passes = 4
	ksvd := method.DefaultLCKSVD2
	ksvd.Passes = 3
	return []goldenCase{
		{"mean", 10, 2, method.Mean{}, 0, false, true},
		{"nrc", 10, 2, method.DefaultNRC, 0, false, true},
		{"nrdl", 10, 2, nrdl, 0, false, true},
		{"mean", 100, 4, method.Mean{}, 0, false, true},
		{"nrc", 100, 4, method.DefaultNRC, 0, false, true},
		{"crc", 100, 4, method.DefaultCRC, 0, false, false},
		{"nrdl", 100, 4, nrdl, 0, false, false},
		{"lcksvd2", 100, 4, ksvd, 0, false, false},
		// On both sides of the number of faces above which a gallery shortlists, across it
		// when people are added, and far above it.
		{"mean", 100, 4, method.Mean{}, 100, false, false},
		{"mean", 101, 4, method.Mean{}, 100, false, false},
		{"crc", 100, 4, method.DefaultCRC, 40, false, false},
		{"mean", 9_999, 3, method.Mean{}, 0, true, false},
		{"mean", 10_001, 3, method.Mean{}, 0, true, false},
		{"crc", 10_001, 3, method.DefaultCRC, 0, true, false},
		{"mean", 100_000, 4, method.Mean{}, 0, true, false},
	}
}

// goldenAnswer describes what r says of images: digests of all numbers, and some in the open.
func goldenAnswer(t *testing.T, r *Recogniser, images *dataset.Images) string {
	t.Helper()
	h := sha256.New()
	faces := make([]Face, images.Len())
	for j := range faces {
		faces[j].values = mat.Col(nil, j, images.X)
	}
	if err := r.name(t.Context(), faces); err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, f := range faces {
		if f.Known {
			known++
		}
		fmt.Fprintln(h, f.Name, f.Maybe, f.Known, math.Float64bits(f.Probability), math.Float64bits(f.Margin), f.Trained)
		for _, c := range f.Ranked {
			fmt.Fprintln(h, c.Name, math.Float64bits(c.Score))
		}
	}
	line := fmt.Sprintf("%d of %d known, answers %s", known, len(faces), short(h))
	c := r.Model().Calibration
	if c == nil {
		return line + ", no threshold"
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	h = sha256.New()
	h.Write(text)
	line += fmt.Sprintf(", threshold %x, calibration %s", math.Float64bits(c.Threshold), short(h))
	h = sha256.New()
	for _, one := range r.Model().Rates() {
		fmt.Fprintf(h, "%+v\n", one)
	}
	return line + ", rates " + short(h)
}

func short(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:8]) }

// golden returns what the gallery of c says after each of some changes.
func (c goldenCase) golden(t *testing.T) (lines []string) {
	ctx := t.Context()
	people := (c.faces + c.each - 1) / c.each
	all := drawnVectors(t, 1, people, c.each+1)
	var enrolled, held []int
	for p := range people {
		lo, hi := all.Groups[p], all.Groups[p+1]
		for j := lo; j < hi-1; j++ {
			enrolled = append(enrolled, j)
		}
		held = append(held, hi-1)
	}
	enrolled = enrolled[:c.faces]
	var probes []int
	for i := range min(20, people) {
		probes = append(probes, held[i*people/min(20, people)])
	}
	probes = append(probes, enrolled[0], enrolled[len(enrolled)/2])
	asked, strangers := all.Select(probes), drawnVectors(t, 500_000, 20, 1)
	how := openset.Default
	r, err := Train(ctx, all.Select(enrolled), Options{Method: c.method, OpenSet: &how, Seed: 3, ShortlistAbove: c.above})
	tell := func(step string) {
		t.Helper()
		if err != nil {
			t.Fatal(step, err)
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s; strangers: %s", c, step, goldenAnswer(t, r, asked), goldenAnswer(t, r, strangers)))
	}
	tell("train")
	how.FPIR = 0.05
	r, err = r.Calibrate(ctx, how, nil)
	tell("calibrate")
	report := ""
	enrol := func(more *dataset.Images) {
		next, told, failed := r.EnrolAll(ctx, more, false)
		r, err, report = next, failed, fmt.Sprintf(" %+v", told)
	}
	more := drawnVectors(t, 700_000, 3, 2)
	enrol(more)
	tell("add people" + report)
	first := []int{held[0], held[1], held[people-1]}
	again := all.Select(first)
	enrol(again)
	tell("add faces" + report)
	enrol(all.Select([]int{enrolled[0], enrolled[1], held[2]}))
	tell("add known faces" + report)
	next, told, failed := r.Rename(ctx, more.Classes[0], "Zoë")
	r, err = next, failed
	tell(fmt.Sprintf("rename %+v", told))
	next, told, failed = r.Rename(ctx, more.Classes[1], all.Classes[0])
	r, err = next, failed
	tell(fmt.Sprintf("merge %+v", told))
	r, err = r.Remove(ctx, "Zoë", all.Classes[1])
	tell("remove")
	r, err = r.Remove(ctx, all.IDs[enrolled[0]])
	tell("remove a face")
	path := filepath.Join(t.TempDir(), "model.nrdl")
	if err = r.Save(ctx, path); err == nil {
		r, err = Open(path)
	}
	tell("open")
	if r, err = r.Calibrate(ctx, openset.Options{FPIR: 0.02, Prior: 0.3}, drawnVectors(t, 900_000, 30, 1)); err == nil {
		tell("calibrate with strangers")
	} else {
		lines = append(lines, "calibrate with strangers: "+err.Error())
	}
	if c.survey {
		s, err := r.Survey(ctx, true)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(s)
		h := sha256.New()
		h.Write(text)
		suspects, err := suspectsOf(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s survey: %d of %d right, %s, %d suspects", c, s.Right, s.Held, short(h), len(suspects)))
	}
	return lines
}

// suspectsOf are the images of r whose labels look wrong, where a review tells them: not without
// impostors, and not where all faces would have to be compared with each other.
func suspectsOf(ctx context.Context, r *Recogniser) ([]gallery.Suspect, error) {
	if r.m.Impostors() == nil || r.m.Enrolled == nil || r.m.Shortlists() {
		return nil, nil
	}
	review, err := r.m.Review(ctx, nil)
	if err != nil {
		return nil, err
	}
	return review.Suspects, nil
}

// Galleries of 10 to 101 faces give the recorded answers, to the last bit; with NRDL_LONG=1
// those of up to 100,000 faces too.
func TestGoldenGalleries(t *testing.T) {
	if blas.Current() != blas.AVX512 {
		t.Skip("the numbers are those of AVX-512")
	}
	text, _ := os.ReadFile(goldenFile)
	want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	var all []string
	for _, c := range goldenCases() {
		if c.long && os.Getenv("NRDL_LONG") == "" {
			continue
		}
		t.Run(c.String(), func(t *testing.T) {
			got := c.golden(t)
			all = append(all, got...)
			if os.Getenv("NRDL_GOLDEN") != "" {
				return
			}
			for _, line := range got {
				if !slices.Contains(want, line) {
					t.Errorf("now: %s", line)
				}
			}
		})
	}
	if os.Getenv("NRDL_GOLDEN") != "" {
		if err := os.WriteFile(goldenFile, []byte(strings.Join(all, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
