package mat5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"nrdl.example/nrdl/internal/array"
)

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
