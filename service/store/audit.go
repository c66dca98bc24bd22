package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// A Line is a line of the audit log. It has ids and no names.
type Line struct {
	Seq      int64     `json:"seq"`
	At       time.Time `json:"at"`
	Actor    string    `json:"actor"`
	Verb     string    `json:"verb"`
	Object   string    `json:"object"`
	Hash     string    `json:"hash" doc:"SHA-256 of the line and the hash before"`
	previous string    // hash of the line before
}

func (l *Line) columns() []any {
	return []any{&l.Seq, (*micros)(&l.At), &l.Actor, &l.Verb, &l.Object, &l.Hash, &l.previous}
}

const auditColumns = "SELECT seq, at, actor, verb, object, hash, previous FROM audit "

// digest is the Hash of a line.
func (l *Line) digest() string {
	h := sha256.Sum256(fmt.Appendf(nil, "%d\x00%d\x00%q\x00%q\x00%q\x00%s", l.Seq, l.At.UnixMicro(), l.Actor, l.Verb, l.Object, l.previous))
	return hex.EncodeToString(h[:])
}

// audit adds a line to the audit log.
func (t *tx) audit(verb, object string) {
	l := Line{Seq: 1, At: now(), Actor: t.actor, Verb: verb, Object: object}
	if last := rows[Line](t, auditColumns+"ORDER BY seq DESC LIMIT 1"); len(last) > 0 {
		l.Seq, l.previous = last[0].Seq+1, last[0].Hash
	}
	t.exec("INSERT INTO audit (seq, at, actor, verb, object, previous, hash) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		l.Seq, l.At.UnixMicro(), l.Actor, l.Verb, l.Object, l.previous, l.digest())
}

// Audit returns up to limit lines of the audit log, the latest first: those before the line
// number before, 0 for all.
func (s *Store) Audit(ctx context.Context, before int64, limit int) ([]Line, error) {
	return list[Line](ctx, s.read, auditColumns+"WHERE $1 = 0 OR seq < $1 ORDER BY seq DESC LIMIT $2", before, limit)
}

// CheckAudit returns ErrAudit if a line of the audit log was changed or removed. It does not
// notice that lines at the end are missing.
func (s *Store) CheckAudit(ctx context.Context) error {
	rows, err := s.read.QueryContext(ctx, auditColumns+"ORDER BY seq")
	if err != nil {
		return err
	}
	defer rows.Close()
	var last Line
	for rows.Next() {
		var l Line
		if err := rows.Scan(l.columns()...); err != nil {
			return err
		}
		if l.Seq != last.Seq+1 || l.previous != last.Hash || l.Hash != l.digest() {
			return fmt.Errorf("line %d is not what was written: %w", last.Seq+1, ErrAudit)
		}
		last = l
	}
	return rows.Err()
}
