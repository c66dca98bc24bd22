//go:build !slim

package sandbox

import "github.com/tetratelabs/wazero/experimental"

// limited is memory of at most most bytes.
type limited struct {
	experimental.LinearMemory
	max uint64
}

func (l *limited) Reallocate(size uint64) []byte {
	if size > l.max {
		return nil
	}
	return l.LinearMemory.Reallocate(size)
}

// A slice is memory of Go for a program.
type slice struct{ bytes []byte }

func (s *slice) Reallocate(size uint64) []byte {
	if size > uint64(cap(s.bytes)) {
		grown := make([]byte, size, max(size, min(2*uint64(cap(s.bytes)), maxMemory<<16)))
		copy(grown, s.bytes)
		s.bytes = grown
	}
	s.bytes = s.bytes[:size]
	return s.bytes
}

func (s *slice) Free() { s.bytes = nil }
