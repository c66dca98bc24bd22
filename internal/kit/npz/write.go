package npz

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"nrdl.example/nrdl/internal/kit/array"
	"nrdl.example/nrdl/internal/parallel"
)

// Write writes arrays that Float64, Float64Rows, Int64, Uint8 and Text made as a .npz
// file, and compresses those that get smaller. Equal arrays give equal bytes.
func Write(w io.Writer, arrays ...Array) error {
	archive := zip.NewWriter(w)
	for _, a := range arrays {
		if err := write(archive, a); err != nil {
			return fmt.Errorf("array %s: %w", a.Name, err)
		}
	}
	return archive.Close()
}

// WriteArray writes a single array as a .npy file.
func WriteArray(w io.Writer, a Array) error {
	if err := check(a); err != nil {
		return err
	}
	return writeTo(w, a)
}

// Size returns the number of bytes that WriteArray writes.
func Size(a Array) int64 {
	n, err := array.Bytes(a.Shape, a.Type.Size())
	if err != nil {
		panic(err) // a was made of numbers that are there
	}
	return int64(len(formatHeader(a))) + n
}

func check(a Array) error {
	n, err := array.Bytes(a.Shape, a.Type.Size())
	switch {
	case a.Type == "" || a.Order != binary.LittleEndian || a.Fortran:
		panic("npz: Write takes what Float64, Int64, Uint8 and Text made")
	case err != nil:
		return err
	case a.Fill == nil && n != int64(len(a.Data)):
		return fmt.Errorf("%d bytes of numbers for a shape of %v", len(a.Data), a.Shape)
	case a.Name == "" || !utf8.ValidString(a.Name):
		return fmt.Errorf("%q cannot be its name", a.Name)
	}
	return nil
}

func write(archive *zip.Writer, a Array) error {
	if err := check(a); err != nil {
		return err
	}
	f, err := archive.CreateHeader(&zip.FileHeader{Name: a.Name + ".npy", Method: compression(a)})
	if err != nil {
		return err
	}
	return writeTo(f, a)
}

func writeTo(w io.Writer, a Array) error {
	if _, err := w.Write(formatHeader(a)); err != nil {
		return err
	}
	if a.Fill != nil {
		return writeRows(w, a)
	}
	_, err := w.Write(a.Data)
	return err
}

// rowsBytes is about how much of a matrix is held at a time: what stays in the cache.
const rowsBytes = 1 << 18

// writeRows writes the numbers that Fill makes.
func writeRows(w io.Writer, a Array) error {
	rows, cols := a.Shape[0], a.Shape[1]
	maxRows := min(rows, max(1, rowsBytes/(8*max(cols, 1))))
	numbers, bytes := make([]float64, maxRows*cols), make([]byte, 8*maxRows*cols)
	for lo := 0; lo < rows; lo += maxRows {
		n := min(maxRows, rows-lo) * cols
		a.Fill(lo, min(lo+maxRows, rows), numbers[:n])
		putFloats(bytes[:8*n], numbers[:n])
		if _, err := w.Write(bytes[:8*n]); err != nil {
			return err
		}
	}
	return nil
}

// putFloats writes numbers to b, which has 8 bytes for each.
func putFloats(b []byte, numbers []float64) {
	parallel.For(len(numbers), 1<<14, func(lo, hi int) {
		to := b[8*lo : 8*hi]
		for _, x := range numbers[lo:hi] {
			binary.LittleEndian.PutUint64(to, math.Float64bits(x))
			to = to[8:]
		}
	})
}

// compression is the method of the archive for a. Numbers of full precision only get
// smaller if many of them are 0.
func compression(a Array) uint16 {
	if a.Fill == nil || a.Shape[0] == 0 {
		return zip.Deflate
	}
	zeros, row := 0, make([]float64, a.Shape[1])
	const looked = 16 // rows, at equal distances
	for i := range min(looked, a.Shape[0]) {
		at := i * a.Shape[0] / min(looked, a.Shape[0])
		a.Fill(at, at+1, row)
		for _, v := range row {
			if v == 0 {
				zeros++
			}
		}
	}
	if 2*zeros < len(row)*min(looked, a.Shape[0]) {
		return zip.Store
	}
	return zip.Deflate
}

// formatHeader gives the header of version 1, padded to a multiple of 64 bytes.
func formatHeader(a Array) []byte {
	order := "<"
	if a.Type.Size() == 1 {
		order = "|"
	}
	var shape strings.Builder
	for _, n := range a.Shape {
		fmt.Fprintf(&shape, "%d, ", n)
	}
	between := shape.String()
	if len(a.Shape) > 1 {
		between = strings.TrimSuffix(between, ", ")
	} else {
		between = strings.TrimSuffix(between, " ")
	}
	text := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }", order, a.Type, between)
	text += strings.Repeat(" ", 63-(10+len(text))%64) + "\n"
	b := []byte("\x93NUMPY\x01\x00")
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}

// Float64 makes an array of float64, the last index fastest.
func Float64(name string, shape []int, data []float64) Array {
	b := make([]byte, 8*len(data))
	putFloats(b, data)
	return made(name, "float64", "f8", shape, b)
}

// Float64Rows makes a matrix of float64, rows×cols, that can only be written. Write calls
// fill, which writes the rows lo ≤ i < hi to dst, so that not all rows are in memory.
func Float64Rows(name string, rows, cols int, fill func(lo, hi int, dst []float64)) Array {
	a := made(name, "float64", "f8", []int{rows, cols}, nil)
	a.Fill = fill
	return a
}

// Int64 makes an array of int64, the last index fastest.
func Int64(name string, shape []int, data []int64) Array {
	b := make([]byte, 0, 8*len(data))
	for _, x := range data {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return made(name, "int64", "i8", shape, b)
}

// Uint8 makes an array of uint8, the last index fastest. It keeps data.
func Uint8(name string, shape []int, data []uint8) Array {
	return made(name, "uint8", "u1", shape, data)
}

// Text makes a list of strings. NumPy drops zeros at their end.
func Text(name string, list []string) Array {
	longest := 1
	for _, s := range list {
		longest = max(longest, utf8.RuneCountInString(s))
	}
	b := make([]byte, 0, 4*longest*len(list))
	for _, s := range list {
		for _, r := range s {
			b = binary.LittleEndian.AppendUint32(b, uint32(r))
		}
		b = append(b, make([]byte, 4*(longest-utf8.RuneCountInString(s)))...)
	}
	return made(name, "text", array.Type(fmt.Sprintf("U%d", longest)), []int{len(list)}, b)
}

func made(name, kind string, t array.Type, shape []int, data []byte) Array {
	return Array{Name: name, Kind: kind, Type: t, Shape: shape, Data: data, Order: binary.LittleEndian}
}
