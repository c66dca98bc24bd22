package engine

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/kit/npz"
	"nrdl.example/nrdl/internal/lin"
)

// Limits bound what a frame may hold. They are checked before memory is taken.
type Limits struct {
	Header int   // bytes of the JSON
	Arrays int   // number
	Bytes  int64 // of all arrays of a frame
}

// DefaultLimits are far above the field's data sets.
var DefaultLimits = Limits{Header: 8 << 20, Arrays: 1 << 16, Bytes: npz.DefaultLimits.Bytes}

// atOnce is the memory that is taken for an array before it is there: a larger one grows with
// what comes.
const atOnce = 16 << 20

// A blob announces an array of a frame.
type blob struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"` // of its .npy file
}

// An incoming is a frame that was read.
type incoming struct {
	request
	arrays npz.Arrays
	err    error // of what it says; the next frame can be read
}

// errFrame is wrapped by errors after which the stream cannot be read further, as nobody
// knows where the next frame begins.
var errFrame = errors.New("malformed frame")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errFrame, fmt.Errorf(format, args...))
}

// readFrame reads a frame. The error is io.EOF where there is none, and wraps errFrame where
// it is malformed.
func readFrame(r io.Reader, lim Limits, spare buffers) (*incoming, error) {
	var length [4]byte
	if n, err := io.ReadFull(r, length[:]); err != nil {
		if n == 0 && errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, malformed("its length is cut short")
	}
	size := int64(binary.LittleEndian.Uint32(length[:]))
	if size > int64(lim.Header) {
		return nil, malformed("a header of %d bytes, %d are the most", size, lim.Header)
	}
	var text bytes.Buffer // which grows with what is there
	if _, err := io.CopyN(&text, r, size); err != nil {
		return nil, malformed("its header is cut short")
	}
	f := &incoming{}
	var framed struct {
		Arrays []blob `json:"arrays"`
	}
	if err := json.Unmarshal(text.Bytes(), &framed); err != nil {
		return nil, malformed("its header is no JSON object with a list of arrays")
	}
	if err := checkBlobs(framed.Arrays, lim); err != nil {
		return nil, err
	}
	if f.err = decode(text.Bytes(), &f.request); f.err != nil {
		f.err = fmt.Errorf("the header of the request: %w", f.err)
	}
	for _, b := range framed.Arrays {
		if err := f.readArray(r, b, spare); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// decode reads a JSON object, whose members are those of to to the letter: package json would
// take Verb for verb.
func decode(text []byte, to *request) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	var all any
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	return exact(all)
}

// exact is an error for a member of v, or of an object inside it, that is not in lower case, as
// all members of a request are.
func exact(v any) error {
	switch v := v.(type) {
	case map[string]any:
		for name, inside := range v {
			if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
				return fmt.Errorf("unknown field %.80q", name)
			}
			if err := exact(inside); err != nil {
				return err
			}
		}
	case []any:
		for _, inside := range v {
			if err := exact(inside); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkBlobs(all []blob, lim Limits) error {
	if len(all) > lim.Arrays {
		return malformed("%d arrays, %d are the most", len(all), lim.Arrays)
	}
	seen, left := map[string]bool{}, lim.Bytes
	for _, b := range all {
		switch {
		case seen[b.Name]:
			return malformed("two arrays are named %.80q", b.Name)
		case b.Bytes < 0:
			return malformed("array %.80q has %d bytes", b.Name, b.Bytes)
		case b.Bytes > left:
			return malformed("its arrays have more than the limit of %d bytes", lim.Bytes)
		}
		seen[b.Name] = true
		left -= b.Bytes
	}
	return nil
}

// readArray reads the bytes of b. What is no .npy file is an error of the request; the error
// is that of the stream.
func (f *incoming) readArray(r io.Reader, b blob, spare buffers) error {
	part := &io.LimitedReader{R: r, N: b.Bytes}
	a, err := npz.ReadArray(part, b.Name, npz.Limits{Bytes: b.Bytes, AtOnce: atOnce, Buffer: spare.get(b)})
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("array %.80s: %w", b.Name, err)
	}
	f.arrays = append(f.arrays, a)
	if _, err := io.Copy(io.Discard, part); err != nil || part.N > 0 {
		return malformed("array %.80s is cut short", b.Name)
	}
	return nil
}

// buffers keeps the bytes of the samples of a request for the next one: memory that is new costs
// as much as the copy.
type buffers chan []byte

func (s buffers) get(b blob) []byte {
	if b.Name == "x" {
		select {
		case buffer := <-s:
			return buffer
		default:
		}
	}
	return nil
}

// take takes the bytes of f, which was answered.
func (s buffers) take(f *incoming) {
	if i := f.arrays.Index("x"); i >= 0 && len(f.arrays[i].Data) <= atOnce {
		select {
		case s <- f.arrays[i].Data:
		default:
		}
	}
}

// rows returns the array of that name with its rows as columns: d×n for n samples of d numbers,
// as the library has them. It overwrites buffer where that has room for them.
func (f *incoming) rows(name string, buffer []float64) (*mat.Dense, error) {
	a, err := f.arrays.Find(name)
	if err != nil {
		return nil, err
	}
	n, d := a.Dims()
	data, err := a.Float64sIn(buffer) // column by column: row by row of the transpose
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || n == 0 || d == 0 {
		return nil, fmt.Errorf("array %s has the shape %v: rows of numbers are needed", name, a.Shape)
	}
	return mat.NewDense(d, n, data), nil
}

// pixels is rows for samples that are images with the grid g, each row after row: the library has
// them column after column.
func (f *incoming) pixels(name string, g classify.Grid, buffer []float64) (*mat.Dense, error) {
	x, err := f.rows(name, buffer)
	if err == nil && x.RawMatrix().Rows == g.Len() {
		x = g.ByColumns(x)
	}
	return x, err
}

// matrix returns the array of that name as it is; nil if there is none.
func (f *incoming) matrix(name string) (*mat.Dense, error) {
	if f.arrays.Index(name) < 0 {
		return nil, nil
	}
	t, err := f.rows(name, nil)
	if err != nil {
		return nil, err
	}
	d, n := t.Dims()
	m := mat.NewDense(n, d, nil)
	lin.Transpose(m, t)
	return m, nil
}

// integers returns the n numbers of that array, each in 0 ≤ i < classes.
func (f *incoming) integers(name string, n, classes int) ([]int, error) {
	a, err := f.arrays.Find(name)
	if err != nil {
		return nil, err
	}
	data, err := a.Float64s()
	if err != nil {
		return nil, err
	}
	if len(data) != n {
		return nil, fmt.Errorf("array %s has %d elements for %d samples", name, len(data), n)
	}
	all := make([]int, n)
	for i, v := range data {
		if all[i] = int(v); float64(all[i]) != v || v < 0 || all[i] >= classes {
			return nil, fmt.Errorf("array %s: element %d is %v, which is no index of %d classes", name, i, v, classes)
		}
	}
	return all, nil
}

// writeFrame writes the header and the arrays.
func writeFrame(w io.Writer, header map[string]any, arrays []npz.Array) error {
	blobs := make([]blob, 0, len(arrays))
	for _, a := range arrays {
		blobs = append(blobs, blob{a.Name, npz.Size(a)})
	}
	header["arrays"] = blobs
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	if _, err := w.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(text)))); err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	for _, a := range arrays {
		if err := npz.WriteArray(w, a); err != nil {
			return err
		}
	}
	return nil
}

// plain makes an array of m as it is.
func plain(name string, m *mat.Dense) npz.Array {
	raw := m.RawMatrix()
	if raw.Stride != raw.Cols {
		raw = mat.DenseCopyOf(m).RawMatrix()
	}
	return npz.Float64(name, []int{raw.Rows, raw.Cols}, raw.Data[:raw.Rows*raw.Cols])
}

// asRows makes an array of the columns of m, one a row, which are read when it is written.
func asRows(name string, m *mat.Dense) npz.Array {
	k, n := m.Dims()
	return npz.Float64Rows(name, n, k, func(lo, hi int, dst []float64) {
		lin.Transpose(mat.NewDense(hi-lo, k, dst), lin.Cols(m, lo, hi))
	})
}

// sparseRows is asRows for codes over k atoms.
func sparseRows(name string, k int, codes *coding.SparseCodes) npz.Array {
	return npz.Float64Rows(name, len(codes.First)-1, k, func(lo, hi int, dst []float64) {
		clear(dst)
		for j := lo; j < hi; j++ {
			atoms, coef := codes.Column(j)
			for i, a := range atoms {
				dst[(j-lo)*k+int(a)] = coef[i]
			}
		}
	})
}

// failure is the header of an answer that tells of err.
func failure(err error) map[string]any {
	e := map[string]any{"message": err.Error(), "code": codeOf(err)}
	if a := advice.Of(err); a != nil {
		e["advice"], e["hint"] = a, advice.Text(err)
	}
	return map[string]any{"error": e}
}
