// Package store keeps collections of people and faces in a database, SQLite or
// PostgreSQL. It knows nothing of images: crops and vectors are bytes to it.
//
// Every change is one transaction, which also writes what is needed to undo it and a
// line of the audit log; when a method returns, the change is on the disk. Labels,
// what people said, are only added to; guesses, what the machine says, are replaced.
package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/atomicfile"

	"github.com/google/uuid"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	_ "modernc.org/sqlite"             // the driver sqlite
)

var (
	// ErrNotFound is returned for an id that there is not.
	ErrNotFound = errors.New("not found")
	// ErrConflict is returned for a change that the present state does not allow.
	ErrConflict = errors.New("conflict")
	// ErrAudit is returned for an audit log that was changed by somebody else.
	ErrAudit = errors.New("the audit log is damaged")
)

// A Conflict says why the present state does not allow a change. It is ErrConflict.
type Conflict struct {
	Text string
	ID   string // of what stands in the way, if that is one thing
	Now  []Holder
}

// A Holder is whose a face is now, on which somebody else has decided meanwhile.
type Holder struct {
	Face   string `json:"face"`
	Person string `json:"person" doc:"Id; empty for nobody"`
	Name   string `json:"name"`
}

func (c *Conflict) Error() string { return c.Text }

// Is implements errors.Is.
func (c *Conflict) Is(target error) bool { return target == ErrConflict }

func conflict(format string, args ...any) error { return &Conflict{Text: fmt.Sprintf(format, args...)} }

//go:embed migrations/*.sql
var migrations embed.FS

// A Store is a database. It is safe for concurrent use, also by several processes.
type Store struct {
	write, read *sql.DB // two pools for SQLite, which has one writer; else the same
	postgres    bool
	file        string // data source name of SQLite
	path        string // of its file
	unlock      func() // lets another process open the file of SQLite
}

// fileURL is the data source name of a file of SQLite.
func fileURL(path string) string { return "file:" + (&url.URL{Path: path}).EscapedPath() }

// Connections to PostgreSQL, and for reading SQLite.
const connections = 10

// lockKey is the advisory lock of PostgreSQL under which changes are made: the audit
// log is a chain.
const lockKey = 0x6e72646c

// Open opens the database at url, postgres://… or the path of a file for SQLite, whose folder
// is made if it is not there, and brings its tables up to date. One process at a time can
// open a file.
func Open(ctx context.Context, url string) (*Store, error) {
	s := &Store{postgres: isPostgres(url)}
	if err := s.connect(url); err != nil {
		if s.unlock != nil {
			s.unlock()
		}
		return nil, fmt.Errorf("open database: %w", err)
	}
	err := s.migrate(ctx)
	if err == nil && !s.postgres { // whoever carried out requests has ended
		_, err = s.write.ExecContext(ctx, "UPDATE once SET due = 0 WHERE due > 0")
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("open database: %w", err)
	}
	return s, nil
}

func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// IsNew reports whether Open would make the file at url.
func IsNew(url string) bool {
	_, err := os.Stat(url)
	return !isPostgres(url) && errors.Is(err, fs.ErrNotExist)
}

func (s *Store) connect(at string) (err error) {
	if s.postgres {
		u, err := url.Parse(at)
		if err != nil {
			return errors.New("the URL cannot be read") // the error has the password
		}
		q := u.Query()
		if !q.Has("statement_timeout") {
			q.Set("statement_timeout", "30000")
			u.RawQuery = q.Encode()
		}
		if s.write, err = sql.Open("pgx", u.String()); err != nil {
			return err
		}
		s.write.SetMaxOpenConns(connections)
		s.write.SetMaxIdleConns(connections)
		s.read = s.write
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return advice.Add(err, "the database needs a folder of its own, which may not exist yet: not a model, not a photograph")
	}
	if s.unlock, err = atomicfile.Lock(at); errors.Is(err, atomicfile.ErrLocked) {
		return advice.Add(fmt.Errorf("another process serves %s", at), "stop it, or use PostgreSQL, which several may share: --database postgres://…")
	} else if err != nil {
		return err
	}
	if err := ownFile(at); err != nil {
		return err
	}
	// The time to wait for a lock comes first, as the next ones may need it. Pages that are
	// free can be given back only if a new file is told so before anything is written to it.
	// That writes, so those who read do without it: they can be opened when the disk is full.
	s.path = at
	s.file = fileURL(at) + "?_pragma=busy_timeout(10000)"
	if s.write, err = sql.Open("sqlite", s.file+"&_pragma=auto_vacuum(INCREMENTAL)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=secure_delete(ON)&_pragma=foreign_keys(ON)&_txlock=immediate"); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	s.read, err = sql.Open("sqlite", s.file+"&_pragma=query_only(ON)")
	if err == nil {
		s.read.SetMaxOpenConns(connections)
		s.read.SetMaxIdleConns(connections)
	}
	return err
}

// ownFile makes a file if it is not there, for its owner only, whatever the folder is. One
// that is there, and what SQLite has beside it, may be a copy that others can read.
func ownFile(at string) error {
	f, err := os.OpenFile(at, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		info, err := os.Stat(at + suffix)
		if err != nil || info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err := os.Chmod(at+suffix, 0o600); err != nil {
			return advice.Add(err, "others can read the database, which has faces: give the file to whoever runs this program")
		}
	}
	return nil
}

// Close ends all connections.
func (s *Store) Close() error {
	if s.read == s.write {
		return s.write.Close()
	}
	err := errors.Join(s.read.Close(), s.write.Close())
	s.unlock()
	return err
}

// Ping is an error if the database cannot be reached.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return s.read.QueryRowContext(ctx, "SELECT 1").Scan(&one)
}

// CheckRoom is an error if nothing of the size of a few faces can be written where the
// database is. It leaves nothing.
func (s *Store) CheckRoom(ctx context.Context) error {
	data := make([]byte, 1<<18)
	_, _ = rand.Read(data) // never fails; some file systems need no room for zeros
	if s.postgres {
		tx, err := s.write.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // nothing is to be kept
		_, err = tx.ExecContext(ctx, "INSERT INTO once (actor, key, collection, route, changed, status, type, digest, answer, at) VALUES ('', $1, '', '', 0, 0, '', '', $2, 0)", NewID(), data)
		return err
	}
	// A small change of SQLite may find room in its log when there is none for more.
	f, err := os.CreateTemp(filepath.Dir(s.path), filepath.Base(s.path)+".room*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// migrate runs the migrations that the database does not have yet.
func (s *Store) migrate(ctx context.Context) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS migration (name VARCHAR(255) PRIMARY KEY)"); err != nil {
			return err
		}
		done, err := list(ctx, tx, func(r *sql.Rows) (name string, err error) { return name, r.Scan(&name) }, "SELECT name FROM migration ORDER BY name")
		if err != nil {
			return err
		}
		files, err := fs.Glob(migrations, "migrations/*.sql")
		if err != nil {
			return err
		}
		for _, name := range done {
			if !slices.Contains(files, name) {
				return fmt.Errorf("a newer program made this database: it has %s", name)
			}
		}
		for _, name := range files {
			if slices.Contains(done, name) {
				continue
			}
			text, err := migrations.ReadFile(name)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, s.dialect(string(text))); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if _, err := tx.ExecContext(ctx, "INSERT INTO migration (name) VALUES ($1)", name); err != nil {
				return err
			}
		}
		return nil
	})
}

// dialect is a migration in the dialect of the database.
func (s *Store) dialect(text string) string {
	if !s.postgres {
		return text
	}
	return strings.NewReplacer(" BLOB", " BYTEA", " TEXT", ` TEXT COLLATE "C"`).Replace(text)
}

// inTx runs do in a transaction, one at a time in all processes.
func (s *Store) inTx(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // of no use after Commit
	if s.postgres {
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", lockKey); err != nil {
			return err
		}
	}
	if err := begun(ctx, tx); err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// A change is a transaction that changes a collection.
type change struct {
	*sql.Tx
	ctx        context.Context
	collection string
	seq        int64
	actor      string
	at         time.Time
}

// change runs do as a change of a collection by an actor.
func (s *Store) change(ctx context.Context, actor, collection string, do func(*change) error) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		c := &change{tx, ctx, collection, 0, actor, now()}
		err := tx.QueryRowContext(ctx, "UPDATE collection SET seq = seq + 1 WHERE id = $1 RETURNING seq", collection).Scan(&c.seq)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("collection %w", ErrNotFound)
		}
		if err != nil {
			return err
		}
		return do(c)
	})
}

// exec runs a statement and returns how many rows it changed. Args follow $1, the
// collection.
func (c *change) exec(statement string, args ...any) (int64, error) {
	r, err := c.ExecContext(c.ctx, statement, append([]any{c.collection}, args...)...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// must is exec of a statement that is to change a row of what, at least.
func (c *change) must(what, statement string, args ...any) error {
	n, err := c.exec(statement, args...)
	if err == nil && n == 0 {
		err = fmt.Errorf("%s %w", what, ErrNotFound)
	}
	return err
}

// audit adds a line to the audit log.
func audit(ctx context.Context, tx *sql.Tx, actor, verb, object string) error {
	var seq int64
	previous := ""
	err := tx.QueryRowContext(ctx, "SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1").Scan(&seq, &previous)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	seq++
	at := now().UnixMicro()
	_, err = tx.ExecContext(ctx, "INSERT INTO audit (seq, at, actor, verb, object, previous, hash) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		seq, at, actor, verb, object, previous, auditHash(seq, at, actor, verb, object, previous))
	return err
}

func auditHash(seq, at int64, actor, verb, object, previous string) string {
	h := sha256.Sum256(fmt.Appendf(nil, "%d\x00%d\x00%q\x00%q\x00%q\x00%s", seq, at, actor, verb, object, previous))
	return hex.EncodeToString(h[:])
}

// A Line is a line of the audit log. It has ids, never names.
type Line struct {
	Seq    int64     `json:"seq"`
	At     time.Time `json:"at"`
	Actor  string    `json:"actor"`
	Verb   string    `json:"verb"`
	Object string    `json:"object"`
	Hash   string    `json:"hash" doc:"SHA-256 of the line and the hash before"`
}

// Audit returns up to limit lines of the audit log before a line, 0 for all, the latest
// first.
func (s *Store) Audit(ctx context.Context, before int64, limit int) ([]Line, error) {
	return list(ctx, s.read, func(r *sql.Rows) (l Line, err error) {
		var at int64
		err = r.Scan(&l.Seq, &at, &l.Actor, &l.Verb, &l.Object, &l.Hash)
		l.At = timeOf(at)
		return l, err
	}, "SELECT seq, at, actor, verb, object, hash FROM audit WHERE $1 = 0 OR seq < $1 ORDER BY seq DESC LIMIT $2", before, limit)
}

// CheckAudit is ErrAudit if a line of the audit log was changed or removed; missing
// last lines are not noticed.
func (s *Store) CheckAudit(ctx context.Context) error {
	rows, err := s.read.QueryContext(ctx, "SELECT seq, at, actor, verb, object, previous, hash FROM audit ORDER BY seq")
	if err != nil {
		return err
	}
	defer rows.Close()
	last, n := "", int64(0)
	for rows.Next() {
		var seq, at int64
		var actor, verb, object, previous, hash string
		if err := rows.Scan(&seq, &at, &actor, &verb, &object, &previous, &hash); err != nil {
			return err
		}
		if n++; seq != n || previous != last || hash != auditHash(seq, at, actor, verb, object, previous) {
			return fmt.Errorf("line %d is not what was written: %w", n, ErrAudit)
		}
		last = hash
	}
	return rows.Err()
}

// A querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// list returns what scan makes of the rows of a query.
func list[T any](ctx context.Context, from querier, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := []T{}
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// one is list of a query for a single row of what.
func one[T any](ctx context.Context, what string, from querier, scan func(*sql.Rows) (T, error), query string, args ...any) (T, error) {
	all, err := list(ctx, from, scan, query, args...)
	var none T
	switch {
	case err != nil:
		return none, err
	case len(all) == 0:
		return none, fmt.Errorf("%s %w", what, ErrNotFound)
	}
	return all[0], nil
}

// NewID returns an id; later ones are larger.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// now is the time in the precision of the database.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

func timeOf(micro int64) time.Time { return time.UnixMicro(micro).UTC() }
