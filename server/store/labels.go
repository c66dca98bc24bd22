package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// label adds a label of the actor: that a face shows a person (is), does not (is_not), or may
// show it again (may_be).
func (t *tx) label(face, person, kind string) {
	t.exec("INSERT INTO label (collection, face, seq, person, kind, actor, at) VALUES ($1, $2, $3, $4, $5, $6, $7) ON "+
		"CONFLICT (collection, face, seq, person) DO NOTHING",
		t.collection, face, t.seq, person, kind, t.actor, t.at.UnixMicro())
}

// assign gives faces to a person, "" for nobody, and returns those that had another person.
func (t *tx) assign(faces []string, to string) (all []assignment) {
	for _, id := range faces {
		from := t.face(id).Person
		if from == Stranger {
			t.fail(conflict("a face is of a stranger, who becomes no person: delete it, and add the photograph again"))
		}
		t.label(id, to, "is") // also if it had this person: a second label confirms it
		if from == to {
			continue
		}
		t.exec("UPDATE face SET person = $3, seq = $4 WHERE collection = $1 AND id = $2", t.collection, id, to, t.seq)
		t.touch(from, to)
		all = append(all, assignment{id, from, to})
	}
	return all
}

// A Holder is a face in a Conflict, with the person that it has now.
type Holder struct {
	Face   string `json:"face"`
	Person string `json:"person" doc:"Id; empty for nobody"`
	Name   string `json:"name"`
	kind   string // of the person
}

func (h *Holder) columns() []any { return []any{&h.Face, &h.Person, &h.Name, &h.kind} }

// expect fails with a Conflict if one of faces has neither the person expected, "" for nobody,
// nor the person to. If expected is nil, it does nothing.
func (t *tx) expect(expected *string, faces []string, to string) {
	if expected == nil {
		return
	}
	var others []Holder
	for _, f := range faces {
		h := row[Holder](t, "face",
			`SELECT f.id, f.person, COALESCE(p.name, ''), COALESCE(p.kind, '') FROM face f LEFT JOIN person p ON p.collection = f.collection AND p.id = f.person
			WHERE f.collection = $1 AND f.id = $2`, t.collection, f)
		if h.Person != *expected && h.Person != to {
			others = append(others, h)
		}
	}
	if t.err == nil && len(others) > 0 {
		t.fail(decidedMeanwhile(others, len(faces)))
	}
}

// decidedMeanwhile is the Conflict of a decision on some faces: others are those among them
// that have an unexpected person.
func decidedMeanwhile(others []Holder, faces int) *Conflict {
	counts := map[string]int{}
	for _, h := range others {
		counts[h.Person]++
	}
	people := len(counts)
	var parts []string
	for _, h := range others {
		n := counts[h.Person]
		if n == 0 {
			continue // the text has this person already
		}
		counts[h.Person] = 0
		verb, owner := "are", "of "+h.Name
		if n == 1 {
			verb = "is"
		}
		some := fmt.Sprintf("%d of %d", n, faces)
		if n == faces {
			some = cmp.Or(map[int]string{1: "the face", 2: "both"}[n], fmt.Sprintf("all %d", n))
		}
		switch {
		case h.Person == "":
			owner = "of nobody"
		case h.Person == Stranger:
			owner = "of a stranger"
		case h.kind == Ignored:
			owner = "of somebody who is ignored"
		}
		parts = append(parts, fmt.Sprintf("%s %s %s", some, verb, owner))
	}
	c := &Conflict{
		Code: "changed_meanwhile",
		Text: fmt.Sprintf("somebody has decided on these faces meanwhile: %s now", strings.Join(parts, " and ")), Holders: others,
	}
	if people == 1 && others[0].kind != "" {
		c.ID = others[0].Person
	}
	return c
}

// MoveFaces gives faces to a person, "" for nobody, and returns the operation. It returns a
// *Conflict if expected is not nil and one of the faces has another person than that.
func (s Labelling) MoveFaces(ctx context.Context, actor, collection string, expected *string,
	faces []string, to string,
) (operation string, err error) {
	err = s.change(ctx, actor, collection, func(t *tx) {
		if to != "" {
			t.person(to)
		}
		t.expect(expected, faces, to)
		operation = t.log("move faces", to, undoData{Faces: t.assign(faces, to)})
	})
	return operation, err
}

// GiveFaces gives faces of nobody to people, by their ids, in one operation, which it returns. It returns
// a *Conflict if one of the faces has a person.
func (s Labelling) GiveFaces(ctx context.Context, actor, collection string, faces map[string][]string) (operation string, err error) {
	err = s.change(ctx, actor, collection, func(t *tx) {
		var undo undoData
		for _, to := range slices.Sorted(maps.Keys(faces)) {
			t.person(to)
			t.expect(new(string), faces[to], to)
			undo.Faces = append(undo.Faces, t.assign(faces[to], to)...)
		}
		operation = t.log("accept faces", fmt.Sprintf("%d people", len(faces)), undo)
	})
	return operation, err
}

// DenyFaces notes that faces do not show a person, takes them away from it, and returns the
// operation. It returns a *Conflict in the same cases as MoveFaces.
func (s Labelling) DenyFaces(ctx context.Context, actor, collection string, expected *string,
	faces []string, person string,
) (operation string, err error) {
	err = s.change(ctx, actor, collection, func(t *tx) {
		t.person(person)
		t.expect(expected, faces, "")
		undo := undoData{Denied: person, DeniedFaces: faces}
		for _, id := range faces {
			if t.face(id).Person == person {
				undo.Faces = append(undo.Faces, t.assign([]string{id}, "")...)
			}
			t.label(id, person, "is_not")
		}
		operation = t.log("deny faces", person, undo)
	})
	return operation, err
}

// NameFaces gives faces to a new person, and returns the person and the operation. Unless
// namesake is set, it returns a *Conflict if a known person has the name; it is also one as in
// MoveFaces.
func (s Labelling) NameFaces(ctx context.Context, actor, collection string, expected *string,
	faces []string, name, kind string, namesake bool,
) (id, operation string, err error) {
	p := Person{ID: NewID(), Name: name, Kind: kind, Created: now()}
	err = s.change(ctx, actor, collection, func(t *tx) {
		t.expect(expected, faces, p.ID)
		t.checkName(p, namesake)
		t.putPerson(p)
		operation = t.log("name faces", p.ID, undoData{Faces: t.assign(faces, p.ID), NewPeople: []string{p.ID}})
		t.emit(Event{Event: "person.changed", Person: p.ID, Faces: faces, Operation: operation})
	})
	return p.ID, operation, err
}

// A pair is a face, and a person or a group.
type pair struct{ face, key string }

func (p *pair) columns() []any { return []any{&p.face, &p.key} }

// Denied returns, for each face, the ids of the people that it does not show according to a
// user. What was undone does not count.
func (s Labelling) Denied(ctx context.Context, collection string) (map[string][]string, error) {
	pairs, err := list[pair](ctx, s.read, `SELECT face, person FROM label l WHERE collection = $1 AND kind = 'is_not' AND NOT EXISTS (
			SELECT 1 FROM label m WHERE m.collection = l.collection AND m.face = l.face AND m.person = l.person AND m.seq > l.seq AND m.kind <> 'is_not')
		ORDER BY face, person`, collection)
	denied := map[string][]string{}
	for _, p := range pairs {
		denied[p.face] = append(denied[p.face], p.key)
	}
	return denied, err
}

// Confirmed returns the faces to which a user has given the same person twice.
func (s Labelling) Confirmed(ctx context.Context, collection string) (map[string]bool, error) {
	all, err := list[string](ctx, s.read,
		`SELECT f.id FROM label l JOIN face f ON f.collection = l.collection AND f.id = l.face AND f.person = l.person
		WHERE l.collection = $1 AND l.kind = 'is' AND f.person <> '' GROUP BY f.id HAVING count(*) > 1`, collection)
	confirmed := map[string]bool{}
	for _, f := range all {
		confirmed[f] = true
	}
	return confirmed, err
}

// groups returns the faces of each group of a query. Its rows are faces with their group, in
// the order of the groups.
func (s Labelling) groups(ctx context.Context, query, collection string) (groups [][]string, err error) {
	pairs, err := list[pair](ctx, s.read, query, collection)
	for i, p := range pairs {
		if i == 0 || p.key != pairs[i-1].key {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], p.face)
	}
	return groups, err
}

// Doubles returns the faces that one photograph has of one person, for each photograph and
// person with more than one.
func (s Labelling) Doubles(ctx context.Context, collection string) ([][]string, error) {
	return s.groups(ctx,
		`SELECT f.id, f.photo || '/' || f.person FROM face f JOIN (SELECT photo, person FROM face WHERE collection = $1 AND photo <> '' AND person NOT IN ('', 'stranger') GROUP BY photo, person HAVING count(*) > 1) d
		ON d.photo = f.photo AND d.person = f.person WHERE f.collection = $1 ORDER BY f.photo, f.person, f.id`, collection)
}

// A Group is faces that look like one person.
type Group struct {
	Faces []string
	Loose bool // they may be several people
}

// A member is a face of a group.
type member struct {
	face          string
	number, loose int64
}

func (m *member) columns() []any { return []any{&m.face, &m.number, &m.loose} }

// Groups returns the groups of PutGroups in their order, without faces that have got a person
// since.
func (s Labelling) Groups(ctx context.Context, collection string) (groups []Group, err error) {
	members, err := list[member](ctx, s.read,
		"SELECT g.face, g.number, g.loose FROM guess g JOIN face f ON f.collection = g.collection AND f.id = g.face WHERE "+
			"g.collection = $1 AND f.person = '' ORDER BY g.number, g.face", collection)
	for i, m := range members {
		if i == 0 || m.number != members[i-1].number {
			groups = append(groups, Group{Loose: m.loose != 0})
		}
		last := &groups[len(groups)-1]
		last.Faces = append(last.Faces, m.face)
	}
	return groups, err
}

// PutGroups replaces the groups of faces of a collection.
func (s Labelling) PutGroups(ctx context.Context, collection string, groups []Group) error {
	return s.inTx(ctx, "", func(t *tx) {
		t.exec("DELETE FROM guess WHERE collection = $1", collection)
		for n, group := range groups {
			loose := 0
			if group.Loose {
				loose = 1
			}
			for _, face := range group.Faces {
				t.exec("INSERT INTO guess (collection, face, number, loose) SELECT collection, id, $3, $4 FROM face WHERE "+
					"collection = $1 AND id = $2", collection, face, n, loose)
			}
		}
	})
}
