package people

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"strings"
	"time"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/server/store"
)

// A StoredFace is a face of a collection; the interface calls it Face.
type StoredFace struct {
	ID     string `json:"id"`
	Photo  string `json:"photo,omitempty"`
	Person string `json:"person,omitempty" doc:"Id; missing for a face of nobody yet"`
	Source string `json:"source" enum:"upload,crop,vector,import"`
	results.Detection
	Created time.Time `json:"created"`
}

// FaceResponse is the API form of a stored face.
func FaceResponse(f store.Face) StoredFace {
	response := StoredFace{ID: f.ID, Photo: f.Photo, Person: f.Person, Source: f.Source, Created: f.Created}
	var box *[4]int
	// These were written by asJSON; what was not is left out.
	_ = json.Unmarshal(f.Box, &box)
	_ = json.Unmarshal(f.Pupils, &response.Pupils)
	_ = json.Unmarshal(f.Quality, &response.Quality)
	if box != nil {
		response.Box = &results.Box{X: box[0], Y: box[1], Width: box[2], Height: box[3]}
	}
	return response
}

// An Identified is a face as nrdl identify --json writes it, with ids, and with a decision.
type Identified struct {
	results.Face
	Decision string  `json:"decision" enum:"known,doubtful,unknown,refused"`
	Person   *string `json:"person" doc:"Id of the person with this name; null without a name"`
	Reason   string  `json:"why" doc:"The reason for the decision, in a sentence"`
}

// A Photograph is the result of identify.
type Photograph struct {
	Size   *results.Size `json:"size"`
	Faces  []Identified  `json:"faces" doc:"The largest first"`
	Reason string        `json:"reason,omitempty" doc:"Why there are no faces"`

	Smaller int `json:"smaller,omitempty" doc:"Number of faces less than half as large as the largest, which are left out"`

	Warnings []string `json:"warnings,omitempty" doc:"What is wrong with the file, which was used all the same"`

	Source    string `json:"source,omitempty" doc:"As the request has it"`
	Reference string `json:"reference,omitempty" doc:"As the request has it"`
}

// doubtful is the probability from which a face below the threshold is worth a look.
const doubtful = 0.5

// top is how many likely people are listed.
const top = 5

// photoResponse is the API form of a result.
func (s *snapshot) photoResponse(r faces.Result) Photograph {
	o := results.New(r, nil, top, "")
	p := Photograph{Size: o.Size, Faces: []Identified{}, Reason: o.Reason, Smaller: o.Smaller}
	for i, f := range o.Faces {
		p.Faces = append(p.Faces, s.faceResponse(r.Faces[i], f))
	}
	return p
}

// faceResponse is the API form of f. o has ids as names.
func (s *snapshot) faceResponse(f faces.Face, o results.Face) Identified {
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
	for _, id := range []*string{&t.Taken, &t.Unborn, &t.Rival} {
		if *id != "" {
			*id = s.people[*id].Name
		}
	}
	alike := s.tooAlike()
	if t.Name, t.Known = nil, f.Known && known && alike == ""; t.Known {
		t.Name, t.Person = t.Guess, &guess.ID
	}
	switch {
	case f.Rejection != nil:
		t.Decision, t.Reason = "refused", "The face cannot be used: "+f.Rejection.Error()+"."
		if h := hint(f.Rejection); h != "" {
			t.Reason += " Hint: " + h + "."
		}
	case s.live == nil:
		t.Decision, t.Reason = "unknown", s.tooFew()
	case s.live.Model().Calibration == nil:
		t.Decision, t.Reason = "doubtful", "There is no threshold yet: enrol more people."
	case alike != "":
		t.Decision, t.Reason = "unknown", alike
	case f.Known && !known:
		t.Decision, t.Reason = "unknown", "The face resembles a person who is ignored."
	case f.Known:
		t.Decision = "known"
		t.Reason = s.reason(guess.Name, o.Top[0].Score, &f)
	default:
		t.Decision, t.Reason = "unknown", s.reason(guess.Name, o.Top[0].Score, &f)
		if f.Probability >= doubtful && known { // false for NaN
			t.Decision = "doubtful"
		}
		switch {
		case t.Unborn != "":
			t.Reason = fmt.Sprintf("The photograph was taken before %s was born.", t.Unborn)
		case t.Rival != "":
			t.Reason = fmt.Sprintf("The face is not clearly more similar to %s than to %s, who is somebody else.", guess.Name, t.Rival)
		case t.Taken != "":
			t.Reason = fmt.Sprintf("Another face of the photograph is more similar to %s.", t.Taken)
		}
	}
	return t
}

// reason says how far the best guess for f, with this score, is from what a name needs.
func (s *snapshot) reason(name string, score float64, f *faces.Face) string {
	m := s.live.Model()
	threshold, cosines := explain.Threshold(m)
	if !cosines {
		return fmt.Sprintf("The lead of %s is %.3f, %s what a name needs: %.3f.", name, f.Margin,
			explain.FromThreshold(f.Known, f.Margin, threshold, false), threshold)
	}
	return fmt.Sprintf("The similarity with %s is %.2f, %s what a name needs: %.2f (1 is the same picture).",
		name, score, explain.FromThreshold(f.Known, score, threshold, true), threshold)
}

func (s *snapshot) ref(id string) Ref { return Ref{id, s.people[id].Name} }

// identify finds and identifies the faces in an image file. details and at are those of faces.Photo. If the
// collection keeps visitors, found are the same faces with their crops.
func (e *engine) identify(ctx context.Context, s *snapshot, data []byte, details bool, at *face.Place,
) (result faces.Result, found []Found, err error) {
	look := func(ctx context.Context, data []byte) (seen []face.Seen, size image.Point, err error) {
		found, size, err = s.input.look(ctx, data, selection{place: at, thumbs: details})
		for _, f := range found {
			seen = append(seen, f.Seen)
		}
		return seen, size, err
	}
	if s.live == nil {
		find := s.input.detection
		find.Thumbs, find.At = details, at
		if s.VisitorDays == 0 {
			look = func(ctx context.Context, data []byte) ([]face.Seen, image.Point, error) {
				return face.Decode(ctx, data, "photo", true, face.All, find)
			}
		}
		seen, size, err := look(ctx, data)
		r := faces.Result{Size: size}
		for _, f := range seen {
			r.Smaller = f.Smaller
			r.Faces = append(r.Faces, faces.Face{Box: f.Face.Box, Detection: f.Face, Rejection: f.Reason, Thumb: f.Thumb})
		}
		return r, found, err
	}
	photo := faces.Photo{Name: "photo", Load: func() ([]byte, error) { return data, nil }, Details: details, At: at}
	if s.VisitorDays > 0 {
		photo.Look = look
	}
	one := func(yield func(faces.Photo) bool) {
		yield(photo)
	}
	for r, err := range s.live.IdentifyAll(ctx, one) {
		return r, found, err
	}
	return faces.Result{}, nil, cmp.Or(context.Cause(ctx), errors.New("no result"))
}
