package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/results"
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

// compreface registers the calls of CompreFace by which Double Take trains, recognises and
// forgets, for the collection with the name in Options.CompreFace. They are those of another
// interface, so that the description does not have them.
func (v *Service) compreface() {
	if v.CompreFace == "" {
		return
	}
	const at = "/api/v1/recognition/"
	for _, o := range []struct {
		pattern string
		scopes  []string
		do      func(*http.Request, string) (any, error)
	}{
		{"POST " + at + "recognize", forIdentify, v.compreRecognize},
		{"POST " + at + "faces", forEnrolling, v.compreAdd},
		{"DELETE " + at + "faces", forReview, v.compreDelete},
	} {
		v.mux.HandleFunc(o.pattern, func(w http.ResponseWriter, r *http.Request) {
			response, err := v.asCompreFace(r, o.scopes, o.do)
			if err == nil {
				_ = answer(w, http.StatusOK, response)
				return
			}
			err = v.statusOf(r.Context(), err)
			var status huma.StatusError
			errors.As(err, &status)
			described := asProblem(status)
			noteCode(w, described.Code)
			e := compreError{Message: described.Detail}
			if strings.Contains(described.Detail, face.ErrNoFace.Error()) {
				e.Code = errNoFaceCode
			}
			_ = answer(w, status.GetStatus(), e)
		})
	}
}

// asCompreFace carries out a call with the key of the header x-api-key.
func (v *Service) asCompreFace(r *http.Request, scopes []string, do func(*http.Request, string) (any, error)) (any, error) {
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
	if id == "" {
		return nil, huma.Error404NotFound(fmt.Sprintf("there is no collection %q: create it, or name another one with --compreface", v.CompreFace))
	}
	return do(r, id)
}

// collectionNamed returns the id of the collection with a name, "" for none.
func (v *Service) collectionNamed(ctx context.Context, name string) (string, error) {
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

// compreRecognize names the faces in a photograph. A face without a name has no subject, so that
// the threshold of the collection decides and not a similarity.
func (v *Service) compreRecognize(r *http.Request, collection string) (any, error) {
	s, err := v.engine.snapshot(r.Context(), collection)
	if err != nil {
		return nil, err
	}
	data, err := v.single(r, "file")
	if err != nil {
		return nil, err
	}
	var photo Photograph
	err = v.decoded(r.Context(), func() error {
		result, err := v.engine.identify(r.Context(), s, data, false, nil)
		photo = s.photoResponse(result)
		return err
	}, data)
	if err != nil {
		return nil, err
	}
	if len(photo.Faces) == 0 {
		return nil, unusable(face.ErrNoFace)
	}
	v.notifyHooks(r.Context(), s, photo)
	all := []compreFace{}
	for _, f := range photo.Faces {
		one := compreFace{Box: compreBox{Probability: 1}, Subjects: []compreSubject{}}
		if b := f.Box; b != nil {
			one.Box = compreBox{1, b.X + b.Width, b.Y + b.Height, b.X, b.Y}
		}
		if f.Decision == "known" && f.Name != nil {
			one.Subjects = append(one.Subjects, compreSubject{*f.Name, sure(f.Face)})
		}
		all = append(all, one)
	}
	return map[string]any{"result": all}, nil
}

// sure is the probability of a name, 1 if it is not known.
func sure(f results.Face) float64 {
	if f.Probability == nil {
		return 1
	}
	return float64(*f.Probability)
}

// compreAdd adds the face in a photograph to the person with a name, who is created if there is none. It
// refuses several faces of which it is not clear which one is meant, and a known face for a new person.
func (v *Service) compreAdd(r *http.Request, collection string) (any, error) {
	ctx, name := r.Context(), r.URL.Query().Get("subject")
	if err := dataset.CheckName(name); err != nil {
		return nil, unusable(err)
	}
	in, err := v.engine.inputOf(ctx, collection)
	if err != nil {
		return nil, err
	}
	data, err := v.single(r, "file")
	if err != nil {
		return nil, err
	}
	seen, photo, why, err := v.search(ctx, in, data, looking{})
	if err != nil {
		return nil, err
	}
	if why != "" {
		return nil, unusable(errors.New(why))
	}
	person, err := v.store.PersonByName(ctx, collection, name)
	if err != nil {
		return nil, err
	}
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return nil, err
	}
	seen, refused, err := s.meant(ctx, person, seen)
	if err != nil {
		return nil, err
	}
	var faces []store.NewFace
	if len(seen) > 0 {
		faces, refused = in.newFaces(seen, store.Upload)
	}
	if len(faces) == 0 {
		return nil, unusable(errors.New(refused[0].Why))
	}
	if err := s.checkNew(ctx, person, faces); err != nil {
		return nil, err
	}
	if person, err = v.personNamed(ctx, collection, name); err != nil {
		return nil, err
	}
	var added Added
	if err := v.add(ctx, &added, s, person, photo, faces); err != nil {
		return nil, err
	}
	return map[string]string{"image_id": added.Faces[0].ID, "subject": name}, v.engine.publish(ctx, collection)
}

// personNamed returns the id of the person with a name, who is created if there is none.
func (v *Service) personNamed(ctx context.Context, collection, name string) (string, error) {
	p, _, err := v.store.CreatePerson(ctx, requestOf(ctx).actor, collection, name, store.Known, false)
	var there *store.Conflict
	if errors.As(err, &there) && there.ID != "" {
		return there.ID, nil
	}
	return p.ID, err
}

// compreDelete deletes the faces of the person with a name.
func (v *Service) compreDelete(r *http.Request, collection string) (any, error) {
	ctx, name := r.Context(), r.URL.Query().Get("subject")
	if name == "" {
		return nil, unusable(errors.New("subject is missing: all people are deleted by deleting the collection"))
	}
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return nil, err
	}
	deleted := 0
	for id, p := range s.people {
		if p.Name != name {
			continue
		}
		const most = 100_000
		faces, err := v.store.Faces(ctx, collection, &id, "", most)
		if err != nil {
			return nil, err
		}
		var ids []string
		for _, f := range faces {
			ids = append(ids, f.ID)
		}
		if len(ids) > 0 {
			if err := v.store.DeleteFaces(ctx, requestOf(ctx).actor, collection, nil, ids); err != nil {
				return nil, err
			}
		}
		deleted += len(ids)
	}
	return map[string]int{"deleted": deleted}, v.engine.publish(ctx, collection)
}
