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

// ErrLocked is the error of Lock if another process has locked the file.
var ErrLocked = errors.New("another process is writing it")

// maxName is the most bytes of a name to which a prefix and a suffix are added. No common file
// system has a limit below 143.
const maxName = 128

// Lock locks a file for this process until unlock is called, or the process ends. The file need not
// exist. Since Write replaces the file, Lock locks a hidden file in the same folder, which unlock
// removes. The error wraps ErrLocked if another process has the lock.
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

// LockFolder is Lock for the folder at path, which has to exist.
func LockFolder(path string) (unlock func(), err error) {
	return lock(filepath.Join(path, prefix+"lock"), path)
}

// lock locks the file name; errors name path.
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
		// The process that had the lock before may have removed the file after it was opened here.
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
