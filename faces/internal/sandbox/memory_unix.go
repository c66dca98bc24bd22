//go:build unix && !slim

package sandbox

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tetratelabs/wazero/experimental"
)

// A mapping is memory that the system gives page by page when it is written, and
// takes back when a run ends: growing copies nothing.
type mapping struct{ bytes []byte }

// allocate returns memory for a program, of at most limit bytes. Where the system
// refuses to reserve them, for example under a limit, the memory is Go's.
func allocate(limit uint64) experimental.LinearMemory {
	all, err := unix.Mmap(-1, 0, int(limit), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return &slice{}
	}
	return &mapping{all}
}

func (m *mapping) Reallocate(size uint64) []byte {
	if size > uint64(len(m.bytes)) {
		return nil
	}
	return m.bytes[:size]
}

func (m *mapping) Free() {
	if err := unix.Munmap(m.bytes); err != nil {
		panic(err) // it was mapped
	}
}

// isMine reports whether the user of this process owns what info is about.
func isMine(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// isPrivate reports whether nobody else may use it.
func isPrivate(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }
