package index

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"math/bits"
	"os"
	"slices"

	"nrdl.example/nrdl/internal/kit/atomicfile"
)

// Save writes x, and the caller's bytes meta and state, to the file at path. It appends the
// changes if x was made from an Index that was read from this file, nobody else has changed the
// file since, the file does not become more than twice as large as a new one, and has this meta.
// Otherwise it writes a new file, without the people who were removed.
func (x *Index) Save(ctx context.Context, path string, meta, state []byte) error {
	f := x.file
	if f == nil || f.path != path {
		return x.Compact(ctx, path, meta, state)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.copy != nil {
		y, err := x.transfer(f.base, f.copy)
		if err == nil {
			err = y.Save(ctx, path, meta, state)
		}
		if err != nil {
			return err
		}
		if f.base, f.copy = x, y; y.file.copy != nil {
			f.copy = y.file.copy
		}
		return nil
	}
	a := x.newContent(f, state)
	if f.meta == sha256.Sum256(meta) && f.same() && f.length+a.size() <= 2*x.minimalSize(meta, state) {
		return atomicfile.Error(path, a.write(f))
	}
	if err := x.Compact(ctx, path, meta, state); err != nil {
		return err
	}
	if y, _, _, err := Open(path); err == nil { // else the next Save writes it as a whole again
		f.base, f.copy = x, y
	}
	return nil
}

// transfer returns y, which has the people of base in other segments, with the changes from
// base to x.
func (x *Index) transfer(base, y *Index) (*Index, error) {
	gone := map[string]bool{}
	var more []*Person
	for j, s := range base.segments {
		i := slices.Index(x.segments, s)
		for c := range s.people {
			if base.has(Ref{j, c}) && (i < 0 || !x.has(Ref{i, c})) {
				gone[s.name(c)] = true
			}
		}
	}
	for i, s := range x.segments {
		j := slices.Index(base.segments, s)
		for c := range s.people {
			if r := (Ref{i, c}); x.has(r) && (j < 0 || !base.has(Ref{j, c})) {
				p, err := x.Person(r)
				if err != nil {
					return nil, err
				}
				more = append(more, p)
				delete(gone, p.Name) // With replaces that person
			}
		}
	}
	y, err := y.Without(slices.Sorted(maps.Keys(gone))...)
	if err != nil {
		return nil, err
	}
	return y.With(more...)
}

// minimalSize estimates the size of a new file of x.
func (x *Index) minimalSize(meta, state []byte) int64 {
	h := shape{dims: x.dims, info: x.info, people: x.people, faces: x.faces}
	for i, s := range x.segments {
		alive := s.people
		for _, w := range x.removals[i] {
			alive -= bits.OnesCount64(w)
		}
		h.nameBytes += s.nameBytes * alive / s.people
		h.idBytes += s.idBytes * alive / s.people
	}
	return int64(pageBytes + recordBytes(len(meta)) + recordBytes(h.size()) + recordBytes(len(state)))
}

// same reports whether the file at f.path is as f says.
func (f *file) same() bool {
	now, err := os.Open(f.path)
	if err != nil {
		return false
	}
	defer now.Close()
	info, err := now.Stat()
	if err != nil || !os.SameFile(info, f.info) || info.Size() < f.length {
		return false
	}
	b := make([]byte, pageBytes)
	if _, err := io.ReadFull(now, b); err != nil {
		return false
	}
	generation, _ := latest(b)
	return generation == f.generation
}

// A newContent is what Save appends to a file.
type newContent struct {
	segments []*segment // that are new
	members  []*segment // of the file
	kind     uint32     // of the record of the state
	content  []byte
	state    []byte
}

// newContent returns the content of x that f does not have.
func (x *Index) newContent(f *file, state []byte) *newContent {
	a := &newContent{members: slices.Clone(f.segments), kind: stateRecord, state: slices.Clone(state)}
	for _, s := range x.segments {
		if !slices.Contains(f.segments, s) {
			a.segments, a.members = append(a.segments, s), append(a.members, s)
		}
	}
	if f.changes < maxChanges && len(state) <= maxChangedRows {
		if c := change(f.state, state); len(c) < len(state)/2 {
			a.kind, state = changeRecord, c
		}
	}
	a.content = append(x.removedBits(a.members), state...)
	return a
}

func (a *newContent) size() (n int64) {
	for _, s := range a.segments {
		n += int64(recordBytes(s.size()))
	}
	return n + int64(recordBytes(len(a.content)))
}

// write appends a to f.
func (a *newContent) write(f *file) (err error) {
	to, err := os.OpenFile(f.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() {
		if closed := to.Close(); err == nil {
			err = closed
		}
	}()
	w := &offsetWriter{to, f.length}
	for _, s := range a.segments {
		if err := writeRecord(w, segmentRecord, s.shape, s.bytes); err != nil {
			return err
		}
	}
	if err := writeRecord(w, a.kind, shape{}, a.content); err != nil {
		return err
	}
	if err := to.Sync(); err != nil {
		return err
	}
	generation := f.generation + 1
	if _, err := to.WriteAt(slot(generation, w.offset), slotAt*int64(1+(generation+1)%2)); err != nil {
		return err
	}
	if err := to.Sync(); err != nil {
		return err
	}
	f.generation, f.length, f.segments, f.state = generation, w.offset, a.members, a.state
	if f.changes++; a.kind == stateRecord {
		f.changes = 0
	}
	return nil
}

type offsetWriter struct {
	f      *os.File
	offset int64
}

func (w *offsetWriter) Write(b []byte) (int, error) {
	n, err := w.f.WriteAt(b, w.offset)
	w.offset += int64(n)
	return n, err
}

// Compact is Save that writes the whole file.
func (x *Index) Compact(ctx context.Context, path string, meta, state []byte) error {
	_, err := atomicfile.Write(ctx, path, func(w io.Writer) error { return x.Write(ctx, w, meta, state) })
	return err
}

// Write writes a new file of x to w, as Compact does.
func (x *Index) Write(ctx context.Context, w io.Writer, meta, state []byte) error {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return errors.New("large galleries need a little-endian machine")
	}
	if x.people == 0 {
		return errors.New("a gallery of nobody cannot be stored")
	}
	all := x.divided()
	length := pageBytes + recordBytes(len(meta))
	everybody := binary.LittleEndian.AppendUint32(nil, uint32(len(all)))
	for _, d := range all {
		everybody = binary.LittleEndian.AppendUint32(everybody, 0)
		length += recordBytes(d.size())
	}
	state = append(everybody, state...)
	length += recordBytes(len(state))
	if _, err := w.Write(firstPage(int64(length))); err != nil {
		return err
	}
	if err := writeRecord(w, metaRecord, shape{}, meta); err != nil {
		return err
	}
	one := new(buffer)
	for _, d := range all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var people []*Person
		for _, r := range d.refs {
			p, err := x.segments[r.segment].read(r.person, one)
			if err != nil {
				return err
			}
			people = append(people, p)
		}
		s := newSegment(x.dims, x.info, people)
		if err := writeRecord(w, segmentRecord, s.shape, s.bytes); err != nil {
			return err
		}
	}
	return writeRecord(w, stateRecord, shape{}, state)
}

// recordBytes is the size of a record with so many bytes of content.
func recordBytes(content int) int {
	return alignedSize(headBytes+4*((content+blockBytes-1)/blockBytes)) + alignedSize(content)
}

// A division is the people of one segment.
type division struct {
	shape
	refs []Ref
}

// divided divides the people of x, in natural order, among segments.
func (x *Index) divided() (all []division) {
	for _, r := range x.People() {
		s := x.segments[r.segment]
		k := x.Faces(r)
		if len(all) == 0 || all[len(all)-1].faces+k > maxFaces {
			all = append(all, division{shape: shape{dims: x.dims, info: x.info}})
		}
		d := &all[len(all)-1]
		d.refs = append(d.refs, r)
		d.people++
		d.faces += k
		d.nameBytes += len(x.Name(r))
		d.idBytes += s.idBytesOf(r.person)
	}
	return all
}

// writeRecord writes a record with this content; h is the shape of a segment.
func writeRecord(w io.Writer, kind uint32, h shape, content []byte) error {
	sums := checksums(content)
	b := make([]byte, headBytes, headBytes+len(sums)+aligned)
	le := binary.LittleEndian
	le.PutUint32(b[4:], kind)
	le.PutUint64(b[8:], uint64(len(content)))
	for i, n := range []int{h.dims, h.info, h.people, h.faces} {
		le.PutUint32(b[16+4*i:], uint32(n))
	}
	le.PutUint64(b[32:], uint64(h.nameBytes))
	le.PutUint64(b[40:], uint64(h.idBytes))
	le.PutUint32(b[48:], math.Float32bits(h.codeError))
	le.PutUint32(b[52:], math.Float32bits(h.radius))
	le.PutUint32(b[56:], math.Float32bits(h.codeRatio))
	b = append(b, sums...)
	le.PutUint32(b, crc32.Checksum(b[4:], castagnoli))
	if _, err := w.Write(append(b, make([]byte, alignedSize(len(b))-len(b))...)); err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		return err
	}
	_, err := w.Write(make([]byte, alignedSize(len(content))-len(content)))
	return err
}

// removedBits encodes, for the segments of a file, which of their people are not in x.
func (x *Index) removedBits(segments []*segment) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(segments)))
	for _, s := range segments {
		var bits []uint64
		if i := slices.Index(x.segments, s); i >= 0 {
			bits = x.removals[i]
		} else { // merged with others, or removed
			bits = make([]uint64, (s.people+63)/64)
			for w := range bits {
				bits[w] = math.MaxUint64
			}
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(len(bits)))
		for _, w := range bits {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
	}
	return b
}

// readRemoved removes the people that Index.removedBits encoded.
func (x *Index) readRemoved(b []byte) error {
	short := damaged("the list of who is not there any more is cut short")
	next := func(n int) []byte {
		if len(b) < n {
			return nil
		}
		p := b[:n]
		b = b[n:]
		return p
	}
	if p := next(4); p == nil || int(binary.LittleEndian.Uint32(p)) != len(x.segments) {
		return short
	}
	for i, s := range x.segments {
		p := next(4)
		if p == nil {
			return short
		}
		n := int(binary.LittleEndian.Uint32(p))
		if n != 0 && n != (s.people+63)/64 {
			return short
		}
		words := next(8 * n)
		if n > 0 && words == nil {
			return short
		}
		for c := 0; n > 0 && c < s.people; c++ {
			if words[c/8]>>(c%8)&1 == 1 {
				x.remove(Ref{i, c})
			}
		}
	}
	return nil
}
