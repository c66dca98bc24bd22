package index

import "unsafe"

// A memory has bytes, aligned for all sections, as long as it is in use.
type memory struct{ bytes []byte }

// leastLarge is the size of a piece of memory that is given back to the system.
const leastLarge = 1 << 20

func newMemory(size int) (*memory, error) {
	if size < leastLarge {
		return smallMemory(size), nil
	}
	return largeMemory(size)
}

func smallMemory(size int) *memory {
	words := make([]uint64, (size+7)/8+1)
	return &memory{unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size)}
}
