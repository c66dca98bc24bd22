package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/server/store"
)

func (v *Service) uploads() {
	const c = "/v1/collections/{collection}/"
	v.plain(http.MethodPost, c+"identify", plain{
		summary: "Name the faces in a photograph", scopes: forIdentify, fields: []field{imageField("photo", 1)}, answer: ShownPhotograph{},
		query: append([]*huma.Param{option("why", "true", "With a picture of each face, and the reasons")}, byHand...),
	}, v.identify)
	v.plain(http.MethodPost, c+"verify", plain{summary: "Say whether two photographs a and b, or a and a person (an id), are of the same person", scopes: forIdentify, fields: []field{imageField("a", 1), imageField("b", 0), {name: "person", about: "id of the person, instead of b", text: true}}, answer: Verification{}}, v.verify)
	v.plain(http.MethodPost, c+"detect", plain{
		summary: "Find the faces in a photograph", scopes: forIdentify, fields: []field{imageField("photo", 1)}, answer: Detection{}, query: []*huma.Param{vectorsOption},
	}, v.detect)
	v.plain(http.MethodPost, c+"compare", plain{
		summary: "Compare the largest face in a photograph with those of others", scopes: forIdentify, answer: Comparisons{},
		fields: []field{imageField("a", 1), imageField("photo", mostParts-1)},
	}, v.compare)
	v.plain(http.MethodPost, c+"search", plain{
		summary: "Say whether the people in a photograph were here before: find the most similar faces of nobody yet", scopes: forIdentify, fields: []field{imageField("photo", 1)}, answer: Search{},
		query: []*huma.Param{{Name: "limit", In: "query", Description: "Faces and groups for each face", Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(mostNear)), Default: 10}}, vectorsOption},
	}, v.searchUnnamed)
	add := plain{scopes: forEnrolling, fields: []field{imageField("photo", mostParts)}, query: []*huma.Param{onNew}, answer: Added{}}
	add.query = append(add.query, byHand...)
	add.summary = "Add all faces in photographs, of nobody yet"
	v.plain(http.MethodPost, c+"faces", add, func(w http.ResponseWriter, r *http.Request) error { return v.addFaces(w, r, "") })
	add.summary = "Add all faces in photographs of people who are not in the collection: they make its calibration surer, and never become people"
	v.plain(http.MethodPost, c+"strangers", add, func(w http.ResponseWriter, r *http.Request) error { return v.addFaces(w, r, store.Stranger) })
	add.summary, add.body = "Add the face of the person in each photograph, aligned crops, or a vector, to a person: of several faces the one that the collection takes for the person, or the only unknown one; otherwise send its box", Vector{}
	add.fields = append(add.fields, imageField("crop", mostParts))
	v.plain(http.MethodPost, c+"people/{person}/faces", add, func(w http.ResponseWriter, r *http.Request) error { return v.addFaces(w, r, r.PathValue("person")) })
	v.plain(http.MethodGet, c+"people/{person}/export", plain{summary: "Get a person with all crops and vectors, a tar", scopes: forReview, kind: "application/x-tar"}, v.sendExport)
}

func (v *Service) identify(w http.ResponseWriter, r *http.Request) error {
	s, err := v.engine.snapshot(r.Context(), r.PathValue("collection"))
	if err != nil {
		return err
	}
	data, err := v.single(r, "photo")
	if err != nil {
		return err
	}
	at, err := placeOf(r)
	if err != nil {
		return err
	}
	why := chosen(r, "why")
	var result faces.Result
	ctx, warnings := noting(r.Context())
	err = v.decoded(ctx, func() (err error) {
		result, err = v.engine.identify(ctx, s, data, why, at)
		return err
	}, data)
	if err != nil {
		return err
	}
	response := s.photoResponse(result)
	response.Warnings = warnings()
	v.notifyHooks(r.Context(), s, response)
	if why {
		shown, err := v.show(r.Context(), s, result, response)
		if err != nil {
			return err
		}
		return answer(w, http.StatusOK, shown)
	}
	return answer(w, http.StatusOK, response)
}

// A Detected is a face that was found.
type Detected struct {
	results.Detection
	Refused string    `json:"refused,omitempty" doc:"Why the face cannot be used"`
	Vector  []float32 `json:"vector,omitempty" doc:"With vectors=true"`
}

// A Detection is the result of detect.
type Detection struct {
	Size  results.Size `json:"size"`
	Space string       `json:"space,omitempty" doc:"Which network made the vectors; only with them"`
	Faces []Detected   `json:"faces" doc:"The largest first"`

	Warnings []string `json:"warnings,omitempty" doc:"What is wrong with the file, which was used all the same"`
}

func (v *Service) detect(w http.ResponseWriter, r *http.Request) error {
	by, err := v.engine.inputOf(r.Context(), r.PathValue("collection"))
	if err != nil {
		return err
	}
	wanted, err := checkVectors(r)
	if err != nil {
		return err
	}
	data, err := v.single(r, "photo")
	if err != nil {
		return err
	}
	response, cut := Detection{Faces: []Detected{}}, by.find
	if wanted {
		response.Space, cut = by.space, by.cut
	}
	ctx, warnings := noting(r.Context())
	err = v.decoded(ctx, func() error {
		seen, size, err := face.Decode(ctx, data, "photo", true, face.All, cut)
		response.Size = results.Size{Width: size.X, Height: size.Y}
		for _, s := range seen {
			d := Detected{Detection: results.NewDetection(s.Face)}
			if s.Refused != nil {
				d.Refused = s.Refused.Error()
			} else if wanted {
				d.Vector = float32s(s.Values)
			}
			response.Faces = append(response.Faces, d)
		}
		return err
	}, data)
	if err != nil {
		return err
	}
	response.Warnings = warnings()
	return answer(w, http.StatusOK, response)
}

// Added is the answer to a request that adds faces.
type Added struct {
	Operations []string  `json:"operations" doc:"For undo, one a photograph"`
	Faces      []Face    `json:"faces"`
	Refused    []Refusal `json:"refused"`
	Warnings   []Warning `json:"warnings,omitempty" doc:"Faces that the collection takes for somebody else, and damaged files; they were added all the same"`
}

// A Refusal is a file, or a face in it, that cannot be used.
type Refusal struct {
	File int          `json:"file" doc:"Number in the form, from 0"`
	Box  *results.Box `json:"box,omitempty"`
	Why  string       `json:"why"`
}

// addFaces adds faces to a person, "" for nobody.
func (v *Service) addFaces(w http.ResponseWriter, r *http.Request, person string) error {
	ctx, collection := r.Context(), r.PathValue("collection")
	var s *snapshot
	in, err := v.engine.inputOf(ctx, collection)
	if err == nil {
		s, err = v.engine.snapshot(ctx, collection) // what is known before the first photograph
	}
	if err != nil {
		return err
	}
	names, isPerson := []string{"photo"}, person != "" && person != store.Stranger
	if isPerson {
		if _, err := v.store.Person(ctx, collection, person); err != nil {
			return err
		}
		names = append(names, "crop")
	}
	response := Added{Operations: []string{}, Faces: []Face{}, Refused: []Refusal{}}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "application/json" && isPerson {
		f, err := in.vector(r.Body)
		if err == nil {
			err = v.add(ctx, &response, s, person, nil, []store.NewFace{f})
		}
		if err != nil {
			return err
		}
	} else {
		all, err := v.parts(r, names...)
		if err != nil {
			return err
		}
		at, err := placeOf(r)
		if err == nil && at != nil && (len(all) > 1 || all[0].name == "crop") {
			err = huma.Error422UnprocessableEntity("eyes and box are for one photograph: send the others apart")
		}
		if err != nil {
			return err
		}
		for i, p := range all {
			there, err := v.hadBefore(r, p)
			if err != nil {
				return err
			}
			if there {
				response.Refused = append(response.Refused, Refusal{File: i, Why: "the photograph was added before"})
				continue
			}
			if err := v.addFile(ctx, &response, in, s, person, i, p, at); err != nil {
				return err
			}
		}
	}
	if len(response.Faces) > 0 {
		if err := v.engine.publish(ctx, collection); err != nil {
			return err
		}
	}
	return answer(w, http.StatusOK, response)
}

// hadBefore reports whether r asks for new photographs only, and p was added before.
func (v *Service) hadBefore(r *http.Request, p part) (bool, error) {
	if !chosen(r, "new") {
		return false, nil
	}
	return v.store.HasPhoto(r.Context(), r.PathValue("collection"), digestOf(p.data))
}

// byHand says where in a photograph the face is that is meant.
var byHand = []*huma.Param{
	fourNumbers("eyes", "Take the face with these eyes only, x,y,x,y in pixels of the upright photograph, also where none is found"),
	fourNumbers("box", "Take the face in this box only, x,y,width,height in pixels of the upright photograph: one of several, or one that is not found"),
}

func fourNumbers(name, what string) *huma.Param {
	return &huma.Param{Name: name, In: "query", Description: what, Schema: &huma.Schema{Type: huma.TypeString, Pattern: `^\d+(\.\d+)?(,\d+(\.\d+)?){3}$`}}
}

// placeOf is what the parameters of byHand say; nil for nothing.
func placeOf(r *http.Request) (*face.Place, error) {
	eyes, box := r.URL.Query().Get("eyes"), r.URL.Query().Get("box")
	if !chosen(r, "eyes") && !chosen(r, "box") {
		return nil, nil
	}
	if chosen(r, "eyes") && chosen(r, "box") {
		return nil, huma.Error422UnprocessableEntity("a face is either between eyes or in a box: send one of them")
	}
	p, err := face.ParsePlace(eyes+box, chosen(r, "box"))
	if err != nil {
		return nil, unusable(err)
	}
	return p, nil
}

// addFile adds the faces of file i of a form, or the one at a place.
func (v *Service) addFile(ctx context.Context, response *Added, in *input, s *snapshot, person string, i int, p part, at *face.Place) error {
	looked, warnings := noting(ctx)
	seen, photo, why, err := v.search(looked, in, p.data, looking{whole: p.name == "crop", at: at})
	switch {
	case err != nil:
		return err
	case why != "":
		response.Refused = append(response.Refused, Refusal{File: i, Why: why})
		return nil
	case person != "" && person != store.Stranger:
		var unclear []Refusal
		if seen, unclear, err = s.meant(ctx, person, seen); err != nil {
			return err
		}
		for _, o := range unclear {
			o.File = i
			response.Refused = append(response.Refused, o)
		}
	}
	source := store.Upload
	if p.name == "crop" {
		source = store.Crop
	}
	faces, refused := in.newFaces(seen, source)
	for _, o := range refused {
		o.File = i
		response.Refused = append(response.Refused, o)
	}
	if len(faces) == 0 {
		return nil
	}
	for _, why := range warnings() {
		response.Warnings = append(response.Warnings, Warning{Why: why})
	}
	return v.add(ctx, response, s, person, photo, faces)
}

// search finds the faces in an image file, the largest first. If the file has none or cannot be
// used, why says so.
func (v *Service) search(ctx context.Context, in *input, data []byte, o looking) (seen []found, photo *store.Photo, why string, err error) {
	photo = &store.Photo{SHA256: digestOf(data)}
	err = v.decoded(ctx, func() error {
		all, size, err := in.look(ctx, data, o)
		seen, photo.Width, photo.Height = all, size.X, size.Y
		return err
	}, data)
	var status huma.StatusError
	switch {
	case errors.As(err, &status) && status.GetStatus() == http.StatusUnprocessableEntity:
		return nil, photo, status.Error(), nil
	case err == nil && len(seen) == 0:
		why = face.ErrNoFace.Error()
	}
	return seen, photo, why, err
}

// digestOf returns the SHA-256 of an image file, by which it is recognised again.
func digestOf(data []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// newFaces are the faces among seen that can be used, and why the others cannot.
func (e *input) newFaces(seen []found, source string) (faces []store.NewFace, refused []Refusal) {
	for _, s := range seen {
		f := store.NewFace{Face: store.Face{Source: source}, Crop: s.crop, Space: e.space}
		if s.Refused != nil {
			refused = append(refused, Refusal{Box: results.NewDetection(s.Face).Box, Why: s.Refused.Error()})
			continue
		}
		if o := s.Face; o != nil {
			f.Box, f.Pupils, f.Quality = asJSON([4]int{o.Box.Min.X, o.Box.Min.Y, o.Box.Dx(), o.Box.Dy()}), asJSON(o.Pupils), asJSON(o.Quality)
		}
		f.Vector = float32s(s.Values)
		faces = append(faces, f)
	}
	return faces, refused
}

func float32s(v []float64) (all []float32) {
	for _, x := range v {
		all = append(all, float32(x))
	}
	return all
}

func asJSON(o any) json.RawMessage {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err) // numbers of a face are finite
	}
	return b
}

// add adds faces to the store and to response.
func (v *Service) add(ctx context.Context, response *Added, s *snapshot, person string, photo *store.Photo, faces []store.NewFace) error {
	warnings, err := s.takenFor(ctx, person, faces)
	if err != nil {
		return err
	}
	op, err := v.store.AddFaces(ctx, requestOf(ctx).actor, s.ID, photo, person, faces)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		w.Face = faces[w.at].ID
		response.Warnings = append(response.Warnings, w)
	}
	response.Operations = append(response.Operations, op)
	for _, f := range faces {
		response.Faces = append(response.Faces, faceResponse(f.Face))
	}
	return nil
}
