package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
	"unsafe"

	"nrdl.example/nrdl/advice"
)

// blockBytes is what a checksum of a file is for.
const blockBytes = 1 << 15

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksums returns those of the blocks of b, as they are in a file.
func checksums(b []byte) []byte {
	var sums []byte
	for lo := 0; lo < len(b); lo += blockBytes {
		sums = binary.LittleEndian.AppendUint32(sums, crc32.Checksum(b[lo:min(len(b), lo+blockBytes)], castagnoli))
	}
	return sums
}

// ErrChanged is the error for a file that was changed while it was in use, by other means
// than Save.
var ErrChanged = errors.New("the model was changed while it was read")

// A source is an open file. What was read of it is used only if its checksum is the one
// that the file had when it was opened.
type source struct {
	io.ReaderAt
	stat func() (os.FileInfo, error)
	info os.FileInfo // when it was opened; another file may have taken its place
	size int64
}

// changed is err, or ErrChanged if the file is not what it was.
func (f *source) changed(err error) error {
	now, failed := f.stat()
	if failed == nil && now.Size() >= f.size && now.ModTime().Equal(f.info.ModTime()) {
		return err
	}
	return advice.Add(ErrChanged, "read it again; to replace a model that is in use, move the new file to its place")
}

// read reads b at a place of f.
func (f *source) read(b []byte, at int64) error {
	if _, err := f.ReadAt(b, at); err != nil {
		return f.changed(fmt.Errorf("read the gallery: %w", err))
	}
	return nil
}

// check checks b, which starts with a block at this place of f, by the checksums of its
// blocks.
func (f *source) check(b []byte, at int64, sums []byte) error {
	for i := 0; i*blockBytes < len(b); i++ {
		if crc32.Checksum(b[i*blockBytes:min(len(b), (i+1)*blockBytes)], castagnoli) != binary.LittleEndian.Uint32(sums[4*i:]) {
			return f.differs(at + int64(i*blockBytes))
		}
	}
	return nil
}

func (f *source) differs(at int64) error {
	return f.changed(damaged(fmt.Sprintf("a checksum differs %d bytes after the start of the file", at)))
}

// A buffer holds the rows of a segment that were read last: infos and vectors.
type buffer [2]window

// A window is the part of a segment that was read last.
type window struct {
	words      []uint64 // aligned
	segment    *segment
	start, end int // of its content
}

var buffers = sync.Pool{New: func() any { return &buffer{} }}

// allocate returns n bytes for new content.
func (w *window) allocate(n int) []byte {
	w.segment = nil
	if n > 8*len(w.words) {
		w.words = make([]uint64, (n+7)/8)
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&w.words[0])), n)
}

// bytes returns a part of the content of s; nil if the window does not hold it.
func (w *window) bytes(s *segment, from, to int) []byte {
	if w.segment != s || from < w.start || to > w.end {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&w.words[0])), w.end-w.start)[from-w.start : to-w.start]
}

func damaged(why string) error { return fmt.Errorf("damaged gallery: %s", why) }
