package service

import (
	"fmt"
	"strings"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/results"
	"nrdl.example/nrdl/service/store"
)

// A Ref names a person.
type Ref struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// An Identified is a face as nrdl identify --json writes it, with ids, and with what the
// service makes of it.
type Identified struct {
	results.Face
	Decision string  `json:"decision" enum:"known,doubtful,unknown,refused"`
	Person   *string `json:"person" doc:"Id of the person with this name; null without a name"`
	Why      string  `json:"why" doc:"The reason for the decision, in a sentence"`
}

// A Photograph is the result of identify.
type Photograph struct {
	Size   *results.Size `json:"size"`
	Faces  []Identified  `json:"faces" doc:"The largest first"`
	Reason string        `json:"reason,omitempty" doc:"Why there are no faces"`

	Smaller int `json:"smaller,omitempty" doc:"Number of faces less than half as large as the largest, which are left out"`
}

// doubtful is the probability from which a face below the threshold is worth a look.
const doubtful = 0.5

// top is how many likely people are listed.
const top = 5

// told is what the API says of a result.
func (s *snapshot) told(r nrdl.Result) Photograph {
	o := results.Of(r, nil, top, "")
	p := Photograph{Size: o.Size, Faces: []Identified{}, Reason: o.Reason, Smaller: o.Smaller}
	for i, f := range o.Faces {
		p.Faces = append(p.Faces, s.toldFace(r.Faces[i], f))
	}
	return p
}

// toldFace is what the API says of f, of which o is the result with ids for names.
func (s *snapshot) toldFace(f nrdl.Face, o results.Face) Identified {
	t := Identified{Face: o}
	guess := Ref{}
	if len(o.Top) > 0 {
		guess = s.ref(o.Top[0].Name)
		t.Guess = &guess.Name
	}
	for i, c := range o.Top {
		t.Top[i].ID, t.Top[i].Name = c.Name, s.people[c.Name].Name
	}
	t.Trained = t.Trained[strings.LastIndexByte(t.Trained, '/')+1:] // without the person
	known := s.people[guess.ID].Kind == store.Known
	if t.Maybe != "" {
		if t.Maybe = guess.Name; !known {
			t.Maybe = ""
		}
	}
	if t.Name, t.Known = nil, f.Known && known; t.Known {
		t.Name, t.Person = t.Guess, &guess.ID
	}
	switch {
	case f.Rejected != nil:
		t.Decision, t.Why = "refused", "The face cannot be used: "+f.Rejected.Error()+"."
		if h := advice.Text(f.Rejected); h != "" {
			t.Why += " Hint: " + h + "."
		}
	case s.live == nil:
		t.Decision, t.Why = "unknown", "Fewer than two people are enrolled, so nobody can be recognised."
	case s.live.Model().Calibration == nil:
		t.Decision, t.Why = "doubtful", "There is no threshold yet: enrol more people."
	case f.Known && !known:
		t.Decision, t.Why = "unknown", "The face resembles a person who is ignored."
	case f.Known:
		t.Decision = "known"
		t.Why = fmt.Sprintf("The evidence for %s is %.1f, and the threshold is %.1f.", guess.Name, f.Margin, s.live.Model().Calibration.Threshold)
	default:
		t.Decision, t.Why = "unknown", fmt.Sprintf("The face is most similar to %s, but the evidence of %.1f is below the threshold of %.1f.", guess.Name, f.Margin, s.live.Model().Calibration.Threshold)
		if f.Probability >= doubtful && known { // false for NaN
			t.Decision = "doubtful"
		}
	}
	return t
}

func (s *snapshot) ref(id string) Ref { return Ref{id, s.people[id].Name} }
