package store

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// A Visit says when a face was seen, and where, in words of the client.
type Visit struct {
	ID                string // of a face; of a person in a sighting
	At                time.Time
	Source, Reference string
}

func (v *Visit) columns() []any { return []any{&v.ID, (*micros)(&v.At), &v.Source, &v.Reference} }

const (
	// ofVisitors is the condition that the face f is of a visitor: it was kept since it was not recognised,
	// and nobody has named it.
	ofVisitors = "f.person = '' AND EXISTS (SELECT 1 FROM visit v WHERE v.collection = f.collection AND v.face = f.id)"
	visits     = "SELECT v.face, v.at, v.source, v.reference FROM visit v JOIN face f ON f.collection = v.collection " +
		"AND f.id = v.face WHERE v.collection = $1 AND f.person = '' "
)

// MaxVisitors is the most faces of visitors that a collection keeps: of more, the oldest are deleted.
const MaxVisitors = 1000

// putVisit notes where a face is from.
func (t *tx) putVisit(face string, v Visit) {
	t.exec("INSERT INTO visit (collection, face, at, source, reference) VALUES ($1, $2, $3, $4, $5)",
		t.collection, face, v.At.UnixMicro(), v.Source, v.Reference)
}

// AddVisitors adds faces of one photograph that were not recognised, each with its Visit. It sets their ID. Those
// that are more than MaxVisitors then are deleted. There is no operation: the faces go by themselves.
func (s Visiting) AddVisitors(ctx context.Context, actor, collection string, photo *Photo, faces []NewFace) error {
	deleted := 0
	err := s.change(ctx, actor, collection, func(t *tx) {
		id := NewID()
		t.putPhoto(id, photo)
		for i := range faces {
			f := &faces[i]
			f.ID, f.Photo, f.Person, f.Created = NewID(), id, "", t.at
			t.putFace(f)
		}
		t.audit("keep visitors", id)
		for _, v := range rows[Visit](t, visits+"ORDER BY v.at DESC, v.face DESC LIMIT $2 OFFSET $3", collection, math.MaxInt32, MaxVisitors) {
			t.discard(v.ID)
			deleted++
		}
	})
	if err != nil || deleted == 0 {
		return err
	}
	return s.scrub(ctx)
}

// Visits returns the faces of visitors, the latest first.
func (s Visiting) Visits(ctx context.Context, collection string) ([]Visit, error) {
	return list[Visit](ctx, s.read, visits+"ORDER BY v.at DESC, v.face DESC", collection)
}

// Visit returns where a face is from; nil if that is not known.
func (s Visiting) Visit(ctx context.Context, collection, face string) (*Visit, error) {
	all, err := list[Visit](ctx, s.read, "SELECT face, at, source, reference FROM visit WHERE collection = $1 AND face = $2", collection, face)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// VisitorSamples returns the vectors of one space of the faces of visitors, in the order of their ids.
func (s Visiting) VisitorSamples(ctx context.Context, collection, space string) ([]Sample, error) {
	return list[Sample](ctx, s.read, sampleColumns+"AND "+ofVisitors+" ORDER BY f.id", collection, space)
}

// Unnamed returns up to limit vectors of one space of faces of nobody yet, without those of visitors, in the order
// of the ids of the faces.
func (s Labelling) Unnamed(ctx context.Context, collection, space string, limit int) ([]Sample, error) {
	return list[Sample](ctx, s.read, sampleColumns+"AND f.person = '' AND NOT ("+ofVisitors+
		") ORDER BY f.id LIMIT $3", collection, space, limit)
}

// Expiry is the actor who deletes faces of visitors after their time.
const Expiry = "expiry"

// ExpireVisitors deletes the faces of visitors of all collections that are older than these keep them, with
// their crops, vectors and photographs, also from the files of the database. It returns their number.
func (s Visiting) ExpireVisitors(ctx context.Context) (deleted int, err error) {
	all, err := list[Collection](ctx, s.read, collectionColumns)
	for _, c := range all {
		if err != nil {
			return deleted, err
		}
		var n int
		n, err = s.forgetVisitors(ctx, Expiry, c.ID, now().AddDate(0, 0, -c.VisitorDays))
		deleted += n
	}
	if err != nil || deleted == 0 {
		return deleted, err
	}
	return deleted, s.scrub(ctx)
}

// ForgetVisitors deletes all faces of visitors of a collection, and returns their number. It cannot be undone.
func (s Visiting) ForgetVisitors(ctx context.Context, actor, collection string) (int, error) {
	if _, err := one[string](ctx, "collection", s.read, "SELECT id FROM collection WHERE id = $1", collection); err != nil {
		return 0, err
	}
	n, err := s.forgetVisitors(ctx, actor, collection, now().AddDate(1, 0, 0))
	if err != nil || n == 0 {
		return n, err
	}
	return n, s.scrub(ctx)
}

// forgetVisitors deletes the faces of visitors who came until a time, in parts, between which others may
// change something.
func (s Visiting) forgetVisitors(ctx context.Context, actor, collection string, until time.Time) (deleted int, err error) {
	const old, together = visits + "AND v.at <= $2 ORDER BY v.at LIMIT $3", 100
	for {
		found, err := list[Visit](ctx, s.read, old, collection, until.UnixMicro(), 1)
		if err != nil || len(found) == 0 {
			return deleted, err
		}
		err = s.change(ctx, actor, collection, func(t *tx) {
			found = rows[Visit](t, old, collection, until.UnixMicro(), together)
			for _, v := range found {
				t.discard(v.ID)
			}
		})
		if err != nil {
			return deleted, err
		}
		deleted += len(found)
	}
}

// PutSightings notes when and where people of a collection were recognised, unless a later time is known, or the
// person is gone. This is no change of the collection.
func (s Visiting) PutSightings(ctx context.Context, collection string, all []Visit) error {
	return s.inTx(ctx, "", func(t *tx) {
		for _, v := range all {
			t.exec(`INSERT INTO sighting (collection, person, at, source, reference)
				SELECT collection, id, CAST($3 AS BIGINT), CAST($4 AS TEXT), CAST($5 AS TEXT) FROM person WHERE collection = $1 AND id = $2`+later,
				collection, v.ID, v.At.UnixMicro(), v.Source, v.Reference)
		}
	})
}

const later = ` ON CONFLICT (collection, person) DO UPDATE SET at = excluded.at, source = excluded.source, reference = excluded.reference
	WHERE excluded.at > sighting.at`

// moveSighting gives the sighting of a person to another one, unless that was seen later.
func (t *tx) moveSighting(from, to string) {
	t.exec("INSERT INTO sighting (collection, person, at, source, reference) SELECT collection, CAST($3 AS TEXT), at, "+
		"source, reference FROM sighting WHERE collection = $1 AND person = $2"+later,
		t.collection, from, to)
}

// Sightings returns when and where people were recognised last: those of them who were.
func (s Visiting) Sightings(ctx context.Context, collection string, people []string) ([]Visit, error) {
	if len(people) == 0 {
		return nil, nil
	}
	condition, args := in("person", []any{collection}, people)
	return list[Visit](ctx, s.read, "SELECT person, at, source, reference FROM sighting WHERE collection = $1 AND "+condition, args...)
}

// NamesOf returns the names of people, keys and collections by their ids, those of the people of faces, and the kinds of operations, as far as
// they are there.
func (s Access) NamesOf(ctx context.Context, ids []string) (map[string]string, error) {
	const together = 100
	names := map[string]string{}
	for some := range slices.Chunk(ids, together) {
		for _, query := range []string{
			"SELECT id, name FROM person WHERE collection IN (SELECT id FROM collection) AND %s",
			"SELECT f.id, p.name FROM face f JOIN person p ON p.collection = f.collection AND p.id = f.person WHERE f.collection " +
				"IN (SELECT id FROM collection) AND f.%s",
			"SELECT id, name FROM api_key WHERE %s", "SELECT id, kind FROM operation WHERE collection IN (SELECT id FROM collection) AND %s",
			"SELECT id, name FROM collection WHERE %s",
		} {
			condition, args := in("id", nil, some)
			found, err := list[pair](ctx, s.read, fmt.Sprintf(query, condition), args...)
			if err != nil {
				return nil, err
			}
			for _, p := range found {
				names[p.face] = p.key
			}
		}
	}
	return names, nil
}
