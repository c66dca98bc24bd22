package atomicfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// WriteFolder makes the folder at path with the files that fill puts into an empty folder. It
// renames that folder to path when it is complete. There must be nothing at path, or an empty
// folder.
func WriteFolder(path string, fill func(folder string) error) error {
	target, err := follow(path)
	if err != nil {
		return err
	}
	return Error(path, beside(target, 0o755, func(folder string) error {
		if err := fill(folder); err != nil {
			return err
		}
		if err := os.Remove(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return os.Rename(folder, target)
	}))
}

// WriteBy writes the file at path, which may not be there yet, by a program that takes the name of a
// file: fill makes the file of the name that it is given. It may make others beside it, which go. The
// file is there as a whole or not at all, and its folder until then is for its owner only.
func WriteBy(path string, fill func(name string) error) error {
	return Error(path, beside(path, 0o700, func(folder string) error {
		name := filepath.Join(folder, "new")
		if err := fill(name); err != nil {
			return err
		}
		return os.Rename(name, path)
	}))
}

// beside calls use with an empty folder beside target, and removes what is left of it. A process that
// is killed leaves it to the next one that writes there.
func beside(target string, mode fs.FileMode, use func(folder string) error) error {
	mark, err := new(Writer).createTemp(filepath.Dir(target))
	if err != nil {
		return err
	}
	defer mark.remove()
	folder := mark.Name() + folderSuffix
	defer os.RemoveAll(folder)
	if err := os.Mkdir(folder, mode); err != nil {
		return err
	}
	return use(folder)
}

// CheckFolder returns the error that WriteFolder would return for path.
func CheckFolder(path string) error {
	target, err := follow(path)
	if err != nil {
		return err
	}
	return Error(path, tryTemp(filepath.Dir(target)))
}

// MakeFolder makes the folder at path, and those above it, unless it exists. It returns an error
// if no file can be made in it.
func MakeFolder(path string) error {
	target, err := follow(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(target, 0o777); err != nil {
		return Error(path, err)
	}
	return Error(path+string(filepath.Separator), tryTemp(target))
}

// inUse are the temporary files and the locks of this process, by path.
var inUse sync.Map

// Abandon removes the temporary files, the temporary folders and the locks of this process, which ends
// without waiting for those who write them.
func Abandon() {
	inUse.Range(func(name, _ any) bool {
		_ = os.Remove(name.(string))
		_ = os.RemoveAll(name.(string) + folderSuffix)
		return true
	})
}

// RemoveAbandoned removes the temporary files of processes that have ended, and their folders, from
// dir. It ignores errors.
func RemoveAbandoned(dir string) {
	entries, _ := os.ReadDir(dir) // sorted: a folder comes after its file
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		switch file, isFolder := strings.CutSuffix(e.Name(), folderSuffix); {
		case !temporary.MatchString(file):
		case !isFolder && e.Type().IsRegular():
			removeIfAbandoned(name)
		case isFolder && e.IsDir() && missing(filepath.Join(dir, file)):
			_ = os.RemoveAll(name)
		}
	}
}

// removeIfAbandoned removes the temporary file at path if nobody has locked it. Where the file system
// has no locks it cannot know, and leaves the file. Windows does not remove it while a process has it
// open; as a file is closed for a moment before it is moved, only old ones are abandoned there.
func removeIfAbandoned(path string) {
	if runtime.GOOS == "windows" {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(path)
		}
		return
	}
	l := lockOf(path)
	if locked, err := l.TryLock(); err == nil && locked {
		_ = os.Remove(path)
	}
	_ = l.Close()
}

// ErrLocked is the error of Lock if another process has locked the file.
var ErrLocked = errors.New("another process is writing it")

// maxName is the largest number of bytes of a name to which a prefix and a suffix are added. No common file
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
		l := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NONBLOCK)) // of a pipe it would wait
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
			inUse.Store(name, nil)
			return func() {
				inUse.Delete(name)
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
