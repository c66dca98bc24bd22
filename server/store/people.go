package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// Kinds of people. The faces of ignored people are reported as unknown.
const (
	Known   = "known"
	Ignored = "ignored"
)

// Stranger takes the place of the id of a person for faces of people who are not in the
// collection. Such faces are for its calibration, and never get a person.
const Stranger = "stranger"

// A Person is a person of a collection. Two people may have one name if the caller asks for
// that.
type Person struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Kind    string    `json:"kind"`
	Created time.Time `json:"created"`
	Faces   int       `json:"-"`

	Born    string `json:"born,omitempty"`    // 2006-01-02, 2006-01 or 2006; "" if it is not known
	Differs string `json:"differs,omitempty"` // ids of people who look alike and are somebody else, with , between them

	Portrait string `json:"portrait,omitempty"` // face that stands for the person; "": the best one
}

func (p *Person) columns() []any {
	return []any{&p.ID, &p.Name, &p.Kind, (*micros)(&p.Created), &p.Faces, &p.Born, &p.Differs, &p.Portrait}
}

const (
	personColumns = "SELECT id, name, kind, created, (SELECT count(*) FROM face f WHERE f.collection = p.collection AND f.person = p.id), born, differs, portrait FROM person p "
	personByID    = personColumns + "WHERE collection = $1 AND id = $2"
)

// person returns the person with this id, and fails if there is none.
func (t *tx) person(id string) Person { return row[Person](t, "person", personByID, t.collection, id) }

// hasPerson reports whether there is a person with this id.
func (t *tx) hasPerson(id string) bool {
	return len(rows[Person](t, personByID, t.collection, id)) > 0
}

// CreatePerson adds a person without faces, and returns it with the operation. Unless
// namesake is set, it returns a *Conflict if a known person has the name.
func (s *Store) CreatePerson(ctx context.Context, actor, collection, name, kind string,
	namesake bool,
) (p Person, operation string, err error) {
	p = Person{ID: NewID(), Name: name, Kind: kind, Created: now()}
	err = s.change(ctx, actor, collection, func(t *tx) {
		t.checkName(p, namesake)
		t.putPerson(p)
		operation = t.log("create person", p.ID, undoData{NewPeople: []string{p.ID}})
		t.emit(Event{Event: "person.changed", Person: p.ID, Operation: operation})
	})
	return p, operation, err
}

// ImportPerson adds a person from an export, with its id, unless a person with this id is
// there. It reports whether the person was added.
func (s *Store) ImportPerson(ctx context.Context, actor, collection string, p Person) (added bool, err error) {
	err = s.change(ctx, actor, collection, func(t *tx) {
		if t.hasPerson(p.ID) {
			return
		}
		t.putPerson(p)
		t.log("create person", p.ID, undoData{NewPeople: []string{p.ID}})
		t.emit(Event{Event: "person.changed", Person: p.ID})
		added = true
	})
	return added, err
}

const personByName = "SELECT id FROM person WHERE collection = $1 AND name = $2 AND ($3 = '' OR kind = $3) AND id <> $4 ORDER BY id LIMIT 1"

// checkName fails with a Conflict if another known person has the name of p, unless namesake
// is set or p is ignored.
func (t *tx) checkName(p Person, namesake bool) {
	if namesake || p.Kind != Known {
		return
	}
	if others := rows[string](t, personByName, t.collection, norm.NFC.String(p.Name), Known, p.ID); len(others) > 0 {
		t.fail(&Conflict{
			Code: "name_taken",
			Text: "a person has this name already: add the faces to that person, or send namesake, if there are two", ID: others[0],
		})
	}
}

// PersonByName returns the id of the first person with this name; "" if there is none.
func (s *Store) PersonByName(ctx context.Context, collection, name string) (string, error) {
	all, err := list[string](ctx, s.read, personByName, collection, norm.NFC.String(name), "", "")
	if err != nil || len(all) == 0 {
		return "", err
	}
	return all[0], nil
}

// putPerson stores p. Names are stored in the composed form of Unicode, so that the database
// can compare them.
func (t *tx) putPerson(p Person) {
	t.exec("INSERT INTO person (collection, id, name, kind, created, seq, born, differs, portrait) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (collection, id) DO UPDATE SET name = excluded.name, kind = excluded.kind, seq = excluded.seq, born = excluded.born, differs = excluded.differs, portrait = excluded.portrait",
		t.collection, p.ID, norm.NFC.String(p.Name), p.Kind, p.Created.UnixMicro(), t.seq, p.Born, p.Differs, p.Portrait)
}

// People returns up to limit people by id: those whose id is larger than after.
func (s *Store) People(ctx context.Context, collection, after string, limit int) ([]Person, error) {
	return list[Person](ctx, s.read, personColumns+"WHERE collection = $1 AND id > $2 ORDER BY id LIMIT $3", collection, after, limit)
}

// Person returns the person with this id.
func (s *Store) Person(ctx context.Context, collection, id string) (Person, error) {
	return one[Person](ctx, "person", s.read, personByID, collection, id)
}

// ChangePerson changes the name, the kind and what is known of the person to.ID, and returns the operation. Unless
// namesake is set, it returns a *Conflict if another known person has a new name.
func (s *Store) ChangePerson(ctx context.Context, actor, collection string, to Person, namesake bool) (operation string, err error) {
	err = s.change(ctx, actor, collection, func(t *tx) {
		p := t.person(to.ID)
		operation = t.log("change person", p.ID, undoData{People: []Person{p}})
		namesake = namesake || to.Name == p.Name
		p.Name, p.Kind, p.Born, p.Differs, p.Portrait = to.Name, to.Kind, to.Born, to.Differs, to.Portrait
		t.checkName(p, namesake)
		t.putPerson(p)
		t.emit(Event{Event: "person.changed", Person: p.ID, Operation: operation})
	})
	return operation, err
}

// MergePeople gives the faces of the people from to the person into, removes from, and
// returns the operation.
func (s *Store) MergePeople(ctx context.Context, actor, collection, into string, from []string) (operation string, err error) {
	if slices.Contains(from, into) {
		return "", conflict("a person cannot be merged with itself")
	}
	err = s.change(ctx, actor, collection, func(t *tx) {
		t.person(into)
		var undo undoData
		for _, id := range from {
			undo.People = append(undo.People, t.person(id))
			undo.Faces = append(undo.Faces, t.assign(rows[string](t, facesOfPerson, collection, id), into)...)
			t.moveSighting(id, into)
			t.deletePerson(id)
		}
		operation = t.log(mergePeople, into, undo)
		t.emit(Event{Event: "person.changed", Person: into, Operation: operation})
	})
	return operation, err
}

// deletePerson removes a person, and fails if there is none.
func (t *tx) deletePerson(id string) {
	t.must("person", "DELETE FROM person WHERE collection = $1 AND id = $2", t.collection, id)
	t.noteRemoval(id)
}

// noteRemoval notes for Changes that a face or a person was removed.
func (t *tx) noteRemoval(id string) {
	t.exec("INSERT INTO gone (collection, seq, id, at) VALUES ($1, $2, $3, $4)", t.collection, t.seq, id, t.at.UnixMicro())
}

// touch notes for Changes that the faces of people have changed; "" is nobody.
func (t *tx) touch(people ...string) {
	for _, id := range people {
		if isPerson(id) {
			t.exec("UPDATE person SET seq = $3 WHERE collection = $1 AND id = $2", t.collection, id, t.seq)
		}
	}
}

// A Receipt says what was erased with a person.
type Receipt struct {
	Person string    `json:"person"`
	Faces  []string  `json:"faces"`
	Photos []string  `json:"photos"` // ids of the photographs that were removed, as they show nobody else
	Labels int64     `json:"labels"`
	Undo   int64     `json:"operations"` // number of operations that can no longer be undone, as they mention the person or a face
	At     time.Time `json:"at"`
}

// ErasePerson removes a person with all faces, crops, vectors, labels and guesses, and all
// operations, messages and answers that mention them, also from the files of the database. It
// cannot be undone. It returns a *Conflict if expected is not nil and the person has another number
// of faces.
func (s *Store) ErasePerson(ctx context.Context, actor, collection, id string, expected *int) (Receipt, error) {
	receipt := Receipt{Person: id, Photos: []string{}, At: now()}
	err := s.change(ctx, actor, collection, func(t *tx) {
		names := t.namesOf(id)
		t.deletePerson(id)
		for _, p := range rows[Person](t, personColumns+"WHERE collection = $1 AND differs LIKE $2 ORDER BY id", collection, "%"+id+"%") {
			p.Differs = strings.Join(slices.DeleteFunc(strings.Split(p.Differs, ","), func(other string) bool { return other == id }), ",")
			t.putPerson(p)
		}
		receipt.Faces = rows[string](t, facesOfPerson, collection, id)
		if n := len(receipt.Faces); expected != nil && n != *expected {
			t.fail(&Conflict{
				Code: "changed_meanwhile",
				Text: fmt.Sprintf(
					"nothing is erased: the person has another number of faces now, %d and not %d, because somebody has decided otherwise meanwhile",
					n, *expected), ID: id,
			})
		}
		for _, f := range receipt.Faces {
			labels, photo := t.deleteFace(f)
			receipt.Labels += labels
			if photo != "" {
				receipt.Photos = append(receipt.Photos, photo)
			}
		}
		// Other faces may have labels with this person, from earlier.
		receipt.Labels += t.exec("DELETE FROM label WHERE collection = $1 AND person = $2", collection, id)
		for _, removed := range append(receipt.Faces, id) {
			receipt.Undo += t.deleteMentions(removed)
		}
		t.deleteAnswers()
		t.deleteNames(names)
		t.audit("erase person", id)
		t.emit(Event{Event: "person.erased", Person: id, Faces: receipt.Faces})
	})
	if err != nil {
		return Receipt{}, err
	}
	return receipt, s.scrub(ctx)
}
