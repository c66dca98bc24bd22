//go:build unix

package index

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// keepsOpen: vectors are read from the file when they are needed. Elsewhere a file that is
// open cannot be replaced.
const keepsOpen = true

// largeMemory is memory that the garbage collector does not count: with it, it would let as
// much garbage pile up.
func largeMemory(size int) (*memory, error) {
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	inLargePages(b)
	m := &memory{b}
	runtime.AddCleanup(m, func(b []byte) { _ = unix.Munmap(b) }, b)
	return m, nil
}
