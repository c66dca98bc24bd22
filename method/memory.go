package method

import (
	"cmp"
	"errors"
	"fmt"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// A Size is that of a training set.
type Size struct{ Features, Samples, Classes int }

// sizeOf returns the size of train.
func sizeOf(train *classify.Samples) Size {
	d, n := train.X.Dims()
	return Size{d, n, len(train.Classes)}
}

// A learner says what it holds beside the samples: a bound of the numbers that it
// keeps at once while it learns from a set of size s.
type learner interface{ holds(s Size) float64 }

// Memory bounds the bytes that Fit of m holds at once for a set of size s, with the
// set and its copies in another order and at unit norm. It is 0 for a method that
// does not tell.
func Memory(m classify.Method, s Size) float64 {
	d, n := float64(s.Features), float64(s.Samples)
	switch m := m.(type) {
	case interface{ over(n int) coding.Coder }:
		c := m.over(s.Samples)
		if _, ok := c.(coding.Blocks); ok || c == nil {
			return 0 // blocks depend on the shape of the images
		}
		return 8 * (3*d*n + c.Work(s.Features, s.Samples).Memory)
	case learner:
		return 8 * (4*d*n + m.holds(s))
	}
	return 0
}

// MostSamples returns how many samples of a set like s m can learn from within
// coding.MemoryLimit; 0 for a method that does not tell.
func MostSamples(m classify.Method, s Size) int {
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
	most := MostSamples(m, s)
	if most == 0 {
		return ""
	}
	text := fmt.Sprintf("memory: %.3g GiB are enough for %s samples of %d numbers", coding.MemoryLimit()/(1<<30), rounded(most), s.Features)
	if fewer, err := Set(m, "atoms", "10"); err == nil {
		text += fmt.Sprintf("; for %s with atoms=10 and %d people", rounded(MostSamples(fewer, s)), s.Classes)
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
	return advice.Add(fmt.Errorf("%s: %w", m.Name(), err), "%s", smaller(m))
}

// smaller says how to learn from a set that is too large for m.
func smaller(m classify.Method) string {
	for _, p := range Params(m) {
		if p.Path == "atoms" && p.Value == "0" {
			return "every sample is an atom: set atoms, the atoms of a person (--set atoms=10)"
		}
	}
	if _, ok := m.(learner); ok {
		return "set fewer atoms, or learn from batches (--method nrdl-online)"
	}
	return "learn a dictionary instead of keeping every sample (--method nrdl-online), or code over the samples of a shortlist of people (doc/scale.md)"
}

// tooLarge adds the way on to an err that is for lack of memory.
func tooLarge(m classify.Method, err error) error {
	if errors.Is(err, coding.ErrMemory) {
		return advice.Add(err, "%s", smaller(m))
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

func (m NRDL) holds(s Size) float64 {
	d, n, c, k := float64(s.Features), float64(s.Samples), float64(s.Classes), atomsOf(m.Atoms, s)
	graph := 3*c*n + graphLandmarks*n
	switch {
	case s.Samples <= factorLimit:
		graph = 3 * n * n // M, γL + μI and its factor
	case s.Samples <= denseLimit:
		graph = 3*c*n + n*n
	}
	held := k*n + 6*c*n + d*n + 3*k*k + 4*d*k // S; P, J, C₁, C₂, WS and T; R; (11), (12) and (15)
	return held + graph + m.coder().Work(s.Features, int(k)).Memory
}

func (m NRDLOnline) holds(s Size) float64 {
	rows, k := float64(s.Features+s.Classes), atomsOf(cmp.Or(m.Atoms, usualAtoms), s)
	return 2*k*k + 6*rows*k + (2*rows+2*k)*float64(m.Online.Batch) + m.Online.Coder.Work(int(rows), int(k)).Memory
}

func (l SparseLearning) holds(s Size) float64 {
	d, n, c, k := float64(s.Features), float64(s.Samples), float64(s.Classes), atomsOf(l.Atoms, s)
	codes := 5 * min(float64(l.Sparsity), k) * n // twice, by sample and by atom
	return 3*(d+c)*n + codes + k*min(n, regressed) + 2*k*k
}

func (l AlternatingLearning) holds(s Size) float64 {
	n, k := float64(s.Samples), atomsOf(l.Atoms, s)
	return 5*k*n + 4*k*k // codes, V, DᵀX, C, and the codes at unit norm
}

func (m SDRERDL) holds(s Size) float64 {
	s.Samples *= 2 // mirror images
	return float64(s.Features)*float64(s.Samples) + m.AlternatingLearning.holds(s)
}

func (m FDDL) holds(s Size) float64 {
	n, c, k := float64(s.Samples), float64(s.Classes), atomsOf(m.Atoms, s)
	return 5*k*n + 4*k*k + 3*n/c*n/c // S, Z, U, V and B; eigenfaces
}

func (m LRSDL) holds(s Size) float64 {
	return m.fddl().holds(s) + (float64(s.Features)+6*float64(m.Common))*float64(s.Samples)
}

func (m COPAR) holds(s Size) float64 {
	n, k := float64(s.Samples), atomsOf(m.Atoms, s)+float64(m.Common)
	return 6*k*n + 4*k*k // S, Z, U, V, B and a right-hand side
}

func (m DLSI) holds(s Size) float64 {
	return atomsOf(m.Atoms, s)*float64(s.Samples)/float64(s.Classes) + 2*float64(s.Features)*float64(s.Features)
}

func (m DPL) holds(s Size) float64 {
	n := float64(s.Samples)
	return 4*n*n + 4*atomsOf(m.Atoms, s)*n/float64(s.Classes) // XᵀX, λXᵀX + γI, its factor and its inverse
}
