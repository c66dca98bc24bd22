package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

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
	Samples []Sample // of faces that are new, or of another person, also of nobody unless All; and of strangers
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
