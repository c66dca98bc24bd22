package index

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/parallel"
)

// A Place is a face of a person.
type Place struct {
	Ref
	Face int // from 0
}

// Equal returns, for each of the vectors, rows of unit norm one after another, the faces
// with the same numbers. It reads only what a search has in memory, and the vectors of
// faces whose codes are nearly equal.
func (x *Index) Equal(vectors []float32) ([][]Place, error) {
	const block = 1 << 17 // faces that are looked at together
	type part struct{ segment, first int }
	var parts []part
	for i, s := range x.segments {
		for j := 0; j < len(s.scales); j += block {
			parts = append(parts, part{i, j})
		}
	}
	codes := make([]*codes, len(x.segments))
	parallel.For(len(codes), 1, func(i, _ int) { codes[i] = x.segments[i].codesOf(vectors) })
	found, failed := make([][][]Place, len(parts)), make([]error, len(parts))
	parallel.For(len(parts), 1, func(i, _ int) {
		p := parts[i]
		last := min(p.first+block, len(x.segments[p.segment].scales))
		found[i], failed[i] = x.equal(p.segment, p.first, last, vectors, codes[p.segment])
	})
	all := make([][]Place, len(vectors)/x.dims)
	for i := range found {
		if failed[i] != nil {
			return nil, failed[i]
		}
		for q, places := range found[i] {
			all[q] = append(all[q], places...)
		}
	}
	return all, nil
}

// sameCode bounds by how much the scales of one vector differ, relative to the scale, and
// its offsets, relative to 1, where machines round differently.
const sameCode = 1e-6

// codes are what a segment stores of vectors beside their codes.
type codes struct {
	scales, offsets []float32
	byScale         []int         // the vectors in the order of their scales
	occupied        [1 << 13]bool // cells that have the scale of a vector: one look for all vectors
}

func cell(scale float32) uint32 { return math.Float32bits(scale) >> 11 % (1 << 13) }

func (s *segment) codesOf(vectors []float32) *codes {
	d := len(s.centre)
	n := len(vectors) / d
	c := &codes{scales: make([]float32, n), offsets: make([]float32, n), byScale: make([]int, n)}
	rest := make([]float32, d)
	for q := range n {
		c.offsets[q], _ = s.centred(rest, vectors[q*d:(q+1)*d])
		c.scales[q], c.byScale[q] = scaleOf(rest), q
		c.occupied[cell(c.scales[q]*(1-sameCode))], c.occupied[cell(c.scales[q]*(1+sameCode))] = true, true
	}
	slices.SortFunc(c.byScale, func(a, b int) int { return cmp.Compare(c.scales[a], c.scales[b]) })
	return c
}

// equal is Equal for the faces first to last-1 of a segment.
func (x *Index) equal(segment, first, last int, vectors []float32, c *codes) ([][]Place, error) {
	s := x.segments[segment]
	defer runtime.KeepAlive(s.memory)
	found := make([][]Place, len(c.scales))
	one := buffers.Get().(*buffer)
	defer buffers.Put(one)
	for j := first; j < last; j++ {
		scale := s.scales[j]
		if !c.occupied[cell(scale)] {
			continue
		}
		lower, upper := scale*(1-sameCode), scale*(1+sameCode)
		from, _ := slices.BinarySearchFunc(c.byScale, lower, func(q int, v float32) int { return cmp.Compare(c.scales[q], v) })
		for _, q := range c.byScale[from:] {
			if c.scales[q] > upper {
				break
			}
			if math.Abs(float64(s.offsets[j]-c.offsets[q])) > sameCode {
				continue
			}
			r := Ref{segment, s.owner(j)}
			if !x.has(r) {
				break
			}
			row, err := s.span(j, j+1, one)
			if err != nil {
				return nil, err
			}
			if slices.Equal(row, vectors[q*x.dims:(q+1)*x.dims]) {
				found[q] = append(found[q], Place{r, j - start(s.faceEnds, r.person)})
			}
		}
	}
	return found, nil
}

// Rows is a matrix with a row for each person of a segment, in the order of the segment. People
// who were removed have a row, too.
type Rows struct {
	*mat.Dense
	classes []int // the place of each person among People; -1 for one who is not there
}

// Rows returns a vector of dims numbers for each of people, which are all people of x in the
// order of People. The function row makes the vector of a person. Vectors are kept under key,
// so that after a change only those of other people are made. The result has one Rows for each
// segment of the file. It is an error if a person cannot be read.
func (x *Index) Rows(key any, dims int, people []Ref, row func(*Person) []float64) ([]Rows, error) {
	all := make([]Rows, len(x.segments))
	for i, s := range x.segments {
		make := func() (*mat.Dense, error) {
			m := mat.NewDense(s.people, dims, nil)
			one := buffers.Get().(*buffer)
			defer buffers.Put(one)
			for c := range s.people {
				p, err := s.read(c, one)
				if err != nil {
					return nil, err
				}
				m.SetRow(c, row(p))
			}
			return m, nil
		}
		kept, _ := s.rows.LoadOrStore(key, sync.OnceValues(make))
		m, err := kept.(func() (*mat.Dense, error))()
		if err != nil {
			return nil, err
		}
		all[i].Dense, all[i].classes = m, slices.Repeat([]int{-1}, s.people)
	}
	for class, r := range people {
		all[r.segment].classes[r.person] = class
	}
	return all, nil
}

// Each calls do for each person who was not removed, with the class of the person, an index of
// People, and the row of the vector.
func (r Rows) Each(do func(class, row int)) {
	for row, class := range r.classes {
		if class >= 0 {
			do(class, row)
		}
	}
}
