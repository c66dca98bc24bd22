package gallery

import (
	"fmt"

	"nrdl/dataset"
)

// Kept returns for each of images the column of the stored image with equal values, as
// Merge compares them, or -1 if none is: m was trained on an image with a column. The
// result is nil if m keeps no images.
func (m *Model) Kept(images *dataset.Images) ([]int, error) {
	s := m.Images()
	if s == nil {
		return nil, nil
	}
	d, n := images.X.Dims()
	if ds, _ := s.X.Dims(); ds != d || !s.Frame.Same(images.Frame) {
		return nil, fmt.Errorf("compare images of %v with enrolled ones of %v", images.Frame, s.Frame)
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
		columns[j] = columnOf(s, value)
	}
	return columns, nil
}

// columnOf returns the first column of s with these values, or -1.
func columnOf(s *dataset.Images, value []float64) int {
	for j, v := range s.X.RawRowView(0) {
		if v == value[0] && equals(s, j, value) {
			return j
		}
	}
	return -1
}

func equals(s *dataset.Images, j int, value []float64) bool {
	for i, v := range value {
		if s.X.At(i, j) != v {
			return false
		}
	}
	return true
}
