package method

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// onlineForTests learns from the batches of small sets.
func onlineForTests() NRDLOnline {
	m := DefaultNRDLOnline
	m.Atoms, m.Online.Batch = 3, 16
	return m
}

// cut gives train in batches of so many samples, with the classes interleaved.
func cut(train *classify.Samples, size int, end error) iter.Seq2[*classify.Samples, error] {
	return func(yield func(*classify.Samples, error) bool) {
		order := rand.New(rand.NewPCG(7, 7)).Perm(train.Len())
		for lo := 0; lo < len(order); lo += size {
			if !yield(train.Select(order[lo:min(lo+size, len(order))]), nil) {
				return
			}
		}
		if end != nil {
			yield(nil, end)
		}
	}
}

// What is learned of a stream depends on the samples, not on how they are cut, as long
// as a batch keeps their order: Select sorts those of a batch by class, so that the
// batches here are of one sample, or all of one class.
func TestStreamDoesNotDependOnItsBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 1))
	first, more := positive(r, 12, 10, 10, 10), positive(r, 12, 40, 40, 40)
	m := onlineForTests()
	ones := func(yield func(*classify.Samples, error) bool) {
		for j := range more.Len() {
			if !yield(more.Select([]int{j}), nil) {
				return
			}
		}
	}
	whole := func(yield func(*classify.Samples, error) bool) { yield(more, nil) }
	a, err := m.FitStream(context.Background(), first, ones, classify.Run{Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.FitStream(context.Background(), first, whole, classify.Run{Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(a.Parts().D, b.Parts().D) || !mat.Equal(linear(a.Parts()), linear(b.Parts())) {
		t.Error("the same samples in other batches give another model")
	}
}

func TestStreamRecognises(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 1))
	all := positive(r, 20, 60, 60, 60)
	for j, c := range all.Labels() {
		for i := range 6 { // where the class is strong
			all.X.Set(6*c+i, j, all.X.At(6*c+i, j)+4)
		}
	}
	var first, rest, probes []int
	for j := range all.Len() {
		switch k := j % 60; {
		case k < 5:
			first = append(first, j)
		case k < 50:
			rest = append(rest, j)
		default:
			probes = append(probes, j)
		}
	}
	m := onlineForTests()
	c, err := m.FitStream(context.Background(), all.Select(first), cut(all.Select(rest), 11, nil), classify.Run{})
	if err != nil {
		t.Fatal(err)
	}
	probe := all.Select(probes)
	got, err := c.Predict(context.Background(), probe.X)
	if err != nil {
		t.Fatal(err)
	}
	for j, class := range probe.Labels() {
		if got[j] != class {
			t.Errorf("probe %d of class %d is named %d", j, class, got[j])
		}
	}
}

func TestStreamErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 1))
	first := positive(r, 12, 10, 10)
	broken := errors.New("the disk is gone")
	stop, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx     context.Context
		batches iter.Seq2[*classify.Samples, error]
		want    string
	}{
		{context.Background(), cut(positive(r, 12, 5, 5, 5), 20, nil), `"c2" is not among the classes`},
		{context.Background(), cut(positive(r, 9, 5, 5), 20, nil), "samples of 9 features, and the first of 12"},
		{context.Background(), cut(first, 5, broken), "batch 5 of the stream: the disk is gone"},
		{stop, cut(first, 5, nil), "canceled"},
	} {
		if _, err := onlineForTests().FitStream(c.ctx, first, c.batches, classify.Run{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// The targets minimise what stands for (4) of a sample: α‖h − y‖² + βΣ_c n_cy_c² with
// the tangent of the own class at its label, and γΣ_c n_cM_c‖m_c − y‖² with the mean
// degree in the place of its own.
func TestTargetsOfTheStreamAreStationary(t *testing.T) {
	train := positive(rand.New(rand.NewPCG(54, 1)), 12, 10, 20, 15)
	x := classify.Unit(train.X)
	m := onlineForTests()
	m.Alpha, m.Beta, m.Gamma = 0.7, 0.2, 0.05
	s, err := m.start(newTask(t, train, cmp.Or(m.Atoms, min(usualAtoms, minClass(train)))))
	if err != nil {
		t.Fatal(err)
	}
	mean := make([]float64, 3)
	_, mean = s.neighbours(x.ColView(0), mean)
	const own = 0
	value := func(y []float64) float64 {
		var v float64
		for c := range y {
			h := 0.0
			if c == own {
				h = 1
			}
			v += m.Alpha*(h-y[c])*(h-y[c]) + m.Beta*s.n[c]*(y[c]-h)*(y[c]-h) + s.pull*(y[c]-mean[c])*(y[c]-mean[c])
		}
		return v
	}
	if err := s.add(context.Background(), lin.Cols(x, 0, 1), []int{own}); err != nil {
		t.Fatal(err)
	}
	y := make([]float64, 3)
	for c := range y {
		y[c] = s.stack.At(12+c, 0) / s.ω[c]
	}
	for c := range y {
		const h = 1e-5
		y[c] += h
		up := value(y)
		y[c] -= 2 * h
		if slope := (up - value(y)) / (2 * h); math.Abs(slope) > 1e-6 {
			t.Errorf("slope %.1e in class %d", slope, c)
		}
		y[c] += h
	}
}
