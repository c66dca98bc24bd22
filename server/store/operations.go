package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
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

	undo undoData
}

func (o *Operation) columns() []any {
	return []any{&o.ID, &o.Kind, &o.undo, &o.Actor, (*micros)(&o.At), &o.Undone}
}

const (
	operationColumns = "SELECT id, kind, before, actor, at, undone FROM operation "
	operationByID    = operationColumns + "WHERE collection = $1 AND id = $2"
)

// undoData is what undoing an operation needs.
type undoData struct {
	People      []Person     `json:"people,omitempty"` // as they were before
	Faces       []assignment `json:"faces,omitempty"`
	NewPeople   []string     `json:"new_people,omitempty"`
	NewFaces    []string     `json:"new_faces,omitempty"`
	Denied      string       `json:"denied,omitempty"` // the person that DeniedFaces do not show
	DeniedFaces []string     `json:"denied_faces,omitempty"`
}

// An assignment has the person of a face before and after an operation.
type assignment struct {
	Face string `json:"face"`
	From string `json:"was"`
	To   string `json:"is"`
}

// Scan implements sql.Scanner.
func (u *undoData) Scan(stored any) error {
	text, ok := stored.(string)
	if !ok {
		return fmt.Errorf("an operation is stored as %T", stored)
	}
	return json.Unmarshal([]byte(text), u)
}

// CountFaces returns the number of faces that the operation changed or added.
func (o *Operation) CountFaces() int {
	return max(len(o.undo.Faces), len(o.undo.DeniedFaces)) + len(o.undo.NewFaces)
}

// People returns the people that the operation changed, as they were before, and those that
// it added, with their id only.
func (o *Operation) People() []Person {
	people := slices.Clone(o.undo.People)
	for _, id := range o.undo.NewPeople {
		people = append(people, Person{ID: id})
	}
	return people
}

// Receivers returns the ids of the people who got faces by the operation; of those who lost them, if these are of
// nobody then.
func (o *Operation) Receivers() (ids []string) {
	all := []string{o.undo.Denied}
	for _, a := range o.undo.Faces {
		all = append(all, cmp.Or(a.To, a.From))
	}
	for _, id := range all {
		if isPerson(id) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// NewFaces returns the ids of the faces that the operation added.
func (o *Operation) NewFaces() []string { return o.undo.NewFaces }

// mergePeople is the kind of operations that remove the people in their undoData.
const mergePeople = "merge people"

// log adds an operation, and a line of the audit log.
func (t *tx) log(kind, object string, undo undoData) (id string) {
	text, err := json.Marshal(undo)
	t.fail(err)
	id = NewID()
	t.exec("INSERT INTO operation (collection, id, kind, before, actor, at, undone) VALUES ($1, $2, $3, $4, $5, $6, 0)",
		t.collection, id, kind, string(text), t.actor, t.at.UnixMicro())
	t.audit(kind, object)
	return id
}

// Operations returns up to limit operations, the latest first: those whose id is smaller than
// before, "" for all.
func (s Labelling) Operations(ctx context.Context, collection, before string, limit int) ([]Operation, error) {
	return list[Operation](ctx, s.read, operationColumns+"WHERE collection = $1 AND ($2 = '' OR id < $2) ORDER BY id DESC LIMIT $3",
		collection, before, limit)
}

// Undo reverts an operation. It returns ErrConflict if the operation is undone already, or if a
// later one changed the same faces or people: that one has to be undone first.
func (s Labelling) Undo(ctx context.Context, actor, collection, id string) error {
	return s.change(ctx, actor, collection, func(t *tx) {
		o := row[Operation](t, "operation", operationByID, collection, id)
		if o.Undone {
			t.fail(conflict("the operation is undone already"))
		}
		if t.err == nil {
			t.revert(o)
		}
		t.exec("UPDATE operation SET undone = 1 WHERE collection = $1 AND id = $2", collection, id)
		t.audit("undo", id)
	})
}

func (t *tx) revert(o Operation) {
	undo := o.undo
	for _, p := range undo.People {
		if t.hasPerson(p.ID) == (o.Kind == mergePeople) {
			t.fail(conflict("%s was removed or came back later", p.Name))
		}
		t.putPerson(p)
	}
	for _, a := range undo.Faces {
		if t.face(a.Face).Person != a.To {
			t.fail(conflict("a face was changed later: undo that change first"))
		}
		if a.From != "" && !t.hasPerson(a.From) {
			t.fail(conflict("the former person of a face is gone"))
		}
		t.assign([]string{a.Face}, a.From)
	}
	for _, f := range undo.DeniedFaces {
		if !slices.ContainsFunc(undo.Faces, func(a assignment) bool { return a.Face == f }) { // else it has a person again
			t.label(f, undo.Denied, "may_be")
		}
	}
	for _, f := range undo.NewFaces {
		t.deleteFace(f)
	}
	for _, id := range undo.NewPeople {
		if p := t.person(id); p.Faces > 0 {
			t.fail(conflict("%s has other faces now", p.Name))
		}
		t.deletePerson(id)
	}
}
