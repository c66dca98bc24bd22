// Command group compares package group with average linkage and DBSCAN on the same
// embeddings.
//
//	go -C studies run ./group -data DIR
//
// DIR has the embeddings lfw_several.npz, lfw_cohort.npz, lfw86.npz,
// lfw_strangers.npz, gt_db.npz and orl.npz; a missing file is left out. Average
// linkage and DBSCAN have the best of many parameters for each set, by BCubed F;
// package group has no parameter but its rate. The constants of its law come from
// lfw_several and lfw_cohort.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/group"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

func main() {
	data := flag.String("data", "", "folder with the embeddings")
	large := flag.Int("large", 0, "group so many faces that are drawn, too")
	flag.Parse()
	if err := run(context.Background(), *data, *large); err != nil {
		fmt.Fprintln(os.Stderr, "group:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, data string, large int) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "faces\tof people\tmethod\tparameter\tgroups\tpairs: precision\trecall\tBCubed: precision\trecall\tF\ts\t")
	for _, names := range [][]string{{"lfw86", "lfw_strangers"}, {"gt_db"}, {"orl"}, {"lfw_several", "lfw_cohort"}} {
		x, labels, l, err := read(ctx, data, names)
		if err != nil {
			return err
		}
		if x == nil {
			continue
		}
		people := 0
		for _, c := range labels {
			people = max(people, c+1)
		}
		print := func(method string, parameter float64, groups [][]int, took time.Duration) {
			s := judge(groups, labels)
			fmt.Fprintf(w, "%d %v\t%d\t%s\t%.4g\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t\n", len(labels), names, people, method, parameter, len(groups),
				100*s.pairPrecision, 100*s.pairRecall, 100*s.precision, 100*s.recall, 100*s.f(), took.Seconds())
		}
		start := time.Now()
		groups, err := group.Faces(ctx, x, nil, l, group.Default)
		if err != nil {
			return err
		}
		print("group", group.Default.FPIR, groups, time.Since(start))
		cosines := mat.NewDense(len(labels), len(labels), nil)
		lin.AtB(cosines, 1, x, x)
		parameter, best := bestOf(labels, averageLinkage(cosines))
		print("average linkage", parameter, best, 0)
		parameter, best = bestOf(labels, dbscan(cosines))
		print("DBSCAN", parameter, best, 0)
		w.Flush()
	}
	if large > 0 {
		return drawn(ctx, large)
	}
	return nil
}

// read returns the embeddings of files and whose they are, and the law of their
// network; nil if a file is missing.
func read(ctx context.Context, data string, names []string) (x *mat.Dense, labels []int, l *openset.Impostors, err error) {
	for _, name := range names {
		path := filepath.Join(data, name+".npz")
		if _, err := os.Stat(path); err != nil {
			return nil, nil, nil, nil
		}
		set, err := dataset.Open(ctx, path, dataset.Options{})
		if err != nil {
			return nil, nil, nil, err
		}
		e := set.Frame.Embedding
		if l = openset.ImpostorsOf(e.Digest, e.Mirror); l == nil {
			return nil, nil, nil, fmt.Errorf("%s: no law for its network", path)
		}
		first := 0
		for _, c := range labels {
			first = max(first, c+1)
		}
		for _, c := range set.Labels() {
			labels = append(labels, first+c)
		}
		u := classify.Unit(set.X)
		if x == nil {
			x = u
			continue
		}
		var both mat.Dense
		both.Augment(x, u)
		x = &both
	}
	return x, labels, l, nil
}

// A score says how groups agree with people.
type score struct{ pairPrecision, pairRecall, precision, recall float64 }

// f is the harmonic mean of the BCubed precision and recall.
func (s score) f() float64 { return 2 * s.precision * s.recall / (s.precision + s.recall) }

// judge compares groups with labels. BCubed precision is the mean over the faces of
// the share of their group that shows the same person, recall that of the share of
// the person's faces that are in the same group.
func judge(groups [][]int, labels []int) (s score) {
	of := map[int]float64{}
	for _, c := range labels {
		of[c]++
	}
	var together, inGroups, ofPeople float64
	for _, g := range groups {
		counts := map[int]float64{}
		for _, j := range g {
			counts[labels[j]]++
		}
		n := float64(len(g))
		inGroups += n * (n - 1)
		for c, k := range counts {
			together += k * (k - 1)
			s.precision += k * k / n / float64(len(labels))
			s.recall += k * k / of[c] / float64(len(labels))
		}
	}
	for _, n := range of {
		ofPeople += n * (n - 1)
	}
	s.pairPrecision, s.pairRecall = together/inGroups, together/ofPeople
	return s
}

// bestOf returns the groups with the largest F, and their parameter.
func bestOf(labels []int, all map[float64][][]int) (parameter float64, best [][]int) {
	most := math.Inf(-1)
	for p, groups := range all {
		if f := judge(groups, labels).f(); f > most || f == most && p < parameter {
			parameter, best, most = p, groups, f
		}
	}
	return parameter, best
}

// drawn groups so many faces drawn of people with one to twenty each.
func drawn(ctx context.Context, n int) error {
	l := openset.Shipped()[0]
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(128, n, nil)
	var labels []int
	// The variances of the law, over 128 coordinates.
	common, person, photograph := math.Sqrt(l.Different.Mean), math.Sqrt(l.Same.Mean-l.Different.Mean), math.Sqrt(1-l.Same.Mean)
	for c := 0; len(labels) < n; c++ {
		own := make([]float64, 128)
		for i := range own {
			own[i] = person * rng.NormFloat64() / math.Sqrt(128)
		}
		for range min(1+rng.IntN(20), n-len(labels)) {
			for i, v := range own {
				if i == 0 {
					v += common
				}
				x.Set(i, len(labels), v+photograph*rng.NormFloat64()/math.Sqrt(128))
			}
			labels = append(labels, c)
		}
	}
	start := time.Now()
	groups, err := group.Faces(ctx, classify.Unit(x), nil, l, group.Default)
	if err != nil {
		return err
	}
	s := judge(groups, labels)
	fmt.Printf("\n%d drawn faces: %d groups, BCubed F %.1f, %.1f s\n", n, len(groups), 100*s.f(), time.Since(start).Seconds())
	return nil
}
