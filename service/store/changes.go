package store

import (
	"context"
	"database/sql"
)

// Changes are what is new in a collection since an earlier change.
type Changes struct {
	Collection
	All     bool     // nothing is left out: this is the whole collection
	People  []Person // new ones, and those that changed or got or lost faces
	Samples []Sample // of faces that are new or got another person; unless All, also of those that lost their person
	Removed []string // ids of faces and people
}

// Changes returns what changed in a collection after the change number since, 0 for all, with
// the vectors of one space. It is the state after one change: that with the Seq of the
// Collection.
func (s *Store) Changes(ctx context.Context, collection, space string, since int64) (c Changes, err error) {
	isolation := sql.LevelDefault // in which several queries see one state
	if s.postgres {
		isolation = sql.LevelRepeatableRead
	}
	begun, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: isolation})
	if err != nil {
		return c, err
	}
	defer begun.Rollback() //nolint:errcheck // nothing was written
	t := &tx{sql: begun, ctx: ctx}
	c.Collection = row[Collection](t, "collection", collectionColumns+"WHERE id = $1", collection)
	if since <= c.pruned {
		c.All = true
		c.People = rows[Person](t, `SELECT p.id, p.name, p.kind, p.created, COALESCE(n.n, 0) FROM person p
			LEFT JOIN (SELECT person, count(*) AS n FROM face WHERE collection = $1 GROUP BY person) n ON n.person = p.id WHERE p.collection = $1 ORDER BY p.id`, collection)
		c.Samples = rows[Sample](t, sampleColumns+"AND f.person <> '' ORDER BY f.id", collection, space)
		return c, t.err
	}
	c.People = rows[Person](t, personColumns+"WHERE collection = $1 AND seq > $2 ORDER BY id", collection, since)
	c.Samples = rows[Sample](t, sampleColumns+"AND f.seq > $3 ORDER BY f.id", collection, space, since)
	c.Removed = rows[string](t, "SELECT id FROM gone WHERE collection = $1 AND seq > $2", collection, since)
	return c, t.err
}
