package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Key gives a program access, or somebody who has logged in at a provider of OpenID Connect.
type Key struct {
	ID          string
	Name        string
	Scopes      []string
	Collections []string // that it may use; none: all
	Created     time.Time
	Expires     time.Time // zero: never
	Subject     string    // who it is for the provider; "": the key of a program
	Email       string
}

func (k *Key) columns() []any {
	return []any{&k.ID, &k.Name, (*words)(&k.Scopes), (*words)(&k.Collections), (*micros)(&k.Created), (*micros)(&k.Expires), &k.Subject, &k.Email}
}

const keyColumns = "SELECT id, name, scopes, collections, created, expires, subject, email FROM api_key "

// hashOf is the stored form of a secret. Secrets are random and need no salt.
func hashOf(secret string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(secret)))
}

// CreateKey adds a key and returns its secret, which is not stored. If expires is zero, the
// key never expires.
func (s Access) CreateKey(ctx context.Context, actor, name string, scopes, collections []string, expires time.Time) (Key, string, error) {
	secret := "nrdl_" + newSecret()
	k := Key{ID: NewID(), Name: name, Scopes: scopes, Collections: collections, Created: now(), Expires: expires.Truncate(time.Microsecond)}
	until := int64(0)
	if !expires.IsZero() {
		until = expires.UnixMicro()
	}
	return k, secret, s.inTx(ctx, actor, func(t *tx) {
		t.exec("INSERT INTO api_key (id, hash, name, scopes, collections, created, expires) VALUES ($1, $2, $3, $4, $5, $6, $7)",
			k.ID, hashOf(secret), name, strings.Join(scopes, " "), strings.Join(collections, " "), k.Created.UnixMicro(), until)
		t.audit(keyMade, k.ID)
	})
}

// Keys returns all keys, the oldest first, also of people who have logged in.
func (s Access) Keys(ctx context.Context) ([]Key, error) {
	return list[Key](ctx, s.read, keyColumns+"ORDER BY id")
}

// KeyOf returns the key with this secret, unless it has expired.
func (s Access) KeyOf(ctx context.Context, secret string) (Key, error) {
	return one[Key](ctx, "key", s.read, keyColumns+"WHERE hash = $1 AND (expires = 0 OR expires > $2)", hashOf(secret), now().UnixMicro())
}

// Manages reports whether k lets somebody create keys for as long as the service runs. Who has logged in
// can do so again.
func (k Key) Manages() bool {
	return slices.Contains(k.Scopes, "admin") && (k.Expires.IsZero() || k.Subject != "") && len(k.Collections) == 0
}

// Lines of the audit log that decide whether a service takes requests without a key.
const keyMade, loggedIn, madeKeyless = "create key", "log in", "open service"

// DeleteKey removes a key and ends its sessions. It returns a *Conflict, which is LastKey, if no
// other key manages: with open, the very last key is removed all the same, with those of people who
// have logged in, and the service then takes requests without a key.
func (s Access) DeleteKey(ctx context.Context, actor, id string, open bool) error {
	return s.inTx(ctx, actor, func(t *tx) {
		key := row[Key](t, "key", keyColumns+"WHERE id = $1", id)
		others := rows[Key](t, keyColumns+"WHERE id <> $1", id)
		last := open && !slices.ContainsFunc(others, Key.IsOfProgram)
		if key.IsOfProgram() && (len(others) == 0 || key.Manages()) && !slices.ContainsFunc(others, Key.Manages) && !last {
			t.fail(LastKey)
		}
		t.exec("DELETE FROM api_key WHERE id = $1 OR $2 AND subject <> ''", id, last)
		t.audit("delete key", id)
		if last {
			t.audit(madeKeyless, id)
		}
	})
}

// IsOfProgram reports whether k is the key of a program, and not of somebody who has logged in.
func (k Key) IsOfProgram() bool { return k.Subject == "" }

// LastKey is the error of DeleteKey for a key without which nobody could create another one.
var LastKey = &Conflict{
	Code: "last_admin_key",
	Text: "this is the last key with the scope admin that does not expire: create another one first",
}

// IsKeyless reports whether requests need no key: there never was one and nobody has logged in, or
// DeleteKey has removed the last one to open the service.
func (s Access) IsKeyless(ctx context.Context) (bool, error) {
	some, err := list[string](ctx, s.read, "SELECT id FROM api_key LIMIT 1")
	if err != nil || len(some) > 0 {
		return false, err
	}
	// In the words of the index audit_key.
	last, err := list[string](ctx, s.read, "SELECT verb FROM audit WHERE verb IN ('"+keyMade+"', '"+loggedIn+"', '"+madeKeyless+"') ORDER BY seq DESC LIMIT 1")
	return err == nil && (len(last) == 0 || last[0] == madeKeyless), err
}

// Limits of sessions.
const (
	ageOfSession = 12 * time.Hour // since its last use, after which a session ends
	noteUse      = time.Minute    // after which a use is noted again
	maxSessions  = 100            // of a key
)

// newSecret returns a random text that nobody can guess.
func newSecret() string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	return base64.RawURLEncoding.EncodeToString(random)
}

// CreateSession starts a session with a key and returns its secret, which is not stored. If
// the key has too many sessions, it ends the one that was not used for longest.
func (s Access) CreateSession(ctx context.Context, key string) (secret string, err error) {
	secret = newSecret()
	return secret, s.inTx(ctx, key, func(t *tx) {
		row[string](t, "key", "SELECT id FROM api_key WHERE id = $1", key)
		t.beginSession(key, secret, "")
	})
}

func (t *tx) beginSession(key, secret, token string) {
	t.exec(fmt.Sprintf(
		"DELETE FROM session WHERE key = $1 AND hash NOT IN (SELECT hash FROM session WHERE key = $1 ORDER BY used DESC LIMIT %d)",
		maxSessions-1), key)
	t.exec("INSERT INTO session (hash, key, used, token) VALUES ($1, $2, $3, $4)", hashOf(secret), key, t.at.UnixMicro(), token)
}

// LogIn starts a session of somebody who has logged in at a provider, and returns its secret, which is not
// stored; token, which is, ends the session there. The key k has the id, name, scopes, subject and e-mail
// address of the person, and ends 12 hours later; without scopes, all sessions of the person end and none
// begins. A state is that of one login: with it again, LogIn returns ErrConflict.
func (s Access) LogIn(ctx context.Context, k Key, state, token string) (secret string, err error) {
	secret = newSecret()
	return secret, s.inTx(ctx, k.ID, func(t *tx) {
		if t.exec("INSERT INTO login (state, at) VALUES ($1, $2) ON CONFLICT (state) DO NOTHING", state, t.at.UnixMicro()) == 0 {
			t.fail(conflict("this login is finished already"))
		}
		if len(k.Scopes) == 0 {
			t.exec("UPDATE api_key SET scopes = '', expires = $2 WHERE id = $1", k.ID, t.at.UnixMicro())
			t.exec("DELETE FROM session WHERE key = $1", k.ID)
			return
		}
		t.exec("INSERT INTO api_key (id, hash, name, scopes, created, expires, subject, email) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "+
			"ON CONFLICT (id) DO UPDATE SET name = excluded.name, scopes = excluded.scopes, expires = excluded.expires, email = excluded.email",
			k.ID, "none "+k.ID, k.Name, strings.Join(k.Scopes, " "), t.at.UnixMicro(), t.at.Add(ageOfSession).UnixMicro(), k.Subject, k.Email)
		t.beginSession(k.ID, secret, token)
		t.audit(loggedIn, k.ID)
	})
}

// KeyOfSession returns the key of a session, unless the session or the key has ended.
func (s Access) KeyOfSession(ctx context.Context, secret string) (Key, error) {
	at, hash := now(), hashOf(secret)
	k, err := one[Key](ctx, "session", s.read,
		keyColumns+"WHERE id = (SELECT key FROM session WHERE hash = $1 AND used > $2) AND (expires = 0 OR expires > $3)",
		hash, at.Add(-ageOfSession).UnixMicro(), at.UnixMicro())
	if err != nil {
		return k, err
	}
	old, err := list[string](ctx, s.read, "SELECT hash FROM session WHERE hash = $1 AND used < $2", hash, at.Add(-noteUse).UnixMicro())
	if err == nil && len(old) > 0 {
		// If this fails, as on a full disk, the session can still be used for reading.
		_, _ = s.write.ExecContext(ctx, "UPDATE session SET used = $2 WHERE hash = $1", hash, at.UnixMicro())
	}
	return k, err
}

// EndSession ends the session with this secret, if there is one, and returns its token of LogIn.
func (s Access) EndSession(ctx context.Context, secret string) (token string, err error) {
	tokens, err := list[string](ctx, s.write, "DELETE FROM session WHERE hash = $1 RETURNING token", hashOf(secret))
	return strings.Join(tokens, ""), err
}
