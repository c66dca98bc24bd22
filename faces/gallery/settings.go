package gallery

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
)

// Settings are the numbers by which a Gallery shortlists, holds faces out, and judges its
// people and their photographs. A model file has them unless they are the DefaultSettings.
type Settings struct {
	// A gallery that shortlists codes a face over the faces of Shortlist people; a coding.Ridge may
	// take more of them. Its threshold follows from Probes of its faces, which stand for strangers,
	// and it knows the Rivals people who are most similar to each (doc/scale.md).
	Shortlist int `json:"shortlist"`
	Probes    int `json:"probes"`
	Rivals    int `json:"rivals"`

	// The number of folds of a cross-validation where openset.Options have none: for methods
	// in closed form, and for those that iterate, where each fold takes long.
	FoldsClosed   int `json:"folds_closed"`
	FoldsIterated int `json:"folds_iterated"`

	// A Survey has a note on a person with fewer than FewFaces faces, with a smaller share
	// than Confused of the held-out faces named rightly, or with a mean quality below
	// Eyes (pixels between the pupils), Sharpness or Exposure.
	FewFaces  int     `json:"few_faces"`
	Confused  float64 `json:"confused"`
	Eyes      float64 `json:"eyes"`
	Sharpness float64 `json:"sharpness"`
	Exposure  float64 `json:"exposure"`

	// The best guess for an unknown face is reported from the probability Maybe on: below it, the face
	// is a stranger's more often than the guess is right (doc/openset.md). A name is likely from
	// the probability Likely on, and sure from Sure on (Confidence).
	Maybe  float64 `json:"maybe"`
	Likely float64 `json:"likely"`
	Sure   float64 `json:"sure"`

	// Useless is the share of held-out faces named rightly below which Usable has an error.
	Useless float64 `json:"useless"`

	Review ReviewPriors `json:"review"`
}

// DefaultSettings has the qualities below which 1 % of the photographs of Georgia Tech and LFW
// lie (face.DefaultLimits). The other numbers were chosen, and not fitted: 64 people take
// a millisecond, and name as many faces rightly as all people do, with further people for a ridge
// code (doc/adr/0069-shortlists-of-ridge-codes.md); a fold of a method that iterates takes as long
// as training (doc/adr/0016-calibration.md).
var DefaultSettings = Settings{
	Shortlist: 64, Probes: 2000, Rivals: 4, FoldsClosed: 20, FoldsIterated: 5,
	FewFaces: 3, Confused: 0.8, Eyes: 30, Sharpness: 0.18, Exposure: 0.94, Maybe: 0.1, Likely: 0.8, Sure: 0.99, Useless: 0.1,
	Review: DefaultReviewPriors,
}

// Numbers returns the Settings of g, which must not be changed.
func (g *Gallery) Numbers() *Settings { return cmp.Or(g.Settings, &DefaultSettings) }

// Validate reports the first number that is out of range; nil is valid.
func (s *Settings) Validate() error {
	if s == nil {
		return nil
	}
	const maxInt, maxFloat = 1 << 20, 1e6
	for _, v := range []reflect.Value{reflect.ValueOf(*s), reflect.ValueOf(s.Review)} {
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			switch f := v.Field(i); f.Kind() {
			case reflect.Int:
				if n := f.Int(); n < 1 || n > maxInt {
					return fmt.Errorf("settings: %s = %d is not from 1 to %d", name, n, maxInt)
				}
			case reflect.Float64:
				if x := f.Float(); !(x > 0 && x <= maxFloat) {
					return fmt.Errorf("settings: %s = %v is not a positive number up to %v", name, x, maxFloat)
				}
			}
		}
	}
	r := s.Review
	for _, share := range []float64{
		s.Confused, s.Useless, s.Maybe, s.Likely, s.Sure, r.Mislabelled,
		r.TwoPeople, r.Unusual, r.Aged, r.Leave, r.Suspect, r.Copied, r.MinConfused,
	} {
		if share > 1 {
			return fmt.Errorf("settings: a share of %v", share)
		}
	}
	if s.Shortlist < 2 || s.FoldsClosed < 3 || s.FoldsIterated < 3 {
		return fmt.Errorf("settings: a shortlist of %d, %d and %d folds", s.Shortlist, s.FoldsClosed, s.FoldsIterated)
	}
	return nil
}

// UnmarshalJSON reads s. What the text does not have is as in DefaultSettings.
func (s *Settings) UnmarshalJSON(text []byte) error {
	type plain Settings
	p := plain(DefaultSettings)
	err := json.Unmarshal(text, &p)
	*s = Settings(p)
	return cmp.Or(err, s.Validate())
}
