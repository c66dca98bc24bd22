package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// Answers of the interface of CompreFace: https://github.com/exadel-inc/CompreFace
type (
	compreBox struct {
		Probability float64 `json:"probability"`
		XMax        int     `json:"x_max"`
		YMax        int     `json:"y_max"`
		XMin        int     `json:"x_min"`
		YMin        int     `json:"y_min"`
	}
	compreSubject struct {
		Subject    string  `json:"subject"`
		Similarity float64 `json:"similarity"`
	}
	compreFace struct {
		Box      compreBox       `json:"box"`
		Subjects []compreSubject `json:"subjects"`
	}
	compreError struct {
		Message string `json:"message"`
		Code    int    `json:"code"`
	}
)

// errNoFaceCode is the code of CompreFace for an image without a face, which its clients know.
const errNoFaceCode = 28

// compreRoutes are calls of the interface of CompreFace.
type compreRoutes struct{ *Service }

// register registers the calls of CompreFace by which its clients and Double Take train, recognise and
// forget, for the collection with the name in Options.CompreFace, which MakeCompreFace or the first call makes. They are those of another
// interface, so that the description does not have them.
func (v compreRoutes) register() {
	if v.CompreFace == "" {
		return
	}
	const at, face = "/api/v1/recognition/", "faces/{face}"
	for _, o := range []struct {
		pattern string
		scopes  []string
		do      func(*http.Request, string) (any, error)
	}{
		{"POST " + at + "recognize", forIdentify, v.recognise},
		{"POST " + at + "faces", forEnrolling, v.add},
		{"DELETE " + at + "faces", forReview, v.remove},
		{"GET " + at + "subjects", forReading, v.listSubjects},
		{"POST " + at + "subjects", forEnrolling, v.addSubject},
		{"PUT " + at + "subjects/{subject}", forReview, v.renameSubject},
		{"DELETE " + at + "subjects/{subject}", forAdmin, v.removeSubject},
		{"DELETE " + at + "subjects", forAdmin, v.removeSubjects},
		{"GET " + at + "faces", forReading, v.listFaces},
		{"GET " + at + face + "/img", forReading, v.showFace},
		{"DELETE " + at + face, forReview, v.removeFace},
		{"POST " + at + "faces/delete", forReview, v.removeFaces},
		{"POST " + at + face + "/verify", forIdentify, v.verifyFace},
		{"POST /api/v1/detection/detect", forIdentify, v.detect},
		{"POST /api/v1/verification/verify", forIdentify, v.verify},
	} {
		v.Routes.HandleFunc(o.pattern, func(w http.ResponseWriter, r *http.Request) {
			response, err := v.asCompreFace(r, o.scopes, o.do)
			if err == nil {
				if crop, ok := response.([]byte); ok {
					w.Header().Set("Content-Type", "image/png")
					_, _ = w.Write(crop)
					return
				}
				_ = answer(w, http.StatusOK, response)
				return
			}
			err = v.statusOf(r.Context(), err)
			var status huma.StatusError
			errors.As(err, &status)
			described := asProblem(status)
			noteCode(w, described.Code)
			e := compreError{Message: described.Detail}
			if strings.Contains(described.Detail, people.ErrNoFace.Error()) {
				e.Code = errNoFaceCode
			}
			_ = answer(w, status.GetStatus(), e)
		})
	}
}

// asCompreFace carries out a call with the key of the header x-api-key.
func (v compreRoutes) asCompreFace(r *http.Request, scopes []string, do func(*http.Request, string) (any, error)) (any, error) {
	if key := r.Header.Get("X-Api-Key"); key != "" && key != "none" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	id, err := v.collectionNamed(r.Context(), v.CompreFace)
	if err != nil {
		return nil, err
	}
	r.SetPathValue("collection", id)
	if err := v.allow(r, scopes); err != nil {
		return nil, err
	}
	if id == "" { // it was deleted since the start
		if id, err = v.make(r.Context(), requestOf(r.Context()).Actor); err != nil {
			return nil, err
		}
	}
	return do(r, id)
}

// MakeCompreFace makes the collection of Options.CompreFace, if there is a name and none has it.
func (v *Service) MakeCompreFace(ctx context.Context) error {
	if v.CompreFace == "" {
		return nil
	}
	id, err := compreRoutes{v}.collectionNamed(ctx, v.CompreFace)
	if err == nil && id == "" {
		_, err = compreRoutes{v}.make(ctx, "local")
	}
	return err
}

// make makes the collection, and returns its id.
func (v compreRoutes) make(ctx context.Context, actor string) (id string, err error) {
	c, err := v.store.CreateCollection(ctx, actor, v.CompreFace, openset.Default.FPIR, v.people.Space())
	var there *store.Conflict
	if errors.As(err, &there) { // another one was quicker
		return v.collectionNamed(ctx, v.CompreFace)
	}
	return c.ID, err
}

// collectionNamed returns the id of the collection with a name, "" for none.
func (v compreRoutes) collectionNamed(ctx context.Context, name string) (string, error) {
	const together = 500
	for after := ""; ; {
		all, err := v.store.Collections(ctx, after, together)
		if err != nil || len(all) == 0 {
			return "", err
		}
		for _, c := range all {
			if c.Name == name {
				return c.ID, nil
			}
		}
		after = all[len(all)-1].ID
	}
}

// recognise names the faces in a photograph. A face without a name has no subject, so that
// the threshold of the collection decides and not a similarity.
func (v compreRoutes) recognise(r *http.Request, collection string) (any, error) {
	photo, err := v.people.Identify(r.Context(), collection, v.images(r, map[string]string{"file": "file"}), "file", people.Question{})
	if err != nil {
		return nil, err
	}
	if len(photo.Photograph.Faces) == 0 {
		return nil, people.Unusable(people.ErrNoFace)
	}
	all := []compreFace{}
	for _, f := range photo.Photograph.Faces {
		one := compreFace{Box: boxOf(f.Box), Subjects: []compreSubject{}}
		if f.Decision == "known" && f.Name != nil {
			one.Subjects = append(one.Subjects, compreSubject{*f.Name, sure(f)})
		}
		all = append(all, one)
	}
	return map[string]any{"result": all}, nil
}

// sure is the probability of a name, 1 if it is not known.
func sure(f people.Identified) float64 {
	if f.Probability == nil {
		return 1
	}
	return float64(*f.Probability)
}

// add adds the face in a photograph to the person with a name, who is created if there is none.
func (v compreRoutes) add(r *http.Request, collection string) (any, error) {
	name := r.URL.Query().Get("subject")
	id, err := v.people.AddNamed(r.Context(), collection, name, v.images(r, map[string]string{"file": "file"}), "file")
	if err != nil {
		return nil, err
	}
	return map[string]string{"image_id": id, "subject": name}, nil
}

// remove deletes the faces of the person with a name.
func (v compreRoutes) remove(r *http.Request, collection string) (any, error) {
	name := r.URL.Query().Get("subject")
	if name == "" {
		return nil, people.Unusable(errors.New("subject is missing: all people are deleted by deleting the collection"))
	}
	deleted, err := v.people.RemoveNamed(r.Context(), collection, name)
	return map[string]int{"deleted": deleted}, err
}
