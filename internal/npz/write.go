package npz

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"nrdl.example/nrdl/internal/parallel"
)

// Write writes arrays, which Float64, Float64Rows, Int64, Uint8 and Text
// made, as a .npz file, compressed where that is worth its time. Equal arrays give equal bytes.
func Write(w io.Writer, arrays ...Array) error {
	archive := zip.NewWriter(w)
	for _, a := range arrays {
		if err := a.write(archive); err != nil {
			return fmt.Errorf("array %s: %w", a.Name, err)
		}
	}
	return archive.Close()
}

func (a Array) write(archive *zip.Writer) error {
	n, err := bytesOf(a.Shape, max(a.item.size, 1))
	held := int64(len(a.data))
	if a.fill != nil {
		held = n
	}
	switch {
	case err != nil:
		return err
	case a.item.size == 0 || a.item.order != binary.LittleEndian || a.fortran:
		panic("npz: Write takes what Float64, Int64, Uint8 and Text made")
	case n != held || slices.ContainsFunc(a.Shape, func(s int) bool { return s < 0 }):
		return fmt.Errorf("%d bytes of numbers for a shape of %v", len(a.data), a.Shape)
	case a.Name == "" || !utf8.ValidString(a.Name):
		return fmt.Errorf("%q cannot be its name", a.Name)
	}
	f, err := archive.CreateHeader(&zip.FileHeader{Name: a.Name + ".npy", Method: a.method()})
	if err != nil {
		return err
	}
	if _, err := f.Write(a.header()); err != nil {
		return err
	}
	if a.fill != nil {
		return a.writeRows(f)
	}
	_, err = f.Write(a.data)
	return err
}

// rowsBytes is about how much of a matrix is held at a time.
const rowsBytes = 8 << 20

// writeRows writes the numbers that fill gives.
func (a Array) writeRows(w io.Writer) error {
	rows, cols := a.Shape[0], a.Shape[1]
	most := min(rows, max(1, rowsBytes/(8*max(cols, 1))))
	numbers, bytes := make([]float64, most*cols), make([]byte, 8*most*cols)
	for lo := 0; lo < rows; lo += most {
		n := min(most, rows-lo) * cols
		a.fill(lo, min(lo+most, rows), numbers[:n])
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

// method is how a is stored: numbers of full precision do not get smaller, but
// for the zeros among them.
func (a Array) method() uint16 {
	if a.fill == nil || a.Shape[0] == 0 {
		return zip.Deflate
	}
	zeros, row := 0, make([]float64, a.Shape[1])
	const looked = 16 // rows, at equal distances
	for i := range min(looked, a.Shape[0]) {
		at := i * a.Shape[0] / min(looked, a.Shape[0])
		a.fill(at, at+1, row)
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

// header gives the header of version 1, padded to a multiple of 64 bytes.
func (a Array) header() []byte {
	order, size := "<", a.item.size
	switch {
	case a.item.letter == 'U':
		size /= 4
	case size == 1:
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
	text := fmt.Sprintf("{'descr': '%s%c%d', 'fortran_order': False, 'shape': (%s), }", order, a.item.letter, size, between)
	text += strings.Repeat(" ", 63-(10+len(text))%64) + "\n"
	b := []byte("\x93NUMPY\x01\x00")
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}

// Float64 makes an array of float64, the last index fastest.
func Float64(name string, shape []int, data []float64) Array {
	b := make([]byte, 8*len(data))
	putFloats(b, data)
	return Array{Name: name, Kind: "float64", Shape: shape, data: b, item: item{'f', 8, binary.LittleEndian}}
}

// Float64Rows makes a matrix of float64, rows×cols, which is only written: fill
// writes the rows lo ≤ i < hi to dst, one after the other, when they are needed,
// so that they need not be held all at once.
func Float64Rows(name string, rows, cols int, fill func(lo, hi int, dst []float64)) Array {
	return Array{Name: name, Kind: "float64", Shape: []int{rows, cols}, fill: fill, item: item{'f', 8, binary.LittleEndian}}
}

// Int64 makes an array of int64, the last index fastest.
func Int64(name string, shape []int, data []int64) Array {
	b := make([]byte, 0, 8*len(data))
	for _, x := range data {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return Array{Name: name, Kind: "int64", Shape: shape, data: b, item: item{'i', 8, binary.LittleEndian}}
}

// Uint8 makes an array of uint8, the last index fastest. It keeps data.
func Uint8(name string, shape []int, data []uint8) Array {
	return Array{Name: name, Kind: "uint8", Shape: shape, data: data, item: item{'u', 1, binary.LittleEndian}}
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
	return Array{Name: name, Kind: "text", Shape: []int{len(list)}, data: b, item: item{'U', 4 * longest, binary.LittleEndian}}
}
