// Package array has what the readers of files of arrays have in common.
package array

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/parallel"
)

// Exact is the largest integer up to which float64 holds every integer.
const Exact = 1 << 53

// An Array is an array of numbers or of text in a file.
type Array struct {
	Name   string
	Kind   string // "float64", "uint8", "bool", "text", …, or the file format's own name for another kind
	Shape  []int  // none for a single element
	MATLAB bool   // messages call it a variable, and count its elements from 1

	Type    Type             // of an element
	Order   binary.ByteOrder // of its bytes
	Data    []byte           // the elements, one after the other
	Fortran bool             // the first index changes fastest; else the last one
	Reason  string           // if not "", why there are neither numbers nor text, as the end of a sentence

	// Fill, if not nil, replaces Data in an array that is only written: it writes the
	// rows lo ≤ i < hi of a matrix of float64 to dst.
	Fill func(lo, hi int, dst []float64)
}

// A List has the arrays of a file in their order. No two have the same name.
type List []Array

// Find returns the first of names that is there.
func (l List) Find(names ...string) (Array, error) {
	for _, name := range names {
		if i := l.Index(name); i >= 0 {
			return l[i], nil
		}
	}
	err := fmt.Errorf("no array %s", strings.Join(names, " or "))
	if len(l) == 0 {
		return Array{}, advice.Add(err, "the file holds no array at all")
	}
	return Array{}, advice.Add(err, "the file holds %s", strings.Join(l.Describe(), ", "))
}

// Index returns the position of the array of that name, or −1.
func (l List) Index(name string) int {
	return slices.IndexFunc(l, func(a Array) bool { return a.Name == name })
}

// Describe returns name, shape and kind of each array.
func (l List) Describe() (all []string) {
	for _, a := range l {
		all = append(all, a.String())
	}
	return all
}

// String gives the name, the shape and the kind.
func (a Array) String() string {
	if len(a.Shape) == 0 {
		return fmt.Sprintf("%s (%s)", a.Name, a.Kind)
	}
	return fmt.Sprintf("%s (%s %s)", a.Name, Size(a.Shape), a.Kind)
}

// Word returns how messages call the array: "array x", or "variable x".
func (a Array) Word() string {
	if a.MATLAB {
		return "variable " + a.Name
	}
	return "array " + a.Name
}

// Dims returns the size of a as a matrix. A single element is 1×1, a list of n is n×1,
// and with more dimensions the first one gives the rows and all others together the
// columns, the last index fastest. If there are neither numbers nor text it is 0×0.
func (a Array) Dims() (rows, cols int) {
	if a.Reason != "" {
		return 0, 0
	}
	rows, cols = 1, 1
	for i, n := range a.Shape {
		if i == 0 {
			rows = n
		} else {
			cols *= n
		}
	}
	return rows, cols
}

// Float64s returns the elements of the matrix of Dims in a new slice, column by column:
// element (i, j) is at j·rows + i. NaN and infinities are kept. It is an error if a has
// no numbers, or an integer that float64 cannot hold.
func (a Array) Float64s() ([]float64, error) { return a.Float64sIn(nil) }

// Float64sIn is Float64s, which overwrites buffer and returns a slice of it where that has room
// for all elements.
func (a Array) Float64sIn(buffer []float64) ([]float64, error) {
	if a.Reason != "" {
		return nil, fmt.Errorf("%s %s", a.Word(), a.Reason)
	}
	number, size := a.Type.Reader(a.Order), a.Type.Size()
	if number == nil {
		return nil, fmt.Errorf("%s is %s, not numbers", a.Word(), a.Kind)
	}
	rows, cols := a.Dims()
	n := len(a.Data) / size
	switch {
	case n == 0:
		return []float64{}, nil // the other side may be huge
	case a.Type == "f8" && !a.Fortran && a.Order == binary.LittleEndian:
		return transposed(slices.Grow(buffer[:0], n)[:n], a.Data, rows, cols), nil
	}
	out := slices.Grow(buffer[:0], n)
	exact := size < 8 || a.Type[0] == 'f'
	rowStep, at := a.places(cols)
	for j := range cols {
		for i := range rows {
			x := number(a.Data[(i*rowStep+at[j])*size:])
			if !exact && math.Abs(x) > Exact {
				place := fmt.Sprintf("(%d, %d)", i, j)
				if a.MATLAB {
					place = strconv.Itoa(1 + j*rows + i)
				}
				return nil, fmt.Errorf("%s: element %s, about %g, is too large to be exact", a.Word(), place, x)
			}
			out = append(out, x)
		}
	}
	return out, nil
}

// transposed fills out with the numbers of a matrix, row by row in data, column by column. Tiles
// of it stay in the cache, which makes it several times faster than column after column.
func transposed(out []float64, data []byte, rows, cols int) []float64 {
	const tile, share = 8, 256 // a cache line: more rows of 2^n numbers do not stay in the cache
	parallel.For(rows, share, func(lo, hi int) {
		for top := lo; top < hi; top += tile {
			for left := 0; left < cols; left += tile {
				for i := top; i < min(top+tile, hi); i++ {
					row := data[8*(i*cols+left):]
					for j := left; j < min(left+tile, cols); j++ {
						out[j*rows+i] = math.Float64frombits(binary.LittleEndian.Uint64(row))
						row = row[8:]
					}
				}
			}
		}
	})
	return out
}

// places returns where the elements of a row are, relative to its first element, and
// the distance between two rows.
func (a Array) places(cols int) (rowStep int, at []int) {
	at = make([]int, cols)
	if !a.Fortran {
		for j := range at {
			at[j] = j
		}
		return cols, at
	}
	// Of the indices of column j, the last counts fastest in j and slowest in the file.
	step := 1
	for _, n := range a.Shape {
		step *= n
	}
	period := 1
	for k := len(a.Shape) - 1; k > 0; k-- {
		step /= a.Shape[k]
		for j := range at {
			at[j] += j / period % a.Shape[k] * step
		}
		period *= a.Shape[k]
	}
	return 1, at
}

// Strings returns the elements of an array of text with one column.
func (a Array) Strings() ([]string, error) {
	switch _, cols := a.Dims(); {
	case a.Reason != "":
		return nil, fmt.Errorf("%s %s", a.Word(), a.Reason)
	case !a.Type.text():
		return nil, fmt.Errorf("%s is %s, not text", a.Word(), a.Kind)
	case cols != 1:
		return nil, fmt.Errorf("%s has %d columns of text", a.Word(), cols)
	}
	var list []string
	for b := range slices.Chunk(a.Data, a.Type.Size()) {
		s, err := a.decode(b)
		if err != nil {
			return nil, fmt.Errorf("%s: element %d: %w", a.Word(), len(list), err)
		}
		list = append(list, s)
	}
	return list, nil
}

// decode reads a string, padded with zeros, of UTF-8 or UTF-32.
func (a Array) decode(b []byte) (string, error) {
	if a.Type[0] == 'S' {
		s := strings.TrimRight(string(b), "\x00")
		if !utf8.ValidString(s) {
			return "", fmt.Errorf("%q is not UTF-8", s)
		}
		return s, nil
	}
	var s []byte
	for at := 0; at < len(b); at += 4 {
		r := a.Order.Uint32(b[at:])
		if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
			return "", errors.New("not valid Unicode")
		}
		s = utf8.AppendRune(s, rune(r))
	}
	return strings.TrimRight(string(s), "\x00"), nil
}

// Bytes returns the length of an array of elements of that size. It is an error if a
// side is negative, or if the product of the sides that are not 0 is too large.
func Bytes(shape []int, size int) (int64, error) {
	n, sides := int64(size), int64(size)
	for _, s := range shape {
		n *= int64(s)
		if s < 0 || s > 0 && sides > math.MaxInt/int64(s) {
			return 0, fmt.Errorf("a shape of %v is too large", shape)
		}
		sides *= int64(max(s, 1))
	}
	return n, nil
}

// A Type is the type of an element, as NumPy writes it: b, i, u or f for a bool, an
// integer with or without a sign, or a floating-point number, and the number of its
// bytes ("f8"); S and a number of bytes of text; U and a number of characters.
type Type string

// Size returns the bytes of an element; 0 for the empty Type.
func (t Type) Size() int {
	if t == "" {
		return 0
	}
	n, _ := strconv.Atoi(string(t[1:])) // of a Type that is not a mistake
	if t[0] == 'U' {
		n *= 4
	}
	return n
}

func (t Type) text() bool { return t[0] == 'U' || t[0] == 'S' }

// Reader returns the function that reads a number in that byte order; nil if t is not a
// type of numbers.
func (t Type) Reader(o binary.ByteOrder) func([]byte) float64 {
	switch t {
	case "b1", "u1":
		return func(b []byte) float64 { return float64(b[0]) }
	case "i1":
		return func(b []byte) float64 { return float64(int8(b[0])) }
	case "i2":
		return func(b []byte) float64 { return float64(int16(o.Uint16(b))) }
	case "u2":
		return func(b []byte) float64 { return float64(o.Uint16(b)) }
	case "i4":
		return func(b []byte) float64 { return float64(int32(o.Uint32(b))) }
	case "u4":
		return func(b []byte) float64 { return float64(o.Uint32(b)) }
	case "i8":
		return func(b []byte) float64 { return float64(int64(o.Uint64(b))) }
	case "u8":
		return func(b []byte) float64 { return float64(o.Uint64(b)) }
	case "f2":
		return func(b []byte) float64 { return half(o.Uint16(b)) }
	case "f4":
		return func(b []byte) float64 { return float64(math.Float32frombits(o.Uint32(b))) }
	case "f8":
		return func(b []byte) float64 { return math.Float64frombits(o.Uint64(b)) }
	}
	return nil
}

// half gives the value of a number of 16 bits: sign, 5 bits of exponent, 10
// of fraction.
func half(h uint16) float64 {
	sign, exponent, fraction := 1.0, int(h>>10&31), float64(h&1023)
	if h>>15 == 1 {
		sign = -1
	}
	switch {
	case exponent == 31 && fraction != 0:
		return math.NaN()
	case exponent == 31:
		return math.Inf(int(sign))
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// Size formats a shape: 3×4.
func Size(shape []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", "×")
}

// CutShort returns err, or if err says that a file ended too early, an error that tells this
// to the user.
func CutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file is cut short: %w", io.ErrUnexpectedEOF)
	}
	return err
}
