package face

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"

	"nrdl.example/nrdl/advice"
)

// original is the Search that OpenSearch returned, of which s may be a changed copy.
func (s *Search) original() *Search {
	if s.opened == nil {
		return DefaultSearch
	}
	return s.opened
}

// Settings returns the numbers of s as JSON, to be stored with results that depend on them;
// nil if they are the ones that OpenSearch gives for the name of s.
func (s *Search) Settings() (json.RawMessage, error) {
	if s.lost != nil {
		return s.stored, nil
	}
	settings, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("settings of the detector %s: %w", s.Name, err)
	}
	usual, err := json.Marshal(s.original())
	if err != nil || bytes.Equal(settings, usual) {
		return nil, err
	}
	return settings, nil
}

// mostFactor bounds a number of Settings that is read from a file, as a multiple and as a
// fraction of the usual one: so the time and the memory of a search are bounded.
const mostFactor = 8

// WithSettings returns a copy of s with the numbers in settings, which Settings returned.
// Numbers that settings do not have stay as they are. A number that is more than eight times
// larger or smaller than the one of OpenSearch is an error.
func (s *Search) WithSettings(settings json.RawMessage) (*Search, error) {
	if settings == nil {
		return s, nil
	}
	t := *s
	if s.lost != nil {
		t.stored = settings
		return &t, nil
	}
	t.Scales.Turns, t.Scales.Slants, t.Confirm.Sides = slices.Clone(s.Scales.Turns), slices.Clone(s.Scales.Slants), slices.Clone(s.Confirm.Sides) // which Decode overwrites in place
	d := json.NewDecoder(bytes.NewReader(settings))
	d.DisallowUnknownFields()
	err := d.Decode(&t)
	if err == nil {
		err = near(reflect.ValueOf(t), reflect.ValueOf(*s.original()), "")
	}
	if err != nil {
		return nil, advice.Add(fmt.Errorf("settings of the detector %s: %w", s.Name, err), "the file was written by another version, or is damaged; name the detector: %v", advice.Detector.To(autoDetector))
	}
	return &t, nil
}

// near reports a number of v that is not within mostFactor of that of usual.
func near(v, usual reflect.Value, name string) error {
	fail := func(x any) error { return fmt.Errorf("%s = %v is out of range", name, x) }
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
				if err := near(v.Field(i), usual.Field(i), f.Name); err != nil {
					return err
				}
			}
		}
	case reflect.Slice: // of angles or sides
		const most = 64
		if v.Len() > most {
			return fail(v.Len())
		}
		for i := range v.Len() {
			if x := v.Index(i).Float(); !(math.Abs(x) <= 1024) {
				return fail(x)
			}
		}
	case reflect.Int, reflect.Float64:
		x, u := number(v), number(usual)
		switch {
		case u == 0 && x >= 0 && x <= 1:
		case !(x >= u/mostFactor && x <= u*mostFactor):
			return fail(x)
		}
	}
	return nil
}

func number(v reflect.Value) float64 {
	if v.Kind() == reflect.Int {
		return float64(v.Int())
	}
	return v.Float()
}
