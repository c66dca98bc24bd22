package atomicfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gofrs/flock"
)

// ErrLocked is why Lock fails where another process has the file.
var ErrLocked = errors.New("another process is writing it")

// maxName is how many bytes a name may have that gets a prefix and a suffix: no
// common file system has a limit below 143.
const maxName = 128

// Lock keeps other processes from a file that is to be read, changed and written
// anew, until unlock is called; the file need not exist. What is locked is a
// hidden file beside it, which is gone afterwards, as the file itself is
// replaced. The error wraps ErrLocked where another process has it. A process
// that dies gives it back.
func Lock(path string) (unlock func(), err error) {
	target, err := follow(path)
	if err != nil {
		return nil, err
	}
	dir, base := filepath.Split(target)
	if len(base) > maxName {
		base = fmt.Sprintf("%x", sha256.Sum256([]byte(strings.ToLower(base)))) // some systems ignore case
	}
	return lock(filepath.Join(dir, "."+base+".lock"), path)
}

// LockFolder keeps other processes from the folder at path, which exists, if they
// lock it too. It is Lock with a hidden file in the folder.
func LockFolder(path string) (unlock func(), err error) {
	return lock(filepath.Join(path, prefix+"lock"), path)
}

// lock locks the file with this name, which stands for path.
func lock(name, path string) (unlock func(), err error) {
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
				if runtime.GOOS == "windows" { // it removes no file that is open, here or elsewhere
					_ = os.Remove(name)
				}
			}, nil
		}
		_ = l.Unlock()
	}
}
