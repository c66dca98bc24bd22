package catalogue_test

import (
	"strings"
	"testing"

	"nrdl.example/nrdl/cmd/nrdl/internal/catalogue"
	"nrdl.example/nrdl/faces/frontend/feature"
	"nrdl.example/nrdl/method"
)

// The text of every method has its parameters and presets, and no other name is a
// stage.
func TestMethods(t *testing.T) {
	for _, each := range method.All() {
		m := catalogue.Of(each)
		var text strings.Builder
		if err := m.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		wantParams(t, m.Name, text.String(), m.Params)
		for _, p := range m.Presets {
			for _, v := range p.Values {
				if want := v.Path + "=" + v.Value; !strings.Contains(text.String(), want) {
					t.Errorf("%s: the preset %s has no %s in\n%s", m.Name, p.Name, want, text.String())
				}
			}
		}
		if _, ok := catalogue.FindStage(m.Name); ok {
			t.Errorf("%s is a stage too", m.Name)
		}
	}
}

// Every stage is found by its name, a word also without its value, and its text has
// its parameters, or each of its features on a line.
func TestStages(t *testing.T) {
	for _, s := range catalogue.Stages() {
		word, _, _ := strings.Cut(s.Name, "=")
		if found, ok := catalogue.FindStage(word); !ok || found.Name != s.Name {
			t.Errorf("%s is found as %q", word, found.Name)
		}
		var text strings.Builder
		if err := s.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		wantParams(t, s.Name, text.String(), s.Params)
		if s.Input == nil {
			continue
		}
		for _, f := range s.Input.Features {
			if !strings.Contains(text.String(), (feature.Features{f}).String()+"\n") {
				t.Errorf("%s has no line with %s:\n%s", s.Name, f.Name(), text.String())
			}
		}
	}
}

func wantParams(t *testing.T, name, text string, params []method.Param) {
	t.Helper()
	for _, p := range params {
		if !strings.Contains(text, p.Path) || !strings.Contains(text, p.Value) {
			t.Errorf("%s: no %s, %s, in\n%s", name, p.Path, p.Value, text)
		}
	}
}
