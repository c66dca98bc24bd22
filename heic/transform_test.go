package heic

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/tetratelabs/wazero"

	"nrdl.example/nrdl/internal/packed"
)

// The inverse transform by vectors gives what the sums give, whatever the matrix is, and
// takes the place of that of the decoder.
func TestTransform(t *testing.T) {
	const matrixAt, pixelsAt, coefficientsAt, stride = 33456, 70000, 80000, 40
	runtime := wazero.NewRuntime(t.Context())
	defer runtime.Close(t.Context())
	m, err := runtime.Instantiate(t.Context(), transform)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	matrix := make([]byte, 32*32)
	for i := range matrix {
		matrix[i] = byte(rng.IntN(181) - 90)
	}
	m.Memory().Write(matrixAt, matrix)
	for range 500 {
		n := 4 << rng.IntN(4)
		rows, columns, size := 1+rng.IntN(n), 1+rng.IntN(n), 1<<rng.IntN(16)
		coefficients, pixels := make([]int16, n*n), make([]byte, n*stride)
		for i := range coefficients {
			if i/n < rows && i%n < columns && rng.IntN(3) == 0 {
				coefficients[i] = int16(rng.IntN(2*size) - size)
			}
		}
		for i := range pixels {
			pixels[i] = byte(rng.IntN(256))
		}
		data, _ := binary.Append(nil, binary.LittleEndian, coefficients)
		m.Memory().Write(coefficientsAt, data)
		m.Memory().Write(pixelsAt, pixels)
		if _, err := m.ExportedFunction("idct").Call(t.Context(), pixelsAt, stride, uint64(n), coefficientsAt); err != nil {
			t.Fatal(err)
		}
		got, _ := m.Memory().Read(pixelsAt, uint32(len(pixels)))
		if addTransform(pixels, stride, n, coefficients, matrix); !bytes.Equal(got, pixels) {
			t.Fatalf("%d×%d with %d rows, %d columns below %d", n, n, rows, columns, size)
		}
	}
	plain, err := meter(packed.Bytes(heifProgram), nil)
	if err != nil {
		t.Fatal(err)
	}
	if metered, err := meter(packed.Bytes(heifProgram), better); err != nil || bytes.Equal(metered, plain) {
		t.Errorf("the decoder has its own transform: %v", err)
	}
}

// addTransform is transform, by sums.
func addTransform(pixels []byte, stride, n int, coefficients []int16, matrix []byte) {
	half := make([]int, n*n)
	for i := range n {
		for c := range n {
			sum := 64
			for j := range n {
				sum += int(int8(matrix[j*32/n*32+i])) * int(coefficients[j*n+c])
			}
			half[i*n+c] = max(-1<<15, min(1<<15-1, sum>>7))
		}
	}
	for y := range n {
		for i := range n {
			sum := 2048
			for j := range n {
				sum += int(int8(matrix[j*32/n*32+i])) * half[y*n+j]
			}
			p := &pixels[y*stride+i]
			*p = byte(max(0, min(255, int(*p)+sum>>12)))
		}
	}
}
