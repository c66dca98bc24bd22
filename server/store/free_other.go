//go:build !linux && !darwin

package store

// free returns that it is not known how much is free on the disk.
func (s *Store) free() (bytes int64, ok bool) { return 0, false }
