package index

import (
	"hash/crc32"
	"math"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/parallel"
)

// A segment is people with their faces, in one piece of memory: their names in natural
// order, and then face by face what shape says. It does not change.
type segment struct {
	shape
	bytes  []byte // the sections; without those that stay in the file
	onDisk bool
	memory *memory // has bytes; nil where the garbage collector knows them

	source *source // has infos and vectors; nil if bytes does
	offset int64   // of the sections in source
	sums   []byte  // of their blocks

	// The checksums of the rows of infos and of vectors in blocks that were read; 0 for
	// others. With them a row is read alone.
	rowSums [2][]atomic.Uint32

	rows sync.Map // what Rows has made of the people, by its key

	nameEnds, faceEnds []uint32
	idEnds             []uint64
	names, ids         []byte
	centre             []float32 // mean of the vectors
	offsets, scales    []float32 // inner product of each vector with centre; unit of the code of its difference from centre
	codes              []uint8
	infos              []float64
	vectors            []float32
}

// A shape is the sizes of the sections of a segment.
type shape struct {
	dims, info    int
	people, faces int
	nameBytes     int
	idBytes       int
	codeError     float32 // the largest distance of a vector from what its code stands for
	codeRatio     float32 // the largest one in units of the scale; 0 if not known
	radius        float32 // the largest distance of a vector from centre
}

// padded is the number of dimensions of codes.
func (h shape) padded() int { return (h.dims + 3) / 4 * 4 }

// aligned sections start at multiples of this many bytes.
const aligned = 64

// sections returns where each section starts. Those from eager on are not needed to scan;
// the last two, of rows of one size, are read when they are needed.
func (h shape) sections() (at [11]int, eager int) {
	end := 0
	for i, size := range []int{
		4 * h.people, // nameEnds
		4 * h.people, // faceEnds
		h.nameBytes,
		4 * h.dims,  // centre
		4 * h.faces, // offsets
		4 * h.faces, // scales
		(h.faces + blas.CodeRows - 1) / blas.CodeRows * blas.CodeBytes(h.padded()),
		8 * h.faces, // idEnds
		h.idBytes,
		8 * h.faces * h.info,
		4 * h.faces * h.dims, // vectors
	} {
		at[i] = (end + aligned - 1) / aligned * aligned
		end = at[i] + size
	}
	return at, at[7]
}

// size is the number of bytes of all sections.
func (h shape) size() int {
	at, _ := h.sections()
	return at[10] + 4*h.faces*h.dims
}

// view is n numbers of b from at on, which is a multiple of aligned.
func view[T any](b []byte, at, n int) []T {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[at])), n)
}

// segmentOf is the segment of this shape in bytes, of size(), or without the vectors.
func segmentOf(h shape, bytes []byte) *segment {
	at, _ := h.sections()
	s := &segment{
		shape: h, bytes: bytes,
		nameEnds: view[uint32](bytes, at[0], h.people),
		faceEnds: view[uint32](bytes, at[1], h.people),
		names:    bytes[at[2] : at[2]+h.nameBytes],
		centre:   view[float32](bytes, at[3], h.dims),
		offsets:  view[float32](bytes, at[4], h.faces),
		scales:   view[float32](bytes, at[5], h.faces),
		codes:    bytes[at[6] : at[6]+(h.faces+blas.CodeRows-1)/blas.CodeRows*blas.CodeBytes(h.padded())],
		idEnds:   view[uint64](bytes, at[7], h.faces),
		ids:      bytes[at[8] : at[8]+h.idBytes],
	}
	if len(bytes) == h.size() {
		s.infos = view[float64](bytes, at[firstRows], h.faces*h.info)
		s.vectors = view[float32](bytes, at[10], h.faces*h.dims)
	}
	return s
}

// Sections of rows: one for each face.
const (
	infoRows = iota
	vectorRows

	firstRows = 9 // the number of their first section
)

// rowBytes is the size of a row.
func (h shape) rowBytes(kind int) int {
	if kind == infoRows {
		return 8 * h.info
	}
	return 4 * h.dims
}

// span returns the vectors of faces lo to hi, which r has until the next call.
func (s *segment) span(lo, hi int, r *buffer) ([]float32, error) {
	if s.source == nil {
		return s.vectors[lo*s.dims : hi*s.dims], nil
	}
	b, err := s.readRows(vectorRows, lo, hi, &r[vectorRows])
	if err != nil {
		return nil, err
	}
	return view[float32](b, 0, (hi-lo)*s.dims), nil
}

// infosOf returns the further numbers of faces lo to hi, which r has until the next call.
func (s *segment) infosOf(lo, hi int, r *buffer) ([]float64, error) {
	if s.source == nil {
		return s.infos[lo*s.info : hi*s.info], nil
	}
	b, err := s.readRows(infoRows, lo, hi, &r[infoRows])
	if err != nil {
		return nil, err
	}
	return view[float64](b, 0, (hi-lo)*s.info), nil
}

// readRows returns rows lo to hi from the file, which w has until the next call. It checks
// them by their own checksums where these are known, and else by those of their blocks.
func (s *segment) readRows(kind, lo, hi int, w *window) ([]byte, error) {
	at, _ := s.sections()
	first, size, sums := at[firstRows+kind], s.rowBytes(kind), s.rowSums[kind]
	from, to := first+lo*size, first+hi*size
	if b := w.bytes(s, from, to); b != nil || from == to {
		return b, nil
	}
	known := true
	for j := lo; j < hi; j++ {
		known = known && sums[j].Load() != 0
	}
	start, end := from, to
	if !known {
		start, end = from/blockBytes*blockBytes, min(s.size(), (to+blockBytes-1)/blockBytes*blockBytes)
	}
	b := w.allocate(end - start)
	if err := s.source.read(b, s.offset+int64(start)); err != nil {
		return nil, err
	}
	sum := func(j int) uint32 {
		return crc32.Checksum(b[first+j*size-start:first+(j+1)*size-start], castagnoli)
	}
	if known {
		for j := lo; j < hi; j++ {
			if sum(j) != sums[j].Load() {
				return nil, s.source.differs(s.offset + int64(start))
			}
		}
	} else {
		if err := s.source.check(b, s.offset+int64(start), s.sums[4*(start/blockBytes):]); err != nil {
			return nil, err
		}
		for j := max(0, (start-first+size-1)/size); j < s.faces && first+(j+1)*size <= end; j++ {
			sums[j].Store(sum(j))
		}
	}
	w.segment, w.start, w.end = s, start, end
	return w.bytes(s, from, to), nil
}

// newSegment returns a segment of people in natural order of their names.
func newSegment(dims, info int, people []*Person) *segment {
	h := shape{dims: dims, info: info, people: len(people)}
	for _, p := range people {
		h.faces += len(p.IDs)
		h.nameBytes += len(p.Name)
		for _, id := range p.IDs {
			h.idBytes += len(id)
		}
	}
	words := make([]uint64, (h.size()+7)/8) // aligned for all sections
	s := segmentOf(h, unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), h.size()))
	names, ids, face := 0, 0, 0
	for c, p := range people {
		names += copy(s.names[names:], p.Name)
		copy(s.infos[face*info:], p.Info)
		copy(s.vectors[face*dims:], p.Vectors)
		for _, id := range p.IDs {
			ids += copy(s.ids[ids:], id)
			s.idEnds[face] = uint64(ids)
			face++
		}
		s.nameEnds[c], s.faceEnds[c] = uint32(names), uint32(face)
	}
	s.encode()
	return s
}

// encode makes the codes: those of the differences from the mean, which are shorter than
// the vectors where all faces have much in common.
func (s *segment) encode() {
	sum := make([]float64, s.dims)
	for j := range s.faces {
		for i, v := range s.vectors[j*s.dims : (j+1)*s.dims] {
			sum[i] += float64(v)
		}
	}
	for i, v := range sum {
		s.centre[i] = float32(v / float64(s.faces))
	}
	blocks := (s.faces + blas.CodeRows - 1) / blas.CodeRows
	worst, ratio, reach := make([]float32, blocks), make([]float32, blocks), make([]float32, blocks)
	size := blas.CodeBytes(s.padded())
	parallel.For(blocks, 16, func(lo, hi int) {
		code, rest := make([]int8, s.padded()), make([]float32, s.dims)
		for b := lo; b < hi; b++ {
			block := s.codes[b*size : (b+1)*size]
			for i := range block {
				block[i] = zeroCode
			}
			for r := range min(blas.CodeRows, s.faces-b*blas.CodeRows) {
				j := b*blas.CodeRows + r
				var distance, length float32
				s.offsets[j], length = s.centred(rest, s.vectors[j*s.dims:(j+1)*s.dims])
				s.scales[j], distance = quantise(code, rest)
				worst[b], reach[b] = max(worst[b], distance), max(reach[b], length)
				ratio[b] = max(ratio[b], distance/s.scales[j])
				for i, v := range code {
					block[blas.CodeAt(r, i)] = uint8(int(v) + zeroCode)
				}
			}
		}
	})
	s.codeError, s.codeRatio, s.radius = slices.Max(worst), slices.Max(ratio), slices.Max(reach)
}

// centred sets rest to the difference of v from the centre and returns the inner product of
// v with the centre, and the length of rest.
func (s *segment) centred(rest, v []float32) (offset, length float32) {
	var dot, square float64
	for i, c := range s.centre {
		r := v[i] - c
		rest[i] = r
		dot += float64(v[i]) * float64(c)
		square += float64(r) * float64(r)
	}
	return float32(dot), float32(math.Sqrt(square))
}

const (
	zeroCode = 128 // of a face: codes are unsigned
	maxCode  = 127

	minScale = 1e-9
)

// scaleOf returns the unit of the code of v, by which its largest number has the largest
// code.
func scaleOf(v []float32) (scale float32) {
	for _, x := range v {
		scale = max(scale, max(x, -x))
	}
	scale /= maxCode
	if !(scale > minScale) {
		scale = minScale // quantise has what is left out in the distance
	}
	return scale
}

// quantise sets code, as long or longer, to v in units of scale, rounded, and returns the
// distance of v from that.
func quantise(code []int8, v []float32) (scale, distance float32) {
	scale = scaleOf(v)
	clear(code)
	units := 1 / scale
	var sum float64
	for i, x := range v {
		c := x * units
		switch {
		case c >= 0:
			c += 0.5
		default:
			c -= 0.5
		}
		n := int32(c)
		code[i] = int8(max(-maxCode, min(n, maxCode)))
		e := float64(x) - float64(scale)*float64(code[i])
		sum += e * e
	}
	return scale, float32(math.Sqrt(sum))
}

// start is the first of what ends are the ends of.
func start[T uint32 | uint64](ends []T, i int) int {
	if i == 0 {
		return 0
	}
	return int(ends[i-1])
}

func (s *segment) name(c int) string {
	defer runtime.KeepAlive(s.memory)
	return strings.Clone(s.nameInPlace(c))
}

// nameInPlace is name without a copy: it lives as long as the memory of s.
func (s *segment) nameInPlace(c int) string {
	b := s.names[start(s.nameEnds, c):s.nameEnds[c]]
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// count is the number of faces of person c.
func (s *segment) count(c int) int {
	defer runtime.KeepAlive(s.memory)
	return int(s.faceEnds[c]) - start(s.faceEnds, c)
}

// owner is the person with face j.
func (s *segment) owner(j int) int {
	return sort.Search(s.people, func(c int) bool { return int(s.faceEnds[c]) > j })
}

func (s *segment) find(name string) (int, bool) {
	defer runtime.KeepAlive(s.memory)
	return sort.Find(s.people, func(c int) int { return natural.Compare(name, s.nameInPlace(c)) })
}

// read returns a copy of person c.
func (s *segment) read(c int, r *buffer) (*Person, error) {
	defer runtime.KeepAlive(s.memory)
	lo, hi := start(s.faceEnds, c), int(s.faceEnds[c])
	vectors, err := s.span(lo, hi, r)
	if err != nil {
		return nil, err
	}
	infos, err := s.infosOf(lo, hi, r)
	if err != nil {
		return nil, err
	}
	return &Person{Name: s.name(c), IDs: s.idsOf(c), Info: slices.Clone(infos), Vectors: slices.Clone(vectors)}, nil
}

func (s *segment) idsOf(c int) []string {
	defer runtime.KeepAlive(s.memory)
	lo, hi := start(s.faceEnds, c), int(s.faceEnds[c])
	ids := make([]string, 0, hi-lo)
	for j := lo; j < hi; j++ {
		ids = append(ids, string(s.ids[start(s.idEnds, j):s.idEnds[j]]))
	}
	return ids
}

// idBytesOf is the length of the IDs of person c.
func (s *segment) idBytesOf(c int) int {
	defer runtime.KeepAlive(s.memory)
	return start(s.idEnds, int(s.faceEnds[c])) - start(s.idEnds, start(s.faceEnds, c))
}
