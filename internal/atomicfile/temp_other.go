//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package atomicfile

import (
	"os"
	"runtime"
	"time"
)

// tryLock does nothing: Windows removes no file that is open.
func tryLock(*os.File) (taken bool, err error) { return false, nil }

// removeIfAbandoned removes the temporary file at path on Windows, where that
// fails while a process has it open. A file is closed for a moment before it is
// moved into its place: only old ones are abandoned.
func removeIfAbandoned(path string) {
	info, err := os.Stat(path)
	if err == nil && runtime.GOOS == "windows" && time.Since(info.ModTime()) > time.Hour {
		_ = os.Remove(path)
	}
}
