package experiment

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/method"
)

// candidates are for the faces of hard: one has an impossible projection.
func candidates(t testing.TB) []Candidate {
	t.Helper()
	return []Candidate{
		{Input: parsed(t, "fisher:dims=99"), Method: method.DefaultCRC},
		{Input: parsed(t, "pixels"), Method: method.CRC{Kappa: 1e4}},
		{Input: parsed(t, "igo mirror"), Method: method.DefaultCRC},
		{Input: parsed(t, "mirror fisher"), Method: method.DefaultNRC},
	}
}

// Choose is Validate for each, and the first of those with the fewest wrong.
func TestChooseIsTheFewestWrong(t *testing.T) {
	train, f := hard(t), Folds{N: 3, Repeats: 2, Seed: 4}
	got, err := Choose(t.Context(), train, candidates(t), f)
	if err != nil {
		t.Fatal(err)
	}
	minWrong, best := math.MaxInt, -1
	for i, c := range candidates(t) {
		tried := got.Results[i]
		if tried.Name != c.Method.Name() || tried.Input.String() != c.Input.String() {
			t.Errorf("%d: %s of %v was tried", i, tried.Name, tried.Input)
		}
		f.Input = c.Input
		full, err := Validate(t.Context(), train, c.Method, f, Observer{})
		if err != nil {
			if tried.Err != err.Error() || tried.N != 0 || tried.Rate() != 0 || i == got.Best {
				t.Errorf("%d: %+v, not %v", i, tried, err)
			}
			continue
		}
		wrong, n := 0, 0
		for _, r := range full.Runs {
			wrong, n = wrong+r.Wrong, n+r.N
		}
		if tried.Wrong != wrong || tried.N != n || tried.Err != "" || tried.Rate() != float64(n-wrong)/float64(n) {
			t.Errorf("%d: %d of %d wrong, not %d of %d", i, tried.Wrong, tried.N, wrong, n)
		}
		if wrong < minWrong {
			minWrong, best = wrong, i
		}
	}
	if got.Best != best || got.Results[0].Err == "" {
		t.Errorf("%d is chosen, not %d: %+v", got.Best, best, got.Results)
	}
	c := candidates(t)[best]
	if twice, err := Choose(t.Context(), train, []Candidate{c, c}, f); err != nil || twice.Best != 0 ||
		twice.Results[0].Wrong != twice.Results[1].Wrong {
		t.Errorf("of two that are the same %d is chosen: %+v, %v", twice.Best, twice.Results, err)
	}
}

func TestChooseErrors(t *testing.T) {
	train, f := hard(t), Folds{N: 3, Repeats: 1}
	if _, err := Choose(t.Context(), train, nil, f); err == nil {
		t.Error("one of none is chosen")
	}
	if _, err := Choose(t.Context(), train, candidates(t)[:1],
		f); err == nil || !strings.Contains(err.Error(), "none can be learned, the first: ") || !strings.Contains(err.Error(), "dims = 99") {
		t.Errorf("none can be learned: %v", err)
	}
	if _, err := Choose(t.Context(), train, candidates(t), Folds{N: 1, Repeats: 1}); err == nil {
		t.Error("one fold is enough")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if _, err := Choose(ctx, train, candidates(t), f); !errors.Is(err, why) {
		t.Errorf("%v, not the cause", err)
	}
}

// Candidates are of inputs that are possible, whatever the images are, and most
// can be learned from.
func TestCandidates(t *testing.T) {
	for _, images := range []dataset.Frame{
		{Size: dataset.Size{Height: 96, Width: 80}, Crop: 0.5},
		{Size: dataset.DefaultSize},
		{Size: dataset.Size{Height: 12, Width: 10}},
		{},
	} {
		all := simplest(images)
		for i, c := range all {
			if err := c.Method.Validate(); err != nil {
				t.Errorf("candidate %d for %v: %v", i, images, err)
			}
			if err := c.Input.Validate(); err != nil && images.Size != (dataset.Size{}) {
				t.Errorf("candidate %d for %v: %v", i, images, err)
			}
			if !c.Input.Frame.Same(images) {
				t.Errorf("candidate %d for %v is of %v", i, images, c.Input.Frame)
			}
		}
	}
	set := drawn(t)
	got, err := Choose(t.Context(), set, simplest(set.Frame), Folds{N: 2, Repeats: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, tried := range got.Results {
		if tried.Err != "" {
			t.Errorf("candidate %d: %s", i, tried.Err)
		}
	}
	vectors := *set
	vectors.Frame, vectors.Grid = dataset.Frame{}, classify.Grid{}
	if got, err := Choose(t.Context(), &vectors, simplest(vectors.Frame), Folds{N: 2, Repeats: 1}); err != nil ||
		got.Results[got.Best].Err != "" {
		t.Errorf("of vectors: %+v, %v", got, err)
	}
}

// Each run chooses inside its training part, whatever the test images are, and
// is the run of what was chosen.
func TestEvaluateChooses(t *testing.T) {
	set := hard(t)
	p := Protocol{Split: split(t, "random:5"), Repeats: 2, Seed: 3, Candidates: candidates(t), Folds: 3}
	got, err := Evaluate(t.Context(), set, method.DefaultCRC, p, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Method != "auto" || got.Params != nil || !got.Input.IsZero() || len(got.Runs) != 2 {
		t.Errorf("%s with %s, %v, %d runs", got.Method, got.Params, got.Input, len(got.Runs))
	}
	for i, r := range got.Runs {
		learn, judge, err := p.Split.Apply(set, r.Seed)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Choose(t.Context(), set.Select(learn), p.Candidates, Folds{N: 3, Repeats: 1, Seed: r.Seed})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&want, r.Choice); diff != "" {
			t.Errorf("run %d chooses otherwise:\n%s", i, diff)
		}
		best := p.Candidates[want.Best]
		plain := Protocol{Split: p.Split, Repeats: 1, Seed: r.Seed, Input: best.Input}
		alone, err := Evaluate(t.Context(), set, best.Method, plain, Observer{})
		if err != nil || alone.Runs[0].Wrong != r.Wrong || alone.Runs[0].N != r.N {
			t.Errorf("run %d: %d of %d wrong, the chosen alone %+v, %v", i, r.Wrong, r.N, alone.Runs, err)
		}
		other, _, err := p.run(t.Context(), &sampler{set: poisoned(set, judge)}, method.DefaultCRC, classify.Run{Seed: r.Seed})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r.Choice, other.Choice); diff != "" {
			t.Errorf("run %d: the choice depends on test images:\n%s", i, diff)
		}
	}
}

// A candidate may see the same faces otherwise: it is judged and learned from by
// its own images.
func TestCandidatesWithImagesOfTheirOwn(t *testing.T) {
	set := hard(t)
	seen := featuresOf(t, set, "igo")
	own := []Candidate{{Method: method.DefaultCRC, Images: seen}}
	p := Protocol{Split: split(t, "random:5"), Repeats: 2, Candidates: own, Folds: 2}
	got, err := Evaluate(t.Context(), set, method.DefaultCRC, p, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := Evaluate(t.Context(), seen, method.DefaultCRC, Protocol{Split: p.Split, Repeats: 2}, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range got.Runs {
		if r.Wrong != want.Runs[i].Wrong || r.Choice.Results[0].Images != nil {
			t.Errorf("run %d: %d wrong, not %d", i, r.Wrong, want.Runs[i].Wrong)
		}
	}
}
