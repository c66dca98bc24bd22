//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock locks f until it is closed; taken if another process has locked it.
func tryLock(f *os.File) (taken bool, err error) {
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	return errors.Is(err, unix.EWOULDBLOCK), err
}

// removeIfAbandoned removes the temporary file at path if nobody has locked it.
// Where the file system has no locks it cannot know, and leaves the file.
func removeIfAbandoned(path string) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if _, err := tryLock(f); err == nil {
		_ = os.Remove(path)
	}
}
