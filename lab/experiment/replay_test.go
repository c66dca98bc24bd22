package experiment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/gallery/file"
	"nrdl.example/nrdl/method"
)

// A record is enough to make its run again: clean and spoilt, tuned, varied and
// traced.
func TestReplay(t *testing.T) {
	library := &Databases{}
	records, _ := benched(t, Bench{Jobs: 2, Databases: library}, parse(t, smallPlan), filepath.Join(t.TempDir(), "r.jsonl"))
	for _, r := range records {
		again, err := Replay(t.Context(), library, r)
		if r.Error != "" {
			if err == nil || !strings.Contains(err.Error(), "a run that failed") {
				t.Errorf("%s: %v", r.Label, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		r.Tuning = nil // is not repeated
		if !again.Record.Same(r) {
			t.Errorf("%s on %s, %s: another result", r.Label, r.Dataset.Name, r.Split)
		}
		_, train := again.Train.X.Dims()
		_, test := again.Test.X.Dims()
		if train != r.Train || test != r.N || len(again.Columns) != r.N {
			t.Errorf("%d images learned from and %d, %d judged, not %d and %d", train, test, len(again.Columns), r.Train, r.N)
		}
		if seed := again.Model.Parts().Seed; seed != r.Seed {
			t.Errorf("%s is learned with the seed %d, not %d", r.Label, seed, r.Seed)
		}
		judged, err := Judge(t.Context(), again.Model, again.Test)
		if err != nil || judged.Wrong != r.Wrong {
			t.Errorf("%s: the model names %d wrongly, not %d, %v", r.Label, judged.Wrong, r.Wrong, err)
		}
	}
}

// Files are found again: at another size, and at that which they have.
func TestReplayOfFiles(t *testing.T) {
	root, set := t.TempDir(), drawn(t)
	for _, name := range []string{"faces.mat", "faces.npz", "faces"} {
		if err := dataset.Save(t.Context(), filepath.Join(root, name), set); err != nil {
			t.Fatal(err)
		}
		p := parse(t, `{"datasets": [{"name": "own", "path": "`+name+`", "split": "random:4"},
			{"name": "small", "path": "`+name+`", "split": "random:4", "size": "6x5", "noise": 0.05}], "methods": ["crc"]}`)
		records, _ := benched(t, Bench{Jobs: 1, Databases: &Databases{Roots: []string{"", root}}}, p, filepath.Join(t.TempDir(), "r.jsonl"))
		for _, r := range records {
			again, err := Replay(t.Context(), &Databases{Roots: []string{root}}, r)
			if err != nil || !again.Record.Same(r) || r.Dataset.Path != name {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestReplayRefuses(t *testing.T) {
	library := &Databases{}
	records, _ := benched(t, Bench{Jobs: 1, Databases: library}, parse(t, aPlan), filepath.Join(t.TempDir(), "r.jsonl"))
	var good Record
	for _, r := range records {
		good = r
	}
	for want, spoil := range map[string]func(*Record){
		"the data are not those of the record": func(r *Record) { r.Dataset.Hash = "0" },
		"unknown method":                       func(r *Record) { r.Method = "crx" },
		"crc: ":                                func(r *Record) { r.Params = json.RawMessage(`{"x":1}`) },
		"unknown split":                        func(r *Record) { r.Split = "x" },
		"density = 2":                          func(r *Record) { r.Noise = 2 },
		"missing does not exist":               func(r *Record) { r.Dataset.Synthetic, r.Dataset.Path = nil, "missing" },
	} {
		r := good
		spoil(&r)
		_, err := Replay(t.Context(), library, r)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "repeat CRC on d: ") {
			t.Errorf("%v, want %s", err, want)
		}
		if strings.Contains(want, "data") && advice.Text(err) == "" {
			t.Errorf("%v has no hint", err)
		}
	}
}

// settingsFor are what the methods need for three images of four people.
var settingsFor = map[string]map[string]string{
	"llc":                    {"coder.neighbours": "3"},
	"ksvd":                   {"sparsity": "2", "init.sparsity": "2", "passes": "3"},
	"dksvd":                  {"sparsity": "2", "init.sparsity": "2", "passes": "3"},
	"lcksvd1":                {"sparsity": "2", "init.sparsity": "2", "passes": "3"},
	"lcksvd2":                {"sparsity": "2", "init.sparsity": "2", "passes": "3"},
	"lcle":                   {"coder.sparsity": "3"},
	"sdrerdl-reconstruction": {"coder.sparsity": "3"},
}

// contestants returns a plan in which every method takes part, and one is tuned.
func everyMethod(t *testing.T) *Plan {
	t.Helper()
	methods := []string{`{"method": "nrc", "label": "tuned", "tune": {"budget": 4, "folds": 3}}`}
	for _, m := range method.All() {
		params, err := json.Marshal(settingsFor[m.Name()])
		if err != nil {
			t.Fatal(err)
		}
		text := `{"method": "` + m.Name() + `"}`
		if string(params) != "null" {
			text = `{"method": "` + m.Name() + `", "params": ` + string(params) + `}`
		}
		methods = append(methods, text)
	}
	return parse(t, `{"datasets": [{"name": "d", "path": "d", "split": "random:3"}], "methods": [`+strings.Join(methods, ",")+`]}`)
}

// poisoned is set with other pixels in the columns.
func poisoned(set *dataset.Images, columns []int) *dataset.Images {
	p := *set
	p.X = mat.DenseCopyOf(set.X)
	d, _ := p.X.Dims()
	for _, j := range columns {
		for i := range d {
			p.X.Set(i, j, float64((i*i+7*j)%251))
		}
	}
	return &p
}

// No pixel of a test image has any influence before the score: neither trials
// nor parameters nor models change with them, and the test images are not made
// before the last fit has ended.
func TestTestImagesAreForTheScore(t *testing.T) {
	set := drawn(t)
	settings, err := everyMethod(t).settings()
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, j := range settings[0].jobs {
		_, judge, err := j.split.Apply(set, j.fit())
		if err != nil {
			t.Fatal(err)
		}
		a, modelA := learned(t, j, set)
		b, modelB := learned(t, j, poisoned(set, judge))
		if !bytes.Equal(modelA, modelB) {
			t.Errorf("%s: another model", j.contestant.label)
		}
		if !a.Same(b) {
			changed++ // as it should: the score
		}
		a.N, a.Wrong, a.Rate, a.ClassErrors, a.Confusions, a.MissedColumns = b.N, b.Wrong, b.Rate, b.ClassErrors, b.Confusions, b.MissedColumns
		if diff := cmp.Diff(a.timeless(), b.timeless()); diff != "" {
			t.Errorf("%s: the test images have changed\n%s", j.contestant.label, diff)
		}
		if (a.Tuning != nil) != (j.contestant.tune != nil) {
			t.Errorf("%s is not tuned", j.contestant.label)
		}
	}
	if n := len(method.All()) + 1; len(settings[0].jobs) != n || changed < n/2 {
		t.Errorf("%d methods, %d scores have changed", len(settings[0].jobs), changed)
	}
}

// learned makes the run of j on set and returns its record and its model. It
// fails where the test images are asked for twice, or before a fit has ended.
func learned(t *testing.T, j *job, set *dataset.Images) (Record, []byte) {
	t.Helper()
	f, err := divide(t.Context(), set, frontend.Pipeline{}, j.split, j.fit(), corruption{})
	if err != nil {
		t.Fatal(err)
	}
	var events []string
	spied, make := *j, f.test
	spied.method = spy{j.method, &events}
	if j.contestant.tune != nil { // which takes methods of package method alone
		spied.method = j.method
	}
	f.test = func() (*dataset.Images, error) {
		events = append(events, "test")
		return make()
	}
	r := spied.record(&loadedSet{set: set, hash: "of no interest"}, set.Frame)
	if err := spied.learn(t.Context(), f, r); err != nil {
		t.Fatal(err)
	}
	want := []string{"fit begins", "fit ends", "test"}
	if j.contestant.tune != nil {
		want = want[2:]
	}
	if !slices.Equal(events, want) {
		t.Errorf("%s: %q, want %q", j.contestant.label, events, want)
	}

	m, err := method.Unmarshal(j.method, r.Params)
	if err != nil {
		t.Fatal(err)
	}
	model, err := learnAndCount(t.Context(), m, f, &Record{Seed: r.Seed}, false)
	if err != nil {
		t.Fatal(err)
	}
	var saved bytes.Buffer
	if err := file.Write(&saved, &gallery.Gallery{Model: model}); err != nil {
		t.Fatal(err)
	}
	return *r, saved.Bytes()
}

// A spy tells when its method fits.
type spy struct {
	classify.Method
	events *[]string
}

func (s spy) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	*s.events = append(*s.events, "fit begins")
	defer func() { *s.events = append(*s.events, "fit ends") }()
	return s.Method.Fit(ctx, train, run)
}

// While a method is tuned nobody asks for the test images.
func TestTuningHasNoTestImages(t *testing.T) {
	const fits = 2*2 + 1 // two trials on two folds, and one of all training images
	var begun atomic.Int32
	settings, err := observed(t, func(classify.Run) { begun.Add(1) }).settings()
	if err != nil {
		t.Fatal(err)
	}
	j := settings[0].jobs[1]
	f, err := divide(t.Context(), drawn(t), frontend.Pipeline{}, j.split, j.fit(), corruption{})
	if err != nil {
		t.Fatal(err)
	}
	set := drawn(t)
	r := j.record(&loadedSet{set: set}, set.Frame)
	make := f.test
	f.test = func() (*dataset.Images, error) {
		if r.Tuning == nil || len(r.Tuning.Trials) != j.contestant.tune.Budget || begun.Load() != fits {
			t.Errorf("the test images are asked for after %d of %d fits", begun.Load(), fits)
		}
		return make()
	}
	if err := j.learn(t.Context(), f, r); err != nil {
		t.Fatal(err)
	}
}

// telling is CRC that tells of its fits; other than a spy it can be tuned.
type telling struct {
	method.CRC
	Told func(classify.Run) `json:"-"`
}

func (m telling) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	m.Told(run)
	return m.CRC.Fit(ctx, train, run)
}

// toldOf is a plan of two settings, with three contestants that tell of their
// fits, one of them tuned.
func observed(t *testing.T, observe func(classify.Run)) *Plan {
	p := parse(t,
		`{"repeats": 2, "datasets": [`+aSet+`], "methods": ["crc", {"method": "crc", "label": "tuned",`+
			` "tune": {"budget": 2, "folds": 2}}, "lrc"]}`)
	for i := range p.contestants {
		p.contestants[i].method = func(string) (classify.Method, error) { return telling{method.DefaultCRC, observe}, nil }
	}
	return p
}

// All fits of a setting have one seed, those of searches too, and records say it.
func TestFitsOfASettingHaveOneSeed(t *testing.T) {
	var used []uint64
	of := map[int]uint64{} // by repeat
	p := observed(t, func(run classify.Run) { used = append(used, run.Seed) })
	_, done := benched(t, Bench{Jobs: 1, Progress: func(now Progress) {
		r := now.Last
		if r == nil {
			return
		}
		if was, ok := of[r.Repeat]; ok && was != r.Seed {
			t.Errorf("%s, repeat %d: seed %d, that of others is %d", r.Label, r.Repeat, r.Seed, was)
		}
		of[r.Repeat] = r.Seed
		if len(used) == 0 || slices.ContainsFunc(used, func(s uint64) bool { return s != r.Seed }) {
			t.Errorf("%s, repeat %d: fits with the seeds %d, not %d", r.Label, r.Repeat, used, r.Seed)
		}
		used = nil
	}}, p, filepath.Join(t.TempDir(), "r.jsonl"))
	if len(of) != 2 || of[0] == of[1] || done.New != 6 || done.Failures != 0 {
		t.Errorf("%+v, seeds %v", done, of)
	}
}

// What the fits of a setting share, and those of a fold of a search, lives until
// the last of them is done, also where a bench is interrupted.
func TestNothingStaysShared(t *testing.T) {
	var units []weak.Pointer[coding.Shared]
	p := observed(t, func(run classify.Run) {
		if unit := weak.Make(run.Unit); !slices.Contains(units, unit) {
			units = append(units, unit)
		}
	})
	alive := func() (n int) {
		runtime.GC()
		for _, u := range units {
			if u.Value() != nil {
				n++
			}
		}
		return n
	}
	dir, library := t.TempDir(), &Databases{}
	benched(t, Bench{Jobs: 1, Databases: library, Progress: func(now Progress) {
		want := min(1, now.New%3) // inside a setting its training samples
		if n := alive(); n != want {
			t.Errorf("after %d runs %d dictionaries are shared, not %d", now.New, n, want)
		}
	}}, p, filepath.Join(dir, "whole.jsonl"))
	if len(units) != 2*(1+2) { // training samples, and those of two folds
		t.Errorf("%d dictionaries", len(units))
	}
	units = nil
	ctx, cancel := context.WithCancel(t.Context())
	b := Bench{Jobs: 1, Databases: library, Progress: func(now Progress) {
		if now.New == 1 {
			cancel()
		}
	}}
	if done, err := b.Run(ctx, p, filepath.Join(dir, "cut.jsonl")); !errors.Is(err, context.Canceled) || done.New != 1 || len(units) == 0 ||
		alive() != 0 {
		t.Errorf("interrupted: %+v, %v, %d of %d dictionaries are shared", done, err, alive(), len(units))
	}
}
