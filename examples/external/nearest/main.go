// Nearest is an external contestant for nrdl bench that needs nothing but Go: the
// nearest training sample by the cosine.
package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"strings"
)

func main() {
	log.SetFlags(0)
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	file, err := zip.NewReader(bytes.NewReader(input), int64(len(input)))
	if err != nil {
		log.Fatal(err)
	}
	train, test := rows(array[float64](file, "X_train")), rows(array[float64](file, "X_test"))
	_, classes := array[int64](file, "y_train")
	for _, x := range test {
		best, highest := 0, math.Inf(-1)
		for i, y := range train {
			if c := cosine(x, y); c > highest {
				best, highest = i, c
			}
		}
		fmt.Println(classes[best])
	}
}

func cosine(x, y []float64) float64 {
	var xy, yy float64
	for i, v := range y {
		xy += x[i] * v
		yy += v * v
	}
	return xy / math.Sqrt(max(yy, 1e-300))
}

// array reads an array of the file: its shape, and its numbers row after row.
func array[T float64 | int64](file *zip.Reader, name string) (shape [2]int, data []T) {
	f, err := file.Open(name + ".npy")
	if err != nil {
		log.Fatal(err)
	}
	b, err := io.ReadAll(f)
	if err != nil {
		log.Fatal(err)
	}
	end := 10 + int(binary.LittleEndian.Uint16(b[8:])) // of the header
	_, dims, _ := strings.Cut(string(b[10:end]), "'shape': (")
	if n, _ := fmt.Sscanf(dims, "%d, %d", &shape[0], &shape[1]); n == 0 {
		log.Fatalf("%s: %q is no shape", name, dims)
	}
	data = make([]T, (len(b)-end)/8)
	if err := binary.Read(bytes.NewReader(b[end:]), binary.LittleEndian, data); err != nil {
		log.Fatal(err)
	}
	return shape, data
}

func rows(shape [2]int, data []float64) (all [][]float64) {
	for i := range shape[0] {
		all = append(all, data[i*shape[1]:(i+1)*shape[1]])
	}
	return all
}
