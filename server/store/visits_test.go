package store

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// visit keeps a visitor who was there some days ago, and returns the face.
func (c *collected) visit(days int, source, crop string) string {
	c.Helper()
	faces := []NewFace{{
		Face: Face{Source: Upload}, Crop: []byte(crop), Space: "s", Vector: []float32{1, 2},
		Visit: &Visit{At: now().AddDate(0, 0, -days), Source: source, Reference: "7"},
	}}
	c.no(c.s.AddVisitors(c.Context(), "camera", c.id, &Photo{fmt.Sprintf("%064d", days), 640, 480}, faces))
	return faces[0].ID
}

func (c *collected) visitors() (ids []string) {
	c.Helper()
	all, err := c.s.Visits(c.Context(), c.id)
	c.no(err)
	for _, v := range all {
		ids = append(ids, v.ID)
	}
	return ids
}

// How many rows of tables mention the collection.
func (c *collected) rows(tables ...string) (all []int) {
	c.Helper()
	for _, table := range tables {
		n, err := one[int](c.Context(), "row", c.s.read, "SELECT count(*) FROM "+table+" WHERE collection = $1", c.id)
		c.no(err)
		all = append(all, n)
	}
	return all
}

// A visitor goes after the days of the collection, with crop, vector and photograph, in the files too, unless it
// has a name; the audit log says so.
func TestVisitorsExpire(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		ctx, tables := t.Context(), []string{"face", "vector", "photo", "visit"}
		before := c.rows(tables...)
		set := func(days int) {
			c.no(s.SetCollection(ctx, "owner", Collection{ID: c.id, Name: "people", FPIR: 0.01, VisitorDays: days}))
		}
		set(7)
		const secret = "the crop of somebody who was at the door"
		old, named, fresh := c.visit(8, "door", secret), c.visit(9, "yard", "b"), c.visit(6, "door", "c")
		if got := c.visitors(); !slices.Equal(got, []string{fresh, old, named}) {
			t.Fatalf("visitors %q", got)
		}
		operation, err := s.MoveFaces(ctx, "owner", c.id, new(string), []string{named}, c.a.ID)
		c.no(err)
		for want := 1; want >= 0; want-- { // the second time there is nothing to do
			if n, err := s.ExpireVisitors(ctx); err != nil || n != want {
				t.Fatalf("%d expired, not %d: %v", n, want, err)
			}
		}
		if got := c.visitors(); !slices.Equal(got, []string{fresh}) {
			t.Errorf("visitors %q", got)
		}
		if _, err := s.Face(ctx, c.id, old); err == nil {
			t.Error("the face is there")
		}
		if !s.postgres {
			c.nowhere(secret)
		}
		c.want(c.a.ID, append(slices.Clone(c.fa), named)...)
		if v, err := s.Visit(ctx, c.id, named); err != nil || v == nil || v.Source != "yard" {
			t.Errorf("where the face is from: %v, %v", v, err)
		}
		c.no(s.Undo(ctx, "owner", c.id, operation)) // the face is of a visitor again, whose time is over
		set(0)
		if n, err := s.ExpireVisitors(ctx); err != nil || n != 2 {
			t.Errorf("%d expired: %v", n, err)
		}
		if after := c.rows(tables...); !slices.Equal(after, before) {
			t.Errorf("rows of %q: %v, before %v", tables, after, before)
		}
		lines, err := s.Audit(ctx, 0, 100)
		c.no(err)
		verbs := map[string]int{}
		for _, l := range lines {
			verbs[l.Verb+" "+l.Actor]++
		}
		for verb, n := range map[string]int{
			"keep visitors camera": 3, "delete face expiry": 3, "keep visitors for 7 days owner": 1, "keep visitors for 0 days owner": 1,
		} {
			if verbs[verb] != n {
				t.Errorf("%s: %d lines, not %d", verb, verbs[verb], n)
			}
		}
		c.no(s.CheckAudit(ctx))
	})
}

// Visitors are in no list of faces of nobody, their number is bounded, and all can be forgotten.
func TestVisitorsAreBounded(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		nobody := c.add("", 1)
		faces := make([]NewFace, MaxVisitors)
		for i := range faces {
			faces[i] = NewFace{
				Face: Face{Source: Upload}, Crop: []byte("x"), Space: "s", Vector: []float32{1, 2},
				Visit: &Visit{At: now().Add(time.Duration(i) * time.Second)},
			}
		}
		c.no(s.AddVisitors(t.Context(), "camera", c.id, &Photo{"00", 640, 480}, faces))
		last := c.visit(-1, "door", "y")
		got := c.visitors()
		if len(got) != MaxVisitors || got[0] != last || slices.Contains(got, faces[0].ID) || !slices.Contains(got, faces[1].ID) {
			t.Errorf("%d visitors, the first is %s", len(got), got[0])
		}
		c.want("", nobody...)
		unnamed, err := s.Unnamed(t.Context(), c.id, "s", 10)
		c.no(err)
		if len(unnamed) != 1 || unnamed[0].Face != nobody[0] {
			t.Errorf("faces of nobody: %+v", unnamed)
		}
		if n, err := s.ForgetVisitors(t.Context(), "owner", c.id); err != nil || n != MaxVisitors || len(c.visitors()) != 0 {
			t.Errorf("%d forgotten: %v", n, err)
		}
		c.want("", nobody...)
		c.visit(0, "door", "z")
		c.no(s.DeleteCollection(t.Context(), "owner", c.id))
		if left := c.rows("face", "visit", "sighting"); !slices.Equal(left, []int{0, 0, 0}) {
			t.Errorf("after the collection: %v", left)
		}
	})
}

// The last sighting of a person is the latest one, goes with the person, and to the one that it is merged with.
func TestSightings(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		ctx, at := t.Context(), now()
		seen := func() map[string]string {
			t.Helper()
			all, err := s.Sightings(ctx, c.id, []string{c.a.ID, c.b.ID})
			c.no(err)
			sources := map[string]string{}
			for _, v := range all {
				sources[v.ID] = v.Source
			}
			return sources
		}
		version := func() int64 {
			now, err := s.Collection(ctx, c.id)
			c.no(err)
			return now.Seq
		}
		before := version()
		c.no(s.PutSightings(ctx, c.id, []Visit{{c.a.ID, at, "door", "1"}, {NewID(), at, "gone", ""}}))
		c.no(s.PutSightings(ctx, c.id, []Visit{{c.a.ID, at.Add(-time.Hour), "earlier", ""}, {c.b.ID, at.Add(time.Hour), "yard", "2"}}))
		if got := seen(); len(got) != 2 || got[c.a.ID] != "door" || got[c.b.ID] != "yard" || version() != before {
			t.Errorf("%v", got)
		}
		_, err := s.MergePeople(ctx, "owner", c.id, c.a.ID, []string{c.b.ID})
		c.no(err)
		if got := seen(); len(got) != 1 || got[c.a.ID] != "yard" {
			t.Errorf("after the merge %v", got)
		}
		_, err = s.ErasePerson(ctx, "owner", c.id, c.a.ID, nil)
		c.no(err)
		if left := c.rows("sighting"); left[0] != 0 {
			t.Errorf("after the person is erased: %v", left)
		}
	})
}
