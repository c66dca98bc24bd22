package face

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"

	"nrdl.example/nrdl/advice"
)

// numbersOf are the numbers of a Search: those of its networks are beside it, since their
// fields are interfaces.
type numbersOf struct {
	*plainSearch
	Network, Last *NetDetector // nil for detectors of other types
}

type plainSearch Search // without methods

// numbers returns the numbers of s, which change with s but for those of the networks.
func (s *Search) numbers() numbersOf {
	n := numbersOf{plainSearch: (*plainSearch)(s)}
	if d, ok := s.Network.(NetDetector); ok {
		n.Network = &d
	}
	if d, ok := s.Last.(NetDetector); ok {
		n.Last = &d
	}
	return n
}

// original is the Search that OpenSearch returned, of which s may be a changed copy.
func (s *Search) original() *Search {
	if s.initial == nil {
		return DefaultSearch
	}
	return s.initial
}

// Settings returns the numbers of s as JSON, to be stored with results that depend on them;
// nil if they are the ones that OpenSearch gives for the name of s.
func (s *Search) Settings() (json.RawMessage, error) {
	if _, lost := s.Network.(absent); lost {
		return s.raw, nil
	}
	settings, err := json.Marshal(s.numbers())
	if err != nil {
		return nil, fmt.Errorf("settings of the detector %s: %w", s.Name, err)
	}
	usual, err := json.Marshal(s.original().numbers())
	if err != nil || bytes.Equal(settings, usual) {
		return nil, err
	}
	return settings, nil
}

// maxFactor bounds a number of Settings that is read from a file, as a multiple and as a
// fraction of the usual one: so the time and the memory of a search are bounded.
const maxFactor = 8

// WithSettings returns a copy of s with the numbers in settings, which Settings returned.
// Numbers that settings do not have stay as they are. A number that is more than eight times
// larger or smaller than the one of OpenSearch is an error.
func (s *Search) WithSettings(settings json.RawMessage) (*Search, error) {
	if settings == nil {
		return s, nil
	}
	t := *s
	if _, lost := s.Network.(absent); lost {
		t.raw = settings
		return &t, nil
	}
	t.Turns, t.Aside, t.Slant, t.Cascade.Turns = nil, nil, nil, nil // which Decode would overwrite in place
	n := t.numbers()
	d := json.NewDecoder(bytes.NewReader(settings))
	d.DisallowUnknownFields()
	err := d.Decode(&n)
	for _, list := range []struct{ got, usual *[]float64 }{
		{&t.Turns, &s.Turns},
		{&t.Aside, &s.Aside},
		{&t.Slant, &s.Slant},
		{&t.Cascade.Turns, &s.Cascade.Turns},
	} {
		if *list.got == nil {
			*list.got = *list.usual
		}
	}
	if err == nil {
		usual := s.original().numbers()
		err = near(reflect.ValueOf(n), reflect.ValueOf(usual), "")
	}
	if err != nil {
		return nil,
			advice.Add(fmt.Errorf("settings of the detector %s: %w", s.Name, err), "the file was written by a newer version, or is damaged")
	}
	if n.Network != nil {
		t.Network = *n.Network
	}
	if n.Last != nil {
		t.Last = *n.Last
	}
	return &t, nil
}

// near reports a number of v that is not within maxFactor of that of usual.
func near(v, usual reflect.Value, name string) error {
	fail := func(x any) error { return fmt.Errorf("%s = %v is out of range", name, x) }
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() != usual.IsNil() {
			return fail("a detector")
		}
		if v.IsNil() {
			return nil
		}
		return near(v.Elem(), usual.Elem(), name)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
				if err := near(v.Field(i), usual.Field(i), f.Name); err != nil {
					return err
				}
			}
		}
	case reflect.Slice: // of angles
		const limit = 64
		if v.Len() > limit {
			return fail(v.Len())
		}
		for i := range v.Len() {
			if x := v.Index(i).Float(); !(math.Abs(x) <= 360) {
				return fail(x)
			}
		}
	case reflect.Int, reflect.Float64:
		x, u := number(v), number(usual)
		switch {
		case name == "CloseSide" && x == 0: // no closer look
		case u == 0 && x >= 0 && x <= 1:
		case !(x >= u/maxFactor && x <= u*maxFactor):
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
