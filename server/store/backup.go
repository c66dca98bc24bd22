package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"nrdl.example/nrdl/internal/kit/atomicfile"
)

// ErrNoBackup is returned by Backup of PostgreSQL, whose own programs make backups.
var ErrNoBackup = errors.New("the database is PostgreSQL: back it up with pg_dump")

// Backup writes the database, as it is at one moment, to a new file at path, whole or
// not at all, and returns its size. Changes go on meanwhile. The file is a database that
// Open opens. Messages that wait to be sent are cancelled in it: this process sends them,
// and a service that starts on the copy must not send them again. Sessions are not in it.
func (s *database) Backup(ctx context.Context, path string) (size int64, err error) {
	if s.postgres {
		return 0, ErrNoBackup
	}
	return backup(ctx, s.file, path)
}

// BackupFile is Backup of the database of SQLite in the file from, which a service may use
// meanwhile.
func BackupFile(ctx context.Context, from, path string) (size int64, err error) {
	if isPostgres(from) {
		return 0, ErrNoBackup
	}
	if _, err := os.Stat(from); err != nil {
		return 0, fmt.Errorf("backup: %w", err)
	}
	if err := regularFiles(from); err != nil {
		return 0, fmt.Errorf("backup: %w", err)
	}
	return backup(ctx, fileURL(from)+"?_pragma=busy_timeout(10000)", path)
}

// backup copies the database with a data source name.
func backup(ctx context.Context, source, path string) (size int64, err error) {
	if _, err := os.Lstat(path); err == nil {
		return 0, conflict("backup: %s is there already", path)
	}
	err = atomicfile.WriteBy(path, func(name string) (err error) {
		size, err = copyTo(ctx, source, name)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("backup: %w", err)
	}
	return size, nil
}

// copyTo copies the database with a data source name to a file that is not there.
func copyTo(ctx context.Context, source, path string) (size int64, err error) {
	if err := ownFile(path); err != nil { // SQLite would make one that others can read
		return 0, err
	}
	from, err := sql.Open("sqlite", source)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	if _, err := from.ExecContext(ctx, "VACUUM INTO $1", path); err != nil {
		return 0, err
	}
	if err := finish(ctx, path); err != nil {
		return 0, err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), f.Sync()
}

// finish cancels the messages that wait in the database in a file, and ends the sessions; it
// is an error if that is damaged.
func finish(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", fileURL(path)+"?_pragma=secure_delete(ON)")
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx,
		"UPDATE job SET state = 'cancelled', worker = '', error = $1, finished = $2, version = version + 1 WHERE kind = '"+KindMessage+
			"' AND state IN ('waiting', 'running')",
		"not sent: this is a backup, and the service that made it sends the message", now().UnixMicro()); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "DELETE FROM session"); err != nil { // one that is ended later must not come back
		return err
	}
	report, err := one[string](ctx, "report", db, "PRAGMA integrity_check")
	if err == nil && report != "ok" {
		err = errors.New("the copy is damaged: " + report)
	}
	return err
}

// A Line is a line of the audit log. What is stored of it has ids and no names.
type Line struct {
	Seq      int64     `json:"seq"`
	At       time.Time `json:"at"`
	Actor    string    `json:"actor"`
	Who      string    `json:"who,omitempty" doc:"Name of the actor, if that is a key, or name and e-mail address of somebody who has logged in"`
	Verb     string    `json:"verb"`
	Object   string    `json:"object"`
	Hash     string    `json:"hash" doc:"SHA-256 of the line and the hash before"`
	previous string    // hash of the line before
}

func (l *Line) columns() []any {
	return []any{&l.Seq, (*micros)(&l.At), &l.Actor, &l.Verb, &l.Object, &l.Hash, &l.previous, &l.Who}
}

const (
	auditColumns = "SELECT seq, at, actor, verb, object, hash, previous, '' FROM audit "
	auditOfWhom  = "SELECT seq, at, actor, verb, object, hash, previous, COALESCE((SELECT name || CASE email WHEN '' THEN '' " +
		"ELSE ' <' || email || '>' END FROM api_key WHERE id = actor), '') FROM audit "
)

// digest is the Hash of a line.
func (l *Line) digest() string {
	return fmt.Sprintf("%x",
		sha256.Sum256(fmt.Appendf(nil, "%d\x00%d\x00%q\x00%q\x00%q\x00%s", l.Seq, l.At.UnixMicro(), l.Actor, l.Verb, l.Object, l.previous)))
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

// Note adds a line to the audit log.
func (s *database) Note(ctx context.Context, actor, verb, object string) error {
	return s.inTx(ctx, actor, func(t *tx) { t.audit(verb, object) })
}

// IsAudited reports whether the audit log has a line with this verb and object.
func (s *database) IsAudited(ctx context.Context, verb, object string) (bool, error) {
	found, err := list[Line](ctx, s.read, auditColumns+"WHERE verb = $1 AND object = $2 LIMIT 1", verb, object)
	return len(found) > 0, err
}

// Audit returns up to limit lines of the audit log, the latest first: those before the line
// number before, 0 for all.
func (s *database) Audit(ctx context.Context, before int64, limit int) ([]Line, error) {
	return list[Line](ctx, s.read, auditOfWhom+"WHERE $1 = 0 OR seq < $1 ORDER BY seq DESC LIMIT $2", before, limit)
}

// CheckAudit returns ErrAudit if a line of the audit log was changed or removed. It does not
// notice that lines at the end are missing.
func (s *database) CheckAudit(ctx context.Context) error {
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
