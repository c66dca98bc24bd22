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
	"errors"
	"strings"

	"nrdl.example/nrdl/internal/array"
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
