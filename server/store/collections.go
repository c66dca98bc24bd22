package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"time"
)

// A Collection is a set of people and faces. Collections share nothing.
type Collection struct {
	ID        string
	Name      string
	FPIR      float64 // target share of strangers who are named
	Created   time.Time
	Seq       int64  // grows with every change
	Space     string // names the network whose vectors recognise; "": the one that is built in
	prunedSeq int64  // Seq up to which removals are no longer known

	VisitorDays int // for which faces that are not recognised are kept; 0: they are not
}

func (c *Collection) columns() []any {
	return []any{&c.ID, &c.Name, &c.FPIR, (*micros)(&c.Created), &c.Seq, &c.Space, &c.prunedSeq, &c.VisitorDays}
}

const collectionColumns = "SELECT id, name, fpir, created, seq, space, pruned, visitor_days FROM collection "

// CreateCollection adds an empty collection. It returns a *Conflict if another one has the name.
func (s *Store) CreateCollection(ctx context.Context, actor, name string, fpir float64, space string) (Collection, error) {
	c := Collection{ID: NewID(), Name: name, FPIR: fpir, Created: now(), Seq: 1, Space: space}
	return c, s.inTx(ctx, actor, func(t *tx) {
		t.checkUnique(c.ID, name)
		t.exec("INSERT INTO collection (id, name, fpir, created, seq, space) VALUES ($1, $2, $3, $4, $5, $6)",
			c.ID, c.Name, c.FPIR, c.Created.UnixMicro(), c.Seq, c.Space)
		t.audit("create collection", c.ID)
	})
}

// checkUnique fails with a Conflict if a collection with another id has the name.
func (t *tx) checkUnique(id, name string) {
	if others := rows[string](t, "SELECT id FROM collection WHERE name = $1 AND id <> $2 ORDER BY id LIMIT 1", name, id); len(others) > 0 {
		t.fail(&Conflict{Code: "name_taken", Text: "a collection has this name already", ID: others[0]})
	}
}

// Collections returns up to limit collections by id: those whose id is larger than after.
func (s *Store) Collections(ctx context.Context, after string, limit int) ([]Collection, error) {
	return list[Collection](ctx, s.read, collectionColumns+"WHERE id > $1 ORDER BY id LIMIT $2", after, limit)
}

// Collection returns the collection with this id.
func (s *Store) Collection(ctx context.Context, id string) (Collection, error) {
	return one[Collection](ctx, "collection", s.read, collectionColumns+"WHERE id = $1", id)
}

// SetCollection changes the name, the FPIR and the VisitorDays of the collection c.ID to those of c. It returns a
// *Conflict if another one has the name.
func (s *Store) SetCollection(ctx context.Context, actor string, c Collection) error {
	return s.change(ctx, actor, c.ID, func(t *tx) {
		t.checkUnique(c.ID, c.Name)
		if t.exec("UPDATE collection SET visitor_days = $2 WHERE id = $1 AND visitor_days <> $2", c.ID, c.VisitorDays) > 0 {
			t.audit(fmt.Sprintf("keep visitors for %d days", c.VisitorDays), c.ID)
		}
		t.exec("UPDATE collection SET name = $2, fpir = $3 WHERE id = $1", c.ID, c.Name, c.FPIR)
		t.audit("change collection", c.ID)
	})
}

// SetSpace sets the space of the vectors with which a collection recognises faces.
func (s *Store) SetSpace(ctx context.Context, actor, id, space string) error {
	return s.change(ctx, actor, id, func(t *tx) {
		t.exec("UPDATE collection SET space = $2 WHERE id = $1", id, space)
		t.audit("change model", id)
	})
}

// DeleteCollection removes a collection with everything in it, also from the files of the
// database. It cannot be undone.
func (s *Store) DeleteCollection(ctx context.Context, actor, id string) error {
	err := s.change(ctx, actor, id, func(t *tx) {
		t.exec("DELETE FROM once WHERE collection = $1", id)
		t.exec("DELETE FROM collection WHERE id = $1", id)
		t.audit("delete collection", id)
	})
	if err != nil {
		return err
	}
	return s.scrub(ctx)
}

// scrub removes deleted data from the files of the database. SQLite overwrites them with
// zeros, in the write-ahead log when that is emptied. PostgreSQL makes their pages free.
func (s *database) scrub(ctx context.Context) error {
	if s.postgres {
		_, err := s.write.ExecContext(ctx, "VACUUM face, vector, visit, photo, label, person, sighting, operation, job, file, once")
		return err
	}
	if err := s.shrink(ctx); err != nil {
		return err
	}
	_, err := s.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// shrink gives free pages of SQLite back to the file system, a part at a time, so that other
// writers do not wait long.
func (s *database) shrink(ctx context.Context) error {
	const enough, together = 1 << 10, 1 << 11 // pages that may stay free, and pages of a part
	for last := math.MaxInt; ; {
		free, err := one[int](ctx, "page", s.read, "PRAGMA freelist_count")
		if err != nil || free <= enough || free >= last {
			return err
		}
		last = free
		if _, err := s.write.ExecContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", together)); err != nil {
			return err
		}
	}
}

// Changes has what changed in a collection after an earlier change.
type Changes struct {
	Collection
	All      bool     // nothing is left out: this is the whole collection
	People   []Person // new ones, and those that changed or got or lost faces
	Samples  []Sample // of new faces, and of faces whose person changed; if All is set, only of faces with a person
	Removals []string // ids of faces and people
}

// Changes returns what changed in a collection after the change number since, with the vectors
// of one space. If since is 0, it returns the whole collection. All parts of the result are of
// one moment, after the change number Changes.Seq.
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
	if since <= c.prunedSeq {
		c.All = true
		c.People = rows[Person](t, `SELECT p.id, p.name, p.kind, p.created, COALESCE(n.n, 0), p.born, p.differs, p.portrait FROM person p
			LEFT JOIN (SELECT person, count(*) AS n FROM face WHERE collection = $1 GROUP BY person) n ON n.person = p.id WHERE p.collection = $1 ORDER BY p.id`, collection)
		c.Samples = rows[Sample](t, sampleColumns+"AND f.person <> '' ORDER BY f.id", collection, space)
		return c, t.err
	}
	c.People = rows[Person](t, personColumns+"WHERE collection = $1 AND seq > $2 ORDER BY id", collection, since)
	c.Samples = rows[Sample](t, sampleColumns+"AND f.seq > $3 ORDER BY f.id", collection, space, since)
	c.Removals = rows[string](t, "SELECT id FROM gone WHERE collection = $1 AND seq > $2", collection, since)
	return c, t.err
}

// Removed reports whether a face or person for whose id has returns true was removed from the collection after
// the change number since; also true where that is no longer known.
func (s *Store) Removed(ctx context.Context, collection string, since int64, has func(id string) bool) (bool, error) {
	ids, err := list[string](ctx, s.read, `SELECT id FROM gone WHERE collection = $1 AND seq > $2
		UNION ALL SELECT '' FROM collection WHERE id = $1 AND pruned >= $2`, collection, since)
	return slices.ContainsFunc(ids, func(id string) bool { return id == "" || has(id) }), err
}

// Counts say how much there is in a database.
type Counts struct {
	Jobs     map[string]int // by state, without messages
	Messages int            // that wait or are being sent

	People                          int
	Labelled, Unlabelled, Strangers int   // faces of people, of nobody yet, and of strangers
	Bytes                           int64 // on disk
	Free                            int64 // bytes on the disk of the database; -1: not known
}

// Count counts what is there in all collections. It reads an index of all faces: 10⁶ take some
// tenths of a second.
func (s *Store) Count(ctx context.Context) (c Counts, err error) {
	c.Jobs = map[string]int{"waiting": 0, "running": 0, "done": 0, "failed": 0, "cancelled": 0}
	for state := range c.Jobs {
		if c.Jobs[state], err = one[int](ctx, "row", s.read, "SELECT count(*) FROM job WHERE kind <> '"+KindMessage+"' AND state = $1",
			state); err != nil {
			return c, err
		}
	}
	size := "SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)"
	if s.postgres {
		size = "SELECT pg_database_size(current_database())"
	}
	if c.Bytes, err = one[int64](ctx, "row", s.read, size); err != nil {
		return c, err
	}
	if free, ok := s.free(); ok {
		c.Free = free
	} else {
		c.Free = -1
	}
	faces := 0
	for _, q := range []struct {
		n     *int
		query string
	}{
		{&c.Messages, "SELECT count(*) FROM job WHERE kind = '" + KindMessage + "' AND state IN ('waiting', 'running')"},
		{&c.People, "SELECT count(*) FROM person"},
		{&faces, "SELECT count(*) FROM face"},
		{&c.Unlabelled, "SELECT count(*) FROM face WHERE person = ''"},
		{&c.Strangers, "SELECT count(*) FROM face WHERE person = '" + Stranger + "'"},
	} {
		if *q.n, err = one[int](ctx, "row", s.read, q.query); err != nil {
			return c, err
		}
	}
	c.Labelled = faces - c.Unlabelled - c.Strangers
	return c, nil
}
