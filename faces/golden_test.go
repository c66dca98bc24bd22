package faces

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/testing/lacking"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// goldenFile has what galleries of drawn faces say by the portable back end; NRDL_GOLDEN=1 writes it again.
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

// tells reports whether line, of the file, is of c.
func (c goldenCase) tells(line string) bool {
	rest, ok := strings.CutPrefix(line, c.String()+" ")
	return ok && !strings.HasPrefix(rest, "above")
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
	ksvd.Passes, ksvd.Sparsity = 3, 10
	return []goldenCase{
		{"mean", 10, 2, method.Mean{}, 0, false, true},
		{"nrc", 10, 2, method.DefaultNRC, 0, false, true},
		{"nrdl", 10, 2, nrdl, 0, false, true},
		{"mean", 100, 4, method.Mean{}, 0, false, true},
		{"nrc", 40, 4, method.DefaultNRC, 0, false, true},
		{"crc", 40, 4, method.DefaultCRC, 0, false, false},
		{"nrdl", 40, 4, nrdl, 0, false, false},
		{"lcksvd2", 40, 4, ksvd, 0, false, false},
		// On both sides of the number of faces above which a gallery shortlists, across it
		// when people are added, and far above it.
		{"mean", 40, 4, method.Mean{}, 40, false, false},
		{"mean", 41, 4, method.Mean{}, 40, false, false},
		{"crc", 40, 4, method.DefaultCRC, 20, false, false},
		{"nrc", 100, 4, method.DefaultNRC, 0, true, true},
		{"crc", 100, 4, method.DefaultCRC, 0, true, false},
		{"nrdl", 100, 4, nrdl, 0, true, false},
		{"lcksvd2", 100, 4, ksvd, 0, true, false},
		{"mean", 100, 4, method.Mean{}, 100, true, false},
		{"mean", 101, 4, method.Mean{}, 100, true, false},
		{"crc", 100, 4, method.DefaultCRC, 40, true, false},
		{"mean", 9_999, 3, method.Mean{}, 0, true, false},
		{"mean", 10_001, 3, method.Mean{}, 0, true, false},
		{"crc", 10_001, 3, method.DefaultCRC, 0, true, false},
		{"mean", 100_000, 4, method.Mean{}, 0, true, false},
	}
}

// A goldenPart is one kind of what a gallery says.
type goldenPart struct {
	kind    string
	words   []string // names and whatever else is no number
	numbers []float64
}

func (p *goldenPart) add(words ...string)      { p.words = append(p.words, words...) }
func (p *goldenPart) count(numbers ...float64) { p.numbers = append(p.numbers, numbers...) }

// addJSON adds what the JSON form of value has, with the members of objects in order.
func (p *goldenPart) addJSON(t *testing.T, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var read any
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	p.addRead(read)
}

func (p *goldenPart) addRead(value any) {
	switch v := value.(type) {
	case float64:
		p.count(v)
	case []any:
		p.add(fmt.Sprint(len(v), " of"))
		for _, one := range v {
			p.addRead(one)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			p.add(key)
			p.addRead(v[key])
		}
	default:
		p.add(fmt.Sprint(v))
	}
}

// addFaces adds what r says of images, and returns how many it knows.
func (p *goldenPart) addFaces(t *testing.T, r *Recogniser, images *dataset.Images) (known int) {
	t.Helper()
	faces := make([]Face, images.Len())
	for j := range faces {
		faces[j].values = mat.Col(nil, j, images.X)
	}
	if err := r.name(t.Context(), faces); err != nil {
		t.Fatal(err)
	}
	for _, f := range faces {
		if f.Known {
			known++
		}
		p.add(f.Name, f.Maybe, fmt.Sprint(f.Known), f.TrainedID)
		p.count(f.Probability, f.Margin)
		for _, c := range slices.SortedFunc(slices.Values(f.Ranking), func(a, b Candidate) int { return strings.Compare(a.Name, b.Name) }) {
			p.add(c.Name)
			p.count(c.Score)
		}
	}
	return known
}

// digest is of all words, and of all numbers to the last bit.
func (p goldenPart) digest() string {
	h := sha256.New()
	for _, word := range p.words {
		fmt.Fprintln(h, word)
	}
	for _, number := range p.numbers {
		fmt.Fprintln(h, math.Float64bits(number))
	}
	return p.kind + " " + hex.EncodeToString(h.Sum(nil)[:8])
}

// A goldenStep is what a gallery says after a change.
type goldenStep struct {
	open  string // what a person should see
	parts []goldenPart
}

func (s goldenStep) String() string {
	line := s.open
	for _, p := range s.parts {
		line += ", " + p.digest()
	}
	return line
}

// goldenAnswers is what r says of images and of faces of strangers after a change.
func goldenAnswers(t *testing.T, change string, r *Recogniser, images, strangers *dataset.Images) goldenStep {
	t.Helper()
	answers, strange := goldenPart{kind: "answers"}, goldenPart{kind: "of strangers"}
	known := answers.addFaces(t, r, images)
	s := goldenStep{fmt.Sprintf("%s: %d of %d known, %d of %d strangers",
		change, known, images.Len(), strange.addFaces(t, r, strangers), strangers.Len()), []goldenPart{answers, strange}}
	if c := r.Model().Calibration; c == nil {
		s.open += ", no threshold"
	} else {
		s.open += fmt.Sprint(", threshold ", c.Threshold)
		calibration, rates := goldenPart{kind: "calibration"}, goldenPart{kind: "rates"}
		calibration.addJSON(t, c)
		rates.addJSON(t, r.Model().Rates())
		s.parts = append(s.parts, calibration, rates)
	}
	return s
}

// golden returns what the gallery of c says after each of some changes. If shaken, each element of
// the vectors is one unit in the last place of float32 away.
func (c goldenCase) golden(t *testing.T, shaken bool) (steps []goldenStep) {
	ctx := t.Context()
	people := (c.faces + c.each - 1) / c.each
	draw := func(first, people, each int) *dataset.Images {
		images := drawnVectors(t, first, people, each)
		if shaken {
			rng := rand.New(rand.NewPCG(uint64(first), 1))
			images.X.Apply(func(_, _ int, v float64) float64 {
				return float64(math.Nextafter32(float32(v), float32(4*rng.IntN(2)-2)))
			}, images.X)
		}
		return images
	}
	all := draw(1, people, c.each+1)
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
	asked, strangers := all.Select(probes), draw(500_000, 20, 1)
	how := openset.Default
	r, err := Train(ctx, all.Select(enrolled), Options{Method: c.method, OpenSet: &how, Seed: 3, ShortlistAbove: c.above})
	tell := func(step string) {
		t.Helper()
		if err != nil {
			t.Fatal(step, err)
		}
		steps = append(steps, goldenAnswers(t, c.String()+" "+step, r, asked, strangers))
	}
	tell("train")
	how.FPIR = 0.05
	r, err = r.Calibrate(ctx, how, nil)
	tell("calibrate")
	report := ""
	enrol := func(more *dataset.Images) {
		next, merged, failed := r.EnrolAll(ctx, more, false)
		r, err, report = next, failed, fmt.Sprintf(" %+v", merged)
	}
	more := draw(700_000, 3, 2)
	enrol(more)
	tell("add people" + report)
	first := []int{held[0], held[1], held[people-1]}
	again := all.Select(first)
	enrol(again)
	tell("add faces" + report)
	enrol(all.Select([]int{enrolled[0], enrolled[1], held[2]}))
	tell("add known faces" + report)
	next, merged, failed := r.Rename(ctx, more.Classes[0], "Zoë")
	r, err = next, failed
	tell(fmt.Sprintf("rename %+v", merged))
	next, merged, failed = r.Rename(ctx, more.Classes[1], all.Classes[0])
	r, err = next, failed
	tell(fmt.Sprintf("merge %+v", merged))
	r, err = r.Remove(ctx, "Zoë", all.Classes[1])
	tell("remove")
	r, err = r.Remove(ctx, all.IDs[enrolled[0]])
	tell("remove a face")
	path := filepath.Join(t.TempDir(), "model.nrdl")
	if err = r.Save(ctx, path); err == nil {
		r, err = Open(path)
	}
	tell("open")
	if r, err = r.Calibrate(ctx, openset.Options{FPIR: 0.02, Prior: 0.3}, draw(900_000, 30, 1)); err == nil {
		tell("calibrate with strangers")
	} else {
		steps = append(steps, goldenStep{open: c.String() + " calibrate with strangers: " + err.Error()})
	}
	if c.survey {
		s, err := r.Survey(ctx, true)
		if err != nil {
			t.Fatal(err)
		}
		survey := goldenPart{kind: "survey"}
		survey.addJSON(t, s)
		suspects, err := suspectsOf(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		survey.addJSON(t, suspects)
		steps = append(steps,
			goldenStep{fmt.Sprintf("%s survey: %d of %d right, %d suspects", c, s.Right, s.Held, len(suspects)), []goldenPart{survey}})
	}
	return steps
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

// goldenBits reports whether this processor gives the recorded bits: the portable back end, and
// functions of package math, round otherwise where the compiler or they fuse operations otherwise.
func goldenBits() bool { return runtime.GOARCH == "amd64" && cpu.X86.HasFMA }

// Galleries of 10 to 100 faces say what is recorded, to the last bit, with the portable back end
// of the linear algebra, which every machine has; with NRDL_LONG=1 those of up to 100,000 faces too.
// NRDL_GOLDEN=1 writes the file again; lines of galleries that do not run stay.
func TestGoldenGalleries(t *testing.T) {
	text, _ := os.ReadFile(goldenFile)
	want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	writing := os.Getenv("NRDL_GOLDEN") != ""
	usePortable(t)
	lines := map[string][]string{} // of each case
	for _, c := range goldenCases() {
		lines[c.String()] = slices.DeleteFunc(slices.Clone(want), func(line string) bool { return !c.tells(line) })
		if c.long && os.Getenv("NRDL_LONG") == "" {
			continue
		}
		t.Run(c.String(), func(t *testing.T) {
			var got []string
			for _, s := range c.golden(t, false) {
				got = append(got, s.String())
			}
			if writing {
				lines[c.String()] = got
			} else if goldenBits() && !slices.Equal(got, lines[c.String()]) {
				t.Errorf("it says\n%s\nand not\n%s", strings.Join(got, "\n"), strings.Join(lines[c.String()], "\n"))
			}
		})
	}
	switch {
	case !goldenBits():
		lacking.Skip(t, "the recorded bits are those of processors of the x86-64 family with FMA; every other check ran")
	case writing:
		var all []string
		for _, c := range goldenCases() {
			all = append(all, lines[c.String()]...)
		}
		if err := os.WriteFile(goldenFile, []byte(strings.Join(all, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func usePortable(t *testing.T) {
	before := blas.Current()
	t.Cleanup(func() { _ = blas.Use(before) })
	_ = blas.Use(blas.Go) // which is there always
}

// Every back end that this machine has says what the portable one says: the same words, and
// numbers that differ by less than they do if all elements of all vectors are moved by one
// unit in the last place of float32, in which vectors are stored. The bound follows from the
// error analysis of sums and solves: what a back end computes is right for vectors that differ by at
// most γₙ = n·u/(1 − n·u) of their size, u = 2⁻⁵³, and γₙ of n ≤ 10⁶ products is far less than 2⁻²⁴.
func TestGalleriesOfBackEnds(t *testing.T) {
	for _, c := range goldenCases() {
		if c.faces > 1000 || c.long && os.Getenv("NRDL_LONG") == "" {
			continue
		}
		t.Run(c.String(), func(t *testing.T) {
			usePortable(t)
			portable := c.golden(t, false)
			bounds := farthest(t, "moved vectors", c.golden(t, true), portable)
			for _, b := range blas.Available() {
				if b == blas.Go {
					continue
				}
				if err := blas.Use(b); err != nil {
					t.Fatal(err)
				}
				far := farthest(t, b.String(), c.golden(t, false), portable)
				for part, d := range far {
					if d > bounds[part] {
						t.Errorf("%v: %s differ by %.2g, more than %.2g", b, part, d, bounds[part])
					}
				}
			}
		})
	}
}

// farthest returns the largest difference of the numbers of each part, as a part of a number above 1.
// Other words are an error.
func farthest(t *testing.T, who string, a, b []goldenStep) map[string]float64 {
	t.Helper()
	if len(a) != len(b) {
		t.Fatalf("%s: %d steps, not %d", who, len(a), len(b))
	}
	far := map[string]float64{}
	for i, s := range a {
		for k, p := range s.parts {
			q := b[i].parts[k]
			if p.kind != q.kind || !slices.Equal(p.words, q.words) || len(p.numbers) != len(q.numbers) {
				t.Errorf("%s: other words in %s: %s", who, p.kind, s.open)
				continue
			}
			for j, x := range p.numbers {
				if y := q.numbers[j]; x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
					if d := math.Abs(x-y) / max(1, math.Abs(x)); !(d <= far[p.kind]) {
						far[p.kind] = d
					}
				}
			}
		}
	}
	return far
}
