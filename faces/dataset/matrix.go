package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
)

// A matrix is a numeric array of a file, its numbers column by column.
type matrix struct {
	name       string
	rows, cols int
	data       []float64
	size       Size // where the file says it by the shape of the variable
	fromZero   bool // its format counts from 0
}

// dense returns the matrix by rows.
func (m matrix) dense() *mat.Dense { return mat.DenseCopyOf(m.transposed().T()) }

// transposed returns the transpose. It shares the numbers: the columns of m are the rows
// of the transpose.
func (m matrix) transposed() *mat.Dense { return mat.NewDense(m.cols, m.rows, m.data) }

// at names element i of data, with the indices of the file format.
func (m matrix) at(i int) string {
	row, col := i%m.rows, i/m.rows
	if m.fromZero {
		return fmt.Sprintf("%s[%d, %d]", m.name, row, col)
	}
	return fmt.Sprintf("%s(%d,%d)", m.name, row+1, col+1)
}

func (m matrix) String() string { return fmt.Sprintf("%s %d×%d", m.name, m.rows, m.cols) }

// check is an error if m is empty or has a number that is not finite.
func (m matrix) check() error {
	if len(m.data) == 0 {
		return fmt.Errorf("%s is empty", m)
	}
	for i, v := range m.data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s is %v", m.at(i), v)
		}
	}
	return nil
}

// samples returns the matrix as d×n, one sample per column, for n labels. If it is
// square, its rows are the samples, as is common in the field, unless columns is set.
func (m matrix) samples(n int, columns bool) (*mat.Dense, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	switch {
	case n == m.rows && !(columns && n == m.cols):
		return m.transposed(), nil
	case n == m.cols:
		return m.dense(), nil
	}
	return nil, fmt.Errorf("%s does not go with %d labels: neither its rows nor its columns are as many", m, n)
}

// maxLabel bounds labels: beyond it not every integer is a float64.
const maxLabel = 1 << 53

// labels returns the numbers of a vector as text, and the classes: the different numbers
// in ascending order.
func (m matrix) labels() (labels, classes []string, err error) {
	if err := m.check(); err != nil {
		return nil, nil, err
	}
	if m.rows != 1 && m.cols != 1 {
		return nil, nil, fmt.Errorf("%s holds the labels and is no vector", m)
	}
	var values []int64
	for i, v := range m.data {
		if v != math.Trunc(v) || math.Abs(v) > maxLabel {
			return nil, nil, fmt.Errorf("%s is %v: a label is an integer", m.at(i), v)
		}
		values = append(values, int64(v))
		labels = append(labels, strconv.FormatInt(int64(v), 10))
	}
	slices.Sort(values)
	for _, v := range slices.Compact(values) {
		classes = append(classes, strconv.FormatInt(v, 10))
	}
	return labels, classes, nil
}

// oneHot turns a C×N matrix with a single 1 in every column into a vector of labels
// 1 … C.
func (m matrix) oneHot() (matrix, error) {
	if err := m.check(); err != nil {
		return matrix{}, err
	}
	h := m.transposed()
	labels := make([]float64, m.cols)
	for j := range labels {
		for c, v := range h.RawRowView(j) {
			switch {
			case v == 0:
			case v == 1 && labels[j] == 0:
				labels[j] = float64(c + 1)
			default:
				return matrix{}, fmt.Errorf("column %d of %s is not a single 1", j+1, m)
			}
		}
		if labels[j] == 0 {
			return matrix{}, fmt.Errorf("column %d of %s is not a single 1", j+1, m)
		}
	}
	return matrix{name: m.name, rows: 1, cols: len(labels), data: labels}, nil
}

// oneHotRows turns an N×C matrix with a single 1 in every row, as programs for Python have it, into
// a vector of labels 0 … C−1, or 1 … C if the format counts from 1. It does the same with the columns
// of a C×N matrix.
func (m matrix) oneHotRows() (matrix, error) {
	turned := matrix{name: m.name, rows: m.cols, cols: m.rows, data: make([]float64, 0, len(m.data))}
	for i := range m.rows {
		for j := range m.cols {
			turned.data = append(turned.data, m.data[j*m.rows+i])
		}
	}
	labels, err := turned.oneHot()
	if err != nil {
		labels, err = m.oneHot()
	}
	if err != nil {
		err = advice.Add(fmt.Errorf("%s holds the labels and is no vector", m),
			"labels are a vector of integers or of names; as one-hot rows each has a single 1, and numpy.argmax(y, axis=1) "+
				"makes a vector of rows of probabilities")
		return matrix{}, err
	}
	for i := range labels.data {
		if m.fromZero {
			labels.data[i]--
		}
	}
	return labels, nil
}

// scalar returns the only number of the matrix, which must be valid as a side of an
// image.
func (m matrix) scalar() (int, error) {
	if len(m.data) != 1 {
		return 0, fmt.Errorf("%s is not a number", m)
	}
	v := m.data[0]
	if v != math.Trunc(v) || v < 1 || v > MaxSide {
		return 0, fmt.Errorf("%s is %v, not a number of pixels between 1 and %d", m.name, v, MaxSide)
	}
	return int(v), nil
}

// tooLarge reports whether rows·cols exceeds maxElements.
func tooLarge(rows, cols int) bool { return cols > 0 && rows > maxElements/cols }
