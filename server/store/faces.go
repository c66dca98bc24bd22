package store

import (
	"context"
	"encoding/json"
	"time"
)

// A Photo is what is kept of a photograph.
type Photo struct {
	SHA256        string
	Width, Height int
}

func (p *Photo) columns() []any { return []any{&p.SHA256, &p.Width, &p.Height} }

// Sources of faces.
const (
	Upload = "upload"
	Crop   = "crop"
	Vector = "vector"
	Import = "import"
)

// A Face is a face of a collection.
type Face struct {
	ID      string
	Photo   string // id; "" for a face without a photograph
	Person  string // id; "" for a face without a person, Stranger for a stranger
	Source  string
	Box     json.RawMessage // box, pupils and quality are written by the caller; null if unknown
	Pupils  json.RawMessage
	Quality json.RawMessage
	Created time.Time
}

func (f *Face) columns() []any {
	return []any{&f.ID, &f.Photo, &f.Person, &f.Source, (*[]byte)(&f.Box), (*[]byte)(&f.Pupils), (*[]byte)(&f.Quality), (*micros)(&f.Created)}
}

const faceColumns = "SELECT id, photo, person, source, box, pupils, quality, created FROM face "

// A NewFace is a face to be added.
type NewFace struct {
	Face
	Crop   []byte // image file of the aligned crop; may be empty
	Space  string // names the network that made Vector
	Vector []float32
	Visit  *Visit // of a face that was not recognised; nil otherwise
}

// isPerson reports whether Face.Person is the id of a person.
func isPerson(id string) bool { return id != "" && id != Stranger }

// AddFaces adds the faces of one photograph to a person: "" for nobody, Stranger for people
// who are not in the collection; a face whose Person is set is added to that one. photo is nil for
// faces without a photograph. AddFaces sets ID,
// Photo, Person and Created of each element of faces. It returns the id of the operation, for
// Undo.
func (s *Store) AddFaces(ctx context.Context, actor, collection string, photo *Photo, person string,
	faces []NewFace,
) (operation string, err error) {
	err = s.change(ctx, actor, collection, func(t *tx) {
		if isPerson(person) {
			t.person(person)
		}
		photoID := ""
		if photo != nil {
			photoID = NewID()
			t.putPhoto(photoID, photo)
		}
		var undo undoData
		var people []string
		of := map[string][]string{}
		for i := range faces {
			f := &faces[i]
			if f.Person == "" {
				f.Person = person
			} else if of[f.Person] == nil {
				t.person(f.Person)
			}
			f.ID, f.Photo, f.Created = NewID(), photoID, t.at
			t.putFace(f)
			undo.NewFaces = append(undo.NewFaces, f.ID)
			if of[f.Person] == nil {
				people = append(people, f.Person)
			}
			of[f.Person] = append(of[f.Person], f.ID)
		}
		operation = t.log("add faces", person, undo)
		for _, p := range people {
			t.emit(Event{Event: "faces.added", Person: p, Faces: of[p], Operation: operation})
		}
	})
	return operation, err
}

// putPhoto stores a photograph, unless one with this id is there.
func (t *tx) putPhoto(id string, p *Photo) {
	t.exec("INSERT INTO photo (collection, id, sha256, width, height, created) VALUES ($1, $2, $3, $4, $5, $6) ON "+
		"CONFLICT (collection, id) DO NOTHING",
		t.collection, id, p.SHA256, p.Width, p.Height, t.at.UnixMicro())
}

func (t *tx) putFace(f *NewFace) {
	t.exec("INSERT INTO face (collection, id, photo, person, source, box, pupils, quality, crop, created, seq) VALUES "+
		"($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
		t.collection, f.ID, f.Photo, f.Person, f.Source, jsonText(f.Box), jsonText(f.Pupils), jsonText(f.Quality),
		append([]byte{}, f.Crop...), f.Created.UnixMicro(), t.seq)
	t.exec("INSERT INTO vector (collection, face, space, f32) VALUES ($1, $2, $3, $4)", t.collection, f.ID, f.Space, bytesOf(f.Vector))
	if f.Visit != nil {
		t.putVisit(f.ID, *f.Visit)
	}
	if isPerson(f.Person) {
		t.label(f.ID, f.Person, "is")
		t.touch(f.Person)
	}
}

// jsonText is v as it is stored.
func jsonText(v json.RawMessage) string {
	if v == nil {
		return "null"
	}
	return string(v)
}

// DeleteFaces removes faces with their crops, vectors and labels. It cannot be undone. It returns a
// *Conflict if expected is not nil and one of the faces has another person.
func (s *Store) DeleteFaces(ctx context.Context, actor, collection string, expected *string, ids []string) error {
	err := s.change(ctx, actor, collection, func(t *tx) {
		if expected != nil {
			t.expect(expected, ids, *expected)
		}
		for _, id := range ids {
			t.discard(id)
		}
	})
	if err != nil {
		return err
	}
	return s.scrub(ctx)
}

// discard removes a face with all that mentions it.
func (t *tx) discard(id string) {
	t.deleteFace(id)
	t.deleteMentions(id)
	t.audit("delete face", id)
}

// DeleteStrangers removes the faces of strangers and returns their number. It cannot be
// undone.
func (s *Store) DeleteStrangers(ctx context.Context, actor, collection string) (int, error) {
	if _, err := s.Collection(ctx, collection); err != nil {
		return 0, err
	}
	ids, err := list[string](ctx, s.read, facesOfPerson, collection, Stranger)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return len(ids), s.DeleteFaces(ctx, actor, collection, nil, ids)
}

// deleteFace removes a face, and its photograph if that has no other face. It returns the
// number of labels, and the id of the photograph if it was removed.
func (t *tx) deleteFace(id string) (labels int64, photo string) {
	f := t.face(id)
	t.touch(f.Person)
	t.noteRemoval(id)
	labels = t.exec("DELETE FROM label WHERE collection = $1 AND face = $2", t.collection, id)
	t.exec("DELETE FROM face WHERE collection = $1 AND id = $2", t.collection, id)
	if t.exec("DELETE FROM photo WHERE collection = $1 AND id = $2 AND NOT EXISTS (SELECT 1 FROM face WHERE collection = $1 AND photo = $2)",
		t.collection, f.Photo) > 0 {
		photo = f.Photo
	}
	return labels, photo
}

const (
	faceByID      = faceColumns + "WHERE collection = $1 AND id = $2"
	facesOfPerson = "SELECT id FROM face WHERE collection = $1 AND person = $2 ORDER BY id"
)

func (t *tx) face(id string) Face { return row[Face](t, "face", faceByID, t.collection, id) }

// Faces returns the faces of a person, "" for nobody, without those of visitors; all faces if person is nil.
// They are in the order of their ids: up to limit, of ids larger than after.
func (s *Store) Faces(ctx context.Context, collection string, person *string, after string, limit int) ([]Face, error) {
	if person != nil {
		some := faceColumns + "f WHERE collection = $1 AND person = $2 AND id > $3 "
		if *person == "" {
			some += "AND NOT (" + ofVisitors + ") "
		}
		return list[Face](ctx, s.read, some+"ORDER BY id LIMIT $4", collection, *person, after, limit)
	}
	return list[Face](ctx, s.read, faceColumns+"WHERE collection = $1 AND id > $2 ORDER BY id LIMIT $3", collection, after, limit)
}

// Face returns the face with this id.
func (s *Store) Face(ctx context.Context, collection, id string) (Face, error) {
	return one[Face](ctx, "face", s.read, faceByID, collection, id)
}

// FacesWithCrop returns the faces of people that have a crop, in the order of their ids.
func (s *Store) FacesWithCrop(ctx context.Context, collection string, people []string) ([]Face, error) {
	if len(people) == 0 {
		return nil, nil
	}
	condition, args := in("person", []any{collection}, people)
	return list[Face](ctx, s.read, faceColumns+"WHERE collection = $1 AND length(crop) > 0 AND "+condition+" ORDER BY id", args...)
}

// Crop returns the image file of the crop of a face; empty if it has none.
func (s *Store) Crop(ctx context.Context, collection, id string) ([]byte, error) {
	return one[[]byte](ctx, "face", s.read, "SELECT crop FROM face WHERE collection = $1 AND id = $2", collection, id)
}

// Photo returns what is kept of a photograph.
func (s *Store) Photo(ctx context.Context, collection, id string) (Photo, error) {
	return one[Photo](ctx, "photograph", s.read, "SELECT sha256, width, height FROM photo WHERE collection = $1 AND id = $2", collection, id)
}

// A KeptPhoto is a photograph of a collection.
type KeptPhoto struct {
	ID string
	Photo
	Created time.Time
}

func (p *KeptPhoto) columns() []any {
	return append(append([]any{&p.ID}, p.Photo.columns()...), (*micros)(&p.Created))
}

// PhotosOf returns the photographs with faces of a person, and all faces in them, in the order of
// their ids.
func (s *Store) PhotosOf(ctx context.Context, collection, person string) (photos []KeptPhoto, faces []Face, err error) {
	const of = " IN (SELECT photo FROM face WHERE collection = $1 AND person = $2 AND photo <> '') ORDER BY id"
	photos, err = list[KeptPhoto](ctx, s.read, "SELECT id, sha256, width, height, created FROM photo WHERE collection = $1 AND id"+of,
		collection, person)
	if err == nil {
		faces, err = list[Face](ctx, s.read, faceColumns+"WHERE collection = $1 AND photo"+of, collection, person)
	}
	return photos, faces, err
}

// HasPhoto reports whether the collection has a photograph with this SHA-256.
func (s *Store) HasPhoto(ctx context.Context, collection, sha256 string) (bool, error) {
	n, err := one[int](ctx, "photo", s.read, "SELECT count(*) FROM photo WHERE collection = $1 AND sha256 = $2", collection, sha256)
	return n > 0, err
}

// CountFaces returns the number of faces in a collection.
func (s *Store) CountFaces(ctx context.Context, collection string) (int, error) {
	return one[int](ctx, "face", s.read, "SELECT count(*) FROM face WHERE collection = $1", collection)
}

// CountUnnamed returns the number of faces of nobody yet in a collection, with those of visitors.
func (s Labelling) CountUnnamed(ctx context.Context, collection string) (int, error) {
	return one[int](ctx, "face", s.read, "SELECT count(*) FROM face WHERE collection = $1 AND person = ''", collection)
}

// A Sample is the vector of a face.
type Sample struct {
	Face, Person, Photo string
	Quality             json.RawMessage
	Vector              []float32
}

func (o *Sample) columns() []any {
	return []any{&o.Face, &o.Person, &o.Photo, (*[]byte)(&o.Quality), (*floats)(&o.Vector)}
}

const sampleColumns = "SELECT f.id, f.person, f.photo, f.quality, v.f32 FROM face f JOIN vector v ON v.collection " +
	"= f.collection AND v.face = f.id WHERE f.collection = $1 AND v.space = $2 "

// Samples returns the vectors of one space of the faces of a person, "" for nobody. They are in
// the order of the ids of the faces: up to limit, of ids larger than after.
func (s *Store) Samples(ctx context.Context, collection, space, person, after string, limit int) ([]Sample, error) {
	return list[Sample](ctx, s.read, sampleColumns+"AND f.person = $3 AND f.id > $4 ORDER BY f.id LIMIT $5",
		collection, space, person, after, limit)
}

// SamplesOf returns up to limit vectors of one space of the faces of people, in the order of the
// ids of the faces. The person "" is nobody.
func (s *Store) SamplesOf(ctx context.Context, collection, space string, people []string, limit int) ([]Sample, error) {
	if len(people) == 0 {
		return nil, nil
	}
	condition, args := in("f.person", []any{collection, space, limit}, people)
	return list[Sample](ctx, s.read, sampleColumns+"AND "+condition+" ORDER BY f.id LIMIT $3", args...)
}

// Sample returns the vector of one space of a face.
func (s *Store) Sample(ctx context.Context, collection, space, face string) (Sample, error) {
	return one[Sample](ctx, "vector", s.read, sampleColumns+"AND f.id = $3", collection, space, face)
}

// Vector returns the vector of a face in a space; nil if there is none.
func (s *Store) Vector(ctx context.Context, collection, face, space string) ([]float32, error) {
	all, err := list[floats](ctx, s.read, "SELECT f32 FROM vector WHERE collection = $1 AND face = $2 AND space = $3", collection, face, space)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return all[0], nil
}

// PutVector adds a vector of another space to a face.
func (s *Store) PutVector(ctx context.Context, collection, face, space string, vector []float32) error {
	return s.change(ctx, "", collection, func(t *tx) {
		t.must("face", "UPDATE face SET seq = $3 WHERE collection = $1 AND id = $2", collection, face, t.seq)
		t.exec("INSERT INTO vector (collection, face, space, f32) VALUES ($1, $2, $3, $4) ON CONFLICT (collection, face, space) DO NOTHING",
			collection, face, space, bytesOf(vector))
	})
}

const (
	hasVector = "EXISTS (SELECT 1 FROM vector v WHERE v.collection = f.collection AND v.face = f.id AND v.space = $2)"
	hasCrop   = "length(crop) > 0"
)

// FacesWithoutVector returns the ids of faces that have a crop but no vector of a space, in their
// order: up to limit, those larger than after.
func (s *Store) FacesWithoutVector(ctx context.Context, collection, space, after string, limit int) ([]string, error) {
	return list[string](ctx, s.read, "SELECT id FROM face f WHERE collection = $1 AND id > $3 AND "+hasCrop+" AND NOT "+
		hasVector+" ORDER BY id LIMIT $4",
		collection, space, after, limit)
}

// A VectorCount says for how many faces of a collection vectors of a space can be made.
type VectorCount struct {
	Faces   int // all
	ToMake  int // faces with a crop but without a vector
	Without int // faces with neither
	People  int // whose faces all have neither
}

func (c *VectorCount) columns() []any { return []any{&c.Faces, &c.ToMake, &c.Without, &c.People} }

// CountVectors counts the faces of a collection by whether they have a vector of a space, or a crop. It
// reads each face once.
func (s *Store) CountVectors(ctx context.Context, collection, space string) (VectorCount, error) {
	const each = "SELECT person, CASE WHEN " + hasVector + " THEN 0 WHEN " + hasCrop + " THEN 1 ELSE 2 END AS lack FROM " +
		"face f WHERE collection = $1"
	return one[VectorCount](ctx, "collection", s.read,
		`SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT), CAST(COALESCE(SUM(n1), 0) AS BIGINT), CAST(COALESCE(SUM(n2), 0) AS BIGINT),
		COUNT(CASE WHEN n = n2 AND person NOT IN ('', '`+Stranger+`') THEN 1 END)
		FROM (SELECT person, COUNT(*) AS n, COUNT(CASE WHEN lack = 1 THEN 1 END) AS n1, COUNT(CASE WHEN lack = 2 THEN 1 END) AS n2 FROM (`+each+`) AS each_face GROUP BY person) AS of_person`,
		collection, space)
}

// ImportFace adds a face from an export with its id, and notes that it does not show the people
// denied. It also adds the photograph, unless that is nil. If a face with this id exists already,
// nothing is changed. added reports whether the face was added.
func (s *Store) ImportFace(ctx context.Context, actor, collection string, f NewFace, photo *Photo,
	denied []string,
) (added bool, err error) {
	err = s.change(ctx, actor, collection, func(t *tx) {
		if len(rows[Face](t, faceByID, collection, f.ID)) > 0 {
			return
		}
		for _, p := range append(denied, f.Person) {
			if isPerson(p) {
				t.person(p)
			}
		}
		if photo != nil {
			t.putPhoto(f.Photo, photo)
		}
		t.putFace(&f)
		for _, p := range denied {
			t.label(f.ID, p, "is_not")
		}
		operation := t.log("add faces", f.Person, undoData{NewFaces: []string{f.ID}})
		t.emit(Event{Event: "faces.added", Person: f.Person, Faces: []string{f.ID}, Operation: operation})
		added = true
	})
	return added, err
}
