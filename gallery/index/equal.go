package index

import (
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
	found := make([][][]Place, len(x.segments))
	failed := make([]error, len(x.segments))
	parallel.For(len(x.segments), 1, func(i, _ int) { found[i], failed[i] = x.equal(i, vectors) })
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

// sameCode bounds by how much the scales and the offsets of one vector differ, relative to
// 1, where machines round differently.
const sameCode = 1e-6

// equal is Equal for a segment.
func (x *Index) equal(segment int, vectors []float32) ([][]Place, error) {
	const cells = 1 << 13 // of scales: one look for all vectors
	cell := func(scale float32) uint32 { return math.Float32bits(scale) >> 11 % cells }
	s := x.segments[segment]
	defer runtime.KeepAlive(s.held)
	found := make([][]Place, len(vectors)/x.dims)
	scales, offsets := make([]float32, len(found)), make([]float32, len(found))
	var near [cells]bool
	code, rest := make([]int8, s.padded()), make([]float32, x.dims)
	for q := range found {
		offsets[q], _ = s.centred(rest, vectors[q*x.dims:(q+1)*x.dims])
		scales[q], _ = quantise(code, rest)
		near[cell(scales[q]*(1-sameCode))], near[cell(scales[q]*(1+sameCode))] = true, true
	}
	one := rooms.Get().(*room)
	defer rooms.Put(one)
	for j, scale := range s.scales {
		if !near[cell(scale)] {
			continue
		}
		for q := range found {
			if math.Abs(float64(scale-scales[q])) > sameCode || math.Abs(float64(s.offsets[j]-offsets[q])) > sameCode {
				continue
			}
			r := Ref{segment, s.owner(j)}
			if !x.alive(r) {
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

// Rows are vectors of a segment, one for each of its people in order, there or not.
type Rows struct {
	*mat.Dense
	classes []int // the place of each person among People; -1 for one who is not there
}

// Rows returns a vector of dims numbers for each person, as made by row, segment by segment.
// They are made once for a segment and a key, so that those who stay when people change are
// not made again. People are those of x, as People returns them. It is an error if a person
// cannot be read.
func (x *Index) Rows(key any, dims int, people []Ref, row func(*Person) []float64) ([]Rows, error) {
	all := make([]Rows, len(x.segments))
	for i, s := range x.segments {
		make := func() (*mat.Dense, error) {
			m := mat.NewDense(s.people, dims, nil)
			one := rooms.Get().(*room)
			defer rooms.Put(one)
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

// Each calls do with the class of each person who is there, and the row.
func (r Rows) Each(do func(class, row int)) {
	for row, class := range r.classes {
		if class >= 0 {
			do(class, row)
		}
	}
}
