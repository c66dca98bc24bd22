package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// An Operation is a change that can be undone.
type Operation struct {
	ID     string
	Kind   string
	Actor  string
	At     time.Time
	Undone bool

	Faces  int      // that it changed
	People []Person // whom it changed, as they were, and whom it added, who have an id only

	before before
}

// before is what undoing an operation needs.
type before struct {
	People      []Person     `json:"people,omitempty"` // as they were
	Faces       []assignment `json:"faces,omitempty"`  // whose they were
	NewPeople   []string     `json:"new_people,omitempty"`
	NewFaces    []string     `json:"new_faces,omitempty"`
	Denied      string       `json:"denied,omitempty"` // person who the next are not
	DeniedFaces []string     `json:"denied_faces,omitempty"`
}

// An assignment says whose a face was before and after an operation.
type assignment struct {
	Face string `json:"face"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// mergePeople is the kind of operation that removes the people that it has.
const mergePeople = "merge people"

// log writes an operation and a line of the audit log.
func (c *change) log(kind, object string, b before) (string, error) {
	text, err := json.Marshal(b)
	if err != nil {
		return "", err
	}
	id := NewID()
	if _, err := c.exec("INSERT INTO operation (collection, id, kind, before, actor, at, undone) VALUES ($1, $2, $3, $4, $5, $6, 0)", id, kind, string(text), c.actor, c.at.UnixMicro()); err != nil {
		return "", err
	}
	return id, audit(c.ctx, c.Tx, c.actor, kind, object)
}

const operationColumns = "SELECT id, kind, before, actor, at, undone FROM operation "

func scanOperation(r *sql.Rows) (o Operation, err error) {
	var at int64
	var text string
	if err := r.Scan(&o.ID, &o.Kind, &text, &o.Actor, &at, &o.Undone); err != nil {
		return o, err
	}
	o.At = timeOf(at)
	err = json.Unmarshal([]byte(text), &o.before)
	o.Faces = max(len(o.before.Faces), len(o.before.DeniedFaces)) + len(o.before.NewFaces)
	o.People = o.before.People
	for _, id := range o.before.NewPeople {
		o.People = append(o.People, Person{ID: id})
	}
	return o, err
}

// Operations returns up to limit operations of a collection whose id is smaller than
// earlier, "" for all, the latest first.
func (s *Store) Operations(ctx context.Context, collection, earlier string, limit int) ([]Operation, error) {
	return list(ctx, s.read, scanOperation, operationColumns+"WHERE collection = $1 AND ($2 = '' OR id < $2) ORDER BY id DESC LIMIT $3", collection, earlier, limit)
}

// Undo takes an operation back. It is ErrConflict if it was undone already, or if a later
// one changed the same faces or people; undo that one first.
func (s *Store) Undo(ctx context.Context, actor, collection, id string) error {
	return s.change(ctx, actor, collection, func(c *change) error {
		o, err := one(ctx, "operation", c, scanOperation, operationColumns+"WHERE collection = $1 AND id = $2", collection, id)
		if err != nil {
			return err
		}
		if o.Undone {
			return conflict("the operation is undone already")
		}
		if err := c.revert(o); err != nil {
			return err
		}
		if _, err := c.exec("UPDATE operation SET undone = 1 WHERE collection = $1 AND id = $2", id); err != nil {
			return err
		}
		return audit(ctx, c.Tx, actor, "undo", id)
	})
}

func (c *change) revert(o Operation) error {
	b := o.before
	for _, p := range b.People {
		if _, err := person(c.ctx, c, c.collection, p.ID); errors.Is(err, ErrNotFound) != (o.Kind == mergePeople) {
			return conflict("%s was removed or came back later", p.Name)
		}
		if err := c.putPerson(p); err != nil {
			return err
		}
	}
	for _, a := range b.Faces {
		is, err := one(c.ctx, "face", c, scanString, "SELECT person FROM face WHERE collection = $1 AND id = $2", c.collection, a.Face)
		if err != nil {
			return err
		}
		if is != a.Is {
			return conflict("a face was changed later: undo that change first")
		}
		if a.Was != "" {
			if _, err := person(c.ctx, c, c.collection, a.Was); err != nil {
				return conflict("the former person of a face is gone")
			}
		}
		if _, err := c.assign([]string{a.Face}, a.Was); err != nil {
			return err
		}
	}
	for _, f := range b.DeniedFaces {
		if slices.ContainsFunc(b.Faces, func(a assignment) bool { return a.Face == f }) {
			continue // it is that person's again
		}
		if err := c.label(f, b.Denied, "may_be"); err != nil {
			return err
		}
	}
	for _, f := range b.NewFaces {
		if _, _, err := c.deleteFace(f); err != nil {
			return err
		}
	}
	for _, id := range b.NewPeople {
		p, err := person(c.ctx, c, c.collection, id)
		if err != nil {
			return err
		}
		if p.Faces > 0 {
			return conflict("%s has other faces now", p.Name)
		}
		if err := c.deletePerson(id); err != nil {
			return err
		}
	}
	return nil
}
