// Command asm writes the assembly of package blas.
//
// Every kernel comes in a vector width (Z: AVX-512, Y: AVX2 with FMA) and an
// element type (d: float64, s: float32). Strides are in elements and may be
// negative, so one kernel serves plain, transposed, packed and reversed
// operands. Nothing says that a kernel keeps no pointer (go:noescape): it is called by
// way of a table, where the compiler does not look.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"

	. "github.com/mmcloughlin/avo/build"
)

// widths are the vector widths with the tile heights that they get; the first
// is the height of the full tile, the others serve its lower edge.
var widths = []struct {
	w      width
	rows   []int
	pixels int // of the largest tile of a convolution, of two vectors
}{
	{zmm, []int{8, 4, 2, 1}, 14},
	{ymm, []int{4, 2, 1}, 6},
}

func main() {
	ConstraintExpr("amd64")
	for _, w := range widths {
		for _, t := range []elem{f64, f32} {
			v := vector{w.w, t}
			for _, rows := range w.rows {
				for vecs := 3; vecs >= 1; vecs-- {
					gemm(v, rows, vecs)
					if t == f64 {
						trsm(v, rows, vecs)
					}
				}
			}
			copyRows(v)
		}
		peak(vector{w.w, f64}, w.rows[0])
		single := vector{w.w, f32}
		for rows := 1; rows <= w.pixels; rows++ {
			conv(single, rows, 1)
			conv(single, rows, 2)
		}
		for rows := 0; rows <= 8; rows++ {
			window(single, "depth", rows)
		}
		for rows := 0; rows <= 4; rows++ {
			window(single, "sum", rows)
			window(single, "most", rows)
		}
		winogradIn(single)
		winogradOut(single)
		dot(vector{w.w, f64})
		axpy(vector{w.w, f64})
		maxAbs(vector{w.w, f64})
	}
	transpose8x8d()
	transpose4x4d()
	transpose8x8s()
	pause()
	for queries := 1; queries <= 8; queries *= 2 {
		codes(zmm, queries)
	}
	codes(ymm, 1)
	Generate()
	if err := closeUp(flag.Lookup("stubs").Value.String()); err != nil {
		fmt.Fprintln(os.Stderr, "asm:", err)
		os.Exit(1)
	}
}

// closeUp takes the empty lines between the declarations out of the file at path.
func closeUp(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	first := bytes.Index(text, []byte("func "))
	return os.WriteFile(path, append(text[:first:first], bytes.ReplaceAll(text[first:], []byte("\n\n"), []byte("\n"))...), 0o666)
}
