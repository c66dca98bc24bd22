package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"mime"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"nrdl"
	"nrdl/dataset"
	"nrdl/face"
	"nrdl/internal/results"
	"nrdl/service/store"
)

func (v *Service) uploads() {
	const c = "/v1/collections/{c}/"
	v.plain(http.MethodPost, c+"identify", "Name the faces in a photograph; with why=true, with pictures and reasons", forIdentify, []string{"photo"}, v.identify)
	v.plain(http.MethodPost, c+"verify", "Say whether two photographs show the same person", forIdentify, []string{"a", "b"}, v.verify)
	v.plain(http.MethodPost, c+"detect", "Find the faces in a photograph", forIdentify, []string{"photo"}, v.detect)
	v.plain(http.MethodPost, c+"faces", "Add all faces in photographs, of nobody yet; with new=true, of photographs that were not added before", forEnrolling, []string{"photo"}, v.addFaces)
	v.plain(http.MethodPost, c+"people/{p}/faces", "Add the largest face in each photograph, aligned crops, or a vector (JSON: vector, space), to a person", forEnrolling, []string{"photo", "crop"}, v.addFaces)
	v.plain(http.MethodGet, c+"people/{p}/export", "Get a person with all crops and vectors, a tar", forReview, nil, v.export)
}

func (v *Service) identify(w http.ResponseWriter, r *http.Request) error {
	s, err := v.engine.of(r.Context(), r.PathValue("c"))
	if err != nil {
		return err
	}
	data, done, err := v.single(r, "photo")
	if err != nil {
		return err
	}
	defer done()
	why := r.URL.Query().Get("why") == "true"
	var result nrdl.Result
	err = v.decoded(r.Context(), func() (err error) {
		result, err = v.engine.identify(r.Context(), s, data, why)
		return err
	}, data)
	if err != nil {
		return err
	}
	told := s.told(result)
	if why {
		shown, err := v.show(r.Context(), s, result, told)
		if err != nil {
			return err
		}
		return answer(w, http.StatusOK, shown)
	}
	return answer(w, http.StatusOK, told)
}

// A Verification is the answer of verify.
type Verification struct {
	Same bool `json:"same"`
	nrdl.Comparison
	FMR float64 `json:"fmr"` // highest false match rate of the same person
}

func (v *Service) verify(w http.ResponseWriter, r *http.Request) error {
	if _, err := v.store.Collection(r.Context(), r.PathValue("c")); err != nil {
		return err
	}
	all, done, err := v.parts(r, "a", "b")
	if err != nil {
		return err
	}
	defer done()
	if len(all) != 2 || all[0].name == all[1].name {
		return huma.Error422UnprocessableEntity("the form needs the files a and b")
	}
	var compared nrdl.Comparison
	err = v.decoded(r.Context(), func() error {
		var photos [2]image.Image
		for i, p := range all {
			var err error
			if photos[i], err = dataset.DecodePhoto(p.data, p.name); err != nil {
				return err
			}
		}
		var err error
		compared, err = nrdl.Verify(r.Context(), photos[0], photos[1])
		return err
	}, all[0].data, all[1].data)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, Verification{compared.Same(nrdl.DefaultFMR), compared, nrdl.DefaultFMR})
}

// A Detected is a face that was found.
type Detected struct {
	Box     [4]int          `json:"box"`
	Pupils  [2]face.Point   `json:"pupils"`
	Quality dataset.Quality `json:"quality"`
	Refused string          `json:"refused,omitempty"` // why it cannot be used
}

func toldDetected(f *face.Face, refused error) Detected {
	d := Detected{[4]int{f.Box.Min.X, f.Box.Min.Y, f.Box.Dx(), f.Box.Dy()}, f.Pupils, f.Quality, ""}
	if refused != nil {
		d.Refused = refused.Error()
	}
	return d
}

func (v *Service) detect(w http.ResponseWriter, r *http.Request) error {
	if _, err := v.store.Collection(r.Context(), r.PathValue("c")); err != nil {
		return err
	}
	data, done, err := v.single(r, "photo")
	if err != nil {
		return err
	}
	defer done()
	told := struct {
		Size  results.Size `json:"size"`
		Faces []Detected   `json:"faces"`
	}{Faces: []Detected{}}
	err = v.decoded(r.Context(), func() error {
		seen, size, err := face.Decode(r.Context(), data, "photo", true, face.All, v.engine.find)
		told.Size = results.Size{Width: size.X, Height: size.Y}
		for _, s := range seen {
			told.Faces = append(told.Faces, toldDetected(s.Face, s.Refused))
		}
		return err
	}, data)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, told)
}

// An Added tells what became of the faces that were added.
type Added struct {
	Operations []string  `json:"operations"` // for undo, one a photograph
	Faces      []Face    `json:"faces"`
	Refused    []Refusal `json:"refused"`
}

// A Refusal is a file, or a face in it, that cannot be used.
type Refusal struct {
	File int     `json:"file"` // number in the form, from 0
	Box  *[4]int `json:"box,omitempty"`
	Why  string  `json:"why"`
}

// addFaces adds faces to the person of the path, or to nobody.
func (v *Service) addFaces(w http.ResponseWriter, r *http.Request) error {
	ctx, collection, person := r.Context(), r.PathValue("c"), r.PathValue("p")
	if _, err := v.store.Collection(ctx, collection); err != nil {
		return err
	}
	names := []string{"photo"}
	if person != "" {
		if _, err := v.store.Person(ctx, collection, person); err != nil {
			return err
		}
		names = append(names, "crop")
	}
	told := Added{Operations: []string{}, Faces: []Face{}, Refused: []Refusal{}}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "application/json" && person != "" {
		f, err := v.vector(r.Body)
		if err != nil {
			return err
		}
		if err := v.add(ctx, &told, collection, person, nil, []store.NewFace{f}); err != nil {
			return err
		}
	} else {
		all, done, err := v.parts(r, names...)
		if err != nil {
			return err
		}
		defer done()
		for i, p := range all {
			if r.URL.Query().Get("new") == "true" {
				sum := sha256.Sum256(p.data)
				there, err := v.store.HasPhoto(ctx, collection, hex.EncodeToString(sum[:]))
				if err != nil {
					return err
				}
				if there {
					told.Refused = append(told.Refused, Refusal{File: i, Why: "the photograph was added before"})
					continue
				}
			}
			if err := v.addFile(ctx, &told, collection, person, i, p); err != nil {
				return err
			}
		}
	}
	if len(told.Faces) > 0 {
		if err := v.engine.publish(ctx, collection); err != nil {
			return err
		}
	}
	return answer(w, http.StatusOK, told)
}

// addFile adds the faces of file i of a form.
func (v *Service) addFile(ctx context.Context, told *Added, collection, person string, i int, p part) error {
	var seen []found
	var size image.Point
	err := v.decoded(ctx, func() (err error) {
		seen, size, err = v.engine.look(ctx, p.data, p.name == "crop")
		return err
	}, p.data)
	var status huma.StatusError
	switch {
	case errors.As(err, &status) && status.GetStatus() == http.StatusUnprocessableEntity:
		told.Refused = append(told.Refused, Refusal{File: i, Why: status.Error()})
		return nil
	case err != nil:
		return err
	case len(seen) == 0:
		told.Refused = append(told.Refused, Refusal{File: i, Why: face.ErrNoFace.Error()})
		return nil
	case person != "":
		seen = seen[:1]
	}
	var faces []store.NewFace
	for _, s := range seen {
		f := store.NewFace{Face: store.Face{Source: store.Upload}, Crop: s.crop, Space: v.engine.space}
		if p.name == "crop" {
			f.Source = store.Crop
		}
		if s.Face != nil {
			d := toldDetected(s.Face, s.Refused)
			if s.Refused != nil {
				told.Refused = append(told.Refused, Refusal{i, &d.Box, d.Refused})
				continue
			}
			f.Box, f.Pupils, f.Quality = asJSON(d.Box), asJSON(d.Pupils), asJSON(d.Quality)
		} else if s.Refused != nil {
			told.Refused = append(told.Refused, Refusal{File: i, Why: s.Refused.Error()})
			continue
		}
		for _, x := range s.Values {
			f.Vector = append(f.Vector, float32(x))
		}
		faces = append(faces, f)
	}
	if len(faces) == 0 {
		return nil
	}
	sum := sha256.Sum256(p.data)
	return v.add(ctx, told, collection, person, &store.Photo{SHA256: hex.EncodeToString(sum[:]), Width: size.X, Height: size.Y}, faces)
}

func asJSON(o any) json.RawMessage {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err) // numbers of a face are finite
	}
	return b
}

// add adds faces to the store and to told.
func (v *Service) add(ctx context.Context, told *Added, collection, person string, photo *store.Photo, faces []store.NewFace) error {
	op, err := v.store.AddFaces(ctx, by(ctx).actor, collection, photo, person, faces)
	if err != nil {
		return err
	}
	told.Operations = append(told.Operations, op)
	for _, f := range faces {
		told.Faces = append(told.Faces, toldFace(f.Face))
	}
	return nil
}

// vector reads a face that another program made a vector of.
func (v *Service) vector(body io.Reader) (f store.NewFace, err error) {
	var in struct {
		Vector []float32 `json:"vector"`
		Space  string    `json:"space"`
	}
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return f, err
		}
		return f, huma.Error422UnprocessableEntity("the body is not JSON with vector and space")
	}
	norm := 0.0
	for _, x := range in.Vector {
		norm += float64(x) * float64(x)
	}
	const rounding = 1e-3
	switch n := v.engine.in.Frame.Len(); {
	case in.Space != v.engine.space:
		return f, huma.Error422UnprocessableEntity(fmt.Sprintf("the space of the vectors here is %q", v.engine.space))
	case len(in.Vector) != n:
		return f, huma.Error422UnprocessableEntity(fmt.Sprintf("the vector has %d numbers, not %d", len(in.Vector), n))
	case math.Abs(norm-1) > rounding:
		return f, huma.Error422UnprocessableEntity("the vector is not of unit length")
	}
	return store.NewFace{Face: store.Face{Source: store.Vector}, Space: in.Space, Vector: in.Vector}, nil
}
