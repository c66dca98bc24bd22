// Command strangers measures what the margins of strangers follow in a model of
// photographs: the numbers behind openset/strangers.go.
//
//	go -C studies run ./strangers -data DIR
//
// DIR has the folder photos/lfw_several, whose people judge nothing else. Some of
// them, drawn at random, are enrolled with five faces each; the others are
// strangers. The first columns are of all draws: the mean margin of strangers in
// units of their mean spread, the correlation of the margins of one person, and what
// shares of strangers exceed, in units of the mean margin. The last two say how far
// off, in percent, the mean margin is if it is found from people who are left out
// in turn: by their margins, and by their spreads. At last come the cosines of pairs
// of faces, unprojected, summarised as openset.Pairs.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/studies/internal/hint"
)

const (
	each = 5 // faces of a person who is enrolled
	more = 1 // further ones, at least, that choose who may be
)

func main() {
	data := flag.String("data", os.Getenv("NRDL_DATA"), "folder with photos/lfw_several")
	draws := flag.Int("draws", 10, "draws of who is enrolled")
	flag.Parse()
	hint.Exit("strangers", run(context.Background(), *data, *draws))
}

func run(ctx context.Context, data string, draws int) error {
	find := &face.Detector{Frame: frontend.Faces96.Frame}
	set, err := dataset.Open(ctx, filepath.Join(data, "photos", "lfw_several"), dataset.Options{Frame: frontend.Faces96.Frame, Faces: find.Faces})
	if err != nil {
		return err
	}
	fmt.Println("people projected ratio correl.   10%  3%  1%  0.3%  0.1%  by-margins by-spreads")
	for _, x := range []struct {
		people    int
		projected bool
	}{{5, false}, {10, false}, {20, false}, {43, false}, {10, true}, {20, true}, {43, true}, {60, true}} {
		in := frontend.Faces96.ForImages(set.Frame)
		if !x.projected {
			in.Projection = frontend.Pipeline{}.Projection
		}
		var m measured
		for seed := range uint64(draws) {
			if err := m.draw(ctx, set, in, x.people, seed); err != nil {
				return err
			}
		}
		m.print(x.people, x.projected)
	}
	return printPairs(set)
}

// printPairs prints how similar the faces of set are.
func printPairs(set *dataset.Images) error {
	in := frontend.Faces96.ForImages(set.Frame)
	in.Projection, in.Mirror = frontend.Pipeline{}.Projection, false
	set = set.Faces()
	samples, err := in.Samples(set)
	if err != nil {
		return err
	}
	x := classify.Unit(samples.X)
	cosines := mat.NewDense(set.Len(), set.Len(), nil)
	lin.AtA(cosines, 1, x)
	lin.Mirror(cosines)
	var p openset.Pairs
	for i := range set.Len() {
		for j := range i {
			p.Add(cosines.At(i, j), set.ClassOf(i) == set.ClassOf(j))
		}
	}
	fmt.Printf("\npairs      number    mean      sd\ngenuine  %8d  %.4f  %.4f\nimpostor %8d  %.4f  %.4f\n",
		p.Genuine.N, p.Genuine.Mean, p.Genuine.SD, p.Impostor.N, p.Impostor.Mean, p.Impostor.SD)
	far := 0
	for i := range set.Len() {
		for j := range i {
			if set.ClassOf(i) != set.ClassOf(j) && p.FMR(cosines.At(i, j)) < 0.001 {
				far++
			}
		}
	}
	fmt.Printf("impostors at a false match rate of 0.1 %%: %.3f %%\n", 100*float64(far)/float64(p.Impostor.N))
	return nil
}

// measured are numbers over the draws.
type measured struct {
	ratios, correlation []float64
	margins             []float64 // of strangers, in units of the mean of their draw
	byMargins           []float64 // log of the mean margin over that of people left out
	bySpreads           []float64 // log of it over the mean spread of people left out
}

func (m *measured) draw(ctx context.Context, set *dataset.Images, in frontend.Pipeline, people int, seed uint64) error {
	learn, strangers := divide(set, people, seed)
	model, err := gallery.Learn(ctx, set.Select(learn), in, method.DefaultNRC, classify.Run{Seed: seed}, math.MaxInt)
	if err != nil {
		return err
	}
	others := set.Select(strangers)
	faces, err := model.Recognise(ctx, others)
	if err != nil {
		return err
	}
	var margins, spreads []float64
	of := map[int][]float64{}
	for j, f := range faces {
		if f.Class < 0 {
			continue
		}
		margins, spreads = append(margins, f.Margin), append(spreads, stat.StdDev(f.Scores, nil))
		c := others.ClassOf(j)
		of[c] = append(of[c], f.Margin)
	}
	mean := stat.Mean(margins, nil)
	for _, v := range margins {
		m.margins = append(m.margins, v/mean)
	}
	m.ratios = append(m.ratios, mean/stat.Mean(spreads, nil))
	m.correlation = append(m.correlation, correlation(of, mean))
	verdicts, err := model.HeldOut(ctx, nil)
	if err != nil {
		return err
	}
	var left, spread []float64
	for _, v := range verdicts {
		if v.Stranger {
			left, spread = append(left, v.Margin), append(spread, v.Spread)
		}
	}
	m.byMargins = append(m.byMargins, math.Log(mean/stat.Mean(left, nil)))
	m.bySpreads = append(m.bySpreads, math.Log(mean/stat.Mean(spread, nil)))
	return nil
}

// divide draws who is enrolled and by which faces; all faces of the others are
// strangers'.
func divide(set *dataset.Images, people int, seed uint64) (learn, strangers []int) {
	rng := rand.New(rand.NewPCG(seed, uint64(people)))
	for _, c := range rng.Perm(len(set.Classes)) {
		lo, hi := set.Groups[c], set.Groups[c+1]
		faces := rng.Perm(hi - lo)
		for i, j := range faces {
			switch {
			case people == 0 || hi-lo < each+more:
				strangers = append(strangers, lo+j)
			case i < each:
				learn = append(learn, lo+j)
			}
		}
		if people > 0 && hi-lo >= each+more {
			people--
		}
	}
	slices.Sort(learn)
	slices.Sort(strangers)
	return learn, strangers
}

// correlation is the correlation of two margins of one person: the mean product of
// their deviations, over the variance.
func correlation(of map[int][]float64, mean float64) float64 {
	var product, pairs, square, n float64
	for _, list := range of {
		for i, v := range list {
			square, n = square+(v-mean)*(v-mean), n+1
			for _, w := range list[:i] {
				product, pairs = product+(v-mean)*(w-mean), pairs+1
			}
		}
	}
	return product / pairs / (square / n)
}

func (m *measured) print(people int, projected bool) {
	slices.Sort(m.margins)
	fmt.Printf("%6d %9v %5.2f %8.2f ", people, projected, stat.Mean(m.ratios, nil), stat.Mean(m.correlation, nil))
	for _, far := range []float64{0.1, 0.03, 0.01, 0.003, 0.001} {
		fmt.Printf(" %.2f", stat.Quantile(1-far, stat.Empirical, m.margins, nil))
	}
	fmt.Printf("  %9.1f %10.1f\n", 100*stat.StdDev(m.byMargins, nil), 100*stat.StdDev(m.bySpreads, nil))
}
