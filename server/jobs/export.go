package jobs

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"time"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// An Export is the content of people.json, the first file of a tar. Then it has faces/ID.json
// for each face, followed by its crop, faces/ID.png, if there is one.
type Export struct {
	Collection string          `json:"collection"` // name of the collection
	FPIR       float64         `json:"fpir"`
	Space      string          `json:"space"` // names the network of the vectors
	People     []people.Person `json:"people"`
	Faces      int             `json:"faces"`
}

// An ExportedFace is a face in an export.
type ExportedFace struct {
	ID      string           `json:"id"`
	Person  string           `json:"person,omitempty"` // id
	Not     []string         `json:"not,omitempty"`    // ids of people that it does not show
	Photo   *ExportedPhoto   `json:"photo,omitempty"`
	Source  string           `json:"source"`
	Box     *[4]int          `json:"box"`
	Pupils  *[2]face.Point   `json:"pupils"`
	Quality *dataset.Quality `json:"quality"`
	Vector  []float32        `json:"vector"` // in Export.Space; null if the face has no such vector
	Created time.Time        `json:"created"`

	Visit *people.Sight `json:"visit,omitempty"` // of a face that was kept since it was not recognised
}

// An ExportedPhoto is what is kept of a photograph.
type ExportedPhoto struct {
	ID     string `json:"id"`
	SHA256 string `json:"sha256"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// An exporter writes a tar of a collection, or of one of its people.
type exporter struct {
	*Service
	tar *tar.Writer
	store.Collection
	space   string
	person  *string         // of the faces; nil: all
	people  map[string]bool // ids that faces may have
	denials map[string][]string
	tell    func(faces int) // is called after each face
	result  ExportResult
}

// Export writes a collection as a tar, or one person of it unless person is "". Changes that
// are made meanwhile may be missing. tell is called after each face with their number.
func (v *Service) Export(ctx context.Context, w io.Writer, collection, person string, tell func(faces int)) (ExportResult, error) {
	c, err := v.store.Collection(ctx, collection)
	if err != nil {
		return ExportResult{}, err
	}
	space, err := v.people.SpaceOf(c.Space)
	if err != nil {
		return ExportResult{}, err
	}
	e := &exporter{Service: v, tar: tar.NewWriter(w), Collection: c, space: space, tell: tell}
	if err := e.writePeople(ctx, person); err != nil {
		return e.result, err
	}
	if e.denials, err = v.store.Denied(ctx, collection); err != nil {
		return e.result, err
	}
	for after := ""; ; {
		faces, err := v.store.Faces(ctx, collection, e.person, after, exportBatch)
		if err != nil {
			return e.result, err
		}
		for _, f := range faces {
			if after = f.ID; !e.people[f.Person] {
				continue
			}
			if err := e.writeFace(ctx, f); err != nil {
				return e.result, err
			}
		}
		if len(faces) < exportBatch {
			return e.result, e.tar.Close()
		}
	}
}

// exportBatch is how many people or faces are read at one time.
const exportBatch = 500

// writePeople writes people.json, with one person unless that is "".
func (e *exporter) writePeople(ctx context.Context, person string) (err error) {
	about := Export{Collection: e.Name, FPIR: e.FPIR, Space: e.space, People: []people.Person{}}
	var all []store.Person
	if person != "" {
		p, err := e.store.Person(ctx, e.ID, person)
		if err != nil {
			return err
		}
		e.person, e.people = &p.ID, map[string]bool{}
		all, about.Faces = []store.Person{p}, p.Faces
	} else {
		e.people = map[string]bool{"": true, store.Stranger: true}
		if all, err = e.store.People(ctx, e.ID, "", math.MaxInt32); err != nil {
			return err
		}
		if about.Faces, err = e.store.CountFaces(ctx, e.ID); err != nil {
			return err
		}
	}
	for _, p := range all {
		about.People, e.people[p.ID] = append(about.People, people.PersonResponse(p)), true
	}
	e.result.People = len(all)
	text, err := json.MarshalIndent(about, "", "\t")
	if err != nil {
		return err
	}
	return e.write("people.json", text, e.Created)
}

// writeFace writes a face, unless it was removed meanwhile.
func (e *exporter) writeFace(ctx context.Context, f store.Face) error {
	face, crop, err := e.exportedFace(ctx, e.ID, e.space, f)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, p := range e.denials[f.ID] {
		if e.people[p] {
			face.Not = append(face.Not, p)
		}
	}
	text, err := json.Marshal(face)
	if err == nil {
		err = e.write("faces/"+f.ID+".json", text, f.Created)
	}
	if err == nil && len(crop) > 0 {
		err = e.write("faces/"+f.ID+".png", crop, f.Created)
	}
	e.result.Faces++
	e.tell(e.result.Faces)
	return err
}

func (e *exporter) write(name string, data []byte, created time.Time) error {
	if err := e.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), ModTime: created}); err != nil {
		return err
	}
	_, err := e.tar.Write(data)
	return err
}

func (v *Service) exportedFace(ctx context.Context, collection, space string, f store.Face) (one ExportedFace, crop []byte, err error) {
	one = ExportedFace{ID: f.ID, Person: f.Person, Source: f.Source, Created: f.Created}
	if err := errors.Join(json.Unmarshal(f.Box, &one.Box), json.Unmarshal(f.Pupils, &one.Pupils),
		json.Unmarshal(f.Quality, &one.Quality)); err != nil {
		return one, nil, err
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
	if seen, err := v.store.Visit(ctx, collection, f.ID); err != nil {
		return one, nil, err
	} else if seen != nil {
		one.Visit = new(people.SightOf(*seen))
	}
	crop, err = v.store.Crop(ctx, collection, f.ID)
	return one, crop, err
}
