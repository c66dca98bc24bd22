package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

// A drawn is a gallery that was drawn, with its deviates.
type drawn struct {
	people, cluster int // cluster -1: drawn from all
	among           int // so many people
	alike           openset.Resemblance
	known           []float64 // of faces of enrolled people, by their best person; −∞ where that is wrong
	others          []float64 // of strangers: of the other people of the set and of further ones
	knownOf         []int     // the clusters of the people of known
	othersOf        []int     // the clusters of others
	further         []float64 // of further strangers alone
	level           float64   // mean deviate of strangers and people
}

// sizes are the numbers of people of galleries.
var sizes = []int{3, 5, 10, 20, 43}

// galleries draws galleries of the people of set with k photographs each.
func galleries(l *openset.Impostors, set, further *dataset.Images, k, draws int, clusters *mat.Dense) (all []drawn) {
	x, y := classify.Unit(set.X), classify.Unit(further.X)
	ofFace, ofStranger := nearest(clusters, x), nearest(clusters, y)
	_, means := openset.Means(x, set.Groups)
	ofPerson := nearest(clusters, means)
	_, n := clusters.Dims()
	for cluster := -1; cluster < n; cluster++ {
		in := func(c int) bool { return cluster < 0 || c == cluster }
		var people []int
		for p := range set.Classes {
			if set.Groups[p+1]-set.Groups[p] > k && in(ofPerson[p]) {
				people = append(people, p)
			}
		}
		for _, size := range sizes {
			if size > len(people) || cluster >= 0 && size > 20 {
				continue
			}
			for seed := range uint64(draws) {
				rng := rand.New(rand.NewPCG(seed, uint64(size*100+cluster+1)))
				g := draw(l, x, set.Groups, people, size, k, rng)
				g.cluster, g.among = cluster, len(people)
				for i, p := range g.knownOf {
					g.knownOf[i] = ofPerson[p]
				}
				g.strangers(l, x, set.Groups, y, in, ofFace, ofStranger)
				all = append(all, g.drawn)
			}
		}
	}
	return all
}

// An enrolled is a drawn gallery with its people.
type enrolled struct {
	drawn
	k     int
	of    []int // the people
	means *mat.Dense
}

// draw enrols so many of people by k photographs, and compares their others.
func draw(l *openset.Impostors, x *mat.Dense, groups, people []int, size, k int, rng *rand.Rand) *enrolled {
	var columns, test, whose []int
	order := rng.Perm(len(people))[:size]
	g := &enrolled{drawn: drawn{people: size}, k: k}
	own := []int{0}
	for i, at := range order {
		p := people[at]
		g.of = append(g.of, p)
		for n, j := range rng.Perm(groups[p+1] - groups[p]) {
			if n < k {
				columns = append(columns, groups[p]+j)
			} else {
				test, whose = append(test, groups[p]+j), append(whose, i)
			}
		}
		own = append(own, len(columns))
	}
	photographs := pick(x, columns)
	_, g.means = openset.Means(photographs, own)
	g.alike, _ = l.Compare(photographs, own, 0)
	cosines := compared(g.means, pick(x, test))
	for j, best := range classify.Best(cosines) {
		z := math.Inf(-1)
		if best == whose[j] {
			z = l.Deviate(k, cosines.At(best, j))
		}
		g.known, g.knownOf = append(g.known, z), append(g.knownOf, g.of[whose[j]])
	}
	return g
}

// strangers compares the faces of others of x, and of y, that lie in some clusters.
func (g *enrolled) strangers(l *openset.Impostors, x *mat.Dense, groups []int, y *mat.Dense, in func(cluster int) bool, ofX, ofY []int) {
	var columns, further []int
	for c := range len(groups) - 1 {
		for j := groups[c]; j < groups[c+1]; j++ {
			if in(ofX[j]) && !slices.Contains(g.of, c) {
				columns, g.othersOf = append(columns, j), append(g.othersOf, ofX[j])
			}
		}
	}
	_, n := y.Dims()
	for j := range n {
		if in(ofY[j]) {
			further, g.othersOf = append(further, j), append(g.othersOf, ofY[j])
		}
	}
	g.further = g.largest(l, pick(y, further))
	g.others = append(g.largest(l, pick(x, columns)), g.further...)
	if faces := pick(y, further); faces != nil {
		cosines := compared(g.means, faces).RawMatrix().Data
		for _, c := range cosines {
			g.level += l.Deviate(g.k, c) / float64(len(cosines))
		}
	}
}

// largest returns the largest deviate of each column of faces.
func (g *enrolled) largest(l *openset.Impostors, faces *mat.Dense) (all []float64) {
	if faces == nil {
		return nil
	}
	cosines := compared(g.means, faces)
	for j, best := range classify.Best(cosines) {
		all = append(all, l.Deviate(g.k, cosines.At(best, j)))
	}
	return all
}

// pick returns columns of x; nil of none.
func pick(x *mat.Dense, columns []int) *mat.Dense {
	if len(columns) == 0 {
		return nil
	}
	return lin.Select(x, columns)
}

// share is the percentage of list above limit.
func share(list []float64, limit float64) float64 {
	n := 0
	for _, v := range list {
		if v > limit {
			n++
		}
	}
	return 100 * float64(n) / float64(len(list))
}

// report prints what the law alone and the default threshold do.
func report(all []drawn) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "wanted\tthreshold\tpeople\tat large: mean\tmost\tfurther only\tmost\tnamed\tclusters: mean\tworst\t")
	for _, rate := range []float64{0.01, 0.001} {
		for _, size := range sizes {
			for _, name := range []string{"law", "default"} {
				limit := func(g drawn) float64 {
					if name == "law" {
						return openset.AtLarge(rate, g.people)
					}
					return g.alike.Threshold(rate, g.people)
				}
				s := summed(all, size, limit)
				clusters := "–\t–"
				if s.in > 0 {
					clusters = fmt.Sprintf("%.2f\t%.2f", s.clusters, s.worst)
				}
				fmt.Fprintf(w, "%v %%\t%s\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.1f\t%s\t\n", 100*rate, name, size, s.far, s.most, s.further, s.furtherMost, s.named, clusters)
			}
		}
	}
	w.Flush()
}

// reportClusters prints the rates at 1 % for each cluster: of galleries and
// strangers of this cluster alone, and of its people in galleries of everybody.
func reportClusters(all []drawn, clusters int) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "gallery\tpeople\tamong\tcluster\tstrangers named: law\tdefault\tknown named: law\tdefault\tbest guess right\t")
	row := func(gallery string, size, cluster int, takes func(drawn) bool) {
		var rates [5][]float64
		among := 0
		add := func(i int, list []float64, limit float64) {
			if len(list) > 0 {
				rates[i] = append(rates[i], share(list, limit))
			}
		}
		for _, g := range all {
			if g.people != size || !takes(g) {
				continue
			}
			among = g.among
			known, others := of(g.known, g.knownOf, cluster), of(g.others, g.othersOf, cluster)
			law, byDefault := openset.AtLarge(0.01, size), g.alike.Threshold(0.01, size)
			add(0, others, law)
			add(1, others, byDefault)
			add(2, known, law)
			add(3, known, byDefault)
			add(4, known, math.Inf(-1))
		}
		name := "all"
		if cluster >= 0 {
			name = fmt.Sprint(cluster + 1)
		}
		if len(rates[0]) > 0 {
			mean := func(i int) float64 { return stat.Mean(rates[i], nil) }
			fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%.2f\t%.2f\t%.1f\t%.1f\t%.1f\t\n", gallery, size, among, name, mean(0), mean(1), mean(2), mean(3), mean(4))
		}
	}
	for _, size := range sizes {
		for cluster := -1; cluster < clusters; cluster++ {
			row("of everybody", size, cluster, func(g drawn) bool { return g.cluster < 0 })
		}
		for cluster := range clusters {
			row("of the cluster", size, cluster, func(g drawn) bool { return g.cluster == cluster })
		}
	}
	w.Flush()
}

// of returns the values of list that are of cluster; all for −1.
func of(list []float64, clusters []int, cluster int) (some []float64) {
	for i, v := range list {
		if cluster < 0 || clusters[i] == cluster {
			some = append(some, v)
		}
	}
	return some
}

// meanError prints MeanError of openset/assumptions.go: how far, in standard
// deviations, the mean that the people of a gallery tell is from that of strangers of
// the same cluster, times the root of the number of people.
func meanError(all []drawn) {
	for _, size := range sizes {
		var off []float64
		for _, g := range all {
			if g.people == size && g.cluster >= 0 {
				off = append(off, g.alike.Mean-g.level)
			}
		}
		if len(off) > 1 {
			mean, sd := stat.MeanStdDev(off, nil)
			fmt.Printf("%d people: off by %.2f ± %.2f, times the root of the people ± %.2f\n", size, mean, sd, sd*math.Sqrt(float64(size)))
		}
	}
}

// gallerySpread prints the square root of GalleryVariance of openset/assumptions.go, from galleries
// drawn from all.
func gallerySpread(all []drawn) {
	for _, size := range sizes {
		var logs []float64
		for _, g := range all {
			if g.people == size && g.cluster < 0 {
				logs = append(logs, math.Log(share(g.others, openset.AtLarge(0.03, size))))
			}
		}
		if len(logs) > 1 {
			fmt.Printf("%d people: logarithm of the share of strangers named ± %.2f\n", size, stat.StdDev(logs, nil))
		}
	}
}

// sums are rates in percent; the last two are of galleries in so many clusters.
type sums struct {
	far, most, further, furtherMost, named float64
	in                                     int
	clusters, worst                        float64
}

func summed(all []drawn, size int, limit func(drawn) float64) (s sums) {
	var far, further, named []float64
	inCluster := map[int][]float64{}
	for _, g := range all {
		if g.people != size {
			continue
		}
		t := limit(g)
		if g.cluster >= 0 {
			inCluster[g.cluster] = append(inCluster[g.cluster], share(g.others, t))
			continue
		}
		far, further, named = append(far, share(g.others, t)), append(further, share(g.further, t)), append(named, share(g.known, t))
	}
	s = sums{stat.Mean(far, nil), slices.Max(far), stat.Mean(further, nil), slices.Max(further), stat.Mean(named, nil), len(inCluster), 0, 0}
	for _, list := range inCluster {
		mean := stat.Mean(list, nil)
		s.clusters += mean / float64(len(inCluster))
		s.worst = max(s.worst, mean)
	}
	return s
}

// nearest returns the column of centres nearest to each column of x.
func nearest(centres, x *mat.Dense) []int { return classify.Best(compared(centres, x)) }

// kMeans returns k cluster centres of unit norm of the embeddings of sets, the best
// of a few starts.
func kMeans(k int, sets ...*dataset.Images) *mat.Dense {
	const starts, passes = 8, 50
	d, _ := sets[0].X.Dims()
	n := 0
	for _, s := range sets {
		n += s.Len()
	}
	x := mat.NewDense(d, n, nil)
	at := 0
	for _, s := range sets {
		lin.Set(lin.Cols(x, at, at+s.Len()), 1, classify.Unit(s.X))
		at += s.Len()
	}
	var best *mat.Dense
	most := math.Inf(-1)
	for start := range uint64(starts) {
		rng := rand.New(rand.NewPCG(start, 8))
		centres := pick(x, rng.Perm(n)[:k])
		var sum float64
		for range passes {
			cosines := compared(centres, x)
			next := mat.NewDense(d, k, nil)
			sum = 0
			for j, c := range classify.Best(cosines) {
				sum += cosines.At(c, j)
				for i := range d {
					next.Set(i, c, next.At(i, c)+x.At(i, j))
				}
			}
			centres = classify.Unit(next)
		}
		if sum > most {
			best, most = centres, sum
		}
	}
	return best
}

// compared returns the cosines of the columns of a with those of b.
func compared(a, b *mat.Dense) *mat.Dense {
	_, n := a.Dims()
	_, m := b.Dims()
	c := mat.NewDense(n, m, nil)
	lin.AtB(c, 1, a, b)
	return c
}
