package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/kit/npz"
)

// TestProgram is no test where programmed is set: it is the program of a contestant.
func TestProgram(t *testing.T) {
	if os.Getenv(programmed) == "" {
		t.Skip("started by other tests")
	}
	if err := program(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "first line\n"+err.Error())
		os.Exit(3)
	}
	os.Exit(0)
}

const programmed = "NRDL_TEST_PROGRAM"

// program names each test sample by the nearest class mean, or does what its parameter
// "do" says.
func program(in io.Reader, out io.Writer) error {
	f, err := os.CreateTemp("", "")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	size, err := io.Copy(f, in)
	if err != nil {
		return err
	}
	arrays, err := npz.Read(f, size, npz.DefaultLimits)
	if err != nil {
		return err
	}
	numbers := func(name string) *mat.Dense {
		a, failed := npz.Arrays(arrays).Find(name)
		if err = errors.Join(err, failed); err != nil {
			return nil
		}
		data, failed := a.Float64s()
		err = errors.Join(err, failed)
		rows, cols := a.Dims()
		return mat.DenseCopyOf(mat.NewDense(cols, rows, data).T())
	}
	train, labels, test, seed := numbers("X_train"), numbers("y_train"), numbers("X_test"), numbers("seed")
	text, failed := npz.Arrays(arrays).Find("params")
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	words, err := text.Strings()
	if err != nil {
		return err
	}
	var params struct {
		Do, Mode string
		Shift    int
	}
	if err := json.Unmarshal([]byte(words[0]), &params); err != nil {
		return err
	}
	n, _ := test.Dims()
	classes := nearestMeans(train, labels, test)
	switch params.Do {
	case "fail":
		return errors.New("second line")
	case "sleep":
		time.Sleep(time.Minute)
	case "few":
		n--
	case "many":
		for { // until it is killed
			fmt.Fprintln(out, "a line that has 32 bytes and more")
		}
	case "text":
		fmt.Fprintln(out, "person one")
	case "outside":
		classes[0] = 99
	case "times":
		fmt.Fprintln(out, "seconds 0.0002 0.0001")
	case "badtimes":
		fmt.Fprintln(out, "seconds soon")
	case "latetimes":
		fmt.Fprintln(out, "seconds 9 9999")
	case "shift": // so many wrong answers, and one more in another mode than the best
		if params.Mode != "best" {
			params.Shift++
		}
		for i := range min(params.Shift, n) {
			classes[i] = -1
		}
	case "seed":
		for i := range classes {
			classes[i] = int(seed.At(0, 0)) % 3
		}
	case "none":
		for i := range classes {
			classes[i] = -1
		}
	}
	for _, c := range classes[:n] {
		fmt.Fprintln(out, c)
	}
	return nil
}

// nearestMeans returns the class of each row of test: that of the nearest class mean of train.
func nearestMeans(train, labels, test *mat.Dense) (classes []int) {
	n, d := train.Dims()
	var means [][]float64
	var counts []float64
	for i := range n {
		c := int(labels.At(i, 0))
		for len(means) <= c {
			means, counts = append(means, make([]float64, d)), append(counts, 0)
		}
		floats.Add(means[c], train.RawRowView(i))
		counts[c]++
	}
	for c := range means {
		floats.Scale(1/counts[c], means[c])
	}
	n, _ = test.Dims()
	for i := range n {
		best, nearest := 0, -1.0
		for c, m := range means {
			if far := floats.Distance(m, test.RawRowView(i), 2); nearest < 0 || far < nearest {
				best, nearest = c, far
			}
		}
		classes = append(classes, best)
	}
	return classes
}

// programPlan is a plan with the program doing each of these; "" is for what it is made for.
func programPlan(t *testing.T, limit float64, do ...string) *Plan {
	t.Helper()
	t.Setenv(programmed, "1")
	var methods []string
	for _, what := range do {
		command, err := json.Marshal([]string{os.Args[0], "-test.run=^TestProgram$"})
		if err != nil {
			t.Fatal(err)
		}
		methods = append(methods, fmt.Sprintf(`{"command": %s, "label": "p%s", "params": {"do": %q}}`, command, what, what))
	}
	return parse(t, fmt.Sprintf(`{"name": "x", "seed": 3, "repeats": 2, "time_limit": %v, "tune": {"budget": 2},
		"datasets": [{"name": "d", "synthetic": {"people": 4, "per_person": 6, "size": "10x8"}, "split": "random:3"}],
		"methods": [%s]}`, limit, strings.Join(methods, ",")))
}

func TestProgramsTakePart(t *testing.T) {
	p := programPlan(t, 60, "", "seed", "none")
	path := filepath.Join(t.TempDir(), "x.jsonl")
	got, done := benched(t, Bench{Jobs: 2}, p, path)
	if done.Failures > 0 || len(got) != 6 {
		t.Fatalf("%+v, %v", done, got)
	}
	for _, s := range must(p.settings())(t) {
		set, err := (&Databases{}).open(t.Context(), s.data.source(), s.images(), nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := divide(t.Context(), set.set, s.input, s.split, s.fit(), s.corruption())
		if err != nil {
			t.Fatal(err)
		}
		test, err := f.test()
		if err != nil {
			t.Fatal(err)
		}
		labels := mat.NewDense(len(f.train.Labels()), 1, nil)
		for j := range f.train.Labels() {
			labels.Set(j, 0, float64(classOf(f.train, j)))
		}
		var wrong []int
		for i, c := range nearestMeans(mat.DenseCopyOf(f.train.X.T()), labels, mat.DenseCopyOf(test.X.T())) {
			if f.train.Classes[c] != f.people()[i] {
				wrong = append(wrong, f.judge[i])
			}
		}
		for _, j := range s.jobs {
			r := got[j.key]
			if r.Method != ProgramMethod || !strings.HasSuffix(r.Label, " (external)") || r.Tuning != nil || r.Cost.PeakBytes != 0 {
				t.Errorf("%+v", r)
			}
			switch {
			case strings.HasPrefix(r.Label, "pnone") && r.Wrong != r.N:
				t.Errorf("%d of %d wrong, and no class was answered", r.Wrong, r.N)
			case strings.HasPrefix(r.Label, "pseed") && r.Wrong >= r.N:
				t.Errorf("%d of %d wrong with one answer for all", r.Wrong, r.N)
			case strings.HasPrefix(r.Label, "p ") && fmt.Sprint(r.MissedColumns) != fmt.Sprint(wrong):
				t.Errorf("wrong %v, want %v", r.MissedColumns, wrong)
			}
		}
	}
	if _, err := Replay(t.Context(), &Databases{}, firstOf(got)); err == nil || !strings.Contains(err.Error(), "external program") {
		t.Errorf("replayed: %v", err)
	}
}

func classOf(s *classify.Samples, j int) int {
	c := 0
	for s.Groups[c+1] <= j {
		c++
	}
	return c
}

func firstOf(all map[string]Record) (r Record) {
	for _, r = range all {
		break
	}
	return r
}

// must returns v, or ends a test with err.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestProgramsFail(t *testing.T) {
	wants := map[string]string{
		"fail": "exit status 3: second line", "few": "11 answers for 12 test samples", "many": "more than a line",
		"badtimes": "does not give the seconds", "latetimes": "tells of 1e+04 seconds",
		"text": `answer 1 is "person one"`, "outside": `answer 1 is "99", not one of the classes 0 … 3 or -1`,
	}
	p := programPlan(t, 60, slices.Sorted(maps.Keys(wants))...)
	p.Repeats = 1
	got, done := benched(t, Bench{Jobs: 2}, p, filepath.Join(t.TempDir(), "x.jsonl"))
	if done.Failures != len(wants) || len(got) != len(wants) {
		t.Fatalf("%d failed of %d", done.Failures, len(got))
	}
	for _, r := range got {
		if want := wants[strings.TrimPrefix(r.Label, "p")]; !strings.Contains(r.Error, want) {
			t.Errorf("%s: error %q, want %q", r.Label, r.Error, want)
		}
	}
}

// The search looks for the parameters of a program as for those of a method.
func TestProgramsAreTuned(t *testing.T) {
	p := programPlan(t, 600, "shift", "times")
	text := strings.Replace(string(p.text), `"params":{"do":"shift"}`,
		`"params": {"do": "shift", "shift": 3, "mode": "worst"}, "ranges": {"shift": {"low": 0, "high": 3, "integer": true},`+
			` "mode": {"choices": ["worst", "best"]}}`, 1)
	text = strings.Replace(text, `"budget":2`, `"budget": 8, "folds": 2`, 1)
	for _, jobs := range []int{1, 2} {
		got, done := benched(t, Bench{Jobs: jobs}, parse(t, text), filepath.Join(t.TempDir(), "x.jsonl"))
		if done.Failures > 0 || len(got) != 4 {
			t.Fatalf("%+v, %v", done, got)
		}
		for _, r := range got {
			if strings.HasPrefix(r.Label, "ptimes") {
				if r.Tuning != nil || r.Cost.FitSeconds != 0.0002 || r.Cost.CodeSeconds != 0.0001 {
					t.Errorf("%+v", r.Cost)
				}
				continue
			}
			var made Program
			if err := json.Unmarshal(r.Params, &made); err != nil {
				t.Fatal(err)
			}
			if r.Tuning == nil || len(r.Tuning.Trials) != 8 || r.Cost.TuneSeconds == 0 {
				t.Fatalf("%+v", r.Tuning)
			}
			best := slices.MinFunc(r.Tuning.Trials, Trial.Compare)
			set := []string{"shift=" + string(made.Params["shift"]), "mode=" + strings.Trim(string(made.Params["mode"]), `"`)}
			if best.Wrong >= r.Tuning.Trials[0].Wrong || !slices.Equal(best.Set, set) {
				t.Errorf("%s, %+v", r.Params, r.Tuning)
			}
		}
	}
	for _, bad := range [][2]string{
		{`"shift": 3, `, ""},
		{`"high": 3`, `"high": 0`},
		{`"low": 0`, `"low": 0, "log": true`},
		{`"budget": 8`, `"budget": 0`},
		{`"integer": true`, `"integre": true`},
	} {
		if broken := strings.Replace(text, bad[0], bad[1], 1); broken == text {
			t.Fatal(bad)
		} else if _, err := ParsePlan([]byte(broken), "x.json"); err == nil {
			t.Errorf("no error with %q instead of %q", bad[1], bad[0])
		}
	}
}

// Choices are text, numbers or truth values, as parameters are.
func TestChoicesOfPrograms(t *testing.T) {
	p := parse(t, `{"datasets": [{"name": "d", "synthetic": {"people": 2, "per_person": 4, "size": "8x8"}, "split": "first:3"}],
		"methods": [{"command": ["x"], "params": {"lam": 0.1}, "ranges": {"lam": {"choices": ["1", 1e-5, true]}}, "tune": {"budget": 2, "folds": 2}}]}`)
	m, err := p.contestants[0].method("")
	if err != nil {
		t.Fatal(err)
	}
	if got := m.(Program).Ranges[0].Choices; !slices.Equal(got, []string{"1", "1e-5", "true"}) {
		t.Errorf("%q", got)
	}
}

func TestTimeLimit(t *testing.T) {
	p := programPlan(t, 0.05, "sleep")
	got, _ := benched(t, Bench{Jobs: 2}, p, filepath.Join(t.TempDir(), "x.jsonl"))
	for _, r := range got {
		if !strings.Contains(r.Error, "longer than 50ms, the time limit of the plan") {
			t.Errorf("error %q", r.Error)
		}
	}
	slow := parse(t, `{"name": "x", "seed": 3, "time_limit": 1e-6,
		"datasets": [{"name": "d", "synthetic": {"people": 4, "per_person": 6, "size": "10x8"}, "split": "first:3"}], "methods": ["nrdl"]}`)
	got, _ = benched(t, Bench{Jobs: 1}, slow, filepath.Join(t.TempDir(), "x.jsonl"))
	if r := firstOf(got); !strings.Contains(r.Error, "the time limit of the plan") {
		t.Errorf("error %q", r.Error)
	}
}

// An interrupted bench kills its programs and leaves no record of them.
func TestProgramsAreInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	b := Bench{Jobs: 2, Progress: func(p Progress) { time.AfterFunc(10*time.Millisecond, stop) }}
	path := filepath.Join(t.TempDir(), "x.jsonl")
	if _, err := b.Run(ctx, programPlan(t, 60, "sleep"), path); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if got := recordsOf(t, path); len(got) > 0 {
		t.Errorf("records %v", got)
	}
}

func TestProgramsThatAreNotThere(t *testing.T) {
	p := parse(t,
		`{"name": "x", "datasets": [{"name": "d", "synthetic": {"people": 2, "per_person": 4, "size": "8x8"}, "split": "first:3"}], "methods": [
		{"command": ["./no-such-program"]}]}`)
	path := filepath.Join(t.TempDir(), "x.jsonl")
	_, err := (&Bench{}).Run(t.Context(), p, path)
	if err == nil || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file of records was made")
	}
}

// The plan of doc/external.md runs with the programs that come with nrdl.
func TestExternalExamples(t *testing.T) {
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("NRDL_LONG=1 compiles and runs the examples; other programs take part in TestProgramsTakePart")
	}
	text, err := os.ReadFile("../../doc/external.md")
	if err != nil {
		t.Fatal(err)
	}
	_, plan, _ := strings.Cut(string(text), "```json\n")
	plan, _, _ = strings.Cut(plan, "```")
	p := parse(t, plan)
	if exec.Command("python3", "-c", "import numpy").Run() != nil {
		t.Log("without NumPy: the example in Python is left out")
		p.contestants = append(p.contestants[:2:2], p.contestants[3:]...)
	}
	p.Repeats = 1
	t.Chdir("..")
	got, done := benched(t, Bench{Jobs: 2}, p, filepath.Join(t.TempDir(), "x.jsonl"))
	for _, r := range got {
		if r.Error != "" || done.Failures > 0 || r.Rate < 0.2 {
			t.Errorf("%s: %.2f, %s", r.Label, r.Rate, r.Error)
		}
	}
}
