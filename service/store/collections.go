package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"
)

// A Collection is a set of people and faces apart from others.
type Collection struct {
	ID      string
	Name    string
	FPIR    float64 // target share of strangers who are named
	Created time.Time
	Seq     int64  // grows with every change
	Space   string // of the vectors that recognise; "" is the first one
	pruned  int64
}

const collectionColumns = "SELECT id, name, fpir, created, seq, space, pruned FROM collection "

func scanCollection(r *sql.Rows) (c Collection, err error) {
	var created int64
	err = r.Scan(&c.ID, &c.Name, &c.FPIR, &created, &c.Seq, &c.Space, &c.pruned)
	c.Created = timeOf(created)
	return c, err
}

// CreateCollection adds an empty collection. It is a Conflict if another one has the name.
func (s *Store) CreateCollection(ctx context.Context, actor, name string, fpir float64, space string) (Collection, error) {
	c := Collection{ID: NewID(), Name: name, FPIR: fpir, Created: now(), Seq: 1, Space: space}
	return c, s.inTx(ctx, func(tx *sql.Tx) error {
		if err := alone(ctx, tx, c.ID, name); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO collection (id, name, fpir, created, seq, space) VALUES ($1, $2, $3, $4, $5, $6)", c.ID, c.Name, c.FPIR, c.Created.UnixMicro(), c.Seq, c.Space)
		if err != nil {
			return err
		}
		return audit(ctx, tx, actor, "create collection", c.ID)
	})
}

// alone is a Conflict if a collection but the one with this id has the name.
func alone(ctx context.Context, tx *sql.Tx, id, name string) error {
	there, err := list(ctx, tx, scanString, "SELECT id FROM collection WHERE name = $1 AND id <> $2 ORDER BY id LIMIT 1", name, id)
	if err == nil && len(there) > 0 {
		err = &Conflict{Text: "a collection has this name already", ID: there[0]}
	}
	return err
}

// Collections returns up to limit collections whose id is larger than after, by id.
func (s *Store) Collections(ctx context.Context, after string, limit int) ([]Collection, error) {
	return list(ctx, s.read, scanCollection, collectionColumns+"WHERE id > $1 ORDER BY id LIMIT $2", after, limit)
}

// Collection returns the one with this id.
func (s *Store) Collection(ctx context.Context, id string) (Collection, error) {
	return one(ctx, "collection", s.read, scanCollection, collectionColumns+"WHERE id = $1", id)
}

// SetCollection changes the name and the FPIR of a collection. It is a Conflict if another
// one has the name.
func (s *Store) SetCollection(ctx context.Context, actor, id, name string, fpir float64) error {
	return s.change(ctx, actor, id, func(c *change) error {
		if err := alone(ctx, c.Tx, id, name); err != nil {
			return err
		}
		if _, err := c.exec("UPDATE collection SET name = $2, fpir = $3 WHERE id = $1", name, fpir); err != nil {
			return err
		}
		return audit(ctx, c.Tx, actor, "change collection", id)
	})
}

// SetSpace says in which space the vectors are that recognise from now on.
func (s *Store) SetSpace(ctx context.Context, actor, id, space string) error {
	return s.change(ctx, actor, id, func(c *change) error {
		if _, err := c.exec("UPDATE collection SET space = $2 WHERE id = $1", space); err != nil {
			return err
		}
		return audit(ctx, c.Tx, actor, "change model", id)
	})
}

// DeleteCollection removes a collection with all that is in it, also from the files
// of the database. It cannot be undone.
func (s *Store) DeleteCollection(ctx context.Context, actor, id string) error {
	err := s.change(ctx, actor, id, func(c *change) error {
		for _, statement := range []string{"DELETE FROM once WHERE collection = $1", "DELETE FROM collection WHERE id = $1"} {
			if _, err := c.exec(statement); err != nil {
				return err
			}
		}
		return audit(ctx, c.Tx, actor, "delete collection", id)
	})
	if err != nil {
		return err
	}
	return s.scrub(ctx)
}

// scrub removes what was deleted from the files of the database: SQLite overwrites
// it with zeros, in the write-ahead log too once that is emptied; PostgreSQL gives
// pages back for reuse.
func (s *Store) scrub(ctx context.Context) error {
	if s.postgres {
		_, err := s.write.ExecContext(ctx, "VACUUM face, vector, label, person, operation, job, file, once")
		return err
	}
	if err := s.shrink(ctx); err != nil {
		return err
	}
	_, err := s.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// shrink gives the pages of SQLite that are free back to the file system, some at a time, so
// that nobody waits long for the connection that writes.
func (s *Store) shrink(ctx context.Context) error {
	const enough, together = 1 << 10, 1 << 11 // pages that may stay, and that are given back at once
	for last := math.MaxInt; ; {
		var free int
		if err := s.read.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free); err != nil || free <= enough || free >= last {
			return err
		}
		last = free
		if _, err := s.write.ExecContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", together)); err != nil {
			return err
		}
	}
}
