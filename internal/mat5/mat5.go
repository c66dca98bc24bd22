// Package mat5 reads and writes MATLAB files of version 5, which MATLAB makes
// with save -v6 and save -v7 [mat5].
//
// It reads files of unknown origin: a declared size is checked against what is
// there before memory is taken for it, and the inflated size of compressed
// variables is bounded. Every variable is listed; the numbers can be had of
// real, full, two-dimensional numeric arrays.
//
// [mat5]: MathWorks, MAT-File Format, https://www.mathworks.com/help/pdf_doc/matlab/matfile_format.pdf
package mat5

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

// A Variable is a variable of a file.
type Variable struct {
	Name  string
	Kind  string // "double", "uint8", "logical", …; "cell array", "struct", …
	Shape []int  // at least two; more only where the last is not 1; nil where a kind has none

	data  []byte // column-major; nil where why is not
	mi    miType // of the elements of data
	order binary.ByteOrder
	why   string // the reason that there are no numbers
}

// Variables are those of a file, in their order. No two have the same name.
type Variables []Variable

// String gives the name, the shape and the kind.
func (v Variable) String() string {
	if v.Shape == nil {
		return fmt.Sprintf("%s (%s)", v.Name, v.Kind)
	}
	return fmt.Sprintf("%s (%s %s)", v.Name, v.size(), v.Kind)
}

func (v Variable) size() string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(v.Shape), "[]"), " ", "×")
}

// Dims returns the numbers of rows and columns; 0 and 0 where Float64s fails
// because of what the variable is.
func (v Variable) Dims() (rows, cols int) {
	if v.why != "" || len(v.Shape) != 2 {
		return 0, 0
	}
	return v.Shape[0], v.Shape[1]
}

// exact is the largest integer up to which float64 holds every integer.
const exact = 1 << 53

// Float64s returns the elements column by column, in memory of the caller's:
// element (i, j) is at j·rows + i. NaN and infinities are what they are. It
// fails where the variable is not a real, full matrix, and where it holds an
// integer that float64 does not.
func (v Variable) Float64s() ([]float64, error) {
	if v.why != "" {
		return nil, fmt.Errorf("variable %s %s", v.Name, v.why)
	}
	size := v.mi.size()
	out := make([]float64, len(v.data)/size)
	for i := range out {
		out[i] = v.mi.number(v.order, v.data[i*size:])
		if (v.mi == miInt64 || v.mi == miUint64) && math.Abs(out[i]) > exact {
			return nil, fmt.Errorf("variable %s: element %d, about %g, is too large to be exact", v.Name, i+1, out[i])
		}
	}
	return out, nil
}

// Finite reports the first of numbers, which Float64s gave, that is NaN or
// infinite, with its row and column counted from 1.
func (v Variable) Finite(numbers []float64) error {
	for i, x := range numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			rows, _ := v.Dims()
			return fmt.Errorf("%s(%d,%d) is %v", v.Name, i%rows+1, i/rows+1, x)
		}
	}
	return nil
}

// Uint8 makes a uint8 variable, rows×cols, of the elements column by column.
func Uint8(name string, rows, cols int, data []uint8) Variable {
	return Variable{Name: name, Kind: "uint8", Shape: []int{rows, cols}, data: data, mi: miUint8, order: binary.LittleEndian}
}

// Int32 makes an int32 variable, rows×cols, of the elements column by column.
func Int32(name string, rows, cols int, data []int32) Variable {
	var b []byte
	for _, x := range data {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return Variable{Name: name, Kind: "int32", Shape: []int{rows, cols}, data: b, mi: miInt32, order: binary.LittleEndian}
}

// Double makes a double variable, rows×cols, of the elements column by column.
func Double(name string, rows, cols int, data []float64) Variable {
	var b []byte
	for _, x := range data {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return Variable{Name: name, Kind: "double", Shape: []int{rows, cols}, data: b, mi: miDouble, order: binary.LittleEndian}
}

// A miType is the type of a data element.
type miType uint32

const (
	miInt8       miType = 1
	miUint8      miType = 2
	miInt16      miType = 3
	miUint16     miType = 4
	miInt32      miType = 5
	miUint32     miType = 6
	miSingle     miType = 7
	miDouble     miType = 9
	miInt64      miType = 12
	miUint64     miType = 13
	miMatrix     miType = 14
	miCompressed miType = 15
	miUTF8       miType = 16
)

// size returns the bytes of a number; 0 where t is not a type of numbers.
func (t miType) size() int {
	switch t {
	case miInt8, miUint8:
		return 1
	case miInt16, miUint16:
		return 2
	case miInt32, miUint32, miSingle:
		return 4
	case miDouble, miInt64, miUint64:
		return 8
	}
	return 0
}

// number reads the number at the beginning of b.
func (t miType) number(order binary.ByteOrder, b []byte) float64 {
	switch t {
	case miInt8:
		return float64(int8(b[0]))
	case miUint8:
		return float64(b[0])
	case miInt16:
		return float64(int16(order.Uint16(b)))
	case miUint16:
		return float64(order.Uint16(b))
	case miInt32:
		return float64(int32(order.Uint32(b)))
	case miUint32:
		return float64(order.Uint32(b))
	case miSingle:
		return float64(math.Float32frombits(order.Uint32(b)))
	case miDouble:
		return math.Float64frombits(order.Uint64(b))
	case miInt64:
		return float64(int64(order.Uint64(b)))
	case miUint64:
		return float64(order.Uint64(b))
	}
	panic(fmt.Sprintf("mat5: type %d has no numbers", t))
}

// A class is the class of an array.
type class byte

const (
	classDouble class = 6
	classUint8  class = 9
	classInt32  class = 12
	classUint64 class = 15
	classOpaque class = 17
)

var kinds = map[class]string{
	1: "cell array", 2: "struct", 3: "object", 4: "char array", 5: "sparse array",
	6: "double", 7: "single", 8: "int8", 9: "uint8", 10: "int16", 11: "uint16",
	12: "int32", 13: "uint32", 14: "int64", 15: "uint64",
	16: "function handle", 17: "object",
}

func (c class) numeric() bool { return classDouble <= c && c <= classUint64 }

// withArticle gives "a cell array", "an object".
func withArticle(kind string) string {
	if strings.ContainsRune("aeiou", rune(kind[0])) && !strings.HasPrefix(kind, "uint") {
		return "an " + kind
	}
	return "a " + kind
}

var errSize = errors.New("its size does not agree with its numbers")

// elements returns the product of shape.
func elements(shape []int) (int, error) {
	n := 1
	for _, s := range shape {
		if s < 0 || s > 0 && n > math.MaxInt/8/s {
			return 0, fmt.Errorf("a size of %v", shape)
		}
		n *= s
	}
	return n, nil
}
