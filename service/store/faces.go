package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
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
	if f.Person == "" {
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
			if err := c.label(f, to, "is"); err != nil { // said again
				return nil, err
			}
			continue
		}
		if _, err := c.exec("UPDATE face SET person = $3, seq = $4 WHERE collection = $1 AND id = $2", f, to, c.seq); err != nil {
			return nil, err
		}
		if err := c.label(f, to, "is"); err != nil {
			return nil, err
		}
		if err := c.touch(was, to); err != nil {
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
		return errors.Join(err, c.emit(Event{Event: "person.changed", Person: p.ID, Faces: faces, Operation: op}))
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

// A Sample is the vector of a face.
type Sample struct {
	Face, Person, Photo string
	Quality             json.RawMessage
	Vector              []float32
}

// scanSample reads columnsOfSamples.
func scanSample(r *sql.Rows) (o Sample, err error) {
	var quality string
	var b []byte
	if err := r.Scan(&o.Face, &o.Person, &o.Photo, &quality, &b); err != nil {
		return o, err
	}
	o.Quality = json.RawMessage(quality)
	o.Vector, err = vectorOf(b)
	return o, err
}

const columnsOfSamples = "SELECT f.id, f.person, f.photo, f.quality, v.f32 FROM face f JOIN vector v ON v.collection = f.collection AND v.face = f.id WHERE f.collection = $1 AND v.space = $2 "

// Samples returns the vectors of one space of the faces of a person, "" for nobody, by id,
// at most limit of those whose id is larger than after.
func (s *Store) Samples(ctx context.Context, collection, space, person, after string, limit int) ([]Sample, error) {
	return list(ctx, s.read, scanSample, columnsOfSamples+"AND f.person = $3 AND f.id > $4 ORDER BY f.id LIMIT $5", collection, space, person, after, limit)
}

// Changes are what is new in a collection after a change.
type Changes struct {
	Collection
	All     bool     // nothing is left out: it is all that the collection has
	People  []Person // new ones, and those who or whose faces changed
	Samples []Sample // of faces that are new, or of another person, also of nobody unless All
	Gone    []string // faces and people that were removed
}

// Changes returns what changed in a collection after since, 0 for all, with the vectors
// of one space, as of one change, whose Seq the Collection has.
func (s *Store) Changes(ctx context.Context, collection, space string, since int64) (c Changes, err error) {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: s.repeatable()})
	if err != nil {
		return c, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	if c.Collection, err = one(ctx, "collection", tx, scanCollection, collectionColumns+"WHERE id = $1", collection); err != nil {
		return c, err
	}
	if since <= c.pruned {
		c.All = true
		if c.People, err = list(ctx, tx, scanPerson, `SELECT p.id, p.name, p.kind, p.created, COALESCE(n.n, 0) FROM person p
			LEFT JOIN (SELECT person, count(*) AS n FROM face WHERE collection = $1 GROUP BY person) n ON n.person = p.id WHERE p.collection = $1 ORDER BY p.id`, collection); err == nil {
			c.Samples, err = list(ctx, tx, scanSample, columnsOfSamples+"AND f.person <> '' ORDER BY f.id", collection, space)
		}
		return c, err
	}
	if c.People, err = list(ctx, tx, scanPerson, personColumns+"WHERE collection = $1 AND seq > $2 ORDER BY id", collection, since); err != nil {
		return c, err
	}
	if c.Samples, err = list(ctx, tx, scanSample, columnsOfSamples+"AND f.seq > $3 ORDER BY f.id", collection, space, since); err != nil {
		return c, err
	}
	c.Gone, err = list(ctx, tx, scanString, "SELECT id FROM gone WHERE collection = $1 AND seq > $2", collection, since)
	return c, err
}

// repeatable is the isolation in which several queries see one state.
func (s *Store) repeatable() sql.IsolationLevel {
	if s.postgres {
		return sql.LevelRepeatableRead
	}
	return sql.LevelDefault
}

// PutVector adds a vector of another space to a face.
func (s *Store) PutVector(ctx context.Context, collection, face, space string, vector []float32) error {
	return s.change(ctx, "", collection, func(c *change) error {
		if err := c.must("face", "UPDATE face SET seq = $3 WHERE collection = $1 AND id = $2", face, c.seq); err != nil {
			return err
		}
		_, err := c.exec("INSERT INTO vector (collection, face, space, f32) VALUES ($1, $2, $3, $4) ON CONFLICT (collection, face, space) DO NOTHING", face, space, bytesOf(vector))
		return err
	})
}

// Lacking returns up to limit faces of a collection with a crop but without a vector of a
// space, whose id is larger than after, by id.
func (s *Store) Lacking(ctx context.Context, collection, space, after string, limit int) ([]string, error) {
	return list(ctx, s.read, scanString, `SELECT id FROM face f WHERE collection = $1 AND id > $3 AND source <> 'vector'
		AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.collection = f.collection AND v.face = f.id AND v.space = $2) ORDER BY id LIMIT $4`, collection, space, after, limit)
}

// PutGroups replaces the groups of faces of a collection.
func (s *Store) PutGroups(ctx context.Context, collection string, groups [][]string) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM guess WHERE collection = $1", collection); err != nil {
			return err
		}
		for n, group := range groups {
			for _, face := range group {
				if _, err := tx.ExecContext(ctx, "INSERT INTO guess (collection, face, number) SELECT collection, id, $3 FROM face WHERE collection = $1 AND id = $2", collection, face, n); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Groups returns the groups that PutGroups has put, without the faces that are of
// somebody meanwhile, in the same order.
func (s *Store) Groups(ctx context.Context, collection string) (groups [][]string, err error) {
	last := -1
	_, err = list(ctx, s.read, func(r *sql.Rows) (none struct{}, err error) {
		var face string
		var n int
		if err := r.Scan(&face, &n); err != nil {
			return none, err
		}
		if n != last {
			groups, last = append(groups, nil), n
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], face)
		return none, nil
	}, "SELECT g.face, g.number FROM guess g JOIN face f ON f.collection = g.collection AND f.id = g.face WHERE g.collection = $1 AND f.person = '' ORDER BY g.number, g.face", collection)
	return groups, err
}

// Confirmed returns the faces that were said to be of the same person twice.
func (s *Store) Confirmed(ctx context.Context, collection string) (map[string]bool, error) {
	all, err := list(ctx, s.read, scanString, `SELECT f.id FROM label l JOIN face f ON f.collection = l.collection AND f.id = l.face AND f.person = l.person
		WHERE l.collection = $1 AND l.kind = 'is' AND f.person <> '' GROUP BY f.id HAVING count(*) > 1`, collection)
	confirmed := map[string]bool{}
	for _, f := range all {
		confirmed[f] = true
	}
	return confirmed, err
}

// Doubles returns the faces of one photograph that are of one person, where there are
// several.
func (s *Store) Doubles(ctx context.Context, collection string) (all [][]string, err error) {
	last := ""
	_, err = list(ctx, s.read, func(r *sql.Rows) (none struct{}, err error) {
		var face, photo, person string
		if err := r.Scan(&face, &photo, &person); err != nil {
			return none, err
		}
		if key := photo + "/" + person; key != last {
			all, last = append(all, nil), key
		}
		all[len(all)-1] = append(all[len(all)-1], face)
		return none, nil
	}, `SELECT f.id, f.photo, f.person FROM face f JOIN (SELECT photo, person FROM face WHERE collection = $1 AND photo <> '' AND person <> '' GROUP BY photo, person HAVING count(*) > 1) d
		ON d.photo = f.photo AND d.person = f.person WHERE f.collection = $1 ORDER BY f.photo, f.person, f.id`, collection)
	return all, err
}

// HasPhoto reports whether a photograph with this SHA-256 was added.
func (s *Store) HasPhoto(ctx context.Context, collection, sha256 string) (bool, error) {
	n, err := one(ctx, "photo", s.read, func(r *sql.Rows) (n int, err error) { return n, r.Scan(&n) }, "SELECT count(*) FROM photo WHERE collection = $1 AND sha256 = $2", collection, sha256)
	return n > 0, err
}

// PersonNamed returns the id of the first person of this name, "" if there is none.
func (s *Store) PersonNamed(ctx context.Context, collection, name string) (string, error) {
	all, err := list(ctx, s.read, scanString, "SELECT id FROM person WHERE collection = $1 AND name = $2 ORDER BY id LIMIT 1", collection, name)
	if err != nil || len(all) == 0 {
		return "", err
	}
	return all[0], nil
}

// ImportPerson adds a person as it is in an export, with its id, unless it is there. It
// reports whether it was added.
func (s *Store) ImportPerson(ctx context.Context, actor, collection string, p Person) (added bool, err error) {
	err = s.change(ctx, actor, collection, func(c *change) error {
		switch _, err := person(ctx, c, collection, p.ID); {
		case err == nil:
			return nil
		case !errors.Is(err, ErrNotFound):
			return err
		}
		if err := c.putPerson(p); err != nil {
			return err
		}
		added = true
		_, err := c.log("create person", p.ID, before{NewPeople: []string{p.ID}})
		return errors.Join(err, c.emit(Event{Event: "person.changed", Person: p.ID}))
	})
	return added, err
}

// ImportFace adds a face as it is in an export, with its id, and who it is not, unless
// it is there. Its photograph comes with it unless photo is nil. It reports whether it
// was added.
func (s *Store) ImportFace(ctx context.Context, actor, collection string, f NewFace, photo *Photo, denied []string) (added bool, err error) {
	err = s.change(ctx, actor, collection, func(c *change) error {
		if _, err := one(ctx, "face", c, scanString, "SELECT id FROM face WHERE collection = $1 AND id = $2", collection, f.ID); !errors.Is(err, ErrNotFound) {
			return err
		}
		for _, p := range append(denied, f.Person) {
			if p == "" {
				continue
			}
			if _, err := person(ctx, c, collection, p); err != nil {
				return err
			}
		}
		if photo != nil {
			if _, err := c.exec("INSERT INTO photo (collection, id, sha256, width, height, created) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (collection, id) DO NOTHING",
				f.Photo, photo.SHA256, photo.Width, photo.Height, c.at.UnixMicro()); err != nil {
				return err
			}
		}
		if err := c.addFace(&f); err != nil {
			return err
		}
		for _, p := range denied {
			if err := c.label(f.ID, p, "is_not"); err != nil {
				return err
			}
		}
		added = true
		op, err := c.log("add faces", f.Person, before{NewFaces: []string{f.ID}})
		return errors.Join(err, c.emit(Event{Event: "faces.added", Person: f.Person, Faces: []string{f.ID}, Operation: op}))
	})
	return added, err
}

// Photo returns what is kept of a photograph.
func (s *Store) Photo(ctx context.Context, collection, id string) (Photo, error) {
	return one(ctx, "photograph", s.read, func(r *sql.Rows) (p Photo, err error) {
		return p, r.Scan(&p.SHA256, &p.Width, &p.Height)
	}, "SELECT sha256, width, height FROM photo WHERE collection = $1 AND id = $2", collection, id)
}

// Vector returns the vector of a face in a space; nil if there is none.
func (s *Store) Vector(ctx context.Context, collection, face, space string) ([]float32, error) {
	all, err := list(ctx, s.read, func(r *sql.Rows) (v []float32, err error) {
		var b []byte
		if err := r.Scan(&b); err != nil {
			return nil, err
		}
		return vectorOf(b)
	}, "SELECT f32 FROM vector WHERE collection = $1 AND face = $2 AND space = $3", collection, face, space)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return all[0], nil
}

// CountFaces returns the number of faces in a collection.
func (s *Store) CountFaces(ctx context.Context, collection string) (int, error) {
	return one(ctx, "face", s.read, func(r *sql.Rows) (n int, err error) { return n, r.Scan(&n) }, "SELECT count(*) FROM face WHERE collection = $1", collection)
}
