package service

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/service/store"
)

// An Export is people.json, the first file of a tar with people. A face is
// faces/ID.json, and its crop, if it has one, the next file, faces/ID.png.
type Export struct {
	Collection string   `json:"collection"` // its name
	FPIR       float64  `json:"fpir"`
	Space      string   `json:"space"` // of the vectors
	People     []Person `json:"people"`
	Faces      int      `json:"faces"`
}

// An ExportedFace is a face in an export.
type ExportedFace struct {
	ID      string           `json:"id"`
	Person  string           `json:"person,omitempty"` // id
	Not     []string         `json:"not,omitempty"`    // ids of people
	Photo   *ExportedPhoto   `json:"photo,omitempty"`
	Source  string           `json:"source"`
	Box     *[4]int          `json:"box"`
	Pupils  *[2]face.Point   `json:"pupils"`
	Quality *dataset.Quality `json:"quality"`
	Vector  []float32        `json:"vector"` // null if there is none of the space
	Created time.Time        `json:"created"`
}

// An ExportedPhoto is what is kept of a photograph.
type ExportedPhoto struct {
	ID     string `json:"id"`
	SHA256 string `json:"sha256"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// exported writes a collection as a tar, or one person of it unless person is "". What
// changes meanwhile may be missing. Tell is called after each face.
func (v *Service) exported(ctx context.Context, w io.Writer, collection, person string, tell func(faces int)) (told ExportResult, err error) {
	c, err := v.store.Collection(ctx, collection)
	if err != nil {
		return told, err
	}
	in, err := v.engine.input(c.Space)
	if err != nil {
		return told, err
	}
	about := Export{Collection: c.Name, FPIR: c.FPIR, Space: in.space, People: []Person{}}
	there := map[string]bool{"": true}
	var of *string // whose faces
	if person != "" {
		p, err := v.store.Person(ctx, collection, person)
		if err != nil {
			return told, err
		}
		of, about.Faces, about.People, there = &p.ID, p.Faces, []Person{toldPerson(p)}, map[string]bool{p.ID: true}
	}
	const together = 500
	for after := ""; of == nil; {
		people, err := v.store.People(ctx, collection, after, together)
		if err != nil {
			return told, err
		}
		for _, p := range people {
			about.People, there[p.ID], after = append(about.People, toldPerson(p)), true, p.ID
		}
		if len(people) < together {
			break
		}
	}
	if of == nil {
		there[store.Stranger] = true
		if about.Faces, err = v.store.CountFaces(ctx, collection); err != nil {
			return told, err
		}
	}
	denied, err := v.store.Denied(ctx, collection)
	if err != nil {
		return told, err
	}
	t := tar.NewWriter(w)
	add := func(name string, data []byte, at time.Time) error {
		if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), ModTime: at}); err != nil {
			return err
		}
		_, err := t.Write(data)
		return err
	}
	text, err := json.MarshalIndent(about, "", "\t")
	if err == nil {
		err = add("people.json", text, c.Created)
	}
	if err != nil {
		return told, err
	}
	told.People = len(about.People)
	for after := ""; ; {
		faces, err := v.store.Faces(ctx, collection, of, after, together)
		if err != nil {
			return told, err
		}
		for _, f := range faces {
			after = f.ID
			if !there[f.Person] {
				continue
			}
			one, crop, err := v.exportedFace(ctx, collection, in.space, f)
			if errors.Is(err, store.ErrNotFound) { // removed meanwhile
				continue
			}
			if err != nil {
				return told, err
			}
			for _, p := range denied[f.ID] {
				if there[p] {
					one.Not = append(one.Not, p)
				}
			}
			if text, err = json.Marshal(one); err == nil {
				err = add("faces/"+f.ID+".json", text, f.Created)
			}
			if err == nil && len(crop) > 0 {
				err = add("faces/"+f.ID+".png", crop, f.Created)
			}
			if err != nil {
				return told, err
			}
			told.Faces++
			tell(told.Faces)
		}
		if len(faces) < together {
			return told, t.Close()
		}
	}
}

func (v *Service) exportedFace(ctx context.Context, collection, space string, f store.Face) (one ExportedFace, crop []byte, err error) {
	one = ExportedFace{ID: f.ID, Person: f.Person, Source: f.Source, Created: f.Created}
	for _, o := range []struct {
		from json.RawMessage
		to   any
	}{{f.Box, &one.Box}, {f.Pupils, &one.Pupils}, {f.Quality, &one.Quality}} {
		if err := json.Unmarshal(o.from, o.to); err != nil {
			return one, nil, err
		}
	}
	if one.Vector, err = v.store.Vector(ctx, collection, f.ID, space); err != nil {
		return one, nil, err
	}
	if f.Photo != "" {
		p, err := v.store.Photo(ctx, collection, f.Photo)
		if err != nil {
			return one, nil, err
		}
		one.Photo = &ExportedPhoto{f.Photo, p.SHA256, p.Width, p.Height}
	}
	crop, err = v.store.Crop(ctx, collection, f.ID)
	return one, crop, err
}

// export answers with the tar of the collection, or of the person of the path.
func (v *Service) export(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("c")
	if p := r.PathValue("p"); p != "" {
		name = p
		if _, err := v.store.Person(r.Context(), r.PathValue("c"), p); err != nil {
			return err
		}
	}
	if _, err := v.engine.inputOf(r.Context(), r.PathValue("c")); err != nil {
		return err
	}
	attach(w, name)
	if _, err := v.exported(r.Context(), &patient{w, http.NewResponseController(w)}, r.PathValue("c"), r.PathValue("p"), func(int) {}); err != nil {
		panic(http.ErrAbortHandler) // too late for a status: the client sees that the answer is cut short
	}
	return nil
}

// attach says that the answer is a tar.
func attach(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "application/x-tar")
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`.tar"`)
}

// patient writes an answer whose length is not known: each part of it has a minute.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p *patient) Write(b []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(time.Minute)) // a test has none
	return p.ResponseWriter.Write(b)
}
