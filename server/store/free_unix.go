//go:build linux || darwin

package store

import (
	"path/filepath"
	"syscall"
)

// free returns the bytes that are free on the disk of the database, if it is a file.
func (s *Store) free() (bytes int64, ok bool) {
	var disk syscall.Statfs_t
	if s.path == "" || syscall.Statfs(filepath.Dir(s.path), &disk) != nil {
		return 0, false
	}
	return int64(disk.Bavail) * int64(disk.Bsize), true
}
