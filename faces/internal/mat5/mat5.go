// Package mat5 reads and writes MATLAB files of version 5, which MATLAB makes
// with save -v6 and save -v7 [mat5].
//
// The files may be of unknown origin. A declared size is checked against the bytes that
// are there before memory is allocated for it, and the inflated size of compressed
// variables is bounded. Every variable is listed; only real, full, two-dimensional
// numeric arrays can be read as numbers.
//
// [mat5]: MathWorks, MAT-File Format, https://www.mathworks.com/help/pdf_doc/matlab/matfile_format.pdf
package mat5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"nrdl.example/nrdl/internal/kit/array"
)

// A Variable is a variable of a file; its Shape is nil if its kind has none. Variables
// are all of a file.
type (
	Variable  = array.Array
	Variables = array.List
)

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

// Write writes a file of the variables, compressed. They are those of Uint8,
// Int32 and Double. Equal variables give equal bytes.
func Write(w io.Writer, vars ...Variable) error {
	header := fmt.Appendf(nil, "%-116s%8s\x00\x01IM", "MATLAB 5.0 MAT-file, written by nrdl", "")
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, v := range vars {
		if err := write(w, v); err != nil {
			return fmt.Errorf("%s: %w", v.Word(), err)
		}
	}
	return nil
}

// writable are the kinds of variables that are written.
var writable = map[string]struct {
	class class
	mi    miType
}{"uint8": {classUint8, miUint8}, "int32": {classInt32, miInt32}, "double": {classDouble, miDouble}}

func write(w io.Writer, v Variable) error {
	kind, ok := writable[v.Kind]
	rows, cols := v.Dims()
	n, err := array.Bytes(v.Shape, v.Type.Size())
	switch {
	case !ok || v.Order != binary.LittleEndian:
		panic("mat5: Write takes what Uint8, Int32 and Double made")
	case err != nil || int64(len(v.Data)) != n || rows > math.MaxInt32 || cols > math.MaxInt32:
		return errSize
	case v.Name == "" || len(v.Name) > 63:
		return fmt.Errorf("a name of %d bytes", len(v.Name))
	}
	var b []byte
	b = appendElement(b, miUint32, binary.LittleEndian.AppendUint64(nil, uint64(kind.class)))
	b = appendElement(b, miInt32, binary.LittleEndian.AppendUint64(nil, uint64(rows)|uint64(cols)<<32))
	b = appendElement(b, miInt8, []byte(v.Name))
	b = appendElement(b, kind.mi, v.Data)
	if int64(len(b)) > math.MaxInt32 {
		return fmt.Errorf("%d bytes are too many for the format", len(b))
	}
	var compressed bytes.Buffer
	z := zlib.NewWriter(&compressed) // a Buffer does not fail
	_, _ = z.Write(appendTag(nil, miMatrix, len(b)))
	_, _ = z.Write(b)
	_ = z.Close()
	if _, err := w.Write(appendTag(nil, miCompressed, compressed.Len())); err != nil {
		return err
	}
	_, err = w.Write(compressed.Bytes())
	return err
}

func appendTag(b []byte, t miType, n int) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, uint32(t)), uint32(n))
}

func appendElement(b []byte, t miType, data []byte) []byte {
	b = append(appendTag(b, t, len(data)), data...)
	return append(b, make([]byte, -len(data)&7)...)
}

// Uint8 makes a uint8 variable, rows×cols, of the elements column by column.
func Uint8(name string, rows, cols int, data []uint8) Variable {
	return variable(name, "uint8", rows, cols, data)
}

// Int32 makes an int32 variable, rows×cols, of the elements column by column.
func Int32(name string, rows, cols int, data []int32) Variable {
	return variable(name, "int32", rows, cols, data)
}

// Double makes a double variable, rows×cols, of the elements column by column.
func Double(name string, rows, cols int, data []float64) Variable {
	return variable(name, "double", rows, cols, data)
}

func variable(name, kind string, rows, cols int, data any) Variable {
	b, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		panic(err) // a slice of numbers has bytes
	}
	return Variable{
		Name: name, Kind: kind, Shape: []int{rows, cols}, MATLAB: true, Fortran: true,
		Type: numeric[writable[kind].mi], Data: b, Order: binary.LittleEndian,
	}
}
