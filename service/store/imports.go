package store

import (
	"context"
	"database/sql"
	"errors"

	"golang.org/x/text/unicode/norm"
)

// HasPhoto reports whether a photograph with this SHA-256 was added.
func (s *Store) HasPhoto(ctx context.Context, collection, sha256 string) (bool, error) {
	n, err := one(ctx, "photo", s.read, func(r *sql.Rows) (n int, err error) { return n, r.Scan(&n) }, "SELECT count(*) FROM photo WHERE collection = $1 AND sha256 = $2", collection, sha256)
	return n > 0, err
}

// PersonNamed returns the id of the first person of this name, "" if there is none.
func (s *Store) PersonNamed(ctx context.Context, collection, name string) (string, error) {
	all, err := list(ctx, s.read, scanString, "SELECT id FROM person WHERE collection = $1 AND name = $2 ORDER BY id LIMIT 1", collection, norm.NFC.String(name))
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
			if p == "" || p == Stranger {
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
