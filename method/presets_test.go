package method_test

import (
	"slices"
	"testing"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/method"
)

// Every preset names a method and parameters that exist, changes something,
// and says where each value is from.
func TestPresets(t *testing.T) {
	for _, name := range method.PresetNames() {
		for _, m := range method.All() {
			set, err := method.Preset(m, name)
			if err != nil {
				t.Fatal(err)
			}
			if err := set.Validate(); err != nil {
				t.Errorf("%s for %s: %v", name, m.Name(), err)
			}
			before := method.Params(m)
			for _, v := range method.PresetValues(m, name) {
				if v.Source == "" {
					t.Errorf("%s for %s: %s has no source", name, m.Name(), v.Path)
				}
				if slices.ContainsFunc(before, func(p method.Param) bool { return p.Path == v.Path && p.Value == v.Value }) {
					t.Errorf("%s for %s: %s=%s is the default", name, m.Name(), v.Path, v.Value)
				}
			}
		}
	}
	for _, m := range method.All() {
		for name := range classify.TraitsOf(m).Presets {
			if method.PresetAbout(name) == "" {
				t.Errorf("%s: preset %s is not listed", m.Name(), name)
			}
		}
	}
	if _, err := method.Preset(method.All()[0], "yale"); err == nil {
		t.Error("an unknown preset is accepted")
	}
}
