package experiment

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/kit/npz"
	"nrdl.example/nrdl/method"
)

// smallPlan has all that a plan can ask for, and one method that fails: the
// atoms of a person are more than its training images.
const smallPlan = `{"name": "small", "seed": 5, "repeats": 2, "datasets": [
	{"name": "d", "synthetic": {"people": 4, "per_person": 6, "size": "10x8"}, "split": ["random:3", "first:3"], "noise": [0, 0.05]},
	{"name": "c", "synthetic": {"people": 4, "per_person": 6, "size": "10x8"}, "split": "half", "occlusion": [0, 0.2]}],
	"methods": ["crc", {"method": "nrdl", "trace": true}, {"method": "crc", "vary": {"kappa": [0.1, 10]}},
		{"method": "nrc", "label": "tuned", "tune": {"budget": 3, "folds": 3}},
		{"method": "lcksvd2", "label": "fails", "params": {"atoms": 5}}]}`

// smallRuns and smallFailures are the runs of smallPlan, and those that fail.
const (
	smallSettings = 2 + 1 + 2 + 2 + 2 + 2
	smallRuns     = 6 * smallSettings
	smallFailures = smallSettings
)

// benched runs p at path, as b says, and returns the records by key.
func benched(t testing.TB, b Bench, p *Plan, path string) (map[string]Record, Progress) {
	t.Helper()
	if b.Databases == nil {
		b.Databases = &Databases{}
	}
	done, err := b.Run(t.Context(), p, path)
	if err != nil {
		t.Fatal(err)
	}
	return recordsOf(t, path), done
}

// The arrays of a file may have any names: the plan has them, and the records, so that a run is
// repeated on the same.
func TestArraysOfAPlan(t *testing.T) {
	dir := t.TempDir()
	var x []float64
	var y []int64
	for i := range 24 {
		for j := range 3 {
			x = append(x, float64((i%4)*(j+1)%5)+0.1*float64(i*j%3))
		}
		y = append(y, int64(i%4))
	}
	var file bytes.Buffer
	if err := npz.Write(&file, npz.Float64("data", []int{24, 3}, x), npz.Int64("target", []int{24}, y)); err != nil {
		t.Fatal(err)
	}
	data, path := filepath.Join(dir, "v.npz"), filepath.Join(dir, "plan.json")
	if err := os.WriteFile(data, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WritePlan(t.Context(), data, path, dataset.Arrays{}, nil); err == nil {
		t.Error("a plan without the names of the arrays")
	}
	if err := WritePlan(t.Context(), data, path, dataset.Arrays{X: "data", Y: "target"}, nil); err != nil {
		t.Fatal(err)
	}
	p := must(ReadPlan(path))(t)
	p.Repeats = 1
	got, done := benched(t, Bench{}, p, filepath.Join(dir, "runs.jsonl"))
	if done.Failures > 0 || len(got) == 0 {
		t.Errorf("%+v", done)
	}
	for _, r := range got {
		if r.Dataset.X != "data" || r.Dataset.Y != "target" {
			t.Errorf("%+v", r.Dataset)
		}
		if r.Method == "crc" {
			if _, err := Replay(t.Context(), &Databases{}, r); err != nil {
				t.Error(err)
			}
		}
	}
}

func recordsOf(t testing.TB, path string) map[string]Record {
	t.Helper()
	all, err := ReadRecordsFile(path, func(w string) { t.Error(w) })
	if err != nil {
		t.Fatal(err)
	}
	byKey := map[string]Record{}
	for _, r := range all {
		byKey[r.Key] = r
	}
	return byKey
}

// same fails where two benches differ.
func same(t testing.TB, want, got map[string]Record) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%d records, not %d", len(got), len(want))
	}
	for key, r := range want {
		if !r.Same(got[key]) {
			t.Errorf("%s on %s, %s: another record", r.Label, r.Dataset.Name, r.Split)
		}
	}
}

func linesOf(t testing.TB, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || len(text) > 0 && text[len(text)-1] != '\n' {
		t.Fatalf("%d bytes without an end, %v", len(text), err)
	}
	return strings.Count(string(text), "\n")
}

// Records depend neither on the jobs at a time nor on the processors. Each run
// is in the file once; failures are reported and do not keep others from running.
func TestBenchRepeats(t *testing.T) {
	p, dir := parse(t, smallPlan), t.TempDir()
	want, done := benched(t, Bench{Jobs: 1}, p, filepath.Join(dir, "1.jsonl"))
	if done.Total != smallRuns || done.Records != smallRuns || done.New != smallRuns || done.Failures != smallFailures {
		t.Errorf("%+v of %d runs", done, smallRuns)
	}
	if n := linesOf(t, filepath.Join(dir, "1.jsonl")); n != smallRuns || len(want) != smallRuns {
		t.Errorf("%d lines and %d keys of %d runs", n, len(want), smallRuns)
	}
	keys := jobs(t, p)
	for key, r := range want {
		if keys[key] == nil || (r.Label == "fails") != (r.Error != "") || r.Label == "tuned" != (r.Tuning != nil) {
			t.Errorf("%s on %s: error %q", r.Label, r.Dataset.Name, r.Error)
		}
		if r.Label == "NRDL" && (r.Trace == nil || len(r.Trace.Values) != r.Passes) || r.Cost.Threads != blas.Threads() {
			t.Errorf("%s: a trace of other than %d passes, or threads", r.Label, r.Passes)
		}
	}
	got, _ := benched(t, Bench{Jobs: 5}, p, filepath.Join(dir, "5.jsonl"))
	same(t, want, got)
	if os.Getenv("NRDL_LONG") == "" {
		return
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	got, _ = benched(t, Bench{Jobs: 3}, p, filepath.Join(dir, "3.jsonl"))
	same(t, want, got)
}

// All methods meet the same faces.
func TestBenchIsFair(t *testing.T) {
	records, _ := benched(t, Bench{Jobs: 2}, parse(t, smallPlan), filepath.Join(t.TempDir(), "r.jsonl"))
	type setting struct {
		data, split      string
		noise, occlusion float64
		repeat           int
	}
	type faces struct {
		data, split      string
		seed, corruption uint64
		train, n         int
	}
	met := map[setting]faces{}
	splits := map[string]bool{}
	for _, r := range records {
		if r.Error != "" {
			continue
		}
		s := setting{r.Dataset.Name, r.Split, r.Noise, r.Occlusion, r.Repeat}
		f := faces{r.Dataset.Hash, r.SplitHash, r.Seed, r.CorruptionSeed, r.Train, r.N}
		if o, ok := met[s]; ok && o != f {
			t.Errorf("%+v: %s meets %+v, another %+v", s, r.Label, f, o)
		}
		met[s] = f
		splits[f.split] = true
	}
	if len(met) != smallSettings || len(splits) != 2+1+2 { // random ones by repeat
		t.Errorf("%d settings and %d splits", len(met), len(splits))
	}
}

// A finished bench does nothing: it does not even read the data.
func TestBenchOfAFinishedPlan(t *testing.T) {
	p, path := parse(t, smallPlan), filepath.Join(t.TempDir(), "r.jsonl")
	benched(t, Bench{Jobs: 2}, p, path)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	library, calls := &Databases{}, 0
	_, done := benched(t, Bench{Jobs: 2, Databases: library, Progress: func(Progress) { calls++ }}, p, path)
	if done.New != 0 || done.Records != smallRuns || done.Failures != smallFailures || calls != 1 || library.sets != nil {
		t.Errorf("%+v, %d calls, %d sets read", done, calls, len(library.sets))
	}
	_, done = benched(t, Bench{Jobs: 2, Retry: true}, p, path)
	if done.New != smallFailures || done.Records != smallRuns || done.Failures != smallFailures {
		t.Errorf("retried: %+v", done)
	}
	after, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(after), string(before)) {
		t.Errorf("the old records have changed, %v", err)
	}
}

// Failures that were mended have their records replaced when retried, and only
// then.
func TestRetryReplaces(t *testing.T) {
	p, path := parse(t, `{"datasets": [`+aSet+`], "methods": ["crc", "nrc"]}`), filepath.Join(t.TempDir(), "r.jsonl")
	want, _ := benched(t, Bench{Jobs: 1}, p, path)
	text := ""
	for _, r := range want {
		if r.Method == "nrc" {
			r.fail(errors.New("as it was once"))
		}
		text += lineOf(t, r)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, done := benched(t, Bench{Jobs: 1}, p, path); done.New != 0 || done.Failures != 1 {
		t.Errorf("without retry: %+v", done)
	}
	got, done := benched(t, Bench{Jobs: 1, Retry: true}, p, path)
	if done.New != 1 || done.Failures != 0 || linesOf(t, path) != 3 {
		t.Errorf("with retry: %+v", done)
	}
	same(t, want, got)
}

// A bench that is interrupted after any record leaves whole lines, and the next one continues.
func TestBenchInterrupted(t *testing.T) {
	p, dir := parse(t, smallPlan), t.TempDir()
	want, _ := benched(t, Bench{Jobs: 2}, p, filepath.Join(dir, "whole.jsonl"))
	path := filepath.Join(dir, "r.jsonl")
	made := 0
	for _, after := range []int{0, 1, 5, 17, 20} {
		ctx, cancel := context.WithCancel(t.Context())
		b := Bench{Jobs: 2, Databases: &Databases{}, Progress: func(p Progress) {
			if p.New >= after {
				cancel()
			}
		}}
		done, err := b.Run(ctx, p, path)
		if !errors.Is(err, context.Canceled) || done.New < after || done.Records != made+done.New {
			t.Fatalf("%+v, %v", done, err)
		}
		if made += done.New; linesOf(t, path) != made {
			t.Errorf("%d lines of %d records", linesOf(t, path), made)
		}
		cancel()
	}
	got, _ := benched(t, Bench{Jobs: 2}, p, path)
	same(t, want, got)
	if linesOf(t, path) != smallRuns {
		t.Errorf("%d lines of %d runs", linesOf(t, path), smallRuns)
	}
}

// asItIs is the key of a set that is read in the size that it has.
func asItIs(path string) sourceKey {
	return sourceKey{path: path, images: dataset.Frame{}.String()}
}

// Nothing is run and no file made where data are missing or of no use.
func TestBenchRefuses(t *testing.T) {
	features, negative := *drawn(t), *drawn(t)
	features.Frame, features.Grid = dataset.Frame{}, classify.Grid{}
	negative.X = mat.DenseCopyOf(negative.X)
	negative.X.Set(0, 0, -1)
	library := &Databases{sets: map[sourceKey]*loadedSet{
		asItIs("good"):     {drawn(t), "a"},
		asItIs("features"): {&features, "b"},
	}}
	dir := t.TempDir()
	for _, c := range []struct{ text, want, hint string }{
		{onData(`"path": "missing.mat", "split": "half"`), "plan.json:1: open data: missing.mat does not exist", "NRDL_DATA"},
		{onData(`"path": "good", "split": "first:8"`), "plan.json:1: ", "fewer"},
		{onData(`"path": "features", "split": "half", "noise": 0.1`), "plan.json:1: noise and occlusion need images", ""},
		{onData(`"path": "features", "split": "half", "occlusion": [0, 0.1]`), "plan.json:1: noise and occlusion need images", ""},
		{
			`{"tune": {}, ` + onData(`"path": "good", "split": ["half", "first:1"]`)[1:],
			"plan.json:1: split first:1 leaves one training image", "two training images",
		},
	} {
		path := filepath.Join(dir, "r.jsonl")
		_, err := (&Bench{Jobs: 1, Databases: library}).Run(t.Context(), parse(t, c.text), path)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || !strings.Contains(advice.Text(err), c.hint) || ugly.MatchString(err.Error()) {
			t.Errorf("%s: %v (hint %q), want %s", c.text, err, advice.Text(err), c.want)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: a file was made", c.text)
		}
	}
	unread := &Databases{} // places are looked at before data
	for _, path := range []string{dir, filepath.Join(dir, "no", "r.jsonl"), filepath.Join(dir, "r.gz"), os.DevNull} {
		if _, err := (&Bench{Jobs: 1, Databases: unread}).Run(t.Context(), parse(t, aPlan), path); err == nil || unread.sets != nil {
			t.Errorf("%s: %v, %d sets read", path, err, len(unread.sets))
		}
	}
}

func TestBenchRefusesOtherData(t *testing.T) {
	one, other := drawn(t), *drawn(t)
	other.X = mat.DenseCopyOf(other.X)
	other.X.Set(3, 4, 17)
	path, text := filepath.Join(t.TempDir(), "r.jsonl"), onData(`"path": "faces", "split": "random:3"`)
	library := func(set *dataset.Images) *Databases {
		return &Databases{sets: map[sourceKey]*loadedSet{asItIs("faces"): {set, set.Hash()}}}
	}
	benched(t, Bench{Jobs: 1, Databases: library(one)}, parse(t, text), path)
	more := parse(t, `{"repeats": 2, `+text[1:])
	_, err := (&Bench{Jobs: 1, Databases: library(&other)}).Run(t.Context(), more, path)
	if err == nil || !strings.Contains(err.Error(), "its content has changed") ||
		!slices.ContainsFunc(advice.Of(err).Settings(), func(s advice.Setting) bool { return s.Option == advice.Output }) {
		t.Errorf("other data: %v", err)
	}
	if linesOf(t, path) != 1 {
		t.Error("it wrote records")
	}
	if _, done := benched(t, Bench{Jobs: 1, Databases: library(one)}, more, path); done.New != 1 {
		t.Errorf("the same data: %+v", done)
	}
}

// diverging learns a model whose residual is not finite.
type diverging struct{ classify.Method }

func (d diverging) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	m, err := d.Method.Fit(ctx, train, run)
	if err != nil {
		return nil, err
	}
	p := m.Parts()
	p.Outcome.Residual = math.Inf(1)
	return classify.NewClassifier(p)
}

// Noise is on all images, those of the whole set with the same seed, before
// anything else; blocks are on the test images alone.
func TestCorruption(t *testing.T) {
	set := drawn(t)
	learn, judge, err := dataset.DefaultSplit.Apply(set, 4)
	if err != nil {
		t.Fatal(err)
	}
	noisy, err := dataset.SaltAndPepper{Density: 0.1}.Apply(set, 9)
	if err != nil {
		t.Fatal(err)
	}
	covered, err := dataset.Occlusion{Share: 0.2}.Apply(noisy, 9)
	if err != nil {
		t.Fatal(err)
	}
	before := mat.DenseCopyOf(set.X)
	for _, c := range []struct {
		d           corruption
		train, test *dataset.Images
	}{
		{corruption{}, set, set},
		{corruption{0.1, 0, 9}, noisy, noisy},
		{corruption{0.1, 0.2, 9}, noisy, covered},
	} {
		f, err := divide(t.Context(), set, frontend.Pipeline{}, dataset.DefaultSplit, 4, c.d)
		if err != nil {
			t.Fatal(err)
		}
		test, err := f.test()
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(f.train.X, c.train.Select(learn).X) || !mat.Equal(test.X, c.test.Select(judge).X) || !slices.Equal(f.judge, judge) {
			t.Errorf("%+v: other images", c.d)
		}
		people := f.people()
		for i, j := range judge {
			if people[i] != set.Classes[set.ClassOf(j)] {
				t.Errorf("image %d is of %s", j, people[i])
			}
		}
	}
	if !mat.Equal(set.X, before) {
		t.Error("the data have changed")
	}
}

// counting tells how many threads linear algebra has while it fits.
type counting struct {
	classify.Method
	maxThreads *atomic.Int64
}

func (c counting) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	if n := int64(blas.Threads()); n > c.maxThreads.Load() {
		c.maxThreads.Store(n)
	}
	return c.Method.Fit(ctx, train, run)
}

// Runs have the threads that the process gives linear algebra, and say so: a bench
// changes nothing for others.
func TestBenchLeavesThreadsAlone(t *testing.T) {
	defer blas.SetThreads(blas.SetThreads(3))
	p, maxThreads := parse(t, aPlan), new(atomic.Int64)
	sound := p.contestants[0].method
	p.contestants[0].method = func(preset string) (classify.Method, error) {
		m, err := sound(preset)
		return counting{m, maxThreads}, err
	}
	records, _ := benched(t, Bench{Jobs: 2}, p, filepath.Join(t.TempDir(), "r.jsonl"))
	if n := blas.SetThreads(3); maxThreads.Load() != 3 || n != 3 {
		t.Errorf("%d threads in a run, %d afterwards", maxThreads.Load(), n)
	}
	for _, r := range records {
		if r.Cost.Threads != 3 {
			t.Errorf("%s: the record says %d threads", r.Label, r.Cost.Threads)
		}
	}
}

// A result that is not finite is a failure like another.
func TestBenchOfADivergingMethod(t *testing.T) {
	p := parse(t, `{"datasets": [`+aSet+`], "methods": ["crc", "nrc"]}`)
	sound := p.contestants[0].method
	p.contestants[0].method = func(preset string) (classify.Method, error) {
		m, err := sound(preset)
		return diverging{m}, err
	}
	records, done := benched(t, Bench{Jobs: 2}, p, filepath.Join(t.TempDir(), "r.jsonl"))
	if done.Failures != 1 || done.New != 2 {
		t.Errorf("%+v", done)
	}
	for _, r := range records {
		if (r.Method == method.DefaultCRC.Name()) != strings.Contains(r.Error, "+Inf") {
			t.Errorf("%s: %q", r.Label, r.Error)
		}
	}
}

// A plan that is changed, made, and changed back makes its runs again, since reports show
// the latest version of a run.
func TestBenchMakesRunsAgainThatWereReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	plan := func(kappa string) *Plan {
		return parse(t,
			`{"name": "p", "seed": 1, "repeats": 1, "datasets": [{"name": "d", "synthetic": {"people": 3, "per_person": 4, "size": "6x5"}, "split": "first:2"}],
			"methods": ["nrc", {"method": "crc", "params": {"kappa": `+kappa+`}, "label": "x"}]}`)
	}
	for _, tt := range []struct {
		kappa string
		made  int
	}{{"0.1", 2}, {"0.1", 0}, {"0.2", 1}, {"0.1", 1}, {"0.1", 0}} {
		p, err := (&Bench{Jobs: 1}).Run(t.Context(), plan(tt.kappa), path)
		if err != nil || p.New != tt.made || p.Records != 2 {
			t.Errorf("kappa %s: %d made, not %d (%+v, %v)", tt.kappa, p.New, tt.made, p, err)
		}
	}
}
