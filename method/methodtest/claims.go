package methodtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/method"
)

// Claims returns an error for what the traits of m claim and its parameters contradict; nil if
// there is nothing. It finds ranges of unknown parameters, ranges that are empty or leave out
// the default, conditions and presets that are no configuration of m, and an After that is no
// method of package method or of others. It fits nothing. Run calls it.
func Claims(m classify.Method, others ...classify.Method) error {
	traits := classify.TraitsOf(m)
	var wrong []error
	for i := range traits.Ranges {
		for _, err := range rangeFaults(m, traits.Ranges, i) {
			wrong = append(wrong, fmt.Errorf("%s: the range of %s %w", m.Name(), traits.Ranges[i].Path, err))
		}
	}
	for name := range traits.Presets {
		set, err := method.Preset(m, name)
		if err == nil {
			err = set.Validate()
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: preset %s: %w", m.Name(), name, err))
		}
		for _, v := range traits.Presets[name] {
			if v.Source == "" {
				wrong = append(wrong, fmt.Errorf("%s: preset %s: %s has no source", m.Name(), name, v.Path))
			}
		}
	}
	names := method.Names()
	for _, o := range others {
		names = append(names, o.Name())
	}
	if a := traits.Predecessor; a != "" && (a == m.Name() || !slices.Contains(names, a)) {
		wrong = append(wrong, fmt.Errorf("%s: it comes after %q, which is no other method", m.Name(), a))
	}
	return errors.Join(wrong...)
}

// rangeFaults says what is wrong with range i of m.
func rangeFaults(m classify.Method, ranges []classify.Range, i int) (wrong []error) {
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	r := ranges[i]
	p, ok := param(m, r.Path)
	if !ok {
		fail("is of no parameter")
		return wrong
	}
	if slices.ContainsFunc(ranges[:i], func(o classify.Range) bool { return o.Path == r.Path }) {
		fail("is there twice")
	}
	numeric := p.Type == "number" || p.Type == "integer"
	switch {
	case numeric != (r.Choices == nil), r.Choices != nil && (len(r.Choices) < 2 || r.Low != 0 || r.High != 0 || r.Log || r.Zero):
		fail("is not that of a %s: %+v", p.Type, r)
		return wrong
	case numeric && (!(r.Low < r.High) || r.Log && !(r.Low > 0)):
		fail("goes from %v to %v", r.Low, r.High)
		return wrong
	}
	if !inRange(r, p.Value) {
		fail("leaves out %s, which it has", p.Value)
	}
	given, err := fulfilled(m, p.If, ranges[i:])
	if err != nil {
		fail("depends on %q: %w", p.If, err)
		return wrong
	}
	for _, v := range edges(r) {
		edited, err := method.Set(given, r.Path, v)
		if err == nil {
			err = edited.Validate()
		}
		if err != nil {
			fail("has %s: %w", v, err)
		}
		if short, err := strconv.ParseFloat(v, 64); err == nil && strconv.FormatFloat(short, 'g', 3, 64) != v {
			fail("ends at %s, and values are rounded to three digits", v)
		}
	}
	return wrong
}

// fulfilled returns m with the condition "PATH=VALUE" of a parameter, whose range is not in later.
func fulfilled(m classify.Method, condition string, later []classify.Range) (classify.Method, error) {
	if condition == "" {
		return m, nil
	}
	path, value, ok := strings.Cut(condition, "=")
	p, exists := param(m, path)
	switch {
	case !ok:
		return nil, errors.New("not PATH=VALUE")
	case !exists:
		return nil, fmt.Errorf("no parameter %s", path)
	case slices.ContainsFunc(later, func(o classify.Range) bool { return o.Path == path }):
		return nil, fmt.Errorf("the range of %s comes later", path)
	case p.Choices != nil && !slices.Contains(p.Choices, value):
		return nil, fmt.Errorf("%s is one of %s", path, strings.Join(p.Choices, ", "))
	}
	return method.Set(m, path, value)
}

// edges are the outermost values of r, or its choices.
func edges(r classify.Range) (values []string) {
	if r.Choices != nil {
		return r.Choices
	}
	for _, v := range []float64{r.Low, r.High} {
		values = append(values, strconv.FormatFloat(v, 'g', -1, 64))
	}
	if r.Zero {
		values = append(values, "0")
	}
	return values
}

func inRange(r classify.Range, value string) bool {
	if r.Choices != nil {
		return slices.Contains(r.Choices, value)
	}
	v, err := strconv.ParseFloat(value, 64)
	return err == nil && (r.Low <= v && v <= r.High || r.Zero && v == 0)
}

func param(m classify.Method, path string) (method.Param, bool) {
	all := method.Params(m)
	if i := slices.IndexFunc(all, func(p method.Param) bool { return p.Path == path }); i >= 0 {
		return all[i], true
	}
	return method.Param{}, false
}

// joins asks that a method that learns its classes apart joins them to what Fit learns from
// all of them.
func (s *suite) joins(t *testing.T) {
	separable, ok := s.m.(classify.Separable)
	if !ok {
		t.Skip("it is not Separable")
	}
	d, _ := s.train.X.Dims()
	atoms := mat.NewDense(d, len(s.train.Classes), nil)
	for c := range s.train.Classes {
		atom := separable.Atom(lin.Cols(s.train.X, s.train.Groups[c], s.train.Groups[c+1]))
		if len(atom) != d {
			t.Fatalf("the atom of %s has %d of %d features", s.train.Classes[c], len(atom), d)
		}
		atoms.SetCol(c, atom)
	}
	joined, err := separable.Join(atoms, s.train.Classes, classify.Run{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	whole := s.fitted(t)
	if p, q := joined.Parts(),
		whole.Parts(); !mat.EqualApprox(p.D, q.D, 1e-12) || !slices.Equal(p.Classes, q.Classes) || !slices.Equal(p.Groups, q.Groups) {
		t.Error("Join of an Atom of each class has another dictionary than Fit")
	}
	a, err := joined.Scores(context.Background(), s.probe.X)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(a, scores(t, whole, s.probe.X), 1e-12) {
		t.Error("Join of an Atom of each class scores otherwise than Fit")
	}
}
