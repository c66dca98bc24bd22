package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"
)

// A Photo is what is kept of a photograph.
type Photo struct {
	SHA256        string
	Width, Height int
}

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
	Photo   string // id; "" for a face without one
	Person  string // id; "" for nobody yet
	Source  string
	Box     json.RawMessage // these are the caller's; null if not known
	Pupils  json.RawMessage
	Quality json.RawMessage
	Created time.Time
}

// A NewFace is a face to be added.
type NewFace struct {
	Face
	Crop   []byte // image file of the aligned crop; may be empty
	Space  string // how Vector was made
	Vector []float32
}

const faceColumns = "SELECT id, photo, person, source, box, pupils, quality, created FROM face "

func scanFace(r *sql.Rows) (f Face, err error) {
	var created int64
	var box, pupils, quality string
	err = r.Scan(&f.ID, &f.Photo, &f.Person, &f.Source, &box, &pupils, &quality, &created)
	f.Box, f.Pupils, f.Quality, f.Created = json.RawMessage(box), json.RawMessage(pupils), json.RawMessage(quality), timeOf(created)
	return f, err
}

// AddFaces adds the faces of one photograph, nil for faces without one, to a person, ""
// for nobody, Stranger for people who are not in the collection. It fills in what the Store decides on in faces, and returns the operation.
func (s *Store) AddFaces(ctx context.Context, actor, collection string, photo *Photo, person string, faces []NewFace) (op string, err error) {
	err = s.change(ctx, actor, collection, func(c *change) error {
		if person != "" && person != Stranger {
			if _, err := one(ctx, "person", c, scanString, "SELECT id FROM person WHERE collection = $1 AND id = $2", collection, person); err != nil {
				return err
			}
		}
		id := ""
		if photo != nil {
			id = NewID()
			if _, err := c.exec("INSERT INTO photo (collection, id, sha256, width, height, created) VALUES ($1, $2, $3, $4, $5, $6)",
				id, photo.SHA256, photo.Width, photo.Height, c.at.UnixMicro()); err != nil {
				return err
			}
		}
		var b before
		for i := range faces {
			f := &faces[i]
			f.ID, f.Photo, f.Person, f.Created = NewID(), id, person, c.at
			if err := c.addFace(f); err != nil {
				return err
			}
			b.NewFaces = append(b.NewFaces, f.ID)
		}
		op, err = c.log("add faces", person, b)
		return errors.Join(err, c.emit(Event{Event: "faces.added", Person: person, Faces: b.NewFaces, Operation: op}))
	})
	return op, err
}

func (c *change) addFace(f *NewFace) error {
	if _, err := c.exec("INSERT INTO face (collection, id, photo, person, source, box, pupils, quality, crop, created, seq) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
		f.ID, f.Photo, f.Person, f.Source, text(f.Box), text(f.Pupils), text(f.Quality), append([]byte{}, f.Crop...), f.Created.UnixMicro(), c.seq); err != nil {
		return err
	}
	if _, err := c.exec("INSERT INTO vector (collection, face, space, f32) VALUES ($1, $2, $3, $4)", f.ID, f.Space, bytesOf(f.Vector)); err != nil {
		return err
	}
	if f.Person == "" || f.Person == Stranger {
		return nil
	}
	if err := c.label(f.ID, f.Person, "is"); err != nil {
		return err
	}
	return c.touch(f.Person)
}

// text is v as it is stored.
func text(v json.RawMessage) string {
	if v == nil {
		return "null"
	}
	return string(v)
}

// DeleteFaces removes faces, their crops, vectors and labels. It cannot be undone. It is a
// Conflict as that of MoveFaces.
func (s *Store) DeleteFaces(ctx context.Context, actor, collection string, of *string, ids []string) error {
	err := s.change(ctx, actor, collection, func(c *change) error {
		if of != nil {
			if err := c.expect(of, ids, *of); err != nil {
				return err
			}
		}
		for _, id := range ids {
			if _, _, err := c.deleteFace(id); err != nil {
				return err
			}
			if _, err := c.forget(id); err != nil {
				return err
			}
			if err := audit(ctx, c.Tx, actor, "delete face", id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.scrub(ctx)
}

// DeleteStrangers removes the faces of strangers, and returns how many there were. It cannot
// be undone.
func (s *Store) DeleteStrangers(ctx context.Context, actor, collection string) (int, error) {
	if _, err := s.Collection(ctx, collection); err != nil {
		return 0, err
	}
	ids, err := list(ctx, s.read, scanString, "SELECT id FROM face WHERE collection = $1 AND person = $2 ORDER BY id", collection, Stranger)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return len(ids), s.DeleteFaces(ctx, actor, collection, nil, ids)
}

// deleteFace removes a face, and its photograph if it was the last of it. It returns the
// number of labels, and the photograph if that is gone.
func (c *change) deleteFace(id string) (labels int64, gone string, err error) {
	f, err := one(c.ctx, "face", c, scanFace, faceColumns+"WHERE collection = $1 AND id = $2", c.collection, id)
	if err != nil {
		return 0, "", err
	}
	photo := f.Photo
	if err := errors.Join(c.touch(f.Person), c.gone(id)); err != nil {
		return 0, "", err
	}
	if labels, err = c.exec("DELETE FROM label WHERE collection = $1 AND face = $2", id); err != nil {
		return 0, "", err
	}
	if _, err = c.exec("DELETE FROM face WHERE collection = $1 AND id = $2", id); err != nil {
		return 0, "", err
	}
	n, err := c.exec("DELETE FROM photo WHERE collection = $1 AND id = $2 AND NOT EXISTS (SELECT 1 FROM face WHERE collection = $1 AND photo = $2)", photo)
	if n > 0 {
		gone = photo
	}
	return labels, gone, err
}

// Faces returns up to limit faces of a collection whose id is larger than after, by id:
// those of a person, "" for nobody; of all if person is nil.
func (s *Store) Faces(ctx context.Context, collection string, person *string, after string, limit int) ([]Face, error) {
	if person != nil {
		return list(ctx, s.read, scanFace, faceColumns+"WHERE collection = $1 AND person = $2 AND id > $3 ORDER BY id LIMIT $4", collection, *person, after, limit)
	}
	return list(ctx, s.read, scanFace, faceColumns+"WHERE collection = $1 AND id > $2 ORDER BY id LIMIT $3", collection, after, limit)
}

// Face returns the one with this id.
func (s *Store) Face(ctx context.Context, collection, id string) (Face, error) {
	return one(ctx, "face", s.read, scanFace, faceColumns+"WHERE collection = $1 AND id = $2", collection, id)
}

// Crop returns the image file of the crop of a face; empty if there is none.
func (s *Store) Crop(ctx context.Context, collection, id string) ([]byte, error) {
	return one(ctx, "face", s.read, func(r *sql.Rows) (b []byte, err error) { return b, r.Scan(&b) },
		"SELECT crop FROM face WHERE collection = $1 AND id = $2", collection, id)
}

// Photo returns what is kept of a photograph.
func (s *Store) Photo(ctx context.Context, collection, id string) (Photo, error) {
	return one(ctx, "photograph", s.read, func(r *sql.Rows) (p Photo, err error) {
		return p, r.Scan(&p.SHA256, &p.Width, &p.Height)
	}, "SELECT sha256, width, height FROM photo WHERE collection = $1 AND id = $2", collection, id)
}

// CountFaces returns the number of faces in a collection.
func (s *Store) CountFaces(ctx context.Context, collection string) (int, error) {
	return one(ctx, "face", s.read, func(r *sql.Rows) (n int, err error) { return n, r.Scan(&n) }, "SELECT count(*) FROM face WHERE collection = $1", collection)
}
