package people

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/faces/tags"
	"nrdl.example/nrdl/server/store"
)

// ErrNoFace says that a photograph has no face.
var ErrNoFace = face.ErrNoFace

// A Place says where in a photograph the face is that is meant, as a request does: between eyes or in a
// box. Nil is missing.
type Place struct{ Eyes, Box *string }

// parse returns the place; nil if both are missing.
func (p Place) parse() (*face.Place, error) {
	text := p.Eyes
	switch {
	case p.Eyes == nil && p.Box == nil:
		return nil, nil
	case p.Eyes != nil && p.Box != nil:
		return nil, Invalid("a face is either between eyes or in a box: send one of them")
	case p.Eyes == nil:
		text = p.Box
	}
	at, err := face.ParsePlace(*text, p.Box != nil)
	if err != nil {
		return nil, Unusable(err)
	}
	return at, nil
}

// An Origin says where a photograph is from, in words of the client: the camera that took it, and what that
// program calls the picture. Answers and messages repeat it.
type Origin struct{ Source, Reference string }

// aSource has no count: a regular expression repeats its classes for each, 2.5 MB at every start.
var aSource = regexp.MustCompile(`^[\pL\pN][\pL\pN\pM ._-]*$`)

// Check is an error for words that are no names.
func (o Origin) Check() error {
	if o.Source != "" && (utf8.RuneCountInString(o.Source) > 64 || !aSource.MatchString(o.Source)) {
		return Invalid("source is %.70q: it is a name of at most 64 letters, digits, spaces, dots, dashes and underscores, such as door", o.Source)
	}
	if !utf8.ValidString(o.Reference) || utf8.RuneCountInString(o.Reference) > 200 || strings.ContainsFunc(o.Reference, unicode.IsControl) {
		return Invalid("reference is %.70q: it is a line of at most 200 characters, such as the number of an event", o.Reference)
	}
	return nil
}

// A Question is what is asked about a photograph.
type Question struct {
	Place  Place
	Origin Origin
	Why    bool // with the pictures and reasons of a ShownPhotograph
}

// Identify names the faces in the photograph that a form has in a field, or the one at a place. Hooks get
// a message, and Options.Seen is called.
func (v *Service) Identify(ctx context.Context, collection string, form Form, field string, q Question) (*ShownPhotograph, error) {
	if err := q.Origin.Check(); err != nil {
		return nil, err
	}
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return nil, err
	}
	data, err := form.File(field)
	if err != nil {
		return nil, err
	}
	at, err := q.Place.parse()
	if err != nil {
		return nil, err
	}
	var result faces.Result
	var found []Found
	looked, warnings := noting(ctx)
	err = v.Memory.Decoded(looked, func() (err error) {
		result, found, err = v.engine.identify(looked, s, data, q.Why, at)
		return err
	}, data)
	if err != nil {
		return nil, err
	}
	response := s.photoResponse(result)
	response.Warnings = warnings()
	response.Source, response.Reference = q.Origin.Source, q.Origin.Reference
	v.tell(ctx, s, response)
	if err := v.keep(ctx, s, data, result, response, found); err != nil {
		v.Log.Error("a visitor is not kept", "request", CallerOf(ctx).ID, "error", err.Error())
	}
	if !q.Why {
		return &ShownPhotograph{Photograph: response}, nil
	}
	shown, err := v.engine.show(ctx, s, result, response)
	return &shown, err
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

// Detect finds the faces in the photograph of a form, with their vectors if these are asked for.
func (v *Service) Detect(ctx context.Context, collection string, form Form, vectors bool) (*Detection, error) {
	in, err := v.engine.inputOf(ctx, collection)
	if err != nil {
		return nil, err
	}
	data, err := form.File("photo")
	if err != nil {
		return nil, err
	}
	response, cut := Detection{Faces: []Detected{}}, in.detection
	if vectors {
		response.Space, cut = in.space, in.cut
	}
	ctx, warnings := noting(ctx)
	err = v.Memory.Decoded(ctx, func() error {
		seen, size, err := face.Decode(ctx, data, "photo", true, face.All, cut)
		response.Size = results.Size{Width: size.X, Height: size.Y}
		for _, s := range seen {
			d := Detected{Detection: results.NewDetection(s.Face)}
			if s.Reason != nil {
				d.Refused = s.Reason.Error()
			} else if vectors {
				d.Vector = float32s(s.Values)
			}
			response.Faces = append(response.Faces, d)
		}
		return err
	}, data)
	if err != nil {
		return nil, err
	}
	response.Warnings = warnings()
	return &response, nil
}

// Added is the answer to a request that adds faces.
type Added struct {
	Operations []string     `json:"operations" doc:"For undo, one a photograph"`
	Faces      []StoredFace `json:"faces"`
	Refused    []Refusal    `json:"refused"`
	Warnings   []Warning    `json:"warnings,omitempty" doc:"Faces that the collection takes for somebody else, and damaged files; they were added all the same"`
}

// A Refusal is a file, or a face in it, that cannot be used.
type Refusal struct {
	File int          `json:"file" doc:"Number in the form, from 0"`
	Box  *results.Box `json:"box,omitempty"`
	Why  string       `json:"why"`
}

// Add adds the faces in the photographs of a form, or of crops, to a person, "" for nobody; or one face
// that another program has made a vector of, which is read from vector unless that is nil. With onlyNew,
// photographs that were added before are left out.
func (v *Service) Add(ctx context.Context, collection, person string, form Form, vector io.Reader, p Place, onlyNew bool) (*Added, error) {
	in, err := v.engine.inputOf(ctx, collection)
	if err != nil {
		return nil, err
	}
	s, err := v.engine.snapshot(ctx, collection) // what is known before the first photograph
	if err != nil {
		return nil, err
	}
	fields := []string{"photo"}
	if isPerson(person) {
		if _, err := v.store.Person(ctx, collection, person); err != nil {
			return nil, err
		}
		fields = append(fields, "crop")
	}
	response := &Added{Operations: []string{}, Faces: []StoredFace{}, Refused: []Refusal{}}
	if vector != nil {
		f, err := in.vector(vector)
		if err == nil {
			err = v.add(ctx, response, s, person, nil, []store.NewFace{f})
		}
		if err != nil {
			return nil, err
		}
	} else {
		all, err := form.Files(fields...)
		if err != nil {
			return nil, err
		}
		at, err := p.parse()
		if err == nil && at != nil && (len(all) > 1 || all[0].Field == "crop") {
			err = Invalid("eyes and box are for one photograph: send the others apart")
		}
		if err != nil {
			return nil, err
		}
		for i, f := range all {
			there := false
			if onlyNew {
				there, err = hasPhoto(ctx, v.store, collection, f.Data)
			}
			if there {
				response.Refused = append(response.Refused, Refusal{File: i, Why: "the photograph was added before"})
			} else if err == nil {
				err = v.addFile(ctx, response, in, s, person, i, f, at)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if len(response.Faces) > 0 {
		err = v.engine.publish(ctx, collection)
	}
	return response, err
}

// isPerson reports whether faces are of a person, and not of nobody or of strangers.
func isPerson(id string) bool { return id != "" && id != store.Stranger }

// addFile adds the faces of file i of a form, or the one at a place.
func (v *Service) addFile(ctx context.Context, response *Added, in *input, s *snapshot, person string,
	i int, p File, at *face.Place,
) error {
	looked, warnings := noting(ctx)
	seen, photo, why, err := v.Memory.find(looked, in, p.Data, selection{isCrop: p.Field == "crop", place: at})
	switch {
	case err != nil:
		return err
	case why != "":
		response.Refused = append(response.Refused, Refusal{File: i, Why: why})
		return nil
	case isPerson(person):
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
	if p.Field == "crop" {
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

// find finds the faces in an image file, the largest first. If the file has none or cannot be
// used, why says so.
func (m *Memory) find(ctx context.Context, in *input, data []byte, o selection) (seen []Found, photo *store.Photo, why string, err error) {
	photo = &store.Photo{SHA256: Digests(data)[0]}
	err = m.Decoded(ctx, func() error {
		all, size, err := in.look(ctx, data, o)
		seen, photo.Width, photo.Height = all, size.X, size.Y
		return err
	}, data)
	switch {
	case isInvalid(err):
		return nil, photo, AsAnswered(err).Error(), nil
	case err == nil && len(seen) == 0:
		why = face.ErrNoFace.Error()
	}
	return seen, photo, why, err
}

// Digests returns the SHA-256 by which a photograph is known: that of its file without the names that nrdl
// has embedded in it, so that writing them changes nothing. Where there are some, that of the file follows.
func Digests(data []byte) []string {
	of := func(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }
	if base := tags.Without(data); len(base) != len(data) {
		return []string{of(base), of(data)}
	}
	return []string{of(data)}
}

// hasPhoto reports whether a photograph was added to a collection before.
func hasPhoto(ctx context.Context, s *store.Store, collection string, data []byte) (there bool, err error) {
	for _, sum := range Digests(data) {
		if there, err = s.HasPhoto(ctx, collection, sum); there || err != nil {
			break
		}
	}
	return there, err
}

// newFaces are the faces among seen that can be used, and why the others cannot.
func (e *input) newFaces(seen []Found, source string) (faces []store.NewFace, refused []Refusal) {
	for _, s := range seen {
		f := store.NewFace{Face: store.Face{Source: source}, Crop: s.crop, Space: e.space}
		if s.Reason != nil {
			refused = append(refused, Refusal{Box: results.NewDetection(s.Face).Box, Why: s.Reason.Error()})
			continue
		}
		if o := s.Face; o != nil {
			f.Box, f.Pupils, f.Quality = AsJSON([4]int{o.Box.Min.X, o.Box.Min.Y, o.Box.Dx(), o.Box.Dy()}), AsJSON(o.Pupils), AsJSON(o.Quality)
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

// AsJSON returns a value as JSON. It panics if that is impossible.
func AsJSON(o any) json.RawMessage {
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
	op, err := v.store.AddFaces(ctx, CallerOf(ctx).Actor, s.ID, photo, person, faces)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		w.Face = faces[w.index].ID
		response.Warnings = append(response.Warnings, w)
	}
	response.Operations = append(response.Operations, op)
	for _, f := range faces {
		response.Faces = append(response.Faces, FaceResponse(f.Face))
	}
	return nil
}
