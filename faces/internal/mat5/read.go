package mat5

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/array"
)

// Limits bound the memory of Read.
type Limits struct {
	Bytes int64 // of all variables together, inflated
}

// DefaultLimits are far above the field's data sets.
var DefaultLimits = Limits{Bytes: 2 << 30}

const (
	maxName = 4096 // bytes of a name; MATLAB stops at 63
	maxDims = 32
)

// Read reads all variables of the file r. A variable without real numbers is no error, but
// its method Float64s returns one.
func Read(r io.Reader, lim Limits) (Variables, error) {
	d := decoder{quota: lim.Bytes, lim: lim}
	buffered := bufio.NewReader(r)
	if err := d.header(buffered); err != nil {
		return nil, err
	}
	var vs Variables
	seen := map[string]bool{}
	for n := 1; ; n++ {
		if _, err := buffered.Peek(1); err == io.EOF {
			return vs, nil
		}
		v, err := d.variable(buffered)
		if err != nil {
			return nil, fmt.Errorf("variable number %d: %w", n, array.CutShort(err))
		}
		if v.Name == "" { // MATLAB keeps something of its own there
			continue
		}
		if seen[v.Name] {
			return nil, fmt.Errorf("two variables are named %s", v.Name)
		}
		seen[v.Name] = true
		vs = append(vs, v)
	}
}

// A decoder holds what is common to the variables of a file.
type decoder struct {
	order binary.ByteOrder
	quota int64 // of lim.Bytes
	lim   Limits
}

// hdf5 is the signature of HDF5 files.
const hdf5 = "\x89HDF\r\n\x1a\n"

func (d *decoder) header(r *bufio.Reader) error {
	header, err := r.Peek(128)
	if err != nil && err != io.EOF {
		return fmt.Errorf("read the header: %w", err)
	}
	switch {
	case bytes.HasPrefix(header, []byte(hdf5)), bytes.HasPrefix(header, []byte("MATLAB 7.3")):
		return version73()
	case version4(header):
		err := errors.New("a MATLAB 4 file; nrdl reads those of save -v7")
		return advice.Add(err, "load it in MATLAB and save it again with save -v7")
	case len(header) < 128:
		return errors.New("not a MATLAB file: shorter than its header")
	}
	switch string(header[126:]) {
	case "IM":
		d.order = binary.LittleEndian
	case "MI":
		d.order = binary.BigEndian
	default:
		return errors.New("not a MATLAB file")
	}
	switch v := d.order.Uint16(header[124:]); v {
	case 0x0100:
		_, err := r.Discard(128)
		return err
	case 0x0200:
		return version73()
	default:
		return fmt.Errorf("a MATLAB file of the unknown version %#04x", v)
	}
}

func version73() error {
	err := errors.New("a MATLAB 7.3 file, which is HDF5; nrdl reads those of save -v7")
	return advice.Add(err, "load it in MATLAB and save it again with save -v7 (in Python with scipy.io.savemat)")
}

// version4 reports whether header begins as the matrices of version 4 do: a
// type of four decimal digits M0PT, the size, whether it is complex, and the
// length of the name.
func version4(header []byte) bool {
	if len(header) < 20 {
		return false
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		t := order.Uint32(header)
		little := t < 1000
		if t <= 4052 && t/100%10 == 0 && t/10%10 <= 5 && t%10 <= 2 && little == (order == binary.LittleEndian) &&
			order.Uint32(header[12:]) <= 1 && order.Uint32(header[16:])-1 < maxName {
			return true
		}
	}
	return false
}

// variable reads one element of the file, inflating it if it is compressed.
func (d *decoder) variable(r io.Reader) (Variable, error) {
	var tag [8]byte
	if _, err := io.ReadFull(r, tag[:]); err != nil {
		return Variable{}, err
	}
	element := &io.LimitedReader{R: r, N: int64(d.order.Uint32(tag[4:]))}
	switch t := miType(d.order.Uint32(tag[:])); t {
	case miMatrix:
		return d.matrix(element)
	case miCompressed:
		v, err := d.inflate(element)
		if err != nil {
			return Variable{}, err
		}
		return v, skip(element, element.N)
	default:
		return Variable{}, fmt.Errorf("an element of type %d where a variable begins", t)
	}
}

// inflate reads the variable that compressed holds.
func (d *decoder) inflate(compressed io.Reader) (Variable, error) {
	z, err := zlib.NewReader(compressed)
	if err != nil {
		return Variable{}, damaged(err)
	}
	defer z.Close()
	var tag [8]byte
	if _, err := io.ReadFull(z, tag[:]); err != nil {
		return Variable{}, damaged(err)
	}
	if t := miType(d.order.Uint32(tag[:])); t != miMatrix {
		return Variable{}, fmt.Errorf("a compressed element of type %d", t)
	}
	v, err := d.matrix(&io.LimitedReader{R: z, N: int64(d.order.Uint32(tag[4:]))})
	if err != nil {
		return Variable{}, damaged(err)
	}
	n, err := io.ReadFull(z, tag[:1]) // at its end, z compares the checksum
	switch {
	case n != 0:
		return Variable{}, errors.New("more than one variable in a compressed element")
	case err != io.EOF:
		return Variable{}, damaged(err)
	}
	return v, nil
}

func damaged(err error) error {
	if errors.Is(err, zlib.ErrHeader) || errors.Is(err, zlib.ErrChecksum) || strings.HasPrefix(err.Error(), "flate:") {
		return fmt.Errorf("the compressed data are damaged: %w", err)
	}
	return err
}

// matrix reads an array, to its end.
func (d *decoder) matrix(r *io.LimitedReader) (Variable, error) {
	if r.N > d.quota {
		return Variable{}, fmt.Errorf("the variables are larger than the limit of %d bytes", d.lim.Bytes)
	}
	d.quota -= r.N
	if r.N == 0 {
		return Variable{}, nil // an empty array without a name
	}
	v, c, complex, err := d.describe(r)
	if err != nil {
		return Variable{}, err
	}
	switch {
	case !c.numeric():
		v.Reason = fmt.Sprintf("is %s; nrdl reads numeric arrays", withArticle(v.Kind))
		switch v.Kind { // often names of classes
		case "cell array":
			v.Reason += "; [~, ~, y] = unique(y) makes numbers of names"
		case "char array":
			v.Reason += "; [~, ~, y] = unique(cellstr(y)) makes numbers of names"
		}
	case complex:
		v.Reason = "is complex; nrdl reads real arrays"
	case len(v.Shape) > 2:
		v.Reason = fmt.Sprintf("has %d dimensions (%s); nrdl reads matrices", len(v.Shape), array.Size(v.Shape))
	default:
		if err := d.numbers(r, &v); err != nil {
			return Variable{}, fmt.Errorf("%s: %w", v.Name, err)
		}
	}
	return v, skip(r, r.N)
}

// describe reads what precedes the contents of an array.
func (d *decoder) describe(r *io.LimitedReader) (v Variable, c class, complex bool, err error) {
	t, flags, err := d.element(r, 8)
	if err != nil {
		return v, 0, false, err
	}
	if t != miUint32 || len(flags) != 8 {
		return v, 0, false, errors.New("an array without flags")
	}
	word := d.order.Uint32(flags)
	c, complex = class(word), word&0x0800 != 0
	v.Kind, v.MATLAB, v.Fortran = kinds[c], true, true
	switch {
	case v.Kind == "":
		return v, 0, false, fmt.Errorf("an array of the unknown class %d", c)
	case c.numeric() && word&0x0200 != 0:
		v.Kind = "logical"
	}
	if c != classOpaque {
		if v.Shape, err = d.shape(r); err != nil {
			return v, 0, false, err
		}
	}
	t, name, err := d.element(r, maxName)
	if err != nil {
		return v, 0, false, err
	}
	if t != miInt8 && t != miUint8 && t != miUTF8 {
		return v, 0, false, errors.New("an array without a name")
	}
	v.Name = strings.ToValidUTF8(strings.TrimRight(string(name), "\x00"), "\uFFFD")
	return v, c, complex, nil
}

func (d *decoder) shape(r *io.LimitedReader) ([]int, error) {
	t, b, err := d.element(r, 4*maxDims)
	if err != nil {
		return nil, err
	}
	if t != miInt32 && t != miUint32 || len(b) < 8 || len(b)%4 != 0 {
		return nil, errors.New("an array without a size")
	}
	var shape []int
	for at := 0; at < len(b); at += 4 {
		n := int32(d.order.Uint32(b[at:]))
		if n < 0 {
			return nil, fmt.Errorf("a size of %d", n)
		}
		shape = append(shape, int(n))
	}
	for len(shape) > 2 && shape[len(shape)-1] == 1 {
		shape = shape[:len(shape)-1]
	}
	return shape, nil
}

// numbers reads the elements of v.
func (d *decoder) numbers(r *io.LimitedReader, v *Variable) error {
	n, err := array.Bytes(v.Shape, 1)
	if err != nil {
		return err
	}
	v.Order, v.Type = d.order, numeric[miUint8]
	if n == 0 && r.N == 0 {
		return nil
	}
	var t miType
	if t, v.Data, err = d.element(r, r.N); err != nil {
		return err
	}
	v.Type = numeric[t]
	switch size := v.Type.Size(); {
	case size == 0:
		return fmt.Errorf("elements of type %d are not numbers", t)
	case n > math.MaxInt/8 || int64(len(v.Data)) != n*int64(size):
		return errSize
	}
	return nil
}

// element reads a data element of at most limit bytes and the padding after
// it. A short one lies within the second half of its tag.
func (d *decoder) element(r *io.LimitedReader, limit int64) (miType, []byte, error) {
	var tag [8]byte
	if _, err := io.ReadFull(r, tag[:]); err != nil {
		return 0, nil, ends(r, err)
	}
	word := d.order.Uint32(tag[:])
	if n := word >> 16; n != 0 {
		if n > 4 {
			return 0, nil, fmt.Errorf("a short element of %d bytes", n)
		}
		return miType(word & 0xffff), tag[4 : 4+n], nil
	}
	n := int64(d.order.Uint32(tag[4:]))
	if n > min(limit, r.N) {
		return 0, nil, fmt.Errorf("an element of %d bytes where there is room for %d", n, min(limit, r.N))
	}
	b, err := io.ReadAll(io.LimitReader(r, n)) // takes memory for what is there
	if err != nil {
		return 0, nil, err
	}
	if int64(len(b)) < n {
		return 0, nil, io.ErrUnexpectedEOF
	}
	return miType(word), b, skip(r, min(-n&7, r.N))
}

// ends distinguishes an array that is too short from a file that is too short.
func ends(r *io.LimitedReader, err error) error {
	if r.N == 0 && (err == io.EOF || err == io.ErrUnexpectedEOF) {
		return errors.New("an array that lacks a part")
	}
	return err
}

func skip(r io.Reader, n int64) error {
	_, err := io.CopyN(io.Discard, r, n)
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
