package main

import (
	"fmt"
	"math"
	"slices"

	"nrdl.example/nrdl/openset"
)

// What the constants must keep on the fitted galleries: the share of the strangers of
// a cluster who are named, in percent, in the mean and in the worst cluster.
const mostMean, mostWorst = 1.25, 4.0

// search prints the numbers of openset/assumptions.go that keep these limits, those first
// by which the fewest faces of enrolled people lose their name.
func search(all []drawn) {
	type found struct {
		lost float64
		line string
	}
	var list []found
	for _, people := range []float64{0.25, 0.5, 1, 2} {
		for _, mean := range []float64{0, 0.2, 0.4, 0.8, 1.2} {
			for _, ofSD := range []float64{4, 8, 16, 32} {
				for _, sd := range []float64{0.8, 0.85, 0.9, 0.95} {
					limit := func(g drawn) float64 {
						z := openset.AtLarge(0.01, g.people)
						n := float64(g.people)
						m := (n*g.alike.Mean + people*mean) / (n + people)
						s := math.Sqrt((n*g.alike.SD*g.alike.SD + ofSD*sd*sd) / (n + ofSD))
						return max(z, m+s*z)
					}
					f := found{line: fmt.Sprint(people, mean, ofSD, sd)}
					fits := true
					for _, size := range sizes {
						by := summed(all, size, func(g drawn) float64 { return openset.AtLarge(0.01, g.people) })
						s := summed(all, size, limit)
						fits = fits && s.clusters <= mostMean && s.worst <= mostWorst
						f.lost += by.named - s.named
						f.line += fmt.Sprintf(" | %.2f %.2f %.2f", by.named-s.named, s.clusters, s.worst)
					}
					if fits {
						list = append(list, f)
					}
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b found) int { return int(math.Copysign(1, a.lost-b.lost)) })
	fmt.Println("\nPriorPeople, PriorMean, PriorPeopleSD, PriorSD | of 3, 5, 10, 20, 43 people: points fewer named, strangers of a cluster named in %, of the worst")
	for _, f := range list[:min(10, len(list))] {
		fmt.Println(f.line)
	}
}
