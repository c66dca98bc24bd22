package gallery

import (
	"fmt"
	"sort"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/dataset"
)

// Kept returns for each of images the column of the stored image with equal values, as
// Merge compares them, or -1 if none is: m was trained on an image with a column. The
// result is nil if m keeps no images. Images that are divided are not put together.
func (m *Model) Kept(images *dataset.Images) ([]int, error) {
	e := m.Enrolled
	if e == nil {
		return nil, nil
	}
	s := &e.header
	divided := e.by != nil
	if !divided {
		s = e.Images()
	}
	d, n := images.X.Dims()
	if ds := e.numbers(); ds != d || !e.Frame.Same(images.Frame) {
		return nil, fmt.Errorf("compare images of %v with enrolled ones of %v", images.Frame, e.Frame)
	}
	factor := images.Scale() / s.Scale()
	columns := make([]int, n)
	value := make([]float64, d)
	for j := range columns {
		for i := range value {
			value[i] = images.X.At(i, j)
			if factor != 1 {
				value[i] *= factor
			}
			if s.AreFaces() {
				value[i] = float64(float32(value[i])) // as Keep keeps them
			}
		}
		if !divided {
			columns[j] = columnOf(s.X, value)
			continue
		}
		columns[j] = -1
		for c, p := range e.people {
			if k := columnOf(p.x, value); k >= 0 {
				columns[j] = e.Groups[c] + k
				break
			}
		}
	}
	return columns, nil
}

// numbers is how many an image of e has.
func (e *Enrolled) numbers() int {
	if e.by != nil {
		return len(e.people[0].mean)
	}
	d, _ := e.Images().X.Dims()
	return d
}

// ID returns the ID of image j; "" without IDs.
func (e *Enrolled) ID(j int) string {
	if e.by == nil {
		return e.Images().ID(j)
	}
	c := sort.SearchInts(e.Groups, j+1) - 1
	if e.people[c].ids == nil {
		return ""
	}
	return e.people[c].ids[j-e.Groups[c]]
}

// columnOf returns the first column of x with these values, or -1.
func columnOf(x *mat.Dense, value []float64) int {
	for j, v := range x.RawRowView(0) {
		if v == value[0] && equals(x, j, value) {
			return j
		}
	}
	return -1
}

func equals(x *mat.Dense, j int, value []float64) bool {
	for i, v := range value {
		if x.At(i, j) != v {
			return false
		}
	}
	return true
}
