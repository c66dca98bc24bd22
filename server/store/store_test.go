package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/testing/postgres"
	"nrdl.example/nrdl/internal/testing/lacking"
)

// onBoth runs a contract test on an empty database of each kind.
func onBoth(t *testing.T, test func(t *testing.T, s *Store)) {
	t.Run("sqlite", func(t *testing.T) { test(t, open(t, filepath.Join(t.TempDir(), "a b?%.db"))) })
	t.Run("postgres", func(t *testing.T) {
		if os.Getenv("NRDL_LONG") == "" {
			t.Skip("NRDL_LONG starts PostgreSQL")
		}
		server, err := server()
		if err != nil {
			lacking.Skip(t, err)
		}
		base := server.URL
		name := fmt.Sprintf("t%d", time.Now().UnixNano())
		admin := open(t, base)
		if _, err := admin.write.Exec("CREATE DATABASE " + name); err != nil {
			t.Fatal(err)
		}
		test(t, open(t, strings.Replace(base, "/postgres?", "/"+name+"?", 1)))
	})
}

func open(t *testing.T, url string) *Store {
	t.Helper()
	s, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// server starts PostgreSQL once for all tests.
var server = sync.OnceValues(func() (s *postgres.Server, err error) {
	started, err = postgres.New(false)
	return started, err
})

var started *postgres.Server

func TestMain(m *testing.M) {
	code := m.Run()
	if started != nil {
		started.Close()
	}
	os.Exit(code)
}

// collected is a collection with two people of two faces each.
type collected struct {
	*testing.T
	s    *Store
	id   string
	a, b Person
	fa   []string
	fb   []string
}

func collect(t *testing.T, s *Store) *collected {
	c := &collected{T: t, s: s}
	col, err := s.CreateCollection(t.Context(), "tester", "people", 0.01, "")
	c.no(err)
	c.id = col.ID
	c.a, _, err = s.CreatePerson(t.Context(), "tester", c.id, "Åsa", Known, true)
	c.no(err)
	c.b, _, err = s.CreatePerson(t.Context(), "tester", c.id, "Bo; DROP TABLE person", Known, true)
	c.no(err)
	c.fa, c.fb = c.add(c.a.ID, 2), c.add(c.b.ID, 2)
	return c
}

func (c *collected) no(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *collected) is(err, want error) {
	c.Helper()
	if !errors.Is(err, want) {
		c.Fatalf("the error is %v, not %v", err, want)
	}
}

// add adds n faces to a person.
func (c *collected) add(person string, n int) (ids []string) {
	c.Helper()
	faces := make([]NewFace, n)
	for i := range faces {
		faces[i] = NewFace{
			Face: Face{Source: Upload, Box: []byte(`[1,2,3,4]`)}, Crop: []byte("cropcropcrop" + person),
			Space: "s", Vector: []float32{float32(i), -1.5},
		}
	}
	_, err := c.s.AddFaces(c.Context(), "tester", c.id, &Photo{"00", 640, 480}, person, faces)
	c.no(err)
	for _, f := range faces {
		ids = append(ids, f.ID)
	}
	return ids
}

// of returns the faces of a person.
func (c *collected) of(person string) (ids []string) {
	c.Helper()
	faces, err := c.s.Faces(c.Context(), c.id, &person, "", 100)
	c.no(err)
	for _, f := range faces {
		ids = append(ids, f.ID)
	}
	return ids
}

func (c *collected) want(person string, faces ...string) {
	c.Helper()
	if diff := cmp.Diff(faces, c.of(person)); diff != "" {
		c.Fatalf("faces of %s: %s", person, diff)
	}
}

func TestCollections(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		ctx := t.Context()
		other, err := s.CreateCollection(ctx, "tester", "other", 0.1, "")
		c.no(err)
		all, err := s.Collections(ctx, "", 10)
		c.no(err)
		if len(all) != 2 || all[1] != other {
			t.Fatalf("collections %v", all)
		}
		rest, err := s.Collections(ctx, c.id, 10)
		c.no(err)
		if len(rest) != 1 {
			t.Fatalf("after the first: %v", rest)
		}
		before, err := s.Collection(ctx, c.id)
		c.no(err)
		c.no(s.SetCollection(ctx, "tester", Collection{ID: c.id, Name: "new", FPIR: 0.05}))
		after, err := s.Collection(ctx, c.id)
		c.no(err)
		if after.Name != "new" || after.FPIR != 0.05 || after.Seq <= before.Seq {
			t.Fatalf("%+v after %+v", after, before)
		}
		_, err = s.Person(ctx, other.ID, c.a.ID)
		c.is(err, ErrNotFound) // of another collection
		c.no(s.DeleteCollection(ctx, "tester", c.id))
		_, err = s.Collection(ctx, c.id)
		c.is(err, ErrNotFound)
		_, err = s.Face(ctx, c.id, c.fa[0])
		c.is(err, ErrNotFound)
		_, _, err = s.CreatePerson(ctx, "tester", c.id, "x", Known, true)
		c.is(err, ErrNotFound)
		c.no(s.CheckAudit(ctx))
	})
}

func TestFaces(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		ctx := t.Context()
		c.want(c.a.ID, c.fa...)
		f, err := s.Face(ctx, c.id, c.fa[0])
		c.no(err)
		if f.Person != c.a.ID || string(f.Box) != "[1,2,3,4]" || string(f.Quality) != "null" || f.Photo == "" {
			t.Fatalf("%+v", f)
		}
		crop, err := s.Crop(ctx, c.id, f.ID)
		c.no(err)
		if !bytes.HasPrefix(crop, []byte("crop")) {
			t.Fatalf("crop %q", crop)
		}
		loose := c.add("", 1)
		c.want("", loose...)
		all, err := s.Changes(ctx, c.id, "s", 0)
		c.no(err)
		if !all.All || len(all.People) != 2 || all.People[0].Faces != 2 || all.People[0].Name != "Åsa" || len(all.Samples) != 4 ||
			all.Seq == 0 || !slices.Equal(all.Samples[1].Vector, []float32{1, -1.5}) {
			t.Fatalf("%+v", all)
		}
		samples, err := s.Samples(ctx, c.id, "s", "", "", 10)
		c.no(err)
		if len(samples) != 1 || samples[0].Face != loose[0] {
			t.Fatalf("%d samples", len(samples))
		}
		all, err = s.Changes(ctx, c.id, "another", 0)
		c.no(err)
		if len(all.Samples) != 0 {
			t.Fatalf("%d samples", len(all.Samples))
		}
		for space, want := range map[string]VectorCount{"s": {Faces: 5}, "another": {Faces: 5, ToMake: 5}} {
			if n, err := s.CountVectors(ctx, c.id, space); err != nil || n != want {
				t.Errorf("%s: %+v, %v", space, n, err)
			}
		}
		c.no(s.DeleteFaces(ctx, "tester", c.id, nil, c.fa[:1]))
		c.want(c.a.ID, c.fa[1])
		c.is(s.DeleteFaces(ctx, "tester", c.id, nil, c.fa[:1]), ErrNotFound)
		_, err = s.AddFaces(ctx, "tester", c.id, nil, "nobody", nil)
		c.is(err, ErrNotFound)
	})
}

func TestUndo(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		ctx := t.Context()

		merge, err := s.MergePeople(ctx, "tester", c.id, c.a.ID, []string{c.b.ID})
		c.no(err)
		c.want(c.a.ID, append(slices.Clone(c.fa), c.fb...)...)
		_, err = s.Person(ctx, c.id, c.b.ID)
		c.is(err, ErrNotFound)
		c.no(s.Undo(ctx, "tester", c.id, merge))
		c.want(c.a.ID, c.fa...)
		c.want(c.b.ID, c.fb...)
		b, err := s.Person(ctx, c.id, c.b.ID)
		c.no(err)
		if b.Faces = 0; b != c.b {
			t.Fatalf("%v came back as %v", c.b, b)
		}
		c.is(s.Undo(ctx, "tester", c.id, merge), ErrConflict)
		_, err = s.MergePeople(ctx, "tester", c.id, c.a.ID, []string{c.a.ID})
		c.is(err, ErrConflict)

		move, err := s.MoveFaces(ctx, "tester", c.id, nil, c.fa[:1], c.b.ID)
		c.no(err)
		again, err := s.MoveFaces(ctx, "tester", c.id, nil, c.fa[:1], "")
		c.no(err)
		c.is(s.Undo(ctx, "tester", c.id, move), ErrConflict)
		c.no(s.Undo(ctx, "tester", c.id, again))
		c.no(s.Undo(ctx, "tester", c.id, move))
		c.want(c.a.ID, c.fa...)

		rename, err := s.ChangePerson(ctx, "tester", c.id, Person{ID: c.a.ID, Name: "Eva", Kind: Ignored}, true)
		c.no(err)
		p, err := s.Person(ctx, c.id, c.a.ID)
		c.no(err)
		if p.Name != "Eva" || p.Kind != Ignored {
			t.Fatalf("%v", p)
		}
		gone, err := s.MergePeople(ctx, "tester", c.id, c.b.ID, []string{c.a.ID})
		c.no(err)
		c.is(s.Undo(ctx, "tester", c.id, rename), ErrConflict)
		c.no(s.Undo(ctx, "tester", c.id, gone))
		c.no(s.Undo(ctx, "tester", c.id, rename))

		for _, faces := range [][]string{c.fa[:1], c.fb[:1]} {
			deny, err := s.DenyFaces(ctx, "tester", c.id, nil, faces, c.a.ID)
			c.no(err)
			denied, err := s.Denied(ctx, c.id)
			c.no(err)
			if !slices.Equal(denied[faces[0]], []string{c.a.ID}) {
				t.Fatalf("denied %v", denied)
			}
			if slices.Contains(c.of(c.a.ID), faces[0]) {
				t.Fatal("a denied face stays")
			}
			c.no(s.Undo(ctx, "tester", c.id, deny))
			denied, err = s.Denied(ctx, c.id)
			c.no(err)
			if len(denied) != 0 {
				t.Fatalf("denied %v", denied)
			}
		}
		c.want(c.a.ID, c.fa...)
		c.want(c.b.ID, c.fb...)

		e, name, err := s.NameFaces(ctx, "tester", c.id, nil, c.fa, "E", Ignored, true)
		c.no(err)
		c.want(e, c.fa...)
		c.no(s.Undo(ctx, "tester", c.id, name))
		c.want(c.a.ID, c.fa...)
		_, err = s.Person(ctx, c.id, e)
		c.is(err, ErrNotFound)

		d, create, err := s.CreatePerson(ctx, "tester", c.id, "D", Known, true)
		c.no(err)
		c.add(d.ID, 1)
		c.is(s.Undo(ctx, "tester", c.id, create), ErrConflict)
		all, err := s.Operations(ctx, c.id, "", 2)
		c.no(err)
		if len(all) != 2 || all[1].ID != create || all[0].Kind != "add faces" || all[0].Undone {
			t.Fatalf("operations %v", all)
		}
		c.no(s.Undo(ctx, "tester", c.id, all[0].ID))
		c.no(s.Undo(ctx, "tester", c.id, create))
		_, err = s.Person(ctx, c.id, d.ID)
		c.is(err, ErrNotFound)
		c.no(s.CheckAudit(ctx))
		c.labelsAgree()
	})
}

// labelsAgree checks that each face is the person's of its last label.
func (c *collected) labelsAgree() {
	c.Helper()
	wrong, err := list[string](c.Context(), c.s.read, `SELECT f.id FROM face f WHERE f.person <> COALESCE((
		SELECT l.person FROM label l WHERE l.collection = f.collection AND l.face = f.id AND l.kind = 'is' ORDER BY l.seq DESC LIMIT 1), '')`)
	c.no(err)
	if len(wrong) > 0 {
		c.Fatalf("faces %v are not those of their last label", wrong)
	}
}

func TestGroupsAreReplaced(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		loose := c.add("", 3)
		c.no(s.PutGroups(t.Context(), c.id, []Group{{Faces: loose}}))
		c.no(s.PutGroups(t.Context(), c.id, []Group{{Faces: loose[2:]}, {loose[:2], true}, {Faces: []string{"gone"}}}))
		_, err := s.MoveFaces(t.Context(), "tester", c.id, nil, loose[:1], c.a.ID)
		c.no(err)
		got, err := s.Groups(t.Context(), c.id)
		c.no(err)
		if diff := cmp.Diff([]Group{{Faces: loose[2:]}, {loose[1:2], true}}, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestErase(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		ctx := t.Context()
		_, err := s.ChangePerson(ctx, "tester", c.id, Person{ID: c.a.ID, Name: "Åsa Secretname", Kind: Known}, true)
		c.no(err)
		_, err = s.MoveFaces(ctx, "tester", c.id, nil, c.fb[:1], c.a.ID)
		c.no(err)
		_, err = s.MoveFaces(ctx, "tester", c.id, nil, c.fb[:1], c.b.ID)
		c.no(err)
		receipt, err := s.ErasePerson(ctx, "tester", c.id, c.a.ID, nil)
		c.no(err)
		if !slices.Equal(receipt.Faces, c.fa) || len(receipt.Photos) != 1 || receipt.Labels != 3 {
			t.Fatalf("%+v", receipt)
		}
		_, err = s.Crop(ctx, c.id, c.fa[0])
		c.is(err, ErrNotFound)
		c.want(c.b.ID, c.fb...)
		c.no(s.CheckAudit(ctx))
		if s.postgres {
			return
		}
		c.nowhere("Secretname", "cropcropcrop"+c.a.ID)
	})
}

// nowhere checks that the files of an SQLite database do not have secrets, and that they
// have a crop.
func (c *collected) nowhere(secrets ...string) {
	c.Helper()
	var at string
	c.no(c.s.read.QueryRow("SELECT file FROM pragma_database_list").Scan(&at))
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(at + suffix)
		c.no(err)
		for _, secret := range secrets {
			if bytes.Contains(data, []byte(secret)) {
				c.Errorf("the database%s still has %q", suffix, secret)
			}
		}
		if suffix == "" && !bytes.Contains(data, []byte("cropcropcrop"+c.b.ID)) {
			c.Error("the test would not find a crop")
		}
	}
}

func contains(data []byte, text string) bool { return bytes.Contains(data, []byte(text)) }

func TestKeys(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := &collected{T: t, s: s}
		ctx := t.Context()
		k, secret, err := s.CreateKey(ctx, "tester", "door", []string{"identify", "enrol"}, []string{"c1", "c2"}, time.Time{})
		c.no(err)
		got, err := s.KeyOf(ctx, secret)
		c.no(err)
		if diff := cmp.Diff(k, got); diff != "" {
			t.Fatal(diff)
		}
		_, err = s.KeyOf(ctx, secret+"x")
		c.is(err, ErrNotFound)
		_, old, err := s.CreateKey(ctx, "tester", "old", nil, nil, time.Now().Add(-time.Second))
		c.no(err)
		_, err = s.KeyOf(ctx, old)
		c.is(err, ErrNotFound)
		c.no(s.DeleteKey(ctx, "tester", k.ID, false))
		c.is(s.DeleteKey(ctx, "tester", k.ID, false), ErrNotFound)
		_, err = s.KeyOf(ctx, secret)
		c.is(err, ErrNotFound)
		all, err := s.Keys(ctx)
		c.no(err)
		if len(all) != 1 {
			t.Fatalf("keys %v", all)
		}
	})
}

// A store without a key is keyless until the first one is made, and again only if somebody has demanded
// so; the last key that manages others stays, whoever deletes keys at the same time.
func TestKeyless(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := &collected{T: t, s: s}
		ctx := t.Context()
		keyless := func(want bool) {
			t.Helper()
			got, err := s.IsKeyless(ctx)
			if c.no(err); got != want {
				t.Fatalf("keyless is %v", got)
			}
		}
		create := func(scope string, expires time.Time, collections ...string) string {
			t.Helper()
			k, _, err := s.CreateKey(ctx, "tester", "k", []string{scope}, collections, expires)
			c.no(err)
			keyless(false)
			return k.ID
		}
		keyless(true)
		first, door := create("admin", time.Time{}), create("identify", time.Time{})
		create("admin", time.Time{}, "c1")
		ending := create("admin", time.Now().Add(time.Hour))
		for _, open := range []bool{false, true} {
			c.is(s.DeleteKey(ctx, "tester", first, open), LastKey)
			c.is(s.DeleteKey(ctx, "tester", NewID(), open), ErrNotFound)
		}
		second := create("admin", time.Time{})
		var all sync.WaitGroup
		deleted := make(chan error, 2)
		for _, id := range []string{first, second} {
			all.Go(func() { deleted <- s.DeleteKey(ctx, "tester", id, true) })
		}
		all.Wait()
		if a, b := <-deleted, <-deleted; (a == nil) == (b == nil) {
			t.Errorf("both or none of two keys: %v, %v", a, b)
		}
		c.no(s.DeleteKey(ctx, "tester", door, false))
		c.no(s.DeleteKey(ctx, "tester", ending, true))
		keyless(false)
		left, err := s.Keys(ctx)
		c.no(err)
		for _, k := range left {
			if !k.Manages() {
				c.no(s.DeleteKey(ctx, "tester", k.ID, false))
			} else {
				first = k.ID
			}
		}
		c.is(s.DeleteKey(ctx, "tester", first, false), LastKey)
		keyless(false)
		c.no(s.DeleteKey(ctx, "tester", first, true))
		keyless(true)
		create("admin", time.Time{})
		if _, err := s.write.Exec("DELETE FROM api_key"); err != nil { // as a version before did
			t.Fatal(err)
		}
		keyless(false)
		c.no(s.CheckAudit(ctx))
		if !s.postgres { // a long log is not read
			plan, err := s.read.QueryContext(ctx,
				"EXPLAIN QUERY PLAN SELECT verb FROM audit WHERE verb IN ('"+keyMade+"', '"+loggedIn+"', '"+madeKeyless+"') ORDER BY seq DESC LIMIT 1")
			c.no(err)
			defer plan.Close()
			var id, parent, unused int
			var detail string
			if !plan.Next() || plan.Scan(&id, &parent, &unused, &detail) != nil || !strings.Contains(detail, "audit_key") {
				t.Errorf("the plan is %q", detail)
			}
		}
	})
}

// A session is one until it ends by itself, with its key, or when it is ended.
func TestSessions(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := &collected{T: t, s: s}
		ctx := t.Context()
		k, _, err := s.CreateKey(ctx, "tester", "me", []string{"admin"}, nil, time.Time{})
		c.no(err)
		begin := func() string {
			t.Helper()
			secret, err := s.CreateSession(ctx, k.ID)
			c.no(err)
			got, err := s.KeyOfSession(ctx, secret)
			c.no(err)
			if got.ID != k.ID {
				t.Fatalf("%+v", got)
			}
			return secret
		}
		ended := func(secret string) {
			t.Helper()
			_, err := s.KeyOfSession(ctx, secret)
			c.is(err, ErrNotFound)
		}
		set := func(ago time.Duration) {
			t.Helper()
			_, err := s.write.Exec("UPDATE session SET used = $1", now().Add(-ago).UnixMicro())
			c.no(err)
		}
		one, two := begin(), begin()
		_, err = s.EndSession(ctx, one)
		c.no(err)
		ended(one)
		stored, err := list[string](ctx, s.read, "SELECT hash FROM session")
		c.no(err)
		if len(stored) != 1 || stored[0] != hashOf(two) || one == two || len(two) < 40 {
			t.Fatalf("%q is stored of %q", stored, two)
		}
		for range 3 { // each use counts
			set(ageOfSession - time.Minute)
			_, err := s.KeyOfSession(ctx, two)
			c.no(err)
		}
		set(ageOfSession + time.Second)
		ended(two)
		c.no(s.Tidy(ctx))
		if stored, err = list[string](ctx, s.read, "SELECT hash FROM session"); err != nil || len(stored) != 0 {
			t.Fatalf("%q, %v", stored, err)
		}
		first := begin()
		for range maxSessions {
			_, err := s.CreateSession(ctx, k.ID)
			c.no(err)
		}
		ended(first)
		last := begin()
		if _, err := s.write.Exec("UPDATE api_key SET expires = $1", now().UnixMicro()-1); err != nil {
			t.Fatal(err)
		}
		ended(last)
		if _, err := s.write.Exec("UPDATE api_key SET expires = 0"); err != nil {
			t.Fatal(err)
		}
		c.no(s.DeleteKey(ctx, "tester", k.ID, true))
		ended(last)
		_, err = s.CreateSession(ctx, k.ID)
		c.is(err, ErrNotFound)
	})
}

// Requests that were carried out when the process ended are free at the next start.
func TestReopenOnce(t *testing.T) {
	at := filepath.Join(t.TempDir(), "a.db")
	s := open(t, at)
	c := collect(t, s)
	plain, changed := &Request{Actor: "k", Key: "1", Route: "/x"}, &Request{Actor: "k", Key: "2", Route: "/x"}
	for _, o := range []*Request{plain, changed} {
		was, err := s.BeginRequest(t.Context(), o, time.Hour)
		c.no(err)
		if was != nil {
			t.Fatalf("%+v", was)
		}
	}
	_, _, err := s.CreatePerson(WithRequest(t.Context(), changed), "k", c.id, "x", Known, true)
	c.no(err)
	c.no(s.Close())
	s = open(t, at)
	if was, err := s.BeginRequest(t.Context(), plain, time.Hour); err != nil || was != nil {
		t.Errorf("%+v, %v", was, err)
	}
	if was, err := s.BeginRequest(t.Context(), changed, time.Hour); err != nil || was == nil || !was.HasChanges || !was.IsAbandoned() {
		t.Errorf("%+v, %v", was, err)
	}
}

func TestTwoWriters(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 5 {
					if _, _, err := s.CreatePerson(context.Background(), "tester", c.id, "x", Known, true); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		people, err := s.People(t.Context(), c.id, c.b.ID, 100)
		c.no(err)
		if len(people) != 20 {
			t.Fatalf("%d people", len(people))
		}
		c.no(s.CheckAudit(t.Context()))
		if _, err := s.write.Exec("UPDATE audit SET actor = 'x' WHERE seq = 2"); err != nil {
			t.Fatal(err)
		}
		if s.CheckAudit(t.Context()) == nil {
			t.Fatal("a changed line is not noticed")
		}
	})
}

// What was imported gives its room in the file back.
func TestFileShrinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nrdl.db")
	c := collect(t, open(t, path))
	size := func() int64 {
		info, err := os.Stat(path)
		c.no(err)
		return info.Size()
	}
	before := size()
	const pieces = 12
	for n := range pieces {
		c.no(c.s.PutPiece(t.Context(), c.id, "j", n, make([]byte, Piece)))
	}
	c.add(c.a.ID, 1) // lies behind them
	c.no(c.s.DeleteFile(t.Context(), c.id, "j"))
	if after := size(); after > before+5<<20 {
		t.Errorf("the file has %d bytes, and had %d", after, before)
	}
}

// A backup is the whole database, without the messages that wait.
func TestBackup(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		hook, err := s.CreateHook(t.Context(), "tester", c.id, Hook{URL: "http://x", Events: Events})
		c.no(err)
		c.no(s.Emit(t.Context(), c.id, Event{Event: "photo.known"}))
		k, _, err := s.CreateKey(t.Context(), "tester", "me", nil, nil, time.Time{})
		c.no(err)
		session, err := s.CreateSession(t.Context(), k.ID)
		c.no(err)
		at := filepath.Join(t.TempDir(), "copy ?.db")
		size, err := s.Backup(t.Context(), at)
		if s.postgres {
			c.is(err, ErrNoBackup)
			return
		}
		c.no(err)
		info, err := os.Stat(at)
		if err != nil || info.Size() != size {
			t.Fatalf("%v, %v, %d", info, err, size)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("the backup has the mode %v", info.Mode())
		}
		if _, err := s.KeyOfSession(t.Context(), session); err != nil {
			t.Errorf("the backup has ended a session here: %v", err)
		}
		_, err = s.Backup(t.Context(), at)
		c.is(err, ErrConflict)
		c.add(c.a.ID, 1) // not in the copy
		c.no(os.Chmod(at, 0o644))
		c.s = open(t, at)
		if info, err := os.Stat(at); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("the restored database has the mode %v, %v", info.Mode(), err)
		}
		_, err = c.s.KeyOfSession(t.Context(), session)
		c.is(err, ErrNotFound)
		c.want(c.a.ID, c.fa...)
		c.no(c.s.CheckAudit(t.Context()))
		all, err := c.s.Jobs(t.Context(), c.id, KindMessage, "", hook.ID, "", 10)
		c.no(err)
		if j, err := c.s.Lease(t.Context(), "w", true, time.Minute); err != nil || j != nil || len(all) != 1 || all[0].State != Cancelled ||
			all[0].Error == "" {
			t.Errorf("the copy would send %+v, %v; %+v", j, err, all)
		}
		if j, err := s.Lease(t.Context(), "w", true, time.Minute); err != nil || j == nil {
			t.Errorf("the message is not sent at all: %v", err)
		}
	})
}

func TestReopen(t *testing.T) {
	at := filepath.Join(t.TempDir(), "a.db")
	s := open(t, at)
	c := collect(t, s)
	c.no(s.Close())
	s = open(t, at)
	c.s = s
	c.want(c.a.ID, c.fa...)
	if _, err := s.write.Exec("INSERT INTO migration (name) VALUES ('migrations/9999_later.sql')"); err != nil {
		t.Fatal(err)
	}
	c.no(s.Close())
	if _, err := Open(t.Context(), at); err == nil {
		t.Fatal("a database of a newer program is opened")
	}
}

// A later program changes the tables once, also while no other process may be served. A database of a
// development build, whose tables are older than the first migration, is refused with what to do.
func TestMigrations(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		later := fstest.MapFS{
			"migrations/9998_drawn.sql": {Data: []byte("ALTER TABLE person ADD COLUMN drawn TEXT NOT NULL DEFAULT 'blue'")},
		}
		present, err := fs.Glob(migrations, "migrations/*.sql")
		c.no(err)
		for _, name := range present {
			text, err := fs.ReadFile(migrations, name)
			c.no(err)
			later[name] = &fstest.MapFile{Data: text}
		}
		s.isServed = true
		if err := s.migrate(t.Context(), later); !strings.Contains(fmt.Sprint(err), "is older") {
			t.Errorf("beside an older service: %v", err)
		}
		s.isServed = false
		for range 2 { // the second time nothing is to be done
			c.no(s.migrate(t.Context(), later))
		}
		drawn, err := list[string](t.Context(), s.read, "SELECT DISTINCT drawn FROM person")
		if err != nil || !slices.Equal(drawn, []string{"blue"}) {
			t.Errorf("the new column has %q, %v", drawn, err)
		}
		c.want(c.a.ID, c.fa...)
		if err := s.migrate(t.Context(), migrations); !strings.Contains(fmt.Sprint(err), "newer program") {
			t.Errorf("the program before the change: %v", err)
		}
		for _, change := range []string{"DELETE FROM migration", "INSERT INTO migration (name) VALUES ('migrations/0006_facts.sql')"} {
			_, err := s.write.ExecContext(t.Context(), change)
			c.no(err)
		}
		if err := s.migrate(t.Context(), migrations); !errors.Is(err, errOlder) || !strings.Contains(advice.Text(err), "export") {
			t.Errorf("a development build: %v, %s", err, advice.Text(err))
		}
	})
}

// One process at a time opens a file of SQLite, which nobody else may read.
func TestFileIsForOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nrdl.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path); !strings.Contains(fmt.Sprint(err), "another process serves") || advice.Text(err) == "" {
		t.Errorf("a second one: %v", err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

// An operator changes keys while a service runs, which knows them at once.
func TestOpenServed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nrdl.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := &collected{T: t, s: s}
	beside, err := OpenServed(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	k, secret, err := beside.CreateKey(t.Context(), "operator", "me", []string{"admin"}, nil, time.Time{})
	c.no(err)
	_, _, err = s.CreateKey(t.Context(), "local", "other", []string{"admin"}, nil, time.Time{})
	c.no(err)
	_, err = s.KeyOf(t.Context(), secret)
	c.no(err)
	c.no(beside.DeleteKey(t.Context(), "operator", k.ID, false))
	c.no(beside.Close())
	_, err = s.KeyOf(t.Context(), secret)
	c.is(err, ErrNotFound)
	c.no(s.CheckAudit(t.Context()))
}

// Names that differ only in how Unicode writes an accent are equal.
func TestNamesInBothForms(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		p, _, err := s.CreatePerson(t.Context(), "k", c.id, "Zo\u00eb", Known, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.CreatePerson(t.Context(), "k", c.id, "Zoe\u0308", Known, false); !errors.Is(err, ErrConflict) {
			t.Errorf("the other form: %v", err)
		}
		if id, err := s.PersonByName(t.Context(), c.id, "Zoe\u0308"); err != nil || id != p.ID {
			t.Errorf("found %q, %v", id, err)
		}
	})
}

func TestRoom(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		c.no(s.CheckRoom(t.Context()))
		if left, err := list[string](t.Context(), s.read, "SELECT key FROM once"); err != nil || len(left) > 0 {
			t.Errorf("%v is left, %v", left, err)
		}
		c.no(s.Close())
		if s.postgres && s.CheckRoom(t.Context()) == nil {
			t.Error("a database that is closed has room")
		}
	})
}
