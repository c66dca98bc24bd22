package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"text/tabwriter"

	"gonum.org/v1/gonum/floats"

	"nrdl.example/nrdl/openset"
)

// claims are the false match rates that are compared with true ones.
var claims = []float64{0.01, 0.001, 0.0001}

// report prints what l and the vectors of p do.
func (p people) report(l *openset.Impostors, draws int, by *openset.Assumptions) error {
	if err := p.reportGroups(l); err != nil {
		return err
	}
	p = p.distinct()
	p.reportImpostors(l)
	p.reportGenuine(l)
	p.reportGalleries(l, draws, 0.01, by)
	p.reportGalleries(l, draws, 0.001, by)
	return nil
}

// interval is that of 90 % of the percentage of pairs of n people who are alike, over draws of the people. Pairs
// of one person are not independent: it is wider than that of so many pairs.
func interval(n int, alike [][2]int) (low, high float64) {
	const draws, tail = 1000, 0.05
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	var all []float64
	times := make([]float64, n)
	for range draws {
		clear(times)
		for range n {
			times[rng.IntN(n)]++
		}
		hits, pairs := 0.0, float64(n*n)
		for _, v := range times {
			pairs -= v * v
		}
		for _, p := range alike {
			hits += times[p[0]] * times[p[1]]
		}
		all = append(all, 100*hits/(pairs/2))
	}
	slices.Sort(all)
	return all[int(tail*draws)], all[int((1-tail)*draws)]
}

// reportImpostors prints, of pairs of different people, the true false match rates where l claims some.
func (p people) reportImpostors(l *openset.Impostors) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "pairs of different people\tpeople\tpairs\tclaimed 1 %\t90 % interval\t0.1 %\t0.01 %\t")
	others := []stratum{
		{"", "famous people in childhood", first(p.young())},
		{"", "students of gt_db", first(p["gt_db"])},
		{"", "look-alikes (alike50)", first(p["alike50"])},
	}
	for _, s := range append(p.strata(), others...) {
		above, n := make([]float64, len(claims)), len(s.faces)
		pairs := float64(n*(n-1)) / 2
		var alike [][2]int
		s.each(func(i, j int, cosine float64) {
			for k, claim := range claims {
				if l.FMR(1, cosine) <= claim {
					if above[k] += 100 / pairs; k == 0 {
						alike = append(alike, [2]int{i, j})
					}
				}
			}
		})
		low, high := interval(n, alike)
		fmt.Fprintf(w, "%s\t%d\t%.0f\t%.2f\t%.2f to %.2f\t%.3f\t%.4f\t\n", s.name, n, pairs, above[0], low, high, above[1], above[2])
	}
	w.Flush()
}

// first are the first faces of each person.
func first(faces []face) (all []face) {
	for j, f := range faces {
		if j == 0 || f.person != faces[j-1].person {
			all = append(all, f)
		}
	}
	return all
}

// reportGenuine prints how many pairs of one person are accepted where so many of different ones are.
func (p people) reportGenuine(l *openset.Impostors) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "pairs of one person\tpairs\taccepted at a true 1 %\t0.1 %\t0.01 %\tat a claimed 1 %\t0.1 %\t0.01 %\t")
	grown := slices.DeleteFunc(slices.Clone(p["ages"]), func(f face) bool { return f.young })
	for _, s := range []stratum{{"", "famous people in childhood", p.young()}, {"", "the same as adults", grown}, {
		"", "students (gt_db)",
		p["gt_db"],
	}, {"", "look-alikes (alike50)", p["alike50"]}, {"", "LFW (lfw86)", p["lfw86"]}, {"", "LFW (lfw_several)", p["lfw_several"]}} {
		var same, other []float64
		for i, f := range s.faces {
			for _, g := range s.faces[:i] {
				if v := floats.Dot(f.vector, g.vector); f.person == g.person {
					same = append(same, v)
				} else {
					other = append(other, v)
				}
			}
		}
		slices.Sort(other)
		fmt.Fprintf(w, "%s\t%d\t", s.name, len(same))
		for _, rate := range claims {
			limit := other[len(other)-max(1, int(rate*float64(len(other))))]
			fmt.Fprintf(w, "%.1f\t", share(same, func(v float64) bool { return v > limit }))
		}
		for _, rate := range claims {
			fmt.Fprintf(w, "%.1f\t", share(same, func(v float64) bool { return l.FMR(1, v) <= rate }))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

// share is the percentage of list for which is is true.
func share(list []float64, is func(float64) bool) float64 {
	n := 0
	for _, v := range list {
		if is(v) {
			n++
		}
	}
	return 100 * float64(n) / float64(max(1, len(list)))
}
