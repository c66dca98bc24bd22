package face

import (
	"encoding/json"
	"image"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
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
		changed.Sure, changed.Cascade.MaxTilt, changed.Cascade.Measure.Side, changed.Cascade.Turns = 0.6, 0.5, 80, []float64{45}
		changed.OffCentre, changed.Tilted, changed.Cascade.SameEyes, changed.Sighting.Looks, changed.Content.Judged = 0.5, 30, 0.4, 2, 8
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
		if DefaultSearch.Turns[0] != 90 || DefaultFinder.Turns[0] != 30 {
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

// Changed numbers change which face is meant, which findings are one face, and how far the
// landmarks are searched.
func TestSettingsDecide(t *testing.T) {
	at := func(x, y, apart float64) Face {
		f := Face{Pupils: [2]Point{{x - apart/2, y}, {x + apart/2, y}}}
		f.Quality.Eyes = apart
		return f
	}
	corner, centre := at(10, 10, 12), at(50, 50, 10)
	s := *DefaultSearch
	if s.ordered(Central, []Face{corner, centre}, image.Rect(0, 0, 100, 100))[0] != centre {
		t.Error("the face in the corner is meant")
	}
	s.OffCentre = 0.1
	if s.ordered(Central, []Face{corner, centre}, image.Rect(0, 0, 100, 100))[0] != corner {
		t.Error("the smaller face is meant")
	}
	near := at(54, 50, 10)
	if !s.Cascade.alike([]Face{centre}, near) {
		t.Error("they are two faces")
	}
	if s.Cascade.SameEyes = 0.3; s.Cascade.alike([]Face{centre}, near) {
		t.Error("they are one face")
	}
	near.Box = image.Rect(0, 0, 60, 60)
	if s.Cascade.size(near) != 0.33*60 {
		t.Errorf("a size of %v", s.Cascade.size(near))
	}
	if s.Cascade.EyesOfBox = 0.2; s.Cascade.size(near) != 12 {
		t.Errorf("a size of %v", s.Cascade.size(near))
	}
	photo := dataset.NewPhoto(noise(60, 60, 1))
	five, err := s.Sighting.landmarksAt(t.Context(), photo, centre.Pupils)
	if s.Sighting.Looks = 0; err != nil || five == nil {
		t.Fatal(err)
	}
	if five, err = s.Sighting.landmarksAt(t.Context(), photo, centre.Pupils); err != nil || five != nil {
		t.Error("it looks again", err)
	}
}
