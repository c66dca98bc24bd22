package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// label adds what the actor says of a face.
func (c *change) label(face, person, kind string) error {
	_, err := c.exec("INSERT INTO label (collection, face, seq, person, kind, actor, at) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (collection, face, seq, person) DO NOTHING",
		face, c.seq, person, kind, c.actor, c.at.UnixMicro())
	return err
}

// assign makes faces those of a person, "" for nobody, and returns whose they were.
func (c *change) assign(faces []string, to string) ([]assignment, error) {
	var all []assignment
	for _, f := range faces {
		was, err := one(c.ctx, "face", c, scanString, "SELECT person FROM face WHERE collection = $1 AND id = $2", c.collection, f)
		if err != nil {
			return nil, err
		}
		if was == Stranger {
			return nil, conflict("a face is of a stranger, who becomes no person: delete it, and add the photograph again")
		}
		if was == to {
			if err := c.label(f, to, "is"); err != nil { // said again
				return nil, err
			}
			continue
		}
		if _, err := c.exec("UPDATE face SET person = $3, seq = $4 WHERE collection = $1 AND id = $2", f, to, c.seq); err != nil {
			return nil, err
		}
		if err := c.label(f, to, "is"); err != nil {
			return nil, err
		}
		if err := c.touch(was, to); err != nil {
			return nil, err
		}
		all = append(all, assignment{f, was, to})
	}
	return all, nil
}

// expect is a Conflict if one of faces is neither of the person of, "" for nobody, as the
// caller takes it to be, nor of the person to already. Of is nil if the caller does not say.
func (c *change) expect(of *string, faces []string, to string) error {
	if of == nil {
		return nil
	}
	var now []Holder
	kind, counts := map[string]string{}, map[string]int{}
	for _, f := range faces {
		h, err := one(c.ctx, "face", c, func(r *sql.Rows) (h Holder, err error) {
			h.Face = f
			var k string
			err = r.Scan(&h.Person, &h.Name, &k)
			kind[h.Person] = k
			return h, err
		}, `SELECT f.person, COALESCE(p.name, ''), COALESCE(p.kind, '') FROM face f LEFT JOIN person p ON p.collection = f.collection AND p.id = f.person
			WHERE f.collection = $1 AND f.id = $2`, c.collection, f)
		if err != nil {
			return err
		}
		if h.Person != *of && h.Person != to {
			now = append(now, h)
			counts[h.Person]++
		}
	}
	if len(now) == 0 {
		return nil
	}
	var said []string
	for _, h := range now {
		n := counts[h.Person]
		if counts[h.Person] = 0; n == 0 {
			continue // said before
		}
		are, whose := "are", "of "+h.Name
		if n == 1 {
			are = "is"
		}
		some := fmt.Sprintf("%d of %d", n, len(faces))
		if n == len(faces) {
			some = map[int]string{1: "the face", 2: "both"}[n]
			some = cmp.Or(some, fmt.Sprintf("all %d", n))
		}
		switch {
		case h.Person == "":
			whose = "of nobody"
		case h.Person == Stranger:
			whose = "of a stranger"
		case kind[h.Person] == Ignored:
			whose = "of somebody who is ignored"
		}
		said = append(said, fmt.Sprintf("%s %s %s", some, are, whose))
	}
	stands := &Conflict{Text: fmt.Sprintf("somebody has decided on these faces meanwhile: %s now", strings.Join(said, " and ")), Now: now}
	if len(said) == 1 && kind[now[0].Person] != "" {
		stands.ID = now[0].Person
	}
	return stands
}

// MoveFaces makes faces those of a person, "" for nobody, and returns the operation. It is
// a Conflict if they are not of the person of any more; nil: whoever has them.
func (s *Store) MoveFaces(ctx context.Context, actor, collection string, of *string, faces []string, to string) (op string, err error) {
	err = s.change(ctx, actor, collection, func(c *change) error {
		if to != "" {
			if _, err := person(ctx, c, collection, to); err != nil {
				return err
			}
		}
		if err := c.expect(of, faces, to); err != nil {
			return err
		}
		moved, err := c.assign(faces, to)
		if err != nil {
			return err
		}
		op, err = c.log("move faces", to, before{Faces: moved})
		return err
	})
	return op, err
}

// DenyFaces says that faces are not those of a person. Those that were become nobody's.
// It returns the operation. It is a Conflict as that of MoveFaces.
func (s *Store) DenyFaces(ctx context.Context, actor, collection string, of *string, faces []string, id string) (op string, err error) {
	err = s.change(ctx, actor, collection, func(c *change) error {
		if _, err := person(ctx, c, collection, id); err != nil {
			return err
		}
		if err := c.expect(of, faces, ""); err != nil {
			return err
		}
		b := before{Denied: id}
		for _, f := range faces {
			was, err := one(ctx, "face", c, scanString, "SELECT person FROM face WHERE collection = $1 AND id = $2", collection, f)
			if err != nil {
				return err
			}
			if was == id {
				moved, err := c.assign([]string{f}, "")
				if err != nil {
					return err
				}
				b.Faces = append(b.Faces, moved...)
			}
			if err := c.label(f, id, "is_not"); err != nil {
				return err
			}
			b.DeniedFaces = append(b.DeniedFaces, f)
		}
		op, err = c.log("deny faces", id, b)
		return err
	})
	return op, err
}

// Denied returns who the faces of a collection are not, as people said and have not
// taken back: the ids of people by face.
func (s *Store) Denied(ctx context.Context, collection string) (map[string][]string, error) {
	type pair struct{ face, person string }
	pairs, err := list(ctx, s.read, func(r *sql.Rows) (p pair, err error) { return p, r.Scan(&p.face, &p.person) },
		`SELECT face, person FROM label l WHERE collection = $1 AND kind = 'is_not' AND NOT EXISTS (
			SELECT 1 FROM label m WHERE m.collection = l.collection AND m.face = l.face AND m.person = l.person AND m.seq > l.seq AND m.kind <> 'is_not')
		ORDER BY face, person`, collection)
	denied := map[string][]string{}
	for _, p := range pairs {
		denied[p.face] = append(denied[p.face], p.person)
	}
	return denied, err
}

// NameFaces makes faces those of a new person, and returns the person and the operation.
// Unless namesake, it is a Conflict if a known person has the name; also as that of
// MoveFaces.
func (s *Store) NameFaces(ctx context.Context, actor, collection string, of *string, faces []string, name, kind string, namesake bool) (id, op string, err error) {
	p := Person{ID: NewID(), Name: name, Kind: kind, Created: now()}
	err = s.change(ctx, actor, collection, func(c *change) error {
		if err := c.expect(of, faces, p.ID); err != nil {
			return err
		}
		if err := c.named(p, namesake); err != nil {
			return err
		}
		if err := c.putPerson(p); err != nil {
			return err
		}
		moved, err := c.assign(faces, p.ID)
		if err != nil {
			return err
		}
		op, err = c.log("name faces", p.ID, before{Faces: moved, NewPeople: []string{p.ID}})
		return errors.Join(err, c.emit(Event{Event: "person.changed", Person: p.ID, Faces: faces, Operation: op}))
	})
	return p.ID, op, err
}

// PutGroups replaces the groups of faces of a collection.
func (s *Store) PutGroups(ctx context.Context, collection string, groups [][]string) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM guess WHERE collection = $1", collection); err != nil {
			return err
		}
		for n, group := range groups {
			for _, face := range group {
				if _, err := tx.ExecContext(ctx, "INSERT INTO guess (collection, face, number) SELECT collection, id, $3 FROM face WHERE collection = $1 AND id = $2", collection, face, n); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Groups returns the groups that PutGroups has put, without the faces that are of
// somebody meanwhile, in the same order.
func (s *Store) Groups(ctx context.Context, collection string) (groups [][]string, err error) {
	last := -1
	_, err = list(ctx, s.read, func(r *sql.Rows) (none struct{}, err error) {
		var face string
		var n int
		if err := r.Scan(&face, &n); err != nil {
			return none, err
		}
		if n != last {
			groups, last = append(groups, nil), n
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], face)
		return none, nil
	}, "SELECT g.face, g.number FROM guess g JOIN face f ON f.collection = g.collection AND f.id = g.face WHERE g.collection = $1 AND f.person = '' ORDER BY g.number, g.face", collection)
	return groups, err
}

// Confirmed returns the faces that were said to be of the same person twice.
func (s *Store) Confirmed(ctx context.Context, collection string) (map[string]bool, error) {
	all, err := list(ctx, s.read, scanString, `SELECT f.id FROM label l JOIN face f ON f.collection = l.collection AND f.id = l.face AND f.person = l.person
		WHERE l.collection = $1 AND l.kind = 'is' AND f.person <> '' GROUP BY f.id HAVING count(*) > 1`, collection)
	confirmed := map[string]bool{}
	for _, f := range all {
		confirmed[f] = true
	}
	return confirmed, err
}

// Doubles returns the faces of one photograph that are of one person, where there are
// several.
func (s *Store) Doubles(ctx context.Context, collection string) (all [][]string, err error) {
	last := ""
	_, err = list(ctx, s.read, func(r *sql.Rows) (none struct{}, err error) {
		var face, photo, person string
		if err := r.Scan(&face, &photo, &person); err != nil {
			return none, err
		}
		if key := photo + "/" + person; key != last {
			all, last = append(all, nil), key
		}
		all[len(all)-1] = append(all[len(all)-1], face)
		return none, nil
	}, `SELECT f.id, f.photo, f.person FROM face f JOIN (SELECT photo, person FROM face WHERE collection = $1 AND photo <> '' AND person NOT IN ('', 'stranger') GROUP BY photo, person HAVING count(*) > 1) d
		ON d.photo = f.photo AND d.person = f.person WHERE f.collection = $1 ORDER BY f.photo, f.person, f.id`, collection)
	return all, err
}
