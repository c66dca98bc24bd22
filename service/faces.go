package service

import (
	"fmt"

	"nrdl"
	"nrdl/dataset"
	"nrdl/face"
	"nrdl/internal/hint"
	"nrdl/internal/results"
	"nrdl/service/store"
)

// A Ref names a person.
type Ref struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// A Candidate is a person with a score.
type Candidate struct {
	Ref
	Score float64 `json:"score" doc:"A higher score means more likely"`
}

// An Identified is a face in a photograph and who it is. Its numbers are those of nrdl
// identify --json.
type Identified struct {
	Box         [4]int           `json:"box" doc:"Left, top, width and height in pixels of the upright photograph"`
	Pupils      *[2]face.Point   `json:"pupils,omitempty"`
	Quality     *dataset.Quality `json:"quality,omitempty"`
	Decision    string           `json:"decision" enum:"known,doubtful,unknown,rejected"`
	Person      *Ref             `json:"person" doc:"Null unless the decision is known"`
	Guess       *Ref             `json:"guess" doc:"The most likely person, whatever the decision"`
	Probability *float64         `json:"probability" doc:"That the guess is right"`
	Evidence    *float64         `json:"evidence" doc:"The face is known where it reaches the threshold"`
	Score       *float64         `json:"score"`
	RunnerUp    *Candidate       `json:"runner_up"`
	Top         []Candidate      `json:"top"`
	Maybe       *Ref             `json:"maybe,omitempty" doc:"The guess for an unknown face, if it is worth telling"`
	Trained     string           `json:"trained,omitempty" doc:"The enrolled face with equal values: its name says nothing of how well others are recognised"`
	Why         string           `json:"why"`
}

// A Photograph is the result of identify.
type Photograph struct {
	Size  *results.Size `json:"size"`
	Faces []Identified  `json:"faces" doc:"The largest first"`
}

// doubtful is the probability from which a face below the threshold is worth a look.
const doubtful = 0.5

// top is how many likely people are listed.
const top = 5

// told is what the API says of a result.
func (s *snapshot) told(r nrdl.Result) Photograph {
	o := results.Of(r, nil, top, "")
	p := Photograph{o.Size, []Identified{}}
	for i, f := range o.Faces {
		p.Faces = append(p.Faces, s.toldFace(r.Faces[i], f))
	}
	return p
}

func (s *snapshot) toldFace(f nrdl.Face, o results.Face) Identified {
	t := Identified{Pupils: o.Pupils, Quality: o.Quality, Probability: o.Probability, Evidence: o.Margin, Score: o.Score, Top: []Candidate{}, Trained: o.Trained}
	if o.Box != nil {
		t.Box = [4]int{o.Box.X, o.Box.Y, o.Box.Width, o.Box.Height}
	}
	for _, c := range o.Top {
		t.Top = append(t.Top, Candidate{s.ref(c.Name), c.Score})
	}
	if len(t.Top) > 1 {
		t.Guess, t.RunnerUp = &t.Top[0].Ref, &t.Top[1]
	}
	if o.Maybe != "" && s.people[o.Maybe].Kind == store.Known {
		t.Maybe = t.Guess
	}
	switch {
	case f.Rejected != nil:
		t.Decision, t.Why = "rejected", "The face cannot be used: "+f.Rejected.Error()+"."
		if h := hint.Of(f.Rejected); h != "" {
			t.Why += " Hint: " + h + "."
		}
	case s.live == nil:
		t.Decision, t.Why = "unknown", "Fewer than two people are enrolled, so nobody can be recognised."
	case s.live.Model().Calibration == nil:
		t.Decision, t.Why = "doubtful", "There is no threshold yet: enrol more people."
	case f.Known && s.people[t.Guess.ID].Kind == store.Ignored:
		t.Decision, t.Why = "unknown", "The face resembles a person who is ignored."
	case f.Known:
		t.Decision, t.Person = "known", t.Guess
		t.Why = fmt.Sprintf("The evidence for %s is %.1f, and the threshold is %.1f.", t.Guess.Name, f.Margin, s.live.Model().Calibration.Threshold)
	default:
		t.Decision, t.Why = "unknown", fmt.Sprintf("The face is most similar to %s, but the evidence of %.1f is below the threshold of %.1f.", t.Guess.Name, f.Margin, s.live.Model().Calibration.Threshold)
		if f.Probability >= doubtful && s.people[t.Guess.ID].Kind == store.Known { // false for NaN
			t.Decision = "doubtful"
		}
	}
	return t
}

func (s *snapshot) ref(id string) Ref { return Ref{id, s.people[id].Name} }
