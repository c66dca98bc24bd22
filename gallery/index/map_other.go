//go:build !unix

package index

import (
	"io"
	"os"
	"unsafe"
)

// A mapping is the content of a file in memory.
type mapping struct{ bytes []byte }

// mapFile reads the first size bytes of f.
func mapFile(f *os.File, size int) (*mapping, error) {
	words := make([]uint64, (size+7)/8) // aligned
	b := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size)
	_, err := io.ReadFull(io.NewSectionReader(f, 0, int64(size)), b)
	return &mapping{b}, err
}
