package experiment

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gofrs/flock"

	"nrdl/internal/hint"
)

// A Store appends records to a file. A record is in the file whole, and on the
// disk, when Append returns, or not at all; what a crash cut short is removed
// when the file is opened again. One process at a time may have it.
type Store struct {
	f    *os.File
	size int64 // bytes of whole records
	lock *flock.Flock
}

// OpenStore opens the file at path, made where there is none, and returns the
// records in it. Warn is told of a last line that was cut short; may be nil.
func OpenStore(path string, warn func(string)) (s *Store, records []Record, err error) {
	if err := canHold(path); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, nil, fmt.Errorf("records: %w", err)
	}
	s = &Store{f: f, lock: flock.New(lockPath(path))}
	defer func() {
		if err != nil {
			s.Close()
			s = nil
		}
	}()
	if got, err := s.lock.TryLock(); err != nil {
		return s, nil, fmt.Errorf("records %s: lock: %w", path, err)
	} else if !got {
		err := fmt.Errorf("records %s: another nrdl bench is writing to it", path)
		return s, nil, hint.Add(err, "wait for it, or write to another file with -o")
	}
	records, whole, cut, err := ReadRecords(f)
	if err != nil {
		return s, nil, fmt.Errorf("records %s: %w", path, err)
	}
	s.size = whole
	if cut {
		if warn != nil {
			warn(fmt.Sprintf("%s: the last line is cut short: dropped, its run is made again", path))
		}
		if err := f.Truncate(whole); err != nil {
			return s, nil, fmt.Errorf("records: %w", err)
		}
	}
	return s, records, nil
}

// canHold reports a path at which there cannot be a file of records. It makes
// none.
func canHold(path string) error {
	info, err := os.Stat(path)
	switch folder := filepath.Dir(path); {
	case errors.Is(err, fs.ErrNotExist):
		if info, missing := os.Stat(folder); missing != nil {
			err := fmt.Errorf("records %s: %w", path, errors.Unwrap(missing))
			if errors.Is(missing, fs.ErrNotExist) {
				err = hint.Add(err, "make the folder first: mkdir -p %s", folder)
			}
			return err
		} else if !info.IsDir() {
			return fmt.Errorf("records %s: %s is not a folder", path, folder)
		}
	case err != nil:
		return fmt.Errorf("records: %w", err)
	case info.IsDir():
		return hint.Add(fmt.Errorf("records %s: is a folder", path), "name a file in it: -o %s", filepath.Join(path, "runs.jsonl"))
	case !info.Mode().IsRegular():
		return hint.Add(fmt.Errorf("records %s: not a file that can be added to", path), "write to a file, for example -o runs.jsonl")
	}
	if strings.HasSuffix(path, ".gz") {
		return hint.Add(fmt.Errorf("records %s: nothing can be added to a compressed file", path), "gunzip it first, or write to another file with -o")
	}
	return nil
}

// lockPath is what stands for the file at path where processes lock: itself,
// but for Windows, where a lock would keep its holder from writing.
func lockPath(path string) string {
	if runtime.GOOS == "windows" {
		return path + ".lock"
	}
	return path
}

// Append adds r. After an error, as of a full disk, the file is as before.
func (s *Store) Append(r Record) error {
	line, err := r.line()
	if err != nil {
		return err
	}
	if _, err = s.f.WriteAt(line, s.size); err == nil {
		err = s.f.Sync()
	}
	if err != nil {
		err = errors.Join(err, s.f.Truncate(s.size))
		return hint.Add(fmt.Errorf("records: %w", err), "make room and run the same command again: it goes on where it stopped")
	}
	s.size += int64(len(line))
	return nil
}

// Close gives the file back.
func (s *Store) Close() error { return errors.Join(s.lock.Unlock(), s.f.Close()) }

var _ io.Closer = (*Store)(nil)
