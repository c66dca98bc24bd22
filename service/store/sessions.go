package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"fmt"
	"time"
)

// A session ends when it was not used for ageOfSession; that it is used is noted once in
// noteUse. A key has mostSessions at a time.
const (
	ageOfSession = 12 * time.Hour
	noteUse      = time.Minute
	mostSessions = 100
)

// newSecret returns random text that nobody can guess.
func newSecret() string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	return base64.RawURLEncoding.EncodeToString(random)
}

// CreateSession starts a session with a key, in place of the one that was not used for
// longest if there are too many, and returns its secret, which is not stored.
func (s *Store) CreateSession(ctx context.Context, key string) (secret string, err error) {
	secret = newSecret()
	return secret, s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := one(ctx, "key", tx, scanString, "SELECT id FROM api_key WHERE id = $1", key); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, fmt.Sprintf("DELETE FROM session WHERE key = $1 AND hash NOT IN (SELECT hash FROM session WHERE key = $1 ORDER BY used DESC LIMIT %d)", mostSessions-1), key); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO session (hash, key, used) VALUES ($1, $2, $3)", hashOf(secret), key, now().UnixMicro())
		return err
	})
}

// KeyOfSession returns the key with which a session was started, unless one of them has ended.
func (s *Store) KeyOfSession(ctx context.Context, secret string) (Key, error) {
	at := now()
	hash := hashOf(secret)
	k, err := one(ctx, "session", s.read, scanKey, keyColumns+"WHERE id = (SELECT key FROM session WHERE hash = $1 AND used > $2) AND (expires = 0 OR expires > $3)",
		hash, at.Add(-ageOfSession).UnixMicro(), at.UnixMicro())
	if err != nil {
		return k, err
	}
	old, err := list(ctx, s.read, scanString, "SELECT hash FROM session WHERE hash = $1 AND used < $2", hash, at.Add(-noteUse).UnixMicro())
	if err == nil && len(old) > 0 {
		// Where nothing can be written, what is there can still be read.
		_, _ = s.write.ExecContext(ctx, "UPDATE session SET used = $2 WHERE hash = $1", hash, at.UnixMicro())
	}
	return k, err
}

// EndSession ends a session, if there is one with this secret.
func (s *Store) EndSession(ctx context.Context, secret string) error {
	_, err := s.write.ExecContext(ctx, "DELETE FROM session WHERE hash = $1", hashOf(secret))
	return err
}
