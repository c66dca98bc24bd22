package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"
)

// Kinds of people: those who are named, and those whose faces are reported as unknown.
const (
	Known   = "known"
	Ignored = "ignored"
)

// Stranger stands for the id of a person where a face is that of somebody who is not in the
// collection. Such faces are for its calibration, and never become those of a person.
const Stranger = "stranger"

// A Person is somebody in a collection. Several may have one name, if that was asked for.
type Person struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Kind    string    `json:"kind"`
	Created time.Time `json:"created"`
	Faces   int       `json:"-"`
}

const personColumns = "SELECT id, name, kind, created, (SELECT count(*) FROM face f WHERE f.collection = p.collection AND f.person = p.id) FROM person p "

func scanPerson(r *sql.Rows) (p Person, err error) {
	var created int64
	err = r.Scan(&p.ID, &p.Name, &p.Kind, &created, &p.Faces)
	p.Created = timeOf(created)
	return p, err
}

// CreatePerson adds a person without faces, and returns it with the operation. Unless
// namesake, it is a Conflict if a known person has the name.
func (s *Store) CreatePerson(ctx context.Context, actor, collection, name, kind string, namesake bool) (Person, string, error) {
	p := Person{ID: NewID(), Name: name, Kind: kind, Created: now()}
	var op string
	err := s.change(ctx, actor, collection, func(c *change) (err error) {
		if err := c.named(p, namesake); err != nil {
			return err
		}
		if err := c.putPerson(p); err != nil {
			return err
		}
		op, err = c.log("create person", p.ID, before{NewPeople: []string{p.ID}})
		return errors.Join(err, c.emit(Event{Event: "person.changed", Person: p.ID, Operation: op}))
	})
	return p, op, err
}

// named is a Conflict if somebody else has the name of p, unless p is ignored or that is
// asked for by namesake.
func (c *change) named(p Person, namesake bool) error {
	if namesake || p.Kind != Known {
		return nil
	}
	there, err := list(c.ctx, c, scanString, "SELECT id FROM person WHERE collection = $1 AND name = $2 AND kind = $3 AND id <> $4 ORDER BY id LIMIT 1", c.collection, norm.NFC.String(p.Name), Known, p.ID)
	if err == nil && len(there) > 0 {
		err = &Conflict{Text: "a person has this name already: add the faces to that person, or send namesake, if there are two", ID: there[0]}
	}
	return err
}

// putPerson stores p. Names are in the composed form of Unicode, so that equal ones are found.
func (c *change) putPerson(p Person) error {
	_, err := c.exec("INSERT INTO person (collection, id, name, kind, created, seq) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (collection, id) DO UPDATE SET name = excluded.name, kind = excluded.kind, seq = excluded.seq",
		p.ID, norm.NFC.String(p.Name), p.Kind, p.Created.UnixMicro(), c.seq)
	return err
}

// People returns up to limit people of a collection whose id is larger than after, by id.
func (s *Store) People(ctx context.Context, collection, after string, limit int) ([]Person, error) {
	return list(ctx, s.read, scanPerson, personColumns+"WHERE collection = $1 AND id > $2 ORDER BY id LIMIT $3", collection, after, limit)
}

// Person returns the one with this id.
func (s *Store) Person(ctx context.Context, collection, id string) (Person, error) {
	return person(ctx, s.read, collection, id)
}

func person(ctx context.Context, from querier, collection, id string) (Person, error) {
	return one(ctx, "person", from, scanPerson, personColumns+"WHERE collection = $1 AND id = $2", collection, id)
}

// ChangePerson gives a person another name and kind, and returns the operation. Unless
// namesake, it is a Conflict if another known person has a new name.
func (s *Store) ChangePerson(ctx context.Context, actor, collection, id, name, kind string, namesake bool) (op string, err error) {
	err = s.change(ctx, actor, collection, func(c *change) error {
		p, err := person(ctx, c, collection, id)
		if err != nil {
			return err
		}
		if op, err = c.log("change person", id, before{People: []Person{p}}); err != nil {
			return err
		}
		namesake = namesake || name == p.Name
		p.Name, p.Kind = name, kind
		if err := c.named(p, namesake); err != nil {
			return err
		}
		return errors.Join(c.putPerson(p), c.emit(Event{Event: "person.changed", Person: id, Operation: op}))
	})
	return op, err
}

// MergePeople gives the faces of the people from to the person into, removes from, and
// returns the operation.
func (s *Store) MergePeople(ctx context.Context, actor, collection, into string, from []string) (op string, err error) {
	if slices.Contains(from, into) {
		return "", conflict("a person cannot be merged with itself")
	}
	err = s.change(ctx, actor, collection, func(c *change) error {
		if _, err := person(ctx, c, collection, into); err != nil {
			return err
		}
		var b before
		for _, id := range from {
			p, err := person(ctx, c, collection, id)
			if err != nil {
				return err
			}
			faces, err := list(ctx, c, scanString, "SELECT id FROM face WHERE collection = $1 AND person = $2 ORDER BY id", collection, id)
			if err != nil {
				return err
			}
			moved, err := c.assign(faces, into)
			if err != nil {
				return err
			}
			b.People, b.Faces = append(b.People, p), append(b.Faces, moved...)
			if err := c.deletePerson(id); err != nil {
				return err
			}
		}
		op, err = c.log(mergePeople, into, b)
		return errors.Join(err, c.emit(Event{Event: "person.changed", Person: into, Operation: op}))
	})
	return op, err
}

// deletePerson removes a person.
func (c *change) deletePerson(id string) error {
	if err := c.must("person", "DELETE FROM person WHERE collection = $1 AND id = $2", id); err != nil {
		return err
	}
	return c.gone(id)
}

// gone notes that a face or a person was removed.
func (c *change) gone(id string) error {
	_, err := c.exec("INSERT INTO gone (collection, seq, id, at) VALUES ($1, $2, $3, $4)", c.seq, id, c.at.UnixMicro())
	return err
}

// touch notes that the faces of people have changed; "" is nobody.
func (c *change) touch(people ...string) error {
	for _, id := range people {
		if id == "" {
			continue
		}
		if _, err := c.exec("UPDATE person SET seq = $3 WHERE collection = $1 AND id = $2", id, c.seq); err != nil {
			return err
		}
	}
	return nil
}

// forget removes operations and messages that tell of an id, and returns the number of
// operations.
func (c *change) forget(id string) (int64, error) {
	if _, err := c.exec("DELETE FROM job WHERE collection = $1 AND hook <> '' AND payload LIKE $2", "%"+id+"%"); err != nil {
		return 0, err
	}
	return c.exec("DELETE FROM operation WHERE collection = $1 AND before LIKE $2", "%"+id+"%")
}

// forgetAnswers removes the answers to requests, which may have names, and the files of
// exports, of which it cancels those that have not ended.
func (c *change) forgetAnswers() error {
	if _, err := c.exec("UPDATE once SET answer = $2, changed = 1, status = 0, due = 0 WHERE collection = $1 AND status <> 0", []byte{}); err != nil {
		return err
	}
	if _, err := c.exec(`UPDATE job SET state = 'cancelled', worker = '', finished = $2, version = version + 1
		WHERE collection = $1 AND kind = 'export' AND state IN ('waiting', 'running')`, now().UnixMicro()); err != nil {
		return err
	}
	_, err := c.exec("DELETE FROM file WHERE collection = $1 AND job IN (SELECT id FROM job WHERE collection = $1 AND kind = 'export')")
	return err
}

func scanString(r *sql.Rows) (v string, err error) { return v, r.Scan(&v) }

// A Receipt says what was erased.
type Receipt struct {
	Person string    `json:"person"`
	Faces  []string  `json:"faces"`
	Photos []string  `json:"photos"` // that have no other face
	Labels int64     `json:"labels"`
	Undo   int64     `json:"operations"` // that named the person or a face, and cannot be undone any more
	At     time.Time `json:"at"`
}

// ErasePerson removes a person with all faces, crops, vectors, labels and guesses, and
// what the operations have of them, also from the files of the database. It cannot
// be undone. It is a Conflict if the person has not as many faces as expected; nil: any number.
func (s *Store) ErasePerson(ctx context.Context, actor, collection, id string, expected *int) (Receipt, error) {
	receipt := Receipt{Person: id, Photos: []string{}, At: now()}
	err := s.change(ctx, actor, collection, func(c *change) (err error) {
		names, err := c.namesOf(id)
		if err != nil {
			return err
		}
		if err := c.deletePerson(id); err != nil {
			return err
		}
		if receipt.Faces, err = list(ctx, c, scanString, "SELECT id FROM face WHERE collection = $1 AND person = $2 ORDER BY id", collection, id); err != nil {
			return err
		}
		if n := len(receipt.Faces); expected != nil && n != *expected {
			return &Conflict{Text: fmt.Sprintf("nothing is erased: the person has another number of faces now, %d and not %d, because somebody has decided otherwise meanwhile", n, *expected), ID: id}
		}
		for _, f := range receipt.Faces {
			labels, photo, err := c.deleteFace(f)
			if err != nil {
				return err
			}
			receipt.Labels += labels
			if photo != "" {
				receipt.Photos = append(receipt.Photos, photo)
			}
		}
		// Labels of other faces that this person was.
		n, err := c.exec("DELETE FROM label WHERE collection = $1 AND person = $2", id)
		if err != nil {
			return err
		}
		receipt.Labels += n
		for _, gone := range append(receipt.Faces, id) {
			n, err := c.forget(gone)
			if err != nil {
				return err
			}
			receipt.Undo += n
		}
		if err := errors.Join(c.forgetAnswers(), c.forgetNames(names)); err != nil {
			return err
		}
		return errors.Join(audit(ctx, c.Tx, actor, "erase person", id), c.emit(Event{Event: "person.erased", Person: id, Faces: receipt.Faces}))
	})
	if err != nil {
		return Receipt{}, err
	}
	return receipt, s.scrub(ctx)
}
