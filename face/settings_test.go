package face

import (
	"encoding/json"
	"image"
	"strings"
	"testing"

	"nrdl.example/nrdl/dataset"
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
		changed.Confirm.Sure, changed.Confirm.Sides, changed.Measure.Side, changed.Scales.Turns = 0.8, []float64{80}, 80, []float64{45}
		changed.Front.OffCentre, changed.SameEyes, changed.Sighting.Looks, changed.Content.Judged, changed.Look.Light.Dark = 0.5, 0.4, 2, 8, 100
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
		if DefaultSearch.Scales.Turns[0] != 90 || DefaultSearch.Confirm.Sides[0] != 64 {
			t.Fatal("the defaults changed")
		}
	}
	for text, want := range map[string]string{
		`{"Confirm": {"Sure": 100}}`: "Sure = 100", `{"Scales": {"Parts": 100000000}}`: "Parts = 1e+08", `{"Scales": {"Tile": 0}}`: "Tile = 0",
		`{"Scales": {"Turns": [3610]}}`: "Turns = 3610", `{"Shore": 1}`: "unknown field", `{"Cascade": {"Side": 640}}`: "unknown field", `7`: "cannot unmarshal",
	} {
		if _, err := DefaultSearch.WithSettings(json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	lost, err := RestoreSearch("finder.onnx", "00", nil)
	if err != nil {
		t.Fatal(err)
	}
	lost, err = lost.WithSettings(json.RawMessage(`{"Front":{}}`))
	if settings, err2 := lost.Settings(); string(settings) != `{"Front":{}}` || err != nil || err2 != nil {
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
	s.Front.OffCentre = 0.1
	if s.ordered(Central, []Face{corner, centre}, image.Rect(0, 0, 100, 100))[0] != corner {
		t.Error("the smaller face is meant")
	}
	near := at(54, 50, 10)
	if !s.alike([]Face{centre}, near) {
		t.Error("they are two faces")
	}
	if s.SameEyes = 0.3; s.alike([]Face{centre}, near) {
		t.Error("they are one face")
	}
	near.Box = image.Rect(0, 0, 60, 60)
	if s.size(near) != 0.33*60 {
		t.Errorf("a size of %v", s.size(near))
	}
	if s.EyesOfBox = 0.2; s.size(near) != 12 {
		t.Errorf("a size of %v", s.size(near))
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
