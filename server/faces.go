package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/server/store"
)

// A Face is a face of a collection.
type Face struct {
	ID     string `json:"id"`
	Photo  string `json:"photo,omitempty"`
	Person string `json:"person,omitempty" doc:"Id; missing for a face of nobody yet"`
	Source string `json:"source" enum:"upload,crop,vector,import"`
	results.Detection
	Created time.Time `json:"created"`
}

func faceResponse(f store.Face) Face {
	response := Face{ID: f.ID, Photo: f.Photo, Person: f.Person, Source: f.Source, Created: f.Created}
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

func (v *Service) faces() {
	const path = "/v1/collections/{collection}/faces"
	operation(v, http.MethodGet, path, "List faces", forReading, v.listFaces)
	operation(v, http.MethodGet, path+"/{face}", "Get a face", forReading, func(ctx context.Context, in *InFace) (*body[Face], error) {
		f, err := v.store.Face(ctx, in.Collection, in.Face)
		return answered(faceResponse(f), err)
	})
	operation(v, http.MethodGet, path+"/{face}/crop", "Get the aligned crop of a face, a PNG", forReading, v.crop)
	operation(v, http.MethodDelete, path+"/{face}", "Delete a face, for good", forReview, func(ctx context.Context, in *struct {
		InFace
		Person string `query:"expected" doc:"Whose the face is, as far as you know, as in a decision"`
	},
	) (*struct{}, error) {
		err := v.store.DeleteFaces(ctx, requestOf(ctx).actor, in.Collection, Expected{in.Person}.person(), []string{in.Face})
		return nil, v.published(ctx, in.Collection, err)
	})
	operation(v, http.MethodDelete, "/v1/collections/{collection}/strangers", "Delete the faces of strangers, for good", forReview, func(ctx context.Context, in *InCollection) (*body[Removed], error) {
		n, err := v.store.DeleteStrangers(ctx, requestOf(ctx).actor, in.Collection)
		return answered(Removed{n}, v.published(ctx, in.Collection, err))
	})
	type faceList struct {
		Faces  []string `json:"faces" minItems:"1" maxItems:"500"`
		Person string   `json:"person" doc:"Id; empty for nobody"`
		Expected
	}
	operation(v, http.MethodPost, path+"/move", "Say whose faces these are", forReview, func(ctx context.Context, in *inCollection[faceList]) (*body[Done], error) {
		op, err := v.store.MoveFaces(ctx, requestOf(ctx).actor, in.Collection, in.Body.person(), in.Body.Faces, in.Body.Person)
		return v.done(ctx, in.Collection, op, err)
	})
	operation(v, http.MethodPost, path+"/deny", "Say that faces are not those of a person", forReview, func(ctx context.Context, in *inCollection[faceList]) (*body[Done], error) {
		op, err := v.store.DenyFaces(ctx, requestOf(ctx).actor, in.Collection, in.Body.person(), in.Body.Faces, in.Body.Person)
		return v.done(ctx, in.Collection, op, err)
	})
}

func (v *Service) listFaces(ctx context.Context, in *struct {
	InCollection
	Cursor
	Person string `query:"person" doc:"Faces of this person; none: of nobody yet; stranger: of strangers"`
},
) (*body[Page[Face]], error) {
	if _, err := v.store.Collection(ctx, in.Collection); err != nil {
		return nil, err
	}
	list := func(after string, limit int) ([]store.Face, error) {
		return v.store.Faces(ctx, in.Collection, Expected{in.Person}.person(), after, limit)
	}
	return pageByID(in.Cursor, list, func(f store.Face) string { return f.ID }, faceResponse)
}

// A cropFile is an answer with the image file of a crop.
type cropFile struct {
	Type string `header:"Content-Type"`
	Body []byte
}

func (v *Service) crop(ctx context.Context, in *InFace) (*cropFile, error) {
	crop, err := v.store.Crop(ctx, in.Collection, in.Face)
	if err == nil && len(crop) == 0 {
		err = huma.Error404NotFound("the face was added as a vector: there is no crop")
	}
	return &cropFile{"image/png", crop}, err
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
	case f.Rejected != nil:
		t.Decision, t.Reason = "refused", "The face cannot be used: "+f.Rejected.Error()+"."
		if h := hint(f.Rejected); h != "" {
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
		return fmt.Sprintf("The lead of %s is %.3f, %s what a name needs: %.3f.", name, f.Margin, explain.FromThreshold(f.Known, f.Margin, threshold, false), threshold)
	}
	return fmt.Sprintf("The similarity with %s is %.2f, %s what a name needs: %.2f (1 is the same picture).", name, score, explain.FromThreshold(f.Known, score, threshold, true), threshold)
}

func (s *snapshot) ref(id string) Ref { return Ref{id, s.people[id].Name} }

// identify finds and identifies the faces in an image file. details and at are those of faces.Photo.
func (e *engine) identify(ctx context.Context, s *snapshot, data []byte, details bool, at *face.Place) (faces.Result, error) {
	if s.live == nil {
		find := s.input.find
		find.Thumbs, find.At = details, at
		seen, size, err := face.Decode(ctx, data, "photo", true, face.All, find)
		r := faces.Result{Size: size}
		for _, f := range seen {
			r.Smaller = f.Smaller
			r.Faces = append(r.Faces, faces.Face{Box: f.Face.Box, Detected: f.Face, Rejected: f.Refused, Thumb: f.Thumb})
		}
		return r, err
	}
	one := func(yield func(faces.Photo) bool) {
		yield(faces.Photo{Name: "photo", Load: func() ([]byte, error) { return data, nil }, Details: details, At: at})
	}
	for r, err := range s.live.IdentifyAll(ctx, one) {
		return r, err
	}
	return faces.Result{}, cmp.Or(context.Cause(ctx), errors.New("no result"))
}
