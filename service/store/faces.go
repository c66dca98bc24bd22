package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
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
// for nobody. It fills in what the Store decides on in faces, and returns the operation.
func (s *Store) AddFaces(ctx context.Context, actor, collection string, photo *Photo, person string, faces []NewFace) (op string, err error) {
	err = s.change(ctx, actor, collection, func(c *change) error {
		if person != "" {
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
		return err
	})
	return op, err
}

func (c *change) addFace(f *NewFace) error {
	if _, err := c.exec("INSERT INTO face (collection, id, photo, person, source, box, pupils, quality, crop, created) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
		f.ID, f.Photo, f.Person, f.Source, text(f.Box), text(f.Pupils), text(f.Quality), append([]byte{}, f.Crop...), f.Created.UnixMicro()); err != nil {
		return err
	}
	if _, err := c.exec("INSERT INTO vector (collection, face, space, f32) VALUES ($1, $2, $3, $4)", f.ID, f.Space, bytesOf(f.Vector)); err != nil {
		return err
	}
	if f.Person == "" {
		return nil
	}
	return c.label(f.ID, f.Person, "is")
}

// text is v as it is stored.
func text(v json.RawMessage) string {
	if v == nil {
		return "null"
	}
	return string(v)
}

func bytesOf(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func vectorOf(b []byte) ([]float32, error) {
	if len(b)%4 != 0 {
		return nil, fmt.Errorf("a vector of %d bytes", len(b))
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v, nil
}

// label adds what the actor says of a face.
func (c *change) label(face, person, kind string) error {
	_, err := c.exec("INSERT INTO label (collection, face, seq, person, kind, actor, at) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (collection, face, seq, person) DO NOTHING",
		face, c.seq, person, kind, c.actor, c.at.UnixMicro())
	return err
}

// assign makes faces those of a person, "" for nobody, and returns whose they were.
func (c *change) assign(faces []string, to string) ([]assignment, error) {
	var all []assignment
	for _, f := range faces {
		was, err := one(c.ctx, "face", c, scanString, "SELECT person FROM face WHERE collection = $1 AND id = $2", c.collection, f)
		if err != nil {
			return nil, err
		}
		if was == to {
			continue
		}
		if _, err := c.exec("UPDATE face SET person = $3 WHERE collection = $1 AND id = $2", f, to); err != nil {
			return nil, err
		}
		if err := c.label(f, to, "is"); err != nil {
			return nil, err
		}
		all = append(all, assignment{f, was, to})
	}
	return all, nil
}

// MoveFaces makes faces those of a person, "" for nobody, and returns the operation.
func (s *Store) MoveFaces(ctx context.Context, actor, collection string, faces []string, to string) (op string, err error) {
	err = s.change(ctx, actor, collection, func(c *change) error {
		if to != "" {
			if _, err := person(ctx, c, collection, to); err != nil {
				return err
			}
		}
		moved, err := c.assign(faces, to)
		if err != nil {
			return err
		}
		op, err = c.log("move faces", to, before{Faces: moved})
		return err
	})
	return op, err
}

// DenyFaces says that faces are not those of a person. Those that were become nobody's.
// It returns the operation.
func (s *Store) DenyFaces(ctx context.Context, actor, collection string, faces []string, id string) (op string, err error) {
	err = s.change(ctx, actor, collection, func(c *change) error {
		if _, err := person(ctx, c, collection, id); err != nil {
			return err
		}
		b := before{Denied: id}
		for _, f := range faces {
			was, err := one(ctx, "face", c, scanString, "SELECT person FROM face WHERE collection = $1 AND id = $2", collection, f)
			if err != nil {
				return err
			}
			if was == id {
				moved, err := c.assign([]string{f}, "")
				if err != nil {
					return err
				}
				b.Faces = append(b.Faces, moved...)
			}
			if err := c.label(f, id, "is_not"); err != nil {
				return err
			}
			b.DeniedFaces = append(b.DeniedFaces, f)
		}
		op, err = c.log("deny faces", id, b)
		return err
	})
	return op, err
}

// Denied returns who the faces of a collection are not, as people said and have not
// taken back: the ids of people by face.
func (s *Store) Denied(ctx context.Context, collection string) (map[string][]string, error) {
	type pair struct{ face, person string }
	pairs, err := list(ctx, s.read, func(r *sql.Rows) (p pair, err error) { return p, r.Scan(&p.face, &p.person) },
		`SELECT face, person FROM label l WHERE collection = $1 AND kind = 'is_not' AND NOT EXISTS (
			SELECT 1 FROM label m WHERE m.collection = l.collection AND m.face = l.face AND m.person = l.person AND m.seq > l.seq AND m.kind <> 'is_not')
		ORDER BY face, person`, collection)
	denied := map[string][]string{}
	for _, p := range pairs {
		denied[p.face] = append(denied[p.face], p.person)
	}
	return denied, err
}

// NameFaces makes faces those of a new person, and returns the person and the operation.
func (s *Store) NameFaces(ctx context.Context, actor, collection string, faces []string, name, kind string) (id, op string, err error) {
	p := Person{ID: NewID(), Name: name, Kind: kind, Created: now()}
	err = s.change(ctx, actor, collection, func(c *change) error {
		if err := c.putPerson(p); err != nil {
			return err
		}
		moved, err := c.assign(faces, p.ID)
		if err != nil {
			return err
		}
		op, err = c.log("name faces", p.ID, before{Faces: moved, NewPeople: []string{p.ID}})
		return err
	})
	return p.ID, op, err
}

// DeleteFaces removes faces, their crops, vectors and labels. It cannot be undone.
func (s *Store) DeleteFaces(ctx context.Context, actor, collection string, ids []string) error {
	err := s.change(ctx, actor, collection, func(c *change) error {
		for _, id := range ids {
			if _, _, err := c.deleteFace(id); err != nil {
				return err
			}
			if _, err := c.exec("DELETE FROM operation WHERE collection = $1 AND before LIKE $2", "%"+id+"%"); err != nil {
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

// deleteFace removes a face, and its photograph if it was the last of it. It returns the
// number of labels, and the photograph if that is gone.
func (c *change) deleteFace(id string) (labels int64, gone string, err error) {
	photo, err := one(c.ctx, "face", c, scanString, "SELECT photo FROM face WHERE collection = $1 AND id = $2", c.collection, id)
	if err != nil {
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

// A Sample is the vector of a face.
type Sample struct {
	Face, Person, Photo string
	Quality             json.RawMessage
	Vector              []float32
}

// Samples returns the vectors of one space of all faces in a collection, by id, and the
// people, as of one change, whose Seq the Collection has. Faces of nobody are left out
// unless unlabelled.
func (s *Store) Samples(ctx context.Context, collection, space string, unlabelled bool) (c Collection, people []Person, samples []Sample, err error) {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: s.repeatable()})
	if err != nil {
		return c, nil, nil, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	if c, err = one(ctx, "collection", tx, scanCollection, collectionColumns+"WHERE id = $1", collection); err != nil {
		return c, nil, nil, err
	}
	if people, err = list(ctx, tx, scanPerson, personColumns+"WHERE collection = $1 ORDER BY id", collection); err != nil {
		return c, nil, nil, err
	}
	which := "AND f.person <> '' "
	if unlabelled {
		which = ""
	}
	samples, err = list(ctx, tx, func(r *sql.Rows) (o Sample, err error) {
		var quality string
		var b []byte
		if err := r.Scan(&o.Face, &o.Person, &o.Photo, &quality, &b); err != nil {
			return o, err
		}
		o.Quality = json.RawMessage(quality)
		o.Vector, err = vectorOf(b)
		return o, err
	}, "SELECT f.id, f.person, f.photo, f.quality, v.f32 FROM face f JOIN vector v ON v.collection = f.collection AND v.face = f.id WHERE f.collection = $1 AND v.space = $2 "+which+"ORDER BY f.id", collection, space)
	return c, people, samples, err
}

// repeatable is the isolation in which several queries see one state.
func (s *Store) repeatable() sql.IsolationLevel {
	if s.postgres {
		return sql.LevelRepeatableRead
	}
	return sql.LevelDefault
}

// A Guess is what the machine says of a face.
type Guess struct {
	Face, Person string
	Probability  *float64 // nil: not known
	Evidence     float64
}

// PutGuesses replaces the guesses of a collection.
func (s *Store) PutGuesses(ctx context.Context, collection string, guesses []Guess) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM guess WHERE collection = $1", collection); err != nil {
			return err
		}
		for _, g := range guesses {
			if _, err := tx.ExecContext(ctx, "INSERT INTO guess (collection, face, person, probability, evidence, at) VALUES ($1, $2, $3, $4, $5, $6)",
				collection, g.Face, g.Person, g.Probability, g.Evidence, now().UnixMicro()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Guesses returns the guesses of a collection, the most likely first.
func (s *Store) Guesses(ctx context.Context, collection string) ([]Guess, error) {
	return list(ctx, s.read, func(r *sql.Rows) (g Guess, err error) {
		return g, r.Scan(&g.Face, &g.Person, &g.Probability, &g.Evidence)
	},
		"SELECT face, person, probability, evidence FROM guess WHERE collection = $1 ORDER BY evidence DESC, face", collection)
}
