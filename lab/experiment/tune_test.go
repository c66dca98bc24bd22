package experiment

import (
	"context"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
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

// hard returns faces of which many are named wrongly, more or fewer by the
// parameters: there are more of them than pixels, and noise.
func hard(t testing.TB) *dataset.Images {
	t.Helper()
	set := copied(t, hardOnce)
	rng := rand.New(rand.NewPCG(1, 2))
	x := set.X.RawMatrix().Data
	for i := range x {
		x[i] += 10 * rng.NormFloat64()
	}
	return set
}

var hardOnce = sync.OnceValues(func() (*dataset.Images, error) {
	s := synthetic.Default
	s.People, s.PerPerson, s.Input = 6, 8, dataset.Size{Height: 5, Width: 4}
	return s.Draw(context.Background())
})

var clocks = cmpopts.IgnoreFields(Trial{}, "Seconds")

func tune(t *testing.T, train *dataset.Images, m classify.Method, s Search) Tuned {
	t.Helper()
	got, err := Tune(t.Context(), train, frontend.Pipeline{}, m, s, TuneObserver{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// edited is m with what a trial sets.
func edited(t *testing.T, m classify.Method, set []string) classify.Method {
	t.Helper()
	for _, s := range set {
		path, value, _ := strings.Cut(s, "=")
		var err error
		if m, err = method.Set(m, path, value); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// cheap are methods that learn at once; that of NRC has conditions.
func cheap() []classify.Method {
	return []classify.Method{method.DefaultCRC, method.DefaultLRC, method.DefaultNRC}
}

// The naive twin judges every trial in all folds by Validate. What was given up
// could not have been the best, so that nothing is lost.
func TestTuneIsTheFullSearch(t *testing.T) {
	train, gaveUp := hard(t), 0
	for _, m := range cheap() {
		s := Search{Budget: 14, Folds: 8, Seed: 3}
		got := tune(t, train, m, s)
		minWrong, best := math.MaxInt, -1
		for i, trial := range got.Trials {
			full, err := Validate(t.Context(), train, edited(t, m, trial.Set), Folds{N: s.Folds, Repeats: 1, Seed: s.Seed}, Observer{})
			if err != nil {
				t.Fatal(err)
			}
			var wrong, n int
			for k, r := range full.Runs {
				if wrong, n = wrong+r.Wrong, n+r.N; k+1 == trial.Folds && (wrong != trial.Wrong || n != trial.N) {
					t.Errorf("%s: trial %d: %d of %d wrong in %d folds, not %d of %d", m.Name(), i, trial.Wrong, trial.N, k+1, wrong, n)
				}
			}
			if trial.Folds < s.Folds {
				gaveUp++
				if wrong < minWrong || trial.Wrong < minWrong {
					t.Errorf("%s: trial %d, %d wrong, is given up at %d; the best has %d", m.Name(), i, wrong, trial.Wrong, minWrong)
				}
			}
			if wrong < minWrong {
				minWrong, best = wrong, i
			}
		}
		if got.Best != best {
			t.Errorf("%s: the best is trial %d, not %d", m.Name(), best, got.Best)
		}
		if diff := cmp.Diff(edited(t, m, got.Trials[best].Set), got.Method); diff != "" {
			t.Errorf("%s: the method is not that of the best trial:\n%s", m.Name(), diff)
		}
		if first := got.Trials[0]; len(first.Set) != 0 || first.Folds != s.Folds || first.Wrong < minWrong {
			t.Errorf("%s: trial 0 is %+v, the best has %d wrong", m.Name(), first, minWrong)
		}
	}
	if gaveUp == 0 {
		t.Error("no trial was given up")
	}
}

// A search that is far off at first finds better parameters.
func TestTuneImproves(t *testing.T) {
	train, m := hard(t), method.CRC{Kappa: 1e4}
	got := tune(t, train, m, Search{Budget: 10, Folds: 3})
	if first, best := got.Trials[0], got.Trials[got.Best]; !(best.Wrong < first.Wrong) {
		t.Errorf("%d wrong, as given %d", best.Wrong, first.Wrong)
	}
}

// Equal seeds give equal trials, whatever the threads and watches; others give
// others.
func TestTuneRepeats(t *testing.T) {
	train, s := hard(t), Search{Budget: 8, Folds: 2, Seed: 5}
	for _, m := range cheap() {
		var reported []Trial
		fits := 0
		watched := TuneObserver{
			Fit: func(trial, fold int) classify.Watch {
				if trial != len(reported) {
					t.Errorf("a fit of trial %d, fold %d, in trial %d", trial, fold, len(reported))
				}
				fits++
				return func(classify.Progress) {}
			},
			Done: func(i int, trial Trial) {
				if i != len(reported) {
					t.Errorf("trial %d after %d", i, len(reported))
				}
				reported = append(reported, trial)
			},
		}
		one, err := Tune(t.Context(), train, frontend.Pipeline{}, m, s, watched)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(one.Trials, reported, clocks); diff != "" {
			t.Errorf("%s: other trials are reported:\n%s", m.Name(), diff)
		}
		folds := 0
		for i := range reported {
			folds += reported[i].Folds
			for j := range reported[i].Set {
				reported[i].Set[j] = "spoilt"
			}
		}
		if fits != folds {
			t.Errorf("%s: %d fits were watched of %d", m.Name(), fits, folds)
		}
		threads := runtime.GOMAXPROCS(1)
		again := tune(t, train, m, s)
		runtime.GOMAXPROCS(threads)
		if diff := cmp.Diff(one, again, clocks); diff != "" {
			t.Errorf("%s: again:\n%s", m.Name(), diff)
		}
		s := s
		s.Seed++
		if cmp.Equal(one, tune(t, train, m, s), clocks) {
			t.Errorf("%s: another seed changes nothing", m.Name())
		}
	}
}

// The best of a search comes first, then those judged in full, those that were
// given up, and those that failed.
func TestTrialsAreOrdered(t *testing.T) {
	order := []Trial{
		{Wrong: 1, N: 8, Folds: 4},
		{Wrong: 3, N: 8, Folds: 4},
		{Wrong: 2, N: 6, Folds: 3},
		{Wrong: 1, N: 2, Folds: 1},
		{Wrong: 0, N: 6, Folds: 3, Err: "diverged"},
		{Err: "too many"},
	}
	for i, a := range order {
		for j, b := range order {
			if got := a.Compare(b); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%+v to %+v: %d", a, b, got)
			}
		}
	}
	if r := order[0].Rate(); r != 0.875 {
		t.Errorf("a rate of %v", r)
	}
	if r := order[5].Rate(); r != 0 {
		t.Errorf("a rate of %v without faces", r)
	}
	train := hard(t)
	for _, m := range cheap() {
		found := tune(t, train, m, Search{Budget: 10, Folds: 8})
		for i, trial := range found.Trials {
			if c := found.Trials[found.Best].Compare(trial); c > 0 || c == 0 && i < found.Best {
				t.Errorf("%s: trial %d, %+v, comes before the best", m.Name(), i, trial)
			}
		}
	}
}

// No configuration is judged twice, none outside the ranges, and one that does
// not matter where it is is not set.
func TestTrialsAreDistinctAndInside(t *testing.T) {
	train := hard(t)
	for _, m := range cheap() {
		s := Search{Budget: 30, Folds: 2}
		trials := tune(t, train, m, s).Trials
		if len(trials) != s.Budget {
			t.Errorf("%s: %d trials of %d", m.Name(), len(trials), s.Budget)
		}
		seen := make(map[string]bool)
		for _, trial := range trials {
			raw, err := method.Marshal(edited(t, m, trial.Set))
			if err != nil {
				t.Fatal(err)
			}
			if seen[string(raw)] {
				t.Errorf("%s: %v twice", m.Name(), trial.Set)
			}
			seen[string(raw)] = true
			for _, set := range trial.Set {
				path, value, _ := strings.Cut(set, "=")
				r := classify.TraitsOf(m).Ranges[slices.IndexFunc(classify.TraitsOf(m).Ranges, func(r method.Range) bool { return r.Path == path })]
				if v, err := strconv.ParseFloat(value, 64); r.Choices == nil && (err != nil || !(r.Low <= v && v <= r.High || r.Zero && v == 0)) {
					t.Errorf("%s: %s is outside its range", m.Name(), set)
				}
				if path != "coder.solver" && slices.Contains(trial.Set, "coder.solver=exact") {
					t.Errorf("%s: %s does not matter in %v", m.Name(), set, trial.Set)
				}
			}
		}
	}
}

// few is CRC with a space of its own.
type few struct {
	method.CRC
	Sign   bool             `json:"sign"`
	Idle   float64          `json:"idle" if:"sign=maybe"`
	Fails  func(*few) error `json:"-"`
	ranges []method.Range
}

func (f few) Traits() classify.Traits { return classify.Traits{Ranges: f.ranges} }

func (f few) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	if f.Fails != nil {
		if err := f.Fails(&f); err != nil {
			return nil, err
		}
	}
	return f.CRC.Fit(ctx, train, run)
}

// A search of a discrete space ends when all of it has been judged.
func TestTuneExhausts(t *testing.T) {
	m := few{CRC: method.DefaultCRC, ranges: []method.Range{{Path: "sign", Choices: []string{"false", "true"}}}}
	m.ranges = append(m.ranges, method.Range{Path: "idle", Low: 0.1, High: 0.2})
	got := tune(t, hard(t), m, Search{Budget: 9, Folds: 2})
	if len(got.Trials) != 2 || !slices.Equal(got.Trials[1].Set, []string{"sign=true"}) || got.Best != 0 {
		t.Errorf("%+v", got)
	}
	if one := tune(t, hard(t), m, Search{Budget: 1, Folds: 2}); len(one.Trials) != 1 {
		t.Errorf("%d trials with a budget of 1", len(one.Trials))
	}
}

// What fails is kept with its error, and is never the best.
func TestFailuresAreTrials(t *testing.T) {
	train := hard(t)
	m := few{CRC: method.DefaultCRC, ranges: method.DefaultCRC.Traits().Ranges}
	m.Fails = func(f *few) error {
		if f.Kappa > 1e-4 {
			return errors.New("too much")
		}
		return nil
	}
	got := tune(t, train, m, Search{Budget: 12, Folds: 2})
	failed := 0
	for i, trial := range got.Trials {
		if trial.Err != "" {
			failed++
			if i == got.Best || trial.Folds != 0 || trial.Err != "too much" {
				t.Errorf("trial %d of %d: %+v", i, got.Best, trial)
			}
		}
	}
	if got.Trials[0].Err == "" || failed == 0 || failed == len(got.Trials) {
		t.Errorf("%d failed of %+v", failed, got.Trials)
	}
	cause := advice.Add(errors.New("ever"), "do not")
	m.Fails = func(*few) error { return cause }
	if _, err := Tune(t.Context(), train, frontend.Pipeline{}, m, Search{Budget: 3, Folds: 2},
		TuneObserver{}); !errors.Is(err, cause) || advice.Text(err) != "do not" {
		t.Errorf("all fail: %v, hint %q", err, advice.Text(err))
	}
}

// Once ctx ends the search returns its cause, whether inside a trial or between
// two, and makes no other.
func TestTuneStops(t *testing.T) {
	train, why := hard(t), errors.New("enough")
	for _, inside := range []bool{true, false} {
		ctx, cancel := context.WithCancelCause(t.Context())
		last, fits := -1, 0
		o := TuneObserver{
			Fit: func(trial, fold int) classify.Watch {
				if fits++; inside && trial == 0 && fold == 1 {
					cancel(why)
				}
				return nil
			},
			Done: func(trial int, _ Trial) {
				if last = trial; trial == 2 {
					cancel(why)
				}
			},
		}
		_, err := Tune(ctx, train, frontend.Pipeline{}, method.DefaultCRC, Search{Budget: 6, Folds: 3}, o)
		if !errors.Is(err, why) {
			t.Errorf("%v, not the cause", err)
		}
		if inside && (last != -1 || fits != 2) || !inside && last != 2 {
			t.Errorf("ended inside a trial: %v: %d fits, and trial %d done", inside, fits, last)
		}
		cancel(nil)
	}
}

func TestTuneErrors(t *testing.T) {
	train := unequal(t)
	for _, c := range []struct {
		set     *dataset.Images
		m       classify.Method
		s       Search
		message string
	}{
		{train, method.DefaultCRC, Search{Budget: 0, Folds: 2}, "budget"},
		{train, method.DefaultCRC, Search{Budget: 1, Folds: 1}, "folds"},
		{train, method.CRC{Kappa: -1}, Search{Budget: 1, Folds: 2}, "kappa"},
		{train, few{}, Search{Budget: 1, Folds: 2}, "where to look"},
		{train, few{ranges: []method.Range{{Path: "kapa"}}}, Search{Budget: 1, Folds: 2}, "kapa"},
		{train.Select([]int{0, 8, 11, 16}), method.DefaultCRC, Search{Budget: 1, Folds: 2}, "more than one"},
	} {
		if _, err := Tune(t.Context(), c.set, frontend.Pipeline{}, c.m, c.s, TuneObserver{}); err == nil ||
			!strings.Contains(err.Error(), c.message) {
			t.Errorf("%+v: %v", c.s, err)
		}
	}
	if _, err := Tune(t.Context(), train, frontend.Pipeline{}, few{}, Search{Budget: 1, Folds: 2}, TuneObserver{}); advice.Text(err) == "" {
		t.Error("no hint without ranges")
	}
}

// A fold's model never sees what it is judged by, and all images but a person's
// only one are judged by once.
func TestTuneHoldsOut(t *testing.T) {
	train := unequal(t)
	s, err := newTuner(t.Context(), train, frontend.Pipeline{}.ForImages(train.Frame), method.DefaultCRC,
		Search{Budget: 1, Folds: 3, Seed: 2}, TuneObserver{})
	if err != nil {
		t.Fatal(err)
	}
	fold, err := Folds{N: 3}.deal(train, 2)
	if err != nil {
		t.Fatal(err)
	}
	id := func(set *classify.Samples) []string {
		ids := slices.Clone(set.IDs)
		slices.Sort(ids)
		return ids
	}
	count := make(map[string]int)
	for held, f := range s.folds {
		var want []string
		for j, k := range fold {
			if k == held {
				want = append(want, train.ID(j))
			}
		}
		slices.Sort(want)
		if !slices.Equal(id(f.samples), want) {
			t.Errorf("fold %d is judged by %v, not %v", held, f.samples.IDs, want)
		}
		for _, name := range f.samples.IDs {
			count[name]++
			if slices.Contains(f.train.IDs, name) {
				t.Errorf("fold %d learns from %s, by which it is judged", held, name)
			}
		}
		if _, n := f.train.X.Dims(); n+len(want) != len(train.IDs) {
			t.Errorf("fold %d learns from %d and is judged by %d of %d", held, n, len(want), len(train.IDs))
		}
	}
	if want := len(train.IDs) - 1; len(count) != want || slices.Max(slices.Collect(maps.Values(count))) != 1 {
		t.Errorf("%d images are judged by, not %d, once each", len(count), want)
	}
}
