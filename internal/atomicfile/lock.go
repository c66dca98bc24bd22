package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// ErrLocked is why Lock fails where another process has the file.
var ErrLocked = errors.New("another process is writing it")

// Lock keeps other processes from a file that is to be read, changed and written
// anew, until unlock is called; the file need not exist. What is locked is a
// hidden file beside it, which is gone afterwards, as the file itself is
// replaced. The error wraps ErrLocked where another process has it. A process
// that dies gives it back.
func Lock(path string) (unlock func(), err error) {
	target := path
	if followed, err := filepath.EvalSymlinks(path); err == nil {
		target = followed
	}
	dir, base := filepath.Split(target)
	name := filepath.Join(dir, "."+base+".lock")
	for {
		l := flock.New(name)
		got, err := l.TryLock()
		if err != nil {
			return nil, Error(path, err)
		}
		if !got {
			return nil, fmt.Errorf("write %s: %w", path, ErrLocked)
		}
		// Who had it before may have removed it after it was opened here.
		mine, err := l.Stat()
		there, missing := os.Stat(name)
		if err == nil && missing == nil && os.SameFile(mine, there) {
			return func() {
				_ = os.Remove(name)
				_ = l.Unlock()
			}, nil
		}
		_ = l.Unlock()
	}
}
