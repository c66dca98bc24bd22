package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// A Key gives a program access.
type Key struct {
	ID          string
	Name        string
	Scopes      []string
	Collections []string // which it may use; none: all
	Created     time.Time
	Expires     time.Time // zero: never
}

const keyColumns = "SELECT id, name, scopes, collections, created, expires FROM api_key "

func scanKey(r *sql.Rows) (k Key, err error) {
	var scopes, collections string
	var created, expires int64
	err = r.Scan(&k.ID, &k.Name, &scopes, &collections, &created, &expires)
	k.Scopes, k.Collections, k.Created = strings.Fields(scopes), strings.Fields(collections), timeOf(created)
	if expires != 0 {
		k.Expires = timeOf(expires)
	}
	return k, err
}

// hashOf is what is stored of a secret, which is random and needs no salt.
func hashOf(secret string) string {
	h := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(h[:])
}

// CreateKey adds a key and returns its secret, which is not stored. It never expires if
// expires is zero.
func (s *Store) CreateKey(ctx context.Context, actor, name string, scopes, collections []string, expires time.Time) (Key, string, error) {
	secret := "nrdl_" + newSecret()
	k := Key{NewID(), name, scopes, collections, now(), expires.Truncate(time.Microsecond)}
	until := int64(0)
	if !expires.IsZero() {
		until = expires.UnixMicro()
	}
	return k, secret, s.inTx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO api_key (id, hash, name, scopes, collections, created, expires) VALUES ($1, $2, $3, $4, $5, $6, $7)",
			k.ID, hashOf(secret), name, strings.Join(scopes, " "), strings.Join(collections, " "), k.Created.UnixMicro(), until)
		if err != nil {
			return err
		}
		return audit(ctx, tx, actor, "create key", k.ID)
	})
}

// Keys returns all keys, the oldest first.
func (s *Store) Keys(ctx context.Context) ([]Key, error) {
	return list(ctx, s.read, scanKey, keyColumns+"ORDER BY id")
}

// KeyOf returns the key with this secret, unless it has expired.
func (s *Store) KeyOf(ctx context.Context, secret string) (Key, error) {
	return one(ctx, "key", s.read, scanKey, keyColumns+"WHERE hash = $1 AND (expires = 0 OR expires > $2)", hashOf(secret), now().UnixMicro())
}

// DeleteKey removes a key, with which its sessions end.
func (s *Store) DeleteKey(ctx context.Context, actor, id string) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, "DELETE FROM api_key WHERE id = $1", id)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n == 0 {
			return fmt.Errorf("key %w", ErrNotFound)
		}
		return audit(ctx, tx, actor, "delete key", id)
	})
}
