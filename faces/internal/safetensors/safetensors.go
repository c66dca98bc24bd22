// Package safetensors reads and writes safetensors files: the length of a
// header (8 bytes, little endian), the header (JSON: for every tensor its
// type, shape and place, and a map of strings for what is not a tensor), and
// the numbers, packed, row-major, little endian [safetensors].
//
// It reads files of unknown origin. What the header declares is checked
// before anything is allocated for it, and memory grows with the bytes that
// are really there. Holes, overlaps, bytes after the last tensor and numbers
// that are not finite are errors.
//
// [safetensors]: https://github.com/huggingface/safetensors#format
package safetensors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A Tensor is an array and its name.
type Tensor struct {
	Name  string
	Shape []int // row-major; none is a single number
	Data  any   // []float64 (F64), []float32 (F32), []int64 (I64) or []uint8 (U8)
}

// An Info describes a tensor of a file.
type Info struct {
	Name  string
	DType string // "F64", …
	Shape []int

	begin, end int64 // its bytes, from the end of the header
}

// A File is a safetensors file whose header has been read.
type File struct {
	Tensors  []Info            // in the order of their bytes
	Metadata map[string]string // nil if there is none

	r io.Reader
}

// MaxHeader bounds the length of a header that Open reads and Write writes.
const MaxHeader = 16 << 20

// ErrFormat is returned if the first bytes are not those of a safetensors file.
var ErrFormat = errors.New("not a safetensors file")

// Open reads the header of the file r, which may be at most limit bytes long.
// It wraps io.ErrUnexpectedEOF where the file ends within the header.
func Open(r io.Reader, limit int64) (*File, error) {
	var length [8]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, endsIn("the length of its header", err)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > MaxHeader {
		return nil, ErrFormat
	}
	header, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	// A file that is something else altogether is not one that was cut short.
	if n < 2 || len(header) > 0 && header[0] != '{' {
		return nil, ErrFormat
	}
	if uint64(len(header)) < n {
		return nil, endsIn("its header", io.ErrUnexpectedEOF)
	}
	f, err := parseHeader(header)
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	f.r = r
	if size := 8 + int64(n) + f.size(); size > limit || size < 0 {
		return nil, fmt.Errorf("the tensors make a file larger than %d bytes", limit)
	}
	return f, nil
}

// size returns the number of bytes after the header.
func (f *File) size() int64 {
	if len(f.Tensors) == 0 {
		return 0
	}
	return f.Tensors[len(f.Tensors)-1].end
}

// Read reads the tensors, in the order of f.Tensors, to the end of the file.
// It can be called once. It wraps io.ErrUnexpectedEOF where the file is too
// short.
func (f *File) Read() ([]Tensor, error) {
	for _, info := range f.Tensors {
		if !slices.Contains([]string{"F64", "F32", "I64", "U8"}, info.DType) {
			return nil, fmt.Errorf("tensor %q is of type %s; nrdl reads F64, F32, I64 and U8", info.Name, info.DType)
		}
	}
	tensors := make([]Tensor, 0, len(f.Tensors))
	for _, info := range f.Tensors {
		data, err := info.read(f.r)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", info.Name, err)
		}
		tensors = append(tensors, Tensor{info.Name, info.Shape, data})
	}
	if n, err := io.ReadFull(f.r, make([]byte, 1)); n != 0 {
		return nil, errors.New("bytes after the last tensor")
	} else if err != io.EOF {
		return nil, err
	}
	return tensors, nil
}

func (info Info) read(r io.Reader) (any, error) {
	n := info.end - info.begin
	switch info.DType {
	case "F64":
		return readNumbers[float64](r, n)
	case "F32":
		return readNumbers[float32](r, n)
	case "I64":
		return readNumbers[int64](r, n)
	case "U8":
		return readNumbers[uint8](r, n)
	}
	panic("safetensors: no type " + info.DType)
}

// A number is what a Tensor holds.
type number interface {
	float64 | float32 | int64 | uint8
}

// finite reports the first of numbers that is NaN or an infinity.
func finite[T number](numbers []T) error {
	for i, v := range numbers {
		if v-v != 0 {
			return fmt.Errorf("element %d: it holds %v", i, v)
		}
	}
	return nil
}

// chunk is how many bytes are read or written at once. What is allocated
// beyond what has been read is at most this and the spare room of a slice.
const chunk = 1 << 16

// readNumbers reads n bytes.
func readNumbers[T number](r io.Reader, n int64) ([]T, error) {
	size := int64(binary.Size(T(0)))
	numbers := make([]T, 0, min(n, chunk)/size)
	buf, part := make([]byte, min(n, chunk)), make([]T, min(n, chunk)/size)
	for n > 0 {
		buf = buf[:min(n, chunk)]
		if _, err := io.ReadFull(r, buf); err != nil {
			return nil, endsIn("its numbers", err)
		}
		n -= int64(len(buf))
		part = part[:int64(len(buf))/size]
		if _, err := binary.Decode(buf, binary.LittleEndian, part); err != nil {
			return nil, err
		}
		numbers = append(numbers, part...)
	}
	return numbers, finite(numbers)
}

// endsIn adds the part of the file to err, and replaces an end of the file by
// io.ErrUnexpectedEOF.
func endsIn(part string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file ends within %s: %w", part, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("read %s: %w", part, err)
}
