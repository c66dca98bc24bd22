package blas

import (
	"math/rand/v2"
	"testing"
)

// TestDotCodes compares with sums one element at a time, for all numbers of queries.
func TestDotCodes(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		defer using(impl)()
		r := rand.New(rand.NewPCG(1, 2))
		for _, dims := range []int{4, 8, 132} {
			for queries := 1; queries <= 11; queries++ {
				const blocks = 2
				rows, q := make([]uint8, blocks*CodeBytes(dims)), make([]int8, queries*dims)
				for i := range rows {
					rows[i] = uint8(r.UintN(256))
				}
				for i := range q {
					q[i] = int8(r.IntN(256) - 128)
				}
				ldo := blocks*CodeRows + queries%3
				out := make([]int32, queries*ldo)
				DotCodes(out, ldo, rows, q, dims)
				for i := range queries {
					for row := range blocks * CodeRows {
						var want int32
						for j := range dims {
							want += int32(rows[row/CodeRows*CodeBytes(dims)+CodeAt(row%CodeRows, j)]) * int32(q[i*dims+j])
						}
						if got := out[i*ldo+row]; got != want {
							t.Fatalf("%d dimensions, query %d of %d, row %d: %d, want %d", dims, i, queries, row, got, want)
						}
					}
					for _, v := range out[i*ldo+blocks*CodeRows : (i+1)*ldo] {
						if v != 0 {
							t.Fatal("written past the rows")
						}
					}
				}
			}
		}
	})
}

func BenchmarkDotCodes(b *testing.B) {
	const dims, blocks = 512, 1024
	rows := make([]uint8, blocks*CodeBytes(dims))
	for _, queries := range []int{1, 8} {
		q, out := make([]int8, queries*dims), make([]int32, queries*blocks*CodeRows)
		b.Run(map[int]string{1: "1", 8: "8"}[queries], func(b *testing.B) {
			b.SetBytes(int64(queries * len(rows)))
			for b.Loop() {
				DotCodes(out, blocks*CodeRows, rows, q, dims)
			}
		})
	}
}
