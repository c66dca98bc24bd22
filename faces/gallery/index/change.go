package index

import (
	"bytes"
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

// maxChanges of a state follow each other: then it is written whole. maxChangedRows bounds
// what changes may make of a state of unknown origin.
const (
	maxChanges     = 64
	maxChangedRows = 1 << 26
)

// pieceEnd ends the pieces of a state that a change keeps or replaces: of JSON, elements
// of a list that end with a list.
var pieceEnd = []byte("]}")

// piece is the first piece of b.
func piece(b []byte) []byte {
	if i := bytes.Index(b, pieceEnd); i >= 0 {
		return b[:i+len(pieceEnd)]
	}
	return b
}

// change returns how state b is made of a: again and again the bytes that are new, and then
// the place and the length of a part of a.
func change(a, b []byte) []byte {
	where := map[string]int{}
	for at := 0; at < len(a); {
		p := piece(a[at:])
		where[string(p)] = at
		at += len(p)
	}
	var out, fresh []byte
	from, n := 0, 0
	end := func() {
		out = append(binary.AppendUvarint(out, uint64(len(fresh))), fresh...)
		out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(from)), uint64(n))
		fresh, n = nil, 0
	}
	for len(b) > 0 {
		p := piece(b)
		b = b[len(p):]
		if n > 0 && bytes.HasPrefix(a[from+n:], p) {
			n += len(p)
			continue
		}
		if n > 0 {
			end()
		}
		if at, found := where[string(p)]; found {
			from, n = at, len(p)
			continue
		}
		fresh = append(fresh, p...)
	}
	end()
	return out
}

// applyChange is the inverse of change.
func applyChange(a, change []byte) (b []byte, err error) {
	next := func() (n int) {
		v, used := binary.Uvarint(change)
		if used <= 0 || v > maxMeta {
			return -1
		}
		change = change[used:]
		return int(v)
	}
	b = []byte{}
	for len(change) > 0 {
		n := next()
		if n < 0 || n > len(change) {
			return nil, damaged("a change of a state is cut short")
		}
		b, change = append(b, change[:n]...), change[n:]
		from, k := next(), 0
		if from >= 0 {
			k = next()
		}
		if from < 0 || k < 0 || from+k > len(a) || len(b)+k > maxChangedRows {
			return nil, damaged("a change of a state has parts that are not there")
		}
		b = append(b, a[from:from+k]...)
	}
	return b, nil
}

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
