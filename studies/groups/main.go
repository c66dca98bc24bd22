// Command groups prints how well package group divides faces into people.
//
//	go -C studies run ./groups DIR/lfw_several.npz DIR/lfw_strangers.npz DIR/alike50.npz …
//
// The files are vectors of the built-in network: nrdl data convert FOLDER FILE.npz --input
// embedding --detect always. A draw has 1 to 10 faces of each person (-most).
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"path/filepath"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/group"
	"nrdl.example/nrdl/internal/lin"
)

func main() {
	draws, top := flag.Int("draws", 5, "draws of faces"), flag.Int("most", 10, "faces of a person in a draw")
	o := group.Default
	flag.Float64Var(&o.FPIR, "fpir", o.FPIR, "as nrdl group --fpir")
	flag.Float64Var(&o.Weight, "weight", o.Weight, "of the resemblance to others")
	flag.Parse()
	fmt.Println("| faces | number | people | groups | loose | in a wrong group, % | largest group of several | together, % | pairs: precision | recall |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, path := range flag.Args() {
		set, err := dataset.Open(context.Background(), path, dataset.Options{})
		if err != nil {
			log.Fatal(err)
		}
		columns := classify.NonZero(set.X)
		report(filepath.Base(path), set, columns, o)
		if len(set.Classes) == set.Len() {
			continue
		}
		for d := range *draws {
			rng := rand.New(rand.NewPCG(1, uint64(d)))
			var some []int
			for c := range set.Classes {
				lo, n := set.Groups[c], set.Groups[c+1]-set.Groups[c]
				for _, k := range rng.Perm(n)[:min(n, 1+rng.IntN(*top))] {
					some = append(some, lo+k)
				}
			}
			report(fmt.Sprintf("draw %d", d+1), set, some, o)
		}
	}
}

func report(name string, set *dataset.Images, columns []int, o group.Options) {
	x := classify.Unit(lin.Select(set.X, columns))
	labels := set.Labels()
	groups, err := group.Faces(context.Background(), x, nil, frontend.Pipeline{Frame: set.Frame}.Law(), o)
	if err != nil {
		log.Fatal(err)
	}
	faces, most := map[int]int{}, map[int]int{}
	for _, j := range columns {
		faces[labels[j]]++
	}
	several, loose, wrong, largest, right, pairs := 0, 0, 0, 0, 0, 0
	for _, g := range groups {
		n, counts, best := len(g.Faces), map[int]int{}, 0
		for _, j := range g.Faces {
			counts[labels[columns[j]]]++
		}
		for c, k := range counts {
			right += k * (k - 1)
			most[c], best = max(most[c], k), max(best, k)
		}
		pairs += n * (n - 1)
		if n > 1 {
			several++
			if g.Loose {
				loose++
			}
		}
		if len(counts) > 1 {
			largest = max(largest, n)
			if wrong += n - best; best == 1 {
				wrong++
			}
		}
	}
	together, possible := 0, 0
	for c, n := range faces {
		together, possible = together+most[c], possible+n*(n-1)
	}
	n := float64(len(columns))
	fmt.Printf("| %s | %d | %d | %d | %d | %.2f | %d | %.1f | %.1f | %.1f |\n", name, len(columns), len(faces), several, loose,
		100*float64(wrong)/n, largest, 100*float64(together)/n, 100*float64(right)/float64(max(1, pairs)), 100*float64(right)/float64(max(1, possible)))
}
