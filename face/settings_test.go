package face

import (
	"encoding/json"
	"strings"
	"testing"
)

// Numbers that differ from the usual ones come back from Settings, and those far off are
// refused.
func TestSettings(t *testing.T) {
	for _, name := range Detectors {
		s, err := OpenSearch(name)
		if err != nil {
			t.Fatal(err)
		}
		if settings, err := s.Settings(); settings != nil || err != nil {
			t.Errorf("%s: the usual settings are %s, %v", name, settings, err)
		}
		changed := *s
		changed.Sure, changed.Cascade.MostTilt, changed.Cascade.Measure.Side, changed.Cascade.Turns = 0.6, 0.5, 80, []float64{45}
		if d, ok := changed.Network.(NetDetector); ok {
			d.Light.Dark = 100
			changed.Network = d
		}
		settings, err := changed.Settings()
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.WithSettings(settings)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := again.Settings(); string(got) != string(settings) || err != nil {
			t.Errorf("%s: settings\n%s\nbecome\n%s, %v", name, settings, got, err)
		}
		if DefaultSearch.Turns[0] != 30 || DefaultFinder.Turns[0] != 30 {
			t.Fatal("the defaults changed")
		}
	}
	for text, want := range map[string]string{
		`{"Sure": 100}`: "Sure = 100", `{"Cascade": {"Starts": 100000}}`: "Starts = 100000", `{"Cascade": {"Side": 0}}`: "Side = 0",
		`{"Turns": [361]}`: "Turns = 361", `{"Shore": 1}`: "unknown field", `{"Network": null}`: "a detector", `7`: "cannot unmarshal",
	} {
		if _, err := DefaultSearch.WithSettings(json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	lost, err := RestoreSearch("finder.onnx", "00", nil)
	if err != nil {
		t.Fatal(err)
	}
	lost, err = lost.WithSettings(json.RawMessage(`{"Sure":0.6}`))
	if settings, err2 := lost.Settings(); string(settings) != `{"Sure":0.6}` || err != nil || err2 != nil {
		t.Errorf("of a missing detector: %s, %v, %v", settings, err, err2)
	}
}
