// Package npz reads and writes NumPy's files: .npy, one array [npy], and
// .npz, a zip archive of them.
//
// It reads files of unknown origin: a declared size is checked against a limit
// and memory is taken for what is there, not for what is declared. Nothing of
// a pickle is run. Every array is listed; the numbers can be had of arrays of
// numbers, the strings of arrays of text.
//
// [npy]: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
package npz

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/array"
)

// An Array is an array of a file.
type Array struct {
	Name  string // of the entry in the archive, without ".npy"
	Kind  string // "float64", "uint8", "bool", "text", … or NumPy's own name for what is not read
	Shape []int  // none for a single element

	data    []byte // nil where why is not, and where fill is not
	fill    filler // what writes the numbers of an array that is not held; nil of one that is
	item    item
	fortran bool   // first index fastest
	why     string // the reason that there are neither numbers nor strings
}

// A filler writes the rows lo ≤ i < hi of a matrix to dst, one after the other.
type filler func(lo, hi int, dst []float64)

// An item is the type of an element.
type item struct {
	letter byte // b, i, u, f, U or S
	size   int  // bytes, ≥ 1
	order  binary.ByteOrder
}

// Arrays are those of a file, in their order. No two have the same name.
type Arrays []Array

// Find returns the first of names that is there.
func (as Arrays) Find(names ...string) (Array, error) {
	for _, name := range names {
		if i := slices.IndexFunc(as, func(a Array) bool { return a.Name == name }); i >= 0 {
			return as[i], nil
		}
	}
	var there []string
	for _, a := range as {
		there = append(there, a.String())
	}
	err := fmt.Errorf("no array %s", strings.Join(names, " or "))
	if there == nil {
		return Array{}, advice.Add(err, "the file holds no array at all")
	}
	return Array{}, advice.Add(err, "the file holds %s", strings.Join(there, ", "))
}

// String gives the name, the shape and the kind.
func (a Array) String() string {
	if len(a.Shape) == 0 {
		return fmt.Sprintf("%s (%s)", a.Name, a.Kind)
	}
	return fmt.Sprintf("%s (%s %s)", a.Name, array.Size(a.Shape), a.Kind)
}

// Dims returns the size of a as a matrix: a single element is 1×1, a list of n
// is n×1, and of more dimensions the first is the rows and all others together
// are the columns, the last index fastest. It is 0×0 where there is neither
// number nor string.
func (a Array) Dims() (rows, cols int) {
	if a.why != "" {
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

// Float64s returns the elements of the matrix of Dims column by column, in
// memory of the caller's: element (i, j) is at j·rows + i. NaN and infinities
// are what they are. It fails where a is not an array of numbers, and where
// it holds an integer that float64 does not.
func (a Array) Float64s() ([]float64, error) {
	if a.why != "" {
		return nil, fmt.Errorf("array %s %s", a.Name, a.why)
	}
	number := a.item.number()
	if number == nil {
		return nil, fmt.Errorf("array %s is %s, not numbers", a.Name, a.Kind)
	}
	rows, cols := a.Dims()
	out := make([]float64, 0, len(a.data)/a.item.size)
	if cap(out) == 0 {
		return out, nil // the other side may be huge
	}
	rowStep, at := a.places(cols)
	for j := range cols {
		for i := range rows {
			x := number(a.data[(i*rowStep+at[j])*a.item.size:])
			if a.item.size == 8 && a.item.letter != 'f' && math.Abs(x) > array.Exact {
				return nil, fmt.Errorf("array %s: element (%d, %d), about %g, is too large to be exact", a.Name, i, j, x)
			}
			out = append(out, x)
		}
	}
	return out, nil
}

// places returns where the elements of a row are, counted from its first, and
// how far apart two rows are.
func (a Array) places(cols int) (rowStep int, at []int) {
	at = make([]int, cols)
	if !a.fortran {
		for j := range at {
			at[j] = j
		}
		return cols, at
	}
	// Of the indices of column j, the last counts fastest in j and slowest in
	// the file.
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
	case a.why != "":
		return nil, fmt.Errorf("array %s %s", a.Name, a.why)
	case a.item.letter != 'U' && a.item.letter != 'S':
		return nil, fmt.Errorf("array %s is %s, not text", a.Name, a.Kind)
	case cols != 1:
		return nil, fmt.Errorf("array %s has %d columns of text", a.Name, cols)
	}
	var list []string
	for b := range slices.Chunk(a.data, a.item.size) {
		s, err := a.item.text(b)
		if err != nil {
			return nil, fmt.Errorf("array %s: element %d: %w", a.Name, len(list), err)
		}
		list = append(list, s)
	}
	return list, nil
}

// text reads a string, which zeros fill up: bytes of UTF-8, or UTF-32.
func (t item) text(b []byte) (string, error) {
	if t.letter == 'S' {
		s := strings.TrimRight(string(b), "\x00")
		if !utf8.ValidString(s) {
			return "", fmt.Errorf("%q is not UTF-8", s)
		}
		return s, nil
	}
	var s []byte
	for at := 0; at < len(b); at += 4 {
		r := t.order.Uint32(b[at:])
		if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
			return "", errors.New("not valid Unicode")
		}
		s = utf8.AppendRune(s, rune(r))
	}
	return strings.TrimRight(string(s), "\x00"), nil
}

// number returns the function that reads a number; nil where t is text.
func (t item) number() func([]byte) float64 {
	return array.Type(fmt.Sprintf("%c%d", t.letter, t.size)).Reader(t.order)
}
