package store

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Somebody who logs in has the scopes of the last login, in all sessions, for twelve hours. A state is taken
// once. Who has logged in is named beside the lines of the audit log, also later, and a service at which
// somebody has is not keyless.
func TestLogIn(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := &collected{T: t, s: s}
		ctx := t.Context()
		ann := Key{ID: NewID(), Name: "Ann", Scopes: []string{"admin"}, Subject: "1", Email: "ann@id.example"}
		keyless := func(want bool) {
			t.Helper()
			got, err := s.IsKeyless(ctx)
			if c.no(err); got != want {
				t.Fatalf("keyless is %v", got)
			}
		}
		login := func(k Key, state string) string {
			t.Helper()
			secret, err := s.LogIn(ctx, k, state, "token of "+state)
			c.no(err)
			return secret
		}
		of := func(secret string, scopes ...string) {
			t.Helper()
			k, err := s.KeyOfSession(ctx, secret)
			if c.no(err); !cmp.Equal(k.Scopes, scopes) || k.ID != ann.ID {
				t.Errorf("%+v", k)
			}
		}
		ended := func(secret string) {
			t.Helper()
			_, err := s.KeyOfSession(ctx, secret)
			c.is(err, ErrNotFound)
		}
		first := login(ann, "a")
		of(first, "admin")
		keyless(false)
		_, err := s.LogIn(ctx, ann, "a", "")
		c.is(err, ErrConflict)
		_, err = s.KeyOf(ctx, "none "+ann.ID)
		c.is(err, ErrNotFound)
		keys, err := s.Keys(ctx)
		c.no(err)
		want := ann
		want.Collections = []string{}
		if diff := cmp.Diff([]Key{want}, keys, cmpopts.IgnoreFields(Key{}, "Created", "Expires"), cmpopts.EquateEmpty()); diff != "" ||
			keys[0].Expires.Sub(keys[0].Created) != 12*time.Hour {
			t.Errorf("%s\n%+v", diff, keys)
		}

		ann.Name, ann.Scopes = "Ann Example", []string{"identify"}
		second := login(ann, "b")
		of(first, "identify")
		of(second, "identify")
		token, err := s.EndSession(ctx, first)
		if c.no(err); token != "token of a" {
			t.Errorf("the token is %q", token)
		}
		ended(first)
		if _, err := s.write.Exec("UPDATE api_key SET expires = $1", now().UnixMicro()-1); err != nil {
			t.Fatal(err)
		}
		ended(second)
		third := login(ann, "c")
		ann.Scopes = nil
		login(ann, "d")
		ended(third)
		lines, err := s.Audit(ctx, 0, 10)
		c.no(err)
		for _, l := range lines {
			if l.Who != "Ann Example <ann@id.example>" || l.Verb != "log in" || l.Actor != ann.ID {
				t.Errorf("%+v", l)
			}
		}
		if len(lines) != 3 {
			t.Errorf("%d lines", len(lines))
		}
		c.no(s.CheckAudit(ctx))
		c.no(s.DeleteKey(ctx, "tester", ann.ID, false))
		keyless(false) // also if nobody is left
		if _, err := s.write.Exec("UPDATE login SET at = 0"); err != nil {
			t.Fatal(err)
		}
		c.no(s.Tidy(ctx))
		if left, err := list[string](ctx, s.read, "SELECT state FROM login"); err != nil || len(left) != 0 {
			t.Errorf("%q %v", left, err)
		}
	})
}

// An administrator who logs in stands for the last key that makes others. Only who demands it opens the
// service, and then nobody is logged in any more.
func TestLogInAndKeys(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := &collected{T: t, s: s}
		ctx := t.Context()
		k, _, err := s.CreateKey(ctx, "tester", "k", []string{"admin"}, nil, time.Time{})
		c.no(err)
		ann := Key{ID: NewID(), Name: "Ann", Scopes: []string{"identify"}, Subject: "1"}
		_, err = s.LogIn(ctx, ann, "a", "")
		c.no(err)
		c.is(s.DeleteKey(ctx, "tester", k.ID, false), LastKey)
		ann.Scopes = []string{"admin"}
		_, err = s.LogIn(ctx, ann, "b", "")
		c.no(err)
		c.no(s.DeleteKey(ctx, "tester", k.ID, false))
		if keyless, err := s.IsKeyless(ctx); err != nil || keyless {
			t.Errorf("%v %v", keyless, err)
		}
		k, _, err = s.CreateKey(ctx, "tester", "k", []string{"admin"}, nil, time.Time{})
		c.no(err)
		c.no(s.DeleteKey(ctx, "tester", k.ID, true))
		if keyless, err := s.IsKeyless(ctx); err != nil || !keyless {
			t.Errorf("%v %v", keyless, err)
		}
		if left, err := s.Keys(ctx); err != nil || len(left) != 0 {
			t.Errorf("%v %v", left, err)
		}
	})
}

// Keys and sessions of the tables before stay.
func TestLogInAfterUpgrade(t *testing.T) {
	at := filepath.Join(t.TempDir(), "a.db")
	s := open(t, at)
	c := &collected{T: t, s: s}
	k, secret, err := s.CreateKey(t.Context(), "tester", "k", []string{"admin"}, nil, time.Time{})
	c.no(err)
	session, err := s.CreateSession(t.Context(), k.ID)
	c.no(err)
	for _, back := range []string{
		"ALTER TABLE api_key DROP COLUMN subject", "ALTER TABLE api_key DROP COLUMN email", "ALTER TABLE session DROP COLUMN token",
		"DROP TABLE login", "DROP TABLE visit", "DROP TABLE sighting",
		"ALTER TABLE collection DROP COLUMN visitor_days", "ALTER TABLE person DROP COLUMN portrait",
		"DELETE FROM migration WHERE name >= 'migrations/0008'",
	} {
		if _, err := s.write.Exec(back); err != nil {
			t.Fatal(err)
		}
	}
	c.no(s.Close())
	s = open(t, at)
	for _, find := range []func() (Key, error){
		func() (Key, error) { return s.KeyOf(t.Context(), secret) }, func() (Key, error) { return s.KeyOfSession(t.Context(), session) },
	} {
		got, err := find()
		if c.no(err); !cmp.Equal(got, k, cmpopts.EquateEmpty()) {
			t.Errorf("%+v", got)
		}
	}
}
