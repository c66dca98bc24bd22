package realdata

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"testing"
)

// Matrix reads the samples of a set of NRDL_DATA/sets, fea N×d and gnd N×1 of bytes in a
// MAT-file of level 5: sample i of n has the values [i], and the label [i].
func Matrix(t testing.TB, file string) (samples [][]float64, labels []int) {
	t.Helper()
	data, err := os.ReadFile(Path(t, "sets", file))
	if err != nil {
		t.Fatal(err)
	}
	for rest := data[128:]; len(rest) >= 8; {
		size := 8 + int(binary.LittleEndian.Uint32(rest[4:]))
		z, err := zlib.NewReader(bytes.NewReader(rest[8:size]))
		if err != nil {
			t.Fatal(err)
		}
		variable, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		rest = rest[size:]
		// Tags of the matrix and of its flags, flags, tag of the dimensions, dimensions, a short name.
		rows, columns := int(binary.LittleEndian.Uint32(variable[32:])), int(binary.LittleEndian.Uint32(variable[36:]))
		switch values := variable[min(56, len(variable)):]; string(variable[44:47]) {
		case "fea":
			for i := range rows {
				sample := make([]float64, columns)
				for j := range sample {
					sample[j] = float64(values[j*rows+i]) // column after column
				}
				samples = append(samples, sample)
			}
		case "gnd":
			for _, label := range values[:rows] {
				labels = append(labels, int(label))
			}
		}
	}
	if len(samples) == 0 || len(samples) != len(labels) {
		t.Fatal(fmt.Errorf("%s: %d samples, %d labels", file, len(samples), len(labels)))
	}
	return samples, labels
}
