package safetensors

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"
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

// inspect returns the type and the number of the elements of t, and checks
// that they agree with its shape and are finite.
func (t Tensor) inspect() (dtype string, length int, err error) {
	switch data := t.Data.(type) {
	case []float64:
		dtype, length, err = "F64", len(data), finite(data)
	case []float32:
		dtype, length, err = "F32", len(data), finite(data)
	case []int64:
		dtype, length = "I64", len(data)
	case []uint8:
		dtype, length = "U8", len(data)
	default:
		panic(fmt.Sprintf("safetensors: a tensor cannot hold a %T", t.Data))
	}
	if err != nil {
		return "", 0, err
	}
	want := 1
	for _, n := range t.Shape {
		if n < 0 || n > 0 && want > math.MaxInt/n {
			return "", 0, fmt.Errorf("a shape of %v", t.Shape)
		}
		want *= n
	}
	if want != length {
		return "", 0, fmt.Errorf("%d numbers for a shape of %v", length, t.Shape)
	}
	return dtype, length, nil
}

// WriteData writes the numbers of t in the format of a file.
func (t Tensor) WriteData(w io.Writer) error {
	switch data := t.Data.(type) {
	case []float64:
		return writeNumbers(w, data)
	case []float32:
		return writeNumbers(w, data)
	case []int64:
		return writeNumbers(w, data)
	case []uint8:
		return writeNumbers(w, data)
	}
	panic(fmt.Sprintf("safetensors: a tensor cannot hold a %T", t.Data))
}

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
