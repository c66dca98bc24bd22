package index

import (
	"os"

	"golang.org/x/sys/unix"
)

// inLargePages asks for large pages, in which a scan finds its way faster. Without them it
// is right too.
func inLargePages(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }

// readAhead asks the system to read n bytes at a place of f into its memory, and does not wait.
func readAhead(f *os.File, at, n int64) {
	_ = unix.Fadvise(int(f.Fd()), at, n, unix.FADV_WILLNEED)
}
