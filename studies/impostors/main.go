// Command impostors measures how similar a network finds different people, and tries
// the threshold that follows from it: the numbers of openset/impostors and
// those of openset/assumptions.go.
//
//	go -C studies run ./impostors -data DIR [-law FILE.json] [-fit]
//	go -C studies run ./impostors -data DIR -write FILE.json
//
// DIR has the embeddings lfw_several.npz and lfw_cohort.npz, which are enough to write a law and to
// print what pairs of each .npz file there tell, and for galleries lfw86.npz, lfw_strangers.npz and
// alike50.npz, as nrdl data convert IN OUT.npz --input embedding makes them; IN is a folder
// with a folder per person, or a list PATH;LABEL of those that have none. The law comes from
// the first two. Galleries are drawn from the people of lfw86 ("at large", with lfw_cohort and
// lfw_strangers as strangers), of every second person of alike50 ("like", with the others of
// these as strangers), of both in equal parts ("mixed", with those of alike50 as strangers), and
// of eight clusters (k-means) of all LFW folders ("cluster", with others of it as strangers);
// "all alike" and "all mixed" are of all of alike50. Half of the strangers who are like a
// gallery are never given to it. The numbers of openset/assumptions.go were chosen with -fit on
// other people: the other half of alike50, and lfw_several in place of lfw86.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/measure"
	"nrdl.example/nrdl/openset"
)

func main() {
	data := flag.String("data", "", "folder with the embeddings")
	law := flag.String("law", "", "read the law from this file; else it is measured")
	write := flag.String("write", "", "write the law to this file")
	fit := flag.Bool("fit", false, "draw galleries of the people on whom the numbers of openset/assumptions.go were chosen, and try other numbers")
	draws := flag.Int("draws", 20, "galleries of each kind")
	flag.Parse()
	sets, err := open(*data)
	l := &openset.Impostors{}
	switch {
	case err != nil:
	case *law != "":
		var text []byte
		if text, err = os.ReadFile(*law); err == nil {
			err = json.Unmarshal(text, l)
		}
	default:
		l, err = lawOf(sets["lfw_several"], sets["lfw_cohort"])
	}
	switch {
	case err != nil:
	case *write != "":
		err = os.WriteFile(*write, measure.Lines(l), 0o666)
	default:
		for _, name := range slices.Sorted(maps.Keys(sets)) {
			pairs(name, sets[name], l)
		}
		if sets["alike50"] != nil && sets["lfw86"] != nil && sets["lfw_strangers"] != nil {
			try(sets, l, *draws, *fit)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "impostors:", err)
		os.Exit(1)
	}
}

// open opens the .npz files of a folder, by name.
func open(folder string) (map[string]*dataset.Images, error) {
	sets := map[string]*dataset.Images{}
	files, err := filepath.Glob(filepath.Join(folder, "*.npz"))
	for _, f := range files {
		set, err := dataset.Open(context.Background(), f, dataset.Options{})
		if err != nil {
			return nil, err
		}
		set = set.Faces()
		sets[strings.TrimSuffix(filepath.Base(f), ".npz")] = set.Select(classify.NonZero(set.X))
	}
	if err == nil && (sets["lfw_several"] == nil || sets["lfw_cohort"] == nil) {
		err = errors.New("lfw_several.npz and lfw_cohort.npz are needed in " + folder)
	}
	return sets, err
}

// lawOf measures the law of the network that made the vectors.
func lawOf(several, cohort *dataset.Images) (*openset.Impostors, error) {
	l, err := measure.Law(several, cohort)
	if err != nil {
		return nil, err
	}
	e := several.Frame.Embedding
	l.Network, l.Channels, l.Mirror, l.Landmarks = e.Digest, e.Channels, e.Mirror, e.Alignment != dataset.ByPupils
	l.Accepted = nil // nrdl network measure alone prints it
	l.Source = "go -C studies run ./impostors: means of photographs of the people of lfw_several against the faces of lfw_cohort; the rates are one standard error (bootstrap over people) above those measured, and the upper tail is a line"
	return l, nil
}

// pairs prints the separation of the faces of s, which is the difference of the mean cosines of
// genuine and impostor pairs in units of their mean standard deviation; the share of genuine
// pairs that are accepted where so many impostor pairs are; and how many impostor pairs are
// accepted at the usual rate of l.
func pairs(name string, s *dataset.Images, l *openset.Impostors) {
	var genuine, impostors []float64
	x := classify.Unit(s.X)
	cosines := compared(x, x)
	for i := range s.Len() {
		for j := range i {
			if v := cosines.At(i, j); s.ClassOf(i) == s.ClassOf(j) {
				genuine = append(genuine, v)
			} else {
				impostors = append(impostors, v)
			}
		}
	}
	slices.Sort(genuine)
	slices.Sort(impostors)
	if len(genuine) > 0 {
		fmt.Printf("%s: %d faces, separation %.2f; of %d genuine pairs, in percent,", name, s.Len(), measure.Separation(s), len(genuine))
		for _, rate := range []float64{0.01, 0.001, 0.0001, 0.00001} {
			threshold := impostors[int(math.Ceil(float64(len(impostors))*(1-rate)))-1]
			above, _ := slices.BinarySearchFunc(genuine, threshold, func(v, t float64) int {
				if v > t {
					return 1
				}
				return -1
			})
			fmt.Printf(" %.2f at %v %% of impostors", 100*float64(len(genuine)-above)/float64(len(genuine)), 100*rate)
		}
		fmt.Println()
	}
	accepted := 0
	for _, v := range impostors {
		if l.FMR(1, v) <= openset.DefaultFMR {
			accepted++
		}
	}
	fmt.Printf("%s: %d of %d impostor pairs, %.2f %%, are accepted at an FMR of %v %% in general\n", name, accepted, len(impostors), 100*float64(accepted)/float64(len(impostors)), 100*openset.DefaultFMR)
}

// try prints what the threshold by l does.
func try(sets map[string]*dataset.Images, l *openset.Impostors, draws int, fit bool) {
	const clusters = 8
	alike, famous, others := sets["alike50"], sets["lfw86"], sets["lfw_several"]
	if fit {
		famous, others = others, famous
	}
	first := len(alike.Classes)
	second := first + len(famous.Classes)
	f := facesOf(alike, famous, sets["lfw_cohort"], sets["lfw_strangers"], others)
	if fit { // the clusters are without those who are not looked at
		f.groups = f.groups[:len(f.groups)-len(others.Classes)]
	}
	large := facesOf(sets["lfw_cohort"], sets["lfw_strangers"]).x
	for _, k := range []int{5, 1, 2, 3, 10} {
		all := galleries(l, populations(f, first, second, k, clusters, fit), f, large, k, draws)
		fmt.Printf("\n%d photographs of each person, 1 %%\n", k)
		report(all, l, 0.01, 0)
		reportCalibration(all, l, k)
		if k != 5 {
			continue
		}
		fmt.Printf("\n%d photographs of each person, 0.1 %%\n", k)
		report(all, l, 0.001, 0)
		for _, given := range []int{10, 20, 40} {
			fmt.Printf("\n%d photographs of each person, 1 %%, %d given strangers\n", k, given)
			report(all, l, 0.01, given)
		}
		if fit {
			search(all, l)
		}
	}
}
