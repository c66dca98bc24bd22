// Package index finds the people whose faces are nearest to a face, exactly, among up to
// some millions of faces.
//
// Faces are vectors of unit norm in single precision. Beside each vector there is a code
// of one byte a dimension. A search compares the codes of all faces, whose error is
// bounded, and computes the cosines of those faces only that may be among the nearest: the
// result is that of comparing all vectors. Of an Index that was read from a file the vectors
// and the further numbers of the faces stay in the file, and are read, and checked, when
// they are needed.
//
// Experimental: this package may change in any version.
package index

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"unsafe"

	"nrdl.example/nrdl/internal/natural"
)

// A Person is somebody with faces.
type Person struct {
	Name    string
	IDs     []string  // of the faces, k of them
	Info    []float64 // k·info numbers that are kept with the faces
	Vectors []float32 // k·dims, of unit norm, face by face
}

// An Index is a set of people. It is immutable and safe for concurrent use: a change
// returns a new one, which shares what stays the same.
type Index struct {
	dims, info    int
	people, faces int

	segments []*segment // the names in each are in natural order; nobody is alive in two
	removals [][]uint64 // a bit for each person of a segment that is not there any more; nil for none
	file     *file      // where segments were read from or written to; nil for none
}

// A Ref refers to a person in an Index.
type Ref struct{ segment, person int }

// New returns an Index without people for vectors with so many dimensions, and so many
// further numbers for each face.
func New(dims, info int) *Index { return &Index{dims: dims, info: info} }

// Dims returns the number of dimensions and of further numbers of a face.
func (x *Index) Dims() (dims, info int) { return x.dims, x.info }

// Len returns the number of people and of faces.
func (x *Index) Len() (people, faces int) { return x.people, x.faces }

// Scanned returns the bytes that a search reads of all faces: with the names they have to
// be in memory.
func (x *Index) Scanned() (bytes int) {
	for _, s := range x.segments {
		_, eager := s.sections()
		bytes += eager
	}
	return bytes
}

// maxFaces of a segment: a file is written segment by segment in memory of this size.
const maxFaces = 1 << 16

// mergedFaces are the most that small segments are merged to: more take longer than
// adding a person should.
const mergedFaces = 1024

// With returns x with these people added, in any order. A person whose name is in x already
// replaces that person.
func (x *Index) With(people ...*Person) (*Index, error) {
	for _, p := range people {
		if err := x.check(p); err != nil {
			return nil, err
		}
	}
	people = slices.Clone(people)
	slices.SortFunc(people, func(a, b *Person) int { return natural.Compare(a.Name, b.Name) })
	for i := 1; i < len(people); i++ {
		if people[i].Name == people[i-1].Name {
			return nil, fmt.Errorf("add faces: %q is there twice", people[i].Name)
		}
	}
	t := x.clone()
	for _, p := range people {
		if r, found := t.Find(p.Name); found {
			t.remove(r)
		}
	}
	for len(people) > 0 {
		n, faces := 0, 0
		for n < len(people) && (n == 0 || faces+len(people[n].IDs) <= maxFaces) {
			faces += len(people[n].IDs)
			n++
		}
		t.add(newSegment(x.dims, x.info, people[:n]))
		people = people[n:]
	}
	return t, t.merge()
}

// check reports why p cannot be in x.
func (x *Index) check(p *Person) error {
	if p == nil {
		return errors.New("add faces: a person is nil")
	}
	k := len(p.IDs)
	switch {
	case k == 0 || k > maxFaces:
		return fmt.Errorf("add faces: %q has %d faces", p.Name, k)
	case len(p.Vectors) != k*x.dims || len(p.Info) != k*x.info:
		return fmt.Errorf("add faces: %q has %d numbers for %d faces of %d dimensions", p.Name, len(p.Vectors), k, x.dims)
	}
	for j := range k {
		var norm float64
		for _, v := range p.Vectors[j*x.dims : (j+1)*x.dims] {
			norm += float64(v) * float64(v)
		}
		if !(math.Abs(norm-1) <= unitError) {
			return fmt.Errorf("add faces: face %q has the norm %v, want 1", p.IDs[j], math.Sqrt(norm))
		}
	}
	return nil
}

// unitError bounds how far the square of a norm is from 1.
const unitError = 1e-4

// clone is x to be changed.
func (x *Index) clone() *Index {
	t := *x
	t.segments, t.removals = slices.Clone(x.segments), slices.Clone(x.removals)
	return &t
}

func (x *Index) add(s *segment) {
	x.segments, x.removals = append(x.segments, s), append(x.removals, nil)
	x.people += s.people
	x.faces += s.faces
}

// remove marks a person of x as removed. Nobody else may use x yet.
func (x *Index) remove(r Ref) {
	s := x.segments[r.segment]
	bits := make([]uint64, (s.people+63)/64)
	copy(bits, x.removals[r.segment])
	bits[r.person/64] |= 1 << (r.person % 64)
	x.removals[r.segment] = bits
	x.people--
	x.faces -= s.count(r.person)
}

func (x *Index) has(r Ref) bool {
	bits := x.removals[r.segment]
	return bits == nil || bits[r.person/64]>>(r.person%64)&1 == 0
}

// merge merges the last segments while they are small and the one before is not much
// larger, so that there are few.
func (x *Index) merge() error {
	for n := len(x.segments); n > 1; n = len(x.segments) {
		a, b := x.segments[n-2], x.segments[n-1]
		if a.onDisk || a.faces > 2*b.faces || a.faces+b.faces > mergedFaces {
			return nil
		}
		var people []*Person
		for i := range 2 {
			for c := range x.segments[n-2+i].people {
				if r := (Ref{n - 2 + i, c}); x.has(r) {
					p, err := x.Person(r)
					if err != nil {
						return err
					}
					people = append(people, p)
				}
			}
		}
		slices.SortFunc(people, func(a, b *Person) int { return natural.Compare(a.Name, b.Name) })
		x.segments, x.removals = x.segments[:n-2], x.removals[:n-2]
		if len(people) > 0 {
			x.segments, x.removals = append(x.segments, newSegment(x.dims, x.info, people)), append(x.removals, nil)
		}
	}
	return nil
}

// ErrUnknown is the error for a name that nobody has.
var ErrUnknown = errors.New("nobody has this name")

// Without returns x without these people. The error wraps ErrUnknown if a name is not in x.
func (x *Index) Without(names ...string) (*Index, error) {
	t := x.clone()
	for _, name := range names {
		r, found := t.Find(name)
		if !found {
			return nil, fmt.Errorf("%q: %w", name, ErrUnknown)
		}
		t.remove(r)
	}
	return t, nil
}

// Find returns who has this name.
func (x *Index) Find(name string) (Ref, bool) {
	for i := len(x.segments) - 1; i >= 0; i-- {
		if c, found := x.segments[i].find(name); found {
			if r := (Ref{i, c}); x.has(r) {
				return r, true
			}
		}
	}
	return Ref{}, false
}

// Name returns the name of a person.
func (x *Index) Name(r Ref) string { return x.segments[r.segment].name(r.person) }

// Faces returns the number of faces of a person.
func (x *Index) Faces(r Ref) int { return x.segments[r.segment].count(r.person) }

// IDs returns the IDs of the faces of a person.
func (x *Index) IDs(r Ref) []string { return x.segments[r.segment].idsOf(r.person) }

// Info reads the numbers that are kept with the faces of a person, face by face. Errors are
// those of Person.
func (x *Index) Info(r Ref) ([]float64, error) {
	s, one := x.segments[r.segment], buffers.Get().(*buffer)
	defer buffers.Put(one)
	defer runtime.KeepAlive(s.memory)
	infos, err := s.infosOf(start(s.faceEnds, r.person), int(s.faceEnds[r.person]), one)
	return slices.Clone(infos), err
}

// Person reads a person. It is an error if the file is damaged at that place; the error wraps
// ErrChanged if the file was changed since it was opened.
func (x *Index) Person(r Ref) (*Person, error) {
	one := buffers.Get().(*buffer)
	defer buffers.Put(one)
	return x.segments[r.segment].read(r.person, one)
}

// People returns the people in natural order of their names.
func (x *Index) People() []Ref {
	runs := [][]Ref{nil}
	for i, s := range x.segments {
		var run []Ref
		for c := range s.people {
			if r := (Ref{i, c}); x.has(r) {
				run = append(run, r)
			}
		}
		runs = append(runs, run)
	}
	for len(runs) > 1 {
		runs = append(runs[2:], x.merged(runs[0], runs[1]))
	}
	return runs[0]
}

// merged returns the people of a and of b, both in natural order, in this order.
func (x *Index) merged(a, b []Ref) []Ref {
	if len(a) == 0 || len(b) == 0 || x.compare(a[len(a)-1], b[0]) < 0 {
		return append(a, b...)
	}
	all := make([]Ref, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if x.compare(a[0], b[0]) <= 0 {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// compare compares the names of two people.
func (x *Index) compare(a, b Ref) int {
	s, t := x.segments[a.segment], x.segments[b.segment]
	defer runtime.KeepAlive(s.memory)
	defer runtime.KeepAlive(t.memory)
	return natural.Compare(s.nameInPlace(a.person), t.nameInPlace(b.person))
}

// A Hit is a person who was found.
type Hit struct {
	Ref
	Cosine float32 // the largest of a face of the person
}

// order puts the nearest first, and among equals the first in natural order.
func (x *Index) order(hits []Hit) {
	slices.SortFunc(hits, func(a, b Hit) int {
		if c := cmp.Compare(b.Cosine, a.Cosine); c != 0 {
			return c
		}
		return natural.Compare(x.Name(a.Ref), x.Name(b.Ref))
	})
}

// A memory has bytes, aligned for all sections, as long as it is in use.
type memory struct{ bytes []byte }

// minLarge is the size of a piece of memory that is given back to the system.
const minLarge = 1 << 20

func newMemory(size int) (*memory, error) {
	if size < minLarge {
		return smallMemory(size), nil
	}
	return largeMemory(size)
}

func smallMemory(size int) *memory {
	words := make([]uint64, (size+7)/8+1)
	return &memory{unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size)}
}
