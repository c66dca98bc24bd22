package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"text/tabwriter"

	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl.example/nrdl/openset"
)

// sizes are the numbers of people of galleries.
var sizes = []int{1, 2, 5, 10, 20, 40, 50}

var kinds = []string{"at large", "cluster", "like", "mixed", "all like", "all mixed"}

// calibrated is the calibration of g for a rate, with some given strangers.
func (g *drawn) calibrated(l *openset.Impostors, fpir float64, given int, by *openset.Assumptions) *openset.Calibration {
	o := openset.Default
	o.FPIR, o.Assumptions = fpir, by
	c, err := openset.ByLaw(o, l, g.photographs, g.groups, slices.Clone(g.others[:min(given, len(g.others))]))
	if err != nil {
		panic(err)
	}
	return c
}

// above is the percentage of list that reaches limit.
func above(list []float64, limit float64) float64 {
	n := 0
	for _, v := range list {
		if v >= limit {
			n++
		}
	}
	return 100 * float64(n) / float64(len(list))
}

// named is the percentage of known faces that get the right name.
func (g *drawn) named(limit float64) float64 {
	n := 0
	for i, v := range g.known {
		if v >= limit && g.right[i] {
			n++
		}
	}
	return 100 * float64(n) / float64(len(g.known))
}

// exact is the threshold that this share of strangers like the people of g exceeds.
func (g *drawn) exact(fpir float64) float64 {
	sorted := slices.Sorted(slices.Values(g.like))
	return stat.Quantile(1-fpir, stat.LinInterp, sorted, nil)
}

// A row is what galleries of a kind and a number of people have, in percent.
type row struct {
	like, large, law, named, exact, limit, interval []float64
}

func rowOf(all []*drawn, l *openset.Impostors, kind string, people int, fpir float64, given int, by *openset.Assumptions) (r row) {
	for _, g := range all {
		if g.kind != kind || g.people != people {
			continue
		}
		c := g.calibrated(l, fpir, given, by)
		like, large := above(g.like, c.Threshold), above(g.large, c.Threshold)
		r.like, r.large, r.law = append(r.like, like), append(r.large, large), append(r.law, above(g.like, -math.Log10(fpir)))
		r.named, r.exact = append(r.named, g.named(c.Threshold)), append(r.exact, g.named(g.exact(fpir)))
		inGeneral, around := c.StrangerRates(l)
		r.limit = append(r.limit, percentIf(like <= 100*around.Most))
		r.interval = append(r.interval, percentIf(large >= 100*inGeneral.Least && large <= 100*inGeneral.Most))
	}
	return r
}

func percentIf(holds bool) float64 {
	if holds {
		return 100
	}
	return 0
}

func mean(list []float64) float64 { return stat.Mean(list, nil) }

// report prints what the law alone, the default and the exact threshold do.
func report(all []*drawn, l *openset.Impostors, fpir float64, given int) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "gallery\tpeople\tdraws\tstrangers like it named: law alone\tdefault\tworst draw\tat large\tworst\tknown named\tby the exact threshold\tupper limit holds\tinterval at large holds\t")
	for _, kind := range kinds {
		for _, people := range sizes {
			if r := rowOf(all, l, kind, people, fpir, given, nil); len(r.like) > 0 {
				fmt.Fprintf(w, "%s\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.1f\t%.1f\t%.0f\t%.0f\t\n", kind, people, len(r.like), mean(r.law), mean(r.like), slices.Max(r.like),
					mean(r.large), slices.Max(r.large), mean(r.named), mean(r.exact), mean(r.limit), mean(r.interval))
			}
		}
	}
	w.Flush()
}

// reportCalibration prints the expected calibration error of probabilities where half of the
// faces are those of strangers at large, or like the people: over ten bins, the difference of
// the probability and of the share of right names, in points, weighted by the faces.
func reportCalibration(all []*drawn, l *openset.Impostors, k int) {
	for _, kind := range kinds {
		var sum, right, weight [10]float64
		add := func(p, is, w float64) {
			bin := min(9, int(10*p))
			sum[bin], right[bin], weight[bin] = sum[bin]+w*p, right[bin]+w*is, weight[bin]+w
		}
		var known []float64
		for _, g := range all {
			if g.kind != kind || g.people < 5 {
				continue
			}
			c := g.calibrated(l, 0.01, 0, nil)
			for i, e := range g.known {
				p := c.Probability(e)
				add(p, percentIf(g.right[i])/100, 0.5/float64(len(g.known)))
				known = append(known, p)
			}
			for _, e := range g.like {
				add(c.Probability(e), 0, 0.5/float64(len(g.like)))
			}
		}
		var off, n float64
		for i := range sum {
			off, n = off+math.Abs(sum[i]-right[i]), n+weight[i]
		}
		slices.Sort(known)
		if n > 0 {
			fmt.Printf("%d photographs a person, %s: expected calibration error %.1f points, median probability of known faces %.3f\n", k, kind, 100*off/n, stat.Quantile(0.5, stat.Empirical, known, nil))
		}
	}
}

// search prints which kinds fit the levels of strangers who are like the people best, and what other numbers of openset.Assumptions do at 1 %: of each kind and number of
// people, the shares of strangers like it and at large who are named, and the points that fewer
// known faces are named than by the exact threshold.
func search(all []*drawn, l *openset.Impostors) {
	for _, of := range [][]string{{"cluster"}, {"like", "mixed"}} {
		for _, shape := range []float64{2, 3, 4, 5} {
			k, off := kindOf(all, of, shape)
			fmt.Printf("%v: of shape %v, mean %.2f and standard deviation %.2f fit best: off by %.3f\n", of, shape, k.Mean, k.SD, off)
		}
	}
	change := func(name string, values []float64, set func(a *openset.Assumptions, v float64)) {
		for _, v := range values {
			by := openset.DefaultAssumptions
			set(&by, v)
			fmt.Printf("%s %v:", name, v)
			for _, kind := range kinds {
				for _, people := range sizes {
					if r := rowOf(all, l, kind, people, 0.01, 0, &by); len(r.like) > 0 {
						fmt.Printf(" %s %d %.2f %.2f %.1f", kind, people, mean(r.like), mean(r.large), mean(r.exact)-mean(r.named))
					}
				}
			}
			fmt.Println()
		}
	}
	change("mean of people who are alike", []float64{0.6, 0.7, 0.85, 1}, func(a *openset.Assumptions, v float64) { a.Kinds[1].Mean = v })
	for i, of := range []string{"of clusters", "alike"} {
		change("odds of people who are "+of, []float64{0.1, 0.2, 0.4, 0.6, 0.8}, func(a *openset.Assumptions, v float64) { a.Kinds[i].Odds = v })
	}
	change("both sides", []float64{0.5, 1}, func(a *openset.Assumptions, v float64) { a.BothSides = v })
}

// kindOf returns the kind of this shape whose quantiles of levels are nearest to those of strangers
// like the people of galleries, and the sum of the squares of their distances, where the upper ones
// weigh more.
func kindOf(all []*drawn, of []string, shape float64) (openset.Kind, float64) {
	shares, weights := []float64{0.5, 0.1, 0.01, 0.001}, []float64{0.5, 1, 1.5, 1.5}
	seen := map[[2]int][]float64{} // levels of strangers, by how many people are alike and how many there are
	for _, g := range all {
		if slices.Contains(of, g.kind) && g.people > 1 {
			to := [2]int{g.people, g.people}
			if g.kind == "mixed" {
				to[0] /= 2
			}
			for _, e := range slices.Concat(g.like, g.others) {
				seen[to] = append(seen[to], -distuv.UnitNormal.Quantile(math.Pow(10, -e)))
			}
		}
	}
	for _, levels := range seen {
		slices.Sort(levels)
	}
	off := func(x []float64) (sum float64) {
		k := openset.Kind{Mean: x[0], SD: math.Exp(x[1]), Shape: shape}
		for _, n := range slices.SortedFunc(maps.Keys(seen), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
			grid, exceeding := k.Levels(float64(n[0]), n[1])
			for i, share := range shares {
				at := max(1, slices.IndexFunc(exceeding, func(v float64) bool { return v <= share }))
				part := math.Log(exceeding[at-1]/share) / math.Log(exceeding[at-1]/exceeding[at])
				d := weights[i] * (grid[at-1] + part*(grid[at]-grid[at-1]) - stat.Quantile(1-share, stat.LinInterp, seen[n], nil))
				sum += d * d
			}
		}
		return sum
	}
	best, err := optimize.Minimize(optimize.Problem{Func: off}, []float64{0.8, 0.2}, nil, &optimize.NelderMead{})
	if err != nil {
		panic(err)
	}
	return openset.Kind{Mean: best.X[0], SD: math.Exp(best.X[1]), Shape: shape}, best.F
}
