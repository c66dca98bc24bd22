package method

import (
	"errors"
	"fmt"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// A Size is that of a training set.
type Size = classify.Size

// sizeOf returns the size of train.
func sizeOf(train *classify.Samples) Size {
	d, n := train.X.Dims()
	return Size{Features: d, Samples: n, Classes: len(train.Classes)}
}

// Memory bounds the bytes that Fit of m holds at once for a set of size s, with the
// set and its copies in another order and at unit norm. It is 0 for a method that
// does not tell.
func Memory(m classify.Method, s Size) float64 {
	d, n := float64(s.Features), float64(s.Samples)
	t := classify.TraitsOf(m)
	_, blocks := t.Coder.(coding.Blocks) // whose work depends on the shape of the images
	switch {
	case t.Samples && t.Coder != nil && !blocks:
		return 8 * (3*d*n + t.Coder.Work(s.Features, s.Samples).Memory)
	case t.Memory != nil:
		return 8 * (4*d*n + t.Memory(s))
	}
	return 0
}

// MaxSamples returns how many samples of a set like s m can learn from within
// coding.MemoryLimit; 0 for a method that does not tell.
func MaxSamples(m classify.Method, s Size) int {
	if s.Samples = s.Classes; Memory(m, s) == 0 {
		return 0
	}
	low, high := 0, 1<<40/max(1, s.Features) // memory grows with the samples
	for low+1 < high {
		s.Samples = (low + high) / 2
		if Memory(m, s) <= coding.MemoryLimit() {
			low = s.Samples
		} else {
			high = s.Samples
		}
	}
	return low
}

// Limit says how many samples of a usual size m can learn from; "" for a method that
// does not tell.
func Limit(m classify.Method) string {
	s := Size{Features: 128, Classes: 100}
	limit := MaxSamples(m, s)
	if limit == 0 {
		return ""
	}
	text := fmt.Sprintf("memory: %.3g GiB are enough for %s samples of %d numbers", coding.MemoryLimit()/(1<<30), rounded(limit), s.Features)
	if fewer, err := Set(m, "atoms", "10"); err == nil {
		text += fmt.Sprintf("; for %s with atoms=10 and %d people", rounded(MaxSamples(fewer, s)), s.Classes)
	}
	return text + " (doc/scale.md)"
}

// rounded writes n down to two digits.
func rounded(n int) string {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return fmt.Sprint(n / unit * unit)
}

// fitsMemory reports a set that is too large for m to learn from.
func fitsMemory(m classify.Method, s Size) error {
	err := coding.Affordable(fmt.Sprintf("learning from %d samples of %d features", s.Samples, s.Features), Memory(m, s))
	if err == nil {
		return nil
	}
	return advice.Add(fmt.Errorf("%s: %w", m.Name(), err), "%v", smaller(m))
}

// smaller says how to learn from a set that is too large for m.
func smaller(m classify.Method) advice.Advice {
	batches := advice.Method.To("nrdl-online")
	for _, p := range Params(m) {
		if p.Path == "atoms" && p.Value == "0" {
			return advice.New("every sample is an atom: set atoms, the atoms of a person (%v)", advice.Parameter.To("atoms=10"))
		}
	}
	if !classify.TraitsOf(m).Samples {
		return advice.New("set fewer atoms, or learn from batches (%v)", batches)
	}
	return advice.New(
		"learn a dictionary instead of keeping every sample (%v), or code over the samples of a shortlist of people (doc/scale.md)", batches)
}

// tooLarge adds the way on to an err that is for lack of memory.
func tooLarge(m classify.Method, err error) error {
	if errors.Is(err, coding.ErrMemory) {
		return advice.Add(err, "%v", smaller(m))
	}
	return err
}

// atomsOf is K for so many atoms per class, 0 for all samples.
func atomsOf(atoms int, s Size) float64 {
	if atoms == 0 {
		return float64(s.Samples)
	}
	return float64(atoms) * float64(s.Classes)
}
