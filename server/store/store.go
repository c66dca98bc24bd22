// Package store keeps collections of people and faces in a database, SQLite or
// PostgreSQL. It knows nothing of images: crops and vectors are bytes to it.
//
// Every change is one transaction, which also writes what is needed to undo it and a
// line of the audit log; when a method returns, the change is on the disk. Labels,
// what people decide, are only added to; guesses, what the machine says, are replaced.
//
// Experimental: this package may change in any version.
package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/kit/regular"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	"modernc.org/sqlite"
)

var (
	// ErrNotFound is returned for an id that does not exist.
	ErrNotFound = errors.New("not found")
	// ErrConflict is returned for a change that the present state does not allow.
	ErrConflict = errors.New("conflict")
	// ErrAudit is returned if another program has changed the audit log.
	ErrAudit = errors.New("the audit log is damaged")
)

// A Conflict is the error of a change that the present state does not allow. errors.Is reports
// that it is ErrConflict.
type Conflict struct {
	Code    string // what is wrong, for programs; "" for a conflict of another kind
	Text    string
	ID      string   // of the person or collection that prevents the change; "" if there is not exactly one
	Holders []Holder // faces that do not have the expected person
}

func (c *Conflict) Error() string { return c.Text }

// Is implements errors.Is.
func (c *Conflict) Is(target error) bool { return target == ErrConflict }

func conflict(format string, args ...any) error { return &Conflict{Text: fmt.Sprintf(format, args...)} }

//go:embed migrations/*.sql
var migrations embed.FS

// A Store is an open database: its collections, people and faces. It is safe for concurrent use. Several
// processes may use one PostgreSQL database.
type Store struct {
	*database
	Labelling
	Queue
	Access
	Visiting
}

// Labelling has the decisions of people: which face shows which person.
type Labelling struct{ *database }

// Queue has the work that goes on when a process ends: jobs with their files, and messages to hooks.
type Queue struct{ *database }

// Visiting has who was not recognised, and when people were seen last.
type Visiting struct{ *database }

// Access has who may use the service, and the requests that are to be carried out once.
type Access struct{ *database }

// A database has the connections, and makes transactions.
type database struct {
	write, read *sql.DB // two pools for SQLite, which has one writer; one for PostgreSQL
	postgres    bool
	file        string // data source name of SQLite
	path        string // of its file
	unlock      func() // lets another process open the file of SQLite
	isServed    bool   // another process has it open
}

// fileURL is the data source name of a file of SQLite.
func fileURL(path string) string { return "file:" + (&url.URL{Path: path}).EscapedPath() }

// Connections to PostgreSQL, and for reading SQLite.
const connections = 10

// lockKey is the advisory lock of PostgreSQL under which changes are made: the audit
// log is a chain.
const lockKey = 0x6e72646c

// Open opens a database and brings its tables up to date. url is postgres://…, or the path of a
// file of SQLite. Open creates the file and its folder if they do not exist. Only one process at
// a time can open a file.
func Open(ctx context.Context, url string) (*Store, error) { return opened(ctx, url, false) }

// OpenServed is Open of a database that another process may serve meanwhile, for short changes. It
// leaves the tables of a service that runs as they are, and returns an error if they are not those
// of this program.
func OpenServed(ctx context.Context, url string) (*Store, error) { return opened(ctx, url, true) }

func opened(ctx context.Context, url string, beside bool) (*Store, error) {
	d := &database{postgres: isPostgres(url)}
	s := &Store{d, Labelling{d}, Queue{d}, Access{d}, Visiting{d}}
	if err := s.connect(url, beside); err != nil {
		if s.unlock != nil {
			s.unlock()
		}
		return nil, fmt.Errorf("open database: %w", err)
	}
	err := s.migrate(ctx, migrations)
	if err != nil && s.isShared(err) {
		if err = s.openAlone(); err == nil {
			err = s.migrate(ctx, migrations)
		}
	}
	if err == nil && !s.postgres && !s.isServed { // the process that carried out these requests has ended
		_, err = s.write.ExecContext(ctx, "UPDATE once SET due = 0 WHERE due > 0")
		if IsFull(err) {
			err = nil // they wait until their time is over
		}
	}
	if err != nil {
		s.Close()
		if IsFull(err) {
			err = advice.Add(err, "the disk is full, and the tables have to be changed for this program: make room first")
		}
		return nil, fmt.Errorf("open database: %w", err)
	}
	return s, nil
}

// isShared reports whether err says that there is no room for the file that processes share if they
// use a database of SQLite at the same time.
func (s *database) isShared(err error) bool {
	const noSize = 10 | 19<<8 // SQLITE_IOERR_SHMSIZE
	var lite *sqlite.Error
	return !s.postgres && runtime.GOOS != "windows" && errors.As(err, &lite) && lite.Code() == noSize
}

// openAlone opens the file of SQLite again without a file to share, so that no other process can open
// it: on a full disk, people are recognised all the same.
func (s *database) openAlone() error {
	if err := errors.Join(s.read.Close(), s.write.Close()); err != nil {
		return err
	}
	s.file += "&vfs=unix-excl"
	return s.openFile()
}

func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// IsNew reports whether url is the path of a file that does not exist yet; Open would create it.
func IsNew(url string) bool {
	_, err := os.Stat(url)
	return !isPostgres(url) && errors.Is(err, fs.ErrNotExist)
}

// connect connects to the database; with beside also to a file that another process serves.
func (s *database) connect(at string, beside bool) (err error) {
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
	if s.unlock, err = atomicfile.Lock(at); beside && errors.Is(err, atomicfile.ErrLocked) {
		s.unlock, s.isServed = func() {}, true
	} else if errors.Is(err, atomicfile.ErrLocked) {
		return advice.Add(fmt.Errorf("another process serves %s", at),
			"stop it, or use PostgreSQL, which several may share: --database postgres://…")
	} else if err != nil {
		return err
	}
	if err := ownFile(at); err != nil {
		return err
	}
	s.path = at
	s.file = fileURL(at) + "?_pragma=busy_timeout(10000)"
	return s.openFile()
}

// openFile makes the pools for the file of SQLite.
func (s *database) openFile() error {
	// The time to wait for a lock comes first, as the next ones may need it. Pages that are
	// free can be given back only if a new file gets this option before anything is written to it.
	// That writes, so others do without it: they can be opened when the disk is full.
	fresh := ""
	info, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		fresh = "&_pragma=auto_vacuum(INCREMENTAL)"
	}
	if s.write, err = sql.Open("sqlite",
		s.file+fresh+
			"&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=secure_delete(ON)&_pragma=foreign_keys(ON)&_txlock=immediate"); err != nil {
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

// besides are what the names of files of SQLite end with.
var besides = []string{"", "-wal", "-shm", "-journal"}

// regularFiles is an error if the database at a path, or what SQLite has beside it, is a pipe or a
// device, for which SQLite would wait.
func regularFiles(at string) error {
	for _, suffix := range besides {
		if info, err := os.Stat(at + suffix); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("the database %s%s %w", at, suffix, regular.ErrNot)
		}
	}
	return nil
}

// ownFile makes a file if it is not there, for its owner only, whatever the folder is. One
// that is there, and what SQLite has beside it, may be a copy that others can read.
func ownFile(at string) error {
	if err := regularFiles(at); err != nil {
		return err
	}
	f, err := os.OpenFile(at, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	for _, suffix := range besides {
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
func (s *database) Close() error {
	if s.read == s.write {
		return s.write.Close()
	}
	err := errors.Join(s.read.Close(), s.write.Close())
	s.unlock()
	return err
}

// Ping returns an error if the database cannot be reached.
func (s *database) Ping(ctx context.Context) error {
	_, err := one[int](ctx, "row", s.read, "SELECT 1")
	return err
}

// IsFull reports whether err is that of a disk without room for a change.
func IsFull(err error) bool {
	const full, diskFull = 13, "53100" // SQLITE_FULL, and the code of PostgreSQL
	var lite *sqlite.Error
	var postgres *pgconn.PgError
	return errors.Is(err, syscall.ENOSPC) || errors.As(err, &lite) && lite.Code()&0xff == full ||
		errors.As(err, &postgres) && postgres.Code == diskFull
}

// CheckRoom returns an error if the disk of the database is too full for a few more faces. To
// find out, it writes 256 kB and removes them.
func (s *database) CheckRoom(ctx context.Context) error {
	data := make([]byte, 1<<18)
	_, _ = rand.Read(data) // never fails; some file systems need no room for zeros
	if s.postgres {
		tx, err := s.write.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // nothing is to be kept
		_, err = tx.ExecContext(ctx,
			"INSERT INTO once (actor, key, collection, route, changed, status, type, digest, answer, at) VALUES ('', $1, '', '', 0, 0, '', '', $2, 0)", NewID(), data)
		return err
	}
	// A small change of SQLite may find room in its log when there is none for more.
	p, err := atomicfile.Prepare(ctx, s.path+".room", func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return err
	}
	p.Discard()
	return nil
}

// errOlder is the error for a database of a development build.
var errOlder = advice.Add(errors.New("an older program made this database, and this one cannot bring it up to date"),
	"export each collection with the older program (GET /v1/collections/{collection}/export), and import the files into a new folder by this one")

// migrate makes the tables of a new database by the first of files, and changes those of an older one
// by the others. The number in the name of a file is the version of the tables after it.
func (s *database) migrate(ctx context.Context, files fs.FS) error {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return err
	}
	return s.inTx(ctx, "", func(t *tx) {
		t.exec("CREATE TABLE IF NOT EXISTS migration (name VARCHAR(255) PRIMARY KEY)")
		done := rows[string](t, "SELECT name FROM migration ORDER BY name")
		present := ""
		if len(done) > 0 {
			present = version(done[len(done)-1])
		}
		switch {
		case present > version(names[len(names)-1]):
			t.fail(fmt.Errorf("a newer program made this database: it has %s", done[len(done)-1]))
		case present != "" && present < version(names[0]):
			t.fail(errOlder)
		}
		for _, name := range names {
			if t.err != nil {
				return
			}
			if version(name) <= present {
				continue
			}
			if s.isServed {
				t.fail(fmt.Errorf("the program that serves this database is older, and does not have %s: start it again by this one", name))
				return
			}
			text, err := fs.ReadFile(files, name)
			t.fail(err)
			if t.exec(s.dialect(string(text))); t.err != nil {
				t.err = fmt.Errorf("%s: %w", name, t.err)
				return
			}
			t.exec("INSERT INTO migration (name) VALUES ($1)", name)
		}
	})
}

// version is the number in the name of a migration, such as migrations/0007_schema.sql.
func version(name string) string {
	number, _, _ := strings.Cut(path.Base(name), "_")
	return number
}

// dialect is a migration in the dialect of the database.
func (s *database) dialect(text string) string {
	if !s.postgres {
		return text
	}
	return strings.NewReplacer(" BLOB", " BYTEA", " TEXT", ` TEXT COLLATE "C"`).Replace(text)
}

// NewID returns an id. Later ids are larger.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }
