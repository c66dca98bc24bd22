package method_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/method"
)

// Every range names a parameter, lies within what Set and Validate take, and
// holds the value that the method has and those of the presets.
func TestRanges(t *testing.T) {
	for _, m := range method.All() {
		if len(classify.TraitsOf(m).Ranges) == 0 && len(method.Params(m)) > 0 {
			t.Errorf("%s has no ranges", m.Name())
		}
		checkRanges(t, m)
		for _, r := range classify.TraitsOf(m).Ranges {
			for _, name := range method.PresetNames() {
				for _, v := range method.PresetValues(m, name) {
					if v.Path == r.Path && !holds(t, r, v.Value) {
						t.Errorf("%s: %s=%s of the preset %s is outside its range", m.Name(), v.Path, v.Value, name)
					}
				}
			}
		}
	}
}

// Ranges are of the parameters that a method has as it is: with another coder,
// or fewer atoms than samples, they are others.
func TestRangesFollowTheMethod(t *testing.T) {
	for _, c := range coding.All {
		m := method.DefaultNRDL
		m.Coder = c
		if n := checkRanges(t, m); n < 5 && c != coding.Coder(coding.Inner{}) { // which has no parameter
			t.Errorf("NRDL with the coder %s: %d ranges, none of its coder's", c.Name(), n)
		}
		m.Signed = true
		if slices.ContainsFunc(classify.TraitsOf(m).Ranges, func(r method.Range) bool { return strings.HasPrefix(r.Path, "coder") }) {
			t.Errorf("NRDL-test has ranges of the coder %s, which it does not use", c.Name())
		}
	}
	few := method.DefaultKSVD
	few.Atoms = 5
	if checkRanges(t, few) <= len(method.DefaultKSVD.Traits().Ranges) {
		t.Error("K-SVD with few atoms has no range of its passes")
	}
}

// checkRanges returns the number of ranges.
func checkRanges(t *testing.T, m classify.Method) int {
	t.Helper()
	ranges := classify.TraitsOf(m).Ranges
	for i, r := range ranges {
		fail := func(format string, args ...any) {
			t.Helper()
			t.Errorf("%s: %s: "+format, append([]any{m.Name(), r.Path}, args...)...)
		}
		p, ok := param(m, r.Path)
		if !ok {
			fail("no parameter")
			continue
		}
		if slices.ContainsFunc(ranges[:i], func(o method.Range) bool { return o.Path == r.Path }) {
			fail("two ranges")
		}
		if !holds(t, r, p.Value) {
			fail("the default %s is outside", p.Value)
		}
		given := m
		if path, value, ok := strings.Cut(r.If, "="); ok {
			later := slices.ContainsFunc(ranges[i:], func(o method.Range) bool { return o.Path == path })
			q, exists := param(m, path)
			if later || !exists || !slices.Contains(q.Choices, value) {
				fail("it depends on %q", r.If)
			}
			given = set(t, m, path, value)
		} else if r.If != "" {
			fail("the condition %q", r.If)
		}
		values := r.Choices
		switch numeric := p.Type == "number" || p.Type == "integer"; {
		case numeric != (r.Choices == nil), r.Choices != nil && (len(r.Choices) < 2 || r.Low != 0 || r.High != 0 || r.Log || r.Zero):
			fail("a range of a %s: %+v", p.Type, r)
		case numeric && (!(r.Low < r.High) || r.Log && !(r.Low > 0)):
			fail("from %v to %v", r.Low, r.High)
		case numeric:
			for _, v := range []float64{r.Low, r.High} {
				text := strconv.FormatFloat(v, 'g', -1, 64)
				if short := strconv.FormatFloat(v, 'g', 3, 64); short != text {
					fail("%s has more than three digits, to which values are rounded", text)
				}
				values = append(values, text)
			}
			if r.Zero {
				values = append(values, "0")
			}
		}
		for _, v := range values {
			if err := set(t, given, r.Path, v).Validate(); err != nil {
				fail("%v", err)
			}
		}
	}
	return len(ranges)
}

// holds reports whether value is in r.
func holds(t *testing.T, r method.Range, value string) bool {
	t.Helper()
	if r.Choices != nil {
		return slices.Contains(r.Choices, value)
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		t.Error(err)
	}
	return r.Low <= v && v <= r.High || r.Zero && v == 0
}

func param(m classify.Method, path string) (method.Param, bool) {
	for _, p := range method.Params(m) {
		if p.Path == path {
			return p, true
		}
	}
	return method.Param{}, false
}

func set(t *testing.T, m classify.Method, path, value string) classify.Method {
	t.Helper()
	edited, err := method.Set(m, path, value)
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	return edited
}
