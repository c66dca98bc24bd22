package method_test

import (
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/method/methodtest"
)

// A method with parameters has ranges, and the values of its presets are in them.
func TestRanges(t *testing.T) {
	for _, m := range method.All() {
		if len(classify.TraitsOf(m).Ranges) == 0 && len(method.Params(m)) > 0 {
			t.Errorf("%s has no ranges", m.Name())
		}
		for _, name := range method.PresetNames() {
			preset, err := method.Preset(m, name)
			if err != nil {
				t.Fatal(err)
			}
			checkRanges(t, preset)
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
	if err := methodtest.Claims(m); err != nil {
		t.Error(err)
	}
	return len(classify.TraitsOf(m).Ranges)
}
