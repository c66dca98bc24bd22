package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/report"
	"nrdl.example/nrdl/lab/significance"
)

// The labels of NRDL in the plan atoms: by default, and with the paper's coder.
const ridged, unridged = "NRDL", "NRDL, coder (19)"

// groups are the records by the name of a data set, in their order.
func groups(records []experiment.Record) (names []string, of map[string][]experiment.Record) {
	of = map[string][]experiment.Record{}
	for _, r := range records {
		if d := r.Dataset.Name; of[d] == nil {
			names = append(names, d)
		}
		of[r.Dataset.Name] = append(of[r.Dataset.Name], r)
	}
	return names, of
}

// means are the mean rates of the records in percent, by label.
func means(records []experiment.Record) map[string]float64 {
	sums, counts := map[string]float64{}, map[string]float64{}
	for _, r := range records {
		sums[r.Label] += 100 * r.Rate
		counts[r.Label]++
	}
	for label := range sums {
		sums[label] /= counts[label]
	}
	return sums
}

// fewer says in two sentences what the dictionary of NRDL is worth with fewer atoms than
// images, by the plan atoms; "" without the runs.
func fewer(records []experiment.Record) string {
	var gains []report.Change
	var sets []string
	names, of := groups(records)
	for _, d := range names {
		rates, last, lastSuffix := means(of[d]), 0, ""
		for _, r := range of[d] {
			if r.Variation == nil || r.Repeat != 0 || r.Label != ridged+", atoms="+r.Variation.Value {
				continue
			}
			suffix := "atoms=" + r.Variation.Value
			if _, ok := rates[unridged+", "+suffix]; !ok {
				continue
			}
			gains = append(gains, versus(of[d], r.Label, unridged+", "+suffix)...)
			if k, err := strconv.Atoi(r.Variation.Value); err == nil && k > last {
				last, lastSuffix = k, suffix
			}
		}
		best := ""
		for label := range rates {
			if base, ok := strings.CutSuffix(label, ", "+lastSuffix); ok && base != ridged && base != unridged &&
				(best == "" || cmp.Or(cmp.Compare(rates[label], rates[best]), -cmp.Compare(label, best)) > 0) {
				best = label
			}
		}
		sets = append(sets, fmt.Sprintf("%s, %s: %s %% (%s without the ridge; %s %s)", of[d][0].Dataset.Title,
			strings.ReplaceAll(lastSuffix, "=", " "),
			points(rates[ridged+", "+lastSuffix]), points(rates[unridged+", "+lastSuffix]),
			strings.TrimSuffix(best, ", "+lastSuffix), points(rates[best])))
	}
	if len(gains) == 0 {
		return ""
	}
	p := make([]float64, len(gains))
	for n, g := range gains {
		p[n] = g.P
	}
	up, down := 0, 0
	for n, adjusted := range significance.Holm(p) {
		switch g := gains[n]; {
		case adjusted > experiment.Level:
		case g.Difference > 0:
			up++
		case g.Difference < 0:
			down++
		}
	}
	return fmt.Sprintf(
		"With fewer atoms than images a small ridge in its coder, the default there, changes NRDL's rate by %s points over "+
			"%d numbers of atoms on %d sets: up in %d and down in %d by paired tests with Holm's correction over all of them. "+
			"With the most atoms below the images, and the best of the other dictionaries beside it: %s.",
		span(gains), len(gains), len(names), up, down, strings.Join(sets, "; "))
}

// sensitive says how near the defaults of NRDL are to the best weights, by the plan
// sensitivity; "" without the runs.
func sensitive(records []experiment.Record) string {
	var sets []string
	names, of := groups(records)
	for _, d := range names {
		rates := means(of[d])
		best, near, above := "", 0, 0
		for _, r := range of[d] {
			if best == "" || rates[r.Label] > rates[best] {
				best = r.Label
			}
			if math.Abs(rates[r.Label]-rates[ridged]) <= 1 {
				near++
			} else if rates[r.Label] > rates[ridged] {
				above++
			}
		}
		sets = append(sets,
			fmt.Sprintf(
				"%s, %s %% with the defaults, %s %% at the best (%s), %d of %d pairs of weights within a point of the defaults, "+
					"%d more than a point better",
				of[d][0].Dataset.Title, points(rates[ridged]), points(rates[best]), strings.TrimPrefix(best, ridged+", "), near-1, len(of[d])-1, above))
	}
	slices.Sort(sets)
	if len(sets) == 0 {
		return ""
	}
	return "Pairs of NRDL's weights over two to four decades, one split each, the best chosen on the test images: " +
		strings.Join(sets, "; ") + "."
}
