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

	"nrdl.example/nrdl/internal/array"
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
	return fmt.Sprintf("%s (%s %s)", v.Name, array.Size(v.Shape), v.Kind)
}

// Dims returns the numbers of rows and columns; 0 and 0 where Float64s fails
// because of what the variable is.
func (v Variable) Dims() (rows, cols int) {
	if v.why != "" || len(v.Shape) != 2 {
		return 0, 0
	}
	return v.Shape[0], v.Shape[1]
}

// Float64s returns the elements column by column, in memory of the caller's:
// element (i, j) is at j·rows + i. NaN and infinities are what they are. It
// fails where the variable is not a real, full matrix, and where it holds an
// integer that float64 does not.
func (v Variable) Float64s() ([]float64, error) {
	if v.why != "" {
		return nil, fmt.Errorf("variable %s %s", v.Name, v.why)
	}
	number, size := numeric[v.mi].Reader(v.order), v.mi.size()
	out := make([]float64, len(v.data)/size)
	for i := range out {
		out[i] = number(v.data[i*size:])
		if (v.mi == miInt64 || v.mi == miUint64) && math.Abs(out[i]) > array.Exact {
			return nil, fmt.Errorf("variable %s: element %d, about %g, is too large to be exact", v.Name, i+1, out[i])
		}
	}
	return out, nil
}

// Uint8 makes a uint8 variable, rows×cols, of the elements column by column.
func Uint8(name string, rows, cols int, data []uint8) Variable {
	return variable(name, "uint8", rows, cols, miUint8, data)
}

// Int32 makes an int32 variable, rows×cols, of the elements column by column.
func Int32(name string, rows, cols int, data []int32) Variable {
	return variable(name, "int32", rows, cols, miInt32, data)
}

// Double makes a double variable, rows×cols, of the elements column by column.
func Double(name string, rows, cols int, data []float64) Variable {
	return variable(name, "double", rows, cols, miDouble, data)
}

func variable(name, kind string, rows, cols int, mi miType, data any) Variable {
	b, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		panic(err) // a slice of numbers has bytes
	}
	return Variable{Name: name, Kind: kind, Shape: []int{rows, cols}, data: b, mi: mi, order: binary.LittleEndian}
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

// numeric are the types of numbers.
var numeric = map[miType]array.Type{
	miInt8: "i1", miUint8: "u1", miInt16: "i2", miUint16: "u2", miInt32: "i4", miUint32: "u4",
	miSingle: "f4", miDouble: "f8", miInt64: "i8", miUint64: "u8",
}

// size returns the bytes of a number; 0 where t is not a type of numbers.
func (t miType) size() int { return numeric[t].Size() }

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
