package mat5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Write writes a file of the variables, compressed. They are those of Uint8,
// Int32 and Double. Equal variables give equal bytes.
func Write(w io.Writer, vars ...Variable) error {
	header := fmt.Appendf(nil, "%-116s%8s\x00\x01IM", "MATLAB 5.0 MAT-file, written by nrdl", "")
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, v := range vars {
		if err := v.write(w); err != nil {
			return fmt.Errorf("variable %s: %w", v.Name, err)
		}
	}
	return nil
}

func (v Variable) write(w io.Writer) error {
	c, ok := map[string]class{"uint8": classUint8, "int32": classInt32, "double": classDouble}[v.Kind]
	rows, cols := v.Dims()
	n, err := elements([]int{rows, cols})
	switch {
	case !ok || v.order != binary.LittleEndian:
		panic("mat5: Write takes what Uint8, Int32 and Double made")
	case err != nil || len(v.data) != n*v.mi.size() || rows > math.MaxInt32 || cols > math.MaxInt32:
		return errSize
	case v.Name == "" || len(v.Name) > 63:
		return fmt.Errorf("a name of %d bytes", len(v.Name))
	}
	var b []byte
	b = appendElement(b, miUint32, binary.LittleEndian.AppendUint64(nil, uint64(c)))
	b = appendElement(b, miInt32, binary.LittleEndian.AppendUint64(nil, uint64(rows)|uint64(cols)<<32))
	b = appendElement(b, miInt8, []byte(v.Name))
	b = appendElement(b, v.mi, v.data)
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
