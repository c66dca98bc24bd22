package index

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"

	"nrdl/internal/atomicfile"
)

// Save writes x with the caller's bytes to the file at path. If x was made of an Index that
// was read from that file, and nobody else has changed the file since, what is new is
// appended, as long as more than half of the faces in the file are in x; meta then has to
// be what it was. Otherwise the file is written anew: then it has nobody who was removed.
func (x *Index) Save(ctx context.Context, path string, meta, state []byte) error {
	f := x.file
	if f == nil || f.path != path {
		return x.Compact(ctx, path, meta, state)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	stored := 0
	for _, s := range f.segments {
		stored += s.faces
	}
	if !f.same() || 2*x.faces <= stored {
		return x.Compact(ctx, path, meta, state)
	}
	return atomicfile.Error(path, x.appendTo(f, state))
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

// appendTo is Save that appends.
func (x *Index) appendTo(f *file, state []byte) (err error) {
	to, err := os.OpenFile(f.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() {
		if closed := to.Close(); err == nil {
			err = closed
		}
	}()
	w, segments := &offsetWriter{to, f.length}, slices.Clone(f.segments)
	for _, s := range x.segments {
		if slices.Contains(f.segments, s) {
			continue
		}
		if err := writeRecord(w, segmentRecord, s.shape, s.bytes); err != nil {
			return err
		}
		segments = append(segments, s)
	}
	if err := writeRecord(w, stateRecord, shape{}, x.revival(segments, state)); err != nil {
		return err
	}
	if err := to.Sync(); err != nil {
		return err
	}
	generation := f.generation + 1
	if _, err := to.WriteAt(slot(generation, w.at), slotAt*int64(1+(generation+1)%2)); err != nil {
		return err
	}
	if err := to.Sync(); err != nil {
		return err
	}
	f.generation, f.length, f.segments = generation, w.at, segments
	return nil
}

type offsetWriter struct {
	f  *os.File
	at int64
}

func (w *offsetWriter) Write(b []byte) (int, error) {
	n, err := w.f.WriteAt(b, w.at)
	w.at += int64(n)
	return n, err
}

// Compact is Save that writes the file anew.
func (x *Index) Compact(ctx context.Context, path string, meta, state []byte) error {
	_, err := atomicfile.Write(ctx, path, func(w io.Writer) error { return x.Write(ctx, w, meta, state) })
	return err
}

// Write writes a file of the people of x, as Compact.
func (x *Index) Write(ctx context.Context, w io.Writer, meta, state []byte) error {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return errors.New("large galleries need a little-endian machine")
	}
	if x.people == 0 {
		return errors.New("a gallery of nobody cannot be stored")
	}
	all, err := x.divided()
	if err != nil {
		return err
	}
	length := pageBytes + recordBytes(len(meta))
	everybody := binary.LittleEndian.AppendUint32(nil, uint32(len(all)))
	for _, d := range all {
		everybody = binary.LittleEndian.AppendUint32(everybody, 0)
		length += recordBytes(d.size())
	}
	state = append(everybody, state...)
	length += recordBytes(len(state))
	if _, err := w.Write(page(int64(length))); err != nil {
		return err
	}
	if err := writeRecord(w, metaRecord, shape{}, meta); err != nil {
		return err
	}
	for _, d := range all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var people []*Person
		for _, r := range d.refs {
			p, err := x.Person(r)
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
	return up(headBytes+4*((content+blockBytes-1)/blockBytes)) + up(content)
}

// A division is the people of one segment.
type division struct {
	shape
	refs []Ref
}

// divided divides the people of x, in natural order, among segments.
func (x *Index) divided() (all []division, err error) {
	for _, r := range x.People() {
		s := x.segments[r.segment]
		ids, err := s.idBytesOf(r.person)
		if err != nil {
			return nil, err
		}
		k := x.Faces(r)
		if len(all) == 0 || all[len(all)-1].faces+k > mostFaces {
			all = append(all, division{shape: shape{dims: x.dims, info: x.info}})
		}
		d := &all[len(all)-1]
		d.refs = append(d.refs, r)
		d.people++
		d.faces += k
		d.nameBytes += len(x.Name(r))
		d.idBytes += ids
	}
	return all, nil
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
	le.PutUint32(b[48:], math.Float32bits(h.worst))
	le.PutUint32(b[52:], math.Float32bits(h.reach))
	b = append(b, sums...)
	le.PutUint32(b, crc32.Checksum(b[4:], castagnoli))
	if _, err := w.Write(padded(b)); err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		return err
	}
	_, err := w.Write(make([]byte, up(len(content))-len(content)))
	return err
}

// revival writes who of the segments of a file is not in x, and state.
func (x *Index) revival(segments []*segment, state []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(segments)))
	for _, s := range segments {
		var bits []uint64
		if i := slices.Index(x.segments, s); i >= 0 {
			bits = x.dead[i]
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
	return append(b, state...)
}
