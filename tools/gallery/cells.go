//go:build linux

package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"nrdl.example/nrdl/classify"
)

// cells prints what searching only the nearest cells of k-means costs in recall: with drawn
// faces, and with the real ones in files.
func cells(ctx context.Context, d *drawer, faces int, files []string) error {
	fmt.Printf("| faces | cells | searched | of the faces | nearest person found |\n| --- | ---: | ---: | ---: | ---: |\n")
	people := faces / each
	name := fmt.Sprintf("%d drawn", faces)
	printCells(name, d.dims, d.faces(0, people, 0, each), d.faces(0, min(people, 2000), each, 1))
	var rows, queries []float32
	n := 0
	for _, f := range files {
		s, err := centred(ctx, filepath.Join(*data, f))
		if err != nil {
			return err
		}
		x := classify.Unit(s.X)
		n, _ = x.Dims()
		for j := range s.Len() {
			to := &rows
			if c := s.ClassOf(j); j == s.Groups[c] && s.Groups[c+1] > j+1 { // the first photograph of a person with more asks
				to = &queries
			}
			for i := range n {
				*to = append(*to, float32(x.At(i, j)))
			}
		}
	}
	if len(rows) > 0 {
		printCells(fmt.Sprintf("%d real", len(rows)/n), n, rows, queries)
	}
	return nil
}

// printCells divides rows of d numbers into cells, as many as the square root of their
// number, and prints how often the nearest row of a query is in the nearest cells.
func printCells(name string, d int, rows, queries []float32) {
	n := len(rows) / d
	k := 1
	for k*k < n {
		k++
	}
	centres := make([]float32, k*d)
	rng := rand.New(rand.NewPCG(4, 4))
	for c := range k {
		copy(centres[c*d:(c+1)*d], rows[rng.IntN(n)*d:])
	}
	var cell []int
	const rounds = 10
	for range rounds {
		cell = nearestRows(rows, centres, d)
		clear(centres)
		for j, c := range cell {
			for i, v := range rows[j*d : (j+1)*d] {
				centres[c*d+i] += v
			}
		}
		for c := range k {
			if of := centres[c*d : (c+1)*d]; slices.ContainsFunc(of, func(v float32) bool { return v != 0 }) {
				unit(of)
			}
		}
	}
	cell = nearestRows(rows, centres, d)
	sizes := make([]int, k)
	for _, c := range cell {
		sizes[c]++
	}
	near, asked := nearestRows(queries, rows, d), len(queries)/d
	scores := product(queries, centres, d)
	for probes := 1; probes <= k; probes *= 4 {
		found, read := 0, 0
		for q := range asked {
			order := make([]int, k)
			for c := range order {
				order[c] = c
			}
			of := scores[q*k : (q+1)*k]
			slices.SortFunc(order, func(a, b int) int { return cmp.Compare(of[b], of[a]) })
			for _, c := range order[:probes] {
				read += sizes[c]
				if c == cell[near[q]] {
					found++
				}
			}
		}
		fmt.Printf("| %s | %d | %d | %.1f %% | %.2f %% |\n", name, k, probes, 100*float64(read)/float64(asked*n), 100*float64(found)/float64(asked))
	}
}

// nearestRows returns, for each row of a, the row of b with the largest inner product.
func nearestRows(a, b []float32, d int) (at []int) {
	const together = 128
	n := len(b) / d
	for len(a) > 0 {
		some := a[:min(together*d, len(a))]
		a = a[len(some):]
		c := product(some, b, d)
		for ; len(c) > 0; c = c[n:] {
			best := 0
			for j, v := range c[:n] {
				if v > c[best] {
					best = j
				}
			}
			at = append(at, best)
		}
	}
	return at
}
