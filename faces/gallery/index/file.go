package index

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/natural"
	"nrdl.example/nrdl/internal/parallel"
)

// A file of an Index begins with a page: Magic, the version of the format, and two slots.
// A slot has a generation and the number of bytes of the file that count; the slot with the
// higher generation is valid. Records follow the page. The first record is the caller's
// bytes (meta); the others are segments, states and changes of states. The last state is valid:
// it lists the people of the segments who were removed, and has the caller's bytes. A change
// has the list too, and how these bytes follow from those before. A record has a head
// with the sizes of its content, the checksums of the content, and the content. A change is
// appended and synchronised, and then the other slot is written: an interruption at any
// moment leaves the file as it was. All numbers are little-endian.
const (
	Magic         = "nrdlface"
	fileVersion   = 2
	pageBytes     = 4096
	slotAt        = 512 // of the first slot; the second is as far behind it
	slotBytes     = 20
	headBytes     = 64
	metaRecord    = 1
	segmentRecord = 2
	stateRecord   = 3
	changeRecord  = 4
)

// Bounds on what a file may claim.
const (
	maxDims = 1 << 15
	maxInfo = 64
	maxMeta = 1 << 30 // it may hold a network
)

// A file is what an Index and those that were made of it know of their file.
type file struct {
	path string
	info os.FileInfo // of the file that was opened: another may have taken its place

	mu         sync.Mutex
	generation uint64
	length     int64
	meta       [sha256.Size]byte // sum of the caller's bytes that do not change with the people
	segments   []*segment        // in the order of the file
	state      []byte            // of the caller
	changes    int               // of the state, since it was written whole

	// Since Save has written it as a whole, the file has what base has as another Index.
	base, copy *Index
}

// Open returns the Index in the file at path, which may be of unknown origin, and the
// bytes that Save put beside it. All is checked now but the vectors and the
// further numbers of the faces, which are checked when they are read. The file stays open as long as the Index is in use.
func Open(path string) (x *Index, meta, state []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, nil, err
	}
	if !keepsOpen {
		defer f.Close()
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < pageBytes {
		f.Close()
		return nil, nil, nil, damaged(fmt.Sprintf("%d bytes are too few", info.Size()))
	}
	if info.Size() > math.MaxInt {
		return nil, nil, nil, errors.New("the file is larger than the memory that this machine can address")
	}
	from := &source{f, f.Stat, info, info.Size()}
	x, meta, state, err = parse(from)
	if err != nil {
		err = from.changed(err)
		f.Close()
		return nil, nil, nil, err
	}
	x.file.path, x.file.info = path, info
	return x, meta, state, err
}

// parse reads what is in f.
func parse(f *source) (x *Index, meta, state []byte, err error) {
	first := make([]byte, min(pageBytes, f.size))
	if _, err := f.ReadAt(first, 0); err != nil {
		return nil, nil, nil, err
	}
	generation, length, err := readFirstPage(first, f.size)
	if err != nil {
		return nil, nil, nil, err
	}
	r := &reader{source: f, offset: pageBytes, end: length}
	r.x = &Index{file: &file{generation: generation, length: length}}
	for r.offset < r.end {
		if err := r.record(); err != nil {
			return nil, nil, nil, err
		}
	}
	if r.meta == nil || r.removedBits == nil || len(r.x.segments) == 0 {
		return nil, nil, nil, damaged("a part is missing")
	}
	for _, c := range r.changes {
		if r.state, err = applyChange(r.state, c); err != nil {
			return nil, nil, nil, err
		}
	}
	if err := r.x.readRemoved(r.removedBits); err != nil {
		return nil, nil, nil, err
	}
	own := r.x.file
	own.meta = sha256.Sum256(r.meta)
	own.segments, own.state, own.changes = slices.Clone(r.x.segments), slices.Clone(r.state), len(r.changes)
	return r.x, r.meta, r.state, r.x.distinct()
}

// readFirstPage returns what the first page b says of a file of this size.
func readFirstPage(b []byte, size int64) (generation uint64, length int64, err error) {
	if len(b) < pageBytes || string(b[:len(Magic)]) != Magic {
		return 0, 0, errors.New("not a gallery of nrdl")
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return 0, 0, errors.New("large galleries need a little-endian machine")
	}
	switch v := binary.LittleEndian.Uint32(b[len(Magic):]); {
	case v > fileVersion:
		return 0, 0,
			advice.Add(fmt.Errorf("the gallery was written by a newer nrdl (version %d, this one reads %d)", v, fileVersion), "update nrdl")
	case v < 1:
		return 0, 0, damaged("it does not say its version")
	case v < fileVersion:
		return 0, 0, advice.Add(fmt.Errorf("the gallery was written by an older nrdl (version %d, this one reads %d)", v, fileVersion),
			"train it again from its photographs with this version")
	}
	generation, n := latest(b)
	if n < pageBytes && generation > 0 || n > math.MaxInt {
		return 0, 0, damaged("its length is impossible")
	}
	length = int64(n)
	switch {
	case generation == 0:
		return 0, 0, damaged("neither slot of the first page is whole")
	case length > size:
		return 0, 0, advice.Add(fmt.Errorf("the gallery is cut short: it has %d of %d bytes", size, length), "copy it again, or restore a backup")
	}
	return generation, length, nil
}

// latest returns what the slot of the first page b with the higher generation says; zero if
// none is whole.
func latest(b []byte) (generation, length uint64) {
	for i := range 2 {
		s := b[slotAt*(i+1):][:slotBytes]
		g := binary.LittleEndian.Uint64(s)
		if crc32.Checksum(s[:16], castagnoli) == binary.LittleEndian.Uint32(s[16:]) && g > generation {
			generation, length = g, binary.LittleEndian.Uint64(s[8:])
		}
	}
	return generation, length
}

// firstPage is the first page of a file with so many bytes.
func firstPage(length int64) []byte {
	b := make([]byte, pageBytes)
	copy(b, Magic)
	binary.LittleEndian.PutUint32(b[len(Magic):], fileVersion)
	copy(b[slotAt:], slot(1, length))
	return b
}

func slot(generation uint64, length int64) []byte {
	b := binary.LittleEndian.AppendUint64(nil, generation)
	b = binary.LittleEndian.AppendUint64(b, uint64(length))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// alignedSize is n rounded up to a multiple of aligned.
func alignedSize(n int) int { return (n + aligned - 1) / aligned * aligned }

// A reader reads records.
type reader struct {
	*source
	offset, end int64
	x           *Index
	meta        []byte
	removedBits []byte
	state       []byte
	changes     [][]byte // of state
}

// record reads the next record.
func (r *reader) record() error {
	le, head := binary.LittleEndian, make([]byte, headBytes)
	rest := r.end - r.offset
	if rest < headBytes {
		return damaged("a record is cut short")
	}
	if _, err := r.ReadAt(head, r.offset); err != nil {
		return err
	}
	size := le.Uint64(head[8:])
	if size > uint64(rest) {
		return damaged("a record is longer than the file")
	}
	n := 4 * ((int(size) + blockBytes - 1) / blockBytes)
	from := alignedSize(headBytes + n)
	if int64(from)+int64(size) > rest {
		return damaged("a record is longer than the file")
	}
	sums := make([]byte, n)
	if _, err := r.ReadAt(sums, r.offset+headBytes); err != nil {
		return err
	}
	if crc32.Update(crc32.Checksum(head[4:], castagnoli), castagnoli, sums) != le.Uint32(head) {
		return damaged("the checksum of a record's head differs")
	}
	at := r.offset + int64(from)
	r.offset = min(r.end, at+int64(alignedSize(int(size))))
	kind := le.Uint32(head[4:])
	if kind == segmentRecord {
		return r.segment(head, at, int(size), sums)
	}
	if kind == metaRecord && (r.meta != nil || size > maxMeta) {
		return damaged("a record of an unknown kind")
	}
	content := make([]byte, size)
	if err := r.readChecked(content, at, sums); err != nil {
		return err
	}
	switch kind {
	case metaRecord:
		r.meta = content
		return nil
	case stateRecord:
		r.changes = nil
		return r.splitState(content, &r.state)
	case changeRecord:
		var one []byte
		if r.changes = append(r.changes, nil); r.state == nil || len(r.changes) > maxChanges {
			return damaged("a change of nothing, or too many")
		}
		err := r.splitState(content, &one)
		r.changes[len(r.changes)-1] = one
		return err
	}
	return damaged("a record of an unknown kind")
}

// readChecked reads b at a place, and checks it.
func (r *reader) readChecked(b []byte, at int64, sums []byte) error {
	const together = 64 * blockBytes
	parts := (len(b) + together - 1) / together
	failed := make([]error, parts)
	parallel.For(parts, 1, func(i, _ int) {
		lo, hi := i*together, min(len(b), (i+1)*together)
		if failed[i] = r.read(b[lo:hi], at+int64(lo)); failed[i] == nil {
			failed[i] = r.check(b[lo:hi], at+int64(lo), sums[i*64*4:])
		}
	})
	return cmp.Or(failed...)
}

// splitState divides the content of a state into what Index.removedBits wrote, and the rest.
func (r *reader) splitState(content []byte, rest *[]byte) error {
	n := 4
	if len(content) >= n {
		for range binary.LittleEndian.Uint32(content) {
			if len(content) < n+4 {
				break
			}
			n += 4 + 8*int(binary.LittleEndian.Uint32(content[n:]))
			if n > len(content) {
				break
			}
		}
	}
	if n > len(content) {
		return damaged("the list of who is not there any more is cut short")
	}
	r.removedBits, *rest = content[:n:n], content[n:]
	if *rest == nil {
		*rest = []byte{}
	}
	return nil
}

// segment reads a segment with this head, whose content, of this size, is at a place.
func (r *reader) segment(head []byte, at int64, size int, sums []byte) error {
	le := binary.LittleEndian
	h := shape{
		dims: int(le.Uint32(head[16:])), info: int(le.Uint32(head[20:])), people: int(le.Uint32(head[24:])), faces: int(le.Uint32(head[28:])),
		codeError: math.Float32frombits(le.Uint32(head[48:])), radius: math.Float32frombits(le.Uint32(head[52:])),
		codeRatio: math.Float32frombits(le.Uint32(head[56:])), // 0 if not known
	}
	names, ids := le.Uint64(head[32:]), le.Uint64(head[40:])
	if h.dims < 1 || h.dims > maxDims || h.info < 0 || h.info > maxInfo || h.people < 1 || h.faces < h.people || h.faces > maxFaces ||
		names > uint64(size) || ids > uint64(size) ||
		!(h.codeError >= 0 && h.codeError <= 1 && h.radius >= 0 && h.radius <= 3 && h.codeRatio >= 0) {
		return damaged("the sizes of a segment are impossible")
	}
	h.nameBytes, h.idBytes = int(names), int(ids)
	if h.size() != size {
		return damaged("the sizes of a segment do not fit its content")
	}
	if len(r.x.segments) == 0 {
		r.x.dims, r.x.info = h.dims, h.info
	} else if h.dims != r.x.dims || h.info != r.x.info {
		return damaged("segments of different vectors")
	}
	sections, _ := h.sections()
	n := min(size, (sections[firstRows]+blockBytes-1)/blockBytes*blockBytes)
	if !keepsOpen {
		n = size
	}
	m, err := newMemory(n)
	if err != nil {
		return err
	}
	if err := r.readChecked(m.bytes, at, sums); err != nil {
		return err
	}
	s := segmentOf(h, m.bytes)
	s.onDisk, s.memory = true, m
	if n < size {
		s.source, s.offset, s.sums = r.source, at, sums
		for kind := range s.rowSums {
			s.rowSums[kind] = make([]atomic.Uint32, s.faces)
		}
	}
	if err := s.valid(); err != nil {
		return err
	}
	r.x.add(s)
	return nil
}

// valid reports sections that contradict each other.
func (s *segment) valid() error {
	for c := range s.people {
		if start(s.faceEnds, c) >= int(s.faceEnds[c]) || start(s.nameEnds, c) >= int(s.nameEnds[c]) || int(s.nameEnds[c]) > len(s.names) ||
			int(s.faceEnds[c]) > s.faces {
			return damaged("the people of a segment have no names or no faces")
		}
		if c > 0 && natural.Compare(s.nameInPlace(c-1), s.nameInPlace(c)) >= 0 {
			return damaged("the people of a segment are out of order")
		}
	}
	if int(s.faceEnds[s.people-1]) != s.faces {
		return damaged("faces of nobody")
	}
	for j, end := range s.idEnds {
		if j > 0 && end < s.idEnds[j-1] || end > uint64(len(s.ids)) {
			return damaged("the IDs of the faces are out of order")
		}
	}
	return nil
}

// distinct reports two people with one name.
func (x *Index) distinct() error {
	all := x.People()
	for i := 1; i < len(all); i++ {
		if x.compare(all[i], all[i-1]) == 0 {
			return damaged(fmt.Sprintf("%q is there twice", x.Name(all[i])))
		}
	}
	return nil
}
