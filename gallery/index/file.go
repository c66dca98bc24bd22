package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"slices"
	"sync"

	"github.com/fvbommel/sortorder"

	"nrdl/internal/hint"
)

// A file of an Index begins with a page: Magic, the version of the format, and two slots.
// A slot has a generation and the number of bytes of the file that count; the slot with the
// higher generation is valid. Records follow the page. The first record is the caller's
// bytes (meta); the others are segments and states. The last state is valid: it lists the
// people of the segments who were removed, and has the caller's bytes. A record has a head
// with the sizes of its content, the checksums of the content, and the content. A change is
// appended and synchronised, and then the other slot is written: an interruption at any
// moment leaves the file as it was. All numbers are little-endian.
const (
	Magic         = "nrdlface"
	fileVersion   = 1
	pageBytes     = 4096
	slotAt        = 512 // of the first slot; the second is as far behind it
	slotBytes     = 20
	headBytes     = 64
	metaRecord    = 1
	segmentRecord = 2
	stateRecord   = 3
)

// Bounds on what a file may claim.
const (
	mostDims = 1 << 15
	mostInfo = 64
	mostMeta = 1 << 30 // it may hold a network
)

// A file is what an Index and those that were made of it know of their file.
type file struct {
	path string
	info os.FileInfo // of the file that was opened: another may have taken its place

	mu         sync.Mutex
	generation uint64
	length     int64
	segments   []*segment // in the order of the file
}

// Open returns the Index in the file at path, which may be of unknown origin, and the
// bytes that Save put beside it. What a search reads of every face is checked now, the
// rest when it is used.
func Open(path string) (x *Index, meta, state []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < pageBytes {
		return nil, nil, nil, damaged(fmt.Sprintf("%d bytes are too few", info.Size()))
	}
	if info.Size() > math.MaxInt {
		return nil, nil, nil, errors.New("the file is larger than the memory that this machine can address")
	}
	m, err := mapFile(f, int(info.Size()))
	if err != nil {
		return nil, nil, nil, err
	}
	x, meta, state, err = parse(m)
	if err == nil {
		x.file.path, x.file.info = path, info
	}
	return x, meta, state, err
}

// parse reads what is in m.
func parse(m *mapping) (x *Index, meta, state []byte, err error) {
	generation, length, err := committed(m.bytes)
	if err != nil {
		return nil, nil, nil, err
	}
	r := &reader{m: m, rest: m.bytes[pageBytes:length]}
	r.x = &Index{file: &file{generation: generation, length: int64(length)}}
	for len(r.rest) > 0 {
		if err := r.record(); err != nil {
			return nil, nil, nil, err
		}
	}
	if r.meta == nil || r.state == nil || len(r.x.segments) == 0 {
		return nil, nil, nil, damaged("a part is missing")
	}
	state, err = r.x.revive(r.state)
	if err != nil {
		return nil, nil, nil, err
	}
	r.x.file.segments = slices.Clone(r.x.segments)
	return r.x, r.meta, state, r.x.distinct()
}

// committed returns what the first page of b says.
func committed(b []byte) (generation uint64, length int, err error) {
	if len(b) < pageBytes || string(b[:len(Magic)]) != Magic {
		return 0, 0, errors.New("not a gallery of nrdl")
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return 0, 0, errors.New("large galleries need a little-endian machine")
	}
	switch v := binary.LittleEndian.Uint32(b[len(Magic):]); {
	case v > fileVersion:
		return 0, 0, hint.Add(fmt.Errorf("the gallery was written by a newer nrdl (version %d, this one reads %d)", v, fileVersion), "update nrdl")
	case v < fileVersion:
		return 0, 0, damaged("it does not say its version")
	}
	generation, n := latest(b)
	if n < pageBytes && generation > 0 || n > math.MaxInt {
		return 0, 0, damaged("its length is impossible")
	}
	length = int(n)
	switch {
	case generation == 0:
		return 0, 0, damaged("neither slot of the first page is whole")
	case length > len(b):
		return 0, 0, hint.Add(fmt.Errorf("the gallery is cut short: it has %d of %d bytes", len(b), length), "copy it again, or restore a backup")
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

// page is the first page of a file with so many bytes.
func page(length int64) []byte {
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

// up is n rounded up to a multiple of aligned.
func up(n int) int { return (n + aligned - 1) / aligned * aligned }

func padded(b []byte) []byte { return append(b, make([]byte, up(len(b))-len(b))...) }

// A reader reads records.
type reader struct {
	m           *mapping
	rest        []byte
	x           *Index
	meta, state []byte
}

// record reads the next record.
func (r *reader) record() error {
	le, b := binary.LittleEndian, r.rest
	if len(b) < headBytes {
		return damaged("a record is cut short")
	}
	size := le.Uint64(b[8:])
	if size > uint64(len(b)) {
		return damaged("a record is longer than the file")
	}
	sums := headBytes + 4*((int(size)+blockBytes-1)/blockBytes)
	from := up(sums)
	if from+int(size) > len(b) || sums > len(b) {
		return damaged("a record is longer than the file")
	}
	if crc32.Checksum(b[4:sums], castagnoli) != le.Uint32(b) {
		return damaged("the checksum of a record's head differs")
	}
	content := b[from : from+int(size) : from+int(size)]
	r.rest = b[min(len(b), from+up(int(size))):]
	checks := newBlocks(b[headBytes:sums])
	kind := le.Uint32(b[4:])
	if kind == segmentRecord {
		return r.segment(b[:headBytes], content, checks)
	}
	if err := checks.check(content, 0, len(content)); err != nil {
		return err
	}
	switch {
	case kind == metaRecord && r.meta == nil && len(content) <= mostMeta:
		r.meta = append([]byte{}, content...)
	case kind == stateRecord:
		r.state = append([]byte{}, content...)
	default:
		return damaged("a record of an unknown kind")
	}
	return nil
}

// segment reads a segment with this head.
func (r *reader) segment(head, content []byte, checks *blocks) error {
	le := binary.LittleEndian
	h := shape{
		dims: int(le.Uint32(head[16:])), info: int(le.Uint32(head[20:])), people: int(le.Uint32(head[24:])), faces: int(le.Uint32(head[28:])),
		worst: math.Float32frombits(le.Uint32(head[48:])), reach: math.Float32frombits(le.Uint32(head[52:])),
	}
	names, ids := le.Uint64(head[32:]), le.Uint64(head[40:])
	if h.dims < 1 || h.dims > mostDims || h.info < 0 || h.info > mostInfo || h.people < 1 || h.faces < h.people || h.faces > mostFaces ||
		names > uint64(len(content)) || ids > uint64(len(content)) || !(h.worst >= 0 && h.worst <= 1 && h.reach >= 0 && h.reach <= 3) {
		return damaged("the sizes of a segment are impossible")
	}
	h.nameBytes, h.idBytes = int(names), int(ids)
	if h.size() != len(content) {
		return damaged("the sizes of a segment do not fit its content")
	}
	if len(r.x.segments) == 0 {
		r.x.dims, r.x.info = h.dims, h.info
	} else if h.dims != r.x.dims || h.info != r.x.info {
		return damaged("segments of different vectors")
	}
	_, eager := h.sections()
	if err := checks.check(content, 0, eager); err != nil {
		return err
	}
	s := over(h, content)
	s.onDisk, s.maps, s.blocks = true, r.m, checks
	if err := s.valid(); err != nil {
		return err
	}
	r.x.add(s)
	return nil
}

// valid reports sections that contradict each other.
func (s *segment) valid() error {
	for c := range s.people {
		if start(s.faceEnds, c) >= int(s.faceEnds[c]) || start(s.nameEnds, c) >= int(s.nameEnds[c]) || int(s.nameEnds[c]) > len(s.names) || int(s.faceEnds[c]) > s.faces {
			return damaged("the people of a segment have no names or no faces")
		}
		if c > 0 && sortorder.NaturalCompare(s.name(c-1), s.name(c)) >= 0 {
			return damaged("the people of a segment are out of order")
		}
	}
	if int(s.faceEnds[s.people-1]) != s.faces {
		return damaged("faces of nobody")
	}
	return nil
}

// revive is the inverse of revival.
func (x *Index) revive(b []byte) (state []byte, err error) {
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
		return nil, short
	}
	for i, s := range x.segments {
		p := next(4)
		if p == nil {
			return nil, short
		}
		n := int(binary.LittleEndian.Uint32(p))
		if n != 0 && n != (s.people+63)/64 {
			return nil, short
		}
		words := next(8 * n)
		if n > 0 && words == nil {
			return nil, short
		}
		for c := 0; n > 0 && c < s.people; c++ {
			if words[c/8]>>(c%8)&1 == 1 {
				x.kill(Ref{i, c})
			}
		}
	}
	return b, nil
}

// distinct reports two people with one name.
func (x *Index) distinct() error {
	all := x.People()
	for i := 1; i < len(all); i++ {
		if x.Name(all[i]) == x.Name(all[i-1]) {
			return damaged(fmt.Sprintf("%q is there twice", x.Name(all[i])))
		}
	}
	return nil
}
