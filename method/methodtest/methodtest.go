// Package methodtest tests that a classify.Method keeps its contract. The methods of package
// method are tested by it, and so can be those of other modules:
//
//	func TestContract(t *testing.T) {
//		methodtest.Run(t, Default, methodtest.Options{})
//	}
//
// Experimental: this package may change in any version.
package methodtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
)

// An Exception says what a parameter needs to matter.
type Exception struct {
	Params map[string]string // other parameters, to be set first
	Value  string            // the changed value; "" chooses one
	Warm   bool              // it matters to a fit that starts from an earlier model
	Skip   string            // why no change of it can be seen; "" for others
}

// Options say how a method is tested.
type Options struct {
	// Small are parameters, by path, for training sets of 20 samples; Single are those for
	// sets of 4, one per class: defaults are for hundreds.
	Small, Single map[string]string

	// Exceptions are the parameters that matter only under a condition, by path.
	Exceptions map[string]Exception

	// Others are further methods, beside those of package method, that may be the After of the
	// method's traits and with which stored models are read. The method itself need not be among
	// them.
	Others []classify.Method
}

// Run tests that m, with its default parameters, keeps the contract of a classify.Method:
// what its documentation asks of Fit, and that m does what its Traits and its interfaces
// claim. Each property is a subtest.
func Run(t *testing.T, m classify.Method, o Options) {
	defaults := m
	m = Set(t, m, o.Small)
	s := &suite{m: m, train: Cones(5, 6, 40, 1), probe: Cones(5, 4, 40, 2)}
	t.Run("learns separable data", s.learns)
	t.Run("fewer features than samples", func(t *testing.T) { s.learnsFrom(t, Cones(5, 6, 12, 1), Cones(5, 4, 12, 2)) })
	t.Run("repeats exactly", s.repeats)
	t.Run("threads change nothing", s.threads)
	t.Run("scores of many at once", s.concurrent)
	t.Run("watching changes nothing", s.watched)
	t.Run("leaves its input alone", s.input)
	t.Run("survives save and load", func(t *testing.T) { s.saved(t, append(o.Others, defaults)) })
	t.Run("every parameter matters", func(t *testing.T) { s.parameters(t, o.Exceptions) })
	t.Run("more than there is", s.tooMuch)
	t.Run("few atoms", s.fewAtoms)
	t.Run("stops when cancelled", s.cancelled)
	t.Run("unequal classes", s.unequal)
	t.Run("one sample a class", func(t *testing.T) {
		single := &suite{m: Set(t, defaults, o.Single)}
		single.learnsFrom(t, Cones(4, 1, 40, 1), Cones(4, 1, 40, 1))
	})
	t.Run("names and order are irrelevant", s.shuffled)
	t.Run("refuses NaN", s.nan)
	t.Run("scale is irrelevant", s.scaled)
	t.Run("one class", s.oneClass)
	t.Run("a blank sample is kept", s.blank)
	t.Run("a blank class is refused", s.blankClass)
	t.Run("traits are true", func(t *testing.T) { s.traits(t, defaults, o.Others) })
	t.Run("joins its classes", s.joins)
	t.Run("steps are Learn", s.steps)
	t.Run("starts are those of its traits", s.starts)
	t.Run("goes on from its state", func(t *testing.T) { GoesOn(t, m) })
}

type suite struct {
	m            classify.Method
	train, probe *classify.Samples
	base         *classify.Classifier // that of fitted
}

// fitted returns the fit of m on train, which subtests share.
func (s *suite) fitted(t *testing.T) *classify.Classifier {
	t.Helper()
	if s.base == nil {
		s.base = s.fit(t, s.m, s.train, nil)
	}
	return s.base
}

func (s *suite) fit(t *testing.T, m classify.Method, train *classify.Samples, w classify.Watch) *classify.Classifier {
	t.Helper()
	model, err := m.Fit(context.Background(), train, classify.Run{Seed: 3, Watch: w})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func scores(t *testing.T, m *classify.Classifier, x *mat.Dense) *mat.Dense {
	t.Helper()
	out, err := m.Scores(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (s *suite) learns(t *testing.T) { s.learnsFrom(t, s.train, s.probe) }

// learnsFrom asks that all probes but one in ten are named rightly.
func (s *suite) learnsFrom(t *testing.T, train, probe *classify.Samples) {
	model := s.fit(t, s.m, train, nil)
	got, err := model.Predict(context.Background(), probe.X)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for j, c := range probe.Labels() {
		if model.Parts().Classes[got[j]] == probe.Classes[c] {
			right++
		}
	}
	if right*10 < 9*len(got) {
		t.Errorf("%d of %d separable probes are named rightly", right, len(got))
	}
}

func (s *suite) repeats(t *testing.T) {
	a, b := s.fitted(t), s.fit(t, s.m, s.train, nil)
	if !bytes.Equal(encode(t, a), encode(t, b)) {
		t.Error("two fits give different models")
	}
}

// threads learns from enough samples for the products to be divided.
func (s *suite) threads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	train := Cones(10, 10, 100, 1)
	m, counts := s.m, []int{4}
	if os.Getenv("NRDL_LONG") != "" {
		counts = []int{2, 3, 4}
	} else if at := slices.IndexFunc([]string{"passes", "coder.passes"}, s.has); at >= 0 {
		m = set(t, m, []string{"passes", "coder.passes"}[at], "4")
	}
	one := encode(t, s.fit(t, m, train, nil))
	for _, n := range counts {
		runtime.GOMAXPROCS(n)
		if !bytes.Equal(one, encode(t, s.fit(t, m, train, nil))) {
			t.Errorf("%d threads give another model than one", n)
		}
	}
}

// concurrent scores the probes one by one, from several goroutines at once.
func (s *suite) concurrent(t *testing.T) {
	model := s.fitted(t)
	all := scores(t, model, s.probe.X)
	d, n := s.probe.X.Dims()
	c, _ := all.Dims()
	var wg sync.WaitGroup
	for j := range n {
		wg.Go(func() {
			one, err := model.Scores(context.Background(), s.probe.X.Slice(0, d, j, j+1).(*mat.Dense))
			if err != nil {
				t.Error(err)
				return
			}
			if !mat.EqualApprox(one, all.Slice(0, c, j, j+1), 1e-12) {
				t.Errorf("probe %d scores differently alone", j)
			}
		})
	}
	wg.Wait()
}

func (s *suite) watched(t *testing.T) {
	passes := 0
	a := s.fitted(t)
	b := s.fit(t, s.m, s.train, func(p classify.Progress) {
		passes++
		if p.Iter != passes {
			t.Errorf("pass %d is announced as %d", passes, p.Iter)
		}
		p.Terms()
	})
	if !bytes.Equal(encode(t, a), encode(t, b)) {
		t.Error("a watched fit gives another model")
	}
	if got := b.Parts().Outcome.Iter; got != passes {
		t.Errorf("the model says %d passes, %d were watched", got, passes)
	}
}

func (s *suite) input(t *testing.T) {
	before := mat.DenseCopyOf(s.train.X)
	groups := slices.Clone(s.train.Groups)
	scores(t, s.fit(t, s.m, s.train, nil), s.train.X)
	if !mat.Equal(before, s.train.X) || !slices.Equal(groups, s.train.Groups) {
		t.Error("fit or scores changed the training set")
	}
}

func (s *suite) cancelled(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	watched := 0
	watch := func(p classify.Progress) {
		watched++
		cancel(stop)
	}
	model, err := s.m.Fit(ctx, s.train, classify.Run{Watch: watch})
	if watched == 0 { // a closed form: nothing to stop half-way
		cancel(stop)
		model, err = s.m.Fit(ctx, s.train, classify.Run{})
	}
	if !errors.Is(err, stop) || model != nil {
		t.Errorf("a cancelled fit returns model %v and error %v", model != nil, err)
	}
	if watched > 1 {
		t.Errorf("%d passes after being cancelled", watched-1)
	}
}

func (s *suite) unequal(t *testing.T) {
	train := s.train.Select([]int{0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 18, 19, 20, 21, 24, 25, 26, 27, 28, 29})
	s.learnsFrom(t, train, s.probe)
}

// shuffled shuffles the samples and renames the classes so that their order
// turns round: both change nothing but rounding.
func (s *suite) shuffled(t *testing.T) {
	_, n := s.train.X.Dims()
	order := rand.New(rand.NewPCG(1, 2)).Perm(n)
	same := func(c int) string { return s.train.Classes[c] }
	turned := func(c int) string { return fmt.Sprintf("name%d", 9-c) }
	s.compareOrder(t, order, same, func(c int) int { return c })
	s.compareOrder(t, order, turned, func(c int) int { return len(s.train.Classes) - 1 - c })
}

// compareOrder fits the samples in another order under other names, and asks
// that class c scores as class at(c) then does.
func (s *suite) compareOrder(t *testing.T, order []int, name func(c int) string, at func(c int) int) {
	t.Helper()
	d, n := s.train.X.Dims()
	x := mat.NewDense(d, n, nil)
	labels := make([]string, n)
	for j, from := range order {
		for i := range d {
			x.Set(i, j, s.train.X.At(i, from))
		}
		labels[j] = name(s.train.ClassOf(from))
	}
	train, err := classify.NewSamples(x, labels, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	train.Grid = s.train.Grid
	a := scores(t, s.fitted(t), s.probe.X)
	b := scores(t, s.fit(t, s.m, train, nil), s.probe.X)
	c, probes := a.Dims()
	for i := range c {
		for j := range probes {
			if diff := math.Abs(a.At(i, j) - b.At(at(i), j)); diff > 1e-9 {
				t.Fatalf("class %d of probe %d scores %v, in another order %v", i, j, a.At(i, j), b.At(at(i), j))
			}
		}
	}
}

func (s *suite) nan(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		train := *s.train
		train.X = mat.DenseCopyOf(s.train.X)
		train.X.Set(3, 4, v)
		if _, err := s.m.Fit(context.Background(), &train, classify.Run{}); err == nil {
			t.Errorf("%v is learned from", v)
		}
		if _, err := s.fitted(t).Scores(context.Background(), train.X); err == nil {
			t.Errorf("%v is scored", v)
		}
	}
}

func (s *suite) scaled(t *testing.T) {
	train := *s.train
	train.X = mat.DenseCopyOf(s.train.X)
	d, n := train.X.Dims()
	for j := range n {
		for i := range d {
			train.X.Set(i, j, train.X.At(i, j)*math.Pow(2, float64(j%5))) // exact
		}
	}
	a := scores(t, s.fitted(t), s.probe.X)
	b := scores(t, s.fit(t, s.m, &train, nil), s.probe.X)
	if !mat.EqualApprox(a, b, 1e-9) {
		t.Error("images of other brightness give other scores")
	}
}

// oneClass asks that a Separable method learns from one class what it learns of it among
// others, and that others refuse.
func (s *suite) oneClass(t *testing.T) {
	train := s.train.Select([]int{0, 1, 2, 3, 4, 5})
	separable, is := s.m.(classify.Separable)
	if !is {
		if _, err := s.m.Fit(context.Background(), train, classify.Run{}); err == nil || advice.Text(err) == "" {
			t.Errorf("one class is accepted, or the error has no advice: %v", err)
		}
		return
	}
	alone := s.fit(t, separable, train, nil)
	atom := mat.NewDense(40, 1, separable.Atom(train.X))
	joined, err := separable.Join(atom, train.Classes, classify.Run{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(alone.Parts().D, joined.Parts().D) || !mat.Equal(alone.Parts().D, atom) {
		t.Error("one class is learned as something else than its atom")
	}
	r, err := alone.Classify(context.Background(), s.probe.X)
	if err != nil {
		t.Fatal(err)
	}
	among := scores(t, s.fitted(t), s.probe.X)
	for j, e := range alone.Evidence(&r) {
		if e.Margin != 0 || e.Concentration != 0 || e.Largest != r.Scores.At(0, j) || math.Abs(e.Largest-among.At(0, j)) > 1e-12 {
			t.Errorf("the evidence of probe %d is %+v, among others its score is %v", j, e, among.At(0, j))
		}
	}
}
