//go:build unix

package index

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// A mapping is the content of a file in memory.
type mapping struct{ bytes []byte }

// mapFile maps the first size bytes of f. They are in memory as far as they are read, and
// as long as the mapping is in use.
func mapFile(f *os.File, size int) (*mapping, error) {
	b, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	m := &mapping{b}
	runtime.AddCleanup(m, func(b []byte) { _ = unix.Munmap(b) }, b)
	return m, nil
}
