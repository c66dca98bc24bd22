package blas

import (
	"math/rand"
	"syscall"
	"unsafe"
)

// guarded returns n elements that end, or that start, where a page that cannot
// be read begins, or ends: reading out of bounds is a fault. The memory is
// never given back; a test process is short.
func guarded[T float](r *rand.Rand, n int) []T {
	const page = 4096
	size := n * int(unsafe.Sizeof(T(0)))
	room := (size + page) / page * page
	mem := arenaPages(room + 2*page)
	inner := mem[page : page+room]
	if r.Intn(2) == 0 {
		inner = inner[room-size:]
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(inner))), n)
}

// arenaPages maps memory whose first and last page cannot be read.
func arenaPages(size int) []byte {
	const page = 4096
	mem, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	for _, guard := range [][]byte{mem[:page], mem[size-page:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			panic(err)
		}
	}
	return mem
}
