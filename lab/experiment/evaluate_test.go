package experiment

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
)

// drawn returns a small set of drawn faces.
func drawn(t testing.TB) *dataset.Images {
	t.Helper()
	return copied(t, drawnOnce)
}

var drawnOnce = sync.OnceValues(func() (*dataset.Images, error) {
	s := synthetic.Default
	s.People, s.PerPerson, s.Input = 5, 8, dataset.Size{Height: 12, Width: 10}
	return s.Draw(context.Background())
})

// copied is a copy, which a test may change, of a set that is drawn once.
func copied(t testing.TB, draw func() (*dataset.Images, error)) *dataset.Images {
	t.Helper()
	set, err := draw()
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int, set.Len())
	for j := range all {
		all[j] = j
	}
	return set.Select(all)
}

func split(t testing.TB, s string) dataset.Split {
	t.Helper()
	p, err := dataset.ParseSplit(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var times = cmpopts.IgnoreFields(Run{}, "FitSeconds", "CodeSeconds")

// Any run can be repeated alone, and a watch changes nothing.
func TestRunsAreRepeatable(t *testing.T) {
	set, m := drawn(t), method.DefaultNRDL
	p := Protocol{Split: split(t, "random:3"), Repeats: 4, Seed: 10}
	all, err := Evaluate(t.Context(), set, m, p, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Runs) != 4 || all.Repeats != 4 {
		t.Fatalf("%d runs", len(all.Runs))
	}
	passes := 0
	watched := Observer{Fit: func(int) classify.Watch { return func(classify.Progress) { passes++ } }}
	p.Seed, p.Repeats = 12, 1
	one, err := Evaluate(t.Context(), set, m, p, watched)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all.Runs[2:3], one.Runs, times); diff != "" {
		t.Errorf("run 2 alone differs:\n%s", diff)
	}
	if passes != one.Runs[0].Passes {
		t.Errorf("%d passes were watched of %d", passes, one.Runs[0].Passes)
	}
}

// The count agrees with the one made by hand from the predictions.
func TestEvaluateCounts(t *testing.T) {
	set, p := drawn(t), Protocol{Split: split(t, "first:3"), Repeats: 7, Seed: 1}
	got, err := Evaluate(t.Context(), set, method.DefaultCRC, p, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Runs) != 1 {
		t.Fatalf("a fixed split has %d runs", len(got.Runs))
	}
	learn, judge, err := p.Split.Apply(set, 1)
	if err != nil {
		t.Fatal(err)
	}
	model, err := method.DefaultCRC.Fit(t.Context(), &set.Select(learn).Samples, classify.Run{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	named, err := model.Predict(t.Context(), set.Select(judge).X)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	var missed []int
	for i, j := range judge {
		if named[i] != set.ClassOf(j) {
			wrong++
			missed = append(missed, j)
		}
	}
	want := Run{
		Seed: 1, Wrong: wrong, N: len(judge), Train: len(learn), Status: classify.ClosedForm,
		Accuracy: 1 - float64(wrong)/float64(len(judge)), MissedColumns: missed,
	}
	if diff := cmp.Diff(want, got.Runs[0], times, cmpopts.IgnoreFields(Run{}, "BestGuesses"), cmpopts.EquateApprox(0, 1e-15)); diff != "" {
		t.Error(diff)
	}
}

func TestSummary(t *testing.T) {
	r := Result{Runs: []Run{{Accuracy: 0.5}, {Accuracy: 0.75}, {Accuracy: 1}}}
	r.summarise()
	if r.Accuracy != 0.75 || math.Abs(r.SD-0.25) > 1e-15 {
		t.Errorf("%v ± %v, not 0.75 ± 0.25", r.Accuracy, r.SD)
	}
	r = Result{Runs: []Run{{Accuracy: 0.5}}}
	if r.summarise(); r.Accuracy != 0.5 || r.SD != 0 {
		t.Errorf("%v ± %v, not 0.5 ± 0", r.Accuracy, r.SD)
	}
}

func TestResultJSON(t *testing.T) {
	text, err := json.Marshal(Result{Method: "m", Params: json.RawMessage(`{"a":1}`), Split: "half", Runs: []Run{{}}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"method":"m","params":{"a":1},"input":{"height":0,"width":0},"split":"half","repeats":0,"accuracy":0,"sd":0,"runs":[` +
		`{"seed":0,"accuracy":0,"wrong":0,"n":0,"train":0,"fit_seconds":0,"code_seconds":0,"passes":0,"status":""}],"sample_seconds":0}`
	if string(text) != want {
		t.Errorf("got %s", text)
	}
}

// People are matched by name: their order and number may differ.
func TestJudgeMatchesNames(t *testing.T) {
	set := drawn(t)
	model, err := frontend.Learn(t.Context(), set, frontend.Pipeline{Frame: set.Frame}, method.DefaultNRC, classify.Run{})
	if err != nil {
		t.Fatal(err)
	}
	some := set.Select([]int{20, 21, 30, 39}) // of classes 2, 3 and 4, learned from: all right
	r, err := Judge(t.Context(), model, some)
	if err != nil {
		t.Fatal(err)
	}
	if r.Wrong != 0 || r.N != 4 {
		t.Errorf("%d of %d wrong", r.Wrong, r.N)
	}
	some.Classes = []string{set.Classes[2], "stranger", set.Classes[4]}
	if got := Strangers(model.Parts().Classes, some); !cmp.Equal(got, []string{"stranger"}) {
		t.Errorf("strangers %q", got)
	}
	r, err = Judge(t.Context(), model, some)
	if err != nil {
		t.Fatal(err)
	}
	if r.Wrong != 1 {
		t.Errorf("%d wrong, not the one of the stranger", r.Wrong)
	}
	some.Classes = []string{"x", "y", "z"}
	if _, err := Judge(t.Context(), model, some); err == nil || !strings.Contains(advice.Text(err), set.Classes[0]) {
		t.Errorf("nobody known: %v", err)
	}
}

func TestErrors(t *testing.T) {
	set := drawn(t)
	for _, c := range []struct {
		split   string
		repeats int
		m       classify.Method
	}{
		{"all", 1, method.DefaultCRC},
		{"first:8", 1, method.DefaultCRC},
		{"half", 0, method.DefaultCRC},
		{"half", 1, method.CRC{Kappa: -1}},
	} {
		if _, err := Evaluate(t.Context(), set, c.m, Protocol{Split: split(t, c.split), Repeats: c.repeats}, Observer{}); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Evaluate(ctx, set, method.DefaultNRDL, Protocol{Split: dataset.DefaultSplit, Repeats: 1}, Observer{}); err == nil {
		t.Error("cancelled: no error")
	}
}
