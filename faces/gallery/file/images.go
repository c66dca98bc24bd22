package file

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/internal/safetensors"
)

// enrolled is the part of a model file about the images that a model keeps. The tensors are beside
// it: X, d×N; enrolled, the groups of X; and quality, 5×N, the fields of Quality in their order,
// where it is known. X is U8 if all values are grey values of 8 bits, else F32, or F64 if F32 would
// change a value.
type enrolled struct {
	Input dataset.Frame `json:"input"`
	IDs   []string      `json:"ids,omitempty"`
	White float64       `json:"white,omitempty"`
}

func enrolledOf(g *gallery.Gallery) (*enrolled, *indexed) {
	if g.Enrolled.Faces == nil {
		s := g.Images()
		return &enrolled{s.Frame, s.IDs, s.White}, nil
	}
	common := g.Enrolled.Common()
	return &enrolled{common.Frame, nil, common.White}, &indexed{common.IDs != nil, common.Quality != nil, g.Shortlists(), g.ShortlistAbove}
}

// imageTensors gives the tensors of s.
func imageTensors(s *dataset.Images) []safetensors.Tensor {
	list := []safetensors.Tensor{smallest("X", s.X), integerTensor("enrolled", s.Groups)}
	if s.Quality == nil {
		return list
	}
	q := mat.NewDense(5, len(s.Quality), nil)
	for j, v := range s.Quality {
		q.SetCol(j, []float64{v.Eyes, v.Sharpness, v.Exposure, v.Angle, v.Detection})
	}
	return append(list, matrix("quality", q))
}

// qualities are what tensors wrote.
func qualities(q *mat.Dense) ([]dataset.Quality, error) {
	m, n := q.Dims()
	if m != 5 {
		return nil, fmt.Errorf("quality has %d rows, not 5", m)
	}
	list := make([]dataset.Quality, n)
	for j := range list {
		list[j] = dataset.Quality{Eyes: q.At(0, j), Sharpness: q.At(1, j), Exposure: q.At(2, j), Angle: q.At(3, j), Detection: q.At(4, j)}
	}
	return list, nil
}

// smallest gives x in the smallest type that holds its values.
func smallest(name string, x *mat.Dense) safetensors.Tensor {
	t := matrix(name, x)
	values := t.Data.([]float64)
	bytes, single := true, true
	for _, v := range values {
		bytes = bytes && v == math.Trunc(v) && v >= 0 && v <= math.MaxUint8 && !math.Signbit(v)
		single = single && v == float64(float32(v))
	}
	switch {
	case bytes:
		t.Data = converted[uint8](values)
	case single:
		t.Data = converted[float32](values)
	}
	return t
}

func converted[T uint8 | float32](values []float64) []T {
	c := make([]T, len(values))
	for i, v := range values {
		c[i] = T(v)
	}
	return c
}

// widened is dense for what smallest makes.
func widened(t safetensors.Tensor) (*mat.Dense, error) {
	switch data := t.Data.(type) {
	case []uint8:
		t.Data = doubles(data)
	case []float32:
		t.Data = doubles(data)
	}
	return dense(t)
}

func doubles[T uint8 | float32](values []T) []float64 {
	d := make([]float64, len(values))
	for i, v := range values {
		d[i] = float64(v)
	}
	return d
}

func integers(t safetensors.Tensor) ([]int, error) {
	data, ok := t.Data.([]int64)
	if !ok || len(t.Shape) != 1 {
		return nil, fmt.Errorf("%s are not a list of integers", t.Name)
	}
	list := make([]int, len(data))
	for i, v := range data {
		list[i] = int(v)
	}
	return list, nil
}

func integerTensor(name string, list []int) safetensors.Tensor {
	data := make([]int64, len(list))
	for i, v := range list {
		data[i] = int64(v)
	}
	return safetensors.Tensor{Name: name, Shape: []int{len(list)}, Data: data}
}
