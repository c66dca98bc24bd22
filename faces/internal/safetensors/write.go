package safetensors

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"nrdl.example/nrdl/internal/kit/array"
)

// Write writes tensors in the order of their names, and metadata, which may be nil. Equal
// arguments give equal bytes for any order of tensors. If Open or Read would refuse the
// file for a reason other than its length, Write fails before it writes anything.
func Write(w io.Writer, tensors []Tensor, metadata map[string]string) error {
	sorted, infos, err := layOut(tensors)
	if err != nil {
		return err
	}
	for k, v := range metadata {
		if !utf8.ValidString(k) || !utf8.ValidString(v) {
			return fmt.Errorf("metadata %.80q is not UTF-8", k)
		}
	}
	header, err := formatHeader(infos, metadata)
	if err != nil {
		return err
	}
	binary.LittleEndian.PutUint64(header, uint64(len(header)-8))
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, t := range sorted {
		if err := t.WriteData(w); err != nil {
			return err
		}
	}
	return nil
}

// layOut sorts tensors by name and gives each its place.
func layOut(tensors []Tensor) ([]Tensor, []Info, error) {
	sorted := slices.Clone(tensors)
	slices.SortFunc(sorted, func(a, b Tensor) int { return cmp.Compare(a.Name, b.Name) })
	infos := make([]Info, len(sorted))
	var at int64
	for i, t := range sorted {
		dtype, length, err := t.inspect()
		if err != nil {
			return nil, nil, fmt.Errorf("tensor %.80q: %w", t.Name, err)
		}
		if t.Name == metadataKey || !utf8.ValidString(t.Name) || i > 0 && t.Name == sorted[i-1].Name {
			return nil, nil, fmt.Errorf("a tensor cannot be named %.80q, or two are", t.Name)
		}
		infos[i] = Info{t.Name, dtype, t.Shape, at, at + int64(length)*bytesOf[dtype]}
		at = infos[i].end
	}
	return sorted, infos, nil
}

// numbers are the numbers of a tensor.
type numbers struct {
	dtype  string
	length int
	finite func() error // reports the first one that is not finite
	write  func(io.Writer) error
}

func (t Tensor) numbers() numbers {
	switch data := t.Data.(type) {
	case []float64:
		return numbersOf("F64", data)
	case []float32:
		return numbersOf("F32", data)
	case []int64:
		return numbersOf("I64", data)
	case []uint8:
		return numbersOf("U8", data)
	}
	panic(fmt.Sprintf("safetensors: a tensor cannot hold a %T", t.Data))
}

func numbersOf[T number](dtype string, data []T) numbers {
	return numbers{dtype, len(data), func() error { return finite(data) }, func(w io.Writer) error { return writeNumbers(w, data) }}
}

// inspect returns the type and the number of the elements of t. It is an error if they do
// not fit its shape or are not finite.
func (t Tensor) inspect() (dtype string, length int, err error) {
	data := t.numbers()
	if err := data.finite(); err != nil {
		return "", 0, err
	}
	want, err := array.Bytes(t.Shape, 1)
	if err != nil {
		return "", 0, err
	}
	if want != int64(data.length) {
		return "", 0, fmt.Errorf("%d numbers for a shape of %v", data.length, t.Shape)
	}
	return data.dtype, data.length, nil
}

// WriteData writes the numbers of t in the format of a file.
func (t Tensor) WriteData(w io.Writer) error { return t.numbers().write(w) }

func writeNumbers[T number](w io.Writer, numbers []T) error {
	buf := make([]byte, 0, chunk)
	for part := range slices.Chunk(numbers, chunk/8) {
		var err error
		if buf, err = binary.Append(buf[:0], binary.LittleEndian, part); err != nil {
			return err
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}
