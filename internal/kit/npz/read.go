// Package npz reads and writes NumPy's files: .npy, one array [npy], and .npz, a zip
// archive of them.
//
// The files may be of unknown origin. A declared size is checked against a limit, and
// memory grows with the data that are really there. Pickles are not run. Every array is
// listed; arrays of numbers can be read as numbers, and arrays of text as strings.
//
// [npy]: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
package npz

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"nrdl.example/nrdl/internal/kit/array"
)

// An Array is an array of a file; Arrays are all of them.
type (
	Array  = array.Array
	Arrays = array.List
)

// Limits bound the memory of Read.
type Limits struct {
	Bytes  int64  // of all arrays together, inflated
	AtOnce int64  // bytes that may be taken before the data are there; 0 takes few
	Buffer []byte // of ReadArray: overwritten with the data where it has room for them
}

// DefaultLimits are far above the field's data sets.
var DefaultLimits = Limits{Bytes: 2 << 30}

const (
	maxHeader = 1 << 16 // bytes; NumPy stops at 10000
	maxDims   = 64
)

// Read reads all arrays of a .npz file of that size. An array with neither numbers nor text
// is no error, but its methods Float64s and Strings return one.
func Read(r io.ReaderAt, size int64, lim Limits) (Arrays, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("not a .npz file: %w", err)
	}
	d := decoder{budget: lim.Bytes, lim: lim}
	var as Arrays
	seen := map[string]bool{}
	for _, f := range archive.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			continue
		}
		if seen[name] {
			return nil, fmt.Errorf("two arrays are named %.80q", name)
		}
		seen[name] = true
		a, err := d.entry(f, name)
		if err != nil {
			return nil, fmt.Errorf("array %.80s: %w", name, err)
		}
		as = append(as, a)
	}
	return as, nil
}

// ReadArray reads a single array of that name, which ends where r does. The error is that of
// Read.
func ReadArray(r io.Reader, name string, lim Limits) (Array, error) {
	d := decoder{budget: lim.Bytes, lim: lim}
	return d.array(r, name)
}

// A decoder holds what is common to the arrays of a file.
type decoder struct {
	budget int64 // of lim.Bytes
	lim    Limits
}

func (d *decoder) entry(f *zip.File, name string) (Array, error) {
	r, err := f.Open()
	if err != nil {
		return Array{}, err
	}
	defer r.Close()
	return d.array(r, name)
}

// A header is the header of a .npy file.
type header struct {
	descr   string // NumPy's name of the type of an element
	fortran bool
	shape   []int
	length  int64
}

func (d *decoder) array(r io.Reader, name string) (Array, error) {
	h, err := readHeader(r)
	if err != nil {
		return Array{}, array.CutShort(err)
	}
	d.budget -= h.length // many small arrays are large together
	a := Array{Name: name, Shape: h.shape, Fortran: h.fortran && len(h.shape) > 1, Order: binary.LittleEndian}
	if strings.HasPrefix(h.descr, ">") {
		a.Order = binary.BigEndian
	}
	if a.Type, a.Kind, a.Reason = parseDescr(h.descr); a.Reason != "" {
		return a, nil
	}
	n, err := array.Bytes(h.shape, a.Type.Size())
	switch {
	case err != nil:
		return Array{}, err
	case n > d.budget:
		return Array{}, fmt.Errorf("the arrays are larger than the limit of %d bytes", d.lim.Bytes)
	}
	d.budget -= n
	data := bytes.NewBuffer(slices.Grow(d.lim.Buffer[:0], int(min(n, d.lim.AtOnce))+bytes.MinRead))
	if _, err := io.CopyN(data, r, n); err != nil {
		return Array{}, array.CutShort(err)
	}
	a.Data = data.Bytes()
	rest, err := io.ReadFull(r, make([]byte, 1)) // at its end, zip compares the checksum
	switch {
	case rest > 0:
		return Array{}, errors.New("bytes after the array")
	case err != io.EOF:
		return Array{}, array.CutShort(err)
	}
	return a, nil
}

func readHeader(r io.Reader) (header, error) {
	var b [12]byte
	if _, err := io.ReadFull(r, b[:10]); err != nil {
		return header{}, err
	}
	if string(b[:6]) != "\x93NUMPY" {
		return header{}, errors.New("not a .npy file")
	}
	length := int64(binary.LittleEndian.Uint16(b[8:]))
	switch major := b[6]; major {
	case 1:
	case 2, 3:
		if _, err := io.ReadFull(r, b[10:]); err != nil {
			return header{}, err
		}
		length = int64(binary.LittleEndian.Uint32(b[8:]))
	default:
		return header{}, fmt.Errorf("a .npy file of the unknown version %d", major)
	}
	if length > maxHeader {
		return header{}, fmt.Errorf("a header of %d bytes", length)
	}
	text, err := io.ReadAll(io.LimitReader(r, length))
	switch {
	case err != nil:
		return header{}, err
	case int64(len(text)) < length:
		return header{}, io.ErrUnexpectedEOF
	}
	h, err := parseHeader(string(text))
	h.length = length
	return h, err
}

// A header is a dictionary in Python's notation, for example
//
//	{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
var (
	braces = regexp.MustCompile(`^\s*\{(.*)\}\s*$`)
	entry  = regexp.MustCompile(`^\s*['"](\w+)['"]\s*:\s*('[^']*'|"[^"]*"|\[.*\]|True|False|\([^()]*\))\s*(?:,|$)`)
)

func parseHeader(text string) (header, error) {
	h := header{}
	malformed := fmt.Errorf("the header %.80q is malformed", text)
	inner := braces.FindStringSubmatch(text)
	if inner == nil {
		return h, malformed
	}
	seen := map[string]bool{}
	for rest := inner[1]; strings.TrimSpace(rest) != ""; {
		m := entry.FindStringSubmatch(rest)
		if m == nil || seen[m[1]] {
			return h, malformed
		}
		seen[m[1]] = true
		rest = rest[len(m[0]):]
		ok := true
		switch value := m[2]; m[1] {
		case "descr":
			h.descr, ok = strings.Trim(value, `'"`), value[0] != '(' && value[0] != 'T' && value[0] != 'F'
		case "fortran_order":
			h.fortran, ok = value == "True", value == "True" || value == "False"
		case "shape":
			h.shape, ok = parseShape(value)
		default:
			ok = false
		}
		if !ok {
			return h, malformed
		}
	}
	if !seen["descr"] || !seen["fortran_order"] || !seen["shape"] {
		return h, malformed
	}
	return h, nil
}

// parseShape reads (), (3,), (3, 4) and, of Python 2, (3L, 4L).
func parseShape(text string) ([]int, bool) {
	if text[0] != '(' {
		return nil, false
	}
	text = strings.TrimSpace(text[1 : len(text)-1])
	if text == "" {
		return nil, true
	}
	var shape []int
	for part := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(part), "L"), 10, strconv.IntSize-1)
		if err != nil || len(shape) == maxDims {
			return nil, false
		}
		shape = append(shape, int(n))
	}
	return shape, true
}

var names = map[byte]string{'b': "bool", 'i': "int", 'u': "uint", 'f': "float", 'U': "text", 'S': "text"}

// parseDescr reads NumPy's name of a type. The reason says why it is not one that can be
// read.
func parseDescr(descr string) (t array.Type, kind, reason string) {
	kind = fmt.Sprintf("type %.40s", descr)
	reason = "is of " + kind + "; nrdl reads numbers and text"
	if strings.HasPrefix(descr, "[") {
		return "", "structured", "is structured; nrdl reads numbers and text"
	}
	letters := strings.TrimLeft(descr, "<>|=")
	if len(descr)-len(letters) > 1 || letters == "" {
		return "", kind, reason
	}
	if letters[0] == 'O' {
		return "", "object", "holds Python objects, a pickle, which nrdl does not run: save it with astype(str) or astype(float)"
	}
	size, err := strconv.ParseUint(letters[1:], 10, 30)
	if err != nil || size == 0 || names[letters[0]] == "" {
		return "", kind, reason
	}
	t = array.Type(fmt.Sprintf("%c%d", letters[0], size))
	switch name := names[t[0]]; {
	case t[0] == 'S' || t[0] == 'U' && size < 1<<28 || t == "b1":
		return t, name, ""
	case t.Reader(binary.LittleEndian) == nil:
		return "", kind, reason
	default:
		return t, name + strconv.Itoa(8*t.Size()), ""
	}
}
